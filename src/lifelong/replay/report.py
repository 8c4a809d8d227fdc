"""A report: all that terminal, page and assertions say of a replay. Values only.

No time and no machine is in it, so that two replays of the same cases give the same report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifelong.replay.figures import CaseFigures, WayFigures
from lifelong.replay.lengths import Lengths, lengths_of
from lifelong.replay.prices import PriceTable, request_costs
from lifelong.replay.totals import WayTotals, totals_of

TITLE = "What each memory policy would have done"


@dataclass(frozen=True, slots=True)
class Report:
    """What a replay found.

    Attributes:
        cases: in their order, also those that could not be replayed.
        policies: their names, in the order asked for.
        windows: in tokens, in the order asked for.
        totals: of each policy at each window, over all cases.
        lengths: how long such sessions go on, or None when nothing is known.
        prices: what tokens cost, or None when nobody said.
        title: of the page.
    """

    cases: tuple[CaseFigures, ...] = ()
    policies: tuple[str, ...] = ()
    windows: tuple[int, ...] = ()
    totals: tuple[WayTotals, ...] = ()
    lengths: Lengths | None = None
    prices: PriceTable | None = None
    title: str = TITLE

    def request_costs(self, way: WayFigures) -> tuple[float, ...] | None:
        """Return what each request of a way cost, or None without prices."""
        return None if self.prices is None else request_costs(way, self.prices)


def report_of(
    cases: Sequence[CaseFigures], prices: PriceTable | None = None, *, title: str = TITLE
) -> Report:
    """Return the report of cases that were replayed.

    Args:
        cases: in their order.
        prices: what tokens cost, if it is known.
        title: of the page.
    """
    ways = [(way.policy, way.window_tokens) for case in cases for way in case.ways]
    return Report(
        tuple(cases),
        policies=tuple(dict.fromkeys(policy for policy, _ in ways)),
        windows=tuple(dict.fromkeys(window for _, window in ways)),
        totals=totals_of(cases, prices),
        lengths=lengths_of(cases, prices),
        prices=prices,
        title=title,
    )
