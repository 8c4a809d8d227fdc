"""Letting go in SQLite: erasures and their receipts, legal holds, retention."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import apsw

from lifelong.errors import StoreError, StoreFull
from lifelong.forgetting import KIND, Due, LegalHold, RetentionRule
from lifelong.rows import Finished, Note, ReceiptRow, Selection
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.connection import from_micros, from_micros_or_none, to_micros
from lifelong.stores.sqlite.erasing import erase_rows
from lifelong.stores.sqlite.pool import Pool
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.slack import slack_of
from lifelong.stores.sqlite.traces import Traces, traces_of

_SQL = queries("forgetting")

MADE_ANEW_BYTES_MAX = 64 << 20
"""A larger file is made anew by a sweep alone: some 50 ms a MiB, and as much room again."""


class SqliteForgetting:
    """How the data of one owner goes, and what keeps it from going."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def erase(self, what: Selection, note: Note) -> ReceiptRow:
        """Remove rows, index entries and history; leave tombstones; overwrite the bytes.

        It is pending when a reader of an old snapshot keeps the WAL, which holds old pages, from
        being emptied; or when a large file has to be made anew for it, which a sweep does.

        Raises:
            OnLegalHold: something of it may not go.
        """
        if what.is_empty or not self._access.is_there():
            return ReceiptRow(note, {}, note.at)
        with self._access.write() as connection:
            traces = traces_of(connection, what)
            counts = erase_rows(connection, what, note)
        if not counts:
            return ReceiptRow(note, counts, note.at)
        return ReceiptRow(note, counts, note.at if self._is_finished(traces, note.at) else None)

    def _is_finished(self, traces: Traces, at: datetime) -> bool:
        try:
            with self._access.read() as (connection, _):
                pending = fetch_value(connection, _SQL["pending"])
            if not self._access.truncate_wal():
                return False
            if pending > 1 or self._are_left(traces):
                is_small = self._access.size_bytes() <= MADE_ANEW_BYTES_MAX
                return is_small and not self.finish(at).pending
            self._complete(at)
        except StoreError:  # it was erased; that the bytes wait must not look like a refusal
            return False
        return True

    def _are_left(self, traces: Traces) -> bool:
        file = self._access.file()
        if file.path is None:
            return False
        with self._access.read() as (connection, _):
            return traces.are_left(connection, slack_of(file.path, file.key))

    def receipts(self) -> list[ReceiptRow]:
        """Return what was noted of each erasure, oldest first."""
        with self._access.read() as (connection, _):
            return [receipt_row(row) for row in fetch(connection, _SQL["receipts"])]

    def finish(self, at: datetime) -> Finished:
        """Overwrite the bytes of erasures that are pending, as far as readers let it.

        Nobody knows by now what they were, so the file is made anew.
        """
        with self._access.read() as (connection, _):
            pending = fetch_value(connection, _SQL["pending"])
        if pending and not self._make_anew():
            return Finished(0, pending)
        if pending:
            self._complete(at)
        return Finished(pending, 0)

    def _make_anew(self) -> bool:
        try:
            return self._access.make_anew()
        except StoreFull:  # it needs the file's size once more; what was erased stays erased
            return False

    def _complete(self, at: datetime) -> None:
        # What is noted now leaves the WAL with the next emptying; it holds nothing old.
        with self._access.write_if_there() as connection:
            if connection is not None:
                connection.execute(_SQL["complete"], (to_micros(at),))

    def place_hold(self, hold: LegalHold) -> None:
        """Let nothing that a hold is about be erased from now on."""
        row = (hold.id, hold.session_id, hold.reason, to_micros(hold.placed_at))
        with self._access.write() as connection:
            connection.execute(_SQL["place_hold"], row)

    def holds(self) -> list[LegalHold]:
        """Return the holds that are in force, oldest first."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["holds"])
        return [
            LegalHold(id, reason, session_id, from_micros(at))
            for id, reason, session_id, at in rows
        ]

    def end_hold(self, hold_id: str) -> bool:
        """End a hold; return whether there was one."""
        return self._removed("end_hold", (hold_id,))

    def set_rule(self, rule: RetentionRule) -> None:
        """Keep a rule, in the place of one for the same thing; what is there expires by it."""
        row = (rule.what, rule.name, rule.saves, rule.newest, rule.days)
        with self._access.write() as connection:
            connection.execute(_SQL["set_rule"], row)
            if rule.what == KIND and rule.days is not None:
                bound = {"kind": rule.name, "days": rule.days}
                connection.execute(_SQL["limit_kind"], bound)

    def remove_rule(self, what: str, name: str) -> bool:
        """Remove a rule; return whether there was one. Times that it set stay."""
        return self._removed("remove_rule", (what, name))

    def rules(self) -> list[RetentionRule]:
        """Return the rules, sorted."""
        with self._access.read() as (connection, _):
            return [RetentionRule(*row) for row in fetch(connection, _SQL["rules"])]

    def due(self, now: datetime) -> Due:
        """Return what expired, and what no rule lets be kept any longer."""
        bound = {"now": to_micros(now)}
        with self._access.read() as (connection, _):
            memories = fetch(connection, _SQL["due_memories"], bound)
            messages = fetch(connection, _SQL["due_messages"], bound)
            files = _due_files(connection, now)
            is_held = fetch_value(connection, _SQL["any_owner_hold"]) is not None
        on_hold = sum(row[1] for row in (*memories, *messages)) + (len(files) if is_held else 0)
        return Due(
            tuple(id for id, is_on_hold in memories if not is_on_hold),
            tuple(seq for seq, is_on_hold in messages if not is_on_hold),
            () if is_held else files,
            on_hold,
        )

    def _removed(self, query: str, bound: tuple[str, ...]) -> bool:
        with self._access.write_if_there() as connection:
            if connection is None:
                return False
            connection.execute(_SQL[query], bound)
            return connection.changes() > 0


def _due_files(connection: apsw.Connection, now: datetime) -> tuple[str, ...]:
    bound = {"now": to_micros(now)}
    return tuple(row[0] for row in fetch(connection, _SQL["due_files"], bound))


def receipt_row(row: Sequence[Any]) -> ReceiptRow:
    """Return the receipt of a row: id, time, scope, counts, time of completion, ids of keys."""
    id, at, scope, counts, completed_at, *keys = row
    return ReceiptRow(
        Note(from_micros(at), id, scope),
        json.loads(counts),
        from_micros_or_none(completed_at),
        tuple(json.loads(keys[0])) if keys else (),
    )


def file_receipts(pool: Pool) -> list[ReceiptRow]:
    """Return the receipts of a file, oldest first; the last of a forgotten owner's is of all."""
    with pool.read() as connection:
        return [receipt_row(row) for row in fetch(connection, _SQL["receipts"])]


def finish_file(pool: Pool, at: datetime, size_bytes: int) -> None:
    """Complete what was pending when a small file was last closed, as far as readers let it."""
    with pool.read() as connection:
        pending = fetch_value(connection, _SQL["pending"])
    if pending and size_bytes <= MADE_ANEW_BYTES_MAX and pool.make_anew():
        with pool.write() as connection:
            connection.execute(_SQL["complete"], (to_micros(at),))
