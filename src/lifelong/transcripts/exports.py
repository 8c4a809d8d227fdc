"""Data exports of chat products: `conversations.json`, plain, packed with gzip, or in a .zip file.

The whole JSON file is loaded at once: an export is some hundred megabytes at most, and the
standard library has no incremental parser. What a conversation holds is left to the readers.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from lifelong.errors import FormatError
from lifelong.transcripts.content import READ_ERRORS, OnBytes, decoded, opened, reason_of
from lifelong.transcripts.events import BrokenLine, Event
from lifelong.transcripts.fields import NAME_LENGTH, title_of

MAX_EXPORT_BYTES = 2 * 1024 * 1024 * 1024
"""A JSON file that unpacks to more is refused rather than loaded."""

_FILE_NAME = re.compile(r"conversations(-\d+)?\.json(\.gz)?")
_CHUNK_BYTES = 1 << 20
_ENCRYPTED = 0x1
_ZIP_ERRORS = (*READ_ERRORS, zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError)


@dataclass(frozen=True, slots=True)
class Exported:
    """One conversation of an export.

    Attributes:
        place: where it stands, in words, to name it in a report.
        value: the object as it was exported.
    """

    place: str
    value: dict[str, Any]


def is_export_name(name: str) -> bool:
    """Return whether a file of this name holds the conversations of an export."""
    return _FILE_NAME.fullmatch(name) is not None


def is_zip(file: Path) -> bool:
    """Return whether a file is a .zip file, by its name or its content."""
    return file.suffix.lower() == ".zip" or zipfile.is_zipfile(file)


def may_hold_export(file: Path) -> bool:
    """Return whether a .zip file holds conversations; one that cannot be read may."""
    try:
        with zipfile.ZipFile(file) as archive:
            return bool(_members(archive))
    except _ZIP_ERRORS:
        return True


def conversations(
    file: Path,
    on_bytes: OnBytes | None,
    read_one: Callable[[Path, Exported], Iterator[Event]],
) -> Iterator[Event]:
    """Yield what each conversation of an export holds; one that cannot be read is named instead."""
    for found in exported(file, on_bytes):
        if isinstance(found, BrokenLine):
            yield found
            continue
        try:
            yield from read_one(file, found)
        except FormatError as error:
            yield BrokenLine(str(file), 0, f"{found.place}: {error.detail}")


def exported(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Exported | BrokenLine]:
    """Yield the conversations of an export in the order of the file.

    Args:
        file: a JSON file, plain or packed with gzip, or a .zip file with such files inside.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
    """
    if is_zip(file):
        yield from _from_zip(file, on_bytes)
        return
    try:
        with opened(file, on_bytes) as stream:
            data = _whole(stream)
    except READ_ERRORS as error:
        yield BrokenLine(str(file), 0, reason_of(error))
        return
    yield from _elements(file, "", data)


def _whole(stream: IO[bytes] | io.BufferedIOBase) -> bytearray:
    """Return what is left of a stream, or the first bytes that are more than an export has."""
    data = bytearray()
    while len(data) <= MAX_EXPORT_BYTES and (chunk := stream.read(_CHUNK_BYTES)):
        data += chunk
    return data


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    found = [
        info for info in archive.infolist() if is_export_name(PurePosixPath(info.filename).name)
    ]
    return sorted(found, key=lambda info: info.filename)


def _from_zip(file: Path, on_bytes: OnBytes | None) -> Iterator[Exported | BrokenLine]:
    try:
        with zipfile.ZipFile(file) as archive:
            members = _members(archive)
            if not members:
                yield BrokenLine(str(file), 0, "there is no conversations.json in it")
            for info in members:
                yield from _from_member(file, archive, info)
            if on_bytes is not None:
                on_bytes(file.stat().st_size)
    except _ZIP_ERRORS as error:
        yield BrokenLine(str(file), 0, reason_of(error))


def _from_member(
    file: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo
) -> Iterator[Exported | BrokenLine]:
    name = title_of(info.filename, NAME_LENGTH)
    if info.flag_bits & _ENCRYPTED:
        yield BrokenLine(str(file), 0, f"{name}: it is encrypted")
        return
    try:
        with archive.open(info) as stream:
            data = _whole(stream)
    except _ZIP_ERRORS as error:
        yield BrokenLine(str(file), 0, f"{name}: {reason_of(error)}")
        return
    yield from _elements(file, f"{name}: ", data)


def _elements(file: Path, prefix: str, data: bytearray) -> Iterator[Exported | BrokenLine]:
    if len(data) > MAX_EXPORT_BYTES:
        yield BrokenLine(str(file), 0, f"{prefix}larger than {MAX_EXPORT_BYTES} bytes")
        return
    try:
        loaded = decoded(data)
    except ValueError as error:
        yield BrokenLine(str(file), 0, f"{prefix}{error}")
        return
    for position, value in enumerate(loaded if isinstance(loaded, list) else [loaded], start=1):
        place = f"{prefix}conversation {position}"
        if isinstance(value, dict):
            yield Exported(place, value)
        else:
            yield BrokenLine(str(file), 0, f"{place}: not a JSON object")
