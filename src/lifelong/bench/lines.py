"""Lines of JSON as they lie in a data set, with an error that names file and line.

Knows nothing of any data set; `datasets` says what the fields mean.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from lifelong.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: a JSON object, read field by field."""

    path: Path
    number: int
    fields: Mapping[str, Any]

    def error(self, problem: str) -> InputError:
        """Return the error that says what is wrong with this line."""
        return InputError(f"{self.path}, line {self.number}: {problem}")

    def text(self, name: str) -> str:
        """Return a field that must be text.

        Raises:
            InputError: it is not.
        """
        return self._typed(name, str, "text")

    def whole(self, name: str) -> int:
        """Return a field that must be a whole number.

        Raises:
            InputError: it is not.
        """
        return self._typed(name, int, "a whole number")

    def flag(self, name: str) -> bool:
        """Return a field that must be true or false.

        Raises:
            InputError: it is not.
        """
        return self._typed(name, bool, "true or false")

    def optional_text(self, name: str) -> str | None:
        """Return a field that is text, null or not there.

        Raises:
            InputError: it is something else.
        """
        return None if self.fields.get(name) is None else self.text(name)

    def ids(self, name: str) -> frozenset[str]:
        """Return a list of ids, each a text or a whole number, as texts.

        Raises:
            InputError: it is no such list.
        """
        found: list[Any] = self._typed(name, list, "a list")
        if not all(type(each) in (str, int) for each in found):
            raise self.error(f"{name!r} is no list of ids")
        return frozenset(str(each) for each in found)

    def objects(self, name: str) -> list[Line]:
        """Return a list of objects, each to be read like a line.

        Raises:
            InputError: it is no such list.
        """
        found: list[Any] = self._typed(name, list, "a list")
        if not all(isinstance(each, dict) for each in found):
            raise self.error(f"{name!r} is no list of objects")
        return [Line(self.path, self.number, each) for each in found]

    def _typed(self, name: str, kind: type[T], words: str) -> T:
        value = self.fields.get(name)
        if type(value) is not kind:
            raise self.error(f"{name!r} is not {words}")
        return value


def read_lines(directory: Path, name: str) -> Iterator[Line]:
    """Yield the lines of ``name.jsonl`` or ``name.jsonl.gz``; empty ones are passed over.

    Raises:
        InputError: there is no such file, it cannot be read, or a line is no JSON object.
    """
    path = _find(directory, name)
    number = 0
    try:
        with _open(path) as file:
            for number, text in enumerate(file, 1):
                if text.strip():
                    yield _parse(path, number, text)
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise InputError(f"{path}, after line {number}: {error}") from error


def _find(directory: Path, name: str) -> Path:
    plain = directory / f"{name}.jsonl"
    packed = directory / f"{name}.jsonl.gz"
    for path in (plain, packed):
        if path.is_file():
            return path
    raise InputError(f"expected {plain} (or the same with .gz), which is not there")


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")


def _parse(path: Path, number: int, text: str) -> Line:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}, line {number}: no JSON ({error})") from error
    if not isinstance(fields, dict):
        raise InputError(f"{path}, line {number}: no JSON object")
    return Line(path, number, fields)
