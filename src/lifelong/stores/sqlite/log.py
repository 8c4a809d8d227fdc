"""The log in SQLite: appends, reads, and where words stand in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from lifelong.errors import MessageConflict
from lifelong.forgetting import NOTHING, STATE
from lifelong.ports import Clock
from lifelong.records import SessionInfo
from lifelong.rows import (
    AppendCounts,
    Beginning,
    IndexEntry,
    LogMatches,
    MessageRow,
    Newer,
    SessionFields,
    SessionTurns,
    StoredMessage,
    SummaryRow,
    pack_posting,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.connection import from_micros, from_micros_or_none, to_micros
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries, read_object
from lifelong.stores.sqlite.words import as_json, match_terms

_SQL = queries("log")
_PAGE_ROWS = 500
_NO_LIMIT = 1 << 62
_MERGED_PAGES = 16
"""Each append leaves a small piece of the index, and a look-up of a word asks every piece. Merging
so many pages at once keeps a third of them, at no cost to appending that could be measured."""


class SqliteLog:
    """The log of one owner."""

    def __init__(self, access: Access, clock: Clock) -> None:
        self._access = access
        self._clock = clock

    def append(
        self, session_id: str, rows: Sequence[MessageRow], fields: SessionFields
    ) -> AppendCounts:
        """Store the rows at the end of the session, all or none; known ids are not stored again.

        Raises:
            MessageConflict: a stored message has the id and another payload.
        """
        with self._access.write() as connection:
            if fetch_value(connection, _SQL["saves"], (session_id,)) in (STATE, NOTHING):
                return AppendCounts(0, 0, 0, unsaved=len(rows))
            session_no = fetch_value(connection, _SQL["session_no"], (session_id,))
            fresh, forgotten = _fresh_rows(connection, session_id, session_no, rows)
            if session_no is None:
                if not fresh and fetch(connection, _SQL["was_forgotten"], (session_id,)):
                    return AppendCounts(0, 0, forgotten)
                made_at = to_micros(self._clock.now())
                session_no = fetch_value(connection, _SQL["add_session"], (session_id, made_at))
            seq = fetch_value(connection, _SQL["newest_seq"])
            _insert(connection, session_no, seq + 1, fresh)
            connection.execute(
                _SQL["set_session"],
                {
                    "no": session_no,
                    "title": fields.title,
                    "source": fields.source,
                    "metadata": None if fields.metadata is None else json.dumps(fields.metadata),
                    "last_seq": seq + len(fresh) if fresh else 0,
                },
            )
        return AppendCounts(len(fresh), len(rows) - len(fresh) - forgotten, forgotten)

    def read(
        self, session_id: str, *, newest: int | None = None, before: int | None = None
    ) -> list[StoredMessage]:
        """Return messages of a session in order: all, or the `newest` ones before seq `before`."""
        with self._access.read() as (connection, _):
            if newest is None:
                rows = fetch(connection, _SQL["session_messages"], (session_id,))
            else:
                rows = fetch(
                    connection,
                    _SQL["newest_session_messages"],
                    {
                        "session_id": session_id,
                        "before": before or _NO_LIMIT,
                        "newest": min(newest, _NO_LIMIT),
                    },
                )[::-1]
        return [stored_message(row) for row in rows]

    def newer(self, session_id: str, seq: int) -> Newer:
        """Return the messages of a session after number `seq`, and the present generation."""
        with self._access.read() as (connection, _):
            generation = fetch_value(connection, _SQL["generation"])
            rows = fetch(connection, _SQL["session_messages_after"], (session_id, seq))
        return Newer(generation, [stored_message(row) for row in rows])

    def summaries(self, session_id: str) -> list[SummaryRow]:
        """Return the summaries of a session's beginning, in order."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["summaries"], (session_id,))
        return [
            SummaryRow(first, last, text, carried, made_by, from_micros(made_at))
            for first, last, text, carried, made_by, made_at in rows
        ]

    def add_summary(self, session_id: str, summary: SummaryRow, generation: int) -> bool:
        """Store a summary that follows on the last one; all or nothing.

        Returns:
            False, and nothing is stored, if messages were removed since `generation`, or if what
            it sums up has been summed up already.
        """
        with self._access.write() as connection:
            session_no = fetch_value(connection, _SQL["session_no"], (session_id,))
            if session_no is None or fetch_value(connection, _SQL["generation"]) != generation:
                return False
            if fetch_value(connection, _SQL["summed_up_to"], (session_no,)) >= summary.first_seq:
                return False
            connection.execute(
                _SQL["add_summary"],
                (
                    session_no,
                    summary.first_seq,
                    summary.last_seq,
                    summary.text,
                    summary.carried,
                    summary.made_by,
                    to_micros(summary.made_at),
                ),
            )
        return True

    def turns(self) -> list[SessionTurns]:
        """Return how many turns each session has."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["turns"])
        return [SessionTurns(id, turns, from_micros(last_at)) for id, turns, last_at in rows]

    def messages(self, seqs: Sequence[int]) -> dict[int, StoredMessage]:
        """Return the messages with these numbers, those that are still there."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["messages_by_seq"], (as_json(seqs),))
        return {row[0]: stored_message(row) for row in rows}

    def extracted(self, extractor: str, session_id: str) -> set[int]:
        """Return the numbers of the messages of a session that an extractor has read."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["extracted"], (extractor, session_id))
        return {row[0] for row in rows}

    def note_extracted(self, extractor: str, seqs: Sequence[int]) -> None:
        """Note that an extractor has read these messages, those that are still there."""
        with self._access.write_if_there() as connection:
            if connection is not None:
                connection.execute(_SQL["note_extracted"], (extractor, as_json(seqs)))

    def everything(self) -> Iterator[StoredMessage]:
        """Yield every message in the order of its number, a page in each transaction."""
        seq = 0
        while True:
            with self._access.read() as (connection, _):
                rows = messages_after(connection, seq, _PAGE_ROWS)
            if not rows:
                return
            yield from rows
            seq = rows[-1].seq

    def find(self, message_id: str, session_id: str | None) -> list[StoredMessage]:
        """Return each message with this id, in one session or in all."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["messages_by_id"], (message_id,))
        return [stored_message(row) for row in rows if session_id in (None, row[1])]

    def sessions(self) -> list[SessionInfo]:
        """Return the sessions that hold messages, the one last appended to first."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["sessions"])
        return [
            SessionInfo(
                session_id,
                title,
                source,
                count,
                from_micros(first),
                from_micros(last),
                read_object(metadata),
            )
            for session_id, title, source, metadata, count, first, last in rows
        ]

    def match(self, words: Sequence[str], prefixes: Sequence[Beginning]) -> LogMatches:
        """Return where each word stands in the log; and what a prefix may mean."""
        with self._access.read() as (connection, columns):
            now = columns.refresh(connection)
            terms = match_terms(
                connection,
                _SQL,
                words=words,
                prefixes=prefixes,
                passages=now.passages,
                common=columns.common,
            )
            return LogMatches(terms, now)


def _fresh_rows(
    connection: apsw.Connection, session_id: str, session_no: int | None, rows: Sequence[MessageRow]
) -> tuple[list[MessageRow], int]:
    """Return the rows that are new, and how many were forgotten once."""
    ids = as_json([row.id for row in rows])
    bound = {"session_no": session_no, "session_id": session_id, "ids": ids}
    known = {
        message_id: (message_format, payload)
        for message_id, message_format, payload in fetch(connection, _SQL["stored_among"], bound)
    }
    forgotten = {row[0] for row in fetch(connection, _SQL["forgotten_among"], bound)}
    fresh = []
    forgotten_count = 0
    for row in rows:
        if row.id in forgotten:
            forgotten_count += 1
        elif row.id not in known:
            known[row.id] = (row.format, row.payload)
            fresh.append(row)
        elif known[row.id] != (row.format, row.payload):
            raise MessageConflict(f"message {row.id!r} in session {session_id!r}")
    return fresh, forgotten_count


def _insert(
    connection: apsw.Connection, session_no: int, first_seq: int, rows: Sequence[MessageRow]
) -> None:
    numbered = list(enumerate(rows, first_seq))
    connection.executemany(
        _SQL["add_message"],
        [
            (
                seq,
                session_no,
                row.id,
                row.role,
                int(row.trust),
                row.speaker,
                to_micros(row.sent_at),
                to_micros(row.recorded_at),
                row.format,
                row.payload,
            )
            for seq, row in numbered
        ],
    )
    insert_index(connection, [(seq, session_no, row.entry) for seq, row in numbered])


def insert_index(
    connection: apsw.Connection, entries: Sequence[tuple[int, int, IndexEntry]]
) -> None:
    """Add the derived rows of messages, given as (seq, session number, entry)."""
    connection.executemany(
        _SQL["add_message_index"],
        [
            (
                seq,
                session_no,
                entry.role,
                entry.speaker,
                entry.sent_at.toordinal() if entry.sent_at else 0,
                entry.words,
                entry.flags,
                entry.question,
                len(entry.passages),
                sum(passage.words for passage in entry.passages),
            )
            for seq, session_no, entry in entries
        ],
    )
    connection.executemany(
        _SQL["add_passage"],
        [
            (pack_posting(seq, number, passage.words), passage.text)
            for seq, _, entry in entries
            for number, passage in enumerate(entry.passages)
        ],
    )
    connection.execute(_SQL["merge_passages"], (_MERGED_PAGES,))


def messages_after(connection: apsw.Connection, seq: int, rows_max: int) -> list[StoredMessage]:
    """Return the next messages after number `seq`, at most so many."""
    rows = fetch(connection, _SQL["messages_after"], (seq, rows_max))
    return [stored_message(row) for row in rows]


def stored_message(row: tuple[Any, ...]) -> StoredMessage:
    """Return the message of a row, as the queries name its columns."""
    seq, session_id, message_id, role, speaker, sent_at, recorded_at, form, payload = row
    return StoredMessage(
        seq,
        session_id,
        message_id,
        role,
        speaker,
        from_micros_or_none(sent_at),
        from_micros(recorded_at),
        form,
        payload if isinstance(payload, str) else "",
    )
