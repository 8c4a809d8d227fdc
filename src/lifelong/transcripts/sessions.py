"""Messages and the starts of their sessions, as every reader makes them.

One item becomes one message by way of `lifelong.formats`. A session is announced before its first
message, and again when its title becomes known. What an item looks like is left to the readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats import parse
from lifelong.messages import USER, Message
from lifelong.transcripts.events import Event, SaidMessage, SessionStart
from lifelong.transcripts.fields import NAME_LENGTH, title_of


def message_of(item: Any, format_name: str) -> Message:
    """Return one item as a message.

    Args:
        item: what the provider's format calls a message; it stays as `raw`.
        format_name: ``anthropic`` or ``chat``.

    Raises:
        FormatError: the format does not describe such an item.
    """
    try:
        [message] = parse([item], format_name)
    except FormatError as error:
        detail = title_of(error.detail.replace("items[0]", "the message", 1), NAME_LENGTH)
        raise FormatError(detail) from error
    return message


class Sessions:
    """The sessions that a reader of lines has met, for the starts that are due.

    Args:
        source: the name of the reader.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._starts: dict[str, SessionStart] = {}
        self._early_titles: dict[str, str] = {}

    def is_titled(self, session_id: str) -> bool:
        """Return whether a title of the session is known."""
        start = self._starts.get(session_id)
        return bool(start.title if start else self._early_titles.get(session_id))

    def begin(
        self, session_id: str, title: str, metadata: Mapping[str, Any]
    ) -> Iterator[SessionStart]:
        """Yield the start of a session that is new, or that had no title and has one now."""
        start = self._starts.get(session_id)
        if start is None:
            title = self._early_titles.pop(session_id, title)
            start = SessionStart(session_id, title, self._source, metadata)
            self._starts[session_id] = start
            yield start
        elif title and not start.title:
            yield from self.rename(session_id, title)

    def rename(self, session_id: str, title: str) -> Iterator[SessionStart]:
        """Yield the start of a session under a new title; keep the title until it begins."""
        start = self._starts.get(session_id)
        if start is None:
            self._early_titles[session_id] = title
        elif start.title != title:
            self._starts[session_id] = replace(start, title=title)
            yield self._starts[session_id]


def whole_session(start: SessionStart, events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events of one session that is wholly in memory, led by its start.

    Without a message there is no session, and no start. Without a title, the first text of the
    user is the title.
    """
    found = list(events)
    said = [event.message for event in found if isinstance(event, SaidMessage)]
    if said:
        yield start if start.title else replace(start, title=first_words(said))
    yield from found


def first_words(messages: Iterable[Message]) -> str:
    """Return what the user said first, as a title; empty where the user said nothing."""
    titles = (title_of(message.text) for message in messages if message.role == USER)
    return next(filter(None, titles), "")
