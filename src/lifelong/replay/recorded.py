"""Recorded items of whatever format, as messages: each item's format is told by what is in it.

Programs write down what they sent and got: a provider's items, a payload around them, or the
trajectory files of agents. An item that cannot be read is left out and named. Files are opened by
others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats import parse
from lifelong.formats.storable import storable
from lifelong.messages import SYSTEM, USER, Message, TextPart
from lifelong.replay.moments import reply_id
from lifelong.working.repair import build

CHAT, RESPONSES, ANTHROPIC, GEMINI = "chat", "responses", "anthropic", "gemini"

_ITEMS_OF = {
    "messages": None,
    "traj": None,
    "history": None,
    "input": RESPONSES,
    "contents": GEMINI,
}
"""Where a payload or a trajectory has its items, and the format that this alone tells."""

_NAMES = ("session_id", "id", "instance_id", "task_id")
_TRIAL = "trial"
_RESPONSES_TYPES = (
    *("function_call", "function_call_output", "reasoning", "item_reference", "compaction"),
    *("custom_tool_call", "custom_tool_call_output", "web_search_call", "file_search_call"),
    *("computer_call", "computer_call_output", "code_interpreter_call", "mcp_call"),
)
_RESPONSES_BLOCKS = ("input_text", "output_text", "input_image", "input_file")
_ANTHROPIC_BLOCKS = (
    *("tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"),
    *("server_tool_use", "web_search_tool_result"),
)
_CHAT_BLOCKS = ("image_url", "input_audio", "refusal", "file")
_CHAT_ROLES = ("tool", "function", "developer")
_CHAT_KEYS = ("tool_calls", "tool_call_id", "tool_call_ids", "reasoning_content")
_SWE_IDS = "tool_call_ids"
_TOLD_MAX = 5


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was read of a session.

    Attributes:
        format: that most of its items have.
        messages: in order.
        notes: what was left out or mended, in words.
    """

    format: str
    messages: tuple[Message, ...]
    notes: tuple[str, ...] = ()


def items_in(value: object) -> str | None:
    """Return the key under which a JSON object has the items of a session; None for no session."""
    if not isinstance(value, Mapping):
        return None
    for key in _ITEMS_OF:
        held = value.get(key)
        if isinstance(held, list) or (key == "input" and isinstance(held, str)):
            return key
    return None


def is_item(value: object) -> bool:
    """Return whether a JSON value looks like one item of one of the formats."""
    if not isinstance(value, Mapping):
        return False
    return isinstance(value.get("role"), str) or value.get("type") in _RESPONSES_TYPES


def name_in(value: Mapping[str, Any]) -> object:
    """Return what a payload or trajectory calls its session, or None."""
    name = next((value[key] for key in _NAMES if value.get(key) not in (None, "")), None)
    if name is not None and isinstance(value.get(_TRIAL), int) and "traj" in value:
        return f"{name}/trial{value[_TRIAL]}"
    return name


def read_payload(value: Mapping[str, Any]) -> Recorded:
    """Return what a payload or a trajectory holds; `items_in` must have found its items."""
    key = items_in(value) or ""
    held = value.get(key)
    items = [{"role": USER, "content": held}] if isinstance(held, str) else list(held or ())
    known = _ITEMS_OF.get(key)
    if key == "messages" and value.get("system") is not None:
        known = ANTHROPIC
    notes: list[str] = []
    opening = _opening(value, known, notes)
    return _read(items, known, opening, notes)


def read_items(items: Sequence[Any], notes: Iterable[str] = ()) -> Recorded:
    """Return what a list of items holds.

    Args:
        items: JSON values.
        notes: what is known already to be missing.
    """
    return _read(items, None, [], list(notes))


def notes_on(messages: Sequence[Message], format: str) -> list[str]:
    """Return what is broken in a session and will be mended where it is sent, in words."""
    repairs = build(messages, format, count=lambda _: 0).repairs
    reasons = sorted(Counter(repair.reason for repair in repairs).items())
    return [f"mended where it is sent, {count} x: {reason}" for reason, count in reasons]


