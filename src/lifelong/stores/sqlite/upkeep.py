"""Erasing, checking and rebuilding in SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import apsw

from lifelong.records import CheckReport, Memory
from lifelong.rows import (
    SEQ_SHIFT,
    WORDS_MAX,
    Erased,
    IndexEntry,
    Passage,
    RowKind,
    Selection,
    StoredMessage,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.connection import to_micros
from lifelong.stores.sqlite.log import insert_index, messages_after
from lifelong.stores.sqlite.memory_rows import add_passages, remove_passages, select_memories
from lifelong.stores.sqlite.pool import Pool
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.vectors import check_vectors, remove_vectors
from lifelong.stores.sqlite.words import as_json

_SQL = queries("upkeep")
_PAGE_ROWS = 500
_PROBLEMS_MAX = 100

SECURE_DELETES_MAX = 300


class SqliteUpkeep:
    """The upkeep of one owner's file."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def erase(self, what: Selection, at: datetime) -> Erased:
        """Remove rows, index entries and history; leave tombstones; overwrite the bytes.

        The receipt's counts are those of the database. `is_pending` is True when a reader of an
        old snapshot keeps the WAL, which holds old pages, from being emptied.
        """
        counts: Counter[str] = Counter()
        if what == Selection() or not self._access.is_there():
            return Erased({}, is_pending=False)
        at_micros = to_micros(at) or 0
        with self._access.write() as connection:
            _erase_messages(connection, what, at_micros, counts)
            _erase_memories(connection, what.memories, at_micros, counts)
            if counts["message"]:
                connection.execute(_SQL["new_generation"])
        is_clean = self._access.truncate_wal() if counts.total() else True
        return Erased({name: n for name, n in counts.items() if n}, is_pending=not is_clean)

    def counts(self) -> dict[str, int]:
        """Return the number of rows by table, and ``bytes`` on disk."""
        with self._access.read() as (connection, _):
            found = dict(fetch(connection, _SQL["count_rows"]))
        return {**found, "bytes": self._access.size_bytes()}

    def check(self) -> CheckReport:
        """Compare canonical rows with what is derived from them; nothing is changed."""
        with self._access.read() as (connection, _):
            counts = dict(fetch(connection, _SQL["count_rows"]))
            problems = [
                *_check_file(connection),
                *_check_log(connection),
                *_check_summaries(connection),
                *_check_memories(connection),
                *_check_objects(connection),
                *check_vectors(connection),
            ]
        if len(problems) > _PROBLEMS_MAX:
            more = len(problems) - _PROBLEMS_MAX
            problems = [*problems[:_PROBLEMS_MAX], f"{more} more problems"]
        return CheckReport(counts, tuple(problems))

    def rebuild_index(
        self,
        messages: Callable[[StoredMessage], IndexEntry],
        memories: Callable[[Memory], tuple[Passage, ...]],
        on_progress: Callable[[int], None],
    ) -> int:
        """Make every derived row again, in one transaction; return how many rows were read."""
        done = 0
        if not self._access.is_there():
            return done
        with self._access.write() as connection:
            connection.execute(_SQL["clear_log_index"])
            with _removing_passages(connection, SECURE_DELETES_MAX + 1):
                connection.execute(_SQL["clear_passages"])
            for rows in _pages(connection):
                seqs = as_json([row.seq for row in rows])
                session_numbers = dict(fetch(connection, _SQL["session_numbers"], (seqs,)))
                entries = [(row.seq, session_numbers[row.seq], messages(row)) for row in rows]
                insert_index(connection, entries)
                done += len(rows)
                on_progress(done)
            done += _rebuild_memories(connection, memories)
            on_progress(done)
            connection.execute(_SQL["new_generation"])
        self._access.truncate_wal()
        return done


def _pages(connection: apsw.Connection) -> Iterator[list[StoredMessage]]:
    seq = 0
    while rows := messages_after(connection, seq, _PAGE_ROWS):
        yield rows
        seq = rows[-1].seq


