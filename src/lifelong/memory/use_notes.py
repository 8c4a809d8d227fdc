"""Which memories recall brought back, noted without making recall wait for the disk.

Fading has to know what is used. A transaction at each recall would turn a read into a write and
cost it an fsync, so uses are collected here and written together: after a number of recalls, when
the oldest note is some minutes old, when they are too many to keep, and whenever the engine says
so (before it forgets, before it fades, when it closes). What a crash takes away is a few uses: a
memory then seems unused for a little longer, which no threshold counted in months can feel.

Uses hold ids and times, no text. What is written is an update of rows that are there: the use of a
memory that was forgotten meanwhile changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from threading import Lock

from lifelong.errors import StoreError
from lifelong.writing import Use

RECALLS_MAX = 64
IDS_MAX = 4_096
OLDEST_MAX = timedelta(minutes=10)


WriteUses = Callable[[str, Sequence[Use]], None]
"""Notes the uses of an owner's memories, by the owner's id, in one transaction. It must not make
the file of an owner who is gone."""


class UseNotes:
    """The uses of all owners of an engine that are not written yet. Any thread may note.

    Args:
        write: stores the uses of one owner.
    """

    def __init__(self, write: WriteUses) -> None:
        self._write = write
        self._lock = Lock()
        self._uses: dict[str, dict[str, Use]] = {}
        self._ids = 0
        self._recalls = 0
        self._oldest: datetime | None = None

    def __len__(self) -> int:
        return self._ids

    def note(self, owner_id: str, memory_ids: Iterable[str], at: datetime) -> None:
        """Note that a recall brought these memories back; write all notes when it is time."""
        ids = list(memory_ids)
        if not ids:
            return
        with self._lock:
            uses = self._uses.setdefault(owner_id, {})
            before = len(uses)
            for memory_id in ids:
                last = uses.get(memory_id, Use(memory_id, at, 0))
                uses[memory_id] = Use(memory_id, max(at, last.at), last.times + 1)
            self._ids += len(uses) - before
            self._recalls += 1
            self._oldest = self._oldest or at
            is_due = (
                self._recalls >= RECALLS_MAX
                or self._ids >= IDS_MAX
                or at - self._oldest >= OLDEST_MAX
            )
        if is_due:
            self.write()

    def write(self) -> int:
        """Write what was noted, one transaction an owner; return how many memories' uses were.

        What the store cannot take is dropped: a full disk must neither fail a recall nor let the
        notes grow.
        """
        written = 0
        for owner_id, uses in self._taken().items():
            try:
                self._write(owner_id, list(uses.values()))
            except StoreError:
                continue
            written += len(uses)
        return written

    def drop(self, owner_id: str) -> None:
        """Drop the notes of an owner, of whom something was forgotten or who is gone."""
        with self._lock:
            self._ids -= len(self._uses.pop(owner_id, {}))

    def _taken(self) -> dict[str, dict[str, Use]]:
        # Written outside the lock: a slow disk holds up whoever writes, and no other recall.
        with self._lock:
            taken, self._uses = self._uses, {}
            self._ids = self._recalls = 0
            self._oldest = None
            return taken
