"""The vectors of one kind of row of one owner in memory: which are nearest to a question.

A vector is held as its difference from the mean of all, one byte a number with one scale; the
cosine is then at most .001 off, and of a question's 50 nearest rows .99 are the same. Thousands of
rows are compared that way one by one. Of more, all are first compared by one bit a number, the
sign of that difference, which tells roughly how near two vectors are.

With 384 numbers a vector a row takes 456 bytes, 48 of them for the bits. The bytes may be let go
of: then the vectors that the bits point to are read from the store. What rows mean, and how much
memory they may take, is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]
    Numbers: TypeAlias = NDArray[np.int64]
    Places: TypeAlias = Numbers | slice

Read = Callable[[Sequence[int]], Sequence[bytes]]
"""Gives the packed vectors with these numbers, in order; empty bytes for one that is gone."""

EXACT_ROWS_MAX = 8_192
COMPARED_ROWS_MIN = 4_096
"""So many are compared by bytes after all were compared by bits."""
READ_ROWS_MIN = 1_024
"""The same, when each has to be read from the store."""
CENTRE_ROWS = 8_192
"""The mean of so many rows is near enough to that of all."""

_STEPS = 127
_TINY = 1e-12
_BITS = 64
_SCAN_ROWS = 32_768
_PART_ROWS = 1_024
"""So many are worked on at once, so that what is between stays in the processor's cache."""
_ROWS_MIN = 256
_OUTGROWN = 4


