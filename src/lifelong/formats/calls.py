"""Calls of tools on their way from one format into another: their ids and their arguments.

A call and its result find one another by the call's id, and some providers give one id again in
every turn, or none at all, where others refuse a request with an id that comes twice. Which results
are missing, and what to do about it, is not asked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import count
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats.strict_json import dumps, loads
from lifelong.messages import Message, Part, ToolCallPart, ToolResultPart


def distinct_calls(messages: Iterable[Message], format: str) -> list[Message]:
    """Return the messages with no id for two calls; a result keeps to the call that it answers.

    Args:
        messages: of any format. Those of `format` itself stay as they are.
        format: the name of the format that they are about to be rendered in.
    """
    given = list(messages)
    used = {""}
    for message in given:
        if message.format == format:
            used.update(part.id for part in message.parts if isinstance(part, ToolCallPart))
    new_ids: dict[str, list[str]] = {}
    return [
        message if message.format == format else _distinct(message, used, new_ids)
        for message in given
    ]


def _distinct(message: Message, used: set[str], new_ids: dict[str, list[str]]) -> Message:
    parts: list[Part] = []
    called_here: set[str] = set()
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            new_id = _unused(part.id, used)
            used.add(new_id)
            if part.id not in called_here:
                new_ids[part.id] = []
            called_here.add(part.id)
            new_ids[part.id].append(new_id)
            parts.append(part if new_id == part.id else replace(part, id=new_id))
        elif isinstance(part, ToolResultPart) and part.call_id in new_ids:
            waiting = new_ids[part.call_id]
            # Calls that share one id are answered in their order.
            new_id = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            parts.append(part if new_id == part.call_id else replace(part, call_id=new_id))
        else:
            parts.append(part)
    is_same = all(new is old for new, old in zip(parts, message.parts, strict=True))
    return message if is_same else replace(message, parts=tuple(parts))


def _unused(given: str, used: set[str]) -> str:
    if given not in used:
        return given
    return next(
        new_id for number in count(2) if (new_id := f"{given or 'call'}_{number}") not in used
    )


def arguments_text(part: ToolCallPart) -> str:
    """Return the arguments of a call as text.

    Raises:
        FormatError: they are no JSON.
    """
    if isinstance(part.arguments, str):
        return part.arguments
    return dumps(part.arguments, f"the arguments of call {part.id!r}")


def arguments_object(part: ToolCallPart, losses: list[str]) -> dict[str, Any]:
    """Return the arguments of a call as a JSON object, and tell when they were none.

    Args:
        part: the call.
        losses: where to tell of it.

    Raises:
        FormatError: they are no JSON.
    """
    where = f"the arguments of call {part.id!r}"
    text = arguments_text(part)
    if not text.strip():
        return {}
    try:
        found = loads(text, where)
    except FormatError:
        found = None
    if isinstance(found, dict):
        return found
    losses.append(f"{where} are no JSON object, so they stand as text under 'raw_arguments'")
    return {"raw_arguments": text}
