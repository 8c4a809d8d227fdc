"""OpenAI's Responses format: its input items, as the Agents SDK keeps them too.

A message, a reasoning, a call and an output are items of their own, and each is one message here.
What this file does not know, and what runs at the provider and so is never answered, is opaque: it
stays in the raw item and goes back with it. Whether a list of items is a valid request is not asked
here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lifelong.formats import attachments
from lifelong.formats.calls import arguments_text
from lifelong.formats.rendered import Rendered, name_of
from lifelong.formats.response_items import (
    CALLS,
    FUNCTION_CALL,
    call_item,
    call_of,
    output_item,
    result_of,
)
from lifelong.formats.shape import (
    TEXT_TYPES,
    beside_text,
    content_of,
    id_of,
    items_of,
    kind_of,
    mapping_of,
    mappings_of,
    role_of,
    text_of,
    word_of,
)
from lifelong.formats.strict_json import copied
from lifelong.messages import (
    ASSISTANT,
    ROLES,
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

NAME = "responses"

_MESSAGE = "message"
_REASONING = "reasoning"
_REFERENCE = "item_reference"
_BY_THE_USER = ("mcp_approval_response",)
_PLACEHOLDER_ID = "__fake"
# The Agents SDK gives every item of a model without ids this same one.


def parse(payload: Any) -> list[Message]:
    """Return the messages of a list of Responses items, one for each.

    Raises:
        FormatError: the payload is not of the format; the error names the place.
    """
    return [parse_item(item, f"items[{index}]") for index, item in enumerate(items_of(payload))]


def parse_item(item: Any, where: str) -> Message:
    """Return the message of one Responses item.

    Args:
        item: a mapping with a role or a type; one with neither is kept unread.
        where: the name of the item in an error.

    Raises:
        FormatError: the item is not of the format.
    """
    kind = _kind(mapping_of(item, where))
    if kind == _MESSAGE:
        role = role_of(item, where)
        parts = _parsed_content(item, where)
        return Message(role, tuple(parts), id=_id(item, kind), format=NAME, raw=item)
    role, part = _parsed_part(item, kind, where)
    return Message(role, (part,), id=_id(item, kind), format=NAME, raw=item)


def _kind(item: Raw) -> str:
    if kind := word_of(item, "type"):
        return kind
    if not item or "role" in item or "content" in item:
        return _MESSAGE
    return _REFERENCE if not item.keys() - {"id", "type"} else ""


def _id(item: Raw, kind: str) -> str | None:
    found = id_of(item)
    # These two name another item by its id.
    names_call = kind == "local_shell_call_output" and item.get("call_id", found) == found
    if kind == _REFERENCE or names_call:
        return None
    return None if found is None or found.startswith(_PLACEHOLDER_ID) else found


def _parsed_content(item: Raw, where: str) -> list[Part]:
    content = content_of(item, where)
    if isinstance(content, str):
        return [TextPart(content)] if content else []
    parts: list[Part] = []
    for index, part in enumerate(content):
        kind = word_of(part, "type")
        if kind in TEXT_TYPES or kind == "refusal":
            key = "refusal" if kind == "refusal" else "text"
            parts.append(TextPart(text_of(part, key, f"{where}.content[{index}]"), raw=part))
        elif kind in attachments.KINDS:
            parts.append(attachments.attachment_of(part))
        else:
            parts.append(OpaquePart(kind, raw=part))
    return parts


def _parsed_part(item: Raw, kind: str, where: str) -> tuple[str, Part]:
    if kind == _REASONING:
        texts = [
            text_of(block, "text", f"{where}.{key}[{index}]")
            for key in ("summary", "content")
            if item.get(key) is not None
            for index, block in enumerate(mappings_of(item[key], f"{where}.{key}"))
        ]
        return ASSISTANT, ReasoningPart("\n".join(texts), raw=item)
    if (call := call_of(item)) is not None:
        return ASSISTANT, call
    if (result := result_of(item, where)) is not None:
        return TOOL, result
    role = word_of(item, "role") or (USER if kind in _BY_THE_USER else ASSISTANT)
    return role, OpaquePart(kind, raw=item)


def render(messages: Iterable[Message]) -> Rendered:
    """Return messages as Responses items.

    A message that came in this format gives its raw item back. Another is made from its parts, and
    a part's own raw form is used where it is of this format; one message becomes several items
    where it has text and calls or results. Where reasoning cannot be carried, what follows in the
    reply stands without ids, for OpenAI refuses to find an item by its id without its reasoning.

    Raises:
        FormatError: the arguments of a call that was made in code are no JSON.
    """
    items: list[dict[str, Any]] = []
    dropped: list[str] = []
    call_kinds: dict[str, str] = {}
    is_reasoning_lost = False
    for index, message in enumerate(messages):
        losses: list[str] = []
        made = _items(message, call_kinds, losses)
        if not made:
            losses.append("nothing that responses can carry is in it, so the message was left out")
        is_reasoning_lost = message.role == ASSISTANT and (
            is_reasoning_lost or _loses_reasoning(message, made)
        )
        if is_reasoning_lost:
            _forget_ids(made)
        call_kinds.update((word_of(i, "call_id"), i["type"]) for i in made if _kind(i) in CALLS)
        items.extend(made)
        dropped.extend(f"messages[{index}]: {loss}." for loss in losses)
    return Rendered(items, dropped=tuple(dropped))


def _loses_reasoning(message: Message, made: list[dict[str, Any]]) -> bool:
    has_reasoning = any(isinstance(part, ReasoningPart) for part in message.parts)
    return has_reasoning and not any(_kind(item) == _REASONING for item in made)


def _forget_ids(items: list[dict[str, Any]]) -> None:
    for item in items:
        if _kind(item) in (_MESSAGE, *CALLS):
            item.pop("id", None)


def _items(message: Message, call_kinds: dict[str, str], losses: list[str]) -> list[dict[str, Any]]:
    if message.format == NAME and message.raw is not None:
        return [copied(message.raw)]
    if message.role not in ROLES and message.format != NAME:
        losses.append(f"responses has no role {message.role!r}")
        return []
    items: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    # What the user adds stands after the results, as in the formats that put both in one message.
    for part in sorted(message.parts, key=lambda part: not isinstance(part, ToolResultPart)):
        item = _item_of(part, message, call_kinds, losses)
        if item is None:
            content.extend(_content_parts(part, message, losses))
            continue
        items.extend(_message_items(message.role, content))
        content = []
        items.append(item)
    items.extend(_message_items(message.role, content))
    if items and message.speaker is not None:
        losses.append("responses has no place for the speaker's name")
    return items


def _message_items(role: str, content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not content:
        return []
    if len(content) == 1 and content[0].keys() == {"type", "text"}:
        return [{"role": role, "content": content[0]["text"]}]
    return [{"role": role, "content": content}]


def _item_of(
    part: Part, message: Message, call_kinds: dict[str, str], losses: list[str]
) -> dict[str, Any] | None:
    """Return the item that a part is by itself, or None when it is content of a message."""
    is_own = message.format == NAME
    is_whole = isinstance(part, ReasoningPart | ToolCallPart | ToolResultPart) or (
        isinstance(part, OpaquePart) and len(message.parts) == 1
    )
    if is_own and is_whole and part.raw is not None:
        raw: dict[str, Any] = copied(part.raw)
        return raw
    if isinstance(part, ToolCallPart) and message.role == ASSISTANT:
        return call_item(part, arguments_text(part))
    if isinstance(part, ToolResultPart) and message.role in (TOOL, USER):
        kind = call_kinds.get(part.call_id, FUNCTION_CALL)
        others = _beside_text(part, losses)
        return output_item(part, kind, attachments=others, losses=losses)
    return None


def _beside_text(part: ToolResultPart, losses: list[str]) -> list[dict[str, Any]]:
    blocks = []
    for block in beside_text(part.raw):
        made = attachments.for_responses(block)
        if made is None:
            losses.append(f"a part of type {kind_of(block)!r} cannot stand in {name_of(part)}")
        else:
            blocks.append(made)
    return blocks


def _content_parts(part: Part, message: Message, losses: list[str]) -> list[dict[str, Any]]:
    if isinstance(part, TextPart | AttachmentPart | OpaquePart) and message.role != TOOL:
        if message.format == NAME and part.raw is not None:
            return [copied(part.raw)]
        if isinstance(part, TextPart):
            kind = "output_text" if message.role == ASSISTANT else "input_text"
            return [{"type": kind, "text": part.text}] if part.text.strip() else []
        if isinstance(part, AttachmentPart) and message.role == USER:
            made = attachments.for_responses(part.raw)
            if made is not None:
                return [made]
    losses.append(f"{name_of(part)} cannot stand in a responses item of role {message.role!r}")
    return []
