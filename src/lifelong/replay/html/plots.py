"""Plots: lines over requests and the curve of a session's length, in SVG by hand.

Each is one picture with a title and a description in words, which may be reached by the keyboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from lifelong.replay.html.axes import Axis, axis, counting_axis
from lifelong.replay.html.colours import look, mark
from lifelong.replay.html.markup import Markup, joined, tag
from lifelong.replay.html.series import Line, Point
from lifelong.replay.wording import short

WIDTH, HEIGHT = 400, 260
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 26, 40
_MARKS_MAX = 5
_TURNS_MAX = 40


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of lines.

    Attributes:
        id: unique in the page.
        title: what it is, in some words.
        told: what is to be seen, in a sentence or two.
        across, up: what the axes are.
        lines: of the policies.
        limit: a figure that is marked as a limit, or None.
        turns: requests at which a turn begins.
    """

    id: str
    title: str
    told: str
    across: str
    up: str
    lines: tuple[Line, ...]
    limit: float | None = None
    turns: tuple[int, ...] = ()


def line_plot(panel: Panel) -> Markup:
    """Return a panel as a picture; one without a point says so."""
    points = [point for line in panel.lines for piece in line.pieces for point in piece]
    if not points:
        return tag("p", "Nothing was sent here.", class_="empty")
    top = max([y for _, y in points] + ([panel.limit] if panel.limit else []))
    across = counting_axis(1, int(max(x for x, _ in points)), start=LEFT, end=WIDTH - RIGHT)
    up = axis(0.0, top, start=HEIGHT - BOTTOM, end=TOP)
    return picture(
        Caption(panel.id, panel.title, panel.told),
        frame(across, up, names=(panel.across, panel.up)),
        _turns(panel.turns, across) if len(panel.turns) <= _TURNS_MAX else None,
        _limit(panel.limit, up),
        [_line(each, across, up) for each in panel.lines],
    )


@dataclass(frozen=True, slots=True)
class Caption:
    """What a picture is, for who does not see it.

    Attributes:
        id: unique in the page.
        title: what it is.
        told: what is to be seen.
    """

    id: str
    title: str
    told: str


def picture(
    caption: Caption, *drawn: Markup | Sequence[Markup] | None, height: int = HEIGHT
) -> Markup:
    """Return a picture with its words.

    Args:
        caption: the words.
        *drawn: what is in it.
        height: of the drawing, which is `WIDTH` wide.
    """
    return tag(
        "svg",
        tag("title", caption.title, id=f"{caption.id}-t"),
        tag("desc", caption.told, id=f"{caption.id}-d"),
        *drawn,
        viewBox=f"0 0 {WIDTH} {height}",
        role="img",
        aria_labelledby=f"{caption.id}-t {caption.id}-d",
        tabindex=0,
        class_="plot",
    )


def frame(
    across: Axis, up: Axis, *, names: tuple[str, str], as_text: tuple[str, str] = ("", "")
) -> Markup:
    """Return both axes with ticks, figures and names.

    Args:
        across: the axis at the foot.
        up: the one at the side.
        names: of both.
        as_text: a unit behind the figures of each.
    """
    rules, figures = [], []
    for tick in up.ticks:
        y = up.at(tick)
        rules.append(f"M{across.start:g} {y:g}H{across.end:g}")
        figures.append(text((across.start - 6, y + 3.5), short(tick) + as_text[1], anchor="end"))
    for tick in across.ticks:
        x = across.at(tick)
        rules.append(f"M{x:g} {up.start:g}v4")
        figures.append(text((x, up.start + 16), short(tick) + as_text[0], anchor="middle"))
    middle = (across.start + across.end) / 2
    return joined(
        tag("path", class_="rule", d="".join(rules)),
        tag("g", *figures, class_="figures"),
        text((middle, up.start + 32), names[0], anchor="middle", class_="axis"),
        text((4, 11), names[1], class_="axis"),
    )


def text(at: Point, words: str, *, anchor: str | None = None, class_: str | None = None) -> Markup:
    """Return words at a place in a drawing."""
    x, y = at
    return tag("text", words, x=f"{x:g}", y=f"{y:g}", text_anchor=anchor, class_=class_)


def step_curve(points: Sequence[Point], across: Axis, up: Axis) -> str:
    """Return the outline of a curve that goes level, then down, from point to point."""
    drawn = f"M{across.at(points[0][0]):g} {up.at(points[0][1]):g}"
    return drawn + "".join(f"H{across.at(x):g}V{up.at(y):g}" for x, y in points[1:])


def _line(line: Line, across: Axis, up: Axis) -> Markup:
    drawn = look(line.policy)
    pieces = [[(across.at(x), up.at(y)) for x, y in piece] for piece in line.pieces]
    outline = "".join(_outline(piece) for piece in pieces)
    placed = [point for piece in pieces for point in piece]
    stride = max(1, len(placed) // _MARKS_MAX)
    # Marks begin at another point for each policy: where lines are one, all of them show.
    first = min(line.policy * stride // 8, len(placed) - 1)
    crosses = "".join(
        f"M{across.at(x) - 3:g} {up.at(y) - 3:g}l6 6m0-6l-6 6" for x, y in line.crosses
    )
    return tag(
        "g",
        tag("path", class_="line", d=outline, stroke_dasharray=drawn.dash),
        [mark(drawn, at, is_hollow=line.is_hollow) for at in placed[first::stride]],
        tag("path", class_="cross", d=crosses) if crosses else None,
        class_=drawn.ink,
    )


def _outline(points: Sequence[Point]) -> str:
    """Return a line through points; one alone is a dot."""
    (x, y), *_ = points
    if len(points) == 1:
        return f"M{x - 1:g} {y:g}h2"
    steps = (f"{b[0]:g} {b[1]:g}" for a, b in pairwise(points) if a != b)
    return f"M{x:g} {y:g}L" + " ".join(steps) if len(set(points)) > 1 else f"M{x - 1:g} {y:g}h2"


def _turns(turns: Sequence[int], across: Axis) -> Markup | None:
    ticks = "".join(f"M{across.at(each):g} {HEIGHT - BOTTOM:g}v-7" for each in turns)
    return tag("path", class_="turns", d=ticks) if ticks else None


def _limit(limit: float | None, up: Axis) -> Markup | None:
    if limit is None:
        return None
    y = up.at(limit)
    return joined(
        tag("path", class_="limit", d=f"M{LEFT} {y:g}H{WIDTH - RIGHT}"),
        text((WIDTH - RIGHT, y - 4), "window", anchor="end", class_="note"),
    )
