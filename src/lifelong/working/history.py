"""A history as units that are never split.

A unit is a system message, a user's message, a note that nobody said, or a step: one reply of the
model with the results of all its calls. How messages become units is told in `working.repair`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from lifelong.messages import USER, Message, ToolCallPart
from lifelong.working.steps import is_interruption

SYSTEM_TEXT, ASKED, STEP, NOTE = "system", "user", "step", "note"
"""The kinds of units; a block that was added is a note."""

CountMessage = Callable[[Message], int]
"""Returns what a message costs, in tokens."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is kept or dropped as a whole.

    Attributes:
        no: its place among the units of the history; below 0 for a block that was added.
        kind: ``system``, ``user``, ``step`` or ``note``.
        messages: as they would be sent.
        tokens: what they cost.
        positions: where its messages stand in what was given; a message that was added has none.
        is_open: whether a call waits for its result.
        is_anchor: whether a provider's own compaction is in it, which stands for all before it.
        whole: its messages before anything in them was cleared, if anything was.
    """

    no: int
    kind: str
    messages: tuple[Message, ...]
    tokens: int
    positions: tuple[int, ...] = ()
    is_open: bool = False
    is_anchor: bool = False
    whole: tuple[Message, ...] | None = None

    @property
    def said(self) -> tuple[Message, ...]:
        """Its messages as they came: whatever was cleared since, and without what was added."""
        messages = self.messages if self.whole is None else self.whole
        if not self.is_open:
            return messages
        return tuple(message for message in messages if not is_interruption(message))


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing that was broken in what was given, and what was done about it on read.

    Attributes:
        action: ``dropped``, ``moved`` or ``answered``.
        reason: why, in words without content.
        position: where the message stands in what was given; None for one that was added.
        tokens_before, tokens_after: what stood there, and what stands there now.
    """

    action: str
    reason: str
    position: int | None
    tokens_before: int
    tokens_after: int


@dataclass(frozen=True)
class History:
    """A session as units.

    Attributes:
        units: in order.
        count: what a message costs, in tokens.
        repairs: what was broken.
        kept: numbers of units that must stay, beside those that always do.
        gone: units that edits have taken away, in the order they went.
    """

    units: tuple[Unit, ...]
    count: CountMessage
    repairs: tuple[Repair, ...] = ()
    kept: frozenset[int] = frozenset()
    gone: tuple[Unit, ...] = ()

    @cached_property
    def tokens(self) -> int:
        """What all units cost."""
        return sum(unit.tokens for unit in self.units)

    @cached_property
    def newest_no(self) -> int:
        """The number of the unit that holds the newest message: the model has not seen it yet."""
        shown = (unit for unit in self.units if unit.messages and unit.positions)
        newest = max(shown, key=lambda unit: max(unit.positions), default=None)
        return -1 if newest is None else newest.no

    @cached_property
    def system_tokens(self) -> int:
        """What the system text costs: it stays, so shares are of what is left beside it."""
        return sum(unit.tokens for unit in self.units if unit.kind == SYSTEM_TEXT)

    @cached_property
    def turns(self) -> tuple[tuple[Unit, ...], ...]:
        """The turns: a user's message and all up to the next one. The first may have no user."""
        starts = [place for place, unit in enumerate(self.units) if unit.kind == ASKED]
        edges = [*starts, len(self.units)]
        if edges[0]:
            edges.insert(0, 0)
        return tuple(self.units[start:end] for start, end in pairwise(edges))

    def count_text(self, text: str) -> int:
        """Return what a text costs as a message of its own."""
        return self.count(Message.of(USER, text))

    def keeping(self, ids: frozenset[str], tools: frozenset[str]) -> History:
        """Return the history with the units kept that hold these messages, or calls of these tools.

        Args:
            ids: of messages that are pinned.
            tools: names of tools that are protected.
        """
        if not ids and not tools:
            return self
        kept = {unit.no for unit in self.units if _is_wanted(unit, ids, tools)}
        return replace(self, kept=self.kept | kept)

    def newest_positions(self, items_max: int) -> list[int]:
        """Return where the newest messages stand that are whole units, at most so many.

        A step whose calls wait for a result is not whole.
        """
        positions: list[int] = []
        for unit in reversed(self.units):
            if unit.is_open or not unit.messages:
                continue
            if len(positions) + len(unit.positions) > items_max:
                break
            positions.extend(unit.positions)
        return sorted(positions)


def _is_wanted(unit: Unit, ids: frozenset[str], tools: frozenset[str]) -> bool:
    if ids and any(message.id in ids for message in unit.messages):
        return True
    return bool(tools) and any(
        isinstance(part, ToolCallPart) and part.name in tools
        for message in unit.messages
        for part in message.parts
    )