def _rebuild_memories(
    connection: apsw.Connection, memories: Callable[[Memory], tuple[Passage, ...]]
) -> int:
    connection.execute(_SQL["clear_memory_passages"])
    connection.execute(_SQL["clear_memory_counts"])
    connection.execute(_SQL["count_memories"])
    for name in ("memory_passages", "memory_words"):
        connection.execute(_SQL["set_statistic"], (0, name))
    found = select_memories(connection, None)
    for seq, memory in found:
        add_passages(connection, seq, memories(memory))
    return len(found)


def _erase_messages(
    connection: apsw.Connection, what: Selection, at: int, counts: Counter[str]
) -> None:
    rows = fetch(connection, _SQL["message_rows"], (as_json(what.messages),))
    with _removing_passages(connection, len(rows)):
        for seq, message_id, session_no, session_id in rows:
            connection.execute(_SQL["remove_summaries"], (session_no, seq))
            counts["summary"] += connection.changes()
            if not what.is_taken_back:
                connection.execute(_SQL["add_tombstone"], ("message", session_id, message_id, at))
            connection.execute(_SQL["remove_passages"], _postings_of(seq))
            counts["passage"] += connection.changes()
            connection.execute(_SQL["remove_extractions"], (seq,))
            connection.execute(_SQL["remove_message_index"], (seq,))
            counts["message_index"] += connection.changes()
            connection.execute(_SQL["remove_message"], (seq,))
            counts["message"] += connection.changes()
    counts["vector"] += remove_vectors(connection, RowKind.MESSAGE, [row[0] for row in rows])
    connection.execute(_SQL["remove_labels"], (as_json(what.labels),))
    counts["session_label"] += connection.changes()
    for session_no in dict.fromkeys(row[2] for row in rows):
        connection.execute(_SQL["remove_if_empty"], (session_no,))
        counts["session"] += connection.changes()


def rewrite_index(
    connection: apsw.Connection, seq: int, *, session_no: int, entry: IndexEntry
) -> None:
    """Make anew what is derived from a message; summaries of it and its vector go."""
    connection.execute(_SQL["remove_summaries"], (session_no, seq))
    connection.execute(_SQL["remove_passages"], _postings_of(seq))
    connection.execute(_SQL["remove_message_index"], (seq,))
    insert_index(connection, [(seq, session_no, entry)])
    remove_vectors(connection, RowKind.MESSAGE, [seq])
    connection.execute(_SQL["new_generation"])


@contextmanager
def _removing_passages(connection: apsw.Connection, messages: int) -> Iterator[None]:
    """Choose how words leave the index: one by one, or for many by merging all of it anew.

    FTS5's secure-delete takes each word out of its page, some 3 ms a message. Without it a deletion
    only notes that the words are gone; merging then writes the index without them, and SQLite's
    own secure_delete overwrites the old pages. Both leave no word behind.
    """
    if messages <= SECURE_DELETES_MAX:
        yield
        return
    connection.execute(_SQL["begin_many"])
    yield
    connection.execute(_SQL["merge_all"])
    connection.execute(_SQL["end_many"])


def _erase_memories(
    connection: apsw.Connection, ids: Sequence[str], at: int, counts: Counter[str]
) -> None:
    rows = fetch(connection, _SQL["memory_seqs"], (as_json(ids),))
    counts["vector"] += remove_vectors(connection, RowKind.MEMORY, [row[0] for row in rows])
    for seq, memory_id in rows:
        connection.execute(_SQL["add_tombstone"], ("memory", "", memory_id, at))
        counts["memory_passage"] += remove_passages(connection, seq)
        for name, table in (
            ("remove_history", "memory_history"),
            ("remove_parents", "memory_parent"),
            ("remove_conflicts", "conflict"),
            ("remove_confirmations", "confirmation"),
        ):
            connection.execute(_SQL[name], (memory_id,))
            counts[table] += connection.changes()
        connection.execute(_SQL["remove_memory"], (seq,))
        counts["memory"] += connection.changes()


def _postings_of(seq: int) -> tuple[int, int]:
    return seq << SEQ_SHIFT, (seq + 1 << SEQ_SHIFT) - 1


