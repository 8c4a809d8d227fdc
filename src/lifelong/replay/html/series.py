"""What the plots draw: of the figures of a replay, lines with few enough points to be sent by mail.

Nothing is drawn here, and no figure is made that the replay did not measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from lifelong.replay.figures import FAILED, INVALID, NOT_FIT, SENT, Asked, CaseFigures, WayFigures
from lifelong.replay.report import Report

POINTS_MAX = 160
"""Of one line, at most: as many as a reader can see."""

POLICIES_MAX = 16
"""Lines of one plot, at most: more are a thicket."""

LEFT_SHARE = 0.1
"""A mean goes on while so many of the cases do."""

SERVED_SHARE = 0.9
"""A mean is shown where so many of the requests were made: the others would have been the large
ones."""

Point = tuple[float, float]
Values = Sequence[float | None]
Measure = Callable[[WayFigures], Values]


@dataclass(frozen=True, slots=True)
class Line:
    """One policy in one plot.

    Attributes:
        policy: its number in the report, from 0.
        pieces: points in order; between two pieces there is nothing to show.
        crosses: where a provider would have refused the request.
        is_hollow: whether some requests were not served, so that a sum is not that of the work.
    """

    policy: int
    pieces: tuple[tuple[Point, ...], ...]
    crosses: tuple[Point, ...] = ()
    is_hollow: bool = False


def longest(report: Report) -> CaseFigures | None:
    """Return the case with the most requests, the first of several; None without any request."""
    return max((c for c in report.cases if requests_of(c)), key=requests_of, default=None)


def requests_of(case: CaseFigures) -> int:
    """Return how many requests a case has."""
    return max((len(way.asked) for way in case.ways), default=0)


def way_at(case: CaseFigures, policy: str, window_tokens: int) -> WayFigures | None:
    """Return what a policy did at a window, if it is there."""
    same = (w for w in case.ways if (w.policy, w.window_tokens) == (policy, window_tokens))
    return next(same, None)


def case_lines(
    report: Report, case: CaseFigures, *, window_tokens: int, measure: Measure
) -> tuple[Line, ...]:
    """Return a line for each policy: what is measured at each request of a case."""
    lines = []
    for number, policy in enumerate(report.policies[:POLICIES_MAX]):
        way = way_at(case, policy, window_tokens)
        if way is not None and way.asked:
            values = measure(way)
            crosses = [
                (float(place), value)
                for place, (asked, value) in enumerate(zip(way.asked, values, strict=True), 1)
                if asked.outcome == INVALID and value is not None
            ]
            is_hollow = any(asked.outcome != SENT for asked in way.asked)
            lines.append(Line(number, _pieces(values), tuple(_every(crosses, 24)), is_hollow))
    return tuple(lines)


def mean_lines(report: Report, window_tokens: int, measure: Measure) -> tuple[Line, ...]:
    """Return a line for each policy: the mean at the n-th request, while enough cases have one."""
    return _lines_over(report, window_tokens, measure, _mean)


def sum_lines(report: Report, window_tokens: int, measure: Measure) -> tuple[Line, ...]:
    """Return a line for each policy: the sum over all cases, up to the n-th request of each."""

    def summed(columns: list[list[float | None]], _cases: int) -> Values:
        return list(accumulate(sum(v for v in column if v is not None) for column in columns))

    return _lines_over(report, window_tokens, measure, summed)


def tokens_of(way: WayFigures) -> Values:
    """Return the tokens of each request, None for one that was not made."""
    return [None if is_unmade(asked) else float(asked.tokens) for asked in way.asked]


def is_unmade(asked: Asked) -> bool:
    """Tell whether nothing could be sent: it did not fit, or the policy raised."""
    return asked.outcome in (NOT_FIT, FAILED)


def turn_starts(case: CaseFigures) -> tuple[int, ...]:
    """Return at which requests, from 1, another turn of the user begins."""
    asked = case.ways[0].asked if case.ways else ()
    turns = [each.turn for each in asked]
    return tuple(n for n, (a, b) in enumerate(pairwise(turns), 2) if a != b)


def running(values: Values) -> list[float]:
    """Return the running sum; what there is not adds nothing."""
    return list(accumulate(value or 0.0 for value in values))


def _lines_over(
    report: Report,
    window_tokens: int,
    measure: Measure,
    fold: Callable[[list[list[float | None]], int], Values],
) -> tuple[Line, ...]:
    lines = []
    for number, policy in enumerate(report.policies[:POLICIES_MAX]):
        found = (way_at(case, policy, window_tokens) for case in report.cases)
        ways = [way for way in found if way is not None and way.asked]
        if ways:
            columns = _columns([measure(way) for way in ways])
            is_hollow = any(asked.outcome != SENT for way in ways for asked in way.asked)
            lines.append(Line(number, _pieces(fold(columns, len(ways))), is_hollow=is_hollow))
    return tuple(lines)


def _columns(rows: Sequence[Values]) -> list[list[float | None]]:
    """Return what the rows have at each place, without those that ended before."""
    longest_row = max(map(len, rows))
    return [[row[place] for row in rows if place < len(row)] for place in range(longest_row)]


def _mean(columns: list[list[float | None]], cases: int) -> Values:
    means: list[float | None] = []
    for column in columns:
        if len(column) < LEFT_SHARE * cases:
            break
        made = [value for value in column if value is not None]
        is_told = bool(made) and len(made) >= SERVED_SHARE * len(column)
        means.append(sum(made) / len(made) if is_told else None)
    return means


def _pieces(values: Values) -> tuple[tuple[Point, ...], ...]:
    """Return the stretches without a gap, thinned to about `POINTS_MAX` points in all."""
    numbered = list(enumerate(values, 1))
    stride = max(1, -(-2 * len(numbered) // POINTS_MAX))
    pieces = []
    for is_there, group in groupby(numbered, key=lambda each: each[1] is not None):
        if is_there:
            points = [(float(place), value) for place, value in group if value is not None]
            pieces.append(tuple(_thinned(points, stride)))
    return tuple(pieces)


def _thinned(points: list[Point], stride: int) -> Iterable[Point]:
    """Yield the least and the greatest of each `stride` points in a row, and both ends."""
    if stride <= 2 or len(points) <= 2:
        yield from points
        return
    yield points[0]
    for start in range(1, len(points) - 1, stride):
        few = points[start : min(start + stride, len(points) - 1)]
        ends = {min(few, key=lambda p: p[1]), max(few, key=lambda p: p[1])}
        yield from sorted(ends)
    yield points[-1]


def _every(points: Sequence[Point], most: int) -> Sequence[Point]:
    return points[:: -(-len(points) // most)] if points else points


def last_figures(lines: Sequence[Line]) -> Mapping[int, float]:
    """Return the last figure of each policy that has one, by the policy's number."""
    return {line.policy: line.pieces[-1][-1][1] for line in lines if line.pieces}
