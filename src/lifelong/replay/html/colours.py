"""How a policy looks in every plot: a colour, a dash and a mark, so that no reader needs colour.

The colours themselves stand in the style sheet, once for light and once for dark.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifelong.replay.html.markup import Markup, tag

COLOURS = 8
_DASHES = (None, "7 3", "2 2.5", "9 3 2 3", "5 2 1.5 2 1.5 2", "12 3", "4 4")
_MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-3.5-3.5h7v7h-7z",
    "M0-4.6L4.4 3.4h-8.8z",
    "M0-5L5 0L0 5L-5 0z",
    "M0 4.6L-4.4-3.4h8.8z",
    "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    "M-4.5-2L0-4.5L4.5-2V2L0 4.5L-4.5 2z",
)


@dataclass(frozen=True, slots=True)
class Look:
    """How one policy is drawn.

    Attributes:
        ink: the class that sets its colour.
        dash: of its line, or None for a whole one.
        mark: the outline of its mark, around 0,0.
    """

    ink: str
    dash: str | None
    mark: str


def look(number: int) -> Look:
    """Return how the policy of this number, from 0, is drawn; 56 of them differ."""
    return Look(
        f"k{number % COLOURS}", _DASHES[number % len(_DASHES)], _MARKS[number % len(_MARKS)]
    )


def mark(drawn: Look, at: tuple[float, float], *, is_hollow: bool = False) -> Markup:
    """Return the mark of a policy at a place."""
    x, y = at
    return tag(
        "path",
        class_=f"mark {drawn.ink}{' hollow' if is_hollow else ''}",
        d=drawn.mark,
        transform=f"translate({x:g} {y:g})",
    )


def swatch(drawn: Look) -> Markup:
    """Return a small picture of a policy's line and mark, for a legend; it says nothing aloud."""
    line = tag("path", class_=f"line {drawn.ink}", d="M1 7H35", stroke_dasharray=drawn.dash)
    return tag(
        "svg",
        line,
        mark(drawn, (18, 7)),
        viewBox="0 0 36 14",
        width=36,
        height=14,
        aria_hidden="true",
        class_="swatch",
    )
