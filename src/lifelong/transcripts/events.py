"""What a reader of transcripts says, one value at a time.

A transcript is read as a stream of events, so that a caller can store, count and report while a
large file is still being read. Storing is the caller's concern; nothing here opens a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lifelong.file_records import FileVersion
from lifelong.forgetting import LegalHold, RetentionRule
from lifelong.messages import Message
from lifelong.records import Memory
from lifelong.writing import MemoryVersion


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


@dataclass(frozen=True, slots=True)
class KeptHead:
    """The beginning of our own export.

    Attributes:
        owner_id: whose it is, as it says.
        at: when it was made, as it says; None where it does not.
    """

    owner_id: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class KeptSession:
    """A session as our own export has it; its messages are told apart from it."""

    session_id: str
    title: str
    source: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptMessage:
    """A message as our own export has it.

    Attributes:
        line: where it stands.
        session_id: of its session.
        id: of the message; it need not be in `message`.
        message: as its payload reads, so that the same payload is kept again.
        sent_at, recorded_at: as they were kept; None where nothing is said.
    """

    line: int
    session_id: str
    id: str
    message: Message
    sent_at: datetime | None
    recorded_at: datetime | None


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """A memory as our own export or another tool has it; none of it is believed yet.

    Attributes:
        line: where it stands; of another tool's store, which one it is, from 1.
        memory: as the line says, its trust too.
        history: its versions, oldest first.
        parent_sessions: the sessions of those of its parents that are messages, by their ids.
        digest: of the line but its seal.
        seal: as the line has it, or empty.
    """

    line: int
    memory: Memory
    history: tuple[MemoryVersion, ...]
    parent_sessions: Mapping[str, str]
    digest: str
    seal: str


@dataclass(frozen=True, slots=True)
class KeptConflict:
    """Two memories of our own export that contradict each other; nobody decided yet."""

    older_id: str
    newer_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class KeptState:
    """A named value of our own export."""

    line: int
    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class KeptTombstone:
    """Something that was forgotten where the export comes from; nothing of what it said.

    Attributes:
        line: where it stands.
        of: ``memory``, ``message`` or ``file``.
        id: of the memory or message; the path of the file.
        session_id: of a message; empty for the rest.
        at: when it was forgotten.
        digest: of the line but its seal.
        seal: as the line has it, or empty.
    """

    line: int
    of: str
    id: str
    session_id: str
    at: datetime
    digest: str
    seal: str


@dataclass(frozen=True, slots=True)
class KeptRule:
    """A rule of retention, or a legal hold.

    Attributes:
        line: where it stands.
        rule: as the line says; not believed yet.
        digest: of the line but its seal.
        seal: as the line has it, or empty.
    """

    line: int
    rule: RetentionRule | LegalHold
    digest: str
    seal: str


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A text that a file of file memory has, or had; none of it is believed yet.

    Attributes:
        line: where it stands.
        text: as the line says, its trust too; its number is 0.
        created_at, read_at: of the file; None where the text is one that ended.
        digest: of the line but its seal.
        seal: as the line has it, or empty.
    """

    line: int
    text: FileVersion
    created_at: datetime | None
    read_at: datetime | None
    digest: str
    seal: str


Sealed = KeptTombstone | KeptRule | KeptFile
"""What is done only under this owner's seal, or where a person vouches for it."""

Kept = KeptSession | KeptMessage | KeptMemory | KeptConflict | KeptState | Sealed
"""What only our own export has."""

Event = SessionStart | SaidMessage | BrokenLine | Ignored | KeptHead | Kept
