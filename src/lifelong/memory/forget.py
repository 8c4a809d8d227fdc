"""Forgetting: what a request means, row by row, before the store removes it.

What was made from a forgotten thing goes with it. The store does the removing in one transaction
and counts; nothing here reports a deletion that the database did not make.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifelong.errors import AmbiguousId, EmptyText, FormatError, ScopeRequired
from lifelong.formats.stored import decode
from lifelong.memory.passages import searchable_text
from lifelong.memory.terms import fold
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Receipt
from lifelong.rows import MemoryFilter, Selection, StoredMessage


@dataclass(frozen=True, slots=True)
class Scope:
    """What is to be forgotten; at least one field is set."""

    id: str | None = None
    session: str | None = None
    match: str | None = None

    def words(self) -> str:
        """Return the scope in words that hold no content."""
        if self.match is not None:
            return "match"
        if self.id is not None:
            return f"id {self.id}"
        return f"session {self.session}"


def forget(store: OwnerStore, clock: Clock, *, scope: Scope, is_dry_run: bool) -> Receipt:
    """Remove what the scope names, and what was made from it.

    Raises:
        ScopeRequired: the scope names nothing.
        AmbiguousId: messages of several sessions have the id, and no session is named.
        EmptyText: the text to match is blank.
    """
    selection = _select(store, clock, scope)
    if is_dry_run:
        counts = {"memory": len(selection.memories), "message": len(selection.messages)}
        counts = {name: count for name, count in counts.items() if count}
        return Receipt(clock.new_id("rcp"), clock.now(), scope.words(), counts, is_dry_run=True)
    now = clock.now()
    erased = store.upkeep.erase(selection, now)
    return Receipt(
        clock.new_id("rcp"), now, scope.words(), erased.counts, is_pending=erased.is_pending
    )


def _select(store: OwnerStore, clock: Clock, scope: Scope) -> Selection:
    if scope.match is not None:
        return _with_derived(store, *_matching(store, clock, scope))
    if scope.id is not None:
        return _with_derived(store, *_by_id(store, clock, scope.id, scope.session))
    if scope.session is not None:
        return _with_derived(store, [], store.log.read(scope.session))
    raise ScopeRequired


def _by_id(
    store: OwnerStore, clock: Clock, wanted: str, session: str | None
) -> tuple[list[str], list[StoredMessage]]:
    if session is None and _anywhere(store, clock, wanted):
        return [wanted], []
    rows = store.log.find(wanted, session)
    if len(rows) > 1:
        raise AmbiguousId(f"{len(rows)} messages have the id {wanted!r}")
    return [], rows


def _anywhere(store: OwnerStore, clock: Clock, memory_id: str) -> bool:
    """Whether there is such a memory, live or hidden: what is hidden can be forgotten too."""
    return bool(store.memories.history(memory_id)) or (
        store.memories.get(memory_id, MemoryFilter(clock.now(), include_superseded=True))
        is not None
    )


def _matching(
    store: OwnerStore, clock: Clock, scope: Scope
) -> tuple[list[str], list[StoredMessage]]:
    needle = " ".join(fold(scope.match or "").split())
    if not needle:
        raise EmptyText("match")
    everything = MemoryFilter(clock.now(), include_superseded=True)
    memories = [m.id for m in store.memories.select(everything) if _holds(m.text, needle)]
    rows = store.log.everything() if scope.session is None else store.log.read(scope.session)
    return memories, [row for row in rows if _holds(_text_of(row), needle)]


def _holds(text: str, needle: str) -> bool:
    return needle in " ".join(fold(text).split())


def _text_of(row: StoredMessage) -> str:
    try:
        return searchable_text(decode(row.format, row.payload))
    except FormatError:
        return row.payload


def _with_derived(store: OwnerStore, memories: list[str], rows: list[StoredMessage]) -> Selection:
    message_ids = [row.id for row in rows]
    derived = store.memories.derived_from([*memories, *message_ids])
    return Selection(
        memories=tuple(dict.fromkeys([*memories, *derived])),
        messages=tuple(row.seq for row in rows),
    )
