"""What requests cost, and when a change of them pays: arithmetic over counts of tokens.

A model call is stateless, so each turn sends the whole conversation again; a provider's cache
makes that cheaper for as long as the beginning stays the same. Compacting shortens what is sent
and spoils the cache, so whether it pays depends on the prices and on how many turns still follow.
This module answers with numbers. Counting tokens, planning and summarising are for others.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

from lifelong.errors import InvalidValue

PRICED_TOKENS = 1_000_000
"""Providers name their prices for so many tokens."""

KNOWN_FROM = 5
"""So many sessions that got as far make the turns left known; below, they are mostly a guess."""

PRIOR_SESSIONS = 1.0
"""How many sessions the prior of `remaining_turns` weighs as much as."""

Piece = tuple[str | bytes | int, int]
"""A piece of a request: a digest of its bytes, and how many tokens it is."""


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in any currency.

    The figures are the caller's own, from the provider's list on the day: none is built in,
    because prices change and an old one would decide silently.

    Attributes:
        input: tokens read without a cache.
        cached_input: tokens read from the provider's cache; as `input` when not given.
        cache_write: tokens read and put into the cache, in place of `input`; as `input` when not
            given, which is right where a provider asks nothing for it on top.
        output: tokens written by the model, reasoning included; as `input` when not given.

    Raises:
        InvalidValue: a price is negative, infinite or no number, or a cached token costs more
            than a fresh one.
    """

    input: float
    cached_input: float | None = None
    cache_write: float | None = None
    output: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            price = getattr(self, field.name)
            if price is not None:
                _check(field.name, price)
        cached = _or_input(self.cached_input, self)
        if cached > min(self.input, _or_input(self.cache_write, self)):
            raise InvalidValue(f"cached_input is {cached}, more than what is not cached")


@dataclass(frozen=True, slots=True)
class Worth:
    """Whether compacting pays, and why.

    Attributes:
        pays: `saving` is greater than `cost`.
        saving: what the turns left cost less, in the currency of the prices.
        cost: what compacting costs once, in the same currency.
        break_even_turns: it pays when more turns than this follow; None when it never does.
    """

    pays: bool
    saving: float
    cost: float
    break_even_turns: float | None


@dataclass(frozen=True, slots=True)
class SessionLength:
    """How long one session is: in turns, and whether it is over or may still go on."""

    turns: int
    is_ended: bool


@dataclass(frozen=True, slots=True)
class Remaining:
    """How many turns may still follow.

    Attributes:
        expected: the mean. Costs grow evenly with turns, so this is the one to decide with.
        median: as likely as not, no more turns than this follow.
        sessions: how many sessions got this far and tell what followed.
        is_known: `sessions` is at least `KNOWN_FROM`; otherwise it is little more than a guess.
    """

    expected: float
    median: int
    sessions: int
    is_known: bool


@dataclass(frozen=True, slots=True)
class GoingOn:
    """How many conversations go on after so many turns.

    Attributes:
        turns: that they have had.
        share: of all conversations, those with more.
        sessions: how many got this far and tell whether more followed.
    """

    turns: int
    share: float
    sessions: int


def request_cost(
    prices: Prices,
    *,
    cached_tokens: int,
    uncached_tokens: int,
    written_tokens: int = 0,
    output_tokens: int = 0,
) -> float:
    """Return what one request costs, in the currency of `prices`.

    The four counts are apart from one another: a token written to the cache is not counted among
    the uncached ones too. Anthropic reports them so; OpenAI's `prompt_tokens` holds the cached
    ones as well, so take them off first.

    Args:
        prices: the caller's own.
        cached_tokens: read from the provider's cache.
        uncached_tokens: read without it.
        written_tokens: read, and put into the cache.
        output_tokens: written by the model, reasoning included.

    Raises:
        InvalidValue: a count is negative or no number.
    """
    _check("cached_tokens", cached_tokens)
    _check("uncached_tokens", uncached_tokens)
    _check("written_tokens", written_tokens)
    _check("output_tokens", output_tokens)
    total = (
        uncached_tokens * prices.input
        + cached_tokens * _or_input(prices.cached_input, prices)
        + written_tokens * _or_input(prices.cache_write, prices)
        + output_tokens * _or_input(prices.output, prices)
    )
    return total / PRICED_TOKENS


