"""`lifelong files`: what stands in file memory, and what a person puts there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, DefaultGroup, Place, command
from lifelong.apps.cli.output import Screen, counted, minute, note, one_line, print_json

_ROOT = "/memories"
_Path = Annotated[str, typer.Argument(metavar="PATH", help=f"Of a file, below {_ROOT}.")]


class FilesGroup(DefaultGroup):
    """`lifelong files` is short for `lifelong files list`."""

    default = "list"


class ListOptions(NamedTuple):
    """What `lifelong files list` takes."""

    as_json: AsJson = False


@command(ListOptions)
def list_(given: ListOptions, place: Place) -> int:
    """Show every file, with its size, the time of its last change, and who wrote it."""
    with place.opened() as owner:
        found = owner.files.list()
    if given.as_json:
        print_json({"files": found})
        return DONE
    screen = Screen()
    for info in found:
        channel = f"{info.origin.channel}, suspect" if info.is_suspect else info.origin.channel
        screen.line(
            (f"{minute(info.updated_at)}", "cyan"),
            f"  {counted(info.bytes, 'byte')}  ",
            (one_line(info.path), "bold"),
            (f"  {channel}", "dim"),
        )
    if not found:
        note("there are no files")
    return DONE


class ShowOptions(NamedTuple):
    """What `lifelong files show` takes."""

    path: _Path
    version: Annotated[
        int | None, typer.Option(metavar="N", help="An older text, as versions lists it.")
    ] = None
    as_json: AsJson = False


@command(ShowOptions)
def show(given: ShowOptions, place: Place) -> int:
    """Print the text of a file; with --json to the letter."""
    path = _below_root(given.path)
    with place.opened() as owner:
        if given.version is None:
            text = owner.files.read(path)
        else:
            text = _version(owner.files, path, given.version)
    if given.as_json:
        print_json({"path": path, "text": text})
    else:
        Screen().line(text.removesuffix("\n"))
    return DONE


class WriteOptions(NamedTuple):
    """What `lifelong files write` takes."""

    path: _Path
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="Read from there; - reads the input.")
    ] = Path("-")
    channel: Annotated[
        str,
        typer.Option(
            metavar="CHANNEL", help="Whose words: user, assistant, tool, document or system."
        ),
    ] = "user"
    as_json: AsJson = False


@command(WriteOptions)
def write(given: WriteOptions, place: Place) -> int:
    """Give a file a text, whether it is there or not."""
    text = _read(given.file)
    with place.opened() as owner:
        info = owner.files.write(_below_root(given.path), text, origin=given.channel)
    if given.as_json:
        print_json({"file": info})
    else:
        said = f" {one_line(info.path)}, {counted(info.bytes, 'byte')}, version {info.version}"
        Screen().line(("wrote", "bold"), said)
    return DONE


class DeleteOptions(NamedTuple):
    """What `lifelong files delete` takes."""

    path: Annotated[str, typer.Argument(metavar="PATH", help="Of a file or a directory.")]
    as_json: AsJson = False


@command(DeleteOptions)
def delete(given: DeleteOptions, place: Place) -> int:
    """Remove a file or a directory; the versions stay until they are forgotten."""
    with place.opened() as owner:
        reply = owner.files.delete(_below_root(given.path))
    return _tell(reply, as_json=given.as_json)


class RenameOptions(NamedTuple):
    """What `lifelong files rename` takes."""

    old: Annotated[str, typer.Argument(metavar="OLD", help="Of a file or a directory.")]
    new: Annotated[str, typer.Argument(metavar="NEW", help="Where nothing is yet.")]
    as_json: AsJson = False


@command(RenameOptions)
def rename(given: RenameOptions, place: Place) -> int:
    """Give a file or a directory another path."""
    with place.opened() as owner:
        reply = owner.files.rename(_below_root(given.old), _below_root(given.new))
    return _tell(reply, as_json=given.as_json)


class VersionsOptions(NamedTuple):
    """What `lifelong files versions` takes."""

    path: _Path
    as_json: AsJson = False


@command(VersionsOptions)
def versions(given: VersionsOptions, place: Place) -> int:
    """Show the texts that a file has and had, the oldest first."""
    with place.opened() as owner:
        found = owner.files.versions(_below_root(given.path))
    if given.as_json:
        print_json({"versions": found})
        return DONE if found else NOTHING
    screen = Screen()
    for each in found:
        ended = f"  {each.ended_by} {minute(each.ended_at)}" if each.ended_at else "  stands"
        screen.line(
            (f"{each.version}", "bold"),
            (f"  {minute(each.written_at)}", "cyan"),
            f"  {counted(len(each.text.encode()), 'byte')}{ended}",
            (f"  {each.origin.channel}", "dim"),
        )
    if not found:
        note("no file has or had that path")
    return DONE if found else NOTHING


class RestoreOptions(NamedTuple):
    """What `lifelong files restore` takes."""

    path: _Path
    version: Annotated[int, typer.Argument(metavar="N", help="As versions lists it.")]
    as_json: AsJson = False


@command(RestoreOptions)
def restore(given: RestoreOptions, place: Place) -> int:
    """Give a file a text again that it had, also one that was deleted."""
    with place.opened() as owner:
        reply = owner.files.restore(_below_root(given.path), given.version)
    return _tell(reply, as_json=given.as_json)


class MirrorOptions(NamedTuple):
    """What `lifelong files mirror` takes."""

    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="New, empty, or mirrored into before.")
    ]
    as_json: AsJson = False


@command(MirrorOptions)
def mirror(given: MirrorOptions, place: Place) -> int:
    """Write every file into a directory, and remove there what is no more."""
    with place.opened() as owner:
        done = owner.files.mirror(given.directory)
    if given.as_json:
        print_json(done)
    else:
        screen = Screen()
        screen.line(
            f"{len(done.written)} written, {len(done.removed)} removed, {done.unchanged} unchanged"
        )
        for path in done.skipped:
            screen.line(f"skipped {one_line(path)}: something else stands there", indent=2)
    return NOTHING if done.skipped else DONE


def _below_root(path: str) -> str:
    """Return a path that may have been written without the root."""
    return path if path.startswith("/") else f"{_ROOT}/{path}"


def _tell(reply: str, *, as_json: bool) -> int:
    if as_json:
        print_json({"reply": reply})
    else:
        Screen().line(one_line(reply))
    return DONE


def _version(files: lifelong.files.Files, path: str, number: int) -> str:
    """Return an older text.

    Raises:
        FileMissing: there is none with that number.
    """
    for each in files.versions(path):
        if each.version == number:
            return each.text
    raise lifelong.errors.FileMissing(f"The path {path} has no version {number}.")


def _read(file: Path) -> str:
    """Return the text of a file of this machine, to the letter.

    Raises:
        InvalidValue: it is no UTF-8.
        OSError: it cannot be read.
    """
    is_input = str(file) == "-"
    data = typer.get_binary_stream("stdin").read() if is_input else file.read_bytes()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise lifelong.errors.InvalidValue(f"what was read is no UTF-8 ({error.reason})") from None
