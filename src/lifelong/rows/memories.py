"""Rows of memories: which a read may see, and what a new one meets and does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from lifelong.records import Memory, Namespace
from lifelong.rows.index import Passage


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """Which memories a read may see. The filter is applied before any limit.

    Attributes:
        now: the moment against which expiry is checked.
        namespace: these segments, or None for all.
        include_below: also namespaces that begin with these segments.
        kinds: these kinds, or None for all.
        metadata: each key must be there with an equal value.
        trust_min: the least trust.
        include_superseded: also what was replaced, or is no longer valid.
        as_of: what was true then, however long ago it was replaced.
        known_at: what had been recorded by then, and not yet replaced.
    """

    now: datetime
    namespace: Namespace | None = None
    include_below: bool = False
    kinds: tuple[str, ...] | None = None
    metadata: Mapping[str, Any] | None = None
    trust_min: int = 0
    include_superseded: bool = False
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def narrows(self) -> bool:
        """Whether it may hold back memories that are live."""
        return bool(
            self.namespace is not None or self.kinds is not None or self.metadata or self.trust_min
        )

    @property
    def looks_back(self) -> bool:
        """Whether it may let through what is replaced by now."""
        return self.include_superseded or self.as_of is not None or self.known_at is not None

    def has_metadata(self, memory: Memory) -> bool:
        """Return whether a memory has each key that is asked for, with an equal value."""
        wanted = self.metadata or {}
        return all(
            name in memory.metadata and _equal_as_json(memory.metadata[name], wanted[name])
            for name in wanted
        )


def _equal_as_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same: true is not 1, and 1.0 is 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal_as_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal_as_json, one, other))
    return bool(one == other)


@dataclass(frozen=True, slots=True)
class MemoryWrite:
    """A memory to be stored, with what decides on duplicates and what the index needs.

    Attributes:
        memory: as it is to stand.
        text_hash: of the folded text; no two live memories of a namespace have the same.
        passages: of the text.
        words: what other memories about the same thing would hold.
        screened_with: the version of the rules that it passed.
        parent_seqs: numbers of messages among its parents, by their ids, where they are known.
    """

    memory: Memory
    text_hash: bytes
    passages: tuple[Passage, ...]
    words: tuple[str, ...] = ()
    screened_with: str = ""
    parent_seqs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """How many memories there are beside a new one; held ones are counted apart.

    Attributes:
        owner: of the owner.
        namespace: in its namespace.
        kind: of its kind, in all namespaces.
        held: held back, of the owner.
    """

    owner: int = 0
    namespace: int = 0
    kind: int = 0
    held: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What a new memory meets, read in the transaction that writes it.

    Attributes:
        same: what has its text in its namespace, live or held; or None.
        keyed: live memories with its key, in its namespace.
        named: the live ends of the chains that begin with the ids which it is to replace.
        similar: live memories of its namespace that share its rare words.
        counts: how many there are; exact, what expired left out, only where a limit is reached.
        was_forgotten: whether its text was forgotten in its namespace.
        is_kept: whether retention lets memories of its kind be saved.
    """

    same: Memory | None = None
    keyed: tuple[Memory, ...] = ()
    named: tuple[Memory, ...] = ()
    similar: tuple[Memory, ...] = ()
    counts: MemoryCounts = MemoryCounts()
    was_forgotten: bool = False
    is_kept: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a new memory does.

    Attributes:
        duplicate_of: what says so already; then nothing is stored.
        supersedes: what it replaces.
        superseded_by: what replaced it before it came: it is stored as history.
        conflicts: live memories that say otherwise, and stay.
        refusal: why it is not stored, with the remedy; empty when it is.
    """

    duplicate_of: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    conflicts: tuple[str, ...] = ()
    refusal: str = ""


Decide = Callable[[Memory, Standing], Verdict]
"""Decides, in the transaction, what a memory does to what stands already."""
