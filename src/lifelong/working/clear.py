"""Clearing: old tool results and old reasoning are blanked, and the steps that held them stay.

The defaults are those of Anthropic's context editing (clear_tool_uses_20250919): the newest three
results stay. A result that is cleared says so, and its call stays, so that the model knows that it
may ask again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from lifelong.errors import InvalidValue
from lifelong.messages import (
    ASSISTANT,
    Message,
    Part,
    ReasoningPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.working.budget import Budget
from lifelong.working.history import STEP, CountMessage, History, Unit
from lifelong.working.plan import CLEAR, CLEAR_REASONING, Edit, Plan

CLEARED = "[This result was cleared to save space. Call the tool again if it is needed.]"
KEEP_RESULTS = 3

_RESPONSES, _MESSAGE = "responses", "message"
_WITHOUT_ID = (_MESSAGE, "reasoning", "function_call", "custom_tool_call")
# OpenAI's types of items that may stand without an id.


@dataclass(frozen=True)
class ClearToolResults:
    """Blank the results of old tool calls.

    Attributes:
        trigger_tokens: act once the history is larger; None for once it does not fit.
        keep: how many of the newest results stay.
        exclude_tools: names of tools whose results stay.
        clear_inputs: blank the arguments of those calls too.
        at_least_tokens: do nothing if not so many tokens can be freed.
        placeholder: what stands in a result's place.
    """

    trigger_tokens: int | None = None
    keep: int = KEEP_RESULTS
    exclude_tools: Collection[str] = ()
    clear_inputs: bool = False
    at_least_tokens: int = 0
    placeholder: str = CLEARED

    def __post_init__(self) -> None:
        for name in ("keep", "at_least_tokens", "trigger_tokens"):
            value = getattr(self, name)
            if value is not None and value < 0:
                raise InvalidValue(f"{name} is {value}, and must not be negative")
        if isinstance(self.exclude_tools, str):
            raise InvalidValue("exclude_tools is one text; pass a list of names")

    def starts_at(self, budget: Budget) -> int:
        """Return from how many tokens on it acts."""
        if self.trigger_tokens is None:
            return budget.available_tokens
        return min(self.trigger_tokens, budget.available_tokens)

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return one edit for each step with results to clear, oldest first."""
        if history.tokens <= self.starts_at(budget):
            return Plan()
        found = [self._edit(unit, history.count) for unit in self._old(history)]
        edits = [edit for edit in found if edit is not None]
        if sum(edit.tokens_before - edit.tokens_after for edit in edits) < self.at_least_tokens:
            return Plan()
        return Plan(tuple(edits))

    def _old(self, history: History) -> list[Unit]:
        """Return the steps whose results may go, oldest first."""
        left = self.keep
        old: list[Unit] = []
        for unit in reversed(history.units):
            count = result_count(unit)
            if count and left <= 0 and unit.no not in history.kept and not unit.is_open:
                old.append(unit)
            left -= count
        return old[::-1]

    def _edit(self, unit: Unit, count: CountMessage) -> Edit | None:
        names = _excluded_ids(unit, self.exclude_tools)
        messages = tuple(self._cleared(message, names) for message in unit.messages)
        tokens = sum(map(count, messages))
        if tokens >= unit.tokens:
            return None
        cleared = replace(unit, messages=messages, tokens=tokens, whole=unit.said)
        return Edit(
            CLEAR,
            f"results older than the newest {self.keep}",
            (unit.no,),
            (cleared,),
            unit.tokens,
            tokens,
        )

    def _cleared(self, message: Message, excluded: Collection[str]) -> Message:
        parts = tuple(self._cleared_part(part, excluded) for part in message.parts)
        if all(new is old for new, old in zip(parts, message.parts, strict=True)):
            return message
        return replace(message, parts=parts, raw=None)

    def _cleared_part(self, part: Part, excluded: Collection[str]) -> Part:
        if isinstance(part, ToolResultPart) and part.call_id not in excluded:
            return ToolResultPart(part.call_id, self.placeholder, part.is_error)
        if self.clear_inputs and isinstance(part, ToolCallPart) and part.id not in excluded:
            return ToolCallPart(part.id, part.name, {})
        return part


def _excluded_ids(unit: Unit, tools: Collection[str]) -> Collection[str]:
    if not tools:
        return ()
    return {part.id for part in _calls(unit) if part.name in tools}


def _calls(unit: Unit) -> Iterator[ToolCallPart]:
    for message in unit.messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                yield part


def result_count(unit: Unit) -> int:
    """Return how many tool results a unit holds."""
    if unit.kind != STEP or len(unit.messages) == 1:
        return 0
    return sum(
        isinstance(part, ToolResultPart) for message in unit.messages for part in message.parts
    )


@dataclass(frozen=True)
class ClearReasoning:
    """Take the reasoning out of old turns; whole blocks only, since they are signed.

    Attributes:
        trigger_tokens: act once the history is larger; None for once it does not fit.
        keep_turns: how many of the newest turns keep theirs; the running one always does.
    """

    trigger_tokens: int | None = None
    keep_turns: int = 1

    def __post_init__(self) -> None:
        if self.keep_turns < 1:
            raise InvalidValue("keep_turns is below 1, and a running turn needs its reasoning")

    def starts_at(self, budget: Budget) -> int:
        """Return from how many tokens on it acts."""
        if self.trigger_tokens is None:
            return budget.available_tokens
        return min(self.trigger_tokens, budget.available_tokens)

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return one edit for each step with reasoning to clear, oldest first."""
        if history.tokens <= self.starts_at(budget):
            return Plan()
        turns = history.turns[: -self.keep_turns]
        edits = [
            edit
            for turn in turns
            for unit in turn
            if unit.kind == STEP and unit.no not in history.kept
            if (edit := self._edit(unit, history.count)) is not None
        ]
        return Plan(tuple(edits))

    def _edit(self, unit: Unit, count: CountMessage) -> Edit | None:
        parts = [part for message in unit.messages for part in message.parts]
        if not any(isinstance(part, ReasoningPart) for part in parts):
            return None
        if any(map(_needs_its_reasoning, unit.messages)):
            return None
        messages = tuple(
            made for message in unit.messages if (made := _without_reasoning(message)) is not None
        )
        if not messages:
            # A reply of nothing but reasoning would leave a step of nothing.
            return None
        tokens = sum(map(count, messages))
        cleared = replace(unit, messages=messages, tokens=tokens, whole=unit.said)
        return Edit(
            CLEAR_REASONING,
            "reasoning of older turns",
            (unit.no,),
            (cleared,),
            unit.tokens,
            tokens,
        )


def _needs_its_reasoning(message: Message) -> bool:
    """Return whether an item has an id that it cannot do without, and so needs its reasoning."""
    if message.format != _RESPONSES or message.raw is None or not message.raw.get("id"):
        return False
    return message.role == ASSISTANT and message.raw.get("type", _MESSAGE) not in _WITHOUT_ID


def _without_reasoning(message: Message) -> Message | None:
    if message.role != ASSISTANT:
        return message
    parts = tuple(part for part in message.parts if not isinstance(part, ReasoningPart))
    if message.format == _RESPONSES:
        # OpenAI refuses to find an item by its id without its reasoning.
        if not parts:
            return None
        raw = None if message.raw is None else _without_id(message.raw)
        return replace(message, raw=raw)
    if len(parts) == len(message.parts):
        return message
    return replace(message, parts=parts, raw=None) if parts else None


def _without_id(raw: object) -> dict[str, object] | None:
    if not isinstance(raw, dict):
        return None
    return {key: value for key, value in raw.items() if key != "id"}
