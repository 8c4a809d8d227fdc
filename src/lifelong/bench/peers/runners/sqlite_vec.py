"""sqlite-vec, a file for each conversation: exact cosines, alone or fused with full text.

They are fused by reciprocal ranks, as sqlite-vec's author shows it. Where Python's own SQLite loads
no extension, pysqlite3 takes its place.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import sqlite_vec

_DRIVER: Any = sqlite3
if not hasattr(sqlite3.Connection, "enable_load_extension"):
    import pysqlite3

    _DRIVER = pysqlite3

VERSIONS = {"sqlite-vec": version("sqlite-vec"), "SQLite": _DRIVER.sqlite_version}

_DEPTH = 20
_RANK_CONSTANT = 60
_NO_WORD = '""'
_SET_UP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
CREATE TABLE turn (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, line TEXT NOT NULL);
CREATE VIRTUAL TABLE near USING vec0 (vector float[{dimensions}] distance_metric=cosine);
"""
_SET_UP_WORDS = """
CREATE VIRTUAL TABLE words
USING fts5 (line, content = 'turn', content_rowid = 'seq', tokenize = 'porter unicode61');
"""
_ADD_TURN = "INSERT INTO turn (id, line) VALUES (?, ?)"
_ADD_VECTOR = "INSERT INTO near (rowid, vector) VALUES (?, ?)"
_ADD_WORDS = "INSERT INTO words (rowid, line) VALUES (?, ?)"
_NEAREST = """
WITH by_vector AS (
    SELECT rowid AS seq, distance FROM near WHERE vector MATCH :vector AND k = :limit
)
SELECT turn.id FROM by_vector JOIN turn USING (seq) ORDER BY distance
"""
_FUSED = """
WITH by_vector AS (
    SELECT rowid AS seq, row_number() OVER (ORDER BY distance) AS place
    FROM near WHERE vector MATCH :vector AND k = :depth
),
by_words AS (
    SELECT rowid AS seq, row_number() OVER (ORDER BY rank) AS place
    FROM words WHERE words MATCH :match ORDER BY rank LIMIT :depth
),
ranked AS (SELECT * FROM by_vector UNION ALL SELECT * FROM by_words)
SELECT turn.id FROM ranked JOIN turn USING (seq)
GROUP BY seq ORDER BY sum(1.0 / (:constant + place)) DESC, seq LIMIT :limit
"""


class Files:
    """Lines with their vectors; a full-text index beside them if `has_words`."""

    def __init__(self, place: Path, *, has_words: bool) -> None:
        self._place = place
        self._has_words = has_words
        self._files: dict[str, Any] = {}

    def write(self, conversation: str, turns: Sequence[Any]) -> None:
        """Keep the turns of a session in one transaction."""
        if conversation not in self._files:
            self._files[conversation] = self._opened(conversation, len(turns[0].vector))
        with self._files[conversation] as file:
            for turn in turns:
                seq = file.execute(_ADD_TURN, (turn.id, turn.line)).lastrowid
                file.execute(_ADD_VECTOR, (seq, turn.vector.tobytes()))
                if self._has_words:
                    file.execute(_ADD_WORDS, (seq, turn.line))

    def _opened(self, conversation: str, dimensions: int) -> Any:
        file = _DRIVER.connect(str(self._place / f"{conversation}.db"))
        file.enable_load_extension(True)
        sqlite_vec.load(file)
        file.executescript(_SET_UP.format(dimensions=dimensions))
        if self._has_words:
            file.executescript(_SET_UP_WORDS)
        return file

    def finish(self) -> None:
        """Do nothing: every write was whole."""

    def ask(self, conversation: str, question: Any, limit: int) -> list[str]:
        """Return the turns with the nearest vectors, or with the best sum of reciprocal ranks."""
        given = {
            "vector": question.vector.tobytes(),
            "match": question.match or _NO_WORD,
            "depth": _DEPTH,
            "constant": _RANK_CONSTANT,
            "limit": limit,
        }
        asked = _FUSED if self._has_words else _NEAREST
        return [row[0] for row in self._files[conversation].execute(asked, given)]

    def close(self) -> None:
        """Write the log of each file into the file."""
        for file in self._files.values():
            file.close()


def open_vectors(place: Path, vectors: Mapping[str, Any]) -> Files:
    """Return an empty store that ranks by vectors."""
    del vectors
    return Files(place, has_words=False)


def open_fused(place: Path, vectors: Mapping[str, Any]) -> Files:
    """Return an empty store that ranks by vectors and words."""
    del vectors
    return Files(place, has_words=True)