def tokens_sent(turns: int, tokens_per_turn: int) -> int:
    """Return how many input tokens a conversation sends in all when nothing is ever left out.

    Turn k sends k times `tokens_per_turn`: 20 turns of 500 tokens send 105,000, not 10,000.

    Raises:
        InvalidValue: a number is negative.
    """
    _check("turns", turns)
    _check("tokens_per_turn", tokens_per_turn)
    return tokens_per_turn * turns * (turns + 1) // 2


def worth_compacting(
    *,
    tokens_before: int,
    tokens_after: int,
    turns_left: float,
    prices: Prices | None = None,
    summariser: Prices | None = None,
    tokens_behind: int = 0,
) -> Worth:
    """Weigh what compacting costs now against what it saves on each turn left.

    With B tokens replaced by A, S tokens standing behind them, and n requests to come::

        cost   = B * input + A * output                    by the summariser's prices
               + (A + S) * (cache_write - cached_input)
        saving = n * (B - A) * cached_input

    The summariser reads the old tokens in a prompt of its own, hence uncached. The next request
    differs from the old tokens on, so the summary and all behind it miss the cache once. From
    then on each request leaves out B - A tokens, which the cache would have given at its price:
    the cheaper the cache, the less there is to save. Own derivation: the cost of n requests as
    they are, minus that of n requests after compacting. It takes the old tokens to be sent
    otherwise; where the window would drop them anyway, money is no reason to compact.

    Args:
        tokens_before: B, what is replaced.
        tokens_after: A, the summary that replaces it.
        turns_left: n, see `remaining_turns`. A turn with tool calls is several requests: count
            each of them.
        prices: of the model that goes on. Without them each token costs 1. Where nothing is
            cached, or turns come too late for it, leave the cache's prices out.
        summariser: prices of the model that summarises, when it is another; `Prices(0)` for none.
        tokens_behind: S, what follows in the cached prefix and stays.

    Raises:
        InvalidValue: a number is negative or not finite.
    """
    _check("tokens_before", tokens_before)
    _check("tokens_after", tokens_after)
    _check("turns_left", turns_left)
    _check("tokens_behind", tokens_behind)
    paid = prices or Prices(PRICED_TOKENS)
    summary_cost = request_cost(
        summariser or paid,
        cached_tokens=0,
        uncached_tokens=tokens_before,
        output_tokens=tokens_after,
    )
    moved = tokens_after + tokens_behind
    missed = _or_input(paid.cache_write, paid) - _or_input(paid.cached_input, paid)
    cost = summary_cost + moved * missed / PRICED_TOKENS
    saved = tokens_before - tokens_after
    each_turn = saved * _or_input(paid.cached_input, paid) / PRICED_TOKENS
    saving = turns_left * each_turn
    return Worth(
        pays=saving > cost,
        saving=saving,
        cost=cost,
        break_even_turns=cost / each_turn if each_turn > 0 else None,
    )