def whole_replies(messages: Sequence[Message]) -> list[Message]:
    """Return the items of a log as Anthropic's API gave and took them.

    A log may write each block of a reply as an item of its own, with the result of a call between
    it and the next, and items of nothing. A program that sends its messages has each reply whole.
    """
    whole: list[Message] = []
    replies: dict[str, int] = {}
    for message in messages:
        if all(isinstance(part, TextPart) and not part.text.strip() for part in message.parts):
            continue
        name = reply_id(message)
        place = replies.get(name) if name is not None else None
        if place is None:
            if name is not None:
                replies[name] = len(whole)
            whole.append(message)
            continue
        raw = {**(whole[place].raw or {}), "content": [*_blocks(whole[place]), *_blocks(message)]}
        joined = parse([raw], ANTHROPIC)[0]
        whole[place] = replace(
            joined, id=whole[place].id, speaker=whole[place].speaker, sent_at=message.sent_at
        )
    return whole


def _blocks(message: Message) -> list[Any]:
    content = (message.raw or {}).get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def _opening(value: Mapping[str, Any], known: str | None, notes: list[str]) -> list[Message]:
    """Return the system text that stands beside the items."""
    try:
        if known == ANTHROPIC:
            return parse({"messages": [], "system": storable(value["system"])[0]}, ANTHROPIC)
        if known == GEMINI:
            return parse({**storable(dict(value))[0], "contents": []}, GEMINI)
        instructions = value.get("instructions")
        if known == RESPONSES and isinstance(instructions, str) and instructions:
            item = {"role": SYSTEM, "content": storable(instructions)[0]}
            return parse([item], RESPONSES)
    except FormatError as error:
        notes.append(f"the system text was left out: {error.detail}")
    return []


def _read(
    items: Sequence[Any], known: str | None, opening: Sequence[Message], notes: list[str]
) -> Recorded:
    told = [known or _format_of(item) for item in items]
    votes = Counter(filter(None, told))
    # Of two with as many, the one that comes first in the alphabet: the same in every run.
    most = min(votes, key=lambda name: (-votes[name], name)) if votes else CHAT
    if len(votes) > 1:
        notes.append(f"items of several formats: {', '.join(sorted(votes))}")
    messages = list(opening)
    broken: list[str] = []
    renamed = 0
    for place, (item, format) in enumerate(zip(items, told, strict=True), 1):
        plain = _plain(item)
        renamed += plain is not item
        try:
            messages += parse([storable(plain)[0]], format or most)
        except FormatError as error:
            broken.append(f"item {place}: {error.detail.replace('items[0]', 'it', 1)}")
    if renamed:
        notes.append(f"{renamed} result(s) name their call as SWE-agent does; read as chat's")
    notes += broken[:_TOLD_MAX]
    if len(broken) > _TOLD_MAX:
        notes.append(f"and {len(broken) - _TOLD_MAX} more items cannot be read")
    return Recorded(most, tuple(messages), tuple(notes))


def _plain(item: Any) -> Any:
    """Return a result of SWE-agent's as chat has it: it names its one call in a list."""
    if not isinstance(item, dict) or item.get("role") != "tool" or "tool_call_id" in item:
        return item
    match item.get(_SWE_IDS):
        case [str(name)]:
            rest = {key: value for key, value in item.items() if key != _SWE_IDS}
            return {**rest, "tool_call_id": name}
    return item


def _format_of(item: Any) -> str | None:
    """Return the format that an item alone tells; None where several would do."""
    if not isinstance(item, Mapping):
        return None
    if isinstance(item.get("parts"), list):
        return GEMINI
    if item.get("type") in _RESPONSES_TYPES:
        return RESPONSES
    if item.get("role") in _CHAT_ROLES or any(key in item for key in _CHAT_KEYS):
        return CHAT
    content = item.get("content")
    kinds = {
        str(block.get("type"))
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, Mapping)
    }
    for format, types in (
        (ANTHROPIC, _ANTHROPIC_BLOCKS),
        (RESPONSES, _RESPONSES_BLOCKS),
        (CHAT, _CHAT_BLOCKS),
    ):
        if not kinds.isdisjoint(types):
            return format
    return None
