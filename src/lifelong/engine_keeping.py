"""The verbs of an engine that are about keys and backups."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Self

from lifelong import recovering
from lifelong.errors import InvalidValue
from lifelong.ports import Clock
from lifelong.ports.keeping import Keeping, OnProgress
from lifelong.rows.keeping import Backup, Restored

LEFT_OVER_AFTER = timedelta(hours=6)
"""No process takes that long to make a file; what is older and named nowhere was broken off."""


class EngineKeeping:
    """What an `Engine` can do with keys and backups, where its store lies in files.

    Attributes:
        keeping: does it; None for a store in memory.
    """

    keeping: Keeping | None
    _clock: Clock

    def owners(self) -> list[str]:
        """Return the ids of owners that have data, sorted."""
        raise NotImplementedError

    def rotate_key(self, new_key: str | bytes | None = None) -> str:
        """Give the store another master key; the old one opens nothing there any more.

        It may be broken off at any time: the store opens with the old key or the new one, as each
        is kept before it is needed. Others who have the store open go on by themselves where the
        key comes from the same file or keyring, and get WrongKey where it was given to them.

        Args:
            new_key: as `key` of `lifelong.open`. Without it a key is made and kept in the file or
                keyring that the present one comes from.

        Returns:
            Where the new key is, in words.

        Raises:
            InvalidValue: the store is not encrypted, or the key is the present one, or none was
                named and the present one was given.
            MasterKeyError: a key cannot be read or kept.
            StoreBusy: another process writes for too long; nothing was changed.
        """
        return self._required().rotate_key(new_key)

    def rotate_owner_keys(
        self, owner_id: str | None = None, *, on_progress: OnProgress | None = None
    ) -> int:
        """Encrypt owners' files with new keys, while everybody goes on; return how many.

        Backups that were made before are readable only with a backup of the keys from before.

        Args:
            owner_id: of the only one; all without it.
            on_progress: called with how many owners are done, and how many there are.

        Raises:
            InvalidValue: the store is not encrypted.
            StoreBusy: another process writes for too long; that owner's key is as it was.
            StoreFull: there is no space for a copy; that owner's key is as it was.
        """
        keeping = self._required()
        owners = self.owners() if owner_id is None else [owner_id]
        rotated = 0
        for number, each in enumerate(owners, start=1):
            rotated += keeping.rotate_owner_key(each)
            if on_progress:
                on_progress(number, len(owners))
        return rotated

    def export_keys(self, to: str | os.PathLike[str], *, passphrase: str | None = None) -> int:
        """Write a backup of the keys in the place of an older one; return of how many owners.

        Keep it apart from backups and from this machine, and make it anew after each
        `forget(everything=True)`: an older one holds a key that was to be destroyed.

        Args:
            to: a file.
            passphrase: to encrypt it with; without it, the master key.

        Raises:
            InvalidValue: the store is not encrypted, the passphrase is empty, or the place lies
                inside the data directory.
        """
        return self._required().export_keys(os.fspath(to), passphrase)

    def backup(
        self, to: str | os.PathLike[str], *, on_progress: OnProgress | None = None
    ) -> Backup:
        """Copy every owner's file into a new folder, each of one moment, while others write.

        The folder gets its name when all of it is there. It holds no key: who is forgotten in the
        store is unreadable in it. Without encryption it holds everything for everybody to read.

        Args:
            to: a folder that is not there yet.
            on_progress: called with how many bytes are copied, and about how many there are.

        Raises:
            InvalidValue: something is there, or it lies inside the data directory.
            StoreFull: there is no space; nothing is left of the backup.
        """
        return self._required().back_up(os.fspath(to), on_progress or _silent)

    def verify_backup(
        self,
        backup: str | os.PathLike[str],
        *,
        keys: str | os.PathLike[str] | Self | None = None,
        passphrase: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Restored:
        """Read a backup as `restore` would, compare it with its manifest, and change nothing.

        Args:
            backup: the folder.
            keys: a backup of the keys, or another engine that has them; those of this store count
                in any case.
            passphrase: of the backup of the keys; without it, the master key opens that.
            on_progress: called with how many bytes are read, and how many there are.

        Raises:
            BackupUnusable: it has no whole manifest.
            KeyBackupUnusable: the backup of the keys does not open.
            InvalidValue: the backup is encrypted and the store is not, or the other way round.
        """
        reader = self._required().read_backup(
            os.fspath(backup), keys=_keys(keys), passphrase=passphrase
        )
        return recovering.drill(reader, on_progress=on_progress or _silent)

    def restore(
        self,
        backup: str | os.PathLike[str],
        *,
        keys: str | os.PathLike[str] | Self | None = None,
        passphrase: str | None = None,
        replace: bool = False,
        on_progress: OnProgress | None = None,
    ) -> Restored:
        """Put the owners of a backup into this store, each whole or not at all.

        Who was forgotten since is not put back, nor is what tombstones of the store name.

        Args:
            backup: the folder.
            keys: a backup of the keys, or another engine that has them; those of this store count
                in any case.
            passphrase: of the backup of the keys; without it, the master key opens that.
            replace: whether an owner that the store has is replaced by the one in the backup.
            on_progress: called with how many bytes are read, and how many there are.

        Raises:
            BackupUnusable: it has no whole manifest.
            KeyBackupUnusable: the backup of the keys does not open.
            InvalidValue: the backup is encrypted and the store is not, or the other way round.
            StoreFull: there is no space; what was put in place stays.
        """
        reader = self._required().read_backup(
            os.fspath(backup), keys=_keys(keys), passphrase=passphrase
        )
        return recovering.restore(
            reader, self._clock, may_replace=replace, on_progress=on_progress or _silent
        )

    def remove_leftovers(self, older_than: datetime | None = None) -> int:
        """Remove files that interrupted work left behind; return how many.

        Args:
            older_than: aware; without it, six hours ago.
        """
        if self.keeping is None:
            return 0
        return self.keeping.remove_leftovers(older_than or self._clock.now() - LEFT_OVER_AFTER)

    def _required(self) -> Keeping:
        return _there(self.keeping)


def _silent(_done: int, _total: int) -> None:
    """Tell nobody."""


def _keys(given: str | os.PathLike[str] | EngineKeeping | None) -> str | Mapping[str, Any] | None:
    if given is None:
        return None
    if isinstance(given, EngineKeeping):
        return _there(given.keeping).owner_keys()
    return os.fspath(given)


def _there(keeping: Keeping | None) -> Keeping:
    if keeping is None:
        raise InvalidValue("a store in memory has neither keys nor backups")
    return keeping
