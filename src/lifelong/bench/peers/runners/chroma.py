"""Chroma: a persistent collection for each conversation, cosine, its own HNSW index.

It filters by metadata after the index, which is slow; a collection each is what it recommends for
tenants that are never searched together. Its local form ranks by vectors alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import chromadb
import numpy as np

VERSIONS = {"chromadb": version("chromadb")}


class Collections:
    """One client, and a collection for each conversation."""

    def __init__(self, place: Path) -> None:
        settings = chromadb.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(place), settings)
        self._collections: dict[str, Any] = {}

    def write(self, conversation: str, turns: Sequence[Any]) -> None:
        """Add the turns of a session in one call."""
        if conversation not in self._collections:
            self._collections[conversation] = self._client.create_collection(
                conversation,
                configuration={"hnsw": {"space": "cosine"}},
                embedding_function=None,
            )
        self._collections[conversation].add(
            ids=[turn.id for turn in turns],
            documents=[turn.line for turn in turns],
            embeddings=np.array([turn.vector for turn in turns], np.float32),
        )

    def finish(self) -> None:
        """Do nothing: the index grows with each write."""

    def ask(self, conversation: str, question: Any, limit: int) -> list[str]:
        """Return the turns with the nearest vectors."""
        found = self._collections[conversation].query(
            query_embeddings=[np.array(question.vector, np.float32)],
            n_results=limit,
            include=[],
        )
        return [str(each) for each in found["ids"][0]]

    def close(self) -> None:
        """Stop the client."""
        self._client.close()


def open_peer(place: Path, vectors: Mapping[str, Any]) -> Collections:
    """Return an empty store."""
    del vectors
    return Collections(place)
