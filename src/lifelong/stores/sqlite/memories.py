"""Memories in SQLite: one transaction for row, full text, parents and history.

The database decides on duplicates, by a unique index over live rows; so two writers of one fact
end with one memory and one id.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from lifelong.errors import AmbiguousId, MemoryConflict, NotFound
from lifelong.records import Memory, MemoryVersion, Namespace, Origin, Trust
from lifelong.rows import (
    SEQ_SHIFT,
    WORDS_MAX,
    Beginning,
    MemoryFilter,
    MemoryMatches,
    MemoryWrite,
    Passage,
    RowKind,
    Written,
    pack_posting,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.connection import from_micros, from_micros_or_none, to_micros
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries, read_object
from lifelong.stores.sqlite.vectors import renew_vectors
from lifelong.stores.sqlite.words import FIRST_MAX, as_json, match_terms

_SQL = queries("memories")


def encode_namespace(namespace: Namespace) -> str:
    """Return a namespace as it is kept: a JSON array, so that segments cannot run together."""
    return json.dumps(list(namespace), ensure_ascii=False, separators=(",", ":"))


class SqliteMemories:
    """The memories of one owner."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def write(self, write: MemoryWrite, supersedes: Sequence[str] = ()) -> Written:
        """Store a memory, unless a live one in its namespace has the same text.

        A live memory with the same key in the same namespace is superseded as well.

        Raises:
            NotFound: an id in `supersedes` is not there.
        """
        memory = write.memory
        values = _values(write)
        at = values["recorded_at"]
        with self._access.write() as connection:
            for memory_id in supersedes:
                if fetch_value(connection, _SQL["exists"], (memory_id,)) is None:
                    raise NotFound(memory_id)
            same = fetch_value(connection, _SQL["live_duplicate"], values)
            replaced = dict.fromkeys(supersedes)
            if memory.key is not None:
                found = fetch(connection, _SQL["live_with_key"], values)
                replaced.update(dict.fromkeys(row[0] for row in found))
            replaced.pop(same, None)
            for memory_id in replaced:
                _retire(connection, memory_id, same or memory.id, "superseded", at)
            if same is not None:
                return Written(same, is_new=False, superseded=tuple(replaced))
            _retire_expired(connection, values, at)
            seq = fetch_value(connection, _SQL["add"], values)
            connection.executemany(
                _SQL["add_parent"],
                [
                    {"memory_id": memory.id, "parent_id": parent, "position": position}
                    for position, parent in enumerate(memory.origin.parents)
                ],
            )
            _add_history(connection, memory.id, "stored", at)
            add_passages(connection, seq, write.passages)
        return Written(memory.id, is_new=True, superseded=tuple(replaced))

    def update(
        self, memory_id: str, which: MemoryFilter, change: Callable[[Memory], MemoryWrite]
    ) -> None:
        """Replace a memory's row and index, and add the new one to its history.

        Reading, deciding and writing are one transaction: of two updates none is lost.

        Raises:
            NotFound: it is not there, or not live.
            MemoryConflict: another live memory in its namespace has the text.
        """
        if not self._access.is_there():
            raise NotFound(memory_id)
        with self._access.write() as connection:
            seqs = [row[0] for row in fetch(connection, _SQL["seq_of"], (memory_id,))]
            found = select_memories(connection, which, seqs=seqs)
            if not found:
                raise NotFound(memory_id)
            seq, memory = found[0]
            write = change(memory)
            values = _values(write)
            same = fetch_value(connection, _SQL["live_duplicate"], values)
            if same not in (None, memory_id):
                raise MemoryConflict(f"memory {same}")
            _retire_expired(connection, values, values["updated_at"])
            connection.execute(_SQL["change"], values)
            _add_history(connection, memory_id, "updated", values["updated_at"])
            remove_passages(connection, seq)
            add_passages(connection, seq, write.passages)
            if write.memory.text != memory.text:
                renew_vectors(connection, RowKind.MEMORY, [seq])

    def select(self, which: MemoryFilter | None, limit: int | None = None) -> list[Memory]:
        """Return memories in the order of recording; the newest, when there is a limit.

        Without a filter, all that are there: the hidden ones too.
        """
        with self._access.read() as (connection, _):
            found = [memory for _, memory in select_memories(connection, which)]
        if limit is None:
            return found
        return found[len(found) - min(limit, len(found)) :]

    def get(self, memory_id: str, which: MemoryFilter) -> Memory | None:
        """Return one memory, if the filter lets it through."""
        with self._access.read() as (connection, _):
            seqs = [row[0] for row in fetch(connection, _SQL["seq_of"], (memory_id,))]
            found = select_memories(connection, which, seqs=seqs)
        return found[0][1] if found else None

    def history(self, memory_id: str) -> list[MemoryVersion]:
        """Return the changes of a memory, oldest first."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["history"], (memory_id,))
        return [
            MemoryVersion(found_id, from_micros(at), change, text, read_object(metadata))
            for found_id, at, change, text, metadata in rows
        ]

    def parent_trust(self, parent_ids: Sequence[str]) -> dict[str, int]:
        """Return the trust of each of these memories and messages that is there.

        Raises:
            AmbiguousId: several sessions have a message with the id.
        """
        wanted = (as_json(parent_ids),)
        with self._access.read() as (connection, _):
            rows = [
                *fetch(connection, _SQL["parent_messages"], wanted),
                *fetch(connection, _SQL["parent_memories"], wanted),
            ]
        found: dict[str, int] = {}
        for parent_id, trust in rows:
            if parent_id in found:
                raise AmbiguousId(f"parent {parent_id!r}")
            found[parent_id] = trust
        return found

    def match(
        self, words: Sequence[str], prefixes: Sequence[Beginning], which: MemoryFilter
    ) -> MemoryMatches:
        """Return where each word stands in the memories that the filter lets through."""
        with self._access.read() as (connection, _):
            totals = dict(fetch(connection, _SQL["statistics"]))
            passages, passage_words = totals["memory_passages"], totals["memory_words"]
            terms = match_terms(
                connection,
                _SQL,
                words=words,
                prefixes=prefixes,
                passages=passages,
                # The filter comes later, and holds before any limit.
                first_max=passages if which.narrows else FIRST_MAX,
            )
            seqs = {posting >> SEQ_SHIFT for term in terms for posting in term.postings}
            memories = dict(select_memories(connection, which, seqs=sorted(seqs))) if seqs else {}
        return MemoryMatches(terms, memories, passages, passage_words)

    def among(self, seqs: Sequence[int], which: MemoryFilter) -> dict[int, Memory]:
        """Return the memories with these numbers that the filter lets through."""
        if not seqs:
            return {}
        with self._access.read() as (connection, _):
            return dict(select_memories(connection, which, seqs=sorted(seqs)))

    def note_use(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Note that recall brought these memories back."""
        with self._access.write() as connection:
            connection.execute(_SQL["note_use"], {"ids": as_json(memory_ids), "at": to_micros(at)})

    def derived_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return ids of memories made from these, directly or through others."""
        bound = {"memories": as_json(memory_ids), "messages": as_json(message_seqs)}
        with self._access.read() as (connection, _):
            return [row[0] for row in fetch(connection, _SQL["derived"], bound)]


def _values(write: MemoryWrite) -> dict[str, Any]:
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
    }


def _retire_expired(connection: apsw.Connection, values: dict[str, Any], at: int) -> None:
    """Make room: what expired holds its text's place in the unique index until it is swept."""
    for (memory_id,) in fetch(connection, _SQL["hidden_duplicates"], values):
        _retire(connection, memory_id, values["id"], "expired", at)


