"""What is to be erased, and what was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be forgotten; the store removes it with all that is derived from it.

    Attributes:
        memories: ids.
        messages: numbers.
        labels: ids of sessions whose title or metadata repeats what is forgotten.
        states: names of values.
        files: paths.
        is_taken_back: True when the messages may come again, so that no tombstone is left.
        bars_text: True when what memories said may not come back by itself under other ids either.
    """

    memories: tuple[str, ...] = ()
    messages: tuple[int, ...] = ()
    labels: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    is_taken_back: bool = False
    bars_text: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be forgotten."""
        return not any((self.memories, self.messages, self.labels, self.states, self.files))


@dataclass(frozen=True, slots=True)
class Note:
    """What is noted of an erasure, in its transaction.

    Attributes:
        at: when.
        id: of the receipt; empty for none.
        scope: what was asked for, without content.
    """

    at: datetime
    id: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """What the store keeps of an erasure.

    Attributes:
        note: what was noted of it.
        counts: rows removed, by table.
        completed_at: when no old byte was left; None while that is pending.
        keys_destroyed: ids of keys.
    """

    note: Note
    counts: Mapping[str, int]
    completed_at: datetime | None
    keys_destroyed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finished:
    """How many receipts were completed just now, and how many are still pending."""

    completed: int
    pending: int
