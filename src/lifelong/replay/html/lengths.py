"""How long sessions go on: the share that goes on after each turn, as a curve and in figures."""

from __future__ import annotations

from collections.abc import Sequence

from lifelong.replay.html.axes import Axis, axis
from lifelong.replay.html.markup import Markup, joined, tag
from lifelong.replay.html.plots import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Caption,
    frame,
    picture,
    step_curve,
)
from lifelong.replay.html.sections import table
from lifelong.replay.lengths import Lengths
from lifelong.replay.tables import lengths_tables
from lifelong.replay.wording import counted, share
from lifelong.working.cost import KNOWN_FROM, GoingOn

_STEPS_MAX = 300


def lengths_section(lengths: Lengths | None) -> Markup:
    """Return the curve and the tables, with what they mean."""
    if lengths is None or not lengths.points:
        return tag("p", "No session tells how long such sessions go on.", class_="empty")
    told = (
        "Which share of sessions goes on after so many turns. A session that may still go on "
        "counts only as far as it got. The line is dashed where fewer than "
        f"{KNOWN_FROM} sessions tell."
    )
    return joined(
        tag("p", told, class_="quiet"),
        tag("div", tag("div", _curve(lengths), class_="panel wide"), class_="panels"),
        [table(each) for each in lengths_tables(lengths)],
    )


def _curve(lengths: Lengths) -> Markup:
    points = lengths.points
    across = axis(0.0, float(points[-1].turns), start=LEFT, end=WIDTH - RIGHT)
    up = axis(0.0, 100.0, start=HEIGHT - BOTTOM, end=TOP)
    known = [point for point in points if point.sessions >= KNOWN_FROM]
    guessed = points[len(known) :]
    start = (0.0, 100.0)
    drawn = [tag("path", class_="curve", d=_steps(start, known, across, up))]
    if guessed:
        last = (float(known[-1].turns), known[-1].share * 100) if known else start
        d = _steps(last, guessed, across, up)
        drawn.append(tag("path", class_="curve", d=d, stroke_dasharray="4 3"))
    return picture(
        Caption("l1", "The share of sessions that goes on", _told(points)),
        frame(across, up, names=("turns", "go on"), as_text=("", " %")),
        drawn,
    )


def _steps(start: tuple[float, float], points: Sequence[GoingOn], across: Axis, up: Axis) -> str:
    few = _thinned(points)
    return step_curve([start, *((float(p.turns), p.share * 100) for p in few)], across, up)


def _thinned(points: Sequence[GoingOn]) -> Sequence[GoingOn]:
    """Return few enough of the points, the last among them."""
    stride = max(1, -(-len(points) // _STEPS_MAX))
    return points[::-1][::stride][::-1]


def _told(points: Sequence[GoingOn]) -> str:
    chosen = [point for point in points if point.turns in (1, 2, 5, 10, 20, 50, 100)]
    told = "; ".join(f"{share(p.share)} after {counted(p.turns, 'turn')}" for p in chosen)
    return f"Of the sessions go on: {told}." if told else "Nothing is known of it."