def _retire(connection: apsw.Connection, memory_id: str, by: str, change: str, at: int) -> None:
    _add_history(connection, memory_id, change, at)
    connection.execute(_SQL["retire"], {"id": memory_id, "by": by, "at": at})


def _add_history(connection: apsw.Connection, memory_id: str, change: str, at: int) -> None:
    connection.execute(_SQL["add_history"], {"id": memory_id, "change": change, "at": at})


def add_passages(connection: apsw.Connection, seq: int, passages: Sequence[Passage]) -> None:
    """Add the full-text rows of a memory, and count them."""
    connection.executemany(
        _SQL["add_passage"],
        [(pack_posting(seq, at, p.words), p.text) for at, p in enumerate(passages)],
    )
    _count(connection, len(passages), sum(passage.words for passage in passages))


def remove_passages(connection: apsw.Connection, seq: int) -> int:
    """Remove the full-text rows of a memory; return how many there were."""
    rows = {"first": seq << SEQ_SHIFT, "last": (seq + 1 << SEQ_SHIFT) - 1}
    postings = [row[0] for row in fetch(connection, _SQL["passage_words"], rows)]
    connection.execute(_SQL["remove_passages"], rows)
    _count(connection, -len(postings), -sum(posting & WORDS_MAX for posting in postings))
    return len(postings)


