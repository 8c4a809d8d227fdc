"""What is to be erased, and what was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten; the store removes it with all that is derived from it.

    Attributes:
        memories: ids.
        messages: numbers.
        labels: ids of sessions whose title or metadata repeats what is forgotten.
        is_taken_back: True when the messages may come again, so that no tombstone is left.
    """

    memories: tuple[str, ...] = ()
    messages: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    is_taken_back: bool = False


@dataclass(frozen=True, slots=True)
class Erased:
    """Rows removed by table, and whether old bytes are still held by a reader."""

    counts: Mapping[str, int]
    is_pending: bool
