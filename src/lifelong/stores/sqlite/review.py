"""Memories that wait for a person, in SQLite: held ones, conflicts, confirmations."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from lifelong.errors import NotFound, SupersedeCycle
from lifelong.records import Memory, Trust
from lifelong.rows import Decide, MemoryWrite, MessageRow, RowKind, Verdict
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.connection import from_micros, to_micros
from lifelong.stores.sqlite.memory_rows import (
    SQL,
    add_passages,
    memories_by_id,
    remove_passages,
    values_of,
)
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.standing import (
    add_history,
    chain_end,
    judged,
    mark_derived,
    note_effects,
    retire,
    retire_all,
    retire_expired,
)
from lifelong.stores.sqlite.upkeep import rewrite_index
from lifelong.stores.sqlite.vectors import renew_vectors
from lifelong.stores.sqlite.words import as_json
from lifelong.writing import Conflict

_SQL = queries("review")


class SqliteReview:
    """The memories of one owner that wait for a person."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def held(self, memory_id: str | None = None) -> list[Memory]:
        """Return the memories that are held back, in the order of recording; or one of them."""
        with self._access.read() as (connection, _):
            ids = [memory_id] if memory_id else [row[0] for row in fetch(connection, _SQL["held"])]
            return [memory for _, memory in memories_by_id(connection, ids, "held")]

    def conflicts(self) -> list[Conflict]:
        """Return the pairs of live memories that contradict each other, oldest first."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["conflicts"])
            ids = [each for older, newer, _ in rows for each in (older, newer)]
            memories = {memory.id: memory for _, memory in memories_by_id(connection, ids)}
        return [
            Conflict(memories[older], memories[newer], from_micros(at))
            for older, newer, at in rows
            if older in memories and newer in memories
        ]

    def settle(self, older_id: str, newer_id: str, at: datetime) -> bool:
        """Note that both of a conflict hold; return whether there was one."""
        bound = {"one": older_id, "other": newer_id, "at": to_micros(at)}
        with self._access.write_if_there() as connection:
            if connection is None:
                return False
            connection.execute(_SQL["settle"], bound)
            return connection.changes() > 0

    def release(
        self,
        memory_id: str,
        change: Callable[[Memory], MemoryWrite],
        *,
        decide: Decide,
        at: datetime,
    ) -> Verdict:
        """Make a held memory live, as `change` says, unless what stands decides otherwise.

        Raises:
            NotFound: no memory with this id is held.
        """
        micros = to_micros(at) or 0
        with self._access.write_if_there() as connection:
            found = memories_by_id(connection, [memory_id], "held") if connection else []
            if connection is None or not found:
                raise NotFound(memory_id)
            seq, old = found[0]
            write = change(old)
            values = values_of(write)
            verdict = judged(
                connection,
                write.memory,
                values=values,
                words=write.words,
                supersedes=(),
                decide=decide,
                is_by_person=True,
            )
            if verdict.refusal:
                return verdict
            stands = replace(write.memory, id=verdict.duplicate_of or memory_id)
            retire_all(connection, stands, replaced=verdict.supersedes, at=micros)
            if verdict.duplicate_of is not None:
                retire(connection, memory_id, by=verdict.duplicate_of, at=micros)
                mark_derived(connection, verdict.supersedes, at=micros, spare=verdict.duplicate_of)
            else:
                retire_expired(connection, values, micros)
                _replace(connection, seq, old, write)
                connection.execute(_SQL["release"], {"id": memory_id, "at": micros})
                add_history(connection, memory_id, change="released", at=micros)
                note_effects(connection, write.memory, verdict=verdict, at=micros)
        return verdict

    def supersede(self, older_id: str, newer_id: str, at: datetime) -> None:
        """Let one memory replace another; both are there already.

        Raises:
            NotFound: the older is not live, or nothing live stands at the newer one's chain's end.
            SupersedeCycle: the older one replaced the newer one before.
        """
        micros = to_micros(at) or 0
        with self._access.write_if_there() as connection:
            newer = memories_by_id(connection, [newer_id], "all") if connection else []
            if connection is None or not newer:
                raise NotFound(newer_id)
            bound = {"older": older_id, "newer": newer_id}
            if older_id == newer_id or fetch_value(connection, _SQL["is_below"], bound):
                raise SupersedeCycle(f"{newer_id} was replaced by {older_id}")
            if not memories_by_id(connection, [older_id]):
                raise NotFound(older_id)
            if chain_end(connection, newer_id) is None:
                raise NotFound(f"{newer_id}: what replaced it is not live")
            retire_all(connection, newer[0][1], replaced=[older_id], at=micros)
            mark_derived(connection, [older_id], at=micros, spare=newer_id)

    def from_origin(self, channel: str | None, source: str | None) -> list[str]:
        """Return ids of all memories of this channel and source; None stands for any."""
        bound = {"channel": channel, "source": source}
        with self._access.read() as (connection, _):
            return [row[0] for row in fetch(connection, _SQL["from_origin"], bound)]

    def hold(
        self, memory_ids: Sequence[str], why: str, *, at: datetime, is_dry_run: bool = False
    ) -> list[str]:
        """Hold memories back; return the ids of those that were not held before.

        In a dry run they are only told.
        """
        micros = to_micros(at) or 0
        with self._access.write_if_there() as connection:
            if connection is None:
                return []
            ids = [row[0] for row in fetch(connection, _SQL["not_held"], (as_json(memory_ids),))]
            for memory_id in [] if is_dry_run else ids:
                connection.execute(_SQL["hold"], {"id": memory_id, "why": why, "at": micros})
                add_history(connection, memory_id, change=why, at=micros)
        return ids

    def add_confirmation(
        self, token_hash: bytes, memory_id: str, *, text_hash: bytes, expires_at: datetime
    ) -> None:
        """Keep what lets a person vouch for a memory, once."""
        row = (token_hash, memory_id, text_hash, to_micros(expires_at))
        with self._access.write() as connection:
            connection.execute(_SQL["drop_confirmations"])
            connection.execute(_SQL["add_confirmation"], row)

    def confirm(
        self, token_hash: bytes, hash_text: Callable[[str], bytes], at: datetime
    ) -> Memory | None:
        """Raise the trust of the memory that a token is for; the token works no more.

        Returns:
            The memory; None when there is no such token, when it is too late, or when the memory
            says something else by now.
        """
        micros = to_micros(at) or 0
        with self._access.write_if_there() as connection:
            if connection is None:
                return None
            used = fetch(connection, _SQL["use_confirmation"], (token_hash,))
            found = memories_by_id(connection, [used[0][0]], "every") if used else []
            if not found or hash_text(found[0][1].text) != used[0][1]:
                return None
            memory_id = found[0][1].id
            # Not the row's own trust, which counts for nothing where the seal is broken.
            trust = max(found[0][1].trust, Trust.USER)
            bound = {"id": memory_id, "trust": int(trust), "at": micros}
            connection.execute(_SQL["confirm"], bound)
            connection.execute(SQL["set_seal"], (memory_id,))
            add_history(connection, memory_id, change="confirmed", at=micros)
            return memories_by_id(connection, [memory_id], "every")[0][1]

    def unscreened(self, version: str, rows_max: int) -> list[Memory]:
        """Return memories, the hidden ones too, that did not pass this version of the rules."""
        with self._access.read() as (connection, _):
            ids = [row[0] for row in fetch(connection, _SQL["unscreened"], (version, rows_max))]
            return [memory for _, memory in memories_by_id(connection, ids, "every")]

    def rewrite(self, write: MemoryWrite, at: datetime) -> None:
        """Replace what a memory says, wherever it stands, its history too, by the text given.

        It is no change of the memory: what was taken out must be nowhere. What becomes the same as
        another live memory is replaced by that.
        """
        micros = to_micros(at) or 0
        with self._access.write_if_there() as connection:
            found = memories_by_id(connection, [write.memory.id], "every") if connection else []
            if connection is None or not found:
                return
            seq, old = found[0]
            values = values_of(write)
            same = fetch_value(connection, SQL["live_duplicate"], values)
            if same is not None and old.superseded_by is None:
                retire(connection, old.id, by=same, at=micros)
            elif old.superseded_by is None:
                retire_expired(connection, values, micros)
            _replace(connection, seq, old, write)
            if write.memory.text != old.text or write.memory.metadata != old.metadata:
                connection.execute(_SQL["rewrite_history"], values)
            if write.memory.held_for and not old.held_for:
                bound = {"id": old.id, "why": write.memory.held_for, "at": micros}
                connection.execute(_SQL["hold"], bound)
        self._access.truncate_wal()

    def rewrite_message(self, seq: int, row: MessageRow) -> None:
        """Replace what a message says, with all that is derived from it."""
        with self._access.write_if_there() as connection:
            sessions = fetch(connection, _SQL["session_of"], (seq,)) if connection else []
            if connection is None or not sessions:
                return
            session_no = sessions[0][0]
            connection.execute(_SQL["rewrite_message"], (row.format, row.payload, row.speaker, seq))
            rewrite_index(connection, seq, session_no=session_no, entry=row.entry)
        self._access.truncate_wal()

    def screened_to(self, version: str) -> int:
        """Return up to which number the messages were screened with a version of the rules."""
        with self._access.read() as (connection, _):
            kept = dict(fetch(connection, _SQL["screened"]))
        return int(kept["screened_to"]) if kept.get("screened_with") == _as_number(version) else 0

    def note_screened(self, version: str, seq: int) -> None:
        """Note up to which number the messages were screened."""
        with self._access.write_if_there() as connection:
            if connection is not None:
                rows = [("screened_with", _as_number(version)), ("screened_to", seq)]
                connection.executemany(_SQL["note_screened"], rows)


def _as_number(version: str) -> int:
    return int.from_bytes(hashlib.sha256(version.encode()).digest()[:6])


def _replace(connection: apsw.Connection, seq: int, old: Memory, write: MemoryWrite) -> None:
    """Write what a memory says, with its index; its seal is made anew."""
    connection.execute(SQL["change"], values_of(write))
    connection.execute(SQL["set_seal"], (old.id,))
    if write.memory.text != old.text:
        remove_passages(connection, seq)
        add_passages(connection, seq, write.passages)
        renew_vectors(connection, RowKind.MEMORY, [seq])
