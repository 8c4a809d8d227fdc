"""New keys: for the catalogue (the master key), and for the file of one owner.

Each change has one moment at which it counts: the master key's when the marker is replaced, an
owner's when the old file says, in one transaction, that it was replaced. Before it the old key
opens everything, after it the new one, and each is kept before it is needed.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from lifelong.errors import InvalidValue
from lifelong.stores.sqlite import keys
from lifelong.stores.sqlite.access import OpenOwner, OwnerFile
from lifelong.stores.sqlite.catalogue import Catalogue, refuse_key_inside
from lifelong.stores.sqlite.copying import copy_database
from lifelong.stores.sqlite.directory import DirectoryFiles, mapped_os_errors
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.marker import Marker, remove_database, replace_marker
from lifelong.stores.sqlite.pool import PoolClosed
from lifelong.stores.sqlite.queries import fetch_value, queries
from lifelong.stores.sqlite.store import SqliteStore
from lifelong.stores.sqlite.successors import note_successor

_SQL = queries("rotation")


def rotate_master_key(path: Path, catalogue: Catalogue, new: KeySource) -> str:
    """Encrypt the catalogue with another master key; return how that key is recognised.

    Args:
        path: the data directory.
        catalogue: of it.
        new: where the new key is, or is to be kept. One that is made is kept there before anything
            is encrypted with it; the key that was there stays beside it, under its check.

    Raises:
        InvalidValue: nothing is encrypted there, the key is the present one, or its file lies
            inside the data directory.
        MasterKeyError: a key cannot be read or kept.
        StoreBusy: another process writes to the catalogue for too long; nothing was changed.
    """
    if not catalogue.marker.is_encrypted:
        raise InvalidValue(f"{path} is not encrypted, so it has no master key")
    refuse_key_inside(path, new)
    with catalogue.write():  # nobody else adds an owner or changes the key until this is done
        old, old_key = catalogue.marker, catalogue.key
        key = _new_master_key(catalogue, new)
        check = keys.key_check(key)
        if key == old_key:
            raise InvalidValue("the new master key is the present one")
        marker = Marker(
            is_encrypted=True,
            key_kind=new.kind,
            key_check=check,
            catalogue=f"catalogue-{secrets.token_hex(8)}.db",
        )
        with mapped_os_errors(path):
            try:
                with catalogue.read() as connection:
                    copy_database(connection, path / marker.catalogue, key=key)
                replace_marker(path, marker)
            finally:
                if not catalogue.is_superseded():
                    remove_database(path / marker.catalogue)
    catalogue.use_source(new)
    keys.give_plain_name(new, key)
    with mapped_os_errors(path):
        remove_database(path / old.catalogue)
    return check


def _new_master_key(catalogue: Catalogue, new: KeySource) -> bytes:
    """Return the key that was given or lies where it was named; make and keep one otherwise."""
    if new.kind == keys.GIVEN and new.key is not None:
        return new.key
    if new != catalogue.source:
        kept = keys.find_key(new)
        if kept is not None:
            return kept
    key = keys.new_key()
    keys.keep_beside(new, key)
    return key


def rotate_owner_key(store: SqliteStore, files: DirectoryFiles, owner_id: str) -> bool:
    """Encrypt the file of an owner with a new key; return False when the owner has no file.

    Who writes to it meanwhile waits, and goes on in the new file; who reads is not held up.

    Raises:
        InvalidValue: nothing is encrypted there.
        StoreBusy: another process writes to it for too long; nothing was changed.
        StoreFull: there is no space for a copy; nothing was changed.
    """
    while True:
        opened = store.open_owner(owner_id, may_make=False)
        if not opened.is_kept:
            return False
        if opened.file.key is None:
            raise InvalidValue("the store is not encrypted, so owners have no keys")
        try:
            is_moved = _move(files, owner_id, opened)
        except PoolClosed:  # by another thread, between finding it and using it
            store.drop(owner_id, opened)
            continue
        store.let_go(owner_id, opened)
        if is_moved:
            return True


def _move(files: DirectoryFiles, owner_id: str, opened: OpenOwner) -> bool:
    """Make the successor of a file and say so in it; return False when it was retired already."""
    path = files.new_path()
    seal = opened.file.seal or keys.seal_key(opened.file.key)
    with opened.pool.write() as connection:
        if fetch_value(connection, _SQL["retired"]):
            return False
        successor, is_noted = OwnerFile(path, keys.new_key(), seal), False
        try:
            with mapped_os_errors(path), opened.pool.read() as reading:
                copy_database(reading, path, key=successor.key)
            note_successor(files, owner_id, file=opened.file, successor=successor)
            is_noted = True
        finally:
            if not is_noted:
                remove_database(path)
        connection.execute(_SQL["mark_moved"])
    return True
