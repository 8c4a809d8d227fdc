"""What a reader of transcripts says, one value at a time.

A transcript is read as a stream of events, so that a caller can store, count and report while a
large file is still being read. Storing is the caller's concern; nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lifelong.messages import Message


@dataclass(frozen=True, slots=True)
class SessionStart:
    """A session begins, or a better title for it became known.

    It comes before the first message of its session. When it comes again under the same id, only
    the title is new.

    Attributes:
        session_id: usable as the name of a session, and the same in every run.
        title: a few words, or empty while nothing is known.
        source: one of `lifelong.transcripts.files.SOURCES`.
        metadata: what the tool says of the session, as a JSON object.
    """

    session_id: str
    title: str
    source: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """A message of a session; `message.id` is set, and unique in its session."""

    session_id: str
    message: Message


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A place that could not be read; what stands before and after it was read.

    Attributes:
        file: the path, as it was given.
        line: counted from 1; 0 when it is about the whole file or an element inside a JSON file.
        reason: in words, without the content of the line.
    """

    file: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something readable that carries no conversation, such as a progress line.

    Attributes:
        kind: the tool's own word for it.
    """

    kind: str


Event = SessionStart | SaidMessage | BrokenLine | Ignored
