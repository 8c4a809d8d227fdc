"""A plan: the edits that make a history fit, each with its reason and what it costs and saves.

A plan is a value. `apply` is the one place where a plan changes what would be sent, and what it
changes is a new history: the one given stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from lifelong.working.budget import Budget
from lifelong.working.history import History, Repair, Unit

CLEAR, CLEAR_REASONING, TRIM, COMPACT, SHRINK, ANCHOR = (
    "clear",
    "clear_reasoning",
    "trim",
    "compact",
    "shrink",
    "anchor",
)
"""The actions of edits; `anchor` drops what a provider's own compaction stands for."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Units that are replaced by others, or by nothing.

    Attributes:
        action: ``clear``, ``clear_reasoning``, ``trim``, ``compact``, ``shrink`` or ``anchor``.
        reason: why, in words without content.
        units: the numbers of the units that go.
        replacement: what stands in the place of the first of them, or before `place`.
        tokens_before, tokens_after: what stood there, and what stands there now.
        place: the number of the unit before which the replacement stands; None for the first of
            `units`.
    """

    action: str
    reason: str
    units: tuple[int, ...]
    replacement: tuple[Unit, ...]
    tokens_before: int
    tokens_after: int
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Warned:
    """What is about to be cleared, told before it happens.

    Attributes:
        tokens_left: how many more tokens fit before it happens.
        results: how many tool results would be cleared.
    """

    tokens_left: int
    results: int

    @property
    def text(self) -> str:
        """The warning in words for the model."""
        return (
            f"About {self.tokens_left} more tokens fit before older tool results are cleared "
            f"({self.results} of them). Save now what you will need of them."
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done so that a history fits.

    Attributes:
        edits: in the order they are applied.
        repairs: what was broken in what was given.
        tokens_before, tokens_after: of the history, repaired, without and with the edits.
        available_tokens: what it had to fit into.
        warning: what will be cleared soon, or None.
        prefix_tokens: of what stands before the first edit: a provider's cache keeps that much.
        notes: what else is to be said: a compaction that frees too little, say.
    """

    edits: tuple[Edit, ...] = ()
    repairs: tuple[Repair, ...] = ()
    tokens_before: int = 0
    tokens_after: int = 0
    available_tokens: int = 0
    warning: Warned | None = None
    prefix_tokens: int = 0
    notes: tuple[str, ...] = ()

    @property
    def tokens_saved(self) -> int:
        """Tokens that the edits take away."""
        return self.tokens_before - self.tokens_after


class Policy(Protocol):
    """Decides what to do so that a history fits a budget. It is pure: it changes nothing.

    A policy that acts before the budget is full also has a method `starts_at(budget)`, which
    returns from how many tokens on; one that adds something has
    `reserve_tokens(history, budget)`, which returns how many tokens the others are to leave free.
    """

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return the edits; those of the policies before it have been applied to the history."""
        ...


def apply(history: History, edits: Iterable[Edit]) -> History:
    """Return the history with the edits made, one after the other."""
    edits = list(edits)
    if not edits:
        return history
    in_place: dict[int, Unit] = {}
    units: Sequence[Unit] = history.units
    gone = list(history.gone)
    for edit in edits:
        if len(edit.units) == len(edit.replacement) == 1 and edit.place is None:
            # Many results are cleared at once, and each in its place: one pass for all of them.
            in_place[edit.units[0]] = edit.replacement[0]
            continue
        units = _in_place(units, in_place)
        taken = set(edit.units)
        gone.extend(unit for unit in units if unit.no in taken)
        units = _replaced(units, edit)
        in_place = {}
    return replace(history, units=tuple(_in_place(units, in_place)), gone=tuple(gone))


def _in_place(units: Sequence[Unit], changed: dict[int, Unit]) -> Sequence[Unit]:
    return [changed.get(unit.no, unit) for unit in units] if changed else units


def _replaced(units: Sequence[Unit], edit: Edit) -> list[Unit]:
    gone = set(edit.units)
    place = edit.place if edit.place is not None else (edit.units[0] if edit.units else None)
    result: list[Unit] = []
    is_placed = False
    for unit in units:
        if unit.no == place and not is_placed:
            result.extend(edit.replacement)
            is_placed = True
        if unit.no not in gone:
            result.append(unit)
    if not is_placed:
        result.extend(edit.replacement)
    return result
