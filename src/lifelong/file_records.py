"""File memory as it is given back: what a file is, what it was, and what a mirror did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from lifelong.records import Origin, Trust


@dataclass(frozen=True, slots=True)
class FileInfo:
    """One file of an owner, without its text.

    Attributes:
        path: canonical, below ``/memories``.
        bytes: of its text in UTF-8.
        version: the number of its text; each text of an owner has one of its own.
        origin: of who wrote it last, with the parents of all that is in it.
        trust: the least of all whose words are in it.
        is_suspect: whether something in it reads like an instruction and came from outside.
        created_at, updated_at: when the file began, when its text last changed.
        read_at: when it was last read, to the hour; the time of writing when it never was.
    """

    path: str
    bytes: int
    version: int
    origin: Origin
    trust: Trust
    is_suspect: bool
    created_at: datetime
    updated_at: datetime
    read_at: datetime


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One text that a file has or had.

    Attributes:
        path: of the file, by its present name.
        version: its number, for `restore`.
        text: as it was.
        origin: of who wrote it.
        trust: of it.
        is_suspect: as for `FileInfo`.
        written_at: when it was written.
        ended_at: when it was replaced or deleted; None for the text that stands.
        ended_by: ``edited``, ``written``, ``restored``, ``deleted`` or ``imported``; empty for
            the text that stands.
    """

    path: str
    version: int
    text: str
    origin: Origin
    trust: Trust
    is_suspect: bool
    written_at: datetime
    ended_at: datetime | None = None
    ended_by: str = ""


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What a mirror did.

    Attributes:
        written: paths of files that were new there, or stood there differently.
        removed: paths of files that are no more.
        unchanged: how many stood there already.
        skipped: paths of files that could not be written or removed: something else stands in
            their place, and comes back.
    """

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    skipped: tuple[str, ...] = ()
