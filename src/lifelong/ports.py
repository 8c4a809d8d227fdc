"""What lifelong needs from the outside: a store and a clock, each as a small contract.

`Store` holds all owners; `OwnerStore` reaches the data of one owner and has no way to another's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Protocol

from lifelong.records import CheckReport, Memory, MemoryVersion, SessionInfo
from lifelong.rows import (
    AppendCounts,
    Embedding,
    Erased,
    IndexEntry,
    LogMatches,
    MemoryFilter,
    MemoryMatches,
    MemoryWrite,
    MessageRow,
    Newer,
    Passage,
    Selection,
    SessionFields,
    SessionTurns,
    StoredMessage,
    SummaryRow,
    Written,
)


class Clock(Protocol):
    """The source of time and ids."""

    def now(self) -> datetime:
        """Return the present time, aware, in UTC."""
        ...

    def new_id(self, prefix: str) -> str:
        """Return a fresh id that begins with `prefix` and an underscore."""
        ...


class Embedder(Protocol):
    """A model that turns text into vectors, the same text into the same vectors."""

    @property
    def name(self) -> str:
        """Model, version and settings: vectors under two names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return the embedding of each text to be found, in order.

        Raises:
            EmbedderFailed: the model does not answer, or not with vectors.
        """
        ...

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the model does not answer, or not with vectors.
        """
        ...


class LogStore(Protocol):
    """The log of one owner."""

    def append(
        self, session_id: str, rows: Sequence[MessageRow], fields: SessionFields
    ) -> AppendCounts:
        """Store the rows at the end of the session, all or none; known ids are not stored again.

        Raises:
            MessageConflict: a stored message has the id and another payload.
        """
        ...

    def read(
        self, session_id: str, *, newest: int | None = None, before: int | None = None
    ) -> list[StoredMessage]:
        """Return messages of a session in order: all, or the `newest` ones before seq `before`."""
        ...

    def newer(self, session_id: str, seq: int) -> Newer:
        """Return the messages of a session after number `seq`, and the present generation."""
        ...

    def summaries(self, session_id: str) -> list[SummaryRow]:
        """Return the summaries of a session's beginning, in order."""
        ...

    def add_summary(self, session_id: str, summary: SummaryRow, generation: int) -> bool:
        """Store a summary that follows on the last one; all or nothing.

        Returns:
            False, and nothing is stored, if messages were removed since `generation`, or if what
            it sums up has been summed up already.
        """
        ...

    def turns(self) -> list[SessionTurns]:
        """Return how many turns each session has."""
        ...

    def messages(self, seqs: Sequence[int]) -> dict[int, StoredMessage]:
        """Return the messages with these numbers, those that are still there."""
        ...

    def everything(self) -> Iterator[StoredMessage]:
        """Yield every message in the order of its number."""
        ...

    def find(self, message_id: str, session_id: str | None) -> list[StoredMessage]:
        """Return each message with this id, in one session or in all."""
        ...

    def sessions(self) -> list[SessionInfo]:
        """Return the sessions that hold messages, the one last appended to first."""
        ...

    def match(self, words: Sequence[str], prefixes: Sequence[str]) -> LogMatches:
        """Return where each word stands in the log; a prefix stands for all that begin with it."""
        ...


class MemoryStore(Protocol):
    """The memories of one owner."""

    def write(self, write: MemoryWrite, supersedes: Sequence[str] = ()) -> Written:
        """Store a memory, unless a live one in its namespace has the same text.

        Raises:
            NotFound: an id in `supersedes` is not there.
        """
        ...

    def update(
        self, memory_id: str, which: MemoryFilter, change: Callable[[Memory], MemoryWrite]
    ) -> None:
        """Replace a memory's row and index, and add the new one to its history.

        Reading, deciding and writing are one transaction.

        Raises:
            NotFound: it is not there, or not live.
            MemoryConflict: another live memory in its namespace has the text.
        """
        ...

    def select(self, which: MemoryFilter | None, limit: int | None = None) -> list[Memory]:
        """Return memories in the order of recording; the newest, when there is a limit.

        Without a filter, all that are there: the hidden ones too.
        """
        ...

    def get(self, memory_id: str, which: MemoryFilter) -> Memory | None:
        """Return one memory, if the filter lets it through."""
        ...

    def history(self, memory_id: str) -> list[MemoryVersion]:
        """Return the changes of a memory, oldest first."""
        ...

    def parent_trust(self, parent_ids: Sequence[str]) -> dict[str, int]:
        """Return the trust of each of these memories and messages that is there.

        Raises:
            AmbiguousId: several sessions have a message with the id.
        """
        ...

    def match(
        self, words: Sequence[str], prefixes: Sequence[str], which: MemoryFilter
    ) -> MemoryMatches:
        """Return where each word stands in the memories that the filter lets through."""
        ...

    def derived_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return ids of memories made from these, directly or through others."""
        ...


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
