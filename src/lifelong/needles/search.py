"""The search for many needles in bytes that come piece by piece, each byte of which is read once.

What stands across the border of two pieces is found, and so is what the border of two pages of a
database cuts in two: a text that does not fit into its page goes on in another one, anywhere in
the file. Then the larger of the two parts is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifelong.needles.forms import Needle
from lifelong.rows.raw import POINTER_BYTES, Layout

CUT_MIN = 8
"""A part of fewer bytes proves nothing."""

_PAGES_MAX = 1 << 24
"""64 GiB: a number above that is no page's."""


@dataclass(slots=True)
class Match:
    """Where a needle was found.

    Attributes:
        needle: that was found.
        is_cut: whether a part of it was, at the border of a page.
        count: how often.
        offset: of the first.
    """

    needle: Needle
    is_cut: bool
    count: int
    offset: int


class Search:
    """A search through one file, from its beginning to its end.

    Args:
        needles: what to look for.
        layout: how pages lie in the file; None when it has none.
    """

    def __init__(self, needles: Sequence[Needle], layout: Layout | None = None) -> None:
        self._needles = tuple(needles)
        self._layout = layout
        self._found: dict[tuple[int, bool], Match] = {}
        self._keys = [each.data[: _larger_part(each)] if layout else each.data for each in needles]
        self._rests = _rests(self._needles) if layout else {}
        self._next = [0] * len(self._needles)
        self._reach = max((len(each.data) for each in needles), default=0) + POINTER_BYTES
        self._done = 0
        self._kept = b""
        self._at = 0

    def feed(self, piece: bytes) -> None:
        """Search the next piece."""
        self._search(self._kept + piece, is_last=False)

    def finish(self) -> tuple[Match, ...]:
        """Search what is left, and return what was found."""
        self._search(self._kept, is_last=True)
        return tuple(self._found.values())

    def _search(self, data: bytes, *, is_last: bool) -> None:
        """Find what begins in these bytes; keep the last of them, which may not be all of it."""
        end = self._at + len(data) - (0 if is_last else self._reach - 1)
        if end > self._done:
            lowered = data.lower()
            for number, needle in enumerate(self._needles):
                self._seek(number, data if needle.is_exact else lowered, end)
            if self._layout:
                self._seek_rests(self._layout, (data, lowered), end)
            self._done = end
        drop = max(0, self._done - self._at)
        self._kept = data[drop:]
        self._at += drop

    def _seek(self, number: int, hay: bytes, end: int) -> None:
        needle, key = self._needles[number].data, self._keys[number]
        place = max(self._done, self._next[number]) - self._at
        last = end - self._at - 1 + len(key)
        while (place := hay.find(key, place, last)) >= 0:
            if len(key) == len(needle) or hay.startswith(needle, place):
                self._note(number, self._at + place)
                place += len(needle)
                self._next[number] = self._at + place
            else:
                if self._is_cut(hay, place, needle):
                    self._note(number, self._at + place, is_cut=True)
                place += 1

    def _is_cut(self, hay: bytes, place: int, needle: bytes) -> bool:
        """Tell whether the page ends where the needle breaks off, or names a page there."""
        where = self._layout and self._layout.place(self._at + place)
        if not self._layout or not where:
            return False
        length = _in_common(hay, place, needle)
        pointer = hay[place + length : place + length + POINTER_BYTES]
        return where[1] + length == self._layout.usable or (
            len(pointer) == POINTER_BYTES and 0 < int.from_bytes(pointer, "big") < _PAGES_MAX
        )

    def _seek_rests(self, layout: Layout, hays: tuple[bytes, bytes], end: int) -> None:
        """Find pages that begin with the rest of a needle."""
        for offset in range(layout.first_from(self._done), end, layout.before + layout.page):
            place = offset - self._at + POINTER_BYTES
            for is_exact, hay in zip((True, False), hays, strict=True):
                window = hay[place : place + CUT_MIN]
                for number, start in self._rests.get((window, is_exact), ()):
                    if hay.startswith(self._needles[number].data[start:], place):
                        self._note(number, offset + POINTER_BYTES, is_cut=True)

    def _note(self, number: int, offset: int, *, is_cut: bool = False) -> None:
        match = self._found.get((number, is_cut))
        if match is None:
            self._found[number, is_cut] = Match(self._needles[number], is_cut, 1, offset)
        else:
            match.count += 1


def _larger_part(needle: Needle) -> int:
    """Return how many bytes of a needle are enough where a page ends."""
    size = len(needle.data)
    return min(size, max(CUT_MIN, -(-size // 2)))


def _rests(needles: Sequence[Needle]) -> dict[tuple[bytes, bool], list[tuple[int, int]]]:
    """Return, by their first bytes, the ends of needles that are enough: which, and where from."""
    rests: dict[tuple[bytes, bool], list[tuple[int, int]]] = {}
    for number, needle in enumerate(needles):
        for start in range(1, len(needle.data) - _larger_part(needle) + 1):
            window = needle.data[start : start + CUT_MIN], needle.is_exact
            rests.setdefault(window, []).append((number, start))
    return rests


def _in_common(hay: bytes, place: int, needle: bytes) -> int:
    """Return how many bytes of the needle stand at `place`."""
    there = hay[place : place + len(needle)]
    if there == needle[: len(there)]:
        return len(there)
    return next(
        at for at, (one, other) in enumerate(zip(there, needle, strict=False)) if one != other
    )
