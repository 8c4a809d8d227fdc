"""What of an exported file comes back, and how far it is to be trusted.

A file proves nothing by itself: whoever wrote it can write any trust into it. So a memory keeps its
trust only under a seal that this owner's key made over its whole line, or, up to that of the user's
own word, when a person vouches for the file; and never above that of what it was made from.
Everything else comes back untrusted. What stands is left as it is, and what was forgotten stays so.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

from lifelong.memory.deciding import Quota
from lifelong.records import Memory, Namespace, Trust
from lifelong.rows import (
    Admission,
    FileMemory,
    Ground,
    MemoryCounts,
    RestoredMemory,
    Standing,
    Verdict,
)
from lifelong.writing import REVOKED, SUSPECT

ADDED, DUPLICATES, FORGOTTEN, EXPIRED, CONFLICTS, SET_ASIDE = FATES = (
    "added",
    "duplicates",
    "forgotten",
    "expired",
    "conflicts",
    "set_aside",
)
"""What may become of a memory of a file. A conflict is an id that stands for another text."""

_LOST = "what replaced it is not in the file, or was set aside"
_RING = "it would replace what replaced it"


@dataclass(frozen=True, slots=True)
class Believing:
    """What is believed of a file, and how much of it there may be.

    Attributes:
        now: the moment against which expiry is checked.
        is_vouched: whether a person vouches for the file.
        is_whole: whether every line of it could be read.
        quota: how much there may be in all.
    """

    now: datetime
    is_vouched: bool
    is_whole: bool
    quota: Quota


@dataclass(frozen=True, slots=True)
class Judgement:
    """What of a file is written, and what became of each of its memories.

    Attributes:
        admission: for the store.
        fates: the number of memories by their fate, one of `FATES`.
        set_aside: the lines that are not kept, and why.
        refusal: why none of it is written, with the remedy; empty when it is.
    """

    admission: Admission
    fates: Mapping[str, int]
    set_aside: tuple[tuple[int, str], ...]
    refusal: str = ""


def judge(rows: Sequence[FileMemory], ground: Ground, believing: Believing) -> Judgement:
    """Return what is written of the memories of a file."""
    fates, flaws = _fates(rows, ground, believing.now)
    lost = _lose(rows, ground, fates, flaws, is_whole=believing.is_whole)
    trusts = _trusts(rows, ground, believing, fates)
    admitted = [
        _restored(row, ground, trusts[row.memory.id], believing)
        for row in rows
        if fates[row.line] == ADDED
    ]
    set_aside = tuple((line, flaws[line]) for line in sorted(flaws))
    refusal = _refusal([row.write.memory for row in admitted], ground, believing.quota)
    if refusal:
        return Judgement(Admission(()), {}, set_aside, refusal)
    return Judgement(Admission(tuple(admitted), lost), Counter(fates.values()), set_aside)


def contest(memory: Memory, standing: Standing, now: datetime) -> Verdict:
    """Return what a restored memory does to what stands with its text or its key.

    It takes its place by its own time, not by that of the import: an old value that comes back does
    not replace the one of today. And what is less to be relied on replaces nothing.
    """
    same = standing.same
    is_over = memory.valid_to is not None and memory.valid_to <= now
    if same is not None and (is_over or _stands_for(same, memory)):
        return Verdict(superseded_by=same.id)
    own = () if same is None else (same.id,)
    if memory.held_for or is_over:
        return Verdict(supersedes=own)
    verdict = _by_key(memory, [old for old in standing.keyed if old.id not in own])
    return replace(verdict, supersedes=own + verdict.supersedes)


def _by_key(memory: Memory, keyed: Sequence[Memory]) -> Verdict:
    for old in keyed:
        if _since(old) > _since(memory) and old.trust >= memory.trust:
            return Verdict(superseded_by=old.id)
    replaced = tuple(old.id for old in keyed if _replaces(memory, old))
    conflicts = tuple(old.id for old in keyed if not _replaces(memory, old))
    return Verdict(supersedes=replaced, conflicts=conflicts)


def _replaces(memory: Memory, old: Memory) -> bool:
    return _since(memory) >= _since(old) and memory.trust >= old.trust


def _stands_for(same: Memory, memory: Memory) -> bool:
    """Return whether what has a memory's text already stands for it too."""
    if same.held_for and not memory.held_for:
        return same.held_for == REVOKED and memory.trust < Trust.USER
    return bool(memory.held_for) or same.trust >= memory.trust


