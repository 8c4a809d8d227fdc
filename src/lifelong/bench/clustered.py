"""An embedder that runs no model: made-up vectors, clustered as those of real texts are.

The cost of searching vectors depends on how many there are and how they lie, not on what they
mean. A text belongs to the cluster of its longest word, so that a question lands near texts that
share it; where it lies in there is drawn from a hash of the text.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from lifelong.rows import Embedding

_SPREAD = 0.6
"""Length of what tells texts of one cluster apart, beside that of what they share."""

_MIDDLE = 127.5


@dataclass(frozen=True, slots=True)
class ClusteredEmbedder:
    """Makes vectors from hashes; the same text has the same vector everywhere.

    Attributes:
        dimensions: numbers in a vector.
        clusters: how many there are.
    """

    dimensions: int = 384
    clusters: int = 5_000

    @property
    def name(self) -> str:
        """Say what the vectors depend on."""
        return f"made-up/clustered-{self.clusters}x{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        """Return the embedding of each text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question: made like that of a text."""
        words = text.lower().replace("?", " ").replace(".", " ").split()
        longest = max(words, key=lambda word: (len(word), word), default="")
        cluster = int.from_bytes(hashlib.sha256(longest.encode()).digest()[:4]) % self.clusters
        centre, own = self._drawn(f"cluster {cluster}"), self._drawn(f"text {text}")
        mixed = [shared + _SPREAD * apart for shared, apart in zip(centre, own, strict=True)]
        length = sqrt(sum(number * number for number in mixed))
        return Embedding(array("f", [number / length for number in mixed]))

    def _drawn(self, seed: str) -> list[float]:
        drawn = hashlib.shake_128(seed.encode()).digest(self.dimensions)
        return [byte - _MIDDLE for byte in drawn]