class Matrix:
    """Vectors with the number of each, and the row that it is of.

    Args:
        dimensions: how many numbers a vector has.
    """

    def __init__(self, dimensions: int) -> None:
        import numpy as np

        self.dimensions = dimensions
        self.rows = 0
        self._numbers: Numbers = np.empty(0, np.int64)
        self._seqs: Numbers = np.empty(0, np.int64)
        self._places: NDArray[np.int32] = np.empty(0, np.int32)
        self._bits: NDArray[np.uint64] = np.empty((-(-dimensions // _BITS), 0), np.uint64)
        self._scales: Floats = np.empty(0, np.float32)
        self._steps: NDArray[np.int8] | None = np.empty((0, dimensions), np.int8)
        self._centre: Floats = np.zeros(dimensions, np.float32)
        self._centred_on = 0

    @property
    def size_bytes(self) -> int:
        """How much memory it takes."""
        arrays = (self._numbers, self._seqs, self._places, self._bits, self._scales)
        steps = 0 if self._steps is None else self._steps.nbytes
        return steps + sum(array.nbytes for array in arrays)

    @property
    def is_outgrown(self) -> bool:
        """Whether its mean is one of too few rows, so that it had better be made again."""
        few = self._centred_on < min(self.rows, CENTRE_ROWS)
        return few and self.rows > self._centred_on * _OUTGROWN

    @property
    def numbers(self) -> list[int]:
        """The number of each vector."""
        found: list[int] = self._numbers[: self.rows].tolist()
        return found

    @property
    def seqs(self) -> list[int]:
        """The row that each vector is of, in the same order."""
        found: list[int] = self._seqs[: self.rows].tolist()
        return found

    @property
    def last_number(self) -> int:
        """The highest number of a vector; 0 when there is none."""
        return int(self._numbers[: self.rows].max(initial=0))

    def let_go_of_bytes(self) -> None:
        """Keep the bits only; vectors are then read from the store."""
        self._steps = None

    def extend(self, numbers: Sequence[int], seqs: Sequence[int], packed: Sequence[bytes]) -> None:
        """Add rows; each vector is as `memory.vectors.pack` made it."""
        import numpy as np

        if not numbers:
            return
        start, end = self.rows, self.rows + len(numbers)
        vectors = _unpacked(packed, self.dimensions)
        if not self._centred_on:
            self._centre = vectors[:CENTRE_ROWS].astype(np.float32).mean(axis=0)
            self._centred_on = len(vectors[:CENTRE_ROWS])
        self._reserve(end, max(seqs))
        self._numbers[start:end] = numbers
        self._seqs[start:end] = seqs
        self._places[self._seqs[start:end]] = np.arange(start, end, dtype=np.int32)
        for at in range(0, len(vectors), _PART_ROWS):
            part = vectors[at : at + _PART_ROWS].astype(np.float32)
            self._put(slice(start + at, start + at + len(part)), part)
        self.rows = end

    def _put(self, rows: slice, vectors: Floats) -> None:
        import numpy as np

        vectors -= self._centre
        self._bits[:, rows] = self._signs(vectors)
        if self._steps is not None:
            scales = np.maximum(np.abs(vectors).max(axis=1), _TINY) / _STEPS
            vectors /= scales[:, np.newaxis]
            self._scales[rows] = scales
            self._steps[rows] = np.rint(vectors, out=vectors)

    def _signs(self, apart: Floats) -> NDArray[np.uint64]:
        """Return the signs of differences from the mean, 64 to a word, one column a vector."""
        import numpy as np

        packed = np.zeros((len(apart), 8 * len(self._bits)), np.uint8)
        bits = np.packbits(apart > 0, axis=1)
        packed[:, : bits.shape[1]] = bits
        return packed.view(np.uint64).T

    def _reserve(self, rows: int, seq: int) -> None:
        """Make room, a quarter more than there was, so that growing is cheap on the whole."""
        import numpy as np

        if seq >= len(self._places):
            grown = np.full(max(seq + 1, 2 * len(self._places)), -1, np.int32)
            grown[: len(self._places)] = self._places
            self._places = grown
        if rows > len(self._numbers):
            room = max(rows, self.rows * 5 // 4, _ROWS_MIN)
            self._numbers = _with_room(self._numbers, room)
            self._seqs = _with_room(self._seqs, room)
            self._bits = _with_room(self._bits, room, axis=1)
            if self._steps is not None:
                self._scales = _with_room(self._scales, room)
                self._steps = _with_room(self._steps, room)

    def keep(self, numbers: Sequence[int]) -> bool:
        """Drop the rows whose number is not among these; return whether there were any."""
        import numpy as np

        kept = np.isin(self._numbers[: self.rows], np.asarray(numbers, np.int64))
        if kept.all():
            return False
        self._numbers = self._numbers[: self.rows][kept]
        self._seqs = self._seqs[: self.rows][kept]
        self._bits = np.compress(kept, self._bits[:, : self.rows], axis=1)
        if self._steps is not None:
            self._scales = self._scales[: self.rows][kept]
            self._steps = self._steps[: self.rows][kept]
        self.rows = len(self._numbers)
        self._places[:] = -1
        self._places[self._seqs] = np.arange(self.rows, dtype=np.int32)
        return True

    def places(self, seqs: Collection[int]) -> Numbers:
        """Return where these rows stand; those without a vector are left out."""
        import numpy as np

        wanted = np.fromiter(seqs, np.int64, len(seqs))
        wanted = wanted[(wanted >= 0) & (wanted < len(self._places))]
        found = self._places[wanted].astype(np.int64)
        return found[found >= 0]

    def identify(self, places: Numbers) -> tuple[list[int], list[int]]:
        """Return the numbers of the vectors at these places, and the rows they are of."""
        return self._numbers[places].tolist(), self._seqs[places].tolist()

    def nearest(
        self, query: Floats, count: int, *, allowed: Collection[int] | None = None, read: Read
    ) -> tuple[list[int], list[float]]:
        """Return the nearest rows, at most so many, the nearest first, with their cosines.

        Args:
            query: of unit length.
            count: how many.
            allowed: only these rows; None for all.
            read: gives vectors that are not held in memory.
        """
        places = slice(self.rows) if allowed is None else self.places(allowed)
        rows = self.rows if isinstance(places, slice) else len(places)
        if rows > max(count, READ_ROWS_MIN if self._steps is None else EXACT_ROWS_MAX):
            places = self._roughly_nearest(query, count, places)
        cosines = self.cosines(query, places, read)
        best = _largest(cosines, count)
        return self._seqs[places][best].tolist(), cosines[best].tolist()

    def cosines(self, query: Floats, places: Places, read: Read) -> Floats:
        """Return the cosine between the query and the vector at each of these places."""
        import numpy as np

        if self._steps is None:
            blank = bytes(2 * self.dimensions)
            packed = [one or blank for one in read(self._numbers[places].tolist())]
            return _unpacked(packed, self.dimensions).astype(np.float32) @ query
        scales = self._scales[places]
        cosines = np.empty(len(scales), np.float32)
        for start in range(0, len(scales), _PART_ROWS):
            part = slice(start, min(start + _PART_ROWS, len(scales)))
            steps = self._steps[part if isinstance(places, slice) else places[part]]
            cosines[part] = steps.astype(np.float32) @ query
        cosines *= scales
        cosines += self._centre @ query
        return np.clip(cosines, -1, 1)

    def _roughly_nearest(self, query: Floats, count: int, places: Places) -> Numbers:
        """Return those places among which the nearest are, by the bits that differ."""
        import numpy as np

        code = self._signs((query - self._centre)[np.newaxis])[:, 0]
        differing = np.empty(self.rows, np.uint16)
        for start in range(0, self.rows, _SCAN_ROWS):
            part = slice(start, min(start + _SCAN_ROWS, self.rows))
            total = differing[part]
            total[:] = 0
            for row, word in zip(self._bits, code, strict=True):
                total += np.bitwise_count(row[part] ^ word)
        differing = differing[places]
        wanted = max(count, READ_ROWS_MIN if self._steps is None else COMPARED_ROWS_MIN)
        found = np.flatnonzero(differing <= _threshold(differing, wanted, self.dimensions))
        return found if isinstance(places, slice) else places[found]


def _with_room(array: NDArray[Any], room: int, axis: int = 0) -> NDArray[Any]:
    import numpy as np

    shape = [*array.shape]
    more = [(0, room - shape[axis] if at == axis else 0) for at in range(array.ndim)]
    return np.pad(array, more)


def _largest(values: Floats, count: int) -> Numbers:
    """Return where the largest values stand, at most so many, the largest first."""
    import numpy as np

    least = np.partition(values, -count)[-count] if 0 < count < len(values) else -np.inf
    found = np.flatnonzero(values >= least)
    return found[np.argsort(-values[found], kind="stable")][:count]


def _threshold(differing: NDArray[np.uint16], wanted: int, most: int) -> int:
    """Return the least number of bits that at least `wanted` rows do not exceed."""
    import numpy as np

    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        if np.count_nonzero(differing <= middle) >= wanted:
            high = middle
        else:
            low = middle + 1
    return low


def _unpacked(packed: Sequence[bytes], dimensions: int) -> NDArray[np.float16]:
    import numpy as np

    return np.frombuffer(b"".join(packed), "<f2").reshape(len(packed), dimensions)
