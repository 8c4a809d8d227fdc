"""What a store that lies in files can do besides: new keys, backups, and reading them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from lifelong.ports.store import OwnerStore
from lifelong.rows.keeping import BackedUp, Backup, StillThere

OnProgress = Callable[[int, int], None]
"""Called with how much is done, and how much there is in all."""


class Draft(Protocol):
    """One owner's file, read from a backup, and not in place yet."""

    @property
    def store(self) -> OwnerStore:
        """What is in it."""
        ...

    def is_as_made(self) -> bool:
        """Return whether it has the rows that it had when the backup was made."""
        ...

    def taking_over(self, owner_id: str) -> AbstractContextManager[None]:
        """Keep the present file from being written, and take over what it says of keeping.

        Raises:
            OnLegalHold: it may not go.
        """
        ...

    def forgotten(self) -> StillThere:
        """Return what it holds and has tombstones of."""
        ...

    def put_in_place(self, owner_id: str) -> bool:
        """Make it the owner's file; return False when the owner has got one meanwhile."""
        ...


class BackupReader(Protocol):
    """A backup whose manifest was read."""

    @property
    def backup(self) -> Backup:
        """What the manifest says."""
        ...

    def owner_of(self, file: BackedUp) -> str | None:
        """Return whose file it is; None when its key is known nowhere."""
        ...

    def was_destroyed(self, file: BackedUp) -> bool:
        """Return whether the store notes that the key of this file was destroyed."""
        ...

    def is_present(self, file: BackedUp) -> bool:
        """Return whether the store has this owner's file with the very same rows."""
        ...

    def has_owner(self, owner_id: str) -> bool:
        """Return whether the store has this owner."""
        ...

    def draft(self, file: BackedUp, *, is_drill: bool) -> AbstractContextManager[Draft]:
        """Copy a file out of the backup and open it; it goes again unless it is put in place.

        Raises:
            BackupUnusable: its bytes are not those of the manifest.
            StoreCorrupt: it does not open.
        """
        ...


class Keeping(Protocol):
    """Keys and backups of one store."""

    def rotate_key(self, new_key: str | bytes | None) -> str:
        """Give the store another master key; return where that is, in words."""
        ...

    def rotate_owner_key(self, owner_id: str) -> bool:
        """Give an owner's file another key; return False when there is no file."""
        ...

    def owner_keys(self) -> Mapping[str, Any]:
        """Return the keys to owners' files, for `read_backup` of another store."""
        ...

    def export_keys(self, to: str, passphrase: str | None) -> int:
        """Write a backup of the keys; return of how many owners."""
        ...

    def back_up(self, to: str, on_progress: OnProgress) -> Backup:
        """Copy every owner's file, each of one moment, while others write."""
        ...

    def read_backup(
        self, path: str, *, keys: str | Mapping[str, Any] | None, passphrase: str | None
    ) -> BackupReader:
        """Read the manifest of a backup, and look for the keys to it."""
        ...

    def remove_leftovers(self, older_than: datetime) -> int:
        """Remove files that interrupted work left and nothing names; return how many."""
        ...
