"""Clocks that jump: a year back or forth, over a change to summer time, past 2038, or not at all.

The order of a session comes from its sequence, so no jump reorders it; what has no expiry stays;
ids stay unique; and what was acknowledged at any time is there at every other.
"""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from power_fail import fast_folder
from script import KEY, problems_of

import lifelong
from lifelong.conformance import said, texts

YEAR = timedelta(days=365)
BERLIN = ZoneInfo("Europe/Berlin")
MOMENTS = {
    "a year on": lambda now: now + YEAR,
    "a year back": lambda now: now - YEAR,
    "the same": lambda now: now,
    "a microsecond back": lambda now: now - timedelta(microseconds=1),
    "before summer time": lambda _: datetime(2026, 3, 29, 1, 59, 59, tzinfo=BERLIN),
    "after summer time": lambda _: datetime(2026, 3, 29, 3, 0, 0, tzinfo=BERLIN),
    "the hour twice": lambda _: datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1),
    "before 2038": lambda _: datetime(2038, 1, 19, 3, 14, 7, tzinfo=UTC),
    "after 2038": lambda _: datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
    "before 1970": lambda _: datetime(1969, 12, 31, 23, 59, tzinfo=UTC),
    "far on": lambda _: datetime(2120, 2, 29, tzinfo=UTC),
}


def jump(where: Path, seed: int, jumps: int) -> None:
    """Write while the clock jumps, and look after each jump.

    Raises:
        AssertionError: something does not hold.
    """
    chance = random.Random(seed)
    clock = lifelong.ManualClock()
    lines: list[str] = []
    facts: dict[str, str] = {}
    expiring: dict[str, datetime] = {}
    names: list[str] = []
    with lifelong.open(where, key=KEY, clock=clock) as engine:
        owner = engine.owner("ana")
        for number in range(jumps):
            names.append(chance.choice([*MOMENTS]))
            clock.set(MOMENTS[names[-1]](clock.now()))
            owner.session("s").append(said(f"line {number}"))
            lines.append(f"line {number}")
            kept = owner.remember(f"The lamp {number} is lit")
            if kept.id in facts:
                raise AssertionError(f"two memories have the id {kept.id}: {names}")
            facts[kept.id] = kept.memory.text
            until = clock.now() + timedelta(days=30)
            bell = owner.remember(f"The bell {number} rings", expires_at=until)
            expiring[bell.memory.text] = until
            if number % 3 == 0:
                _require(owner, clock.now(), lines=lines, facts=facts, expiring=expiring)
        if problems_of(owner):
            raise AssertionError(f"{problems_of(owner)} after {names}")
        owner.sweep()
        if texts(owner.session("s").messages()) != lines:
            raise AssertionError(f"a sweep took what has no expiry: {names}")
    with lifelong.open(where, key=KEY, clock=clock) as engine:
        _require(engine.owner("ana"), clock.now(), lines=lines, facts=facts, expiring={})


def _require(
    owner: lifelong.Owner,
    now: datetime,
    *,
    lines: list[str],
    facts: dict[str, str],
    expiring: dict[str, datetime],
) -> None:
    found = texts(owner.session("s").messages())
    if found != lines:
        raise AssertionError(f"reordered, or not all there: {found} at {now}")
    ids = [message.id for message in owner.session("s").messages()]
    if len({*ids}) != len(ids):
        raise AssertionError("two messages have one id")
    _require_memories({*texts(owner.memories())}, now, facts=facts, expiring=expiring)


def _require_memories(
    there: set[str], now: datetime, *, facts: dict[str, str], expiring: dict[str, datetime]
) -> None:
    missing = {*facts.values()} - there
    if missing:
        raise AssertionError(f"gone without an expiry: {missing} at {now}")
    live = {text for text, until in expiring.items() if until > now}
    wrong, hidden = (there & {*expiring}) - live, live - there
    if wrong or hidden:
        raise AssertionError(f"shown after its time: {wrong}; hidden before: {hidden}; at {now}")


def torture(seed: int, jumps: int) -> list[str]:
    """Let a clock jump so many times; return what went wrong."""
    folder = fast_folder()
    try:
        jump(folder / "data", seed, jumps)
    except (AssertionError, lifelong.LifelongError) as error:
        replay = f"python tests/torture clock-jumps --seed {seed}"
        return [f"{type(error).__name__}: {error}\n  replay: {replay}"]
    finally:
        shutil.rmtree(folder)
    return []
