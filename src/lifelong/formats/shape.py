"""Read a payload piece by piece, and say where it is not what its format describes.

Shared by the formats. An error names the place and the type found there, never the content.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats.strict_json import flaw_of
from lifelong.messages import Raw

TEXT_TYPES = ("text", "input_text", "output_text")
"""The types of blocks that hold text, in the formats whose blocks have types."""


def items_of(payload: Any) -> list[Raw]:
    """Return the items of a payload.

    Raises:
        FormatError: the payload is no list, an item is no mapping, or holds what JSON cannot.
    """
    if not isinstance(payload, (list, tuple)):
        raise FormatError(f"the payload is {_kind(payload)}, not a list of items")
    for index, item in enumerate(payload):
        where = f"items[{index}]"
        mapping_of(item, where)
        checked(item, where)
    return list(payload)


def checked(value: Any, where: str) -> Any:
    """Return the value.

    Raises:
        FormatError: it holds what JSON cannot, or is nested too deep.
    """
    flaw = flaw_of(value)
    if flaw is not None:
        raise FormatError(where + flaw)
    return value


def mapping_of(value: Any, where: str) -> Raw:
    """Return the value.

    Raises:
        FormatError: it is no mapping.
    """
    if not isinstance(value, Mapping):
        remedy = "; pass its model_dump()" if hasattr(value, "model_dump") else ""
        raise FormatError(f"{where} is {_kind(value)}, not a mapping{remedy}")
    return value


def role_of(item: Any, where: str) -> str:
    """Return the role of an item.

    Raises:
        FormatError: the item is no mapping, or has no role.
    """
    role = mapping_of(item, where).get("role")
    if not isinstance(role, str) or not role:
        raise FormatError(f"{where} has no role that is text")
    return role


def id_of(item: Raw) -> str | None:
    """Return the id of an item, or None when it has none that is usable."""
    found = item.get("id")
    return found if isinstance(found, str) and found else None


def content_of(item: Raw, where: str) -> str | list[Raw]:
    """Return the content of an item or block: its text, or its parts; nothing is empty text.

    Raises:
        FormatError: the content is neither text nor a list of mappings.
    """
    content = item.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    return mappings_of(content, f"{where}.content")


def mappings_of(value: Any, where: str) -> list[Raw]:
    """Return a list of mappings.

    Raises:
        FormatError: it is something else.
    """
    if not isinstance(value, (list, tuple)):
        raise FormatError(f"{where} is {_kind(value)}, which cannot be used there")
    return [mapping_of(part, f"{where}[{index}]") for index, part in enumerate(value)]


def text_of(part: Raw, key: str, where: str) -> str:
    """Return the text under a key; nothing is empty text.

    Raises:
        FormatError: something else stands there.
    """
    text = part.get(key)
    if text is None or isinstance(text, str):
        return text or ""
    raise FormatError(f"{where}.{key} is {_kind(text)}, not text")


def word_of(part: Raw, key: str) -> str:
    """Return the text under a key, or empty text when something else stands there."""
    word = part.get(key)
    return word if isinstance(word, str) else ""


def joined_text(content: str | list[Raw], where: str) -> str:
    """Return the text of a tool's result: its text blocks joined by line ends.

    Raises:
        FormatError: the text of a block is not text.
    """
    if isinstance(content, str):
        return content
    return "\n".join(
        text_of(block, "text", f"{where}.content[{index}]")
        for index, block in enumerate(content)
        if block.get("type") in TEXT_TYPES
    )


def beside_text(raw: Raw | None) -> list[Raw]:
    """Return the blocks of a tool's raw result that its text does not say: images and the like.

    Args:
        raw: the result in any of the formats, or None.
    """
    if raw is None:
        return []
    response = raw.get("functionResponse", raw.get("function_response"))
    if isinstance(response, Mapping):
        held = response.get("parts")
    else:
        held = raw.get("content", raw.get("output"))
    blocks = [held] if isinstance(held, Mapping) else held
    if not isinstance(blocks, (list, tuple)):
        return []
    return [block for block in blocks if isinstance(block, Mapping) and not _is_said(block)]


def _is_said(block: Raw) -> bool:
    return block.get("type") in TEXT_TYPES or "stdout" in block


def kind_of(part: Raw) -> str:
    """Return what a raw part is called: its type, or its first key where parts have no types."""
    return word_of(part, "type") or next(iter(part), "")


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
