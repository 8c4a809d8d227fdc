"""The matrix that makes token vectors short: how it is fitted, so that it can be fitted again.

384 numbers for each token are four times more than ranking needs. The best 96 directions are found
without labels: an uncentred singular value decomposition of many token vectors.

The matrix that `lifelong.providers.embedders` ships, `projection.f16`, was fitted on 40,000 token
vectors of chat under the MIT licence, as `ColbertSmall` makes them before they are made short (at
most 192 of one text): 14,000 each of users and assistants in the three full haystacks of
LongMemEval (Wu et al., ICLR 2025), and 6,000 each of users and assistants in the airline tasks of
tau-bench (Sierra) with GPT-4o. Each of the four groups was put in the order of the SHA-256 of its
texts, and read until it had enough.

Another matrix makes other vectors: with it, the name of the embedder has to change.
"""

from __future__ import annotations

from typing import Any

from lifelong.errors import InvalidValue, MissingExtra

WIDTH = 96
"""How many numbers of each token vector are kept."""


def fit(token_vectors: Any, width: int = WIDTH) -> Any:
    """Return the matrix that keeps most of these vectors' energy in `width` dimensions.

    Args:
        token_vectors: an array of shape (number of vectors, dimensions).
        width: how many dimensions to keep.

    Returns:
        A float16 array of shape (dimensions, width) with orthogonal columns, the strongest
        first. The largest number of each column is positive, so that the same vectors give the
        same matrix.

    Raises:
        InvalidValue: there are fewer vectors, or fewer dimensions, than `width`.
        MissingExtra: numpy is not installed.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "numpy") from error
    vectors = np.asarray(token_vectors, np.float64)
    if vectors.ndim != 2 or min(vectors.shape) < width:
        raise InvalidValue(f"token_vectors has the shape {vectors.shape}; width is {width}")
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    strongest = directions[:, ::-1][:, :width]
    largest = np.abs(strongest).argmax(axis=0)
    signs = np.sign(strongest[largest, np.arange(width)])
    return (strongest * signs).astype(np.float16)


def kept(token_vectors: Any, matrix: Any) -> float:
    """Return the share of the vectors' energy that the matrix keeps, 0 to 1.

    Raises:
        MissingExtra: numpy is not installed.
    """
    try:
        import numpy as np
    except ImportError as error:
        raise MissingExtra("numpy", "numpy") from error
    vectors = np.asarray(token_vectors, np.float32)
    short = vectors @ np.asarray(matrix, np.float32)
    return float((short**2).sum() / (vectors**2).sum())