def _count(connection: apsw.Connection, passages: int, words: int) -> None:
    connection.execute(_SQL["add_to_statistic"], (passages, "memory_passages"))
    connection.execute(_SQL["add_to_statistic"], (words, "memory_words"))


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
    if seqs is None:
        seqs = [row[0] for row in fetch(connection, _SQL["seqs"])]
    cursor = connection.execute(_SQL[view], (as_json(seqs),))
    found = []
    names: list[str] = []
    for row in cursor:
        names = names or [column[0] for column in cursor.get_description()]
        fields = dict(zip(names, row, strict=True))
        memory = _memory(fields)
        if memory is None:  # damaged behind our back; `check` names it, and it hides no other
            continue
        replaces = bool(fields.get("replaces"))
        if which is None or _passes(memory, which, replaces=replaces):
            found.append((fields["seq"], memory))
    return found


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
    wanted = which.metadata or {}
    return all(
        name in memory.metadata and _equal_as_json(memory.metadata[name], wanted[name])
        for name in wanted
    )


def _held_at(memory: Memory, which: MemoryFilter, *, replaces: bool) -> bool:
    """Return whether a memory was known, and true, at the moments that the filter names.

    Without dates of its own it was always true, but for its replacement: one memory begins when
    it replaces another, and ends when it is replaced itself. What happened after `known_at` was
    not known then.
    """
    known_at, ended = which.known_at, memory.superseded_at
    if known_at is not None:
        if memory.recorded_at > known_at or (ended is not None and ended <= known_at):
            return False
        ended = None
    begun = memory.valid_from or (memory.recorded_at if replaces else None)
    return which.as_of is None or all(
        (begun is None or begun <= which.as_of, *_ends_after(which.as_of, memory.valid_to, ended))
    )


def _ends_after(moment: datetime, *ends: datetime | None) -> Iterator[bool]:
    return (end is None or end > moment for end in ends)


def _equal_as_json(one: Any, other: Any) -> bool:
    """Return whether two JSON values are the same: true is not 1, and 1.0 is 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_equal_as_json(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal_as_json, one, other))
    return bool(one == other)


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
        trust=Trust(fields["trust"]),
        key=fields["key"],
        metadata=metadata,
        recorded_at=from_micros(fields["recorded_at"]),
        updated_at=from_micros(fields["updated_at"]),
        valid_from=from_micros_or_none(fields["valid_from"]),
        valid_to=from_micros_or_none(fields["valid_to"]),
        expires_at=from_micros_or_none(fields["expires_at"]),
        superseded_by=fields["superseded_by"],
        superseded_at=from_micros_or_none(fields["superseded_at"]),
        last_used_at=from_micros_or_none(fields["last_used_at"]),
        is_quarantined=fields["quarantined_at"] is not None,
    )
