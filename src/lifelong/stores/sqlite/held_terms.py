"""What is held in memory of the log's terms: how common they are, and where they stand.

A question takes most of its time in the store to read the postings of its more common words, and
those come again in other questions. So they are held, up to so many bytes; what was appended since
is looked for when a term is asked for again. All of it belongs to one generation of the file (see
`columns`), so nothing outlives a forgetting.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import apsw

from lifelong.rows import SEQ_SHIFT
from lifelong.stores.sqlite.queries import fetch, fetch_value, read_numbers

HELD_BYTES_MAX = 4 * 1024 * 1024
"""What the postings that are held of one owner may take; those used longest ago go first."""

HELD_ROWS_MAX = 8_192
"""What stands in more places is not held: a few such terms would take all the room."""

COMMON_MIN = 1_000
"""A term with fewer postings is read as fast as it is counted."""

_GROWTH = 1.1
"""A count is taken again when the index has grown so many times."""

_MOMENT = """
SELECT (SELECT value FROM property WHERE name = 'generation'),
    (SELECT coalesce(max(seq), 0) FROM message_index)
"""
_ENTRY_BYTES = 200
_ALL = -1
_PASSAGES_OF = " "
"""No term begins so."""


class _Held(NamedTuple):
    """Where a term stands, as of when `newest` was the newest message."""

    newest: int
    numbers: array[int]
    frequency: int

    @property
    def size_bytes(self) -> int:
        return self.numbers.itemsize * len(self.numbers) + _ENTRY_BYTES


class Postings(NamedTuple):
    """Postings of a term, and how many passages they are of."""

    postings: list[int]
    frequency: int


class HeldTerms:
    """Counts and postings of one generation of a file; without a generation, only counts.

    To count a very common term, every posting is read: 25 ms for half a million. So a count is
    kept, and grows with the index until it is due to be taken again.
    """

    def __init__(self, generation: int | None = None, bytes_max: int = HELD_BYTES_MAX) -> None:
        self.generation = generation
        self.size_bytes = 0
        self._bytes_max = bytes_max
        self._counted: dict[str, tuple[int, int]] = {}
        self._held: OrderedDict[str, _Held] = OrderedDict()
        self._turn = threading.Lock()

    def now(self, connection: apsw.Connection, sql: Mapping[str, str], passages: int) -> TermReader:
        """Return what reads terms in the transaction that `connection` is in."""
        if self.generation is None:
            return TermReader(self, connection, sql=sql, passages=passages, newest=None)
        generation, newest = fetch(connection, _MOMENT)[0]
        # Rows went meanwhile, and the columns are newer than this transaction.
        held = self if generation == self.generation else HeldTerms()
        return TermReader(held, connection, sql=sql, passages=passages, newest=newest)

    def count(self, term: str, passages: int) -> int | None:
        """Return the count that is kept of a term; None where it is to be taken."""
        counted, of = self._counted.get(term, (0, 0))
        return counted * passages // of if of <= passages <= of * _GROWTH else None

    def keep_count(self, term: str, frequency: int, passages: int) -> None:
        """Keep the count of a term, if it is common."""
        if frequency >= COMMON_MIN:
            self._counted[term] = frequency, passages

    def get(self, term: str) -> _Held | None:
        """Return what is held of a term."""
        with self._turn:
            found = self._held.get(term)
            if found:
                self._held.move_to_end(term)
            return found

    def put(self, term: str, held: _Held) -> None:
        """Hold the postings of a term in place of older ones."""
        with self._turn:
            before = self._held.pop(term, None)
            self.size_bytes -= before.size_bytes if before else 0
            self._held[term] = held
            self.size_bytes += held.size_bytes
            while self.size_bytes > self._bytes_max:
                self.size_bytes -= self._held.popitem(last=False)[1].size_bytes


class TermReader:
    """Reads counts and postings of terms during one query, from what is held where it can.

    Args:
        held: of the same generation.
        connection: in a transaction.
        sql: the queries of the index.
        passages: how many there are.
        newest: the number of the newest message in this transaction; None to hold nothing.
    """

    def __init__(
        self,
        held: HeldTerms,
        connection: apsw.Connection,
        *,
        sql: Mapping[str, str],
        passages: int,
        newest: int | None,
    ) -> None:
        self._held = held
        self._connection = connection
        self._sql = sql
        self._passages = passages
        self._newest = newest

    def holds(self, frequency: int) -> bool:
        """Return whether the postings of a term that is so common may be held."""
        return self._newest is not None and frequency <= HELD_ROWS_MAX

    def kept_count(self, term: str) -> int | None:
        """Return how many passages have a term, if that is kept."""
        return self._held.count(term, self._passages)

    def count(self, term: str) -> int:
        """Return how many passages have a term."""
        found = int(fetch_value(self._connection, self._sql["term_frequency"], (term,)) or 0)
        self._held.keep_count(term, found, self._passages)
        return found

    def read(self, term: str, alone: str, most: int = _ALL) -> Postings:
        """Return the postings of a term, of a common one perhaps only the first `most`.

        Args:
            term: as the index has it.
            alone: a full-text query that finds what has the term and nothing else; empty when
                there is none, then nothing is held.
            most: how many need be read.
        """
        held = self._held_now(term, alone)
        if held is not None:
            return Postings(held.numbers.tolist(), held.frequency)
        found = read_numbers(self._connection, self._sql["term_postings"], (term, most))
        frequency = len(set(found))
        if most == _ALL or len(found) < most:
            self._hold(term, alone, found, frequency)
        return Postings(found, frequency)

    def passages(self, term: str, alone: str) -> Sequence[int]:
        """Return the passages that have a term, each once.

        Args:
            term: as the index has it.
            alone: as for `read`; not empty.
        """
        name = f"{_PASSAGES_OF}{term}"
        held = self._held_now(name, alone)
        if held is not None:
            return held.numbers
        found = read_numbers(self._connection, self._sql["term_among"], (alone, 0))
        self._hold(name, alone, found, len(found))
        return found

    def _hold(self, name: str, alone: str, numbers: Sequence[int], frequency: int) -> None:
        if self._newest is not None and alone and len(numbers) <= HELD_ROWS_MAX:
            self._held.put(name, _Held(self._newest, array("q", numbers), frequency))

    def _held_now(self, name: str, alone: str) -> _Held | None:
        """Return what is held under a name, if no message that came since has the term."""
        newest = self._newest
        held = None if newest is None or not alone else self._held.get(name)
        if held is None or newest is None or held.newest > newest:
            return None  # what is of a later moment than this transaction is left to others
        if held.newest < newest:
            first = held.newest + 1 << SEQ_SHIFT
            if read_numbers(self._connection, self._sql["term_among"], (alone, first)):
                return None
            self._held.put(name, held._replace(newest=newest))
        return held
