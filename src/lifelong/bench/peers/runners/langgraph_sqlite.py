"""LangGraph's `SqliteStore` with an index, which is sqlite-vec.

Where Python's own SQLite loads no extension, pysqlite3 takes its place.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

_DRIVER: Any = sqlite3
if not hasattr(sqlite3.Connection, "enable_load_extension"):
    import pysqlite3

    _DRIVER = pysqlite3

VERSIONS = {
    "langgraph-checkpoint-sqlite": version("langgraph-checkpoint-sqlite"),
    "sqlite-vec": version("sqlite-vec"),
    "SQLite": _DRIVER.sqlite_version,
}


class Namespaces:
    """One file, and a namespace for each conversation."""

    def __init__(self, place: Path, vectors: Mapping[str, array[float]]) -> None:
        def embed(texts: Sequence[str]) -> list[list[float]]:
            return [vectors[text].tolist() for text in texts]

        # As `SqliteStore.from_conn_string` connects.
        self._file = _DRIVER.connect(
            str(place / "store.db"), check_same_thread=False, isolation_level=None
        )
        width = len(next(iter(vectors.values())))
        index: Any = {"dims": width, "embed": embed, "fields": ["line"], "text_fields": ["line"]}
        self._store = SqliteStore(self._file, index=index)
        self._store.setup()

    def write(self, conversation: str, turns: Sequence[Any]) -> None:
        """Put the turns of a session in one batch."""
        self._store.batch([PutOp((conversation,), turn.id, {"line": turn.line}) for turn in turns])

    def finish(self) -> None:
        """Do nothing: every write was whole."""

    def ask(self, conversation: str, question: Any, limit: int) -> list[str]:
        """Return the turns with the nearest vectors."""
        found = self._store.search((conversation,), query=question.text, limit=limit)
        return [item.key for item in found]

    def close(self) -> None:
        """Write the log of the file into the file."""
        self._file.close()


def open_peer(place: Path, vectors: Mapping[str, array[float]]) -> Namespaces:
    """Return an empty store."""
    return Namespaces(place, vectors)
