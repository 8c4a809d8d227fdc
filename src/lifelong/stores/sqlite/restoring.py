"""Memories of an export on their way back into SQLite: what they meet, and how they are written.

All of it happens in the caller's transaction. Which are written, and how far they are trusted, is
decided by the caller's `Admit`; what they do to what stood before, by its `Decide`.
"""

from __future__ import annotations

import hmac
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from lifelong.memory.terms import text_hash
from lifelong.records import Memory, Trust
from lifelong.rows import (
    Admission,
    Decide,
    FileConflict,
    FileMemory,
    Ground,
    MemoryWrite,
    ParentName,
    RestoredMemory,
    Standing,
    Tombstone,
    Verdict,
)
from lifelong.stores.sqlite.barred import has_barred, is_barred
from lifelong.stores.sqlite.connection import from_micros, to_micros
from lifelong.stores.sqlite.memory_rows import (
    SQL,
    add_passages,
    encode_namespace,
    memories_by_id,
    values_of,
)
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.standing import (
    add_history,
    note_effects,
    retire_all,
    retire_expired,
)
from lifelong.stores.sqlite.words import as_json

_SQL = queries("restore")
_TOLD = "told "


def seals_of(connection: apsw.Connection, digests: Iterable[str]) -> list[str]:
    """Return the seal of each digest, made with the key of the connection's owner."""
    return [fetch_value(connection, _SQL["seal"], (digest,)).hex() for digest in digests]


