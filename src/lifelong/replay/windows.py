"""Windows as a person writes them."""

from __future__ import annotations

import re

from lifelong.errors import InvalidValue

_WINDOW = re.compile(r"(\d{1,9}|\d{1,3}(?:[_,]\d{3}){1,2})([kKmM]?)", re.ASCII)
_UNITS = {"": 1, "k": 1_024, "m": 1_024 * 1_024}


def window_of(text: str) -> int:
    """Return how many tokens a window such as ``16384``, ``16,384`` or ``16k`` has.

    Raises:
        InvalidValue: it is none.
    """
    found = _WINDOW.fullmatch(text.strip())
    if found is None:
        raise InvalidValue(f"a window of {text[:60]!r}: write it as 16384 or 16k")
    digits, unit = found.groups()
    return int(re.sub("[_,]", "", digits)) * _UNITS[unit.lower()]
