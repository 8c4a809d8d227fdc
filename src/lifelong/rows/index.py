"""What the index knows: passages, postings, and the columns that ranking reads."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from lifelong.records import Memory

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
