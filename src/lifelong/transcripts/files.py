"""Transcripts by the name of their tool: which files there are, and what is in each.

This is the door to the readers. It finds files, picks the reader, and sums up a file in which
nothing can be read. Storing what was read is the caller's concern.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self, TypedDict

from lifelong.errors import InvalidValue, TranscriptError
from lifelong.export_files import Unlock, require_unlocked
from lifelong.memory.entry import require_known
from lifelong.transcripts import (
    chat_jsonl,
    chatgpt,
    claude_code,
    claude_export,
    langgraph,
    mem0,
    openai_agents,
    own_export,
)
from lifelong.transcripts.content import OnBytes, reason_of
from lifelong.transcripts.events import BrokenLine, Event
from lifelong.transcripts.exports import is_export_name, may_hold_export

HELD_LINES = 1_000
"""Broken lines at the beginning of a file that are held back until a readable one comes."""


_Read = Callable[[Path, OnBytes | None], Iterator[Event]]


@dataclass(frozen=True, slots=True)
class _Source:
    read: _Read
    uses: Callable[[Path], bool]
    chosen: Callable[[Sequence[Path]], list[Path]] = list


class ReadingFields(TypedDict, total=False):
    """What can be said of what is to be read, beside its source and path.

    Attributes:
        user: of a store of mem0's with several users, the one whose memories are wanted.
        identities: that open an encrypted export, each the text of an identity file.
        passphrase: that opens it, in place of identities.
    """

    user: str | None
    identities: Sequence[str]
    passphrase: str | None


@dataclass(frozen=True, slots=True)
class Reading:
    """What is to be read, and how.

    Attributes:
        source: one of `SOURCES`.
        path: a file, taken whatever it is called; or a folder.
        user: of a store with several users, the one whose memories are wanted.
        unlock: what opens an encrypted export.
    """

    source: str
    path: str | os.PathLike[str]
    user: str | None = None
    unlock: Unlock = field(default_factory=Unlock)

    @classmethod
    def of(
        cls, source: str, path: str | os.PathLike[str], fields: Mapping[str, Any] | ReadingFields
    ) -> Self:
        """Return what a caller says is to be read.

        Raises:
            InvalidValue: there is no such field.
        """
        require_known(fields, ReadingFields.__annotations__, "import")
        identities = fields.get("identities", ())
        if isinstance(identities, str):
            raise InvalidValue("identities: pass a list")
        unlock = Unlock(tuple(identities), fields.get("passphrase"))
        return cls(source, path, fields.get("user"), unlock)

    def files(self) -> list[Path]:
        """Return the files to read, in a fixed order; each encrypted one has been checked.

        Raises:
            InvalidValue: there is no such source, or it knows no users or no encryption.
            TranscriptError: one of its kinds: there is nothing there, or it cannot be decrypted.
            MissingExtra: a file is encrypted, and pyrage is not installed.
        """
        if self.user is not None and self.source != mem0.SOURCE:
            raise InvalidValue(f"only {mem0.SOURCE} knows users, not {self.source}")
        if self.unlock and self.source != own_export.SOURCE:
            raise InvalidValue(f"only {own_export.SOURCE} is ever encrypted, not {self.source}")
        files = transcript_files(self.source, self.path)
        if self.source == own_export.SOURCE:
            for file in files:
                require_unlocked(file, self.unlock)
        return files

    def events(self, file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
        """Return what one of the files holds, as `read_transcript` does."""
        read: _Read = _reader(self.source).read
        if self.source == own_export.SOURCE:
            read = partial(own_export.read, unlock=self.unlock)
        elif self.source == mem0.SOURCE:
            read = partial(mem0.read, user=self.user)
        return _summed_up(file, read(file, on_bytes))


def _is_lines(file: Path) -> bool:
    return file.name.endswith((".jsonl", ".jsonl.gz"))


def _is_own(file: Path) -> bool:
    return _is_lines(file) or file.name.endswith(".jsonl.age")


def _is_export(file: Path) -> bool:
    is_archive = file.suffix.lower() == ".zip"
    return is_export_name(file.name) or (is_archive and may_hold_export(file))


_READERS = {
    claude_code.SOURCE: _Source(claude_code.read, _is_lines),
    chatgpt.SOURCE: _Source(chatgpt.read, _is_export),
    claude_export.SOURCE: _Source(claude_export.read, _is_export),
    chat_jsonl.SOURCE: _Source(chat_jsonl.read, _is_lines),
    own_export.SOURCE: _Source(own_export.read, _is_own),
    openai_agents.SOURCE: _Source(openai_agents.read, openai_agents.is_store),
    langgraph.SOURCE: _Source(langgraph.read, langgraph.is_store),
    mem0.SOURCE: _Source(mem0.read, mem0.is_store, mem0.chosen),
}

SOURCES = tuple(_READERS)
"""The names of the tools whose transcripts can be read."""

WITH_MEMORIES = (own_export.SOURCE, langgraph.SOURCE, mem0.SOURCE)
"""Those that have memories, too."""


def transcript_files(source: str, path: str | os.PathLike[str]) -> list[Path]:
    """Return the files to read, in a fixed order.

    Args:
        source: one of `SOURCES`.
        path: a file, taken whatever it is called; or a folder, searched with its subfolders for
            the files that the tool writes. Links to folders are not followed.

    Raises:
        InvalidValue: there is no such source.
        TranscriptError: there is nothing at the path.
    """
    reader = _reader(source)
    place = Path(path)
    try:
        mode = place.stat().st_mode
    except (OSError, ValueError) as error:
        raise TranscriptError(f"{place} cannot be read: {reason_of(error)}") from error
    if not stat.S_ISDIR(mode):
        return [place]
    found = sorted(file for file in place.rglob("*") if _is_file(file) and reader.uses(file))
    return reader.chosen(found)


def total_bytes(files: Iterable[Path]) -> int:
    """Return the size of files on the disk in bytes; a file that has gone counts nothing."""
    return sum(_size(file) for file in files)


def read_transcript(source: str, file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Return what one file holds, as a stream; bad content never raises.

    A file in which nothing at all can be read gives one `BrokenLine`.

    Args:
        source: one of `SOURCES`.
        file: the path.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far; the last
            number is the size of the file.

    Raises:
        InvalidValue: there is no such source.
    """
    return _summed_up(file, _reader(source).read(file, on_bytes))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _is_file(file: Path) -> bool:
    try:
        return file.is_file()
    except OSError:
        # The reader tells why it cannot be read; leaving it out here would hide it.
        return True


def _reader(source: str) -> _Source:
    reader = _READERS.get(source)
    if reader is None:
        raise InvalidValue(f"{source!r} is not one of {', '.join(SOURCES)}")
    return reader


def _summed_up(file: Path, events: Iterator[Event]) -> Iterator[Event]:
    """Hold broken lines back until something readable comes; sum them up when nothing does."""
    held: list[BrokenLine] = []
    unheld = 0
    for event in events:
        if not isinstance(event, BrokenLine):
            yield from _reported(file, held, unheld)
            yield event
            yield from events
            return
        if len(held) < HELD_LINES:
            held.append(event)
        else:
            unheld += 1
    if not held:
        yield BrokenLine(str(file), 0, "there is nothing in it")
    elif len(held) == 1:
        yield held[0]
    else:
        reason = f"none of its {len(held) + unheld} lines or elements can be read"
        first = f"line {held[0].line}, {held[0].reason}" if held[0].line else held[0].reason
        yield BrokenLine(str(file), 0, f"{reason}; the first: {first}")


def _reported(file: Path, held: list[BrokenLine], unheld: int) -> Iterator[BrokenLine]:
    yield from held
    if unheld:
        yield BrokenLine(str(file), held[-1].line, f"and {unheld} more after it cannot be read")
