"""Conditions on the totals of a replay, for a build that is to fail when memory gets worse."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields

from lifelong.errors import InvalidValue
from lifelong.replay.totals import WayTotals
from lifelong.replay.windows import window_of

METRICS = tuple(
    field.name for field in fields(WayTotals) if field.name not in ("policy", "window_tokens")
)
"""What a condition may be about: the figures of `WayTotals`."""

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_SHAPE = re.compile(
    r"(?P<metric>\w+)\s*(?P<sign>>=|<=|==|!=|>|<)\s*(?P<limit>[0-9_]*(?:\.[0-9]+)?)\s*(?P<share>%?)",
    re.ASCII,
)
_TOLD = 60
"""Of what was written, so many characters are told."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition that ways must meet.

    Attributes:
        text: as it was written.
        metric: one of `METRICS`.
        sign: how it is compared.
        limit: with what.
        policy: only of this policy; empty for all.
        window_tokens: only at this window; None for all.
    """

    text: str
    metric: str
    sign: str
    limit: float
    policy: str = ""
    window_tokens: int | None = None

    def is_about(self, totals: WayTotals) -> bool:
        """Return whether the totals of a way are to meet it."""
        is_window = self.window_tokens in (None, totals.window_tokens)
        return self.policy in ("", totals.policy) and is_window


def parse(text: str) -> Assertion:
    """Return the condition that a text says: ``survival>=0.97``, ``invalid==0``.

    Before it may stand of what: ``clear+trim:cost<=1.5``, ``default@16k:survival>=95%``.

    Raises:
        InvalidValue: it is none; it names what is known.
    """
    about, _, condition = text.strip().rpartition(":")
    found = _SHAPE.fullmatch(condition.strip())
    if found is None:
        raise InvalidValue(f"{text[:_TOLD]!r} is no condition; write it as survival>=0.97")
    if found["metric"] not in METRICS:
        raise InvalidValue(f"{found['metric']!r} is not one of {', '.join(METRICS)}")
    try:
        number = float(found["limit"])  # it may have _ between digits, as in Python
    except ValueError:
        told = f"{text[:_TOLD]!r} compares with {found['limit'][:_TOLD]!r}, which is no number"
        raise InvalidValue(told) from None
    # A policy of one's own is called module:object, so the last signs count.
    policy, at, window = about.rpartition("@")
    return Assertion(
        text=text.strip(),
        metric=found["metric"],
        sign=found["sign"],
        limit=number / 100 if found["share"] else number,
        policy=(policy if at else about).strip(),
        window_tokens=window_of(window) if at else None,
    )


def failed(assertions: Sequence[Assertion], totals: Sequence[WayTotals]) -> tuple[str, ...]:
    """Return what breaks the conditions, in words with the figures; nothing when all hold.

    A condition about no way at all is broken, and so is one about a figure that is not there.
    """
    return tuple(words for each in assertions for words in _failures(each, totals))


def _failures(assertion: Assertion, totals: Sequence[WayTotals]) -> Iterator[str]:
    about = [each for each in totals if assertion.is_about(each)]
    if not about:
        yield f"{assertion.text}: no such policy or window was replayed"
    for each in about:
        value = getattr(each, assertion.metric)
        way = f"{each.policy} at {each.window_tokens:,}"
        if value is None:
            yield f"{assertion.text}: {way} has no figure for {assertion.metric}"
        elif not _COMPARE[assertion.sign](value, assertion.limit):
            yield f"{assertion.text}: {way} has {assertion.metric} {value:,}"
