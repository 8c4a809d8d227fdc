"""mem0 without its model: each turn as it is, in its own local Qdrant, vectors and BM25.

Its search adds BM25 where fastembed is installed; the model that fastembed would download for that
is a list of stop words, so it is given here. spaCy's model cannot be had from a package index, and
mem0 then takes the words as they are.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fastembed.sparse.bm25 import Bm25
from mem0 import Memory

VERSIONS = {name: version(name) for name in ("mem0ai", "qdrant-client", "fastembed")}

_STOP_WORDS = frozenset(
    "a about an and are as at be but by did do does for from had has have he her his how i if in"
    " into is it its me my no not of on or our s she such t that the their then there these they"
    " this to us was we were what when where which who whom why will with you your".split()
)


class _Known:
    """Stands in for the model that makes vectors: they are made already."""

    def __init__(self, vectors: Mapping[str, array[float]]) -> None:
        # A question loses its outer white space before it is embedded.
        self._vectors = {text.strip(): vector for text, vector in vectors.items()}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        del memory_action
        return self._vectors[text.strip()].tolist()

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


class Memories:
    """One memory, and a user for each conversation."""

    def __init__(self, place: Path, vectors: Mapping[str, array[float]]) -> None:
        # It makes its clients of a model at once; nothing ever calls them.
        os.environ["OPENAI_API_KEY"] = "none"
        width = len(next(iter(vectors.values())))
        store = {
            "collection_name": "turns",
            "path": str(place / "qdrant"),
            "embedding_model_dims": width,
            "on_disk": True,
        }
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "history_db_path": str(place / "history.db"),
            }
        )
        self._memory.embedding_model = _Known(vectors)
        self._memory.vector_store._bm25_encoder = Bm25(  # noqa: SLF001 - see the module
            "Qdrant/bm25", specific_model_path=str(place), stopwords=set(_STOP_WORDS)
        )

    def write(self, conversation: str, turns: Sequence[Any]) -> None:
        """Add each turn in a call of its own: only so can it carry its id."""
        for turn in turns:
            self._memory.add(
                turn.line, user_id=conversation, metadata={"turn": turn.id}, infer=False
            )

    def finish(self) -> None:
        """Do nothing: every write was whole."""

    def ask(self, conversation: str, question: Any, limit: int) -> list[str]:
        """Return the turns that its search returns."""
        found = self._memory.search(question.text, top_k=limit, filters={"user_id": conversation})
        return [hit["metadata"]["turn"] for hit in found["results"]]

    def close(self) -> None:
        """Close its files."""
        self._memory.close()
        self._memory.vector_store.client.close()


def open_peer(place: Path, vectors: Mapping[str, array[float]]) -> Memories:
    """Return an empty store."""
    return Memories(place, vectors)
