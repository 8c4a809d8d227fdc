"""Totals of a replay: what each policy at each window did over all cases, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lifelong.replay.figures import FAILED, INVALID, NOT_FIT, SENT, Asked, CaseFigures, WayFigures
from lifelong.replay.prices import PriceTable, cost_of

_SHARE_DIGITS = 4
_COST_DIGITS = 6
_TURN_DIGITS = 1

Way = tuple[str, int]
"""The name of a policy, and a window in tokens."""


@dataclass(frozen=True, slots=True)
class WayTotals:
    """What one policy at one window did.

    Attributes:
        policy, window_tokens: which.
        requests: asked of the model in the recordings.
        sent, invalid, not_fit, failed: what became of them, as in `Asked.outcome`.
        tokens, exact_tokens: of the requests that were sent, estimated and counted exactly; the
            latter None when that of any is not known.
        kept_tokens: of `tokens`, those that the request before began with too.
        cached_share: the share that `kept_tokens` is of `tokens`.
        edits, edited_tokens: that were made, and what they took away.
        needed: rare tokens that were used next and came from earlier.
        in_history, in_summary, by_recall: how many were there, each at the first place.
        survival_history: the share of `needed` that the history still showed.
        survival: the same, in history or summary.
        survival_recall: the same, also with what one `recall` brings back.
        lost_turns: how many turns before what was not in the history had last been said, as mean.
        lost_turns_median: the same, as median.
        summaries: segments that were summed up.
        summary_input_tokens, summary_output_tokens: what their summariser read and wrote.
        cost: in the currency of the prices, summaries included; None without prices.
        summary_cost: of that, what summing up cost.
        summary_seconds: how long the summariser wrote, where the prices say how fast it is.

    Shares are None when there was nothing to share.
    """

    policy: str
    window_tokens: int
    requests: int = 0
    sent: int = 0
    invalid: int = 0
    not_fit: int = 0
    failed: int = 0
    tokens: int = 0
    exact_tokens: int | None = None
    kept_tokens: int = 0
    cached_share: float | None = None
    edits: int = 0
    edited_tokens: int = 0
    needed: int = 0
    in_history: int = 0
    in_summary: int = 0
    by_recall: int = 0
    survival_history: float | None = None
    survival: float | None = None
    survival_recall: float | None = None
    lost_turns: float | None = None
    lost_turns_median: int | None = None
    summaries: int = 0
    summary_input_tokens: int = 0
    summary_output_tokens: int = 0
    cost: float | None = None
    summary_cost: float | None = None
    summary_seconds: float | None = None

    @property
    def is_served(self) -> bool:
        """Whether every request was made and valid: only then is a cost that of the work."""
        return self.requests > 0 and self.sent == self.requests

    @property
    def price(self) -> float | None:
        """What ways are compared by: their cost, or without prices all tokens that models take.

        Those of a summariser count too, so that summing up is not taken to be free.
        """
        summing = self.summary_input_tokens + self.summary_output_tokens
        return float(self.tokens + summing) if self.cost is None else self.cost


def totals_of(
    cases: Sequence[CaseFigures], prices: PriceTable | None = None
) -> tuple[WayTotals, ...]:
    """Return the totals of each way, in the order of the ways of the first case that has any.

    Args:
        cases: those that could not be replayed have no ways, and count nothing.
        prices: the user's own, for the costs; None for none.
    """
    ways: dict[Way, list[WayFigures]] = {}
    for case in cases:
        for way in case.ways:
            ways.setdefault((way.policy, way.window_tokens), []).append(way)
    return tuple(_totals(name, figures, prices) for name, figures in ways.items())


def frontier(totals: Iterable[WayTotals]) -> tuple[WayTotals, ...]:
    """Return the ways that no cheaper one equals in survival, the cheapest first.

    A way that left a request unserved is not among them.
    """
    served = [
        (each.price, -each.survival, place, each)
        for place, each in enumerate(totals)
        if each.is_served and each.price is not None and each.survival is not None
    ]
    best: list[WayTotals] = []
    for _, survival, _, each in sorted(served, key=lambda found: found[:3]):
        if not best or -survival > (best[-1].survival or 0.0):
            best.append(each)
    return tuple(best)


def cheapest(best: Iterable[WayTotals], survival_min: float) -> WayTotals | None:
    """Return the cheapest way of a frontier that shows so much of what is needed, or None."""
    return next((each for each in best if (each.survival or 0.0) >= survival_min), None)


def _totals(name: Way, figures: Sequence[WayFigures], prices: PriceTable | None) -> WayTotals:
    asked = [each for way in figures for each in way.asked]
    sent = [each for each in asked if each.outcome == SENT]
    outcomes = Counter(each.outcome for each in asked)
    tokens, kept = _sum(sent, "tokens"), _sum(sent, "kept_tokens")
    needed, shown = _sum(asked, "needed"), _sum(asked, "in_history")
    summed, recalled = _sum(asked, "in_summary"), _sum(asked, "by_recall")
    lost = Counter[int]()
    for way in figures:
        lost.update(dict(way.loss_turns))
    made = WayTotals(
        policy=name[0],
        window_tokens=name[1],
        requests=len(asked),
        sent=len(sent),
        invalid=outcomes[INVALID],
        not_fit=outcomes[NOT_FIT],
        failed=outcomes[FAILED],
        tokens=tokens,
        exact_tokens=_exact(sent),
        kept_tokens=kept,
        cached_share=_share(kept, tokens),
        edits=_sum(sent, "edits"),
        edited_tokens=_sum(sent, "edited_tokens"),
        needed=needed,
        in_history=shown,
        in_summary=summed,
        by_recall=recalled,
        survival_history=_share(shown, needed),
        survival=_share(shown + summed, needed),
        survival_recall=_share(shown + summed + recalled, needed),
        lost_turns=_mean(lost),
        lost_turns_median=_median(lost),
        summaries=_sum(asked, "summaries"),
        summary_input_tokens=_sum(asked, "summary_input_tokens"),
        summary_output_tokens=_sum(asked, "summary_output_tokens"),
    )
    return made if prices is None else _priced(made, asked, prices)


def _priced(totals: WayTotals, asked: Sequence[Asked], prices: PriceTable) -> WayTotals:
    cost = cost_of(asked, prices)
    seconds = cost.summary_seconds
    return replace(
        totals,
        cost=round(cost.total, _COST_DIGITS),
        summary_cost=round(cost.summaries, _COST_DIGITS),
        summary_seconds=None if seconds is None else round(seconds, _TURN_DIGITS),
    )


def _sum(asked: Iterable[Asked], name: str) -> int:
    return sum(getattr(each, name) for each in asked)


def _exact(sent: Sequence[Asked]) -> int | None:
    counts = [each.exact_tokens for each in sent]
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, _SHARE_DIGITS) if whole else None


def _mean(counts: Counter[int]) -> float | None:
    total = counts.total()
    if not total:
        return None
    return round(sum(turns * count for turns, count in counts.items()) / total, _TURN_DIGITS)


def _median(counts: Counter[int]) -> int | None:
    """Return the lower median of turns that are counted."""
    left = (counts.total() + 1) // 2
    for turns in sorted(counts):
        left -= counts[turns]
        if left <= 0:
            return turns
    return None
