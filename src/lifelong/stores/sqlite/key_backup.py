"""A backup of the keys: the catalogue alone, small, encrypted with a passphrase or the master key.

It opens every owner's file and every copy of it, so it is kept apart from both, and made anew after
each owner that is forgotten: an older one still holds the key that was to be destroyed.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from lifelong.errors import InvalidValue, KeyBackupUnusable, StoreError
from lifelong.stores.sqlite.catalogue import Catalogue
from lifelong.stores.sqlite.connection import mapped_errors
from lifelong.stores.sqlite.copying import Key, copy_database, open_plainly
from lifelong.stores.sqlite.directory import mapped_os_errors
from lifelong.stores.sqlite.keys import key_id
from lifelong.stores.sqlite.marker import remove_database, sync_directory
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries

_SQL = queries("catalogue")


@dataclass(frozen=True, slots=True)
class OwnerKey:
    """What a catalogue holds of an owner's file. Its text never shows a key."""

    owner_id: str
    key: bytes | None
    seal: bytes | None

    def __repr__(self) -> str:
        return "OwnerKey(…)"


def keys_of(connection: apsw.Connection) -> Mapping[str, OwnerKey]:
    """Return the keys of a catalogue by their ids; none when nothing is encrypted."""
    rows = fetch(connection, _SQL["owners"])
    return {key_id(key): OwnerKey(owner_id, key, seal) for owner_id, key, seal in rows if key}


def export_keys(catalogue: Catalogue, to: Path, *, passphrase: str | None) -> int:
    """Write a backup of the keys in the place of an older one; return of how many owners.

    Args:
        catalogue: of the store.
        to: a file outside the data directory.
        passphrase: to encrypt it with; None for the master key.

    Raises:
        InvalidValue: the store is not encrypted, the passphrase is empty, or the file would lie
            inside the data directory.
    """
    if not catalogue.marker.is_encrypted:
        raise InvalidValue("the store is not encrypted, so it has no keys")
    if passphrase is not None and not passphrase.strip():
        raise InvalidValue("the passphrase is empty")
    if to.resolve().is_relative_to(catalogue.path.resolve()):
        raise InvalidValue(f"the backup of keys {to} would lie inside the data directory")
    draft = to.with_name(f".{to.name}.{secrets.token_hex(8)}")
    with mapped_os_errors(to):
        try:
            with catalogue.read() as connection:
                key: Key = catalogue.key if passphrase is None else passphrase
                copy_database(connection, draft, key=key)
                owners = int(fetch_value(connection, _SQL["count"]))
            draft.replace(to)
        finally:
            remove_database(draft)
        sync_directory(to.parent)
    return owners


@contextmanager
def opened_keys(path: Path, key: Key) -> Iterator[apsw.Connection]:
    """Lend a connection to a backup of keys.

    Args:
        path: of the file.
        key: the passphrase, or the master key of the time when it was made.

    Raises:
        KeyBackupUnusable: it is not there, is none, or does not open with this.
    """
    if not path.is_file():
        raise KeyBackupUnusable(f"{path} is not there")
    try:
        with mapped_errors(str(path)):
            connection = open_plainly(path, key)
            fetch_value(connection, _SQL["count"])
    except StoreError as error:
        raise KeyBackupUnusable(str(path)) from error
    try:
        with mapped_errors(str(path)):
            yield connection
    finally:
        connection.close()
