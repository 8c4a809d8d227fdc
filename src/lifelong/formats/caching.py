"""Where Anthropic's cache marks stand: at the end of what will be sent again unchanged.

A mark caches all before it. Three are set: at the end of the system text, at the end of what was
said before the present request, and at the end of all, for the steps that follow. Where the items
carry marks of the caller's own, those stay and none is added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_MARK = {"type": "ephemeral"}
_UNMARKABLE = ("thinking", "redacted_thinking")


def marked(items: Sequence[dict[str, Any]], system: Any) -> tuple[list[dict[str, Any]], Any]:
    """Return Anthropic's items and system with cache marks.

    Args:
        items: rendered items; they are not changed.
        system: text or blocks, or None.
    """
    if _has_mark(system) or any(_has_mark(item.get("content")) for item in items):
        return list(items), system
    result = list(items)
    for place in {_before_present(items), len(items) - 1}:
        if place >= 0:
            content = _with_mark(items[place].get("content"))
            result[place] = {**items[place], "content": content}
    return result, None if system is None else _with_mark(system)


def _has_mark(content: Any) -> bool:
    if isinstance(content, Mapping):
        return "cache_control" in content or _has_mark(content.get("content"))
    return isinstance(content, (list, tuple)) and any(map(_has_mark, content))


def _before_present(items: Sequence[Mapping[str, Any]]) -> int:
    """Return the place of the last item before the user's present request, or -1."""
    place = len(items) - 1
    while place >= 0 and not _is_asked(items[place]):
        place -= 1
    while place >= 0 and items[place].get("role") == "user":
        place -= 1
    return place


def _is_asked(item: Mapping[str, Any]) -> bool:
    if item.get("role") != "user":
        return False
    content = item.get("content")
    blocks = content if isinstance(content, (list, tuple)) else ()
    return not any(
        isinstance(block, Mapping) and block.get("type") == "tool_result" for block in blocks
    )


def _with_mark(content: Any) -> Any:
    if isinstance(content, str):
        return [{"type": "text", "text": content, "cache_control": _MARK}] if content else content
    if not isinstance(content, (list, tuple)):
        return content
    blocks = list(content)
    for place in range(len(blocks) - 1, -1, -1):
        block = blocks[place]
        if isinstance(block, Mapping) and block.get("type") not in _UNMARKABLE:
            blocks[place] = {**block, "cache_control": _MARK}
            break
    return blocks
