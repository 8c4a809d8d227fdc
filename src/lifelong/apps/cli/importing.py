"""`lifelong import`: another tool's transcripts and memories, and our own export back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, INTERRUPTED, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, note, print_json
from lifelong.apps.cli.progress import Step, progress
from lifelong.apps.cli.unlocking import passphrase_of, read_secret
from lifelong.transcripts.files import ReadingFields

_OWN = "lifelong"
_WITH_MEMORIES = (_OWN, "langgraph", "mem0")
_BESIDE = ("states", "files", "rules", "tombstones")
_COUNTS = ("files", "sessions", "messages", "added", "duplicates", "forgotten", "redacted")


class ImportOptions(NamedTuple):
    """What `lifelong import` takes."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Whose: claude-code, chatgpt, claude, chat, openai-agents, langgraph, mem0; "
            "or lifelong, an export.",
        ),
    ]
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files, or folders to search for them.")
    ]
    trusted: Annotated[
        bool,
        typer.Option(
            "--trusted",
            help="Of memories: you vouch that nobody else wrote or changed them.",
        ),
    ] = False
    user: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of mem0: only what is this user's."),
    ] = None
    identity_file: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Of an encrypted export: opens it; may be given again."),
    ] = None
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Of an encrypted export: ask for its passphrase.")
    ] = False
    passphrase_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Of an encrypted export: its passphrase.")
    ] = None
    as_json: AsJson = False


@command(ImportOptions)
def import_(given: ImportOptions, place: Place) -> int:
    """Read another tool's transcripts and memories, or an export.

    What is there already is not added again, and what was forgotten does not come back. A line
    that cannot be read is set aside and reported; nothing else stops.
    """
    _require_sound(given)
    how: ReadingFields = {
        "user": given.user,
        "identities": [read_secret(file) for file in given.identity_file or ()],
        "passphrase": passphrase_of(given.passphrase_file, is_asked=given.passphrase),
    }
    try:
        with place.opened() as owner, progress(as_json=given.as_json, in_bytes=True) as step:
            reports = [_read(owner, given, path=path, step=step, how=how) for path in given.paths]
    except KeyboardInterrupt:
        note("stopped: what was stored is kept; run the same command again to go on")
        return INTERRUPTED
    if given.as_json:
        print_json(_as_json(given.source, reports))
    else:
        _show(given.source, reports)
    return DONE if any(map(_is_something, reports)) else NOTHING


def _require_sound(given: ImportOptions) -> None:
    """Refuse what contradicts itself, or is not there, before anything is read."""
    if given.trusted and given.source not in _WITH_MEMORIES:
        sources = ", ".join(_WITH_MEMORIES)
        raise lifelong.errors.InvalidValue(f"--trusted is for {sources} alone")
    for path in given.paths:
        if not path.exists():
            raise lifelong.errors.TranscriptError(f"{path} is not there")


def _is_something(report: lifelong.ImportReport) -> bool:
    counts = report.memories
    return bool(report.messages or any(getattr(counts, name) for name in ("read", *_BESIDE)))


def _read(
    owner: lifelong.Owner, given: ImportOptions, *, path: Path, step: Step, how: ReadingFields
) -> lifelong.ImportReport:
    if given.trusted:
        return owner.review.restore(path, step, source=given.source, **how)
    return owner.import_transcripts(given.source, path, step, **how)


def _memories(reports: Sequence[lifelong.ImportReport]) -> dict[str, int]:
    """Return what became of the memories of all exports together."""
    names = [field.name for field in fields(reports[0].memories)] if reports else []
    return {name: sum(getattr(each.memories, name) for each in reports) for name in names}


def _ignored(reports: Sequence[lifelong.ImportReport]) -> Counter[str]:
    ignored: Counter[str] = Counter()
    for report in reports:
        ignored.update(report.ignored)
    return ignored


def _as_json(source: str, reports: Sequence[lifelong.ImportReport]) -> dict[str, object]:
    return {
        "source": source,
        **{name: sum(getattr(report, name) for report in reports) for name in _COUNTS},
        "memories": _memories(reports),
        "ignored": dict(_ignored(reports)),
        "broken": [line for report in reports for line in report.broken],
    }


def _show(source: str, reports: Sequence[lifelong.ImportReport]) -> None:
    screen = Screen()
    for name in _COUNTS:
        screen.line(f"{name:<10}  {sum(getattr(report, name) for report in reports):,}")
    if source in _WITH_MEMORIES:
        _show_memories(screen, source, _memories(reports))
    ignored = _ignored(reports)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(ignored.items()))
    screen.line(f"{'ignored':<10}  {ignored.total():,}" + (f" ({kinds})" if kinds else ""))
    broken = [line for report in reports for line in report.broken]
    screen.line(f"{'set aside':<10}  {len(broken):,}")
    for line in broken:
        where = f"{line.file}:{line.line}" if line.line else line.file
        note(f"set aside: {where}: {line.reason}")


def _show_memories(screen: Screen, source: str, counts: dict[str, int]) -> None:
    others = {name: counts.pop(name) for name in _BESIDE}
    told = ", ".join(f"{name} {count:,}" for name, count in counts.items() if name != "read")
    screen.line(f"{'memories':<10}  {counts['read']:,} ({told})")
    if source == _OWN:
        for name, count in others.items():
            screen.line(f"{name:<10}  {count:,} added")
