"""Plain SQLite full text, a file for each conversation: the floor of all comparisons.

The statements are those of `lifelong.bench.plain`, which cannot be imported here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

VERSIONS = {"SQLite": sqlite3.sqlite_version}

_CREATE = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE turn (seq INTEGER PRIMARY KEY, id TEXT NOT NULL);
CREATE VIRTUAL TABLE line USING fts5 (text, tokenize = 'porter unicode61');
"""
_ADD_TURN = "INSERT INTO turn (id) VALUES (?)"
_ADD_LINE = "INSERT INTO line (rowid, text) VALUES (?, ?)"
_RANK = """
SELECT turn.id FROM line JOIN turn ON turn.seq = line.rowid
WHERE line MATCH ? ORDER BY bm25(line), line.rowid LIMIT ?
"""


class PlainText:
    """Lines in one full-text column, ranked by SQLite's own BM25."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._files: dict[str, sqlite3.Connection] = {}

    def write(self, conversation: str, turns: Sequence[Any]) -> None:
        """Keep the turns of a session in one transaction."""
        if conversation not in self._files:
            self._files[conversation] = sqlite3.connect(self._place / f"{conversation}.db")
            self._files[conversation].executescript(_CREATE)
        with self._files[conversation] as file:
            for turn in turns:
                seq = file.execute(_ADD_TURN, (turn.id,)).lastrowid
                file.execute(_ADD_LINE, (seq, turn.line))

    def finish(self) -> None:
        """Do nothing: every write was whole."""

    def ask(self, conversation: str, question: Any, limit: int) -> list[str]:
        """Return the turns that have a word of the question, best first."""
        if not question.match:
            return []
        rows = self._files[conversation].execute(_RANK, (question.match, limit))
        return [row[0] for row in rows]

    def close(self) -> None:
        """Write the log of each file into the file."""
        for file in self._files.values():
            file.close()


def open_peer(place: Path, vectors: Mapping[str, Any]) -> PlainText:
    """Return an empty store."""
    del vectors
    return PlainText(place)
