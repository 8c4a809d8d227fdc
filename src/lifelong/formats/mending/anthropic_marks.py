"""Mend the cache marks in Anthropic's messages: those that are none, and those that are too many.

Marks on tools count too at the provider, and are not seen here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lifelong.formats.mending.drafts import (
    Changes,
    Draft,
    Item,
    Piece,
    is_list,
    is_mapping,
    without,
)

_MAX = 4
_TIMES = (None, "5m", "1h")
_MARK = "cache_control"

_IsRefused = Callable[[Any], bool]


def without_wrong_marks(system: Any, drafts: list[Draft], changes: Changes) -> Any:
    """Leave out what is no mark, and the oldest marks above four; return the system.

    The marks of the system are the last to go: what they cache never changes.
    """
    blocks = list(system) if is_list(system) else []
    kept = [_unmarked(block, _is_wrong) for block in blocks]
    if not _are_same(kept, blocks):
        changes.tell("system", "a cache mark that is none was left out")
    marked = [(draft, piece) for draft in drafts for piece in draft.pieces if _marks_of(piece.body)]
    for draft, piece in marked:
        if any(map(_is_wrong, _marks_of(piece.body))):
            changes.tell(piece, "a cache mark that is none was left out")
            draft.replace(piece, _unmarked(piece.body, _is_wrong))
    kept = _without_excess(kept, marked, changes)
    return system if _are_same(kept, blocks) else kept


def _without_excess(
    system: list[Item], marked: list[tuple[Draft, Piece]], changes: Changes
) -> list[Item]:
    bodies = [*system, *(piece.body for _, piece in marked)]
    excess = _Excess(sum(len(_marks_of(body)) for body in bodies) - _MAX)
    for draft, piece in marked:
        if excess.left > 0 and _marks_of(piece.body):
            changes.tell(piece, "a cache mark was left out, for there were more than four")
            draft.replace(piece, _unmarked(piece.body, excess.takes))
    if excess.left <= 0:
        return system
    changes.tell("system", "cache marks were left out, for there were more than four")
    return [_unmarked(block, excess.takes) for block in system]


def _are_same(new: Sequence[Any], old: Sequence[Any]) -> bool:
    return all(one is other for one, other in zip(new, old, strict=True))


class _Excess:
    """How many marks are still to go."""

    def __init__(self, left: int) -> None:
        self.left = left

    def takes(self, _mark: Any) -> bool:
        """Tell whether one more mark goes, and count it."""
        self.left -= 1
        return self.left >= 0


def _marks_of(block: Item) -> list[Any]:
    """Return the marks on a block and on what it holds."""
    content = block.get("content")
    if content is None and _MARK not in block:
        return []
    inner = [each for each in content if is_mapping(each)] if is_list(content) else []
    marks = [each.get(_MARK) for each in (block, *inner)]
    return [mark for mark in marks if mark is not None]


def _is_wrong(mark: Any) -> bool:
    is_known = is_mapping(mark) and mark.get("type") == "ephemeral"
    return not is_known or mark.get("ttl") not in _TIMES


def _unmarked(block: Item, is_refused: _IsRefused) -> Item:
    """Return a block without the marks that are refused, on it and on what it holds."""
    made = _unmarked_itself(block, is_refused)
    content = block.get("content")
    if not is_list(content):
        return made
    kept = [_unmarked_itself(each, is_refused) if is_mapping(each) else each for each in content]
    return made if _are_same(kept, content) else {**made, "content": kept}


def _unmarked_itself(block: Item, is_refused: _IsRefused) -> Item:
    mark = block.get(_MARK)
    return without(block, _MARK) if mark is not None and is_refused(mark) else block
