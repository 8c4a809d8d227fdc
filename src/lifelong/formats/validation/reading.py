"""Reading a payload that may be anything: its items and the words in them, without ever failing.

What is wrong with a word is left to the rules of the formats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Item = Mapping[str, Any]

_NAME = re.compile(r"[a-zA-Z0-9_-]+")


def listed(payload: Any) -> tuple[list[Item], list[str]]:
    """Return the items of a payload, and what keeps it from being a list of mappings.

    Returns:
        The items, and no problem; or the problems, and then the items are not to be looked at.
    """
    if not isinstance(payload, (list, tuple)):
        return [], ["The payload is no list of items."]
    if not payload:
        return [], ["The payload has no item."]
    found = [
        f"items[{index}] is no mapping."
        for index, item in enumerate(payload)
        if not isinstance(item, Mapping)
    ]
    return list(payload), found


def word(item: Item, *keys: str) -> str:
    """Return the text under the first of the keys that has any, or empty text."""
    for key in keys:
        held = item.get(key)
        if isinstance(held, str) and held:
            return held
    return ""


def mapping(item: Item, *keys: str) -> Item | None:
    """Return the mapping under the first of the keys that has one, or None."""
    for key in keys:
        held = item.get(key)
        if isinstance(held, Mapping):
            return held
    return None


def mappings(value: Any) -> list[Item]:
    """Return the mappings in a list; nothing else is in what is returned."""
    if not isinstance(value, (list, tuple)):
        return []
    return [each for each in value if isinstance(each, Mapping)]


def are_mappings(value: Any) -> bool:
    """Return whether a value is a list of mappings, and not an empty one."""
    return isinstance(value, (list, tuple)) and 0 < len(value) == len(mappings(value))


def is_blank(value: Any) -> bool:
    """Return whether a value is no text with a visible character."""
    return not isinstance(value, str) or not value.strip()


def repeated(ids: Sequence[str]) -> list[int]:
    """Return the places of ids that stand earlier in the list already; no id is none."""
    seen: set[str] = set()
    places = []
    for place, each in enumerate(ids):
        if each and each in seen:
            places.append(place)
        seen.add(each)
    return places


def is_name(value: Any, longest: int) -> bool:
    """Return whether a value is text of 1 to `longest` letters, digits, _ and -."""
    is_text = isinstance(value, str) and len(value) <= longest
    return is_text and _NAME.fullmatch(value) is not None
