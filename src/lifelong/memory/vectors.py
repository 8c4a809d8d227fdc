"""Vectors as bytes: how an embedding is packed for a store, and compared token by token.

The vector of a text is kept in 16-bit floats; in 8-bit ones, .983 of a question's 50 nearest
texts were the same, which is not enough. Of the many vectors of its tokens each number takes one
byte, with one scale a token.

numpy is imported inside the functions: `import lifelong` must not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from lifelong.errors import EmbedderFailed, MissingExtra
from lifelong.rows import Embedding

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]

TOKENS_MAX = 512
"""Of a longer text, so many tokens are kept."""

_PRODUCTS_AT_ONCE = 250_000
"""Few enough to stay in the processor's cache, and that the library of matrices does not share them
out among threads: on a busy machine these wait for each other, ten times as long as they work."""

_STEPS = 127
_SCALE_BYTES = 4
_TINY = 1e-12
_HUGE = 1e30


def require_numpy() -> None:
    """Say what to install when numpy is not there.

    Raises:
        MissingExtra: it is not.
    """
    try:
        import numpy as np  # noqa: F401 - only looked for
    except ImportError as error:
        raise MissingExtra("numpy", "numpy") from error


@dataclass(frozen=True, slots=True)
class Packed:
    """An embedding as it is kept, and the lengths of its vectors.

    Attributes:
        vector: of the text, of unit length, in 16-bit floats.
        tokens: those of the tokens, each a scale and its numbers; no bytes for a model without.
        dimensions: numbers in the vector of the text.
        token_dimensions: numbers in the vector of a token; 0 when there is none.
    """

    vector: bytes
    tokens: bytes
    dimensions: int
    token_dimensions: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question as vectors.

    Attributes:
        vector: of unit length.
        tokens: one vector a row; no rows for a model that gives none.
    """

    vector: Floats
    tokens: Floats


def read_question(embedding: Embedding) -> Question:
    """Return the vectors of a question.

    Raises:
        EmbedderFailed: they are no vectors.
    """
    return Question(_unit(embedding), _tokens(embedding))


def pack(embedding: Embedding) -> Packed:
    """Return an embedding as it is kept.

    Raises:
        EmbedderFailed: it cannot be kept.
    """
    import numpy as np

    vector, tokens = _unit(embedding), _tokens(embedding)[:TOKENS_MAX]
    packed_tokens = b""
    if tokens.size:
        scales = np.maximum(np.abs(tokens).max(axis=1), _TINY) / _STEPS
        steps = np.rint(tokens / scales[:, np.newaxis]).astype(np.int8)
        packed = np.empty(len(tokens), _token_layout(tokens.shape[1]))
        packed["scale"], packed["steps"] = scales, steps
        packed_tokens = packed.tobytes()
    return Packed(vector.astype("<f2").tobytes(), packed_tokens, len(vector), tokens.shape[1])


def _unit(embedding: Embedding) -> Floats:
    """Return the vector of a text with length 1; zeros stay zeros."""
    import numpy as np

    vector = _finite(embedding.vector, 1, "vector")
    largest = np.abs(vector).max()
    if not largest:
        return vector.astype(np.float32)
    vector = vector / largest  # first: the square of a large or a small number is none
    unit: Floats = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


def _tokens(embedding: Embedding) -> Floats:
    import numpy as np

    try:
        count = len(embedding.tokens)
    except TypeError as error:
        raise EmbedderFailed("its token vectors are no list") from error
    if not count:
        return np.empty((0, 0), np.float32)
    return _finite(embedding.tokens, 2, "token vectors").astype(np.float32)


def _finite(values: object, axes: int, what: str) -> NDArray[np.float64]:
    import numpy as np

    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise EmbedderFailed(f"its {what} are no numbers") from error
    if array.ndim != axes or not array.size or not (np.abs(array) < _HUGE).all():
        raise EmbedderFailed(f"its {what} hold something else than finite numbers")
    return array


def _token_layout(width: int) -> np.dtype[np.void]:
    """Return how the vector of a token lies in bytes."""
    import numpy as np

    return np.dtype([("scale", "<f4"), ("steps", "i1", (width,))])


def best_matches(query: Floats, packed: Sequence[bytes]) -> tuple[list[int], Floats]:
    """Return how well each text answers each token of a question.

    Args:
        query: the vectors of the question's tokens, one a row.
        packed: the token vectors of each text, as `pack` made them.

    Returns:
        The places in `packed` of the texts that have vectors of that length, and for each of them
        a row: the best cosine of each token of the question with one of the text's.
    """
    import numpy as np

    width = query.shape[1]
    line = width + _SCALE_BYTES
    there = [place for place, one in enumerate(packed) if one and len(one) % line == 0]
    if not there:
        return [], np.empty((0, len(query)), np.float32)
    counts = [len(packed[place]) // line for place in there]
    tokens = np.frombuffer(b"".join([packed[place] for place in there]), _token_layout(width))
    asked = np.ascontiguousarray(query.T)
    products = np.empty((len(tokens), len(query)), np.float32)
    at_once = max(1, _PRODUCTS_AT_ONCE // asked.size)
    for start in range(0, len(tokens), at_once):
        part = slice(start, start + at_once)
        np.matmul(tokens["steps"][part].astype(np.float32), asked, out=products[part])
    products *= tokens["scale"][:, np.newaxis]
    best = np.maximum.reduceat(products, np.cumsum([0, *counts[:-1]]), axis=0)
    return there, np.minimum(best, 1)
