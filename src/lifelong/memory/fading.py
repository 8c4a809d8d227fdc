"""Fading: how much a memory still weighs, and which are so weak and unused that they may go.

A store that only grows buries what matters under what once did. Nothing here deletes: it tells
which memories sink and which would go, so that the same answer serves a dry run and the real one.
Pure: memories and the present time in, decisions out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import NamedTuple

from lifelong.errors import InvalidValue
from lifelong.memory.entry import clean_least
from lifelong.records import Memory, Trust

HALF_LIFE_DAYS: Mapping[str, float | None] = MappingProxyType(
    {
        # An allergy that nobody mentioned for years is still one; a lost rule does harm.
        "constraint": None,
        # Tastes hold until the person says otherwise, and then the newer one replaces the older.
        "preference": None,
        # Ways of working outlive projects, and change with tools: about once a year.
        "procedure": 365.0,
        # Jobs, addresses and projects change within a year or two; what is used stays fresh.
        "fact": 120.0,
        # What happened stays true, but is asked about less with each month.
        "event": 90.0,
        # Nobody said what it is good for; what is not used within a month seldom is later.
        "note": 30.0,
    }
)
"""In how many days without use a memory's weight halves, by kind; None: never."""

BELOW_DEFAULT = 0.1
UNUSED_DAYS_DEFAULT = 180.0
IMPORTANCE_MAX = 10

_DAY = timedelta(days=1)


class Fades(NamedTuple):
    """What fades, the weakest first.

    Attributes:
        sinking: still there, and ranked lower.
        gone: may be removed.
    """

    sinking: tuple[Memory, ...]
    gone: tuple[Memory, ...]


def half_life_days(kind: str) -> float | None:
    """Return in how many days without use a memory's weight halves; None for one that keeps it.

    A kind that is not known keeps it, since a newer lifelong may have written it.
    """
    return HALF_LIFE_DAYS.get(kind)


def days_unused(memory: Memory, now: datetime) -> float:
    """Return how many days it was of no use, 0 at least.

    Being recorded, changed, confirmed and brought back are uses; and a memory does not age before
    it becomes true.
    """
    since = memory.recorded_at, memory.updated_at, memory.confirmed_at, memory.last_used_at
    latest = max(time for time in (*since, memory.valid_from) if time is not None)
    return max((now - latest) / _DAY, 0.0)


def strength(memory: Memory, now: datetime) -> float:
    """Return how much a memory still weighs, 0 to 1: its importance, halved by disuse."""
    share = memory.importance / IMPORTANCE_MAX
    half_life = half_life_days(memory.kind)
    return share if half_life is None else share * 0.5 ** (days_unused(memory, now) / half_life)


def fading(
    memories: Iterable[Memory],
    now: datetime,
    *,
    below: float = BELOW_DEFAULT,
    unused_days: float = UNUSED_DAYS_DEFAULT,
) -> Fades:
    """Return which memories sink, and which of those may go.

    Only what is weak and has not been used for a time may go. Never: constraints and preferences,
    what has a key, what the system said or a person vouched for, what is true only later, what
    waits for a person or is history already, and what a memory that stays was made from.

    Args:
        memories: all of the owner's, since one may be what another was made from.
        now: the present time.
        below: the strength under which a memory is weak, 0 to 1.
        unused_days: how long it must not have been of use.

    Raises:
        InvalidValue: `below` is no number from 0 to 1, or `unused_days` none of at least 0.
    """
    if not 0 <= clean_least(below, "below") <= 1:
        raise InvalidValue(f"below {below!r} is not from 0 to 1")
    if clean_least(unused_days, "unused_days") < 0:
        raise InvalidValue(f"unused_days {unused_days!r} is not 0 or more")
    given = list(memories)
    weak = sorted(
        (one for one in given if _can_sink(one) and strength(one, now) < below),
        key=lambda one: (strength(one, now), one.recorded_at, one.id),
    )
    going = {one.id for one in weak if _may_go(one, now, unused_days)}
    going -= _needed(given, going)
    return Fades(
        tuple(one for one in weak if one.id not in going),
        tuple(one for one in weak if one.id in going),
    )


def _can_sink(memory: Memory) -> bool:
    is_shown = memory.superseded_by is None and not memory.is_quarantined
    return is_shown and half_life_days(memory.kind) is not None


def _may_go(memory: Memory, now: datetime, days_min: float) -> bool:
    is_later = memory.valid_from is not None and memory.valid_from > now
    if is_later or memory.key is not None or _is_vouched_for(memory):
        return False
    return days_unused(memory, now) >= days_min


def _is_vouched_for(memory: Memory) -> bool:
    return memory.trust >= Trust.SYSTEM or memory.confirmed_at is not None


def _needed(memories: Sequence[Memory], going: set[str]) -> set[str]:
    """Return those of `going` that a memory which stays was made from, directly or not.

    Forgetting what a memory was made from takes that memory along.
    """
    parents = {one.id: one.origin.parents for one in memories}
    asked = [parent for id, of in parents.items() if id not in going for parent in of]
    needed = set[str]()
    while asked:
        parent = asked.pop()
        if parent in going and parent not in needed:
            needed.add(parent)
            asked += parents[parent]
    return needed
