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
    Beginning,
    Embedding,
    Erased,
    IndexEntry,
    LogMatches,
    MemoryFilter,
    MemoryMatches,
    MemoryWrite,
    MessageRow,
    Newer,
    NewVector,
    Passage,
    RowKind,
    Selection,
    SessionFields,
    SessionTurns,
    StoredMessage,
    SummaryRow,
    VectorCounts,
    VectorModel,
    VectorPage,
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
    """A model that turns text into vectors, the same text into the same vectors.

    It may have an attribute `languages`, codes of those that it knows ("en"); a question in another
    one is then answered by words alone.
    """

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

    def match(self, words: Sequence[str], prefixes: Sequence[Beginning]) -> LogMatches:
        """Return where each word stands in the log; and what a prefix may mean."""
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
        self, words: Sequence[str], prefixes: Sequence[Beginning], which: MemoryFilter
    ) -> MemoryMatches:
        """Return where each word stands in the memories that the filter lets through."""
        ...

    def among(self, seqs: Sequence[int], which: MemoryFilter) -> dict[int, Memory]:
        """Return the memories with these numbers that the filter lets through."""
        ...

    def note_use(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Note that recall brought these memories back."""
        ...

    def derived_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return ids of memories made from these, directly or through others."""
        ...


class VectorStore(Protocol):
    """The vectors of one owner's messages and memories: derived, and rebuilt from their texts."""

    def pending_messages(
        self, model: str, rows_max: int, before: int | None = None
    ) -> list[StoredMessage]:
        """Return messages that have no vector of the model, the newest first.

        Args:
            model: by its name.
            rows_max: so many at most.
            before: only those with a lower number.
        """
        ...

    def pending_memories(
        self, model: str, rows_max: int, before: int | None = None
    ) -> list[tuple[int, str]]:
        """Return number and text of memories that have no vector of the model, newest first."""
        ...

    def of_texts(self, model: str, hashes: Sequence[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """Return the vector and the tokens' vectors of those texts that have been embedded."""
        ...

    def put(self, model: VectorModel, rows: Sequence[NewVector]) -> int:
        """Store vectors, each if its row is still there and has none; return how many were stored.

        All or none; what was forgotten meanwhile does not come back.

        Raises:
            EmbedderFailed: vectors of this model had another length.
        """
        ...

    def since(self, model: str, number: int, rows_max: int) -> VectorPage:
        """Return vectors of the model whose number is higher than `number`, in order.

        Vectors get ascending numbers as they are stored, whatever rows they are of. No number is
        used twice, not even after the owner was forgotten and began anew.
        """
        ...

    def numbers(self, model: str) -> list[int]:
        """Return the numbers of all vectors of the model."""
        ...

    def read(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors with these numbers, those that are still there."""
        ...

    def tokens(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the tokens' vectors that belong to these vectors, where there are any."""
        ...

    def hashes(self, model: str, kind: RowKind) -> dict[int, bytes]:
        """Return, for each row that has a vector of the model, the hash of the text it is of."""
        ...

    def counts(self) -> VectorCounts:
        """Return how many rows there are, and how many have a vector, by model."""
        ...

    def remove(self, kind: RowKind, seqs: Sequence[int]) -> int:
        """Remove the vectors of these rows, so that they are made again."""
        ...

    def remove_other_models(self, model: str) -> int:
        """Remove the vectors of every other model; return how many there were."""
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
