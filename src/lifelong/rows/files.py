"""File memory, as it travels between the engine and a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from lifelong.file_records import FileVersion
from lifelong.records import Origin, Trust


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file with its text.

    Attributes:
        now: the text that stands.
        created_at: when the file began.
        read_at: when it was last read.
    """

    now: FileVersion
    created_at: datetime
    read_at: datetime


@dataclass(frozen=True, slots=True)
class FileTree:
    """What a command on a file is decided from.

    Attributes:
        sizes: bytes of every file of the owner, by path.
        file: the file at the path that was asked for, or None.
        old: the version of it that was asked for, or None.
    """

    sizes: Mapping[str, int]
    file: StoredFile | None = None
    old: FileVersion | None = None


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A text that a file gets; what was there becomes a version."""

    path: str
    text: str
    origin: Origin
    trust: Trust
    is_suspect: bool


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a command does to files, in one transaction.

    Attributes:
        reply: what the caller is answered.
        why: what becomes of the texts that end; see `FileVersion.ended_by`.
        write: the text that a file gets, or None.
        remove: paths of files that go; their texts become versions.
        move: new paths by old ones; versions go with their files.
    """

    reply: str
    why: str = ""
    write: FileWrite | None = None
    remove: tuple[str, ...] = ()
    move: Mapping[str, str] = field(default_factory=dict)


DecideFile = Callable[[FileTree], FileChange]
"""Says what a command does, or raises, and then nothing is changed."""


@dataclass(frozen=True, slots=True)
class VersionLimits:
    """How many texts that ended are kept; the oldest go first.

    Attributes:
        of_file: of one path.
        of_owner: of all paths.
        bytes_max: of all paths.
    """

    of_file: int = 20
    of_owner: int = 20_000
    bytes_max: int = 64 << 20
