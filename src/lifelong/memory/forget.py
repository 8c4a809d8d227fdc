"""Forgetting: what is asked for is found, erased in one transaction, and told in a receipt.

What was made from a forgotten thing goes with it. The store does the removing and counts; nothing
here reports a deletion that the database did not make.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from lifelong.forgetting import SCOPE_EVERYTHING, Due, Receipt
from lifelong.memory.forget_scope import (
    Scope,
    preview,
    select,
    selection_of,
)
from lifelong.ports import Clock, OwnerStore
from lifelong.rows import Note, ReceiptRow, Selection, StoredMessage, Whose

RETENTION = "retention"


class Receipts(Protocol):
    """Who gives out the receipts of one owner."""

    def whose(self) -> Whose:
        """Return whose receipts they are, and when all of that owner was last forgotten."""
        ...

    def note(self, scope: str) -> Note:
        """Return what is to be noted of an erasure, with a fresh id."""
        ...

    def signed(self, row: ReceiptRow) -> Receipt:
        """Return the receipt of an erasure, signed."""
        ...

    def forget_owner(self, note: Note) -> ReceiptRow:
        """Remove all of the owner: the file goes, and its key."""
        ...


def forget(
    store: OwnerStore, receipts: Receipts, *, scope: Scope, is_dry_run: bool = False
) -> Receipt:
    """Remove what the scope names, and what was made from it.

    Raises:
        AmbiguousId: messages of several sessions have the id, and no session is named.
        EmptyText: the text to match is blank.
        OnLegalHold: something of it may not go.
    """
    selection = replace(select(store, scope), bars_text=True)
    return _removed(store, receipts, selection, scope.words(), is_dry_run=is_dry_run)


def forget_memories(
    store: OwnerStore, receipts: Receipts, *, ids: Sequence[str], scope: str, is_dry_run: bool
) -> Receipt:
    """Remove these memories, and what was made from them; `scope` says why, without content.

    What they said may be learned again.
    """
    selection = selection_of(store, ids, [])
    return _removed(store, receipts, selection, scope, is_dry_run=is_dry_run)


def forget_everything(store: OwnerStore, receipts: Receipts, *, is_dry_run: bool) -> Receipt:
    """Remove an owner: the file goes, and its key.

    Raises:
        OnLegalHold: something of it may not go.
    """
    note = receipts.note(SCOPE_EVERYTHING)
    if is_dry_run:
        counts = {name: n for name, n in store.upkeep.counts().items() if name != "bytes"}
        return _dry(note, counts)
    return receipts.signed(receipts.forget_owner(note))


def forget_due(
    store: OwnerStore, receipts: Receipts, *, due: Due, is_dry_run: bool = False
) -> Receipt:
    """Remove what retention lets be kept no longer, the way all that is forgotten goes.

    Memories that were made from an old message stay: they have a time of their own. Ids do not
    come back by an import, but what was said may be said again.
    """
    selection = Selection(memories=due.memories, messages=due.messages, files=due.files)
    return _removed(store, receipts, selection, RETENTION, is_dry_run=is_dry_run)


def take_back(store: OwnerStore, clock: Clock, row: StoredMessage) -> bool:
    """Remove one message that may be said again; return whether it was still there.

    Raises:
        OnLegalHold: it may not go.
    """
    selection = replace(selection_of(store, [], [row]), is_taken_back=True)
    erased = store.forgetting.erase(selection, Note(clock.now()))
    return erased.counts.get("message", 0) > 0


def _removed(
    store: OwnerStore, receipts: Receipts, selection: Selection, scope: str, *, is_dry_run: bool
) -> Receipt:
    note = receipts.note(scope)
    if not is_dry_run:
        return receipts.signed(store.forgetting.erase(selection, note))
    counts = {
        "memory": len(selection.memories),
        "message": len(selection.messages),
        "session_label": len(selection.labels),
        "state": len(selection.states),
        "file": len(selection.files),
    }
    dry = _dry(note, {name: count for name, count in counts.items() if count})
    return replace(dry, preview=preview(store, selection))


def _dry(note: Note, counts: dict[str, int]) -> Receipt:
    return Receipt(id=note.id, at=note.at, scope=note.scope, counts=counts, is_dry_run=True)
