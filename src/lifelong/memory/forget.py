"""Forgetting: what a request means, row by row, before the store removes it.

What was made from a forgotten thing goes with it. The store does the removing in one transaction
and counts; nothing here reports a deletion that the database did not make.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from lifelong.clock import ID_BYTES
from lifelong.errors import AmbiguousId, EmptyText, FormatError, InvalidName, ScopeRequired
from lifelong.formats.stored import decode
from lifelong.memory.passages import searchable_text
from lifelong.memory.terms import fold
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory, Receipt
from lifelong.rows import MemoryFilter, Selection, StoredMessage

MEMORY_PREFIX = "mem_"
MEMORY_ID_LENGTH = len(MEMORY_PREFIX) + 2 * ID_BYTES


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
        return _matching(store, clock, scope)
    if scope.id is not None:
        return _by_id(store, clock, scope.id, scope.session)
    if scope.session is not None:
        return _selection(store, [], store.log.read(scope.session))
    raise ScopeRequired


def _by_id(store: OwnerStore, clock: Clock, wanted: str, session: str | None) -> Selection:
    if session is None and wanted.startswith(MEMORY_PREFIX):
        if len(wanted) != MEMORY_ID_LENGTH:
            raise InvalidName(f"{wanted!r} is no whole memory id")
        # What is hidden can be forgotten too; expired rows still have their history.
        everything = MemoryFilter(clock.now(), include_superseded=True)
        is_there = store.memories.history(wanted) or store.memories.get(wanted, everything)
        return _selection(store, [wanted] if is_there else [], [])
    rows = store.log.find(wanted, session)
    if len(rows) > 1:
        raise AmbiguousId(f"{len(rows)} messages have the id {wanted!r}")
    return _selection(store, [], rows)


def _matching(store: OwnerStore, clock: Clock, scope: Scope) -> Selection:
    needle = " ".join(fold(scope.match or "").split())
    if not needle:
        raise EmptyText("match")
    everything = MemoryFilter(clock.now(), include_superseded=True)
    memories = [
        memory.id
        for memory in store.memories.select(everything)
        if any(_holds(text, needle) for text in _texts_of(store, memory))
    ]
    rows = store.log.everything() if scope.session is None else store.log.read(scope.session)
    messages = [row for row in rows if _holds(_text_of(row), needle)]
    selection = _selection(store, memories, messages)
    titled = [s.id for s in store.log.sessions() if _holds(s.title, needle)]
    return replace(selection, titles=tuple(dict.fromkeys([*selection.titles, *titled])))


def _texts_of(store: OwnerStore, memory: Memory) -> Iterator[str]:
    """Yield all that a read can show of a memory: what it is, what it was, what is noted of it."""
    yield memory.text
    yield memory.origin.source
    yield json.dumps(memory.metadata, ensure_ascii=False)
    for version in store.memories.history(memory.id):
        yield version.text
        yield json.dumps(version.metadata, ensure_ascii=False)


def _holds(text: str, needle: str) -> bool:
    return needle in " ".join(fold(text).split())


def _text_of(row: StoredMessage) -> str:
    try:
        return searchable_text(decode(row.format, row.payload))
    except FormatError:
        return row.payload


def _selection(
    store: OwnerStore, memories: Sequence[str], rows: Sequence[StoredMessage]
) -> Selection:
    """Return what goes together: the rows, what was made from them, titles that repeat them."""
    derived = store.memories.derived_from([*memories, *(row.id for row in rows)])
    return Selection(
        memories=tuple(dict.fromkeys([*memories, *derived])),
        messages=tuple(row.seq for row in rows),
        titles=tuple(_repeating_titles(store, rows)) if rows else (),
    )


def _repeating_titles(store: OwnerStore, rows: Sequence[StoredMessage]) -> Iterator[str]:
    titles = {s.id: " ".join(fold(s.title).rstrip("…. ").split()) for s in store.log.sessions()}
    for session_id, of_session in groupby(rows, key=lambda row: row.session_id):
        title = titles.get(session_id)
        if title and any(_holds(_text_of(row), title) for row in of_session):
            yield session_id
