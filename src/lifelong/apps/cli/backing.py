"""`lifelong backup` and `restore`: a copy of all owners, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong import keeping
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.keying import Passphrase, PassphraseFile, directory_of
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import (
    Piece,
    Screen,
    counted,
    jsonable,
    minute,
    note,
    one_line,
    print_json,
)
from lifelong.apps.cli.progress import progress
from lifelong.apps.cli.unlocking import passphrase_of

_MIB = 1024 * 1024


class BackupOptions(NamedTuple):
    """What `lifelong backup` takes."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is not there yet.")]
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Make none: read one as a restore would, and compare."),
    ] = False
    keys: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="With --verify: a backup of the keys, beside the store's."
        ),
    ] = None
    passphrase: Passphrase = False
    passphrase_file: PassphraseFile = None
    as_json: AsJson = False


@command(BackupOptions)
def backup(given: BackupOptions, place: Place) -> int:
    """Copy every owner's file into a folder, while others write. It holds no keys."""
    directory_of(place)
    if given.verify:
        passphrase = passphrase_of(given.passphrase_file, is_asked=given.passphrase)
        with place.engine() as engine, _bar(given.as_json, "compare") as step:
            done = engine.verify_backup(
                given.folder, keys=given.keys, passphrase=passphrase, on_progress=step
            )
        return _tell(done, as_json=given.as_json)
    if given.keys is not None:
        raise lifelong.errors.InvalidValue("--keys goes with --verify: a backup holds no keys")
    with place.engine() as engine, _bar(given.as_json, "copy") as step:
        made = engine.backup(given.folder, on_progress=step)
    if given.as_json:
        print_json({**jsonable(made), "size": made.size})
        return NOTHING if made.problems else DONE
    screen = Screen()
    owners, size = counted(len(made.files), "owner"), made.size / _MIB
    screen.line(f"{owners}, {size:,.1f} MiB in {one_line(made.path)}")
    for problem in made.problems:
        screen.line((f"not copied: {one_line(problem)}", "red"))
    if not made.is_encrypted:
        note("the store is not encrypted, and so the backup is not: whoever reads it reads it all")
    return NOTHING if made.problems else DONE


class RestoreOptions(NamedTuple):
    """What `lifelong restore` takes."""

    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A backup.")]
    into: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Another data directory; it is made if need be."),
    ] = None
    keys: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A backup of the keys, beside those of the store."),
    ] = None
    replace: Annotated[
        bool, typer.Option("--replace", help="Also owners that the store has otherwise.")
    ] = False
    passphrase: Passphrase = False
    passphrase_file: PassphraseFile = None
    as_json: AsJson = False


@command(RestoreOptions)
def restore(given: RestoreOptions, place: Place) -> int:
    """Put the owners of a backup into the store; what was forgotten since stays forgotten."""
    passphrase = passphrase_of(given.passphrase_file, is_asked=given.passphrase)
    source = directory_of(place)
    is_encrypted = keeping.read_backup(given.folder).is_encrypted
    keys: Path | lifelong.Engine | None = given.keys
    with (
        _opened(given.into or Path(source), is_encrypted=is_encrypted) as engine,
        _keys_of(place, given) as others,
        _bar(given.as_json, "restore") as step,
    ):
        done = engine.restore(
            given.folder,
            keys=keys or others,
            passphrase=passphrase,
            replace=given.replace,
            on_progress=step,
        )
    return _tell(done, as_json=given.as_json)


def _opened(path: Path, *, is_encrypted: bool) -> lifelong.Engine:
    """Open a store, made as the backup is when it is new."""
    is_new = not (path / "lifelong.json").exists()
    encryption = "off" if is_new and not is_encrypted else None
    return lifelong.open(path, encryption=encryption)


@contextmanager
def _keys_of(place: Place, given: RestoreOptions) -> Iterator[lifelong.Engine | None]:
    """Lend the store that the backup may be of, when it goes into another one."""
    is_needed = given.into is not None and given.keys is None
    if not is_needed or not (Path(directory_of(place)) / "lifelong.json").exists():
        yield None
        return
    with place.engine() as engine:
        yield engine


@contextmanager
def _bar(as_json: bool, what: str) -> Iterator[keeping.OnProgress]:
    with progress(as_json=as_json, in_bytes=True) as step:
        yield lambda done, total: step(done, total, what)


def _tell(done: keeping.Restored, *, as_json: bool) -> int:
    if as_json:
        print_json({**jsonable(done), "is_whole": done.is_whole})
        return DONE if done.is_whole else NOTHING
    screen = Screen()
    size = f"{done.backup.size / _MIB:,.1f} MiB"
    screen.line(f"backup of {minute(done.backup.made_at)}, {size}")
    for owner in done.owners:
        screen.line(*_line(owner))
    for problem in done.backup.problems:
        screen.line((f"not in it: {one_line(problem)}", "red"))
    if done.is_drill:
        verdict = ("it is whole", "bold green") if done.is_whole else ("NOT whole", "bold red")
        screen.line(verdict)
    else:
        screen.line(f"{counted(done.count(keeping.RESTORED), 'owner')} put in place")
    return DONE if done.is_whole else NOTHING


def _line(owner: keeping.RestoredOwner) -> tuple[Piece, ...]:
    style = "red" if owner.outcome in (keeping.DAMAGED, keeping.KEPT) else ""
    again = f", {owner.erased} erased again" if owner.erased else ""
    detail = f": {one_line(owner.detail)}" if owner.detail else ""
    name = one_line(owner.owner_id or owner.file)
    return (f"{owner.outcome:<10}", style), f"  {name}{again}{detail}"
