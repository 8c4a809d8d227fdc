"""What a report comes to, in two or three sentences, and the worst that was lost. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lifelong.replay.figures import NOWHERE, CaseFigures, Loss
from lifelong.replay.report import Report
from lifelong.replay.suggest import SURVIVAL_MIN
from lifelong.replay.totals import WayTotals, cheapest, frontier
from lifelong.replay.wording import counted, money, named, number, percent, share, way_name

A_CASE = 3
"""Of one case, at most so many losses are listed: one bad session is not the whole story."""


@dataclass(frozen=True, slots=True)
class Worst:
    """A token that a policy no longer showed when it was needed.

    Attributes:
        case_id: where.
        loss: at the window where it was worst.
        windows: all at which it was lost, in tokens.
    """

    case_id: str
    loss: Loss
    windows: tuple[int, ...]


def price_words(report: Report, totals: WayTotals) -> str:
    """Return what a way cost, or without prices the tokens that it is compared by."""
    if report.prices is None:
        return f"{number(totals.price)} tokens"
    return money(totals.cost, report.prices.currency)


def best_way(report: Report) -> WayTotals | None:
    """Return the cheapest way that served every request and showed enough, or None."""
    return cheapest(frontier(report.totals), SURVIVAL_MIN)


def sentences(report: Report) -> tuple[str, ...]:
    """Return what the figures mean."""
    if not any(each.requests for each in report.totals):
        return ("Nothing could be replayed: no session has a request.",)
    return tuple(each for each in (_best(report), _refused(report), _unmade(report)) if each)


def worst_losses(report: Report, policy: str, most: int) -> tuple[Worst, ...]:
    """Return the worst losses of a policy: what is nowhere first, then what was said longest ago.

    Args:
        report: of all cases.
        policy: its name.
        most: how many, at most.
    """
    found = sorted(
        (worst for case in report.cases for worst in _worst_of(case, policy)),
        key=lambda each: (*_badness(each.loss), -len(each.windows)),
    )
    return tuple(found[:most])


def losses_of(case: CaseFigures) -> int:
    """Return how many tokens all ways lost in a case."""
    return sum(count for way in case.ways for _, count in way.loss_turns)


def _worst_of(case: CaseFigures, policy: str) -> Iterator[Worst]:
    found: dict[str, Worst] = {}
    for way in case.ways:
        for loss in way.losses if way.policy == policy else ():
            known = found.get(loss.token)
            windows = (*known.windows, way.window_tokens) if known else (way.window_tokens,)
            is_known_worse = known is not None and _badness(known.loss) <= _badness(loss)
            worse = known.loss if known and is_known_worse else loss
            found[loss.token] = Worst(case.id, worse, windows)
    yield from sorted(found.values(), key=lambda each: _badness(each.loss))[:A_CASE]


def _badness(loss: Loss) -> tuple[bool, int]:
    return loss.found_in != NOWHERE, -loss.turns_ago


def _best(report: Report) -> str:
    goal, best = percent(SURVIVAL_MIN), best_way(report)
    if best is not None:
        return (
            f"The cheapest way that still showed at least {goal} of what was needed next is "
            f"{way_name(best.policy, best.window_tokens)}: {price_words(report, best)} for "
            f"{counted(best.requests, 'request')}, {share(best.survival)} shown."
        )
    if not any(each.is_served for each in report.totals):
        return "No way served every request."
    on_frontier = frontier(report.totals)
    if not on_frontier:
        return "Nothing that was used next had come from earlier in a session."
    most = on_frontier[-1]
    return (
        f"No way still showed {goal} of what was needed next; the most is "
        f"{share(most.survival)}, by {way_name(most.policy, most.window_tokens)}, "
        f"for {price_words(report, most)}."
    )


def _refused(report: Report) -> str:
    refused = {
        policy: (
            sum(each.invalid for each in report.totals if each.policy == policy),
            sum(each.requests for each in report.totals if each.policy == policy),
        )
        for policy in report.policies
    }
    bad = {policy: counts for policy, counts in refused.items() if counts[0]}
    if not bad:
        return "No way made a request that a provider would refuse."
    told = "; ".join(
        f"{named(policy)}: {number(invalid)} of {number(requests)} ({share(invalid / requests)})"
        for policy, (invalid, requests) in bad.items()
    )
    others = " The others made none." if len(bad) < len(refused) else ""
    return f"Requests that a provider would refuse – {told}.{others}"


def _unmade(report: Report) -> str:
    told = []
    for totals in report.totals:
        missing = totals.not_fit + totals.failed
        if missing:
            name = way_name(totals.policy, totals.window_tokens)
            told.append((missing, f"{name}: {number(missing)} of {number(totals.requests)}"))
    if not told:
        return ""
    told.sort(key=lambda each: -each[0])
    few = "; ".join(words for _, words in told[:3])
    more = f"; and {counted(len(told) - 3, 'further way')}" if len(told) > 3 else ""
    return f"Requests that could not be made at all – {few}{more}."
