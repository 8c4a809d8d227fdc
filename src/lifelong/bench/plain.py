"""Plain SQLite: what one would write without lifelong, to measure against.

`PlainIndex` is the floor of recall: full text as it comes with SQLite. `PlainStore` is the
baseline of speed: the same rows in the same kinds of table, committed as durably, neither
encrypted nor decided upon. This is the one module of `bench` that names the driver, so that both
sides run on one SQLite.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import apsw

from lifelong.rows import MessageRow, pack_posting

_STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with what when where who whom which why how did do does"
    " has have had i you he she we me my your his her its our from about s t".split()
)
"""Not the engine's own list, though equal to it: the floor must not move when the engine does."""

_WORD = re.compile(r"[^\W_]+")

_CREATE_INDEX = "CREATE VIRTUAL TABLE line USING fts5 (text, tokenize = 'porter unicode61')"
_ADD_LINE = "INSERT INTO line (rowid, text) VALUES (?, ?)"
_RANK = "SELECT rowid FROM line WHERE line MATCH ? ORDER BY bm25(line), rowid LIMIT ?"


class PlainIndex:
    """Texts in one full-text column, ranked by SQLite's own BM25."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._connection = apsw.Connection(":memory:")
        self._connection.execute(_CREATE_INDEX)
        with self._connection:
            self._connection.executemany(_ADD_LINE, list(enumerate(texts)))

    def rank(self, question: str, limit: int) -> list[int]:
        """Return the numbers of the texts that have a word of the question, best first."""
        match = plain_match(question)
        if not match:
            return []
        return [row[0] for row in self._connection.execute(_RANK, (match, limit))]


def plain_match(question: str) -> str:
    """Return a question as an FTS5 expression: its words without stop words, quoted, joined by OR.

    If there are only stop words, they are kept.
    """
    words = dict.fromkeys(_WORD.findall(question.lower()))
    kept = [word for word in words if word not in _STOP_WORDS]
    return " OR ".join(f'"{word}"' for word in kept or words)


_SCHEMA = """
CREATE TABLE memory (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL,
    kind TEXT NOT NULL,
    importance INTEGER NOT NULL,
    channel TEXT NOT NULL,
    trust INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    recorded_at REAL NOT NULL
);
CREATE TABLE memory_history (
    seq INTEGER PRIMARY KEY, memory_id TEXT NOT NULL, at REAL NOT NULL, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE memory_text USING fts5 (text, tokenize = 'porter unicode61');
CREATE TABLE message (
    seq INTEGER PRIMARY KEY,
    session TEXT NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    speaker TEXT,
    sent_at REAL,
    recorded_at REAL NOT NULL,
    payload TEXT NOT NULL,
    UNIQUE (session, id)
);
CREATE VIRTUAL TABLE message_text USING fts5 (text, tokenize = 'porter unicode61');
"""
_ADD_MEMORY = """
INSERT INTO memory (id, text, kind, importance, channel, trust, metadata, recorded_at)
VALUES (?, ?, 'note', 5, 'user', 2, '{}', ?) RETURNING seq
"""
_ADD_HISTORY = "INSERT INTO memory_history (memory_id, at, text) VALUES (?, ?, ?)"
_ADD_MEMORY_TEXT = "INSERT INTO memory_text (rowid, text) VALUES (?, ?)"
_ADD_MESSAGE = """
INSERT INTO message (seq, session, id, role, speaker, sent_at, recorded_at, payload)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
"""
_ADD_MESSAGE_TEXT = "INSERT INTO message_text (rowid, text) VALUES (?, ?)"


class PlainStore:
    """The same rows as lifelong keeps, in a plain file; a context manager.

    Args:
        path: of a file to be made.
        has_text: whether full-text rows (and the history of a memory) are written too.
    """

    def __init__(self, path: Path, *, has_text: bool) -> None:
        self._connection = apsw.Connection(str(path))
        self._connection.pragma("journal_mode", "wal")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(_SCHEMA)
        self._has_text = has_text
        self._messages = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._connection.close()

    def add_memory(self, memory_id: str, text: str, at: float) -> None:
        """Write one memory, durable when this returns; `at` is in seconds since 1970."""
        with self._connection as connection:
            ((seq,),) = connection.execute(_ADD_MEMORY, (memory_id, text, at)).fetchall()
            if self._has_text:
                connection.execute(_ADD_HISTORY, (memory_id, at, text))
                connection.execute(_ADD_MEMORY_TEXT, (seq, text))

    def add_messages(self, session: str, rows: Sequence[MessageRow]) -> None:
        """Write messages of one session in one transaction, durable when this returns."""
        numbered = list(enumerate(rows, self._messages + 1))
        self._messages += len(rows)
        with self._connection as connection:
            connection.executemany(
                _ADD_MESSAGE,
                [
                    (
                        seq,
                        session,
                        row.id,
                        row.role,
                        row.speaker,
                        row.sent_at.timestamp() if row.sent_at else None,
                        row.recorded_at.timestamp(),
                        row.payload,
                    )
                    for seq, row in numbered
                ],
            )
            if self._has_text:
                connection.executemany(
                    _ADD_MESSAGE_TEXT,
                    [
                        (pack_posting(seq, number, passage.words), passage.text)
                        for seq, row in numbered
                        for number, passage in enumerate(row.entry.passages)
                    ],
                )
