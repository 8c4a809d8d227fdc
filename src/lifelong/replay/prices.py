"""PriceTable: what the requests of a replay would have cost, by the user's own figures.

No provider's price is built in: prices change, and an old one would decide silently. What is here
is the shape of them: a discount for what a cache holds, a surcharge for writing to it, the least it
takes, and other prices for long prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from lifelong.errors import InvalidValue
from lifelong.replay.figures import SENT, Asked, WayFigures
from lifelong.replay.written import values_in
from lifelong.working.cost import Prices, request_cost

CURRENCY = "USD"

PRICE_MAX = 1e12

_PRICES = tuple(field.name for field in fields(Prices))
_CACHE = ("minimum_tokens", "block_tokens")
_TIER = ("above_tokens", *_PRICES)
_SUMMARISER = (*_PRICES, "seconds_per_1000_tokens")
_TABLE = (*_PRICES, "currency", "cache", "tiers", "summariser")
_SECONDS = "summariser.seconds_per_1000_tokens"
_THOUSAND = 1_000


@dataclass(frozen=True, slots=True)
class Tier:
    """Other prices for long prompts: for all tokens of a request, as providers bill it.

    Attributes:
        above_tokens: they hold for prompts with more tokens than this.
        prices: of a million tokens.
    """

    above_tokens: int
    prices: Prices


@dataclass(frozen=True, slots=True)
class PriceTable:
    """What tokens cost.

    Attributes:
        base: of a million tokens, where no tier holds.
        currency: of all figures.
        minimum_tokens: a shorter beginning is not cached.
        block_tokens: a cache holds whole blocks of so many tokens.
        tiers: for long prompts, by their size.
        summariser: prices of the model that sums up, when it is another.
        summariser_seconds: how long it takes to write a thousand tokens, or None.
    """

    base: Prices
    currency: str = CURRENCY
    minimum_tokens: int = 0
    block_tokens: int = 1
    tiers: tuple[Tier, ...] = ()
    summariser: Prices | None = None
    summariser_seconds: float | None = None

    def prices_for(self, tokens: int) -> Prices:
        """Return the prices of a prompt of so many tokens."""
        found = self.base
        for tier in self.tiers:
            if tokens > tier.above_tokens:
                found = tier.prices
        return found


@dataclass(frozen=True, slots=True)
class Cost:
    """What requests cost, in the currency of the prices.

    Attributes:
        uncached, cached, written: what was sent: read anew, from the cache, and put into it.
        output: what the recorded model wrote.
        summaries: what summing up cost.
        summary_seconds: how long the summariser wrote, or None when nobody said.
    """

    uncached: float = 0.0
    cached: float = 0.0
    written: float = 0.0
    output: float = 0.0
    summaries: float = 0.0
    summary_seconds: float | None = None

    @property
    def total(self) -> float:
        """All of it."""
        return self.uncached + self.cached + self.written + self.output + self.summaries


def cost_of(asked: Sequence[Asked], table: PriceTable) -> Cost:
    """Return what requests cost.

    A request that could not be made, or that a provider refuses, costs nothing. Of the rest, the
    beginning that the request before had too is taken to be in the cache: the most that a cache can
    give. What is not is written to it where that has a price of its own and the prompt is long
    enough to be cached. A summariser reads in a prompt of its own, hence uncached.

    Args:
        asked: the requests of one way in one case, in order.
        table: the user's own prices.
    """
    parts = {"uncached": 0.0, "cached": 0.0, "written": 0.0, "output": 0.0, "summaries": 0.0}
    for each in asked:
        for name, cost in _parts(each, table):
            parts[name] += cost
    written = sum(each.summary_output_tokens for each in asked)
    each_token = table.summariser_seconds
    seconds = None if each_token is None else written / _THOUSAND * each_token
    return Cost(**parts, summary_seconds=seconds)


def request_costs(way: WayFigures, table: PriceTable) -> tuple[float, ...]:
    """Return what each request of a way cost, with the summaries made before it."""
    return tuple(sum(cost for _, cost in _parts(each, table)) for each in way.asked)


def _parts(asked: Asked, table: PriceTable) -> list[tuple[str, float]]:
    parts = [("summaries", _summaries(asked, table))]
    if asked.outcome != SENT:
        return parts
    prices = table.prices_for(asked.tokens)
    cached = _cached(asked, table)
    fresh = asked.tokens - cached
    is_written = prices.cache_write is not None and asked.tokens >= table.minimum_tokens
    kind = "written" if is_written else "uncached"
    counts = {
        "cached": {"cached_tokens": cached},
        kind: {f"{kind}_tokens": fresh},
        "output": {"output_tokens": asked.output_tokens},
    }
    none = {"cached_tokens": 0, "uncached_tokens": 0}
    return parts + [(name, request_cost(prices, **(none | got))) for name, got in counts.items()]


def _cached(asked: Asked, table: PriceTable) -> int:
    if asked.kept_tokens < table.minimum_tokens:
        return 0
    return asked.kept_tokens - asked.kept_tokens % table.block_tokens


def _summaries(asked: Asked, table: PriceTable) -> float:
    read, written = asked.summary_input_tokens, asked.summary_output_tokens
    if not (read or written):
        return 0.0
    a_prompt = read // max(asked.summaries, 1)  # each summary is asked for in one of its own
    prices = table.summariser or table.prices_for(a_prompt)
    return request_cost(prices, cached_tokens=0, uncached_tokens=read, output_tokens=written)


def read_prices(path: Path) -> PriceTable:
    """Return the prices in a TOML or JSON file.

    ``input`` and ``output`` must be there, for a million tokens each; ``cached_input``,
    ``cache_write``, ``currency``, ``cache`` (``minimum_tokens``, ``block_tokens``), ``tiers`` (each
    ``above_tokens`` and prices) and ``summariser`` (prices and ``seconds_per_1000_tokens``) may be.

    Raises:
        InvalidValue: a field is missing, unknown or no price; it names file and field.
        OSError: the file cannot be read.
    """
    given = values_in(path)
    try:
        return _table(_mapping(given, "the file"))
    except InvalidValue as error:
        raise InvalidValue(f"{path.name}: {error.detail}") from error


def _table(given: Mapping[str, Any]) -> PriceTable:
    _known(given, _TABLE, "")
    cache = _mapping(given.get("cache", {}), "cache")
    _known(cache, _CACHE, "cache.")
    summariser = given.get("summariser")
    seconds = None
    if summariser is not None:
        _known(_mapping(summariser, "summariser"), _SUMMARISER, "summariser.")
        seconds = summariser.get("seconds_per_1000_tokens")
    currency = given.get("currency", CURRENCY)
    if not isinstance(currency, str) or not currency.strip() or not currency.isprintable():
        raise InvalidValue(f"currency is {currency!r}, and must be a text of one line")
    base = _prices_in(given, "")
    return PriceTable(
        base=base,
        currency=currency.strip(),
        minimum_tokens=_tokens(cache.get("minimum_tokens", 0), "cache.minimum_tokens"),
        block_tokens=_tokens(cache.get("block_tokens", 1), "cache.block_tokens", least=1),
        tiers=_tiers(given.get("tiers", []), base),
        summariser=None if summariser is None else _prices_in(summariser, "summariser."),
        summariser_seconds=None if seconds is None else _price(seconds, _SECONDS),
    )


def _tiers(given: Any, base: Prices) -> tuple[Tier, ...]:
    """Return the tiers by size: each with all prices that those beside it name.

    One that is left out would be that of `input`: a long prompt would silently lose its discount.
    """
    if not isinstance(given, list):
        raise InvalidValue(f"tiers is {given!r}, and must be a list of tables")
    tiers: list[Tier] = []
    for place, each in enumerate(given):
        where = f"tiers[{place}]."
        _known(_mapping(each, where[:-1]), _TIER, where)
        if "above_tokens" not in each:
            raise InvalidValue(f"{where}above_tokens is missing")
        above = _tokens(each["above_tokens"], f"{where}above_tokens")
        if any(above == tier.above_tokens for tier in tiers):
            raise InvalidValue(f"{where}above_tokens is {above} a second time")
        prices = _prices_in(each, where)
        for name in _PRICES:
            if getattr(base, name) is not None and getattr(prices, name) is None:
                raise InvalidValue(f"{where}{name} is missing: outside of the tiers it is there")
        tiers.append(Tier(above, prices))
    return tuple(sorted(tiers, key=lambda tier: tier.above_tokens))


def _prices_in(given: Mapping[str, Any], where: str) -> Prices:
    for name in ("input", "output"):
        if name not in given:
            raise InvalidValue(f"{where}{name} is missing: the price of a million tokens")
    found = {name: _price(given[name], where + name) for name in _PRICES if name in given}
    try:
        return Prices(**found)
    except InvalidValue as error:
        raise InvalidValue(f"{where}{error.detail}") from error


def _price(given: Any, name: str) -> float:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    if not is_number or not 0 <= given < PRICE_MAX:
        raise InvalidValue(f"{name} is {given!r}, and must be a number from 0 on")
    return float(given)


def _tokens(given: Any, name: str, *, least: int = 0) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < least:
        raise InvalidValue(f"{name} is {given!r}, and must be a whole number from {least} on")
    return given


def _mapping(given: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InvalidValue(f"{name} is {type(given).__name__}, and must be a table")
    return given


def _known(given: Mapping[str, Any], names: Sequence[str], where: str) -> None:
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InvalidValue(f"{where}{unknown[0]} is not known; there are {', '.join(names)}")