def remaining_turns(lengths: Iterable[SessionLength], turns_so_far: int) -> Remaining:
    """Estimate how many turns follow, from how long the owner's own sessions were.

    From turn to turn, the chance that turn k is the last is how many sessions ended with k turns,
    out of those seen to have k or more: the product-limit estimate (Kaplan & Meier 1958,
    "Nonparametric Estimation from Incomplete Observations", JASA 53, 457-481), given that
    `turns_so_far` were reached. A session that may still go on counts up to the turn before its
    last, for whether that one is the last nobody knows yet. Leaving open sessions out, or taking
    them as ended, would make all look short.

    Few sessions are mended by a prior that weighs `PRIOR_SESSIONS`: each chance is
    ``(ended + w * prior) / (reached + w)``, the posterior mean of a beta prior (Hjort 1990,
    "Nonparametric Bayes Estimators Based on Beta Processes", Annals of Statistics 18,
    1259-1294). The prior is ``2 / (k + 2)``, the one chance by which a conversation of k turns is
    expected to have as many again: what lasted long lasts longer. (Own derivation: of those with
    k turns, ``k (k + 1) / ((j + 1) (j + 2))`` have more than j; the sum over j >= k is k.) Past
    the longest session there is only the prior; with no session at all, `turns_so_far` is what is
    expected, and 2 before the first turn.

    Args:
        lengths: each session of the owner. The present one, as an open one, changes nothing.
        turns_so_far: the turns that this conversation has had, the present one included.

    Raises:
        InvalidValue: a number of turns is negative.
    """
    _check("turns_so_far", turns_so_far)
    chances, reached = _ending(lengths, turns_so_far)
    sessions = reached[0]
    # Past the data the prior alone says: as many again.
    expected = float(turns_so_far + len(chances))
    for ends in reversed(chances):
        expected = (1 - ends) * (1 + expected)
    return Remaining(
        expected=expected,
        median=_median(chances, turns_so_far),
        sessions=sessions,
        is_known=sessions >= KNOWN_FROM,
    )


def going_on(lengths: Iterable[SessionLength]) -> tuple[GoingOn, ...]:
    """Return how many conversations go on after one turn, two, and so on to the longest.

    The estimate is that of `remaining_turns`, its prior included: a curve that never reaches 0,
    for the longest session may not be the longest there is. Without sessions it is empty.

    Raises:
        InvalidValue: a number of turns is negative.
    """
    given = tuple(lengths)
    chances, reached = _ending(given, 1)
    points: list[GoingOn] = []
    share = 1.0
    for turns, (ends, sessions) in enumerate(zip(chances, reached, strict=True), 1):
        share *= 1 - ends
        points.append(GoingOn(turns, share, sessions))
    return tuple(points) if given else ()


def prefix_kept(previous: Sequence[Piece], current: Sequence[Piece]) -> int:
    """Return how many tokens at the beginning of `current` are those of `previous`.

    This is the most that a cache can give: a provider may cache in blocks, from a least length
    on, and for some minutes only.

    Args:
        previous: the pieces of the request before, each a digest and its tokens, in order.
        current: the pieces of this request.
    """
    kept = 0
    for (digest_before, _), (digest, tokens) in zip(previous, current, strict=False):
        if digest != digest_before:
            break
        kept += tokens
    return kept


def _ending(lengths: Iterable[SessionLength], first: int) -> tuple[list[float], list[int]]:
    """Return the chance to end with `first` turns, with one more, and so on to the longest.

    And how many sessions tell about each of these.
    """
    ended: Counter[int] = Counter()
    still_open: Counter[int] = Counter()
    for length in lengths:
        _check("turns", length.turns)
        (ended if length.is_ended else still_open)[length.turns] += 1
    chances: list[float] = []
    known: list[int] = []
    reached = 0
    for turns in range(max([first, *ended, *still_open]), first - 1, -1):
        reached += ended[turns] + still_open[turns + 1]
        told = ended[turns] + PRIOR_SESSIONS * _prior_ending(turns)
        chances.append(told / (reached + PRIOR_SESSIONS))
        known.append(reached)
    return chances[::-1], known[::-1]


def _prior_ending(turns: int) -> float:
    """Return the chance to end with so many turns when no session tells."""
    return 2 / (turns + 2) if turns else 0.0


def _median(chances: Sequence[float], first: int) -> int:
    """Return after how many further turns at most half of the conversations go on."""
    more = 0
    going_on = 1 - chances[0]
    while going_on > 0.5:
        more += 1
        ends = chances[more] if more < len(chances) else _prior_ending(first + more)
        going_on *= 1 - ends
    return more


def _or_input(price: float | None, prices: Prices) -> float:
    return prices.input if price is None else price


def _check(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise InvalidValue(f"{name} is {value}")
