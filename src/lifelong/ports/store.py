"""A store as a whole: of all owners, of one, and what keeps it true."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Protocol

from lifelong.ports.log import LogStore
from lifelong.ports.memories import MemoryStore
from lifelong.ports.review import ReviewStore
from lifelong.ports.vectors import VectorStore
from lifelong.records import CheckReport, Memory
from lifelong.rows import (
    Erased,
    IndexEntry,
    Passage,
    Selection,
    StoredMessage,
)


class StateStore(Protocol):
    """Named values of one owner, each JSON text."""

    def get(self, name: str) -> str | None:
        """Return the JSON text kept under `name`."""
        ...

    def set(self, name: str, value: str | None, at: datetime) -> None:
        """Keep JSON text under `name`; None removes it."""
        ...

    def names(self) -> list[str]:
        """Return the names that hold a value, sorted."""
        ...


class Upkeep(Protocol):
    """What keeps one owner's data true and small."""

    def erase(self, what: Selection, at: datetime) -> Erased:
        """Remove rows, index entries and history; leave tombstones; overwrite the bytes."""
        ...

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
    def upkeep(self) -> Upkeep:
        """Erasing, checking, rebuilding."""
        ...


class Store(Protocol):
    """The data of all owners, one scope for each."""

    def owner(self, owner_id: str) -> OwnerStore:
        """Return the store of one owner; it is made when first written to."""
        ...

    def owners(self) -> list[str]:
        """Return the ids of owners that have a store, sorted."""
        ...

    def forget_owner(self, owner_id: str) -> Erased:
        """Remove an owner's data and destroy the key."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return what `doctor` shows: place, encryption, versions."""
        ...

    def close(self) -> None:
        """Close every file. Using the store afterwards raises StoreClosed."""
        ...
