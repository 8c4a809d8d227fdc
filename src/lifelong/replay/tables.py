"""Tables of a report as plain values, for a terminal and for the page alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lifelong.replay.figures import CaseFigures
from lifelong.replay.lengths import BreakEven, Expected, Lengths
from lifelong.replay.report import Report
from lifelong.replay.totals import WayTotals
from lifelong.replay.wording import counted, money, named, number, share, told

LEFT, RIGHT = "left", "right"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under heads; all is text, visible and on one line, and escaped by nobody yet.

    Attributes:
        title: what it shows.
        heads: of the columns.
        alignment: of each column, ``left`` or ``right``.
        rows: each with as many cells as there are heads; the first cell names its row.
    """

    title: str
    heads: tuple[str, ...]
    alignment: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Column = tuple[str, str, Callable[[WayTotals], str]]
"""A head, a side, and what stands in a cell."""

_NAMES: tuple[Column, ...] = (
    ("policy", LEFT, lambda t: named(t.policy)),
    ("window", RIGHT, lambda t: number(t.window_tokens)),
)


def totals_table(report: Report) -> Table:
    """Return what each policy at each window did over all cases."""
    return _table("Policies at each window, over all sessions", _columns(report), report)


def edits_table(report: Report) -> Table:
    """Return what each policy changed, and what its summaries took."""
    columns: list[Column] = [
        *_NAMES,
        ("edits", RIGHT, lambda t: number(t.edits)),
        ("tokens taken", RIGHT, lambda t: number(t.edited_tokens)),
        ("summaries", RIGHT, lambda t: number(t.summaries)),
        ("tokens read", RIGHT, lambda t: number(t.summary_input_tokens)),
        ("written", RIGHT, lambda t: number(t.summary_output_tokens)),
    ]
    prices = report.prices
    if prices is not None:
        head = f"cost, {named(prices.currency, 12)}"
        columns.append((head, RIGHT, lambda t: money(t.summary_cost, "")))
    if any(each.summary_seconds is not None for each in report.totals):
        columns.append(("seconds", RIGHT, lambda t: number(t.summary_seconds)))
    return _table("Edits and summaries, over all sessions", columns, report)


def lengths_tables(lengths: Lengths | None) -> tuple[Table, ...]:
    """Return how many turns still follow, and when summing up has paid; what is known of it."""
    if lengths is None:
        return ()
    count, still_open = counted(lengths.sessions, "session"), number(lengths.still_open)
    expected = Table(
        f"Turns that still follow, by {count} of which {still_open} may go on",
        ("turns so far", "mean", "median", "sessions", "known"),
        (RIGHT, RIGHT, RIGHT, RIGHT, LEFT),
        tuple(_expected_cells(each) for each in lengths.expected),
    )
    if not lengths.break_even:
        return (expected,)
    return (expected, _break_even_table(lengths.break_even))


def problems_table(cases: Sequence[CaseFigures]) -> Table:
    """Return what could not be replayed, or went wrong in a case, each with its words."""
    rows: list[tuple[str, str, str]] = []
    for case in cases:
        if case.problem:
            rows.append((named(case.id), "all", told(case.problem)))
        by_words: dict[str, list[str]] = {}
        for way in case.ways:
            for problem in way.problems:
                name = f"{named(way.policy)} at {way.window_tokens:,}"
                by_words.setdefault(told(problem), []).append(name)
        rows += [(named(case.id), _listed(ways), words) for words, ways in by_words.items()]
    return Table("What went wrong", ("session", "way", "problem"), (LEFT,) * 3, tuple(rows))


def _table(title: str, columns: Sequence[Column], report: Report) -> Table:
    return Table(
        title,
        tuple(head for head, _, _ in columns),
        tuple(side for _, side, _ in columns),
        tuple(tuple(cell(each) for _, _, cell in columns) for each in report.totals),
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _columns(report: Report) -> list[Column]:
    prices = report.prices
    columns: list[Column] = [
        *_NAMES,
        ("requests", RIGHT, lambda t: number(t.requests)),
        ("invalid", RIGHT, lambda t: number(t.invalid)),
        ("not fit", RIGHT, lambda t: number(t.not_fit)),
    ]
    if any(each.failed for each in report.totals):
        columns.append(("failed", RIGHT, lambda t: number(t.failed)))
    columns.append(("tokens", RIGHT, lambda t: number(t.tokens)))
    if any(each.exact_tokens is not None for each in report.totals):
        columns.append(("exact tokens", RIGHT, lambda t: number(t.exact_tokens)))
    columns.append(("cached", RIGHT, lambda t: share(t.cached_share)))
    if prices is not None:
        columns.append((f"cost, {named(prices.currency, 12)}", RIGHT, lambda t: money(t.cost, "")))
    columns += [
        ("shown", RIGHT, lambda t: share(t.survival_history)),
        ("+ summary", RIGHT, lambda t: share(t.survival)),
        ("+ recall", RIGHT, lambda t: share(t.survival_recall)),
        ("turns ago", RIGHT, lambda t: number(t.lost_turns_median)),
    ]
    return columns


def _expected_cells(expected: Expected) -> tuple[str, ...]:
    return (
        number(expected.turns_so_far),
        f"{expected.mean:,.1f}",
        number(expected.median),
        number(expected.sessions),
        "yes" if expected.is_known else "a guess",
    )


def _break_even_table(break_even: Sequence[BreakEven]) -> Table:
    heads = (
        *("policy", "window", "summaries", "tokens before", "after", "behind"),
        *("pays after turns", "turns expected", "pays"),
    )
    rows = [
        (
            named(each.policy),
            number(each.window_tokens),
            number(each.summaries),
            number(each.tokens_before),
            number(each.tokens_after),
            number(each.tokens_behind),
            "never" if each.turns is None else f"{each.turns:,.1f}",
            f"{each.expected_turns:,.1f}",
            "yes" if each.pays else "no",
        )
        for each in break_even
    ]
    sides = (LEFT, *(RIGHT for _ in heads[2:]), LEFT)
    return Table("When a summary has paid for itself", heads, sides, tuple(rows))
