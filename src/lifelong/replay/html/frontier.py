"""Survival against cost: each way a mark, and the line of those that nothing beats."""

from __future__ import annotations

from collections.abc import Sequence

from lifelong.replay.html.axes import Axis, axis
from lifelong.replay.html.colours import look, mark
from lifelong.replay.html.labels import Label, place
from lifelong.replay.html.markup import Markup, tag
from lifelong.replay.html.plots import (
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Caption,
    frame,
    picture,
    step_curve,
    text,
)
from lifelong.replay.report import Report
from lifelong.replay.totals import WayTotals, frontier
from lifelong.replay.wording import named, share, way_name

_HEIGHT = 320
_FOOT = _HEIGHT - 40
_LABELS_MAX = 80
_TOLD_MAX = 12

Place = tuple[float, float]
"""A price and a survival in percent; or where these are in the drawing."""


def frontier_plot(report: Report, ways: Sequence[WayTotals], *, id: str, title: str) -> Markup:
    """Return the plot as a picture; without any way that has both figures it says so.

    Args:
        report: for how its policies look, and its currency.
        ways: with the survival that counts here.
        id: unique in the page.
        title: what it is.
    """
    best = frontier(ways)
    spots = [(way, at) for way in ways if (at := _figures(way)) and way.policy in report.policies]
    if not spots:
        return tag("p", "No way has both a cost and something that was needed.", class_="empty")
    # Those on the frontier first: they have the first choice of places for their labels.
    spots.sort(key=lambda spot: spot[0] not in best)
    across, up = _axes([at for _, at in spots])
    places = [(across.at(price), up.at(survival)) for _, (price, survival) in spots]
    unit = named(report.prices.currency, 12) if report.prices else "tokens"
    names = (f"{unit}, all requests", "of what was needed")
    return picture(
        Caption(id, title, _told(best)),
        frame(across, up, names=names, as_text=("", " %")),
        _staircase(best, across, up),
        _labels([way for way, _ in spots], places),
        [_mark(report, way, at) for (way, _), at in zip(spots, places, strict=True)],
        height=_HEIGHT,
    )


def _axes(figures: Sequence[Place]) -> tuple[Axis, Axis]:
    highest = max(price for price, _ in figures)
    lowest = min(survival for _, survival in figures)
    across = axis(0.0, highest, start=LEFT, end=WIDTH - RIGHT - 12, ticks=4)
    return across, axis(min(lowest, 99.0), 100.0, start=_FOOT, end=TOP)


def _labels(ways: Sequence[WayTotals], places: Sequence[Place]) -> list[Markup]:
    words = [_window(way.window_tokens) for way in ways[:_LABELS_MAX]]
    placed = place(places, words, (LEFT + 2, TOP - 10, WIDTH - 2, _FOOT - 2))
    return [_label(label, at) for label, at in zip(placed, places, strict=False) if label]


def _figures(way: WayTotals) -> Place | None:
    price, survival = way.price, way.survival
    return None if price is None or survival is None else (price, survival * 100)


def _told(best: Sequence[WayTotals]) -> str:
    if not best:
        return "No way served every request, so there is no frontier."
    ways = "; ".join(
        f"{way_name(way.policy, way.window_tokens)} {share(way.survival)}"
        for way in best[:_TOLD_MAX]
    )
    return f"On the frontier, the cheapest first: {ways}."


def _staircase(best: Sequence[WayTotals], across: Axis, up: Axis) -> Markup | None:
    points = [at for way in best if (at := _figures(way))]
    if not points:
        return None
    drawn = step_curve([*points, (across.high, points[-1][1])], across, up)
    return tag("path", class_="frontier", d=drawn)


def _mark(report: Report, way: WayTotals, at: Place) -> Markup:
    drawn = look(report.policies.index(way.policy))
    return mark(drawn, at, is_hollow=not way.is_served)


def _label(label: Label, at: Place) -> Markup:
    leader = None
    if label.leader:
        (x, y), (to_x, to_y) = at, label.leader
        leader = tag("path", class_="leader", d=f"M{x:g} {y:g}L{to_x:g} {to_y:g}")
    return tag("g", leader, text((label.x, label.y), label.words, class_="label"))


def _window(tokens: int) -> str:
    """Return a window as people say it: ``16k``."""
    return f"{tokens // 1024}k" if tokens >= 1024 and tokens % 1024 == 0 else f"{tokens:,}"