def retire(pool: Pool) -> tuple[dict[str, int] | None, bool]:
    """Mark a file as retired and count what it held; return also whether its WAL is empty.

    The rows are not removed one by one: the caller unlinks the file and destroys its key. Every
    access asks for the mark first, so no read shows them from this commit on. The counts are None
    when it was retired already.
    """
    with pool.write() as connection:
        if fetch_value(connection, _SQL["is_retired"]):
            return None, True
        counts = dict(fetch(connection, _SQL["count_rows"]))
        connection.execute(_SQL["retire"])
    return counts, pool.truncate_wal()


def _check_file(connection: apsw.Connection) -> list[str]:
    found = [row[0] for row in fetch(connection, "PRAGMA integrity_check(10)")]
    problems = [f"file: {line}" for line in found if line != "ok"]
    problems += [
        f"file: {table} row {rowid} points to nothing in {parent}"
        for table, rowid, parent, _ in fetch(connection, "PRAGMA foreign_key_check")
    ]
    return problems


def _check_log(connection: apsw.Connection) -> list[str]:
    problems = [
        f"message {message_id} of session {session_id!r} is not indexed rightly"
        for message_id, session_id in fetch(connection, _SQL["unindexed_messages"])
    ]
    passages: Counter[int] = Counter()
    words: Counter[int] = Counter()
    for (posting,) in fetch(connection, _SQL["passage_postings"]):
        passages[posting >> SEQ_SHIFT] += 1
        words[posting >> SEQ_SHIFT] += posting & WORDS_MAX
    for seq, expected, expected_words in fetch(connection, _SQL["passages_expected"]):
        if (passages.pop(seq, 0), words[seq]) != (expected, expected_words):
            problems.append(f"message number {seq}: its passages are not all in the index")
    problems += [
        f"the index holds passages of message number {seq}, which is not there" for seq in passages
    ]
    return problems


def _check_memories(connection: apsw.Connection) -> list[str]:
    numbers = {row[0] for row in fetch(connection, _SQL["memory_numbers"])}
    postings = [row[0] for row in fetch(connection, _SQL["memory_postings"])]
    indexed = {posting >> SEQ_SHIFT for posting in postings}
    problems = [f"memory number {seq} is not in the index" for seq in sorted(numbers - indexed)]
    readable = {seq for seq, _ in select_memories(connection, None)}
    problems += [f"memory number {seq} cannot be read" for seq in sorted(numbers - readable)]
    problems += [
        f"the index holds memory number {seq}, which is not there"
        for seq in sorted(indexed - numbers)
    ]
    return [*problems, *_check_totals(connection, postings), *_check_links(connection)]


def _check_summaries(connection: apsw.Connection) -> list[str]:
    return [
        f"a summary of session {row[0]!r} is of messages that are not there"
        for row in fetch(connection, _SQL["lost_summaries"])
    ]


def _check_totals(connection: apsw.Connection, postings: Sequence[int]) -> list[str]:
    found = dict(fetch(connection, _SQL["statistics"]))
    counted = {
        "memory_passages": len(postings),
        "memory_words": sum(posting & WORDS_MAX for posting in postings),
    }
    problems = ["the counts of memories are not right"] if _miscounted(connection) else []
    return problems + [
        f"statistic {name} is {found.get(name)}, counted {value}"
        for name, value in counted.items()
        if found.get(name) != value
    ]


def _miscounted(connection: apsw.Connection) -> bool:
    return bool(fetch(connection, _SQL["wrong_memory_counts"]))


def _check_links(connection: apsw.Connection) -> list[str]:
    problems = [
        f"history of memory {row[0]}, which is not there"
        for row in fetch(connection, _SQL["orphan_history"])
    ]
    problems += [
        f"memory {row[0]} was superseded by one that is not there"
        for row in fetch(connection, _SQL["lost_successors"])
    ]
    problems += [
        f"a conflict of memory {row[0]}, which is not there"
        for row in fetch(connection, _SQL["lost_conflicts"])
    ]
    problems += [
        f"memory {row[0]} was changed behind the engine: its seal is broken, and it is not trusted"
        for row in fetch(connection, _SQL["broken_seals"])
    ]
    return problems


def _check_objects(connection: apsw.Connection) -> list[str]:
    rows = fetch(connection, _SQL["json_columns"])
    return [f"{what} {name!r} has damaged JSON" for what, name, is_valid in rows if not is_valid]
