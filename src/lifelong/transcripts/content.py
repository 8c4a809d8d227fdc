"""The bytes of a transcript: opened, unpacked, counted and decoded.

Transcripts come from other programs, half-written and half-copied. What can go wrong with bytes
is met here once, so that the readers see JSON values or a reason in words. What the values mean
is left to the readers.
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from lifelong.export_files import Unlock, decrypted

READ_ERRORS = (OSError, EOFError, zlib.error)
"""What reading a file, packed or not, may raise."""

_BUFFER_BYTES = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"

OnBytes = Callable[[int], None]


class _Counted(io.RawIOBase):
    """A raw file that tells after each read how many bytes have been read."""

    def __init__(self, raw: io.FileIO, on_bytes: OnBytes) -> None:
        self._raw = raw
        self._on_bytes = on_bytes
        self._total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        count = self._raw.readinto(buffer)
        if count:
            self._total += count
            self._on_bytes(self._total)
        return count


@contextmanager
def opened(
    file: Path, on_bytes: OnBytes | None = None, unlock: Unlock | None = None
) -> Iterator[io.BufferedIOBase]:
    """Open a file for reading; gzip is unpacked, whatever the file is called.

    Args:
        file: the path.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
        unlock: what opens it, if it is encrypted.

    Raises:
        OSError: the file cannot be opened.
        TranscriptError: it cannot be decrypted, or not to its end.
    """
    with (
        io.FileIO(file) as raw,
        io.BufferedReader(_Counted(raw, on_bytes or _nobody), _BUFFER_BYTES) as stream,
        decrypted(file, stream, unlock) if unlock else nullcontext(stream) as plain,
        _unpacked(plain) as unpacked,
    ):
        yield unpacked


@contextmanager
def _unpacked(stream: io.BufferedReader[Any]) -> Iterator[io.BufferedIOBase]:
    if stream.peek(len(_GZIP_MAGIC)).startswith(_GZIP_MAGIC):
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield unpacked
    else:
        yield stream


def _nobody(count: int) -> None:
    """Listen to the count of bytes when nobody else does."""


def decoded(data: bytes | bytearray) -> Any:
    """Return the JSON value in `data`; a byte order mark is dropped.

    Raises:
        ValueError: it is no JSON in UTF-8; the text says where, without the content.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("nested too deep to be read") from error


def reason_of(error: Exception) -> str:
    """Return in words why reading a file failed."""
    if isinstance(error, EOFError):
        return "the compressed data ends early"
    if isinstance(error, zlib.error):
        return "the compressed data is damaged"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
