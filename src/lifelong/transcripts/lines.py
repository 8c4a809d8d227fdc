"""Files of one JSON object a line: each line by its number, or the reason why it is broken.

One line is in memory at a time, so the size of the file does not matter.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lifelong.export_files import Unlock
from lifelong.transcripts.content import READ_ERRORS, OnBytes, decoded, opened, reason_of
from lifelong.transcripts.events import BrokenLine

MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is skipped: no message is that long, and it would fill the memory."""

_SKIP_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class JsonLine:
    """A line that holds a JSON object.

    Attributes:
        number: counted from 1.
        item: the object.
    """

    number: int
    item: dict[str, Any]


def json_lines(
    file: Path, on_bytes: OnBytes | None = None, unlock: Unlock | None = None
) -> Iterator[JsonLine | BrokenLine]:
    """Yield each line of a file that is not blank.

    Args:
        file: plain or packed with gzip.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
        unlock: what opens it, if it is encrypted.

    Raises:
        TranscriptError: it cannot be decrypted, or not to its end.
    """
    number = 0
    try:
        with opened(file, on_bytes, unlock) as stream:
            number = 1
            while line := stream.readline(MAX_LINE_BYTES + 1):
                if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
                    _skip_line(stream)
                    reason = f"longer than {MAX_LINE_BYTES // (1024 * 1024)} MiB"
                    yield BrokenLine(str(file), number, reason)
                elif line.strip():
                    yield _parsed(file, number, line)
                number += 1
    except READ_ERRORS as error:
        yield BrokenLine(str(file), number, reason_of(error))


def _skip_line(stream: io.BufferedIOBase) -> None:
    while chunk := stream.readline(_SKIP_BYTES):
        if chunk.endswith(b"\n"):
            return


def _parsed(file: Path, number: int, line: bytes) -> JsonLine | BrokenLine:
    try:
        item = decoded(line)
    except ValueError as error:
        return BrokenLine(str(file), number, str(error))
    if not isinstance(item, dict):
        return BrokenLine(str(file), number, "not a JSON object")
    return JsonLine(number, item)
