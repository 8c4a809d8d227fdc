"""How a message is put into a store and comes out again: a format's name and a JSON text.

A provider's item is kept as it came, under the name of its format, so that rendering stays
lossless and a better parser reads old rows better. A message made in code has a native form. Where
a store keeps the two, and the ids and times beside them, is the store's concern.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats import FORMATS, parse_item
from lifelong.formats.shape import mapping_of, mappings_of, role_of, word_of
from lifelong.formats.strict_json import dumps, loads
from lifelong.messages import (
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

NATIVE = "lifelong"
"""The name of the native form. It is no format for providers, so it is not among `FORMATS`."""

_FIELDS: dict[str, tuple[type[Part], dict[str, type]]] = {
    "text": (TextPart, {"text": str}),
    "reasoning": (ReasoningPart, {"text": str}),
    "tool_call": (ToolCallPart, {"id": str, "name": str, "arguments": object}),
    "tool_result": (ToolResultPart, {"call_id": str, "text": str, "is_error": bool}),
    "attachment": (AttachmentPart, {"media_type": str, "caption": str}),
    "opaque": (OpaquePart, {"kind": str}),
}
_KIND_OF = {made: kind for kind, (made, _) in _FIELDS.items()}


def encode_parsed(message: Message, where: str = "item") -> tuple[str, str]:
    """Return what `encode` does, for a message that was parsed from its raw item just now.

    Raises:
        FormatError: something in it is no JSON value.
    """
    if message.raw is None or message.format is None:
        return encode(message, where)
    return message.format, dumps(message.raw, where)


def encode(message: Message, where: str = "item") -> tuple[str, str]:
    """Return the name of the form that a message is kept in, and its JSON text.

    The name is the message's format when it has the provider's item; only the item is in the text
    then. Otherwise it is `NATIVE`, and the text holds every field.

    Args:
        message: any message.
        where: the name of the message in an error.

    Raises:
        FormatError: something in it is no JSON value, or could not be read back.
    """
    # Each form is read once before it goes out: what cannot be read back must not be written.
    if message.raw is not None and message.format is not None and message.format in FORMATS:
        text = dumps(message.raw, where)
        parse_item(message.raw, message.format, where)
        return message.format, text
    item = _native(message)
    text = dumps(item, where)
    _from_native(item, where)
    return NATIVE, text


def decode(format: str, text: str) -> Message:
    """Return the message that `encode` gave as a format's name and a JSON text.

    Args:
        format: one of `FORMATS`, or `NATIVE`.
        text: the JSON text.

    Raises:
        UnknownFormat: there is no such format.
        FormatError: the text is broken, or is not of the format.
    """
    item = loads(text, "item")
    return _from_native(item, "item") if format == NATIVE else parse_item(item, format)


def changed(message: Message, change: Callable[[Any], Any]) -> Message:
    """Return the message with its item, or its native form, changed.

    Args:
        message: any message.
        change: takes a JSON object and returns it, the very same when there is nothing to change.

    Raises:
        FormatError: it is no message of its format any more.
    """
    is_item = message.raw is not None and message.format in FORMATS
    item = message.raw if is_item else _native(message)
    kept = change(item)
    if kept is item:
        return message
    if not is_item:
        return _from_native(kept, "item")
    made = parse_item(kept, str(message.format))
    return replace(made, id=message.id, speaker=message.speaker, sent_at=message.sent_at)


def _native(message: Message) -> dict[str, Any]:
    sent_at = message.sent_at
    item: dict[str, Any] = {
        "role": message.role,
        "parts": [_native_part(part) for part in message.parts],
        "id": message.id,
        "speaker": message.speaker,
        "sent_at": None if sent_at is None else sent_at.isoformat(),
        "format": message.format,
        "raw": message.raw,
    }
    return {key: value for key, value in item.items() if value is not None}


def _native_part(part: Part) -> dict[str, Any]:
    kind = _KIND_OF[type(part)]
    item = {"type": kind, **{name: getattr(part, name) for name in _FIELDS[kind][1]}}
    return item if part.raw is None else {**item, "raw": part.raw}


def _from_native(item: Any, where: str) -> Message:
    role = role_of(item, where)
    parts = mappings_of(item.get("parts"), f"{where}.parts")
    return Message(
        role,
        tuple(_part(part, f"{where}.parts[{index}]") for index, part in enumerate(parts)),
        id=_optional_text(item, "id", where),
        speaker=_optional_text(item, "speaker", where),
        sent_at=_time(item, where),
        format=_optional_text(item, "format", where),
        raw=_optional_raw(item, where),
    )


def _part(item: Raw, where: str) -> Part:
    kind = word_of(item, "type")
    if kind not in _FIELDS:
        raise FormatError(f"{where} has no type that is known")
    made, types = _FIELDS[kind]
    for name, wanted in types.items():
        if name not in item or not isinstance(item[name], wanted):
            raise FormatError(f"{where}.{name} is not what its type needs")
    return made(**{name: item[name] for name in types}, raw=_optional_raw(item, where))


def _optional_text(item: Raw, key: str, where: str) -> str | None:
    found = item.get(key)
    if found is None or isinstance(found, str):
        return found
    raise FormatError(f"{where}.{key} is not text")


def _optional_raw(item: Raw, where: str) -> Raw | None:
    return None if item.get("raw") is None else mapping_of(item["raw"], f"{where}.raw")


def _time(item: Raw, where: str) -> datetime | None:
    text = _optional_text(item, "sent_at", where)
    if text is None:
        return None
    try:
        sent_at = datetime.fromisoformat(text)
    except ValueError as error:
        raise FormatError(f"{where}.sent_at is no time") from error
    if sent_at.utcoffset() is None:
        raise FormatError(f"{where}.sent_at has no time zone")
    return sent_at
