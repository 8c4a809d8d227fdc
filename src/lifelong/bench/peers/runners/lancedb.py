"""LanceDB: a table for each conversation, hybrid search with its own full text and its RRF.

A vector index is for more rows than a conversation has: cosines are exact here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.rerankers import RRFReranker

VERSIONS = {"lancedb": version("lancedb")}


class Tables:
    """One database, and a table for each conversation."""

    def __init__(self, place: Path) -> None:
        self._database = lancedb.connect(str(place))
        self._tables: dict[str, Any] = {}
        self._reranker = RRFReranker()

    def write(self, conversation: str, turns: Sequence[Any]) -> None:
        """Add the turns of a session in one call."""
        flat = np.concatenate([np.frombuffer(turn.vector, np.float32) for turn in turns])
        width = len(turns[0].vector)
        rows = pa.table(
            {
                "id": [turn.id for turn in turns],
                "line": [turn.line for turn in turns],
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(flat), width),
            }
        )
        if conversation in self._tables:
            self._tables[conversation].add(rows)
        else:
            self._tables[conversation] = self._database.create_table(conversation, rows)

    def finish(self) -> None:
        """Index the words and merge what the single writes left."""
        for table in self._tables.values():
            table.create_fts_index("line")
            table.optimize()

    def ask(self, conversation: str, question: Any, limit: int) -> list[str]:
        """Return the turns with the best sum of reciprocal ranks."""
        found = (
            self._tables[conversation]
            .search(query_type="hybrid")
            .vector(np.frombuffer(question.vector, np.float32))
            .text(question.text)
            .distance_type("cosine")
            .rerank(self._reranker)
            .limit(limit)
            .select(["id"])
            .to_arrow()
        )
        ids: list[str] = found["id"].to_pylist()
        return ids

    def close(self) -> None:
        """Do nothing: every write was whole."""


def open_peer(place: Path, vectors: Mapping[str, Any]) -> Tables:
    """Return an empty store."""
    del vectors
    return Tables(place)
