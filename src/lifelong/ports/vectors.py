"""What a store does for vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from lifelong.rows import (
    NewVector,
    RowKind,
    StoredMessage,
    VectorCounts,
    VectorModel,
    VectorPage,
)


class VectorStore(Protocol):
    """The vectors of one owner's messages and memories: derived, and rebuilt from their texts."""

    def pending_messages(
        self, model: str, rows_max: int, before: int | None = None
    ) -> list[StoredMessage]:
        """Return messages that have no vector of the model, the newest first.

        Args:
            model: by its name.
            rows_max: so many at most.
            before: only those with a lower number.
        """
        ...

    def pending_memories(
        self, model: str, rows_max: int, before: int | None = None
    ) -> list[tuple[int, str]]:
        """Return number and text of memories that have no vector of the model, newest first."""
        ...

    def of_texts(self, model: str, hashes: Sequence[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """Return the vector and the tokens' vectors of those texts that have been embedded."""
        ...

    def put(self, model: VectorModel, rows: Sequence[NewVector]) -> int:
        """Store vectors, each if its row is still there and has none; return how many were stored.

        All or none; what was forgotten meanwhile does not come back.

        Raises:
            EmbedderFailed: vectors of this model had another length.
        """
        ...

    def since(self, model: str, number: int, rows_max: int) -> VectorPage:
        """Return vectors of the model whose number is higher than `number`, in order.

        Vectors get ascending numbers as they are stored, whatever rows they are of. No number is
        used twice, not even after the owner was forgotten and began anew.
        """
        ...

    def numbers(self, model: str) -> list[int]:
        """Return the numbers of all vectors of the model."""
        ...

    def read(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors with these numbers, those that are still there."""
        ...

    def tokens(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the tokens' vectors that belong to these vectors, where there are any."""
        ...

    def hashes(self, model: str, kind: RowKind) -> dict[int, bytes]:
        """Return, for each row that has a vector of the model, the hash of the text it is of."""
        ...

    def counts(self) -> VectorCounts:
        """Return how many rows there are, and how many have a vector, by model."""
        ...

    def remove(self, kind: RowKind, seqs: Sequence[int]) -> int:
        """Remove the vectors of these rows, so that they are made again."""
        ...

    def remove_other_models(self, model: str) -> int:
        """Remove the vectors of every other model; return how many there were."""
        ...
