"""A store as a whole: of all owners, of one, and what keeps it true."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from lifelong.ports.chain import ChainStore
from lifelong.ports.files import FileStore
from lifelong.ports.forgetting import ForgettingStore
from lifelong.ports.log import LogStore
from lifelong.ports.memories import MemoryStore
from lifelong.ports.raw import RawFiles
from lifelong.ports.review import ReviewStore
from lifelong.ports.vectors import VectorStore
from lifelong.records import CheckReport, Memory
from lifelong.rows import (
    Finished,
    IndexEntry,
    Note,
    Passage,
    ReceiptRow,
    StoredMessage,
)


class StateStore(Protocol):
    """Named values of one owner, each JSON text."""

    def get(self, name: str) -> str | None:
        """Return the JSON text kept under `name`."""
        ...

    def set(self, name: str, value: str | None, at: datetime) -> None:
        """Keep JSON text under `name`; None removes it.

        Raises:
            NotKept: retention lets nothing be saved.
        """
        ...

    def was_forgotten(self, name: str) -> bool:
        """Return whether what was kept under `name` was forgotten, and nothing set since."""
        ...

    def names(self) -> list[str]:
        """Return the names that hold a value, sorted."""
        ...


class Upkeep(Protocol):
    """What keeps one owner's data true and small."""

    def counts(self) -> dict[str, int]:
        """Return the number of rows by table, and ``bytes`` on disk."""
        ...

    def check(self) -> CheckReport:
        """Compare canonical rows with what is derived from them."""
        ...

    def rebuild_index(
        self,
        messages: Callable[[StoredMessage], IndexEntry],
        memories: Callable[[Memory], tuple[Passage, ...]],
        on_progress: Callable[[int], None],
    ) -> int:
        """Make every derived row again, in one transaction; return how many rows were read."""
        ...


class OwnerStore(Protocol):
    """The data of one owner, and no way to another's."""

    @property
    def log(self) -> LogStore:
        """The log."""
        ...

    @property
    def memories(self) -> MemoryStore:
        """The memories."""
        ...

    @property
    def review(self) -> ReviewStore:
        """The memories that wait for a person."""
        ...

    @property
    def vectors(self) -> VectorStore:
        """The vectors."""
        ...

    @property
    def states(self) -> StateStore:
        """The named values."""
        ...

    @property
    def files(self) -> FileStore:
        """The files of file memory."""
        ...

    @property
    def forgetting(self) -> ForgettingStore:
        """Erasing, receipts, holds, retention."""
        ...

    @property
    def chain(self) -> ChainStore:
        """What shows that nobody changed rows behind the engine."""
        ...

    @property
    def upkeep(self) -> Upkeep:
        """Counting, checking, rebuilding."""
        ...


class Store(Protocol):
    """The data of all owners, one scope for each."""

    def owner(self, owner_id: str) -> OwnerStore:
        """Return the store of one owner; it is made when first written to."""
        ...

    def owners(self) -> list[str]:
        """Return the ids of owners that have a store, sorted."""
        ...

    def forget_owner(self, owner_id: str, note: Note) -> ReceiptRow:
        """Remove an owner's data and destroy the key.

        Raises:
            OnLegalHold: something of it may not go.
        """
        ...

    def owner_receipts(self, owner_id: str) -> list[ReceiptRow]:
        """Return what was noted of each time that an owner was forgotten whole, oldest first."""
        ...

    def finish(self, at: datetime) -> Finished:
        """Overwrite what is left of forgotten owners' keys, as far as readers let it."""
        ...

    def signing_seed(self) -> bytes:
        """Return 32 random bytes that are this store's for as long as it exists."""
        ...

    def raw_files(self) -> RawFiles:
        """Return the files of the store as bytes, for a scan of them."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return what `doctor` shows: place, encryption, versions."""
        ...

    def close(self) -> None:
        """Close every file. Using the store afterwards raises StoreClosed."""
        ...
