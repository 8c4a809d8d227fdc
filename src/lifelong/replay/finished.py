"""Cases that are done, in a file: a replay that was stopped goes on where it was.

Each line is the figures of one case under a key, which says what was replayed, how, and by which
version; what has another key is another replay's, and stays. The figures quote what was said, so
the file is for one pair of eyes. What is replayed, and when, is left to others.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import IO, Any

from lifelong.errors import InvalidValue
from lifelong.replay.figures import CaseFigures, as_json, from_json

HEADER = b'{"what": "lifelong replay"}\n'
"""The first line, so that no file of somebody's is written into by mistake."""

_MODE = 0o600


class Finished:
    """The figures of cases that are done, by their keys.

    Attributes:
        dropped: lines that could not be read; their cases are replayed again.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._known, self.dropped = _read(stream)

    @classmethod
    @contextmanager
    def opened(cls, file: Path | None) -> Iterator[Finished | None]:
        """Lend what a file holds, for one replay at a time; None without a file.

        Raises:
            InvalidValue: the file is none of a replay's, or another replay uses it.
            OSError: it cannot be read or written.
        """
        if file is None:
            yield None
            return
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, _MODE)
        with os.fdopen(descriptor, "r+b", buffering=0) as stream:
            _lock(stream.fileno(), file)
            _require_ours(stream, file)
            yield cls(stream)

    def get(self, key: str | None) -> CaseFigures | None:
        """Return the figures with this key, or None."""
        return self._known.get(key) if key else None

    def add(self, key: str | None, figures: CaseFigures) -> None:
        """Keep the figures of a case.

        Raises:
            OSError: the file cannot be written.
        """
        if key is None or key in self._known:
            return
        fields = as_json(figures)
        told = {"key": key, "digest": _digest(fields), "case": fields}
        _write(self._stream, json.dumps(told).encode() + b"\n")
        self._known[key] = figures


def key_of(*parts: object) -> str | None:
    """Return a digest of values that is the same in every process; None where there can be none."""
    try:
        told = json.dumps([_told(part) for part in parts], sort_keys=True)
    except (RecursionError, TypeError, ValueError):
        return None
    return hashlib.sha256(told.encode()).hexdigest()


def _lock(descriptor: int, file: Path) -> None:
    with suppress(ImportError):  # a system without it has no lock
        import fcntl

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InvalidValue(f"{file} is in use by another replay") from error


def _require_ours(stream: IO[bytes], file: Path) -> None:
    """Refuse somebody's file; begin one that is empty, or whose first line was torn."""
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        raise InvalidValue(f"{file} is no file")
    begin = stream.read(len(HEADER))
    if not HEADER.startswith(begin):
        raise InvalidValue(f"{file} holds something else; name a file that is not there yet")
    if begin != HEADER:
        stream.truncate(0)
        _write(stream, HEADER)
    stream.seek(0)


def _write(stream: IO[bytes], data: bytes) -> None:
    while data:
        data = data[stream.write(data) or 0 :]


def _read(stream: IO[bytes]) -> tuple[dict[str, CaseFigures], int]:
    """Read the lines, and cut a last one off that was torn."""
    data = stream.read()
    whole = data.rfind(b"\n") + 1
    stream.truncate(whole)
    known: dict[str, CaseFigures] = {}
    dropped = int(whole < len(data))
    for line in data[len(HEADER) : whole].splitlines():
        try:
            fields = json.loads(line)
            is_whole = fields["digest"] == _digest(fields["case"])
        except (ValueError, KeyError, TypeError, RecursionError):
            is_whole = False
        if is_whole:
            known[str(fields["key"])] = from_json(fields["case"])
        dropped += not is_whole
    return known, dropped


def _digest(fields: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def _told(value: object) -> Any:
    """Return a value as JSON has it, the same whenever it does the same."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): _told(each) for name, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(json.dumps(_told(each), sort_keys=True) for each in value)
    if isinstance(value, list | tuple):
        return [_told(each) for each in value]
    if isinstance(value, bytes | datetime):
        return repr(value)
    if isinstance(value, Path):
        return [repr(value), _digest_of_file(value)]
    return _told_object(value)


def _told_object(value: object) -> Any:
    if isinstance(value, partial):
        return ["partial", _told(value.func), _told(value.args), _told(value.keywords)]
    if isinstance(value, MethodType):
        return ["method", value.__name__, _told(value.__self__)]
    if isinstance(value, FunctionType):
        held = [cell.cell_contents for cell in value.__closure__ or ()]
        return [*_code(value), _told(held), _told(value.__defaults__)]
    if isinstance(value, type):
        return _code(value)
    return [*_code(type(value)), {name: _told(each) for name, each in _fields(value)}]


def _fields(value: object) -> Iterable[tuple[str, object]]:
    if dataclasses.is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in dataclasses.fields(value)]
    return vars(value).items()  # TypeError for what hides its fields: it has no key


def _code(named: Any) -> list[str]:
    """Return the name of a class or function, and a digest of the file that says what it does."""
    module = named.__module__
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or module.split(".")[0] == __package__.split(".")[0]:
        return [module, named.__qualname__, ""]
    return [module, named.__qualname__, _digest_of_file(Path(file))]


def _digest_of_file(file: Path) -> str:
    with suppress(OSError):
        return hashlib.sha256(file.read_bytes()).hexdigest()
    return ""
