"""How the messages of a step stand: replies first, results together, as a format wants them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lifelong.messages import TOOL, Message, Part, TextPart, ToolResultPart

INTERRUPTED = "The tool call was interrupted before a result was produced."
"""What stands in the place of a result that never came, in the words of pydantic-ai."""

_CHAT = "chat"


def interrupted(call_id: str, reply: Message) -> Message:
    """Return the result of a call that has none."""
    # It is of the format of the call, so that a renderer takes the id for the same id.
    result = ToolResultPart(call_id, INTERRUPTED, is_error=True)
    return Message(TOOL, (result,), format=reply.format)


def is_interruption(message: Message) -> bool:
    """Return whether a message is what `interrupted` made."""
    return message.raw is None and any(
        isinstance(part, ToolResultPart) and part.text == INTERRUPTED for part in message.parts
    )


def apart(results: list[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """Return results with what is said beside them after the last, so that they stand together.

    Each comes with the number of the reply it answers. The list itself is returned if nothing has
    to be moved.
    """
    held = [bool(_said(message)) for _, message in results[:-1]]
    if not any(held):
        return results
    first: list[tuple[int, Message]] = []
    after: list[tuple[int, Message]] = []
    for (reply, message), is_mixed in zip(results, [*held, False], strict=True):
        said = _said(message)
        if not is_mixed:
            first.append((reply, message))
            continue
        answers = [part for part in message.parts if isinstance(part, ToolResultPart)]
        first.append((reply, with_parts(message, answers)))
        if not all(isinstance(part, TextPart) and not part.text.strip() for part in said):
            after.append((reply, with_parts(message, said)))
    return [*first, *after]


def _said(message: Message) -> list[Part]:
    return [part for part in message.parts if not isinstance(part, ToolResultPart)]


def ordered(
    replies: Sequence[Message], results: Sequence[tuple[int, Message]], format: str
) -> list[Message]:
    """Return replies and results as a format wants them: results last, or after each of chat's."""
    if format != _CHAT or len(replies) == 1:
        return [*replies, *(message for _, message in results)]
    ordered: list[Message] = []
    start = 0
    for place, reply in enumerate(replies):
        ordered.append(reply)
        is_last = place == len(replies) - 1
        # Replies of other formats that follow one another become one item.
        if is_last or reply.format == _CHAT or replies[place + 1].format == _CHAT:
            run = range(start, place + 1)
            ordered.extend(message for of, message in results if of in run)
            start = place + 1
    return ordered


def with_parts(message: Message, parts: Sequence[Part]) -> Message:
    """Return a message that holds these parts, and so is no longer the item that came."""
    return replace(message, parts=tuple(parts), raw=None)
