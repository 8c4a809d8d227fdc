"""What a store does for memories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from lifelong.records import Memory
from lifelong.rows import (
    Admit,
    Beginning,
    Decide,
    FileConflict,
    FileMemory,
    MemoryFilter,
    MemoryMatches,
    MemoryWrite,
    Tombstone,
    Verdict,
)
from lifelong.writing import MemoryVersion, Use


class MemoryStore(Protocol):
    """The memories of one owner."""

    def write(self, write: MemoryWrite, decide: Decide, supersedes: Sequence[str] = ()) -> Verdict:
        """Store a memory, unless what stands already decides otherwise.

        Reading, deciding and writing are one transaction; no two live memories of a namespace have
        the same text, whoever writes.

        Args:
            write: the memory.
            decide: what it does to what stands; asked inside the transaction.
            supersedes: ids of memories that it is to replace; of a chain, its live end is meant.

        Raises:
            NotFound: an id in `supersedes` is not there, or nothing live stands at its chain's end.
        """
        ...

    def update(
        self, memory_id: str, which: MemoryFilter, change: Callable[[Memory], MemoryWrite]
    ) -> None:
        """Replace a memory's row and index, and add the new one to its history.

        Reading, deciding and writing are one transaction.

        Raises:
            NotFound: it is not there, or not live.
            MemoryConflict: another live memory in its namespace has the text.
        """
        ...

    def select(self, which: MemoryFilter | None, limit: int | None = None) -> list[Memory]:
        """Return memories in the order of recording; the newest, when there is a limit.

        Without a filter, all that are there: the hidden ones too.
        """
        ...

    def get(self, memory_id: str, which: MemoryFilter) -> Memory | None:
        """Return one memory, if the filter lets it through."""
        ...

    def latest(self, memory_id: str) -> Memory | None:
        """Return what replaced a memory last, or itself; None when that is not live."""
        ...

    def history(self, memory_id: str) -> list[MemoryVersion]:
        """Return the changes of a memory, oldest first."""
        ...

    def parent_trust(self, parent_ids: Sequence[str]) -> dict[str, int]:
        """Return the trust of each of these memories and messages that is there.

        Raises:
            AmbiguousId: several sessions have a message with the id.
        """
        ...

    def match(
        self, words: Sequence[str], prefixes: Sequence[Beginning], which: MemoryFilter
    ) -> MemoryMatches:
        """Return where each word stands in the memories that the filter lets through."""
        ...

    def among(self, seqs: Sequence[int], which: MemoryFilter) -> dict[int, Memory]:
        """Return the memories with these numbers that the filter lets through."""
        ...

    def note_uses(self, uses: Sequence[Use]) -> None:
        """Note that recall brought memories back; of an owner who is gone, nothing is made."""
        ...

    def derived_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return ids of memories made from these, directly or through others."""
        ...

    def seals(self, digests: Sequence[str]) -> list[str]:
        """Return for each digest a seal that only this owner's key makes; [] without encryption.

        Without a key to hold back a seal would prove nothing.
        """
        ...

    def parent_sessions(self, memory_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Return by memory, and by its parents that are messages, the sessions of those."""
        ...

    def tombstones(self) -> list[Tombstone]:
        """Return what was forgotten, by its id, and what files say to have been; sorted."""
        ...

    def note_forgotten(self, tombstones: Sequence[Tombstone]) -> int:
        """Note what was forgotten elsewhere, and return how much of it is new.

        What stands here stays: of that, nothing is noted.
        """
        ...

    def restore(
        self,
        rows: Sequence[FileMemory],
        conflicts: Sequence[FileConflict],
        *,
        admit: Admit,
        decide: Decide,
        at: datetime,
    ) -> None:
        """Write what comes back from an export: all that is admitted, or nothing.

        Reading, deciding and writing are one transaction.

        Args:
            rows: what the file says.
            conflicts: noted of those that are there then, where the file brought one of the two.
            admit: what of the rows is written; asked inside the transaction.
            decide: what a memory does to what stood before with its text or its key; only the
                fields `same` and `keyed` are read.
            at: the time of what falls.
        """
        ...
