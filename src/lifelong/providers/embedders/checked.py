"""What an embedder gave, held to its contract before anything is stored or compared.

A model of someone else may give too few vectors, vectors of another length, or numbers that are
none. Kept, they would spoil every later search; refused here, words are searched all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifelong.errors import EmbedderFailed, MissingExtra
from lifelong.rows import Embedding

UNIT_WITHIN = 0.01
"""How far the length of a token vector may be from 1: more than half precision costs."""


def checked(embeddings: Sequence[Embedding], texts_count: int) -> list[Embedding]:
    """Return the embeddings with float32 numpy arrays, when all is as the contract says.

    Args:
        embeddings: what an embedder returned.
        texts_count: how many texts it was given.

    Returns:
        For each an `Embedding` whose `vector` has one dimension, and whose `tokens` has two, or
        is an empty tuple.

    Raises:
        EmbedderFailed: there are more or fewer of them than texts; vectors differ in length, or
            are empty; a number is not finite; a vector is all zeros, or that of a token not of
            unit length.
        MissingExtra: numpy is not installed.
    """
    if not isinstance(embeddings, Sequence):
        raise EmbedderFailed(f"a {type(embeddings).__name__} came instead of a list")
    if len(embeddings) != texts_count:
        raise EmbedderFailed(f"{len(embeddings)} embeddings came for {texts_count} texts")
    if not all(isinstance(each, Embedding) for each in embeddings):
        raise EmbedderFailed("what came is no lifelong.Embedding")
    made = [
        Embedding(vector=_numbers(each.vector, 1), tokens=_tokens(each.tokens))
        for each in embeddings
    ]
    _require_one("vectors", {len(each.vector) for each in made})
    _require_one("token vectors", {len(each.tokens[0]) for each in made if len(each.tokens)})
    return made


def _tokens(vectors: Sequence[Sequence[float]]) -> Any:
    if len(vectors) == 0:
        return ()
    tokens = _numbers(vectors, 2)
    if (abs((tokens**2).sum(axis=1) ** 0.5 - 1) > UNIT_WITHIN).any():
        raise EmbedderFailed("a token vector is not of unit length")
    return tokens


def _numbers(values: Any, dimensions: int) -> Any:
    """Return `values` as a float32 array that can be compared by its angle."""
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "numpy") from error
    try:
        found = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise EmbedderFailed("a vector is no list of numbers") from error
    if found.ndim != dimensions or found.dtype.kind not in "fiu" or found.size == 0:
        raise EmbedderFailed("a vector is empty, or no list of numbers")
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = found.astype(np.float32)
    if not np.isfinite(numbers).all():
        raise EmbedderFailed("a vector holds a number that is not finite")
    if not numbers.any(axis=-1).all():
        raise EmbedderFailed("a vector is all zeros")
    return numbers


def _require_one(what: str, lengths: set[int]) -> None:
    if len(lengths) > 1:
        raise EmbedderFailed(f"{what} differ in length: {sorted(lengths)}")
