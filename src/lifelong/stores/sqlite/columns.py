"""What is held in memory of the log: its columns, and beside them its more common terms.

Columns are loaded once, extended by what is new, dropped when rows went; 100,000 messages are about
5.4 MB. Refreshing belongs to a reading transaction, so the columns are those of the same moment as
the postings. The generation of the file grows when rows are removed or renumbered; appends only add
rows with higher numbers.
"""

from __future__ import annotations

import threading

import apsw

from lifelong.rows import LogColumns
from lifelong.stores.sqlite.held_terms import HeldTerms
from lifelong.stores.sqlite.queries import fetch, fetch_value

_GENERATION = "SELECT value FROM property WHERE name = 'generation'"
_NEW_ROWS = """
SELECT seq, session_no, role, speaker, day, words, flags, question, passages, passage_words
FROM message_index WHERE seq > ? ORDER BY seq LIMIT ?
"""
_PAGE_ROWS = 2_000
"""At once; all rows of a million messages would take 300 MB until they are columns."""


class ColumnsCache:
    """Keeps the columns of one file, and what is held of its terms."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._generation = 0
        self._columns = LogColumns()
        self._newest_by_session: dict[int, int] = {}
        self._speaker_numbers: dict[str, int] = {"": 0}
        self.common = HeldTerms()

    def refresh(self, connection: apsw.Connection) -> LogColumns:
        """Return the columns as of the transaction that `connection` is in.

        A reader whose transaction is older than the columns may see more rows in them than in its
        postings; that only adds neighbours.
        """
        with self._turn:
            generation = fetch_value(connection, _GENERATION)
            if generation != self._generation:
                self._generation = generation
                self._columns = LogColumns()
                self._newest_by_session = {}
                self._speaker_numbers = {"": 0}
                self.common = HeldTerms(generation)
            while self._extend(connection):
                pass
            return self._columns

    def _extend(self, connection: apsw.Connection) -> bool:
        """Add a page of new rows; return whether there may be more."""
        c = self._columns
        newest, following, session_words = self._newest_by_session, c.following, c.session_words
        rows = fetch(connection, _NEW_ROWS, (len(c.session) - 1, _PAGE_ROWS))
        for row in rows:
            seq, session_no, role, speaker, day, words, flags, question, passages, total = row
            gap = seq - len(following)
            if gap:
                self._pad(gap)
            before = newest.get(session_no, 0)
            newest[session_no] = seq
            c.session.append(session_no)
            c.previous.append(before)
            following.append(0)
            c.role.append(role)
            c.speaker.append(self._speaker_number(speaker))
            c.day.append(day)
            c.words.append(words)
            c.flags.append(flags)
            c.question.append(question)
            session_words[session_no] = session_words.get(session_no, 0) + total
            c.passages += passages
            c.passage_words += total
            if before:  # last: another thread that ranks may follow this link at once
                following[before] = seq
        return len(rows) == _PAGE_ROWS

    def _pad(self, gap: int) -> None:
        c = self._columns
        for column in (c.session, c.previous, c.following, c.role, c.speaker):
            column.extend([0] * gap)
        for column in (c.day, c.words, c.flags):
            column.extend([0] * gap)
        c.question.extend([0.0] * gap)

    def _speaker_number(self, name: str) -> int:
        number = self._speaker_numbers.get(name)
        if number is None:
            number = self._speaker_numbers[name] = len(self._speaker_numbers)
            self._columns.speakers.append(name.casefold())
        return number
