"""Keys and backups of a store that is not open, or does not open at all."""

from __future__ import annotations

import os
from pathlib import Path

from lifelong.clock import SystemClock
from lifelong.engine import key_source
from lifelong.errors import InvalidValue
from lifelong.ports import Clock
from lifelong.ports.keeping import OnProgress
from lifelong.rows.keeping import (
    DAMAGED,
    KEPT,
    RESTORED,
    Backup,
    KeyStatus,
    Restored,
    RestoredOwner,
)
from lifelong.stores.sqlite import backup as backups
from lifelong.stores.sqlite import key_import
from lifelong.stores.sqlite import key_status as statuses

__all__ = [
    "DAMAGED",
    "KEPT",
    "RESTORED",
    "Backup",
    "KeyStatus",
    "OnProgress",
    "Restored",
    "RestoredOwner",
    "import_keys",
    "key_status",
    "read_backup",
]

Place = str | os.PathLike[str]


def key_status(where: Place, *, key: str | bytes | None = None) -> KeyStatus:
    """Return where the master key of a store is, and whether it opens it; nothing is made.

    Args:
        where: the directory of the store.
        key: as for `lifelong.open`.

    Raises:
        InvalidValue: the key cannot be one.
    """
    return statuses.key_status(_path(where), key_source(key), clock=SystemClock())


def import_keys(
    where: Place,
    backup: Place,
    *,
    key: str | bytes | None = None,
    passphrase: str | None = None,
    clock: Clock | None = None,
) -> int:
    """Give a store that lost its catalogue or its master key its keys back; return of how many.

    Args:
        where: the directory of the store.
        backup: as `Engine.export_keys` wrote it.
        key: as for `lifelong.open`; where it says a key is made when there is none.
        passphrase: of the backup; without it, the master key opens that.
        clock: for tests.

    Raises:
        InvalidValue: the store opens, so nothing is to be mended, or it is not encrypted.
        KeyBackupUnusable: the backup does not open.
        MasterKeyError: the master key cannot be read or kept.
        StoreCorrupt: there is no store.
    """
    return key_import.import_keys(
        _path(where),
        key_source(key),
        backup=_path(backup),
        passphrase=passphrase,
        clock=clock or SystemClock(),
    )


def read_backup(backup: Place) -> Backup:
    """Return what the manifest of a backup says; no key is needed.

    Raises:
        BackupUnusable: it is damaged or none.
    """
    return backups.read_manifest(_path(backup))


def _path(place: Place) -> Path:
    """Return a place as an absolute path.

    Raises:
        InvalidValue: it names a home that is not known.
    """
    try:
        return Path(os.fspath(place)).expanduser().absolute()
    except RuntimeError as error:
        raise InvalidValue(f"{place!r} ({error})") from error
