"""Packed files: what is in a gzip, bzip2, xz or zip file, and which others cannot be unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

from lifelong.ports.raw import RawFile

UNPACKED_BYTES_MAX = 64 * 1024**3
_PIECE = 1024 * 1024

_GZIP, _BZIP, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_SEALED = (
    (b"\x28\xb5\x2f\xfd", "packed with zstd"),
    (b"7z\xbc\xaf\x27\x1c", "packed with 7-Zip"),
    (b"Rar!", "packed with RAR"),
    (b"\x04\x22\x4d\x18", "packed with LZ4"),
    (b"age-encryption.org/", "encrypted with age"),
    (b"-----BEGIN AGE ENCRYPTED FILE", "encrypted with age"),
    (b"-----BEGIN PGP MESSAGE", "encrypted with PGP"),
    (b"Salted__", "encrypted with OpenSSL"),
    (b"LUKS\xba\xbe", "encrypted with LUKS"),
)


class Damaged(Exception):
    """What is packed cannot be unpacked to its end."""


def sealed(head: bytes) -> str:
    """Return how a file that begins so was packed or encrypted, if that cannot be undone here."""
    return next((words for magic, words in _SEALED if head.startswith(magic)), "")


def is_packed(head: bytes) -> bool:
    """Tell whether a file that begins so can be unpacked."""
    return head.startswith((*_ZIP, _GZIP, _BZIP, _XZ))


def unpacked(file: RawFile) -> Iterator[bytes]:
    """Yield what is packed in a file, piece by piece, members one after another.

    Raises:
        Damaged: it cannot be unpacked to its end; what could be was yielded.
    """
    size = 0
    try:
        for stream in _streams(file):
            while piece := stream.read(_PIECE):
                size += len(piece)
                if size > UNPACKED_BYTES_MAX:
                    raise Damaged("it holds more than is unpacked")
                yield piece
    except (zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError, EOFError, ValueError) as error:
        raise Damaged("it cannot be unpacked to its end") from error
    except (RuntimeError, NotImplementedError) as error:  # as zipfile has it
        raise Damaged("it is packed with a password, or in a way that is not known") from error


def _streams(file: RawFile) -> Iterator[IO[bytes]]:
    raw, head = cast("IO[bytes]", _Reader(file)), file.read(6, 0)
    if head.startswith(_ZIP):
        with zipfile.ZipFile(raw) as archive:
            for member in archive.infolist():
                with archive.open(member) as stream:
                    yield stream
    elif head.startswith(_GZIP):
        with gzip.GzipFile(fileobj=raw) as unzipped:
            yield cast("IO[bytes]", unzipped)
    elif head.startswith(_BZIP):
        with bz2.BZ2File(raw) as decompressed:
            yield cast("IO[bytes]", decompressed)
    else:
        with lzma.LZMAFile(raw) as decoded:
            yield cast("IO[bytes]", decoded)


class _Reader(io.RawIOBase):
    """A file as Python's own unpackers read it."""

    def __init__(self, file: RawFile) -> None:
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._file.size}[whence]
        self._at = max(0, origin + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)
