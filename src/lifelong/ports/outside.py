"""What comes from outside the store: time and ids, vectors."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from lifelong.rows import (
    Embedding,
)


class Clock(Protocol):
    """The source of time and ids."""

    def now(self) -> datetime:
        """Return the present time, aware, in UTC."""
        ...

    def new_id(self, prefix: str) -> str:
        """Return a fresh id that begins with `prefix` and an underscore."""
        ...


class Embedder(Protocol):
    """A model that turns text into vectors, the same text into the same vectors.

    It may have an attribute `languages`, codes of those that it knows ("en"); a question in another
    one is then answered by words alone.
    """

    @property
    def name(self) -> str:
        """Model, version and settings: vectors under two names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return the embedding of each text to be found, in order.

        Raises:
            EmbedderFailed: the model does not answer, or not with vectors.
        """
        ...

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the model does not answer, or not with vectors.
        """
        ...
