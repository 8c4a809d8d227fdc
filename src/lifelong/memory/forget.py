"""Forgetting: what a request means, row by row, before the store removes it.

What was made from a forgotten thing goes with it. The store does the removing in one transaction
and counts; nothing here reports a deletion that the database did not make.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from lifelong.clock import ID_BYTES
from lifelong.errors import AmbiguousId, EmptyText, FormatError, InvalidName, ScopeRequired
from lifelong.formats.stored import decode
from lifelong.memory.passages import leaf_texts, searchable_text
from lifelong.memory.terms import fold
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory, Receipt, SessionInfo
from lifelong.rows import Erased, Selection, StoredMessage

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
    return _removed(store, clock, _select(store, scope), scope.words(), is_dry_run=is_dry_run)


def forget_memories(
    store: OwnerStore, clock: Clock, *, ids: Sequence[str], scope: str, is_dry_run: bool
) -> Receipt:
    """Remove these memories, and what was made from them; `scope` says why, without content."""
    return _removed(store, clock, _selection(store, ids, []), scope, is_dry_run=is_dry_run)


def forget_everything(
    store: OwnerStore, clock: Clock, *, forget_owner: Callable[[], Erased], is_dry_run: bool
) -> Receipt:
    """Remove an owner: the file goes, and its key."""
    receipt_id, now, scope = clock.new_id("rcp"), clock.now(), "everything"
    if is_dry_run:
        counts = {name: n for name, n in store.upkeep.counts().items() if name != "bytes"}
        return Receipt(receipt_id, now, scope, counts, is_dry_run=True)
    erased = forget_owner()
    return Receipt(receipt_id, now, scope, erased.counts, is_pending=erased.is_pending)


def _removed(
    store: OwnerStore, clock: Clock, selection: Selection, scope: str, *, is_dry_run: bool
) -> Receipt:
    receipt_id, now = clock.new_id("rcp"), clock.now()
    if is_dry_run:
        counts = {"memory": len(selection.memories), "message": len(selection.messages)}
        counts = {name: count for name, count in counts.items() if count}
        return Receipt(receipt_id, now, scope, counts, is_dry_run=True)
    erased = store.upkeep.erase(selection, now)
    return Receipt(receipt_id, now, scope, erased.counts, is_pending=erased.is_pending)


def take_back(store: OwnerStore, clock: Clock, row: StoredMessage) -> bool:
    """Remove one message that may be said again; return whether it was still there."""
    selection = replace(_selection(store, [], [row]), is_taken_back=True)
    return store.upkeep.erase(selection, clock.now()).counts.get("message", 0) > 0


def _select(store: OwnerStore, scope: Scope) -> Selection:
    if scope.match is not None:
        if scope.id is not None:
            raise ScopeRequired("an id and a match contradict each other")
        return _matching(store, scope.match, scope.session)
    if scope.id is not None:
        return _by_id(store, scope.id, scope.session)
    if scope.session is not None:
        return _selection(store, [], store.log.read(scope.session))
    raise ScopeRequired


def _by_id(store: OwnerStore, wanted: str, session: str | None) -> Selection:
    if session is None and wanted.startswith(MEMORY_PREFIX):
        if len(wanted) != MEMORY_ID_LENGTH:
            raise InvalidName(f"{wanted!r} is no whole memory id")
        return _selection(store, [*store.memories.parent_trust([wanted])], [])
    rows = store.log.find(wanted, session)
    if len(rows) > 1:
        raise AmbiguousId(f"{len(rows)} messages have the id {wanted!r}")
    return _selection(store, [], rows)


def _matching(store: OwnerStore, match: str, session: str | None) -> Selection:
    needle = _plain(match)
    if not needle:
        raise EmptyText("match")
    if session is not None:
        rows = [row for row in store.log.read(session) if _holds(_all_of(row), needle)]
        return _selection(store, [], rows)
    memories = [
        memory.id
        for memory in store.memories.select(None)  # what is hidden goes too
        if any(_holds(text, needle) for text in _texts_of(store, memory))
    ]
    rows = [row for row in store.log.everything() if _holds(_all_of(row), needle)]
    selection = _selection(store, memories, rows)
    labelled = [s.id for s in store.log.sessions() if _holds(_label(s), needle)]
    return replace(selection, labels=tuple(dict.fromkeys([*selection.labels, *labelled])))


def _texts_of(store: OwnerStore, memory: Memory) -> Iterator[str]:
    """Yield all that a read can show of a memory: what it is, what it was, what is noted of it."""
    yield memory.text
    yield "\n".join([*memory.namespace, memory.key or "", memory.origin.source])
    yield _as_text(memory.metadata)
    for version in store.memories.history(memory.id):
        yield version.text
        yield _as_text(version.metadata)


def _all_of(row: StoredMessage) -> str:
    """Return every text of a message, searched or not: whoever reads or exports it sees it."""
    try:
        message = decode(row.format, row.payload)
    except FormatError:
        return row.payload
    raw = message.raw if message.raw is not None else json.loads(row.payload)
    said = [row.speaker or "", searchable_text(message), *leaf_texts(raw)]
    return "\n".join([*said, json.dumps(raw, ensure_ascii=False, default=dict)])


def _label(session: SessionInfo) -> str:
    return "\n".join([session.title, session.source, _as_text(session.metadata)])


def _as_text(value: Mapping[str, Any]) -> str:
    return "\n".join([*value, *leaf_texts(value)])


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


def _holds(text: str, needle: str) -> bool:
    return needle in _plain(text)


def _selection(
    store: OwnerStore, memories: Sequence[str], rows: Sequence[StoredMessage]
) -> Selection:
    """Return what goes together: the rows, what was made from them, labels that repeat them."""
    if not memories and not rows:
        return Selection()
    derived = store.memories.derived_from(memories, [row.seq for row in rows])
    return Selection(
        memories=tuple(dict.fromkeys([*memories, *derived])),
        messages=tuple(row.seq for row in rows),
        labels=tuple(_repeating_labels(store, rows)) if rows else (),
    )


def _repeating_labels(store: OwnerStore, rows: Sequence[StoredMessage]) -> Iterator[str]:
    titles = {s.id: _plain(s.title).rstrip("…. ") for s in store.log.sessions()}
    for session_id, of_session in groupby(rows, key=lambda row: row.session_id):
        title = titles.get(session_id)
        if title and any(_holds(_all_of(row), title) for row in of_session):
            yield session_id
