"""Putting a backup of the keys back where the catalogue, or the master key itself, was lost."""

from __future__ import annotations

import secrets
from pathlib import Path

import apsw

from lifelong.errors import (
    InvalidValue,
    KeyBackupUnusable,
    MasterKeyError,
    StoreCorrupt,
    StoreReadOnly,
)
from lifelong.ports import Clock
from lifelong.stores.sqlite import keys
from lifelong.stores.sqlite.catalogue import Catalogue, master_key, refuse_key_inside
from lifelong.stores.sqlite.connection import connect, mapped_errors
from lifelong.stores.sqlite.copying import copy_database
from lifelong.stores.sqlite.directory import OWNERS, mapped_os_errors
from lifelong.stores.sqlite.key_backup import opened_keys
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.marker import (
    Marker,
    marker_bytes,
    parse_marker,
    remove_database,
    replace_marker,
)
from lifelong.stores.sqlite.queries import fetch, queries

_SQL = queries("catalogue")
_APART = "without-key"


def import_keys(
    path: Path, source: KeySource, *, backup: Path, passphrase: str | None, clock: Clock
) -> int:
    """Give a data directory a catalogue out of a backup of its keys; return of how many owners.

    Of the backup counts what has a file there: who was forgotten since does not come back. Files
    that it does not know are moved aside, into the folder ``without-key``.

    Args:
        path: the data directory; its catalogue is missing or damaged, or its master key lost.
        source: where the master key is; one is made there when there is none.
        backup: as `export_keys` wrote it.
        passphrase: of the backup; None when the master key opens it.
        clock: for opening.

    Raises:
        InvalidValue: the store opens, so nothing is to be mended, or it is not encrypted.
        KeyBackupUnusable: the backup does not open.
        MasterKeyError: the master key cannot be read or kept.
        StoreCorrupt: there is no store.
    """
    if not (path / OWNERS).is_dir():
        raise StoreCorrupt(f"{path} has no owners")
    refuse_key_inside(path, source)
    marker = _marker(path)
    if marker and not marker.is_encrypted:
        raise InvalidValue(f"{path} is not encrypted, so it has no keys")
    key = _key(path, marker, source)
    if marker and _opens(path, source, clock):
        raise InvalidValue(f"{path} opens with its master key, so there is nothing to mend")
    made = Marker(
        is_encrypted=True,
        key_kind=source.kind,
        key_check=keys.key_check(key),
        catalogue=f"catalogue-{secrets.token_hex(8)}.db",
    )
    file, is_done = path / made.catalogue, False
    with mapped_os_errors(path), opened_keys(backup, passphrase or key) as connection:
        try:
            copy_database(connection, file, key=key)
            owners, unknown = _keep_what_is_there(path, file, key, clock)
            if not owners and unknown:
                raise KeyBackupUnusable(f"{backup} has no key to any file in {path}")
            for each in unknown:
                _put_apart(each)
            replace_marker(path, made)
            is_done = True
        finally:
            if not is_done and marker_bytes(path) != made.content():
                remove_database(file)
    return owners


def _marker(path: Path) -> Marker | None:
    try:
        content = marker_bytes(path)
        return parse_marker(path, content) if content else None
    except StoreCorrupt:
        return None


def _key(path: Path, marker: Marker | None, source: KeySource) -> bytes:
    try:
        found = master_key(path, marker, source) if marker else None
    except MasterKeyError:  # it is lost: what is there now takes its place
        found = None
    return found or keys.first_key(source)


def _opens(path: Path, source: KeySource, clock: Clock) -> bool:
    try:
        catalogue = Catalogue(path, source, now=clock.now)
    except (StoreCorrupt, MasterKeyError, StoreReadOnly):  # the last when it is not there
        return False
    catalogue.close()
    return True


def _keep_what_is_there(path: Path, file: Path, key: bytes, clock: Clock) -> tuple[int, list[Path]]:
    """Forget owners whose file is gone; return how many are left, and files of no owner."""
    there = {each.name: each for each in (path / OWNERS).glob("*.db")}
    connection = connect(file, key, now=clock.now, may_create=False)
    try:
        with mapped_errors(str(file)):
            known = _known(connection)
            gone = [(owner_id, name) for owner_id, name in known if name not in there]
            connection.executemany(_SQL["remove"], gone)
    finally:
        connection.close()
    names = {name for _, name in known}
    return len(known) - len(gone), [each for name, each in there.items() if name not in names]


def _known(connection: apsw.Connection) -> list[tuple[str, str]]:
    return fetch(connection, _SQL["names"])


def _put_apart(file: Path) -> None:
    """Move a file that no key is known for out of the way of the removal of leftovers."""
    folder = file.parent.parent / _APART
    folder.mkdir(mode=0o700, exist_ok=True)
    for suffix in ("-wal", "-shm", ""):
        each = file.with_name(file.name + suffix)
        if each.exists():
            each.rename(folder / each.name)