def sessions_of_parents(
    connection: apsw.Connection, memory_ids: Sequence[str]
) -> Mapping[str, Mapping[str, str]]:
    """Return by memory, and by its parents that are messages, the sessions of those."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for memory_id, parent_id, session_id in fetch(
        connection, _SQL["sessions_of_parents"], (as_json(memory_ids),)
    ):
        found[memory_id][parent_id] = session_id
    return found


def read_ground(
    connection: apsw.Connection, rows: Sequence[FileMemory], *, has_key: bool
) -> Ground:
    """Return what the memories of a file meet."""
    parents = list(dict.fromkeys(name for row in rows for name in row.parents))
    ids = list(dict.fromkeys(each for row in rows for each in (row.memory.id, _successor(row))))
    trusts, seqs = _parents(connection, parents)
    forgotten, told = _forgotten(connection, ids, [name for name in parents if name not in trusts])
    sealed = frozenset(_sealed(connection, rows) if has_key else ())
    # What only some file says to be forgotten does not outweigh this owner's own seal.
    told -= {(row.memory.id, "") for row in rows if row.line in sealed}
    counts = {
        (tuple(json.loads(namespace)), kind): count
        for namespace, kind, count in fetch(connection, _SQL["live_counts"])
    }
    return Ground(
        texts=dict(fetch(connection, _SQL["texts"], (as_json(ids),))),
        trusts=trusts,
        seqs=seqs,
        forgotten=forgotten | told | _barred(connection, rows),
        sealed=sealed,
        counts=counts,
        held=fetch_value(connection, _SQL["held_count"]),
    )


def _forgotten(
    connection: apsw.Connection, ids: Sequence[str], parents: Sequence[ParentName]
) -> tuple[frozenset[ParentName], frozenset[ParentName]]:
    """Return which memories, and which parents that are not there, were forgotten.

    First those of which this owner knows it, then those of which only a file says so.
    """
    asked = as_json([*ids, *(id for id, _ in parents)])
    memories: dict[bool, set[ParentName]] = {False: set(), True: set()}
    messages: dict[bool, set[ParentName]] = {False: set(), True: set()}
    for what, session_id, id in fetch(connection, _SQL["tombstones"], (asked,)):
        of, is_told = what.removeprefix(_TOLD), what.startswith(_TOLD)
        if of == "memory":
            memories[is_told].add((id, ""))
        elif of == "message":
            messages[is_told].update(((id, session_id), (id, "")))
    known, told = (
        frozenset(memories[each] | messages[each].intersection(parents)) for each in (False, True)
    )
    return known, told - known


def _barred(connection: apsw.Connection, rows: Sequence[FileMemory]) -> frozenset[ParentName]:
    """Return which memories say, or said, what was forgotten under other ids."""
    if not has_barred(connection):
        return frozenset()
    return frozenset(
        (row.memory.id, "")
        for row in rows
        if is_barred(
            connection,
            encode_namespace(row.memory.namespace),
            [row.write.text_hash, *(text_hash(version.text) for version in row.history)],
        )
    )


def tombstones_of(connection: apsw.Connection) -> list[Tombstone]:
    """Return what was forgotten, by its id, and what files say to have been; sorted."""
    return [
        Tombstone(what.removeprefix(_TOLD), id, session_id, from_micros(at), what.startswith(_TOLD))
        for what, session_id, id, at in fetch(connection, _SQL["all_tombstones"])
    ]


def note_tombstones(connection: apsw.Connection, tombstones: Sequence[Tombstone]) -> int:
    """Leave tombstones where nothing stands and none is; return how many that are."""
    noted = 0
    for each in tombstones:
        bound = {
            "what": f"{_TOLD if each.is_told else ''}{each.of}",
            "of": each.of,
            "session_id": each.session_id,
            "id": each.id,
            "at": to_micros(each.at),
        }
        connection.execute(_SQL["note_tombstone"], bound)
        noted += connection.changes()
    return noted


def _successor(row: FileMemory) -> str:
    return row.memory.superseded_by or row.memory.id


def _parents(
    connection: apsw.Connection, parents: Sequence[ParentName]
) -> tuple[dict[ParentName, Trust], dict[ParentName, int]]:
    """Return trust of each parent that is there, and the numbers of those that are messages.

    Where the file does not say which of several messages is meant, it may be the least of them.
    """
    trusts: dict[ParentName, Trust] = {}
    seqs: dict[ParentName, int] = {}
    wanted, asked = set(parents), as_json([id for id, _ in parents])
    for message_id, session_id, trust, seq in fetch(connection, _SQL["parent_messages"], (asked,)):
        for name in ((message_id, session_id), (message_id, "")):
            if name in wanted:
                trusts[name] = min(trusts.get(name, Trust(trust)), Trust(trust))
                seqs[name] = seq
    for memory_id, trust in fetch(connection, SQL["parent_memories"], (asked,)):
        trusts[memory_id, ""] = Trust(trust)
    return trusts, seqs


def _sealed(connection: apsw.Connection, rows: Sequence[FileMemory]) -> Iterable[int]:
    sealed = [row for row in rows if row.seal]
    for row, seal in zip(sealed, seals_of(connection, [row.digest for row in sealed]), strict=True):
        if hmac.compare_digest(seal.encode(), row.seal.encode()):
            yield row.line


def write_admission(
    connection: apsw.Connection, admission: Admission, *, decide: Decide, at: datetime
) -> None:
    """Write the memories that are admitted, in their order."""
    written: set[str] = set()
    for restored in admission.memories:
        _write(connection, restored, decide, at, written)
        written.add(restored.write.memory.id)
    micros = to_micros(at)
    connection.executemany(_SQL["add_tombstone"], [(id, micros) for id in admission.lost])


def note_file_conflicts(
    connection: apsw.Connection, conflicts: Sequence[FileConflict], admission: Admission
) -> None:
    """Note what contradicts what, where one of the two came just now."""
    written = {restored.write.memory.id for restored in admission.memories}
    for each in conflicts:
        if written.intersection((each.older_id, each.newer_id)):
            bound = {"older": each.older_id, "newer": each.newer_id, "at": to_micros(each.at)}
            connection.execute(_SQL["add_conflict"], bound)


def _write(
    connection: apsw.Connection,
    restored: RestoredMemory,
    decide: Decide,
    at: datetime,
    written: set[str],
) -> None:
    write, micros = restored.write, to_micros(at) or 0
    verdict = Verdict()
    if write.memory.superseded_by is None:
        verdict = decide(write.memory, _standing(connection, write, written))
    memory = write.memory
    if verdict.superseded_by is not None:
        memory = replace(memory, superseded_by=verdict.superseded_by, superseded_at=at, ended_at=at)
    # The text's place in the unique index must be free before the row takes it.
    retire_all(connection, memory, replaced=verdict.supersedes, at=micros)
    if memory.superseded_by is None:
        retire_expired(connection, values_of(write), micros)
    values = {**values_of(write), **_fate_of(memory)}
    seq = fetch_value(connection, _SQL["add"], values)
    connection.executemany(
        SQL["add_parent"],
        [
            {
                "memory_id": memory.id,
                "parent_id": parent,
                "parent_seq": write.parent_seqs.get(parent),
                "position": position,
            }
            for position, parent in enumerate(memory.origin.parents)
        ],
    )
    connection.execute(SQL["limit_age"], (memory.id,))
    connection.execute(SQL["set_seal"], (memory.id,))
    _write_history(connection, restored)
    if verdict.superseded_by is not None:
        add_history(connection, memory.id, change="superseded", at=micros)
    add_passages(connection, seq, write.passages)
    note_effects(connection, memory, verdict=replace(verdict, superseded_by=None), at=micros)


def _standing(connection: apsw.Connection, write: MemoryWrite, written: set[str]) -> Standing:
    """Return what has a memory's text, and what stood with its key before the file came."""
    memory, values = write.memory, values_of(write)
    same = fetch_value(connection, SQL["standing_duplicates"], values)
    found = memories_by_id(connection, [same], "every") if same else []
    keyed: list[str] = []
    if memory.key is not None and not memory.held_for:
        keyed = [row[0] for row in fetch(connection, SQL["live_with_key"], values)]
    old = [each for each in keyed if each not in written]
    return Standing(
        same=found[0][1] if found else None,
        keyed=tuple(each for _, each in memories_by_id(connection, old)),
    )


def _fate_of(memory: Memory) -> dict[str, object]:
    return {
        "superseded_by": memory.superseded_by,
        "superseded_at": to_micros(memory.superseded_at),
        "ended_at": to_micros(memory.ended_at),
        "last_used_at": to_micros(memory.last_used_at),
        "stale_since": to_micros(memory.stale_since),
        "confirmed_at": to_micros(memory.confirmed_at),
    }


def _write_history(connection: apsw.Connection, restored: RestoredMemory) -> None:
    memory = restored.write.memory
    if not restored.history:
        add_history(connection, memory.id, change="stored", at=to_micros(memory.recorded_at) or 0)
    connection.executemany(
        _SQL["add_version"],
        [
            (memory.id, to_micros(each.at), each.change, each.text, json.dumps(each.metadata))
            for each in restored.history
        ],
    )
