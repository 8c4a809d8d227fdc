"""Rows of the log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lifelong.records import Trust
from lifelong.rows.index import IndexEntry


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message to be stored: the payload as it came, and what the index needs."""

    id: str
    role: str
    trust: Trust
    speaker: str | None
    sent_at: datetime | None
    recorded_at: datetime
    format: str
    payload: str
    entry: IndexEntry


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message as the store gives it back; the payload has not been read yet."""

    seq: int
    session_id: str
    id: str
    role: str
    speaker: str | None
    sent_at: datetime | None
    recorded_at: datetime
    format: str
    payload: str


@dataclass(frozen=True, slots=True)
class Newer:
    """The messages of a session after one of them.

    Attributes:
        generation: another number when messages were removed since, or the file is another one;
            what was read before must then be read again.
        messages: in order.
    """

    generation: int
    messages: list[StoredMessage]


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """What a part of a session was about: derived from its messages, and gone with any of them.

    Attributes:
        first_seq, last_seq: of the messages it was made from.
        text: the summary.
        carried: JSON text; what must stand word for word.
        made_by: the name of the summariser.
    """

    first_seq: int
    last_seq: int
    text: str
    carried: str
    made_by: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class SessionTurns:
    """How many messages of the user a session has, and when the last message was recorded."""

    session_id: str
    turns: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class SessionFields:
    """What is said of a session when it is appended to; None leaves a field as it is."""

    title: str | None = None
    source: str | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AppendCounts:
    """How many rows an append stored, met again, or left out.

    Attributes:
        added: stored now.
        duplicates: there already.
        forgotten: left out because they had been forgotten.
        unsaved: left out because retention lets no messages be saved.
    """

    added: int
    duplicates: int
    forgotten: int
    unsaved: int = 0
