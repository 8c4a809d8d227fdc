"""Anthropic's Messages format.

The payload is the list of messages, or a mapping with `system` and `messages`; the top-level system
becomes a first message of role system. Other system messages stand in the list, where they stay.
What this file does not know (block types, keys) stays in the raw item and goes back with it. Blocks
of tools that run at the provider (server_tool_use and its results) belong together inside one
message, so they are opaque here. Whether a list of messages is a valid request is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats import attachments
from lifelong.formats.calls import arguments_object
from lifelong.formats.rendered import Rendered, name_of
from lifelong.formats.shape import (
    beside_text,
    checked,
    content_of,
    id_of,
    items_of,
    joined_text,
    kind_of,
    role_of,
    text_of,
    word_of,
)
from lifelong.formats.strict_json import copied
from lifelong.messages import (
    ASSISTANT,
    DEVELOPER,
    ROLES,
    SYSTEM,
    TOOL,
    USER,
    AttachmentPart,
    Message,
    OpaquePart,
    Part,
    Raw,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

NAME = "anthropic"

_OUTSIDE_IDS = re.compile(r"[^a-zA-Z0-9_-]")
_SYSTEM_ROLES = (SYSTEM, DEVELOPER)


def parse(payload: Any) -> list[Message]:
    """Return the messages of a payload: one for the top-level system, one for each item.

    Args:
        payload: a list of items, or a mapping with `messages` and perhaps `system`. Its other keys
            are the request's settings, and are not kept.

    Raises:
        FormatError: the payload is not of the format; the error names the place.
    """
    messages: list[Message] = []
    if isinstance(payload, Mapping):
        if "messages" not in payload:
            raise FormatError("the payload is a mapping without 'messages'")
        if payload.get("system") is not None:
            system = {"role": SYSTEM, "content": checked(payload["system"], "system")}
            messages.append(parse_item(system, "system"))
        payload = payload["messages"]
    for index, item in enumerate(items_of(payload)):
        messages.append(parse_item(item, f"items[{index}]"))
    return messages


def parse_item(item: Any, where: str) -> Message:
    """Return the message of one item.

    Args:
        item: a mapping with a role.
        where: the name of the item in an error.

    Raises:
        FormatError: the item is not of the format.
    """
    role = role_of(item, where)
    content = content_of(item, where)
    parts: list[Part] = []
    if isinstance(content, list):
        for index, block in enumerate(content):
            parts.append(_parsed_block(block, f"{where}.content[{index}]"))
    elif content:
        parts.append(TextPart(content))
    return Message(role, tuple(parts), id=id_of(item), format=NAME, raw=item)


def _parsed_block(block: Raw, where: str) -> Part:
    kind = word_of(block, "type")
    match kind:
        case "text":
            return TextPart(text_of(block, "text", where), raw=block)
        case "thinking":
            return ReasoningPart(text_of(block, "thinking", where), raw=block)
        case "redacted_thinking":
            return ReasoningPart("", raw=block)
        case "tool_use":
            arguments = block.get("input")
            return ToolCallPart(
                word_of(block, "id"),
                word_of(block, "name"),
                {} if arguments is None else arguments,
                raw=block,
            )
        case "tool_result":
            text = joined_text(content_of(block, where), where)
            is_error = block.get("is_error") is True
            return ToolResultPart(word_of(block, "tool_use_id"), text, is_error, raw=block)
        case _ if kind in attachments.KINDS:
            return attachments.attachment_of(block)
        case _:
            return OpaquePart(kind, raw=block)


def render(messages: Iterable[Message]) -> Rendered:
    """Return messages as Anthropic's items and top-level system.

    A message that came in this format gives its raw item back. Another is made from its parts, and
    a part's own raw form is used where it is of this format. Assistant messages that follow one
    another become one item, and tool messages one user item. System messages become the top-level
    system, save those of this format that stand after another item: they stay in their place.

    Raises:
        FormatError: the arguments of a call that was made in code are no JSON.
    """
    items: list[dict[str, Any]] = []
    systems: list[Any] = []
    dropped: list[str] = []
    open_role: str | None = None
    for index, message in enumerate(messages):
        losses: list[str] = []
        made = _item(message, losses)
        if made is None:
            losses.append("nothing that anthropic can carry is in it, so the message was left out")
        elif message.role in _SYSTEM_ROLES and not (items and _has_own_raw(message)):
            systems.append(made.get("content"))
            if made.keys() - {"role", "content"}:
                losses.append("the top-level system carries nothing but the content")
        elif open_role is not None and open_role == _joined_role(message):
            items[-1]["content"] = [*_as_blocks(items[-1]), *_as_blocks(made)]
        else:
            items.append(made)
            open_role = _joined_role(message)
        dropped.extend(f"messages[{index}]: {loss}." for loss in losses)
    return Rendered(items, _joined_system(systems), tuple(dropped))


def _joined_role(message: Message) -> str | None:
    is_joined = message.format != NAME and message.role in (ASSISTANT, TOOL)
    return message.role if is_joined else None


def _as_blocks(item: dict[str, Any]) -> list[dict[str, Any]]:
    content = item["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _has_own_raw(message: Message) -> bool:
    return message.format == NAME and message.raw is not None


def _joined_system(systems: list[Any]) -> Any:
    if not systems:
        return None
    first, *others = systems
    if not others:
        return first
    blocks: list[dict[str, Any]] = []
    for system in systems:
        if isinstance(system, list):
            blocks.extend(system)
        elif isinstance(system, str) and system.strip():
            blocks.append({"type": "text", "text": system})
    return blocks or None


def _item(message: Message, losses: list[str]) -> dict[str, Any] | None:
    if _has_own_raw(message):
        raw: dict[str, Any] = copied(message.raw)
        return raw
    if message.role not in ROLES and message.format != NAME:
        losses.append(f"anthropic has no role {message.role!r}")
        return None
    # Anthropic refuses a user message whose tool results do not come first.
    parts = sorted(message.parts, key=lambda part: not isinstance(part, ToolResultPart))
    blocks = [block for part in parts for block in _blocks(part, message, losses)]
    if not blocks:
        return None
    if message.speaker is not None:
        losses.append("anthropic has no place for the speaker's name")
    role = USER if message.role == TOOL else message.role
    is_text = len(blocks) == 1 and blocks[0].keys() == {"type", "text"} and message.role != TOOL
    return {"role": role, "content": blocks[0]["text"] if is_text else blocks}


def _blocks(part: Part, message: Message, losses: list[str]) -> list[dict[str, Any]]:
    if message.format == NAME and part.raw is not None:
        return [copied(part.raw)]
    match part, message.role:
        case TextPart(text), role if role != TOOL:
            return [{"type": "text", "text": text}] if text.strip() else []
        case ToolCallPart(_, name), "assistant":
            call = {"type": "tool_use", "id": _call_id(part.id, message), "name": name}
            return [{**call, "input": arguments_object(part, losses)}]
        case ToolResultPart(), "tool" | "user":
            return [_result_block(part, _call_id(part.call_id, message), losses)]
        case AttachmentPart(raw=raw), "user" if made := attachments.for_anthropic(raw):
            return [made]
    losses.append(f"{name_of(part)} cannot stand in an anthropic item of role {message.role!r}")
    return []


def _result_block(part: ToolResultPart, call_id: str, losses: list[str]) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call_id}
    others: list[dict[str, Any]] = []
    for other in beside_text(part.raw):
        made = attachments.for_anthropic(other)
        if made is None:
            losses.append(f"a part of type {kind_of(other)!r} cannot stand in {name_of(part)}")
        else:
            others.append(made)
    text = part.text if part.text.strip() else ""
    if others:
        texts = [{"type": "text", "text": text}] if text else []
        block["content"] = [*texts, *others]
    elif text:
        block["content"] = text
    if part.is_error:
        block["is_error"] = True
    return block


def _call_id(given: str, message: Message) -> str:
    # Anthropic refuses any other character, and some chat providers give ids like "functions.f:0".
    # One in its own format is left, since the call that it goes with may stand there as it came.
    if message.format == NAME:
        return given
    return _OUTSIDE_IDS.sub(lambda found: f"_{ord(found[0]):x}_", given)
