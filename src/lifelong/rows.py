"""Rows: the values that travel between the engine and a store.

A store keeps them, finds them and removes them; what they mean is decided elsewhere. Postings and
columns are here too, since ranking reads them without asking a store again.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from typing import Any

from lifelong.records import Memory, Namespace, Trust

WORD_BITS = 8
PASSAGE_BITS = 20
PASSAGES_MAX = 1 << PASSAGE_BITS
WORDS_MAX = (1 << WORD_BITS) - 1
SEQ_SHIFT = WORD_BITS + PASSAGE_BITS
"""A posting is one integer, `seq << 28 | passage << 8 | words`, so that scoring needs no look-up:
which row, which passage of it, and how long the passage is (in words, at most 255)."""


def pack_posting(seq: int, passage: int, words: int) -> int:
    """Return the posting of passage number `passage` of the row `seq`."""
    return seq << SEQ_SHIFT | passage << WORD_BITS | min(words, WORDS_MAX)


def passage_of(posting: int) -> int:
    """Return the number of the passage inside its row."""
    return posting >> WORD_BITS & PASSAGES_MAX - 1


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text as the index holds it (see `memory.terms.index_text`), and its length."""

    text: str
    words: int


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """What the index knows of a message: derived from it, rebuilt by `reindex`.

    Attributes:
        role: a code of `ROLE_CODES`.
        speaker: a name, or empty.
        sent_at: when it was said, or None.
        words: of the whole text.
        flags: a sum of the `FLAG_…` values.
        question: share of its sentences that are questions, 0 to 1, as `memory.features` says.
        passages: the pieces to search.
    """

    role: int
    speaker: str
    sent_at: datetime | None
    words: int
    flags: int
    question: float
    passages: tuple[Passage, ...]


ROLE_CODES: Mapping[str, int] = {"user": 0, "assistant": 1, "tool": 2, "system": 3}
OTHER_ROLE = 4
ASSISTANT_CODE = ROLE_CODES["assistant"]
TOOL_CODE = ROLE_CODES["tool"]
FLAG_TEMPORAL = 1
FLAG_FIRST_PERSON = 2


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message to be stored: the payload as it came, and what the index needs."""

    id: str
    role: str
    trust: Trust
    speaker: str | None
    sent_at: datetime | None
    recorded_at: datetime
    format: str
    payload: str
    entry: IndexEntry


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the store gives it back; the payload has not been read yet."""

    seq: int
    session_id: str
    id: str
    role: str
    speaker: str | None
    sent_at: datetime | None
    recorded_at: datetime
    format: str
    payload: str


@dataclass(frozen=True, slots=True)
class Newer:
    """The messages of a session after one of them.

    Attributes:
        generation: another number when messages were removed since, or the file is another one;
            what was read before must then be read again.
        messages: in order.
    """

    generation: int
    messages: list[StoredMessage]


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """What a part of a session was about: derived from its messages, and gone with any of them.

    Attributes:
        first_seq, last_seq: of the messages it was made from.
        text: the summary.
        carried: JSON text; what must stand word for word.
        made_by: the name of the summariser.
    """

    first_seq: int
    last_seq: int
    text: str
    carried: str
    made_by: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class SessionTurns:
    """How many messages of the user a session has, and when the last message was recorded."""

    session_id: str
    turns: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class SessionFields:
    """What is said of a session when it is appended to; None leaves a field as it is."""

    title: str | None = None
    source: str | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AppendCounts:
    """How many rows an append stored, met again, or left out because they were forgotten."""

    added: int
    duplicates: int
    forgotten: int


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories a read may see. The filter is applied before any limit.

    Attributes:
        now: the moment against which expiry is checked.
        namespace: these segments, or None for all.
        include_below: also namespaces that begin with these segments.
        kinds: these kinds, or None for all.
        metadata: each key must be there with an equal value.
        trust_min: the least trust.
        include_superseded: also what was replaced, or is no longer valid.
        as_of: what was true then, however long ago it was replaced.
        known_at: what had been recorded by then, and not yet replaced.
    """

    now: datetime
    namespace: Namespace | None = None
    include_below: bool = False
    kinds: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    trust_min: int = 0
    include_superseded: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def narrows(self) -> bool:
        """Whether it may hold back memories that are live."""
        return bool(
            self.namespace is not None or self.kinds is not None or self.metadata or self.trust_min
        )

    @property
    def looks_back(self) -> bool:
        """Whether it may let through what is replaced by now."""
        return self.include_superseded or self.as_of is not None or self.known_at is not None


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """A memory to be stored, with what decides on duplicates and what the index needs."""

    memory: Memory
    text_hash: bytes
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a `MemoryWrite`: the id that now holds the text, and whether it is new."""

    id: str
    is_new: bool
    superseded: tuple[str, ...] = ()


