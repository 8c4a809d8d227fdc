"""`lifelong key`: where the master key is, new keys, and a backup of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong import keeping
from lifelong.apps.cli.edge import DONE, NOTHING, agreed
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, note, one_line, print_json
from lifelong.apps.cli.progress import progress
from lifelong.apps.cli.unlocking import passphrase_of

NEW_KEY_VARIABLE = "LIFELONG_NEW_KEY"
Passphrase = Annotated[
    bool, typer.Option("--passphrase", help="It has a passphrase, which you type.")
]
PassphraseFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="It has the passphrase in this file.")
]


def directory_of(place: Place) -> str:
    """Return the data directory that a command works on.

    Raises:
        InvalidValue: it is a store in memory.
    """
    if place.store == lifelong.engine.IN_MEMORY:
        raise lifelong.errors.InvalidValue("a store in memory has neither keys nor backups")
    return place.store or str(lifelong.engine.default_directory())


class KeyStatusOptions(NamedTuple):
    """What `lifelong key status` takes."""

    as_json: AsJson = False


@command(KeyStatusOptions)
def status(given: KeyStatusOptions, place: Place) -> int:
    """Show where the master key is, and whether it opens the store."""
    found = keeping.key_status(directory_of(place))
    if given.as_json:
        print_json(found)
        return DONE if found.opens else NOTHING
    screen = Screen()
    mode = f" (mode {found.mode})" if found.mode else ""
    screen.line(f"key     {one_line(found.place)}{mode}")
    if found.opens:
        screen.line(("it opens the store", "green"), f", {counted(found.owners or 0, 'owner')}")
    else:
        screen.line((one_line(found.problem), "bold red"))
    for file in found.older:
        screen.line(f"older   {one_line(file)}")
    return DONE if found.opens else NOTHING


class KeyRotateOptions(NamedTuple):
    """What `lifelong key rotate` takes."""

    new_key: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="keyring, file:PATH, or env: the key in the variable LIFELONG_NEW_KEY.",
        ),
    ] = None
    owners: Annotated[
        bool, typer.Option("--owners", help="New keys for owners' files, not the master key.")
    ] = False
    only: Annotated[
        str | None, typer.Option("--only", metavar="NAME", help="With --owners: this one alone.")
    ] = None
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    as_json: AsJson = False


@command(KeyRotateOptions)
def rotate(given: KeyRotateOptions, place: Place) -> int:
    """Give the store a new master key; or, with --owners, owners' files new keys.

    Others may go on using the store. With --owners, backups from before can be read only with a
    backup of the keys from before; so that asks first.
    """
    if given.only is not None and not given.owners:
        raise lifelong.errors.InvalidValue("--only goes with --owners")
    if given.owners and given.new_key is not None:
        raise lifelong.errors.InvalidValue("owners' keys are made, so --new-key goes without")
    new_key = _new_key(given.new_key)
    if given.owners and not given.yes and not agreed("Make backups from before unreadable?"):
        note("nothing was changed")
        return NOTHING
    directory_of(place)
    with place.engine() as engine:
        if given.owners:
            return _rotate_owners(engine, given)
        where = engine.rotate_key(new_key)
    if given.as_json:
        print_json({"place": where})
    else:
        Screen().line(f"the new master key: {one_line(where)}")
    return DONE


def _rotate_owners(engine: lifelong.Engine, given: KeyRotateOptions) -> int:
    with progress(as_json=given.as_json) as step:
        rotated = engine.rotate_owner_keys(
            given.only, on_progress=lambda done, total: step(done, total, "new keys")
        )
    if given.as_json:
        print_json({"owners": rotated})
    else:
        Screen().line(f"new keys for {counted(rotated, 'owner')}")
    return DONE if rotated else NOTHING


def _new_key(where: str | None) -> str | None:
    """Return the new key, or where it is; on the command line itself others could read it.

    Raises:
        InvalidValue: it is no place.
    """
    if where is None or where == "keyring" or where.startswith("file:"):
        return where
    if where != "env":
        raise lifelong.errors.InvalidValue(f"{where!r} is not keyring, file:PATH or env")
    key = os.environ.get(NEW_KEY_VARIABLE)
    if not key:
        raise lifelong.errors.InvalidValue(f"the variable {NEW_KEY_VARIABLE} is not set")
    return key


class KeyExportOptions(NamedTuple):
    """What `lifelong key export` takes."""

    file: Annotated[Path, typer.Argument(metavar="FILE", help="It takes an older one's place.")]
    passphrase: Passphrase = False
    passphrase_file: PassphraseFile = None
    as_json: AsJson = False


@command(KeyExportOptions)
def export(given: KeyExportOptions, place: Place) -> int:
    """Write a backup of the keys, encrypted with a passphrase or else the master key.

    Keep it apart from backups, and make it anew after an owner was forgotten.
    """
    passphrase = passphrase_of(given.passphrase_file, is_asked=given.passphrase, twice=True)
    directory_of(place)
    with place.engine() as engine:
        owners = engine.export_keys(given.file, passphrase=passphrase)
    if given.as_json:
        print_json({"file": str(given.file), "owners": owners, "has_passphrase": bool(passphrase)})
    else:
        Screen().line(f"keys of {counted(owners, 'owner')} in {one_line(str(given.file))}")
    return DONE


class KeyImportOptions(NamedTuple):
    """What `lifelong key import` takes."""

    file: Annotated[Path, typer.Argument(metavar="FILE", help="As lifelong key export wrote it.")]
    passphrase: Passphrase = False
    passphrase_file: PassphraseFile = None
    as_json: AsJson = False


@command(KeyImportOptions)
def import_(given: KeyImportOptions, place: Place) -> int:
    """Mend a store that lost its catalogue, or its master key, with a backup of the keys."""
    passphrase = passphrase_of(given.passphrase_file, is_asked=given.passphrase)
    owners = keeping.import_keys(directory_of(place), given.file, passphrase=passphrase)
    if given.as_json:
        print_json({"owners": owners})
    else:
        Screen().line(f"the store opens again, with {counted(owners, 'owner')}")
    return DONE
