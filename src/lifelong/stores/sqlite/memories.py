"""Memories in SQLite: one transaction for row, full text, parents and history.

The database decides on duplicates, by a unique index over live rows; so two writers of one fact
end with one memory and one id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from lifelong.errors import AmbiguousId, MemoryConflict, NotFound
from lifelong.records import Memory
from lifelong.rows import (
    SEQ_SHIFT,
    Admit,
    Beginning,
    Decide,
    FileConflict,
    FileMemory,
    MemoryFilter,
    MemoryMatches,
    MemoryWrite,
    RowKind,
    Tombstone,
    Verdict,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.barred import lift_bar
from lifelong.stores.sqlite.connection import from_micros, to_micros
from lifelong.stores.sqlite.memory_rows import (
    SQL,
    add_passages,
    remove_passages,
    select_memories,
    values_of,
)
from lifelong.stores.sqlite.queries import fetch, fetch_value, read_object
from lifelong.stores.sqlite.restoring import (
    note_file_conflicts,
    note_tombstones,
    read_ground,
    seals_of,
    sessions_of_parents,
    tombstones_of,
    write_admission,
)
from lifelong.stores.sqlite.standing import (
    add_history,
    chain_end,
    judged,
    mark_derived,
    note_effects,
    retire_all,
    retire_expired,
)
from lifelong.stores.sqlite.then import matches_then, memories_then
from lifelong.stores.sqlite.vectors import renew_vectors
from lifelong.stores.sqlite.words import FIRST_MAX, as_json, match_terms
from lifelong.writing import MemoryVersion, Use


class SqliteMemories:
    """The memories of one owner."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def write(self, write: MemoryWrite, decide: Decide, supersedes: Sequence[str] = ()) -> Verdict:
        """Store a memory, unless what stands already decides otherwise.

        Reading, deciding and writing are one transaction. Of a held memory only its text is
        compared: what it would replace is decided when it is released.

        Raises:
            NotFound: an id in `supersedes` is not there, or nothing live stands at its chain's end.
        """
        memory, values = write.memory, values_of(write)
        at = values["recorded_at"]
        with self._access.write() as connection:
            verdict = judged(
                connection,
                memory,
                values=values,
                words=write.words,
                supersedes=supersedes,
                decide=decide,
            )
            if verdict.refusal:
                return verdict
            if verdict.duplicate_of is not None:
                stands = replace(memory, id=verdict.duplicate_of)
                retire_all(connection, stands, replaced=verdict.supersedes, at=at)
                mark_derived(connection, verdict.supersedes, at=at, spare=verdict.duplicate_of)
                return verdict
            # The text's place in the unique index must be free before the row takes it.
            retire_all(connection, memory, replaced=verdict.supersedes, at=at)
            retire_expired(connection, values, at)
            seq = fetch_value(connection, SQL["add"], values)
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
            connection.execute(SQL["set_seal"], (memory.id,))
            connection.execute(SQL["limit_age"], (memory.id,))
            lift_bar(connection, values["namespace"], [write.text_hash])
            add_history(connection, memory.id, change="stored", at=at)
            add_passages(connection, seq, write.passages)
            note_effects(connection, memory, verdict=verdict, at=at)
        return verdict

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
            seqs = [row[0] for row in fetch(connection, SQL["seq_of"], (memory_id,))]
            found = select_memories(connection, which, seqs=seqs)
            if not found:
                raise NotFound(memory_id)
            seq, memory = found[0]
            write = change(memory)
            values = values_of(write)
            same = fetch_value(connection, SQL["live_duplicate"], values)
            if same is not None:
                raise MemoryConflict(f"memory {same}")
            retire_expired(connection, values, values["updated_at"])
            connection.execute(SQL["change"], values)
            connection.execute(SQL["limit_age"], (memory_id,))
            connection.execute(SQL["set_seal"], (memory_id,))
            add_history(connection, memory_id, change="updated", at=values["updated_at"])
            remove_passages(connection, seq)
            add_passages(connection, seq, write.passages)
            if write.memory.text != memory.text:
                renew_vectors(connection, RowKind.MEMORY, [seq])

    def select(self, which: MemoryFilter | None, limit: int | None = None) -> list[Memory]:
        """Return memories in the order of recording; the newest, when there is a limit.

        Without a filter, all that are there: the hidden ones too.
        """
        with self._access.read() as (connection, _):
            found = [memory for _, memory in memories_then(connection, which)]
        if limit is None:
            return found
        return found[len(found) - min(limit, len(found)) :]

    def get(self, memory_id: str, which: MemoryFilter) -> Memory | None:
        """Return one memory, if the filter lets it through."""
        with self._access.read() as (connection, _):
            seqs = [row[0] for row in fetch(connection, SQL["seq_of"], (memory_id,))]
            found = memories_then(connection, which, seqs=seqs)
        return found[0][1] if found else None

    def latest(self, memory_id: str) -> Memory | None:
        """Return what replaced a memory last, or itself; None when that is not live."""
        with self._access.read() as (connection, _):
            return chain_end(connection, memory_id)

    def history(self, memory_id: str) -> list[MemoryVersion]:
        """Return the changes of a memory, oldest first."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, SQL["history"], (memory_id,))
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
                *fetch(connection, SQL["parent_messages"], wanted),
                *fetch(connection, SQL["parent_memories"], wanted),
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
            totals = dict(fetch(connection, SQL["statistics"]))
            passages, passage_words = totals["memory_passages"], totals["memory_words"]
            terms = match_terms(
                connection,
                SQL,
                words=words,
                prefixes=prefixes,
                passages=passages,
                # The filter comes later, and holds before any limit.
                first_max=passages if which.narrows else FIRST_MAX,
            )
            if which.known_at is not None:
                terms = matches_then(connection, terms, which.known_at)
            seqs = {posting >> SEQ_SHIFT for term in terms for posting in term.postings}
            memories = dict(memories_then(connection, which, seqs=sorted(seqs))) if seqs else {}
        return MemoryMatches(terms, memories, passages, passage_words)

    def among(self, seqs: Sequence[int], which: MemoryFilter) -> dict[int, Memory]:
        """Return the memories with these numbers that the filter lets through."""
        if not seqs:
            return {}
        with self._access.read() as (connection, _):
            return dict(memories_then(connection, which, seqs=sorted(seqs)))

    def note_uses(self, uses: Sequence[Use]) -> None:
        """Note that recall brought memories back; of an owner who is gone, nothing is made."""
        with self._access.write_if_there() as connection:
            if connection is not None:
                connection.executemany(
                    SQL["note_use"],
                    [(to_micros(use.at), use.times, use.memory_id) for use in uses],
                )

    def derived_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return ids of memories made from these, directly or through others."""
        bound = {"memories": as_json(memory_ids), "messages": as_json(message_seqs), "spare": ""}
        with self._access.read() as (connection, _):
            return [row[0] for row in fetch(connection, SQL["derived"], bound)]

    def seals(self, digests: Sequence[str]) -> list[str]:
        """Return for each digest a seal that only this owner's key makes; [] without encryption."""
        if not self._access.has_key():
            return []
        with self._access.read() as (connection, _):
            return seals_of(connection, digests)

    def parent_sessions(self, memory_ids: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Return by memory, and by its parents that are messages, the sessions of those."""
        with self._access.read() as (connection, _):
            return sessions_of_parents(connection, memory_ids)

    def tombstones(self) -> list[Tombstone]:
        """Return what was forgotten, by its id, and what files say to have been; sorted."""
        with self._access.read() as (connection, _):
            return tombstones_of(connection)

    def note_forgotten(self, tombstones: Sequence[Tombstone]) -> int:
        """Note what was forgotten elsewhere, and return how much of it is new.

        What stands here stays: of that, nothing is noted.
        """
        with self._access.write() as connection:
            return note_tombstones(connection, tombstones)

    def restore(
        self,
        rows: Sequence[FileMemory],
        conflicts: Sequence[FileConflict],
        *,
        admit: Admit,
        decide: Decide,
        at: datetime,
    ) -> None:
        """Write what comes back from an export: all that is admitted, or nothing.

        Reading, deciding and writing are one transaction.
        """
        with self._access.write() as connection:
            ground = read_ground(connection, rows, has_key=self._access.has_key())
            admission = admit(ground)
            write_admission(connection, admission, decide=decide, at=at)
            note_file_conflicts(connection, conflicts, admission)
