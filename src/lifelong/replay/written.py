"""Files that a person wrote for a replay, prices and policies: TOML or JSON, as values.

What the values mean is left to those that read them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lifelong.errors import InvalidValue

_NUMBER_BITS = 63
"""A longer whole number means nothing here, and Python may refuse to print it."""


def values_in(path: Path) -> Any:
    """Return what a file holds: JSON where it is named ``.json``, TOML otherwise.

    Raises:
        InvalidValue: it is neither, or holds a number without measure; it names the file.
        OSError: the file cannot be read.
    """
    is_json = path.suffix.lower() == ".json"
    try:
        text = path.read_bytes().decode("utf-8-sig")  # some editors begin a file with a mark
        held = json.loads(text) if is_json else tomllib.loads(text)
        is_measured = _is_measured(held)
    except (ValueError, RecursionError) as error:  # what both readers raise, and no UTF-8
        kind = "JSON" if is_json else "TOML"
        raise InvalidValue(f"{path.name} is no {kind}: {error}") from error
    if not is_measured:
        raise InvalidValue(f"{path.name} holds a whole number of more than {_NUMBER_BITS} bits")
    return held


def _is_measured(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(_is_measured, value.values()))
    if isinstance(value, list):
        return all(map(_is_measured, value))
    return not isinstance(value, int) or value.bit_length() <= _NUMBER_BITS