def _since(memory: Memory) -> datetime:
    return memory.valid_from or memory.recorded_at


def _fates(
    rows: Sequence[FileMemory], ground: Ground, now: datetime
) -> tuple[dict[int, str], dict[int, str]]:
    """Return what becomes of each line by itself, and why those are set aside that are."""
    fates: dict[int, str] = {}
    flaws: dict[int, str] = {}
    texts = dict(ground.texts)
    for row in rows:
        memory = row.memory
        there = texts.get(memory.id)
        if (memory.id, "") in ground.forgotten:
            fates[row.line] = FORGOTTEN
        elif there is not None:
            fates[row.line] = DUPLICATES if there == memory.text else CONFLICTS
        elif row.flaw:
            fates[row.line], flaws[row.line] = SET_ASIDE, row.flaw
        elif memory.expires_at is not None and memory.expires_at <= now:
            fates[row.line] = EXPIRED
        else:
            fates[row.line] = ADDED
            texts[memory.id] = memory.text
    _forget_derived(rows, ground, fates)
    return fates, flaws


def _forget_derived(rows: Sequence[FileMemory], ground: Ground, fates: dict[int, str]) -> None:
    """Leave out what was made from what was forgotten, directly or through others."""
    made = defaultdict(list)
    waiting: deque[FileMemory] = deque()
    for row in rows:
        if fates[row.line] == ADDED:
            for parent, _ in row.parents:
                made[parent].append(row)
            if ground.forgotten.intersection(row.parents):
                waiting.append(row)
    while waiting:
        row = waiting.popleft()
        if fates[row.line] == ADDED:
            fates[row.line] = FORGOTTEN
            waiting.extend(made[row.memory.id])


def _lose(
    rows: Sequence[FileMemory],
    ground: Ground,
    fates: dict[int, str],
    flaws: dict[int, str],
    *,
    is_whole: bool,
) -> tuple[str, ...]:
    """Set aside what cannot be linked; return the ids of what replaced others and is nowhere.

    In a whole file it is not there because it was forgotten or has expired, and stays so. Where a
    line could not be read it may be that one, and the mended file brings both.
    """
    refused = {row.memory.id for row in rows if fates[row.line] == SET_ASIDE}
    gone = {row.memory.id for row in rows if fates[row.line] in (FORGOTTEN, EXPIRED)}
    added = {row.memory.id: row for row in rows if fates[row.line] == ADDED}
    replaced_by = _replaced_by(added.values())
    missing = replaced_by.keys() - added.keys() - ground.texts.keys()
    missing -= {id for id, _ in ground.forgotten}
    lost = tuple(sorted(missing - refused if is_whole else missing & gone))
    for row in _rings(added):
        _set_aside(row, _RING, replaced_by, fates, flaws)
    for successor in missing.difference(lost):
        for row in replaced_by[successor]:
            _set_aside(row, _LOST, replaced_by, fates, flaws)
    return lost


def _set_aside(
    row: FileMemory,
    reason: str,
    replaced_by: Mapping[str, Sequence[FileMemory]],
    fates: dict[int, str],
    flaws: dict[int, str],
) -> None:
    """Set a line aside, with all that it replaced, directly or through others."""
    waiting = [(row, reason)]
    while waiting:
        row, reason = waiting.pop()
        if fates[row.line] == ADDED:
            fates[row.line], flaws[row.line] = SET_ASIDE, reason
            waiting += [(each, _LOST) for each in replaced_by.get(row.memory.id, ())]


def _replaced_by(rows: Iterable[FileMemory]) -> defaultdict[str, list[FileMemory]]:
    """Return what each memory replaced, by its id."""
    found: defaultdict[str, list[FileMemory]] = defaultdict(list)
    for row in rows:
        if row.memory.superseded_by is not None:
            found[row.memory.superseded_by].append(row)
    return found


def _rings(added: Mapping[str, FileMemory]) -> Iterator[FileMemory]:
    """Yield the memories of which each would replace another in a ring."""
    done: set[str] = set()
    for begin in added:
        path: dict[str, None] = {}
        at: str | None = begin
        while at is not None and at in added and at not in done and at not in path:
            path[at] = None
            at = added[at].memory.superseded_by
        if at in path:
            steps = list(path)
            yield from (added[step] for step in steps[steps.index(str(at)) :])
        done.update(path)


