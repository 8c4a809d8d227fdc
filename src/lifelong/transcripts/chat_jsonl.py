"""Chats as JSON lines, the plain exchange format of agents and data sets.

A line is a whole session, ``{"messages": [...]}``, or one item, ``{"role": ..., "content": ...}``.
Items are in the chat format; what a line says around them (session, time, id) is taken out of
them, so that they can be sent to a provider as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError
from lifelong.messages import Message
from lifelong.transcripts.content import OnBytes
from lifelong.transcripts.events import BrokenLine, Event, SaidMessage
from lifelong.transcripts.fields import (
    NAME_LENGTH,
    derived_id,
    file_stem,
    session_name,
    time_of,
    title_of,
    usable_name,
)
from lifelong.transcripts.lines import JsonLine, json_lines
from lifelong.transcripts.sessions import Sessions, first_words, message_of

SOURCE = "chat"

_TIMES = ("timestamp", "created_at")
_AROUND = ("session_id", "id", *_TIMES)


def read(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Yield what a file of chats holds, in the order of its lines.

    A line with messages is a session named by its ``session_id`` or ``id``, or else by the file and
    the number of the line; its ``created_at`` is the time of those messages that have none.
    Items without a ``session_id`` are one session named after the file. An item without an ``id``
    gets one from its session, its content, and its position (in the list, or in the file).

    Args:
        file: a JSONL file, plain or packed with gzip.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
    """
    sessions = Sessions(SOURCE)
    for line in json_lines(file, on_bytes):
        if isinstance(line, BrokenLine):
            yield line
            continue
        try:
            if isinstance(line.item.get("messages"), list):
                yield from _conversation(file, line, sessions)
            elif "role" in line.item:
                yield from _single(file, line, sessions)
            else:
                yield BrokenLine(str(file), line.number, "it has neither messages nor a role")
        except FormatError as error:
            yield BrokenLine(str(file), line.number, error.detail)


def _conversation(file: Path, line: JsonLine, sessions: Sessions) -> Iterator[Event]:
    names = (line.item.get("session_id"), line.item.get("id"))
    session_id = session_name(names, f"{file_stem(file)}/{line.number}")
    title = title_of(line.item.get("title"), NAME_LENGTH)
    if title:
        yield from sessions.rename(session_id, title)
    events = list(_events(file, line, session_id))
    said = [event.message for event in events if isinstance(event, SaidMessage)]
    if said:
        yield from sessions.begin(session_id, first_words(said), {})
    yield from events


def _events(file: Path, line: JsonLine, session_id: str) -> Iterator[SaidMessage | BrokenLine]:
    time = _time(line.item)
    for position, item in enumerate(line.item["messages"]):
        try:
            yield SaidMessage(session_id, _message(item, session_id, position, time))
        except FormatError as error:
            reason = f"message {position + 1}: {error.detail}"
            yield BrokenLine(str(file), line.number, reason)


def _single(file: Path, line: JsonLine, sessions: Sessions) -> Iterator[Event]:
    session_id = session_name([line.item.get("session_id")], file_stem(file))
    message = _message(line.item, session_id, line.number, None)
    title = "" if sessions.is_titled(session_id) else first_words([message])
    yield from sessions.begin(session_id, title, {})
    yield SaidMessage(session_id, message)


def _message(item: Any, session_id: str, position: int, default: datetime | None) -> Message:
    if not isinstance(item, dict):
        raise FormatError("not a JSON object")
    bare = {key: value for key, value in item.items() if key not in _AROUND}
    has_time = any(item.get(key) is not None for key in _TIMES)
    sent_at = _time(item) if has_time else default
    message = message_of(bare, "chat")
    message_id = usable_name(item.get("id")) or derived_id(session_id, position, bare)
    return replace(message, id=message_id, sent_at=sent_at)


def _time(item: dict[str, Any]) -> datetime | None:
    return next(filter(None, (time_of(item.get(key)) for key in _TIMES)), None)
