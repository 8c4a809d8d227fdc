"""The sections of the page with pictures: what each plot is given, and what is said beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lifelong.replay.figures import CaseFigures, WayFigures
from lifelong.replay.findings import losses_of
from lifelong.replay.html import sections
from lifelong.replay.html.frontier import frontier_plot
from lifelong.replay.html.markup import Markup, joined, tag, theirs
from lifelong.replay.html.plots import Panel, line_plot
from lifelong.replay.html.series import (
    LEFT_SHARE,
    POLICIES_MAX,
    SERVED_SHARE,
    Line,
    Values,
    case_lines,
    last_figures,
    longest,
    mean_lines,
    requests_of,
    running,
    sum_lines,
    tokens_of,
    turn_starts,
    way_at,
)
from lifelong.replay.html.strip import STATES, at_last, strip
from lifelong.replay.report import Report
from lifelong.replay.tables import LEFT, RIGHT, Table
from lifelong.replay.wording import counted, named, number, percent, short

STRIPS_MAX = 66
"""Strips in the page, at most: they are the larger part of it."""

SESSIONS_WITH_STRIPS = 3
WINDOWS_MAX = 8
"""Windows with plots of their own, at most."""

_LINES_TOLD = f"Only the first {POLICIES_MAX} policies are drawn as lines."

_LIMIT_SHOWN_FROM = 0.5


def frontier_section(report: Report) -> Markup:
    """Return survival against cost, with and without recall."""
    recalled = [replace(way, survival=way.survival_recall) for way in report.totals]
    shown = frontier_plot(report, report.totals, id="f1", title="Shown in the request")
    reached = frontier_plot(report, recalled, id="f2", title="Shown, or reached by one recall")
    told = (
        "Up is better, left is cheaper; nothing beats a way on the grey line. A label is the "
        "window. A hollow mark did not serve every request (some were refused or did not fit), so "
        "its cost is too low to be compared."
    )
    return joined(
        tag("p", told, class_="quiet"),
        sections.legend(report),
        tag(
            "div",
            _panel("Shown in the request, in messages or a summary", shown),
            _panel("Shown there, or reached by one recall", reached),
            class_="panels",
        ),
    )


def tokens_section(report: Report) -> Markup:
    """Return the tokens of each request: of the longest session, and the mean over all."""
    case = longest(report)
    if case is None:
        return _nothing()
    told = (
        "A red cross is a request that a provider would refuse. A line has a gap where a request "
        "could not be made; a mean also where fewer than "
        f"{percent(SERVED_SHARE)} of the requests could, and it ends where fewer than "
        f"{percent(LEFT_SHARE)} of the sessions go on. Ticks at the foot are turns of the user."
    )
    return joined(
        tag("p", told, class_="quiet"),
        tag("p", _LINES_TOLD, class_="quiet") if len(report.policies) > POLICIES_MAX else None,
        sections.legend(report),
        tag("h3", "The longest session: ", theirs(named(case.id)), f", {_size(case)}"),
        _panels(
            report,
            "t",
            "Tokens of each request in the longest session",
            lambda window: case_lines(report, case, window_tokens=window, measure=tokens_of),
            turns=turn_starts(case),
        ),
        tag("h3", f"The mean of {counted(_with_requests(report), 'session')}"),
        _panels(
            report,
            "m",
            "Mean tokens of each request",
            lambda window: mean_lines(report, window, tokens_of),
        ),
    )


def running_section(report: Report) -> Markup:
    """Return the running cost, or tokens without prices: of the longest session, and of all."""
    case = longest(report)
    if case is None:
        return _nothing()

    def measure(way: WayFigures) -> Values:
        costs = report.request_costs(way)
        return tokens_of(way) if costs is None else costs

    def run(way: WayFigures) -> Values:
        return running(measure(way))

    what = "cost" if report.prices else "tokens"
    up = named(report.prices.currency, 12) if report.prices else "tokens"
    told = (
        "A request that was refused or not made costs nothing: a line with hollow marks did not "
        "serve every request, and is too low to be compared."
    )
    return joined(
        tag("p", told, class_="quiet"),
        sections.legend(report),
        tag("h3", "The longest session: ", theirs(named(case.id))),
        _panels(
            report,
            "c",
            f"Running {what} of the longest session",
            lambda window: case_lines(report, case, window_tokens=window, measure=run),
            up=up,
        ),
        tag("h3", "All sessions together, up to the n-th request of each"),
        _panels(
            report,
            "a",
            f"Running {what} of all sessions",
            lambda window: sum_lines(report, window, measure),
            up=up,
        ),
    )


def strips_section(report: Report) -> Markup:
    """Return the strips of the sessions that lost the most."""
    with_strips = [case for case in report.cases if any(way.shown for way in case.ways)]
    worst = sorted(with_strips, key=lambda case: -losses_of(case))[:SESSIONS_WITH_STRIPS]
    if not worst:
        return _nothing()
    ways = max(len(case.ways) for case in worst)
    few = worst[: max(1, STRIPS_MAX // ways)]
    told = (
        "A column is a request, a row is a message, the oldest on top. These are the sessions in "
        "which the most of what was needed was lost. Where a request could not be made, nothing of "
        "it was sent, and all is dropped."
    )
    items = [tag("li", _box(state), state) for state in STATES]
    return joined(
        tag("p", told, class_="quiet"),
        tag("ul", *items, class_="legend"),
        [_session_strips(report, case, place) for place, case in enumerate(few)],
    )


def patterns() -> Markup:
    """Return the hatch of what is summarised, once for all strips."""
    hatch = tag(
        "pattern",
        tag("rect", class_="hatch-ground", width=40, height=40),
        tag("path", class_="hatch-line", d="M-10 10L10-10M0 40L40 0M30 50L50 30"),
        id="hatched",
        width=40,
        height=40,
        patternUnits="userSpaceOnUse",
    )
    return tag("svg", tag("defs", hatch), class_="patterns", aria_hidden="true")


def _panels(
    report: Report,
    prefix: str,
    title: str,
    lines_at: Callable[[int], Sequence[Line]],
    *,
    up: str = "tokens",
    turns: tuple[int, ...] = (),
) -> Markup:
    drawn = []
    for place, window in enumerate(report.windows[:WINDOWS_MAX]):
        lines = tuple(lines_at(window))
        name = f"window {window:,}"
        panel = Panel(
            f"{prefix}{place}",
            f"{title}, {name}",
            _told(report, lines, up),
            "request",
            up,
            lines,
            limit=_limit(window, lines) if prefix in "tm" else None,
            turns=turns,
        )
        drawn.append(_panel(name.capitalize(), line_plot(panel)))
    return tag("div", *drawn, class_="panels")


def _limit(window: int, lines: Sequence[Line]) -> float | None:
    """Return the window where a line comes near it; else it would press the lines down."""
    top = max((y for line in lines for piece in line.pieces for _, y in piece), default=0.0)
    return float(window) if top >= _LIMIT_SHOWN_FROM * window else None


def _told(report: Report, lines: Sequence[Line], unit: str) -> str:
    last = sorted(last_figures(lines).items(), key=lambda each: each[1])
    told = "; ".join(f"{named(report.policies[n])} {short(round(y, 2))}" for n, y in last)
    return f"Where each line ends, in {unit}: {told}." if told else "Nothing was sent."


def _session_strips(report: Report, case: CaseFigures, place: int) -> Markup:
    parts: list[Markup] = []
    left = STRIPS_MAX
    for number_, window in enumerate(report.windows):
        ways = [w for p in report.policies if (w := way_at(case, p, window)) is not None]
        ways = [way for way in ways if way.shown][:left]
        left -= len(ways)
        if not ways:
            continue
        drawn = [
            _panel(
                named(way.policy),
                strip(way, f"s{place}-{number_}-{n}", f"{named(way.policy)}, window {window:,}"),
            )
            for n, way in enumerate(ways)
        ]
        parts.append(
            tag(
                "details",
                tag("summary", f"Window {window:,}"),
                tag("div", *drawn, class_="panels"),
                sections.table(_counts(ways, window)),
                open="" if not parts and not place else None,
            )
        )
    lost = counted(losses_of(case), "loss", "losses")
    return joined(
        tag("h3", theirs(named(case.id)), f": {_size(case)}, {lost} by all ways together"), parts
    )


def _counts(ways: Sequence[WayFigures], window: int) -> Table:
    """Return what a strip shows as figures, for who does not see it."""
    rows = []
    for way in ways:
        last = at_last(way)
        rows.append((named(way.policy), *(number(last[state]) for state in STATES)))
    sides = (LEFT, *(RIGHT for _ in STATES))
    title = f"Messages at the last request, window {window:,}"
    return Table(title, ("policy", *STATES), sides, tuple(rows))


def _box(state: str) -> Markup:
    return tag(
        "svg",
        tag("rect", class_=state, width=140, height=140),
        viewBox="0 0 140 140",
        width=14,
        height=14,
        class_="box",
        aria_hidden="true",
    )


def _panel(title: str, drawn: Markup) -> Markup:
    return tag("div", tag("h4", theirs(title)), drawn, class_="panel")


def _size(case: CaseFigures) -> str:
    messages = counted(case.messages, "message")
    return f"{messages}, {counted(requests_of(case), 'request')}"


def _with_requests(report: Report) -> int:
    return sum(1 for case in report.cases if requests_of(case))


def _nothing() -> Markup:
    return tag("p", "No session has a request.", class_="empty")