def _trusts(
    rows: Sequence[FileMemory], ground: Ground, believing: Believing, fates: Mapping[int, str]
) -> dict[str, Trust]:
    """Return how far each memory of a file is to be trusted, by its id.

    Parents come first; what goes round in a ring, or was made from that, is not trusted at all.
    """
    own = {row.memory.id: row for row in rows}
    # Of several lines with one id the one that is kept counts, and no other speaks for it.
    own |= {row.memory.id: row for row in rows if fates[row.line] == ADDED}
    new = own.keys() - ground.texts.keys()
    waits = {id: _parents_in(new, row) for id, row in own.items()}
    made = defaultdict(list)
    for id, parents in waits.items():
        for parent in parents:
            made[parent].append(id)
    trusts = dict.fromkeys(own, Trust.UNTRUSTED)
    ready = deque(id for id, parents in waits.items() if not parents)
    while ready:
        id = ready.popleft()
        trusts[id] = _trust(own[id], ground, trusts, believing)
        for child in made[id]:
            waits[child].discard(id)
            if not waits[child]:
                ready.append(child)
    return trusts


def _parents_in(ids: AbstractSet[str], row: FileMemory) -> set[str]:
    return {parent for parent, _ in row.parents if parent in ids}


def _trust(
    row: FileMemory, ground: Ground, trusts: Mapping[str, Trust], believing: Believing
) -> Trust:
    is_sealed = row.line in ground.sealed
    if is_sealed and row.memory.confirmed_at is not None:
        return row.memory.trust  # a person vouched for it, whatever it was made from
    if not (is_sealed or believing.is_vouched):
        return Trust.UNTRUSTED
    trust = row.memory.trust if is_sealed else min(row.memory.trust, Trust.USER)
    for name in row.parents:
        found = ground.trusts.get(name)
        if found is None and name[0] not in ground.texts:
            found = trusts.get(name[0])
        if found is not None:
            trust = min(trust, found)
        elif not is_sealed:
            return Trust.UNTRUSTED  # nobody knows what it was made from
    return Trust(trust)


def _restored(
    row: FileMemory, ground: Ground, trust: Trust, believing: Believing
) -> RestoredMemory:
    memory, now = row.memory, believing.now
    confirmed_at = memory.confirmed_at if row.line in ground.sealed else None
    is_suspect = row.is_suspect or (trust == Trust.UNTRUSTED and row.is_suspect_outside)
    is_judged = memory.held_for or confirmed_at or trust >= Trust.SYSTEM
    kept = replace(
        memory,
        trust=trust,
        confirmed_at=confirmed_at,
        held_for=SUSPECT if is_suspect and not is_judged else memory.held_for,
        recorded_at=min(memory.recorded_at, now),  # by a clock that went wrong, or a lie
        updated_at=min(memory.updated_at, now),
    )
    seqs = {name[0]: ground.seqs[name] for name in row.parents if name in ground.seqs}
    return RestoredMemory(replace(row.write, memory=kept, parent_seqs=seqs), row.history)


def _refusal(memories: Sequence[Memory], ground: Ground, quota: Quota) -> str:
    """Return why so many more memories are refused; empty when they are not."""
    standing = [each for each in memories if each.superseded_by is None]
    held = [each for each in standing if each.held_for]
    live = [each for each in standing if not each.held_for]
    by_place: Counter[object] = Counter()
    by_kind: Counter[str] = Counter()
    for namespace, kind, count in _counted(live, ground):
        by_place[namespace] += count
        by_kind[kind] += count
    for last in {(each.namespace, each.kind): each for each in live}.values():
        # As the last of them meets the others.
        counts = MemoryCounts(
            owner=by_kind.total() - 1,
            namespace=by_place[last.namespace] - 1,
            kind=by_kind[last.kind] - 1,
        )
        refusal = quota.refusal(last, counts)
        if refusal:
            return refusal
    if not held:
        return ""
    return quota.refusal(held[-1], MemoryCounts(held=ground.held + len(held) - 1))


def _counted(live: Iterable[Memory], ground: Ground) -> Iterator[tuple[Namespace, str, int]]:
    for (namespace, kind), count in ground.counts.items():
        yield namespace, kind, count
    for memory in live:
        yield memory.namespace, memory.kind, 1