@dataclass(slots=True)
class LogColumns:
    """What ranking needs of every message of an owner, as columns indexed by `seq`.

    `session` is 0 where no message has that number (erased, or never used). `previous` and
    `following` are numbers of neighbours in the same session, or 0. Times are days since
    0001-01-01 (`datetime.toordinal`), 0 when unknown.
    """

    session: array[int] = field(default_factory=lambda: array("l", [0]))
    previous: array[int] = field(default_factory=lambda: array("l", [0]))
    following: array[int] = field(default_factory=lambda: array("l", [0]))
    role: array[int] = field(default_factory=lambda: array("b", [0]))
    speaker: array[int] = field(default_factory=lambda: array("l", [0]))
    day: array[int] = field(default_factory=lambda: array("l", [0]))
    words: array[int] = field(default_factory=lambda: array("l", [0]))
    flags: array[int] = field(default_factory=lambda: array("b", [0]))
    question: array[float] = field(default_factory=lambda: array("f", [0.0]))
    speakers: list[str] = field(default_factory=lambda: [""])
    session_words: dict[int, int] = field(default_factory=dict)
    passages: int = 0
    passage_words: int = 0


@dataclass(frozen=True, slots=True)
class Beginning:
    """What a query looks for by how it begins.

    Attributes:
        stems: without accents; a word of the index that begins with any of them may be meant.
        word: as it was asked; empty for a character of a script without spaces.
        language: whose endings may follow a stem (see `memory.inflection`); empty: anything may.
    """

    stems: tuple[str, ...]
    word: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class TermMatches:
    """Where one query term stands.

    Attributes:
        term: as the index has it, or a prefix.
        postings: one for each time, in ascending order. Of a very common term, only those in
            passages that a rarer term is in, once each.
        frequency: how many passages have it.
        is_whole: whether `postings` are all there are.
        weight: below 1 for what may not have been meant.
    """

    term: str
    postings: Sequence[int]
    frequency: int
    is_whole: bool = True
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Embedding:
    """What an embedder makes of one text. Any sequence of numbers will do, a numpy array too.

    Attributes:
        vector: of the whole text.
        tokens: one vector of unit length for each token, all of one length; empty for a model that
            gives none.
    """

    vector: Sequence[float]
    tokens: Sequence[Sequence[float]] = ()


class RowKind(IntEnum):
    """What a vector is of."""

    MESSAGE = 0
    MEMORY = 1


@dataclass(frozen=True, slots=True)
class VectorModel:
    """What made a vector; the lengths of what it makes never change under one name.

    Attributes:
        name: model, version and settings, as its embedder says.
        dimensions: numbers in the vector of a text.
        token_dimensions: numbers in the vector of a token; 0 when it gives none.
    """

    name: str
    dimensions: int
    token_dimensions: int


@dataclass(frozen=True, slots=True)
class NewVector:
    """A vector to be stored, as bytes (see `memory.vectors`); no bytes when there was no text.

    Attributes:
        kind, seq: the row that it is of.
        text_hash: of the text that the model was given.
        text: what a memory must still say, since a memory can change; nothing for a message.
    """

    kind: RowKind
    seq: int
    text_hash: bytes
    vector: bytes
    tokens: bytes = b""
    text: str = ""


@dataclass(frozen=True, slots=True)
class VectorPage:
    """Vectors in the order of their numbers, which are never used twice.

    Attributes:
        removals: another number when vectors were removed since.
        rows: number, kind and seq of the row that it is of, the vector as bytes. Rows that had no
            text are left out.
    """

    removals: int
    rows: Sequence[tuple[int, int, int, bytes]]


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """How many messages and memories there are, and how many of both have a vector, by model."""

    messages: int
    memories: int
    by_model: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class LogMatches:
    """The postings of all query terms, with the columns of the same moment."""

    terms: tuple[TermMatches, ...]
    columns: LogColumns


@dataclass(frozen=True, slots=True)
class MemoryMatches:
    """The postings of all query terms in memories, with the rows that the filter lets through."""

    terms: tuple[TermMatches, ...]
    memories: Mapping[int, Memory]
    passages: int
    passage_words: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten; the store removes it with all that is derived from it.

    Attributes:
        memories: ids.
        messages: numbers.
        labels: ids of sessions whose title or metadata repeats what is forgotten.
        is_taken_back: True when the messages may come again, so that no tombstone is left.
    """

    memories: tuple[str, ...] = ()
    messages: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    is_taken_back: bool = False


@dataclass(frozen=True, slots=True)
class Erased:
    """Rows removed by table, and whether old bytes are still held by a reader."""

    counts: Mapping[str, int]
    is_pending: bool
