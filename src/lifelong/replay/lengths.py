"""How long sessions go on, and after how many turns a compaction has paid for itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lifelong.replay.figures import SENT, Asked, CaseFigures, WayFigures
from lifelong.replay.prices import PriceTable
from lifelong.working.cost import (
    PRICED_TOKENS,
    GoingOn,
    Prices,
    SessionLength,
    going_on,
    remaining_turns,
    worth_compacting,
)

TURNS_SO_FAR = (1, 2, 5, 10, 20, 50)
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Expected:
    """What may still follow after so many turns; see `working.cost.Remaining`.

    Attributes:
        turns_so_far: that a conversation has had.
        mean, median: of the turns that follow.
        sessions: how many of the recordings tell; few make it a guess.
        is_known: whether they are enough.
    """

    turns_so_far: int
    mean: float
    median: int
    sessions: int
    is_known: bool


@dataclass(frozen=True, slots=True)
class BreakEven:
    """After how many turns what a policy summed up has paid for itself, as a mean of its summaries.

    Attributes:
        policy, window_tokens: which way.
        summaries: it is the mean of so many.
        tokens_before: of the messages that one stands for.
        tokens_after: of one.
        tokens_behind: what stood behind and missed the cache once.
        requests: it pays when more requests than this follow; None when it never does.
        turns: the same in turns, by the requests that a turn took in these recordings.
        expected_turns: that still followed, as expected when it was made.
        pays: whether those are more.
    """

    policy: str
    window_tokens: int
    summaries: int
    tokens_before: int
    tokens_after: int
    tokens_behind: int
    requests: float | None
    turns: float | None
    expected_turns: float
    pays: bool


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long sessions go on.

    Attributes:
        sessions: how many were read.
        still_open: of these, how many may still go on: they tell only that they got this far.
        points: the share that goes on after so many turns.
        expected: what may still follow after some numbers of turns that were reached.
        break_even: of each way that sums up.
    """

    sessions: int
    still_open: int
    points: tuple[GoingOn, ...]
    expected: tuple[Expected, ...]
    break_even: tuple[BreakEven, ...] = ()


def lengths_of(cases: Sequence[CaseFigures], prices: PriceTable | None = None) -> Lengths | None:
    """Return how long sessions go on; None when no case was replayed.

    Args:
        cases: those that could not be replayed, or have no turn, tell nothing.
        prices: the user's own, for the break-even; without any each token costs the same.
    """
    told = [case for case in cases if not case.problem and case.turns]
    if not told:
        return None
    lengths = [SessionLength(case.turns, case.is_ended) for case in told]
    points = tuple(
        GoingOn(point.turns, round(point.share, _DIGITS), point.sessions)
        for point in going_on(lengths)
    )
    longest = max(length.turns for length in lengths)
    return Lengths(
        sessions=len(told),
        still_open=sum(not case.is_ended for case in told),
        points=points,
        expected=tuple(_expected(lengths, n) for n in TURNS_SO_FAR if n <= longest),
        break_even=tuple(_break_evens(told, lengths, prices)),
    )


def _expected(lengths: Sequence[SessionLength], turns_so_far: int) -> Expected:
    left = remaining_turns(lengths, turns_so_far)
    mean = round(left.expected, _DIGITS)
    return Expected(turns_so_far, mean, left.median, left.sessions, left.is_known)


def _break_evens(
    cases: Sequence[CaseFigures], lengths: Sequence[SessionLength], prices: PriceTable | None
) -> Iterator[BreakEven]:
    ways: dict[tuple[str, int], list[WayFigures]] = {}
    for case in cases:
        for way in case.ways:
            if any(each.summed_tokens for each in way.asked):
                ways.setdefault((way.policy, way.window_tokens), []).append(way)
    for (policy, window), figures in ways.items():
        yield _break_even(policy, window, figures, lengths=lengths, prices=prices)


def _break_even(
    policy: str,
    window: int,
    figures: Sequence[WayFigures],
    *,
    lengths: Sequence[SessionLength],
    prices: PriceTable | None,
) -> BreakEven:
    asked = [each for way in figures for each in way.asked]
    made = [each for each in asked if each.summed_tokens]
    count = sum(each.summaries for each in made) or len(made)
    before = round(sum(each.summed_tokens for each in made) / count)
    after = round(sum(each.summary_tokens for each in made) / count)
    missed = [tokens for way in figures for tokens in _behind(way.asked)]
    behind = round(sum(missed) / max(len(missed), 1))
    requests_a_turn = len(asked) / max(sum(map(_turns, figures)), 1)
    so_far = round(sum(each.turn for each in made) / len(made))
    expected = remaining_turns(lengths, so_far).expected
    worth = worth_compacting(
        tokens_before=before,
        tokens_after=after,
        turns_left=expected * requests_a_turn,
        prices=_base(prices),
        summariser=_prices_of_summariser(made, prices),
        tokens_behind=behind,
    )
    requests = worth.break_even_turns
    return BreakEven(
        policy=policy,
        window_tokens=window,
        summaries=count,
        tokens_before=before,
        tokens_after=after,
        tokens_behind=behind,
        requests=_rounded(requests),
        turns=_rounded(requests, requests_a_turn),
        expected_turns=round(expected, _DIGITS),
        pays=worth.pays,
    )


def _base(prices: PriceTable | None) -> Prices:
    return prices.base if prices else Prices(PRICED_TOKENS)


def _rounded(requests: float | None, of: float = 1.0) -> float | None:
    return None if requests is None else round(requests / of, _DIGITS)


def _prices_of_summariser(made: Sequence[Asked], prices: PriceTable | None) -> Prices | None:
    """Return what summing up costs: nothing where no model did it."""
    if not any(each.summary_input_tokens for each in made):
        return Prices(0)
    return prices.summariser if prices else None


def _behind(asked: Sequence[Asked]) -> Iterator[int]:
    """Yield for each summary what stood behind it and missed the cache, when it came into use.

    A summary that was made is first shown when what it stands for goes, which may be some requests
    later, or never. Of what the request before sent behind the beginning that both have, what the
    edits took away is gone; the rest missed the cache. What is new would have missed it anyway.
    """
    before: Asked | None = None
    waiting: int | None = None
    for each in asked:
        if each.summed_tokens:
            waiting = each.summary_tokens
        if each.outcome != SENT:
            continue
        if waiting is not None and before and each.kept_tokens < before.tokens:
            stayed = before.tokens - each.kept_tokens - each.edited_tokens - waiting
            yield max(min(stayed, each.tokens - each.kept_tokens - waiting), 0)
            waiting = None
        before = each


def _turns(way: WayFigures) -> int:
    return len({each.turn for each in way.asked})
