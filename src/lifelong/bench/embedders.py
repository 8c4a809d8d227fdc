"""Embedders for measuring: one that keeps what it made, and one that has no vectors of tokens.

So each text is embedded once in a run, all tiers see the same vectors, and the time that a model
takes for a question stays out of a recall's.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifelong.ports import Embedder
from lifelong.rows import Embedding


class Kept:
    """An embedder that remembers every text it has seen."""

    def __init__(self, inner: Embedder) -> None:
        self.name = inner.name
        self.languages = getattr(inner, "languages", ())
        self._inner = inner
        self._texts: dict[str, Embedding] = {}
        self._questions: dict[str, Embedding] = {}

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text; only new ones are made."""
        new = list(dict.fromkeys(text for text in texts if text not in self._texts))
        if new:
            self._texts.update(zip(new, self._inner.embed(new), strict=True))
        return [self._texts[text] for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question."""
        if text not in self._questions:
            self._questions[text] = self._inner.embed_query(text)
        return self._questions[text]


class MeanOnly:
    """The same embedder without vectors of tokens."""

    def __init__(self, inner: Embedder) -> None:
        self.name = f"{inner.name}/mean"
        self.languages = getattr(inner, "languages", ())
        self._inner = inner

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text."""
        return [Embedding(one.vector) for one in self._inner.embed(texts)]

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question."""
        return Embedding(self._inner.embed_query(text).vector)
