"""A model made of words: an embedder that needs no file and whose answers anybody can foresee.

Each word has a vector of its own, made from a hash; the vector of a text is the sum of those of
its words. Texts that share words are near to each other, and no others are.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence

from lifelong.rows import Embedding


class WordsModel:
    """An embedder for tests.

    Args:
        name: of the model.
        dimensions: numbers in each vector, at most 64.
        has_tokens: whether it gives the vectors of the words too.

    Attributes:
        name: of the model.
        texts: what it was asked to embed, in order.
        before: called with the texts each time before they are embedded; a test may fail there,
            wait there, or change what is stored.
    """

    def __init__(
        self, name: str = "words/1", *, dimensions: int = 64, has_tokens: bool = True
    ) -> None:
        self.name = name
        self.texts: list[str] = []
        self.before: Callable[[Sequence[str]], None] = lambda _texts: None
        self._dimensions = dimensions
        self._has_tokens = has_tokens

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text."""
        self.before(texts)
        self.texts += texts
        return [self._embedding(text) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question."""
        self.before([text])
        return self._embedding(text)

    def _embedding(self, text: str) -> Embedding:
        words = [self._vector(word) for word in text.casefold().split() or [text]]
        tokens = words if self._has_tokens else ()
        return Embedding([sum(numbers) for numbers in zip(*words, strict=True)], tokens)

    def _vector(self, word: str) -> list[float]:
        digest = hashlib.blake2b(word.encode(), digest_size=self._dimensions).digest()
        numbers = [byte - 127.5 for byte in digest]
        length = math.hypot(*numbers)
        return [number / length for number in numbers]
