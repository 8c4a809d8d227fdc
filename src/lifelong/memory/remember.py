"""Remembering: from what the caller gave to one row with its index, history and origin.

Exact duplicates are decided by the database. Trust is fixed here, at writing: the least of the
channel's and of every parent's, so that text from a tool cannot become a user's word by being
copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypedDict

from lifelong.errors import InvalidTime, NotFound
from lifelong.memory.entry import (
    clean_importance,
    clean_kind,
    clean_metadata,
    clean_name,
    clean_namespace,
    clean_origin,
    clean_text,
    clean_time,
    require_known,
)
from lifelong.memory.passages import as_passage, cut
from lifelong.memory.terms import text_hash
from lifelong.ports import Clock, MemoryStore
from lifelong.records import Memory, Origin, Remembered, Trust, trust_of_channel
from lifelong.rows import MemoryFilter, MemoryWrite, Passage

IMPORTANCE_DEFAULT = 5
STORED, DUPLICATE, SUPERSEDED = "stored", "duplicate", "superseded"
CHANGEABLE = ("kind", "importance", "metadata", "valid_from", "valid_to", "expires_at")


class MemoryFields(TypedDict, total=False):
    """What can be said of a memory beside its text.

    Attributes:
        kind: preference, constraint, fact, event, procedure or note (the default).
        namespace: a tuple of segments; () by default.
        importance: 1 to 10; 5 by default.
        key: a name; a newer memory with the same key and namespace supersedes the older one.
        metadata: a JSON object of the caller's own.
        valid_from, valid_to, expires_at: aware times, or ISO 8601 text with an offset.
        origin: an `Origin`, or the name of its channel; ``user`` by default.
        supersedes: ids of memories that this one replaces.
    """

    kind: str
    namespace: Iterable[str]
    importance: int
    key: str | None
    metadata: Mapping[str, Any] | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None
    expires_at: datetime | str | None
    origin: Origin | str
    supersedes: Sequence[str]


def memory_passages(memory: Memory) -> tuple[Passage, ...]:
    """Return the index form of a memory's text."""
    return tuple(as_passage(piece) for piece in cut(memory.text))


def remember(store: MemoryStore, clock: Clock, *, text: str, fields: MemoryFields) -> Remembered:
    """Store one memory, unless the same text is live in its namespace already.

    Raises:
        InputError: one of its kinds, before anything is written.
        NotFound: a parent, or a memory that is to be superseded, is not there.
    """
    require_known(fields, MemoryFields.__annotations__, "remember")
    now = clock.now()
    origin = clean_origin(fields.get("origin", "user"))
    key = fields.get("key")
    memory = Memory(
        id=clock.new_id("mem"),
        text=clean_text(text),
        kind=clean_kind(fields.get("kind", "note")),
        namespace=clean_namespace(fields.get("namespace", ())),
        importance=clean_importance(fields.get("importance", IMPORTANCE_DEFAULT)),
        origin=origin,
        trust=_trust(store, origin),
        key=None if key is None else clean_name(key, "key"),
        metadata=clean_metadata(fields.get("metadata")),
        recorded_at=now,
        updated_at=now,
        valid_from=clean_time(fields.get("valid_from"), "valid_from"),
        valid_to=clean_time(fields.get("valid_to"), "valid_to"),
        expires_at=clean_time(fields.get("expires_at"), "expires_at"),
    )
    _require_order(memory)
    if memory.expires_at is not None and memory.expires_at <= now:
        raise InvalidTime("expires_at lies in the past, so no read would show it")
    supersedes = [clean_name(each, "memory id") for each in fields.get("supersedes", ())]
    written = store.write(_write(memory), supersedes)
    if not written.is_new:
        found = store.get(written.id, MemoryFilter(now=now))
        return Remembered(found or replace(memory, id=written.id), DUPLICATE, written.superseded)
    outcome = SUPERSEDED if written.superseded else STORED
    return Remembered(memory, outcome, written.superseded)


def update(
    store: MemoryStore, clock: Clock, *, memory_id: str, text: str | None, fields: MemoryFields
) -> Memory:
    """Change a live memory; what is not named stays as it is.

    Metadata is merged key by key. Namespace, key, origin and the time of recording never change.

    Raises:
        InputError: one of its kinds, before anything is written.
        NotFound: it is not there, or not live.
    """
    require_known(fields, CHANGEABLE, "update")
    now = clock.now()
    changed: dict[str, Any] = {"updated_at": now}
    if text is not None:
        changed["text"] = clean_text(text)
    if "kind" in fields:
        changed["kind"] = clean_kind(fields["kind"])
    if "importance" in fields:
        changed["importance"] = clean_importance(fields["importance"])
    metadata = clean_metadata(fields.get("metadata"))
    for name in ("valid_from", "valid_to", "expires_at"):
        if name in fields:
            changed[name] = clean_time(fields.get(name), name)
    result: list[Memory] = []

    def change(old: Memory) -> MemoryWrite:
        new = replace(old, **changed, metadata={**old.metadata, **metadata})
        _require_order(new)
        result[:] = [new]
        return _write(new)

    store.update(clean_name(memory_id, "memory id"), MemoryFilter(now=now), change)
    return result[0]


def _write(memory: Memory) -> MemoryWrite:
    return MemoryWrite(memory, text_hash(memory.text), memory_passages(memory))


def _trust(store: MemoryStore, origin: Origin) -> Trust:
    trust = trust_of_channel(origin.channel)
    if not origin.parents:
        return trust
    parents = store.parent_trust(origin.parents)
    for parent in origin.parents:
        if parent not in parents:
            raise NotFound(f"parent {parent}")
    return Trust(min(trust, *parents.values()))


def _require_order(memory: Memory) -> None:
    if memory.valid_from and memory.valid_to and memory.valid_to < memory.valid_from:
        raise InvalidTime("valid_to lies before valid_from")
