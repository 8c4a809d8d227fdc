"""Rows of vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum


@dataclass(frozen=True, slots=True)
class Embedding:
    """What an embedder makes of one text. Any sequence of numbers will do, a numpy array too.

    Attributes:
        vector: of the whole text.
        tokens: one vector of unit length for each token, all of one length; empty for a model that
            gives none.
    """

    vector: Sequence[float]
    tokens: Sequence[Sequence[float]] = ()


class RowKind(IntEnum):
    """What a vector is of."""

    MESSAGE = 0
    MEMORY = 1


@dataclass(frozen=True, slots=True)
class VectorModel:
    """What made a vector; the lengths of what it makes never change under one name.

    Attributes:
        name: model, version and settings, as its embedder says.
        dimensions: numbers in the vector of a text.
        token_dimensions: numbers in the vector of a token; 0 when it gives none.
    """

    name: str
    dimensions: int
    token_dimensions: int


@dataclass(frozen=True, slots=True)
class NewVector:
    """A vector to be stored, as bytes (see `memory.vectors`); no bytes when there was no text.

    Attributes:
        kind, seq: the row that it is of.
        text_hash: of the text that the model was given.
        text: what a memory must still say, since a memory can change; nothing for a message.
    """

    kind: RowKind
    seq: int
    text_hash: bytes
    vector: bytes
    tokens: bytes = b""
    text: str = ""


@dataclass(frozen=True, slots=True)
class VectorPage:
    """Vectors in the order of their numbers, which are never used twice.

    Attributes:
        removals: another number when vectors were removed since.
        rows: number, kind and seq of the row that it is of, the vector as bytes. Rows that had no
            text are left out.
    """

    removals: int
    rows: Sequence[tuple[int, int, int, bytes]]


@dataclass(frozen=True, slots=True)
class VectorCounts:
    """How many messages and memories there are, and how many of both have a vector, by model."""

    messages: int
    memories: int
    by_model: Mapping[str, int]
