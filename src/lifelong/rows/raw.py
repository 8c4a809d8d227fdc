"""How the pages of a database lie in a file."""

from __future__ import annotations

from dataclasses import dataclass

POINTER_BYTES = 4
"""At the beginning of a page that continues another, the number of the one that continues it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Pages of equal size, one after another.

    Attributes:
        start: where the first begins, with what stands before it.
        before: bytes before each page that are not part of it.
        page: bytes of a page.
        usable: bytes of a page that hold content.
    """

    start: int
    before: int
    page: int
    usable: int

    def first_from(self, offset: int) -> int:
        """Return where the first page begins whose content begins at `offset` or later."""
        stride = self.before + self.page
        begin = self.start + self.before
        return begin + max(0, -(-(offset - begin) // stride)) * stride

    def place(self, offset: int) -> tuple[int, int] | None:
        """Return the number of the page that `offset` is in, from 1, and the place inside it."""
        number, inside = divmod(offset - self.start, self.before + self.page)
        if number < 0 or inside < self.before:
            return None
        return number + 1, inside - self.before
