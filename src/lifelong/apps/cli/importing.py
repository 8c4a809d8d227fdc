"""`lifelong import`: another tool's transcripts into the log, and our own export back."""

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

_OWN = "lifelong"
_COUNTS = ("files", "sessions", "messages", "added", "duplicates", "forgotten", "redacted")


class ImportOptions(NamedTuple):
    """What `lifelong import` takes."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Whose transcripts: claude-code, chatgpt, claude, chat; or lifelong, an export.",
        ),
    ]
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH", help="Files, or folders to search for them.")
    ]
    trusted: Annotated[
        bool,
        typer.Option(
            "--trusted",
            help="Of an export: you vouch that nobody else wrote or changed it.",
        ),
    ] = False
    as_json: AsJson = False


@command(ImportOptions)
def import_(given: ImportOptions, place: Place) -> int:
    """Read another tool's transcripts into the log.

    What is there already is not added again, and what was forgotten does not come back. A line
    that cannot be read is set aside and reported; nothing else stops.
    """
    if given.trusted and given.source != _OWN:
        raise lifelong.errors.InvalidValue(f"--trusted is for the source {_OWN} alone")
    for path in given.paths:
        if not path.exists():
            raise lifelong.errors.TranscriptError(f"{path} is not there")
    try:
        with place.opened() as owner, progress(as_json=given.as_json, in_bytes=True) as step:
            reports = [_read(owner, given, path, step) for path in given.paths]
    except KeyboardInterrupt:
        note("stopped: what was stored is kept; run the same command again to go on")
        return INTERRUPTED
    if given.as_json:
        print_json(_as_json(given.source, reports))
    else:
        _show(given.source, reports)
    is_something = any(
        report.messages or report.memories.read or report.memories.states for report in reports
    )
    return DONE if is_something else NOTHING


def _read(
    owner: lifelong.Owner, given: ImportOptions, path: Path, step: Step
) -> lifelong.ImportReport:
    if given.trusted:
        return owner.review.restore(path, step)
    return owner.import_transcripts(given.source, path, step)


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
    if source == _OWN:
        counts = _memories(reports)
        states = counts.pop("states")
        told = ", ".join(f"{name} {count:,}" for name, count in counts.items() if name != "read")
        screen.line(f"{'memories':<10}  {counts['read']:,} ({told})")
        screen.line(f"{'states':<10}  {states:,} added")
    ignored = _ignored(reports)
    kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(ignored.items()))
    screen.line(f"{'ignored':<10}  {ignored.total():,}" + (f" ({kinds})" if kinds else ""))
    broken = [line for report in reports for line in report.broken]
    screen.line(f"{'set aside':<10}  {len(broken):,}")
    for line in broken:
        where = f"{line.file}:{line.line}" if line.line else line.file
        note(f"set aside: {where}: {line.reason}")
