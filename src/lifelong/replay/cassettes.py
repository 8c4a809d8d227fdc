"""Cassettes: summaries that were recorded once, so that a replay needs no model.

A summary is found by what its summariser was asked, word for word: instructions, transcript and
length. The file holds what was said in the sessions, and so only its owner may read it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lifelong.errors import SummariserFailed
from lifelong.working.summary import Summariser, SummaryTask

_MODE = 0o600


@dataclass(frozen=True)
class Cassette:
    """A summariser that plays recorded summaries.

    Attributes:
        path: the file, one JSON object a line; it need not be there when it is recorded.
        summariser: asked for a summary that is not there, and recorded; None to play only.
    """

    path: Path
    summariser: Summariser | None = None

    def __call__(self, task: SummaryTask) -> str | None:
        """Return the summary that was recorded for a task; record it when it is not there.

        Raises:
            SummariserFailed: it is not there, and nobody is to be asked.
            OSError: the file cannot be read or written.
        """
        key = _key_of(task)
        known = _recorded(self.path, *_stamp(self.path))
        if key in known:
            return known[key]
        if self.summariser is None:
            raise SummariserFailed(
                f"{self.path.name} has no summary for what is asked; record it with a summariser"
            )
        begin(self.path)  # what is asked may cost money: it must be possible to keep it
        answer = self.summariser(task)
        _append(self.path, {"key": key, "summary": answer})
        return answer


def begin(path: Path) -> None:
    """Make a cassette to record to, if it is not there: one without any summary is one too.

    Raises:
        OSError: it cannot be written.
    """
    os.close(_opened(path))


def _key_of(task: SummaryTask) -> str:
    asked = json.dumps([task.instructions, task.transcript, task.tokens_max])
    return hashlib.sha256(asked.encode()).hexdigest()


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes when a file does: its size and its time in nanoseconds."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=4)
def _recorded(path: Path, size: int, changed_ns: int) -> dict[str, str | None]:
    """Return the summaries of a file, as it was when it had this size and time."""
    del changed_ns
    return dict(_lines(path)) if size else {}


def _lines(path: Path) -> Iterator[tuple[str, str | None]]:
    for line in path.read_bytes().split(b"\n"):
        try:
            held = json.loads(line)
        except (ValueError, RecursionError):  # a line that was broken off, or none
            continue
        if not isinstance(held, dict) or not isinstance(held.get("key"), str):
            continue
        summary = held.get("summary")
        if summary is None or isinstance(summary, str):
            yield held["key"], summary


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, _MODE)


def _append(path: Path, held: dict[str, str | None]) -> None:
    """Add a line, whole, after those of others that record at the same moment."""
    line = json.dumps(held).encode() + b"\n"
    descriptor = _opened(path)
    try:
        with suppress(ImportError):  # a system without it has no lock
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        is_torn = _last_byte(descriptor) not in (b"", b"\n")
        left = b"\n" + line if is_torn else line
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _last_byte(descriptor: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if not size:
        return b""
    os.lseek(descriptor, size - 1, os.SEEK_SET)
    return os.read(descriptor, 1)
