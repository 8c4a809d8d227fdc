"""Text that every store can hold: no NUL, no lone surrogate.

PostgreSQL refuses a NUL, SQLite stops counting at one, and a lone surrogate has no UTF-8 form, so
one such character ended sessions while they were being saved. The engine replaces them once, at
its entry, so that all stores see the same text. Which message the text stands in is not asked here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats.strict_json import DEPTH_MAX

_REPLACEMENT = "\ufffd"
_PAYLOAD_DEPTH_MAX = DEPTH_MAX + 2
# A payload puts at most two levels around an item: the list of items, and a mapping around it.


def storable(value: Any) -> tuple[Any, bool]:
    """Return the same JSON value with no NUL and no lone surrogate in any text, keys included.

    Each becomes U+FFFD. Two surrogates that stand for one character become that character. Keys
    that would fall together by this are kept apart with further U+FFFD.

    Args:
        value: a payload, an item or a text. It is not changed.

    Returns:
        The value and whether anything was replaced; when nothing was, the value is the same object.

    Raises:
        FormatError: the value is nested deeper than a payload may be.
    """
    clean = _cleaned(value, _PAYLOAD_DEPTH_MAX)
    return clean, clean is not value


def _cleaned(value: Any, levels: int) -> Any:
    if type(value) is dict and levels:  # most values are text or mappings: asked first, and cheaply
        return _cleaned_mapping(value, levels - 1)
    if isinstance(value, str):
        return value if _is_storable(value) else _mended(value)
    if not isinstance(value, (Mapping, list, tuple)):
        return value
    if levels == 0:
        raise FormatError(f"the payload is nested more than {_PAYLOAD_DEPTH_MAX} levels deep")
    if isinstance(value, Mapping):
        return _cleaned_mapping(value, levels - 1)
    children = [_cleaned(child, levels - 1) for child in value]
    if all(new is old for new, old in zip(children, value, strict=True)):
        return value
    return children if isinstance(value, list) else tuple(children)


def _cleaned_mapping(mapping: Mapping[Any, Any], levels: int) -> Mapping[Any, Any]:
    clean: dict[Any, Any] = {}
    is_same = True
    for key, child in mapping.items():
        new_key, new_child = _cleaned(key, levels), _cleaned(child, levels)
        if new_key is not key:
            while new_key in clean or new_key in mapping:
                new_key += _REPLACEMENT
        is_same = is_same and new_key is key and new_child is child
        clean[new_key] = new_child
    return mapping if is_same else clean


def _is_storable(text: str) -> bool:
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mended(text: str) -> str:
    # In UTF-16 a pair of surrogates is one character, and only a lone one fails to decode.
    units = text.encode("utf-16-le", "surrogatepass")
    return units.decode("utf-16-le", "replace").replace("\0", _REPLACEMENT)
