"""Keys and backups of one data directory: the verbs of `ports.keeping`, put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from lifelong.errors import InvalidValue
from lifelong.ports import Clock
from lifelong.ports.keeping import OnProgress
from lifelong.rows.keeping import Backup
from lifelong.stores.sqlite import keys
from lifelong.stores.sqlite.backup import make_backup, read_manifest
from lifelong.stores.sqlite.directory import DirectoryFiles
from lifelong.stores.sqlite.key_backup import OwnerKey, export_keys, keys_of, opened_keys
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.leftovers import remove_leftovers
from lifelong.stores.sqlite.restore import SqliteBackupReader
from lifelong.stores.sqlite.rotation import rotate_master_key, rotate_owner_key
from lifelong.stores.sqlite.store import SqliteStore

FindSource = Callable[[str | bytes | None], KeySource]


class DirectoryKeeping:
    """Keys and backups of one data directory.

    Args:
        store: of all owners.
        files: of them.
        clock: for times.
        find_source: says where a key is, by what a person passed.
    """

    def __init__(
        self,
        store: SqliteStore,
        files: DirectoryFiles,
        *,
        clock: Clock,
        find_source: FindSource,
    ) -> None:
        self._store = store
        self._files = files
        self._catalogue = files.catalogue
        self._clock = clock
        self._find_source = find_source

    def rotate_key(self, new_key: str | bytes | None) -> str:
        """Give the store another master key; return where that is, in words.

        Raises:
            InvalidValue: the store is not encrypted, or the key is the present one, or none was
                named and the present one was given and not read from anywhere.
            MasterKeyError: a key cannot be read or kept.
            StoreBusy: another process writes for too long; nothing was changed.
        """
        new = self._catalogue.source if new_key is None else self._find_source(new_key)
        if new_key is None and new.kind == keys.GIVEN:
            raise InvalidValue("the present key was given, so say what the new one is")
        rotate_master_key(self._files.path, self._catalogue, new)
        return keys.place_of(new)

    def rotate_owner_key(self, owner_id: str) -> bool:
        """Give an owner's file another key; return False when there is no file.

        Raises:
            InvalidValue: the store is not encrypted.
            StoreBusy: another process writes for too long; nothing was changed.
            StoreFull: there is no space for a copy; nothing was changed.
        """
        return rotate_owner_key(self._store, self._files, owner_id)

    def owner_keys(self) -> Mapping[str, OwnerKey]:
        """Return the keys to owners' files, for `read_backup` of another store."""
        with self._catalogue.read() as connection:
            return keys_of(connection)

    def export_keys(self, to: str, passphrase: str | None) -> int:
        """Write a backup of the keys; return of how many owners.

        Raises:
            InvalidValue: the store is not encrypted, or the place cannot be one.
        """
        return export_keys(self._catalogue, Path(to), passphrase=passphrase)

    def back_up(self, to: str, on_progress: OnProgress) -> Backup:
        """Copy every owner's file, each of one moment, while others write.

        Raises:
            InvalidValue: something is there, or it lies inside the data directory.
            StoreFull: there is no space; nothing is left of the backup.
        """
        return make_backup(
            self._store, self._files, to=Path(to), now=self._clock.now, on_progress=on_progress
        )

    def read_backup(
        self, path: str, *, keys: str | Mapping[str, OwnerKey] | None, passphrase: str | None
    ) -> SqliteBackupReader:
        """Read the manifest of a backup, and look for the keys to it.

        Raises:
            BackupUnusable: it is damaged or none.
            InvalidValue: the backup is encrypted and the store is not, or the other way round.
            KeyBackupUnusable: the keys do not open.
        """
        backup = read_manifest(Path(path))
        if backup.is_encrypted != self._files.is_encrypted:
            kind = "encrypted" if backup.is_encrypted else "not encrypted"
            raise InvalidValue(f"the backup is {kind}, and the store is otherwise")
        known: dict[str, OwnerKey] = {}
        if isinstance(keys, str):
            with opened_keys(Path(keys), passphrase or self._catalogue.key) as connection:
                known.update(keys_of(connection))
        elif keys is not None:
            known.update(keys)
        known.update(self.owner_keys())
        return SqliteBackupReader(
            backup, self._store, files=self._files, keys=known, clock=self._clock
        )

    def remove_leftovers(self, older_than: datetime) -> int:
        """Remove files that interrupted work left and nothing names; return how many."""
        return remove_leftovers(self._store, self._files, older_than=older_than)
