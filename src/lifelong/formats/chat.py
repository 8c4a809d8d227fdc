"""OpenAI's Chat Completions format, as OpenAI and the many compatible providers speak it.

One item is one message. What this file does not know (roles, part types, keys) stays in the raw
item and goes back with it. Whether a list of items is a valid request is not asked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from lifelong.formats import attachments
from lifelong.formats.calls import arguments_text
from lifelong.formats.rendered import Rendered, name_of
from lifelong.formats.shape import (
    beside_text,
    content_of,
    id_of,
    items_of,
    joined_text,
    kind_of,
    mappings_of,
    role_of,
    text_of,
    word_of,
)
from lifelong.formats.strict_json import copied
from lifelong.messages import (
    ASSISTANT,
    DEVELOPER,
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

NAME = "chat"

_SPEAKING_ROLES = (SYSTEM, DEVELOPER, USER, ASSISTANT)
_SPEAKER_NAME = re.compile(r"[^\s<|\\/>]{1,64}")
# OpenAI refuses other names.

_ITEM_LEVEL_KINDS = ("function_call", "audio")
# What an assistant gave beside its content, in place of it.


def parse(payload: Any) -> list[Message]:
    """Return the messages of a list of chat items, one for each.

    Raises:
        FormatError: the payload is not of the format; the error names the place.
    """
    return [parse_item(item, f"items[{index}]") for index, item in enumerate(items_of(payload))]


def parse_item(item: Any, where: str) -> Message:
    """Return the message of one chat item.

    Args:
        item: a mapping with a role.
        where: the name of the item in an error.

    Raises:
        FormatError: the item is not of the format.
    """
    role = role_of(item, where)
    parts = [_parsed_result(item, where)] if role == TOOL else _parsed_parts(item, where)
    speaker = word_of(item, "name") if role in _SPEAKING_ROLES else ""
    return Message(
        role, tuple(parts), id=id_of(item), speaker=speaker or None, format=NAME, raw=item
    )


def _parsed_result(item: Raw, where: str) -> ToolResultPart:
    text = joined_text(content_of(item, where), where)
    return ToolResultPart(word_of(item, "tool_call_id"), text, raw=item)


def _parsed_parts(item: Raw, where: str) -> list[Part]:
    parts: list[Part] = []
    if reasoning := word_of(item, "reasoning_content"):
        parts.append(ReasoningPart(reasoning))
    content = content_of(item, where)
    if isinstance(content, list):
        for index, part in enumerate(content):
            parts.append(_parsed_part(part, f"{where}.content[{index}]"))
    elif content:
        parts.append(TextPart(content))
    if refusal := text_of(item, "refusal", where):
        parts.append(TextPart(refusal))
    if item.get("tool_calls") is not None:
        calls = mappings_of(item["tool_calls"], f"{where}.tool_calls")
        parts.extend(_parsed_call(call) for call in calls)
    parts.extend(
        OpaquePart(kind, raw={kind: item[kind]})
        for kind in _ITEM_LEVEL_KINDS
        if item.get(kind) is not None
    )
    return parts


def _parsed_part(part: Raw, where: str) -> Part:
    kind = word_of(part, "type")
    if kind in ("text", "refusal"):
        return TextPart(text_of(part, kind, where), raw=part)
    if kind in attachments.KINDS:
        return attachments.attachment_of(part)
    return OpaquePart(kind, raw=part)


def _parsed_call(call: Raw) -> ToolCallPart:
    body = call.get(word_of(call, "type") or "function")
    if not isinstance(body, Mapping):
        body = {}
    # A custom tool's call has free text as its input, where a function has arguments.
    arguments = body.get("arguments", body.get("input"))
    return ToolCallPart(
        word_of(call, "id"),
        word_of(body, "name"),
        "" if arguments is None else arguments,
        raw=call,
    )


def render(messages: Iterable[Message]) -> Rendered:
    """Return messages as chat items.

    A message that came in this format gives its raw item back. Another is made from its parts, and
    a part's own raw form is used where it is of this format. Assistant messages that follow one
    another become one item where one has a call, for chat wants results right after their calls.

    Raises:
        FormatError: the arguments of a call that was made in code are no JSON.
    """
    items: list[dict[str, Any]] = []
    dropped: list[str] = []
    open_reply: dict[str, Any] | None = None
    for index, message in enumerate(messages):
        losses: list[str] = []
        made = _items(message, losses)
        is_foreign_reply = message.role == ASSISTANT and message.format != NAME
        if not made:
            losses.append("nothing that chat can carry is in it, so the message was left out")
        elif open_reply is not None and is_foreign_reply and _has_call(open_reply, made[-1]):
            _join(open_reply, made.pop())
        else:
            open_reply = made[-1] if is_foreign_reply else None
        items.extend(made)
        dropped.extend(f"messages[{index}]: {loss}." for loss in losses)
    return Rendered(items, dropped=tuple(dropped))


def _items(message: Message, losses: list[str]) -> list[dict[str, Any]]:
    if message.format == NAME and message.raw is not None:
        return [copied(message.raw)]
    return _items_from_parts(message, losses)


def _items_from_parts(message: Message, losses: list[str]) -> list[dict[str, Any]]:
    is_own = message.format == NAME
    results: list[dict[str, Any]] = []
    content: list[dict[str, Any]] = []
    item: dict[str, Any] = {"role": message.role, "content": None}
    for part in message.parts:
        if isinstance(part, ToolResultPart) and message.role in (TOOL, USER):
            results.append(_result_item(part, is_own, losses))
        elif not _is_put_on(item, part, is_own):
            content.extend(_content_parts(part, message, losses))
    if not content and not item.keys() - {"role", "content", "reasoning_content"}:
        return results
    item["content"] = _content(content)
    _name_speaker(item, message, losses)
    return [*results, item]


def _is_put_on(item: dict[str, Any], part: Part, is_own: bool) -> bool:
    """Put a part that stands beside the content on the item, and tell whether it is one."""
    if isinstance(part, ToolCallPart) and (is_own or item["role"] == ASSISTANT):
        item.setdefault("tool_calls", []).append(_call(part, is_own))
        return True
    if isinstance(part, ReasoningPart) and is_own:
        item["reasoning_content"] = part.text
        return True
    if isinstance(part, OpaquePart) and is_own and part.kind in _ITEM_LEVEL_KINDS:
        item.update(copied(part.raw or {}))
        return True
    return False


def _has_call(*items: dict[str, Any]) -> bool:
    return any("tool_calls" in item for item in items)


def _join(item: dict[str, Any], later: dict[str, Any]) -> None:
    item["content"] = _content([*_as_parts(item["content"]), *_as_parts(later["content"])])
    item["tool_calls"] = [*item.get("tool_calls", ()), *later.get("tool_calls", ())]
    for key in later.keys() - item.keys():
        item[key] = later[key]


def _as_parts(content: str | list[dict[str, Any]] | None) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content or []


def _result_item(part: ToolResultPart, is_own: bool, losses: list[str]) -> dict[str, Any]:
    if is_own and part.raw is not None:
        raw: dict[str, Any] = copied(part.raw)
        return raw
    name = name_of(part)
    losses.extend(
        f"a part of type {kind_of(block)!r} cannot stand in {name}"
        for block in beside_text(part.raw)
    )
    if part.is_error:
        losses.append(f"chat has no error mark, so {name} stands without it")
    return {"role": TOOL, "tool_call_id": part.call_id, "content": part.text}


def _call(part: ToolCallPart, is_own: bool) -> dict[str, Any]:
    if is_own and part.raw is not None:
        raw: dict[str, Any] = copied(part.raw)
        return raw
    function = {"name": part.name, "arguments": arguments_text(part)}
    return {"id": part.id, "type": "function", "function": function}


def _content_parts(part: Part, message: Message, losses: list[str]) -> list[dict[str, Any]]:
    if isinstance(part, TextPart | AttachmentPart | OpaquePart) and message.role != TOOL:
        if message.format == NAME and part.raw is not None:
            return [copied(part.raw)]
        if isinstance(part, TextPart):
            return [{"type": "text", "text": part.text}] if part.text.strip() else []
        if isinstance(part, AttachmentPart) and message.role == USER:
            made = attachments.for_chat(part.raw)
            if made is not None:
                return [made]
    losses.append(f"{name_of(part)} cannot stand in a chat item of role {message.role!r}")
    return []


def _content(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]] | None:
    if len(parts) == 1 and parts[0].keys() == {"type", "text"}:
        # Some compatible providers take nothing but a string.
        text: str = parts[0]["text"]
        return text
    return parts or None


def _name_speaker(item: dict[str, Any], message: Message, losses: list[str]) -> None:
    if message.speaker is None or message.role not in _SPEAKING_ROLES:
        return
    if _SPEAKER_NAME.fullmatch(message.speaker):
        item["name"] = message.speaker
    else:
        losses.append("the speaker's name is none that chat allows")
