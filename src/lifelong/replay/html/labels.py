"""Labels beside marks, placed so that none covers another: pure geometry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LETTER, _LINE = 6.4, 12.0
_MARK = 6.0
_REACHES = (9.0, 20.0, 32.0, 46.0)
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1))

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label at its place.

    Attributes:
        words: what it says.
        x, y: the middle of its left end, at the height of the letters' foot.
        leader: from the mark to the label when it stands apart, or None.
    """

    words: str
    x: float
    y: float
    leader: tuple[float, float] | None


def place(
    marks: Sequence[tuple[float, float]], words: Sequence[str], room: Box
) -> list[Label | None]:
    """Return a label for each of the first marks, or None where there is no free place for it.

    Args:
        marks: where they are; no label covers one.
        words: of as many of them as get a label, from the first.
        room: what the labels must be in.
    """
    taken = [(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in marks]
    placed: list[Label | None] = []
    for (x, y), said in zip(marks, words, strict=False):
        found = next(
            (
                (box, reach)
                for reach in _REACHES
                for box in _around(x, y, said, reach)
                if _is_within(box, room) and not any(_overlap(box, each) for each in taken)
            ),
            None,
        )
        if found is None:
            placed.append(None)
            continue
        (left, top, right, bottom), reach = found
        taken.append((left, top, right, bottom))
        leader = None
        if reach > _REACHES[0]:
            leader = (min(max(x, left), right), min(max(y, top), bottom))
        placed.append(Label(said, left, bottom - 2.5, leader))
    return placed


def _around(x: float, y: float, words: str, reach: float) -> list[Box]:
    wide, high = len(words) * _LETTER, _LINE
    boxes = []
    for right, down in _SIDES:
        near = reach if not (right and down) else reach * 0.7
        middle_x = x + right * (near + wide / 2)
        middle_y = y + down * (near + high / 2)
        boxes.append(
            (middle_x - wide / 2, middle_y - high / 2, middle_x + wide / 2, middle_y + high / 2)
        )
    return boxes


def _is_within(box: Box, room: Box) -> bool:
    return box[0] >= room[0] and box[1] >= room[1] and box[2] <= room[2] and box[3] <= room[3]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
