"""`lifelong scan`: is a text in the bytes of any file, in whatever encoding."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, jsonable, note, one_line, print_json
from lifelong.apps.cli.progress import Step, progress
from lifelong.scanned import Occurrence, Scan, ScannedFile, Verdict

NOT_PROVEN = 4
"""The exit code where the text was not found, and may be there all the same."""

_MARKS = ("lifelong.json", "catalogue*.db")

_STYLES = {
    Verdict.FOUND: "bold red",
    Verdict.NOT_PROVEN: "yellow",
    Verdict.NOT_FOUND: "green",
}
_CODES = {
    Verdict.FOUND: NOTHING,
    Verdict.NOT_PROVEN: NOT_PROVEN,
    Verdict.NOT_FOUND: DONE,
}


class ScanOptions(NamedTuple):
    """What `lifelong scan` takes."""

    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Files and folders beside the store."),
    ] = None
    text: Annotated[str | None, typer.Option("--for", metavar="TEXT", help="What to look for.")] = (
        None
    )
    from_stdin: Annotated[
        bool,
        typer.Option(
            "--for-stdin", help="Read it from standard input; on a terminal it is not shown."
        ),
    ] = False
    as_json: AsJson = False


@command(ScanOptions)
def scan(given: ScanOptions, place: Place) -> int:
    """Look for a text in the bytes of all files of the store, in every encoding.

    Encrypted files are read with the store's keys. Nothing is changed, and what is found is named
    by its place alone.
    """
    text = _text(given)
    with progress(as_json=given.as_json, in_bytes=True) as step:
        found = _scan(text, given.paths or [], place, step)
    if given.as_json:
        print_json({"verdict": found.verdict, **jsonable(found)})
    else:
        _show(found)
    return _CODES[found.verdict]


def _text(given: ScanOptions) -> str:
    if given.from_stdin == (given.text is not None):
        raise lifelong.errors.InvalidValue("what to look for: pass either --for or --for-stdin")
    if given.text is not None:
        return given.text
    if sys.stdin.isatty():
        return str(typer.prompt("Look for", hide_input=True, err=True))
    try:
        return typer.get_binary_stream("stdin").read().decode().strip()
    except UnicodeDecodeError as error:
        raise lifelong.errors.InvalidValue("standard input is not UTF-8") from error


def _scan(text: str, paths: list[Path], place: Place, step: Step) -> Scan:
    """Scan with the store's keys; where it cannot be opened, without them."""
    engines = import_module("lifelong.engine")  # late: the help of no command needs it
    where = place.store or engines.default_directory()
    if where == engines.IN_MEMORY or _is_store(Path(where).expanduser()):
        try:
            with place.engine() as engine:
                return engine.scan(text, paths=paths, on_progress=step)
        except lifelong.errors.StoreError as error:
            note(f"the store cannot be opened, so no key is at hand: {error}")
    found: Scan = engines.scan_locked(where, text, paths=paths, on_progress=step)
    return found


def _is_store(folder: Path) -> bool:
    """Tell whether there is a store: opening one that is not there would make it."""
    return any(next(folder.glob(mark), None) for mark in _MARKS)


def _show(found: Scan) -> None:
    screen = Screen()
    for file in found.files:
        if file.verdict != Verdict.NOT_FOUND:
            _show_file(screen, file)
    for reason in found.reasons:
        screen.line(reason)
    passed = sum(each.has_passed for each in found.controls)
    screen.line((found.verdict.words, _STYLES[found.verdict]))
    keys = sum(each.is_decrypted for each in found.files)
    read = f"{counted(len(found.files), 'file')}, {counted(found.size, 'byte')}"
    screen.line(f"{read}; {keys:,} read with a key", indent=2)
    screen.line(f"{counted(len(found.encodings), 'form')} of the text", indent=2)
    beside = sum(not each.is_whole for file in found.files for each in file.occurrences)
    if beside:
        screen.line(f"single words of it are in {counted(beside, 'file')}", indent=2)
    screen.line(f"{passed} of {counted(len(found.controls), 'control')} passed", indent=2)
    for control in found.controls:
        if not control.has_passed:
            told = f"{control.name}: {control.found.words}, not {control.expected.words}"
            screen.line((told, "bold red"), indent=4)


def _show_file(screen: Screen, file: ScannedFile) -> None:
    screen.line((f"{file.verdict.words:<10}", _STYLES[file.verdict]), f"  {one_line(file.path)}")
    for each in file.occurrences:
        screen.line(f"{each.encoding}: {_places(each)}", indent=12)
    for reason in file.reasons:
        screen.line(reason, indent=12)


def _places(each: Occurrence) -> str:
    where = f", first at byte {each.offset:,}" if each.offset is not None else ""
    page = f" (page {each.page:,})" if each.page is not None else ""
    return f"{counted(each.count, 'time')}{where}{page}"
