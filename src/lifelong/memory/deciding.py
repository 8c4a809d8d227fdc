"""Deciding what a new memory does to what stands: nothing, a duplicate, a replacement, a conflict.

Precision comes first, since a wrong invalidation costs more than a missed one: by rule a memory is
replaced only where subject and attribute match and the values differ, and never by something that
is less to be relied on, or that was true before it. In doubt both stay, linked as a conflict.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from lifelong.memory.sameness import same_fact
from lifelong.memory.statements import parse_statement
from lifelong.memory.supersede import CONFLICT, REPLACES, UNRELATED, relation
from lifelong.records import Memory, Trust
from lifelong.rows import MemoryCounts, Standing, Verdict
from lifelong.writing import REVOKED

MEMORIES_MAX_DEFAULT = 100_000
HELD_MAX_DEFAULT = 1_000

REPLACEABLE = ("preference", "constraint", "fact")
"""Kinds of which a rule may replace one. An event stays true, a procedure has many parts, and of a
note nothing is known: two of them that differ are a conflict at most."""


@dataclass(frozen=True, slots=True)
class Quota:
    """How much may be remembered. What was replaced or has expired does not count.

    Attributes:
        memories_max: of one owner.
        namespace_max: in one namespace; None for no limit of its own.
        kind_max: of a kind, in all namespaces.
        held_max: waiting for a person, so that a flood of them cannot fill the store.
        files_max: files in file memory.
        file_bytes_max: of one file, in UTF-8.
        files_bytes_max: of all files; older versions of them may take as much again.
    """

    memories_max: int = MEMORIES_MAX_DEFAULT
    namespace_max: int | None = None
    kind_max: Mapping[str, int] = field(default_factory=dict)
    held_max: int = HELD_MAX_DEFAULT
    files_max: int = 1_000
    file_bytes_max: int = 1 << 20
    files_bytes_max: int = 64 << 20

    def refusal(self, memory: Memory, counts: MemoryCounts) -> str:
        """Return why one more memory is refused, with the remedy; empty when it is not."""
        if memory.held_for:
            if counts.held >= self.held_max:
                return f"{counts.held} memories wait for review already: review them first"
            return ""
        kind_max = self.kind_max.get(memory.kind)
        limits = (
            (counts.owner, self.memories_max, "memories"),
            (counts.namespace, self.namespace_max, "memories in this namespace"),
            (counts.kind, kind_max, f"memories of kind {memory.kind}"),
        )
        for count, most, what in limits:
            if most is not None and count >= most:
                return f"the quota of {most} {what} is full: forget, merge or supersede some"
        return ""


QUOTA_DEFAULT = Quota()

_FORGOTTEN = "this was forgotten: only the user can have it remembered again, in words of their own"
_NOT_KEPT = "retention lets no memory of this kind be saved: change the rule first"


def decide(memory: Memory, standing: Standing, quota: Quota) -> Verdict:
    """Return what `memory` does to what stands.

    What is held back replaces nothing and contradicts nothing: that is decided when it is released.
    """
    if not standing.is_kept:
        return Verdict(refusal=_NOT_KEPT)
    same = standing.same
    if same is not None and _says_so_already(same, memory):
        return _duplicate(memory, same, standing)
    if standing.was_forgotten and not is_said_anew(memory):
        return Verdict(refusal=_FORGOTTEN)
    own = {} if same is None else {same.id: same}
    if memory.held_for:
        # Of two held ones the better founded stays; a live one is never touched.
        counts = _counts_without(standing.counts, memory, own.values())
        return Verdict(supersedes=tuple(own), refusal=quota.refusal(memory, counts))
    replaced, conflicts, later = _told_to_replace(memory, standing)
    replaced |= own
    later = _without(later, replaced)
    others = _without({old.id: old for old in standing.similar}, replaced | later)
    twin = _compare(memory, others.values(), replaced, conflicts)
    if twin is not None:
        return Verdict(duplicate_of=twin.id, supersedes=tuple(replaced))
    if later:  # It is history when it comes: it contradicts nothing, and no quota counts it.
        ended_by = max(later.values(), key=_since).id
        return Verdict(supersedes=tuple(replaced), superseded_by=ended_by)
    counts = _counts_without(standing.counts, memory, replaced.values())
    return Verdict(
        supersedes=tuple(replaced),
        conflicts=tuple(_without(conflicts, replaced)),
        refusal=quota.refusal(memory, counts),
    )


def is_said_anew(memory: Memory) -> bool:
    """Return whether the user says it by themselves, so that it may be known again.

    What was extracted, imported or said by an agent comes from what was there before.
    """
    return memory.origin.channel == "user" and not memory.origin.parents


def _duplicate(memory: Memory, same: Memory, standing: Standing) -> Verdict:
    """Return what a memory does that is known already: what it was told to replace is replaced."""
    replaced = {} if memory.held_for or same.held_for else _told_to_replace(memory, standing)[0]
    if memory.key != same.key:  # what stands has not the key, so it replaces nothing by it
        replaced = {old.id: old for old in standing.named if old.id in replaced}
    return Verdict(duplicate_of=same.id, supersedes=tuple(_without(replaced, (same.id,))))


def _compare(
    memory: Memory,
    others: Iterable[Memory],
    replaced: dict[str, Memory],
    conflicts: dict[str, Memory],
) -> Memory | None:
    """Add what a memory replaces or contradicts by rule; return what says the same, or None."""
    statement = parse_statement(memory.text)
    for old in others:
        older = parse_statement(old.text)
        if _may_be_duplicate(memory, old) and same_fact(statement, older):
            return old
        how = _rule(memory, old, relation(statement, older).kind)
        if how != UNRELATED:
            _place(old, replaced if how == REPLACES else conflicts)
    return None


def _counts_without(
    counts: MemoryCounts, memory: Memory, replaced: Iterable[Memory]
) -> MemoryCounts:
    """Return the counts as they are once these make room for a memory."""
    fallen = list(replaced)
    live = [old for old in fallen if not old.held_for]
    return MemoryCounts(
        owner=counts.owner - len(live),
        namespace=counts.namespace - sum(old.namespace == memory.namespace for old in live),
        kind=counts.kind - sum(old.kind == memory.kind for old in live),
        held=counts.held - (len(fallen) - len(live)),
    )


def _told_to_replace(
    memory: Memory, standing: Standing
) -> tuple[dict[str, Memory], dict[str, Memory], dict[str, Memory]]:
    """Return what a memory replaces as it was told, what it may not, and what came after it.

    What came by a tool or a document never replaces what is better founded, whoever names it; and
    by a key alone nothing less founded replaces anything.
    """
    replaced: dict[str, Memory] = {}
    conflicts: dict[str, Memory] = {}
    later: dict[str, Memory] = {}
    for old in standing.named:
        _place(old, replaced if _may_replace(memory, old) else conflicts)
    for old in standing.keyed:
        if old.id in replaced:
            continue
        if _is_late(memory, old):
            _place(old, later)
        else:
            _place(old, replaced if memory.trust >= old.trust else conflicts)
    return replaced, conflicts, later


def _may_replace(memory: Memory, old: Memory) -> bool:
    """Return whether a memory is founded well enough to replace what it names.

    In words of a user's own it replaces what it was made from, though it is trusted no more than
    the least of that.
    """
    is_made_from = memory.origin.channel == "user" and old.id in memory.origin.parents
    return memory.trust > Trust.UNTRUSTED or old.trust == Trust.UNTRUSTED or is_made_from


def _without(memories: Mapping[str, Memory], ids: Container[str]) -> dict[str, Memory]:
    return {id: memory for id, memory in memories.items() if id not in ids}


def _place(old: Memory, into: dict[str, Memory]) -> None:
    into[old.id] = old


def _says_so_already(same: Memory, memory: Memory) -> bool:
    """Return whether a memory of the same text stands for the new one too.

    What is held back stands for nothing that need not be, but what was revoked comes back only by
    the user's own word. That is not lost in what a tool said before, and a key is not lost either.
    """
    if same.held_for and not memory.held_for:
        return same.held_for == REVOKED and memory.trust < Trust.USER
    if memory.held_for and not same.held_for:
        return True
    has_key = memory.key is None or memory.key == same.key
    return same.trust > memory.trust or (same.trust == memory.trust and has_key)


def _may_be_duplicate(memory: Memory, old: Memory) -> bool:
    """Return whether nothing but the words would be lost if the new memory were not stored."""
    own = (memory.key, memory.valid_from, memory.valid_to, memory.expires_at)
    return (
        own == (old.key, old.valid_from, old.valid_to, old.expires_at)
        and memory.kind == old.kind
        and memory.trust <= old.trust
        and dict(memory.metadata) == dict(old.metadata)
    )


def _rule(memory: Memory, old: Memory, how: str) -> str:
    """Return what the relation of two texts means for two memories that say them."""
    if how != REPLACES:
        return how
    are_replaceable = memory.kind in REPLACEABLE and old.kind in REPLACEABLE
    is_founded = memory.trust >= old.trust and not _is_late(memory, old)
    return REPLACES if are_replaceable and is_founded else CONFLICT


def _is_late(memory: Memory, old: Memory) -> bool:
    """Return whether a memory is of a time before another, and was only told now."""
    return memory.valid_from is not None and memory.valid_from < _since(old)


def _since(memory: Memory) -> datetime:
    return memory.valid_from or memory.recorded_at
