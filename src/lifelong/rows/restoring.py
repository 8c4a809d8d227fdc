"""Rows of an export on their way back: what the file says, what it meets, what becomes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from lifelong.records import Memory, Namespace, Trust
from lifelong.rows.memories import MemoryWrite
from lifelong.writing import MemoryVersion

ParentName = tuple[str, str]
"""The id of a memory or message, and the session of the message; empty where the file has none."""


@dataclass(frozen=True, slots=True)
class FileMemory:
    """A memory as a file tells it, screened; nothing of it is believed yet.

    Attributes:
        line: where it stands in the file.
        write: the memory, with the trust that the file claims.
        digest: of the whole line but its seal, as hexadecimal digits.
        seal: what the file says to be the seal of the digest, as hexadecimal digits; or empty.
        history: its versions, oldest first; empty where the file has none.
        parent_sessions: the sessions of those of its parents that are messages, by their ids.
        is_suspect: whether it reads like an instruction, if it came by the channel it claims.
        is_suspect_outside: whether it does, if it came from outside.
        flaw: why it may not be kept, found while it was screened; empty when it may.
    """

    line: int
    write: MemoryWrite
    digest: str
    seal: str = ""
    history: tuple[MemoryVersion, ...] = ()
    parent_sessions: Mapping[str, str] = field(default_factory=dict)
    is_suspect: bool = False
    is_suspect_outside: bool = False
    flaw: str = ""

    @property
    def memory(self) -> Memory:
        """The memory, with the trust that the file claims."""
        return self.write.memory

    @property
    def parents(self) -> tuple[ParentName, ...]:
        """The names of its parents."""
        sessions = self.parent_sessions
        return tuple((id, sessions.get(id, "")) for id in self.memory.origin.parents)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """That something was forgotten, and when; nothing of what it said.

    Attributes:
        of: ``memory``, ``message`` or ``file``.
        id: of the memory or message; the path of the file.
        session_id: of a message; empty for the rest.
        at: when it was forgotten.
        is_told: whether only a file says so that nobody vouches for. Such a one keeps nothing out
            but what other files bring without this owner's seal.
    """

    of: str
    id: str
    session_id: str
    at: datetime
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """What the memories of a file meet, read in the transaction that writes them.

    Attributes:
        texts: of the memories that are there, among those of the file and what replaced them.
        trusts: of the parents that are there.
        seqs: numbers of the parents that are messages.
        forgotten: memories of the file, what replaced them, and parents that were forgotten.
        sealed: the lines whose seal was made by this owner's key.
        counts: how many live memories there are, by namespace and kind.
        held: how many are held back.
    """

    texts: Mapping[str, str]
    trusts: Mapping[ParentName, Trust]
    seqs: Mapping[ParentName, int]
    forgotten: frozenset[ParentName]
    sealed: frozenset[int]
    counts: Mapping[tuple[Namespace, str], int]
    held: int


@dataclass(frozen=True, slots=True)
class RestoredMemory:
    """A memory that comes back as it was, and its history."""

    write: MemoryWrite
    history: tuple[MemoryVersion, ...] = ()


@dataclass(frozen=True, slots=True)
class FileConflict:
    """Two memories that a file says to contradict each other."""

    older_id: str
    newer_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Admission:
    """What of a file is written.

    Attributes:
        memories: in the order of the file.
        lost: ids of what replaced some of them and is nowhere: they were forgotten.
    """

    memories: tuple[RestoredMemory, ...]
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Whose:
    """Whose memory it is that something is read into.

    Attributes:
        owner_id: of the owner.
        forgotten_at: when all of this owner was last forgotten; None if that never was.
    """

    owner_id: str
    forgotten_at: datetime | None = None


Admit = Callable[[Ground], Admission]
