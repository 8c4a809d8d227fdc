"""JSON with nothing lost: what cannot be written and read back the same is refused, by its place.

Python's json module lets much through that other readers refuse, or that comes back changed: NaN,
keys that are numbers, nesting that ends in a RecursionError. Here each becomes a FormatError that
names where the value stands, and never the value. What a value means is left to the formats.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from lifelong.errors import FormatError

DEPTH_MAX = 100
"""How deep lists and mappings of one item may be nested."""

_INT_BITS_MAX = 14_000
# Python refuses to turn an int of more than 4,300 digits, about 14,284 bits, into text or back.

_WRITER = json.JSONEncoder(ensure_ascii=False, default=dict)
# Made once: json.dumps makes one for each call that has options.

_TOO_DEEP = f" is nested more than {DEPTH_MAX} levels deep"


def flaw_of(value: Any, levels: int = DEPTH_MAX) -> str | None:
    """Return what keeps a value from being JSON, led by its place in it, or None.

    Args:
        value: what was passed in.
        levels: how many levels of nesting are allowed from here on.

    Returns:
        Text to put right after the name of the value, as `.content[0].data is bytes, ...`.
    """
    kind = type(value)
    if kind is str or value is None:  # most values are text: asked first, and cheaply
        return None
    if isinstance(value, (int, float)):
        return _flaw_of_number(value)
    if isinstance(value, str):
        return None
    steps: Iterable[tuple[Any, Any]]
    is_mapping = kind is dict or isinstance(value, Mapping)
    if is_mapping:
        steps = value.items()
    elif isinstance(value, (list, tuple)):
        steps = enumerate(value)
    else:
        return f" is {type(value).__name__}, which JSON cannot hold"
    if levels == 0:
        return _TOO_DEEP
    return _flaw_of_children(steps, is_mapping, levels - 1)


def _flaw_of_number(value: float) -> str | None:
    if isinstance(value, int):
        is_writable = value.bit_length() <= _INT_BITS_MAX
        return None if is_writable else " is a number of more than 4,200 digits"
    return None if math.isfinite(value) else " is not a finite number"


def _flaw_of_children(
    steps: Iterable[tuple[Any, Any]], is_mapping: bool, levels: int
) -> str | None:
    for step, child in steps:
        if is_mapping and not isinstance(step, str):
            return f" has a key that is {type(step).__name__}, not text"
        flaw = flaw_of(child, levels)
        if flaw == _TOO_DEEP:
            return flaw
        if flaw is not None:
            return f".{step}{flaw}" if is_mapping else f"[{step}]{flaw}"
    return None


def dumps(value: Any, where: str) -> str:
    """Return the JSON text of a value; it is always strict UTF-8.

    Args:
        value: null, booleans, finite numbers, text, lists and mappings with text as keys.
        where: the name of the value in an error.

    Raises:
        FormatError: the value is no JSON value, or nested too deep.
    """
    flaw = flaw_of(value)
    if flaw is not None:
        raise FormatError(where + flaw)
    text = _WRITER.encode(value)
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # A lone surrogate has no UTF-8 form; as an escape it has, and reads back the same.
        return json.dumps(value, default=dict)
    return text


def loads(text: str, where: str) -> Any:
    """Return the value of a JSON text.

    Args:
        text: strict JSON.
        where: the name of the value in an error.

    Raises:
        FormatError: the text is broken, not strict JSON, or nested too deep.
    """
    try:
        value = _READER.decode(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where} is no strict JSON text") from error
    # With fewer brackets than levels there is nothing to look for.
    if text.count("[") + text.count("{") > DEPTH_MAX and flaw_of(value) is not None:
        raise FormatError(where + _TOO_DEEP)
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is too large")
    return number


_READER = json.JSONDecoder(parse_constant=_refuse, parse_float=_finite)


def copied(value: Any, levels: int = DEPTH_MAX) -> Any:
    """Return a JSON value whose lists and mappings are new, so that an edit stays the editor's own.

    Raises:
        FormatError: the value is nested too deep.
    """
    if not isinstance(value, (Mapping, list, tuple)):
        return value
    if levels == 0:
        raise FormatError(f"the raw item of a message{_TOO_DEEP}")
    if isinstance(value, Mapping):
        return {key: copied(child, levels - 1) for key, child in value.items()}
    return [copied(child, levels - 1) for child in value]
