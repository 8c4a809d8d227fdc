"""Reading a backup back: what becomes of each owner in it is decided here.

What was forgotten since the backup stays forgotten: an owner whose key was destroyed is not put
back, and what tombstones name is erased again before a file takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lifelong.errors import BackupUnusable, OnLegalHold, StoreCorrupt
from lifelong.memory.forget_scope import selection_of
from lifelong.ports import Clock
from lifelong.ports.keeping import BackupReader, Draft, OnProgress
from lifelong.rows import Note
from lifelong.rows.keeping import (
    DAMAGED,
    FORGOTTEN,
    GOOD,
    KEPT,
    RESTORED,
    SAME,
    UNREADABLE,
    BackedUp,
    Restored,
    RestoredOwner,
)

Handle = Callable[[BackedUp], RestoredOwner]
"""Says what becomes of one file."""

_UNKNOWN = "its key is in no place that was looked at"
_FORGOTTEN = "it was forgotten since, and its key destroyed"
_REPLACE = "the store has this owner; pass replace to put the backup in its place"


def restore(
    reader: BackupReader, clock: Clock, *, may_replace: bool, on_progress: OnProgress
) -> Restored:
    """Put the owners of a backup into the store, each whole or not at all.

    Args:
        reader: of the backup, and of the store.
        clock: of the store.
        may_replace: whether an owner that the store has is replaced.
        on_progress: called with how many bytes are read, and how many there are.
    """

    def one(file: BackedUp) -> RestoredOwner:
        owner_id = reader.owner_of(file)
        if owner_id is None or reader.was_destroyed(file):
            return _closed(reader, file)
        if reader.has_owner(owner_id):
            if reader.is_present(file):
                return RestoredOwner(file.name, owner_id, SAME, counts=file.counts)
            if not may_replace:
                return RestoredOwner(file.name, owner_id, KEPT, _REPLACE)
        return _put_back(reader, file, owner_id, clock)

    return Restored(reader.backup, _each(reader, one, on_progress))


def drill(reader: BackupReader, *, on_progress: OnProgress) -> Restored:
    """Read every owner of a backup as a restore would, compare, and put nothing in place."""

    def one(file: BackedUp) -> RestoredOwner:
        owner_id = reader.owner_of(file)
        if owner_id is None:
            return _closed(reader, file)
        try:
            with reader.draft(file, is_drill=True) as draft:
                problem = _problem(draft)
        except (BackupUnusable, StoreCorrupt) as error:
            problem = str(error)
        outcome = DAMAGED if problem else GOOD
        return RestoredOwner(file.name, owner_id, outcome, problem, file.counts)

    return Restored(reader.backup, _each(reader, one, on_progress), is_drill=True)


def _each(reader: BackupReader, one: Handle, on_progress: OnProgress) -> tuple[RestoredOwner, ...]:
    total, done, found = reader.backup.size, 0, []
    for file in reader.backup.files:
        found.append(one(file))
        done += file.size
        on_progress(done, total)
    return tuple(found)


def _closed(reader: BackupReader, file: BackedUp) -> RestoredOwner:
    owner_id = reader.owner_of(file)
    if reader.was_destroyed(file):
        return RestoredOwner(file.name, owner_id, FORGOTTEN, _FORGOTTEN)
    return RestoredOwner(file.name, owner_id, UNREADABLE, _UNKNOWN)


def _put_back(reader: BackupReader, file: BackedUp, owner_id: str, clock: Clock) -> RestoredOwner:
    try:
        with reader.draft(file, is_drill=False) as draft:
            problem = _problem(draft)
            if problem:
                return RestoredOwner(file.name, owner_id, DAMAGED, problem)
            with draft.taking_over(owner_id):
                erased = _erase_again(draft, clock)
                is_placed = draft.put_in_place(owner_id)
    except (BackupUnusable, StoreCorrupt) as error:
        return RestoredOwner(file.name, owner_id, DAMAGED, str(error))
    except OnLegalHold as error:
        return RestoredOwner(file.name, owner_id, KEPT, str(error))
    outcome = RESTORED if is_placed else KEPT
    detail = "" if is_placed else "somebody began this owner anew meanwhile"
    return RestoredOwner(file.name, owner_id, outcome, detail, file.counts, erased)


def _problem(draft: Draft) -> str:
    """Return what is wrong with a file; empty when it is as it was made, and sound."""
    if not draft.is_as_made():
        return "its rows are not those that were backed up"
    problems = draft.store.upkeep.check().problems
    return problems[0] if problems else ""


def _erase_again(draft: Draft, clock: Clock) -> int:
    """Erase what was forgotten since, with all that was made from it; return how many rows."""
    found = draft.forgotten()
    rows = [row for session, id in found.messages for row in draft.store.log.find(id, session)]
    selection = selection_of(draft.store, found.memories, rows)
    states, files = {*selection.states, *found.states}, {*selection.files, *found.files}
    selection = replace(selection, states=tuple(sorted(states)), files=tuple(sorted(files)))
    if selection.is_empty:
        return 0
    erased = draft.store.forgetting.erase(selection, Note(clock.now()))
    return sum(erased.counts.get(name, 0) for name in ("memory", "message", "state", "file"))
