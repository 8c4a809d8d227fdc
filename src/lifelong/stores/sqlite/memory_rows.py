"""Rows of memories in SQLite: read through one filter, written with their index and history."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw

from lifelong.records import Memory, Namespace, Origin, Trust
from lifelong.rows import (
    SEQ_SHIFT,
    WORDS_MAX,
    MemoryFilter,
    MemoryWrite,
    Passage,
    pack_posting,
)
from lifelong.stores.sqlite.connection import from_micros, from_micros_or_none, to_micros
from lifelong.stores.sqlite.queries import fetch, queries
from lifelong.stores.sqlite.words import as_json
from lifelong.writing import SUSPECT

SQL = queries("memories")


def encode_namespace(namespace: Namespace) -> str:
    """Return a namespace as it is kept: a JSON array, so that segments cannot run together."""
    return json.dumps(list(namespace), ensure_ascii=False, separators=(",", ":"))


def values_of(write: MemoryWrite) -> dict[str, Any]:
    """Return the columns of a memory, bound by name."""
    memory = write.memory
    return {
        "id": memory.id,
        "text": memory.text,
        "text_hash": write.text_hash,
        "kind": memory.kind,
        "namespace": encode_namespace(memory.namespace),
        "importance": memory.importance,
        "channel": memory.origin.channel,
        "source": memory.origin.source,
        "trust": int(memory.trust),
        "key": memory.key,
        "metadata": json.dumps(memory.metadata),
        "recorded_at": to_micros(memory.recorded_at),
        "updated_at": to_micros(memory.updated_at),
        "valid_from": to_micros(memory.valid_from),
        "valid_to": to_micros(memory.valid_to),
        "expires_at": to_micros(memory.expires_at),
        "held_for": memory.held_for or None,
        "screened_with": write.screened_with,
    }


def add_passages(connection: apsw.Connection, seq: int, passages: Sequence[Passage]) -> None:
    """Add the full-text rows of a memory, and count them."""
    connection.executemany(
        SQL["add_passage"],
        [(pack_posting(seq, at, p.words), p.text) for at, p in enumerate(passages)],
    )
    _count(connection, len(passages), sum(passage.words for passage in passages))


def remove_passages(connection: apsw.Connection, seq: int) -> int:
    """Remove the full-text rows of a memory; return how many there were."""
    rows = {"first": seq << SEQ_SHIFT, "last": (seq + 1 << SEQ_SHIFT) - 1}
    postings = [row[0] for row in fetch(connection, SQL["passage_words"], rows)]
    connection.execute(SQL["remove_passages"], rows)
    _count(connection, -len(postings), -sum(posting & WORDS_MAX for posting in postings))
    return len(postings)


def _count(connection: apsw.Connection, passages: int, words: int) -> None:
    connection.execute(SQL["add_to_statistic"], (passages, "memory_passages"))
    connection.execute(SQL["add_to_statistic"], (words, "memory_words"))


def select_memories(
    connection: apsw.Connection, which: MemoryFilter | None, *, seqs: Sequence[int] | None = None
) -> list[tuple[int, Memory]]:
    """Return (seq, memory) in the order of recording.

    Args:
        connection: in a transaction.
        which: the filter; None for every row there is, as a rebuild of the index needs.
        seqs: only these rows; None for all.
    """
    view = "every"
    if which is not None:
        view = "all" if which.looks_back else "live"
    return [
        (seq, memory)
        for seq, memory, replaces in _rows(connection, view, seqs)
        if which is None or _passes(memory, which, replaces=replaces)
    ]


def _rows(
    connection: apsw.Connection, view: str, seqs: Sequence[int] | None
) -> list[tuple[int, Memory, bool]]:
    """Return number, memory, and whether it replaced another, in the order of recording."""
    if seqs is None:
        seqs = [row[0] for row in fetch(connection, SQL["seqs"])]
    cursor = connection.execute(SQL[view], (as_json(seqs),))
    found = []
    names: list[str] = []
    for row in cursor:
        names = names or [column[0] for column in cursor.get_description()]
        fields = dict(zip(names, row, strict=True))
        memory = _memory(fields)
        if memory is not None:  # damaged behind our back: `check` names it, and it hides no other
            found.append((fields["seq"], memory, bool(fields.get("replaces"))))
    return found


def memories_by_id(
    connection: apsw.Connection, ids: Sequence[str], view: str = "live"
) -> list[tuple[int, Memory]]:
    """Return (seq, memory) of those with these ids that a view shows: live, held, all or every."""
    if not ids:
        return []
    seqs = [row[0] for row in fetch(connection, SQL["seqs_of"], (as_json(ids),))]
    return [(seq, memory) for seq, memory, _ in _rows(connection, view, seqs)]


def _passes(memory: Memory, which: MemoryFilter, *, replaces: bool) -> bool:
    if which.namespace is not None:
        own = memory.namespace
        if which.include_below:
            own = own[: len(which.namespace)]
        if own != which.namespace:
            return False
    if which.kinds is not None and memory.kind not in which.kinds:
        return False
    if memory.trust < which.trust_min:
        return False
    if not _held_at(memory, which, replaces=replaces):
        return False
    return which.has_metadata(memory)


def _held_at(memory: Memory, which: MemoryFilter, *, replaces: bool) -> bool:
    """Return whether a memory was known, and true, at the moments that the filter names.

    Without dates of its own it was always true, but for its replacement: one memory begins when
    it replaces another, and ends when what replaces it begins. What happened after `known_at` was
    not known then.
    """
    known_at, replaced = which.known_at, memory.superseded_at
    ended = memory.ended_at
    if known_at is not None:
        if memory.recorded_at > known_at or (replaced is not None and replaced <= known_at):
            return False
        ended = None
    begun = memory.valid_from or (memory.recorded_at if replaces else None)
    return which.as_of is None or all(
        (begun is None or begun <= which.as_of, *_ends_after(which.as_of, memory.valid_to, ended))
    )


def _ends_after(moment: datetime, *ends: datetime | None) -> Iterator[bool]:
    return (end is None or end > moment for end in ends)


def _memory(fields: dict[str, Any]) -> Memory | None:
    try:
        return _read_memory(fields)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _read_memory(fields: dict[str, Any]) -> Memory:
    metadata = json.loads(fields["metadata"])
    namespace = json.loads(fields["namespace"])
    if not isinstance(fields["text"], str) or not isinstance(metadata, dict):
        raise TypeError
    return Memory(
        id=fields["id"],
        text=fields["text"],
        kind=fields["kind"],
        namespace=tuple(namespace),
        importance=fields["importance"],
        origin=Origin(fields["channel"], fields["source"], tuple(json.loads(fields["parents"]))),
        # Whoever changed the row could not seal it: its word counts for nothing.
        trust=Trust(fields["trust"]) if fields["is_sealed"] else Trust.UNTRUSTED,
        key=fields["key"],
        metadata=metadata,
        recorded_at=from_micros(fields["recorded_at"]),
        updated_at=from_micros(fields["updated_at"]),
        valid_from=from_micros_or_none(fields["valid_from"]),
        valid_to=from_micros_or_none(fields["valid_to"]),
        expires_at=from_micros_or_none(fields["expires_at"]),
        superseded_by=fields["superseded_by"],
        superseded_at=from_micros_or_none(fields["superseded_at"]),
        ended_at=from_micros_or_none(fields["ended_at"]),
        last_used_at=from_micros_or_none(fields["last_used_at"]),
        held_for=fields["held_for"] or (SUSPECT if fields["quarantined_at"] is not None else ""),
        stale_since=from_micros_or_none(fields["stale_since"]),
        confirmed_at=from_micros_or_none(fields["confirmed_at"]),
    )
