"""Trimming: the oldest turns go, whole steps at a time, until the rest fits.

What always stays: system text, what is pinned, calls that wait for their results, the last thing
the user said, the newest step after it, and what came last, wherever it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lifelong.errors import InvalidValue
from lifelong.messages import Message, ToolResultPart
from lifelong.working.budget import Budget
from lifelong.working.history import ASKED, STEP, SYSTEM_TEXT, CountMessage, History, Unit
from lifelong.working.plan import SHRINK, TRIM, Edit, Plan
from lifelong.working.truncate import truncate

WHOLE_TURN_SHARE = 0.1
SHRUNK_TOKENS_MIN = 32


@dataclass(frozen=True)
class TrimTurns:
    """Drop the oldest turns.

    A turn goes as a whole. Only one that is larger than a tenth of the budget loses its oldest
    steps first and keeps what the user said; the running turn too, if nothing else is left.

    Attributes:
        turns: keep the newest so many whole turns, whatever they cost; None to go by the budget.
    """

    turns: int | None = None

    def __post_init__(self) -> None:
        if self.turns is not None and self.turns < 1:
            raise InvalidValue(f"turns is {self.turns}, and must be at least 1")

    def starts_at(self, budget: Budget) -> int:
        """Return from how many tokens on it acts."""
        return budget.available_tokens if self.turns is None else 0

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return one edit that drops what is too much, or none."""
        if self.turns is not None:
            dropped = [
                unit
                for turn in history.turns[: -self.turns]
                for unit in turn
                if not stays(unit, history)
            ]
            return _dropping(dropped, f"turns older than the newest {self.turns}")
        excess = history.tokens - budget.available_tokens
        if excess <= 0:
            return Plan()
        dropped = oldest(history, excess, _share(budget))
        return _dropping(dropped, "the oldest turns, to fit the budget")


def _share(budget: Budget) -> int:
    return int(budget.available_tokens * WHOLE_TURN_SHARE)


def _dropping(units: Sequence[Unit], reason: str) -> Plan:
    if not units:
        return Plan()
    tokens = sum(unit.tokens for unit in units)
    return Plan((Edit(TRIM, reason, tuple(unit.no for unit in units), (), tokens, 0),))


def stays(unit: Unit, history: History) -> bool:
    """Return whether a unit stays even when its turn goes."""
    return (
        unit.kind == SYSTEM_TEXT
        or unit.is_open
        or unit.is_anchor
        or unit.no < 0
        or unit.no == history.newest_no
        or not unit.messages
        or unit.no in history.kept
    )


def oldest(history: History, excess_tokens: int, whole_turn_tokens: int) -> list[Unit]:
    """Return the oldest units, enough to free `excess_tokens` if there are so many, in order.

    Args:
        history: the history.
        excess_tokens: how much has to go.
        whole_turn_tokens: a larger turn may lose its steps one by one.
    """
    found: list[Unit] = []
    freed = 0
    for group in _groups(history, whole_turn_tokens):
        if freed >= excess_tokens:
            break
        found.extend(group)
        freed += sum(unit.tokens for unit in group)
    return sorted(found, key=lambda unit: unit.no)


def _groups(history: History, whole_turn_tokens: int) -> list[list[Unit]]:
    """Return what goes together, in the order it goes."""
    *earlier, running = history.turns or ((),)
    groups = [group for turn in earlier for group in _groups_of(turn, history, whole_turn_tokens)]
    # A call that waits for its result goes only when nothing else is left of earlier turns.
    waiting = [unit for turn in earlier for unit in turn if unit.is_open]
    groups += [[unit] for unit in waiting if _may_go_at_last(unit, history)]
    groups += [[unit] for unit in _older_of(running, history)]
    return [group for group in groups if group]


def _groups_of(turn: Sequence[Unit], history: History, whole_turn_tokens: int) -> list[list[Unit]]:
    loose = [unit for unit in turn if not stays(unit, history)]
    if sum(unit.tokens for unit in loose) <= whole_turn_tokens:
        return [loose]
    asked = [unit for unit in loose if unit.kind == ASKED]
    return [*([unit] for unit in loose if unit.kind != ASKED), asked]


def _may_go_at_last(unit: Unit, history: History) -> bool:
    return not (unit.is_anchor or unit.no in history.kept)


def _older_of(running: Sequence[Unit], history: History) -> list[Unit]:
    """Return what may go of the running turn: not what was asked, and not the newest step."""
    newest = [unit.no for unit in running if unit.kind == STEP and unit.messages][-1:]
    return [
        unit
        for unit in running
        if unit.kind != ASKED and unit.no not in newest and not stays(unit, history)
    ]


@dataclass(frozen=True)
class ShrinkResults:
    """Cut the middle out of tool results when nothing else can go: the largest first."""

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return one edit for each step with a result that is cut."""
        excess = history.tokens - budget.available_tokens
        edits: list[Edit] = []
        while excess > 0 and len(edits) < len(history.units):
            done = {edit.units[0] for edit in edits}
            units = [
                unit
                for unit in history.units
                if unit.kind == STEP and unit.no not in done and unit.no not in history.kept
            ]
            largest = max(units, key=lambda unit: unit.tokens, default=None)
            edit = None if largest is None else self._edit(largest, excess, history.count)
            if edit is None:
                break
            edits.append(edit)
            excess -= edit.tokens_before - edit.tokens_after
        return Plan(tuple(edits))

    def _edit(self, unit: Unit, excess_tokens: int, count: CountMessage) -> Edit | None:
        sizes = {
            place: count(message)
            for place, message in enumerate(unit.messages)
            if any(isinstance(part, ToolResultPart) for part in message.parts)
        }
        total = sum(sizes.values())
        if not total:
            return None
        keep = max(total - excess_tokens, 0) / total
        messages = tuple(
            _shrunk(message, int(sizes[place] * keep)) if place in sizes else message
            for place, message in enumerate(unit.messages)
        )
        tokens = sum(map(count, messages))
        if tokens >= unit.tokens:
            return None
        shrunk = replace(unit, messages=messages, tokens=tokens, whole=unit.said)
        reason = "results too large for the window, cut in the middle"
        return Edit(SHRINK, reason, (unit.no,), (shrunk,), unit.tokens, tokens)


def _shrunk(message: Message, tokens_max: int) -> Message:
    results = [part for part in message.parts if isinstance(part, ToolResultPart)]
    share = max(tokens_max // len(results), SHRUNK_TOKENS_MIN)
    parts = tuple(
        ToolResultPart(part.call_id, truncate(part.text, share), part.is_error)
        if isinstance(part, ToolResultPart)
        else part
        for part in message.parts
    )
    return replace(message, parts=parts, raw=None)
