"""A store that lives in this process's memory, and ends with its engine."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from lifelong.ports import Clock
from lifelong.rows import Finished, ReceiptRow
from lifelong.stores.sqlite.access import OwnerFile
from lifelong.stores.sqlite.raw import SqliteRawFiles
from lifelong.stores.sqlite.registry import SEED_BYTES
from lifelong.stores.sqlite.store import SqliteStore


class MemoryFiles:
    """Owners in memory, for tests of users: everything is gone when the engine is closed."""

    def __init__(self) -> None:
        self._owners: set[str] = set()
        self._receipts: list[tuple[str, ReceiptRow]] = []
        self._seed = secrets.token_bytes(SEED_BYTES)

    @property
    def seed(self) -> bytes:
        """32 random bytes of this engine's."""
        return self._seed

    def find(self, owner_id: str) -> OwnerFile | None:
        """Return the nameless file of an owner, or None."""
        return OwnerFile(None, None) if owner_id in self._owners else None

    def find_or_make(self, owner_id: str) -> OwnerFile:
        """Return the nameless file of an owner."""
        self._owners.add(owner_id)
        return OwnerFile(None, None)

    def owners(self) -> list[str]:
        """Return the ids of all owners, sorted."""
        return sorted(self._owners)

    def remove(self, owner_id: str, file: OwnerFile, receipts: Sequence[ReceiptRow]) -> bool:
        """Forget the owner; the memory goes with the connection."""
        del file
        if owner_id in self._owners:
            self._receipts += [(owner_id, replace(r, completed_at=r.note.at)) for r in receipts]
        self._owners.discard(owner_id)
        return True

    def succeed(self, owner_id: str, file: OwnerFile) -> None:
        """Do nothing: nothing in memory is ever replaced."""

    def receipts(self, owner_id: str) -> list[ReceiptRow]:
        """Return what was noted of each time that the owner was forgotten, oldest first."""
        return [receipt for owner, receipt in self._receipts if owner == owner_id]

    def finish(self, at: datetime) -> Finished:
        """Do nothing: no byte was left."""
        del at
        return Finished(0, 0)

    def raw_files(self) -> SqliteRawFiles:
        """Return that there are none."""
        return SqliteRawFiles(None, tuple)

    def describe(self) -> dict[str, str]:
        """Return that it is in memory."""
        return {"place": "memory:", "encryption": "none", "key_source": "none"}

    def close(self) -> None:
        """Do nothing: connections close with their pools."""


def open_in_memory(clock: Clock) -> SqliteStore:
    """Return a store that lives in this process's memory."""
    return SqliteStore(MemoryFiles(), clock)
