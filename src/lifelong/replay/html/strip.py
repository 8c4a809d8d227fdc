"""A session's strip: what became of each message at each request, as a picture and in words.

A column is a request, a row is a message, the oldest on top. A message keeps its state for many
requests, so a rectangle is drawn for each stretch; a strip that is too fine is made coarser.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from lifelong.replay.figures import CLEARED, DROPPED, KEPT, SUMMARISED, Shown, WayFigures
from lifelong.replay.html.markup import Markup, tag

STATES = (KEPT, CLEARED, SUMMARISED, DROPPED)
"""In the order of legends; of two that are as frequent, the later is shown: what is lost counts."""

RECTANGLES_MAX = 1500
COLUMNS_MAX, ROWS_MAX = 120, 160
_WIDE, _HIGH = 4000, 1200

Grid = list[list[str]]
"""Rows of columns; an empty state where the message was not yet said."""


@dataclass(frozen=True, slots=True)
class Rectangle:
    """One state over rows and columns; the ends are not part of it."""

    state: str
    column: int
    column_end: int
    row: int
    row_end: int


def strip(way: WayFigures, id: str, title: str) -> Markup:
    """Return the strip of a way as a picture with its words.

    Args:
        way: with what was shown.
        id: unique in the page.
        title: what it is.
    """
    rows = max((sum(count for _, count in each.states) for each in way.shown), default=0)
    if not rows:
        return tag("p", "No request was made.", class_="empty")
    drawn, columns, lines = _drawn(way.shown, rows)
    paths = []
    for state in STATES:
        outline = "".join(_outline(each, columns, lines) for each in drawn if each.state == state)
        if outline:
            paths.append(tag("path", class_=state, d=outline))
    return tag(
        "svg",
        tag("title", title, id=f"{id}-t"),
        tag("desc", in_words(way), id=f"{id}-d"),
        paths,
        viewBox=f"0 0 {_WIDE} {_HIGH}",
        role="img",
        aria_labelledby=f"{id}-t {id}-d",
        tabindex=0,
        class_="strip",
    )


def at_last(way: WayFigures) -> Counter[str]:
    """Return how many messages were in each state at the last request that is told of."""
    found: Counter[str] = Counter()
    for state, count in way.shown[-1].states if way.shown else ():
        found[state] += count
    return found


def in_words(way: WayFigures) -> str:
    """Return what the strip shows, in a sentence or two."""
    if not way.shown:
        return "No request was made."
    last = at_last(way)
    firsts = []
    for state in STATES[1:]:
        first = next((s.request for s in way.shown if any(x == state for x, _ in s.states)), None)
        if first is not None:
            firsts.append(f"first {state} by request {first:,}")
    counts = ", ".join(f"{last[state]:,} {state}" for state in STATES)
    told = f"At request {way.shown[-1].request:,}, of {last.total():,} messages: {counts}."
    return f"{told} {'; '.join(firsts).capitalize()}." if firsts else told


def rectangles(grid: Grid) -> list[Rectangle]:
    """Return rectangles that cover a grid, none over another."""
    done: list[Rectangle] = []
    open_: dict[tuple[int, int, str], int] = {}
    for number, row in enumerate([*grid, []]):
        stretches = set(_stretches(row))
        for key in [key for key in open_ if key not in stretches]:
            start, end, state = key
            done.append(Rectangle(state, start, end, open_.pop(key), number))
        for key in stretches:
            open_.setdefault(key, number)
    return sorted(done, key=lambda r: (r.row, r.column))


def grid_of(shown: Sequence[Shown], rows: int, lines: int) -> Grid:
    """Return the states in `lines` lines, where each stands for as many of the messages.

    Args:
        shown: the columns.
        rows: how many messages there are at most.
        lines: not more than `rows`.
    """
    columns = [_column(each, rows, lines) for each in shown]
    return [[column[line] for column in columns] for line in range(lines)]


def _drawn(shown: Sequence[Shown], rows: int) -> tuple[list[Rectangle], int, int]:
    columns_max, lines = COLUMNS_MAX, min(rows, ROWS_MAX)
    while True:
        stride = -(-len(shown) // columns_max)
        chosen = shown[::-1][::stride][::-1]
        found = rectangles(grid_of(chosen, rows, lines))
        if len(found) <= RECTANGLES_MAX:
            return found, len(chosen), lines
        coarser = min(math.sqrt(RECTANGLES_MAX / len(found)), 0.8)
        columns_max, lines = max(1, int(len(chosen) * coarser)), max(1, int(lines * coarser))


def _column(shown: Shown, rows: int, lines: int) -> list[str]:
    if lines == rows:
        states = [state for state, count in shown.states for _ in range(count)]
        return states + [""] * (rows - len(states))
    said = [Counter[str]() for _ in range(lines)]
    start = 0
    for state, count in shown.states:
        end = start + count
        for line in range(start * lines // rows, lines):
            top, bottom = line * rows // lines, (line + 1) * rows // lines
            if top >= end:
                break
            overlap = min(end, bottom) - max(start, top)
            if overlap > 0:
                said[line][state] += overlap
        start = end
    return [_most(each) for each in said]


def _most(said: Counter[str]) -> str:
    if len(said) < 2:
        return next(iter(said), "")
    order = (*sorted(set(said) - set(STATES)), *STATES)
    return max(said, key=lambda state: (said[state], order.index(state)))


def _stretches(row: Sequence[str]) -> list[tuple[int, int, str]]:
    found, start = [], 0
    for state, group in groupby(row):
        end = start + len(list(group))
        if state:
            found.append((start, end, state))
        start = end
    return found


def _outline(rectangle: Rectangle, columns: int, lines: int) -> str:
    left, right = (_WIDE * each // columns for each in (rectangle.column, rectangle.column_end))
    top, bottom = (_HIGH * each // lines for each in (rectangle.row, rectangle.row_end))
    return f"M{left} {top}h{right - left}v{bottom - top}h{left - right}z"
