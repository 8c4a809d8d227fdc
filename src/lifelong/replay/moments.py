"""The moments of a recorded session at which the model was really asked.

A moment is what had been said when a request was made, and what the model then answered. How a
request would be made at it is left to the ways; here the recording alone is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lifelong.messages import (
    ASSISTANT,
    USER,
    Message,
    TextPart,
    ToolResultPart,
)
from lifelong.working.history import SYSTEM_TEXT, History
from lifelong.working.repair import HistoryBuilder

_ANTHROPIC = "anthropic"


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a request was made.

    Attributes:
        position: of the first message of the reply: so many messages had been said.
        turn: messages of the user so far, at least 1.
        replies: the positions of what the model answered. Some logs write a reply as several
            items, and a result as soon as it is there.
    """

    position: int
    turn: int
    replies: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """What there was when a request was made.

    Attributes:
        number: of the request in its case, from 1.
        turn: of the session.
        items: the messages of the case as they were said, the later ones too.
        position: how many of them had been said.
        history: of those, repaired.
    """

    number: int
    turn: int
    items: Sequence[Message]
    position: int
    history: History


def is_asked(message: Message) -> bool:
    """Return whether a message is the user's word: no result of a tool, and not nothing."""
    if message.role != USER:
        return False
    if any(isinstance(part, ToolResultPart) for part in message.parts):
        return False
    return any(not isinstance(part, TextPart) or part.text.strip() for part in message.parts)


def turns_of(messages: Sequence[Message]) -> int:
    """Return how many messages the user wrote."""
    return sum(map(is_asked, messages))


def cuts_of(messages: Sequence[Message]) -> list[Cut]:
    """Return where the model spoke, in order."""
    cuts: list[Cut] = []
    start = turn = 0
    for replies in _replies(messages):
        turn += turns_of(messages[start : replies[0]])
        start = replies[0]
        cuts.append(Cut(start, max(turn, 1), tuple(replies)))
    return cuts


def moments_of(
    messages: Sequence[Message], cuts: Sequence[Cut], builder: HistoryBuilder
) -> Iterator[tuple[Cut, Moment]]:
    """Yield the moments at which there was something to send, each with its cut.

    Where nothing but system text had been said, nobody was asked: a greeting is text of a program.

    Args:
        messages: of a case.
        cuts: of these messages.
        builder: a new one, of the format of the case.
    """
    built = number = 0
    for cut in cuts:
        builder.extend(messages[built : cut.position])
        built = cut.position
        history = builder.history()
        if any(unit.messages for unit in history.units if unit.kind != SYSTEM_TEXT):
            number += 1
            yield cut, Moment(number, cut.turn, messages, cut.position, history)


def _replies(messages: Sequence[Message]) -> list[list[int]]:
    """Return the positions of each reply of the model."""
    replies: list[list[int]] = []
    for position, message in enumerate(messages):
        if message.role != ASSISTANT:
            continue
        last = replies[-1] if replies else []
        name = reply_id(message)
        follows = bool(last) and last[-1] == position - 1
        is_same = bool(last) and name is not None and name == reply_id(messages[last[-1]])
        if follows or is_same:
            last.append(position)
        else:
            replies.append([position])
    return replies


def reply_id(message: Message) -> str | None:
    """Return the id that Anthropic gave to the whole reply that an item is of."""
    if message.format != _ANTHROPIC or message.raw is None:
        return None
    found = message.raw.get("id")
    return found if isinstance(found, str) and found else None
