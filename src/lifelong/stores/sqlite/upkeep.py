"""Counting, checking and rebuilding in SQLite."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import apsw

from lifelong.records import CheckReport, Memory
from lifelong.rows import (
    SEQ_SHIFT,
    WORDS_MAX,
    IndexEntry,
    Note,
    Passage,
    RowKind,
    StoredMessage,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.erasing import (
    SECURE_DELETES_MAX,
    remove_message_index,
    removing_passages,
    retire_file,
)
from lifelong.stores.sqlite.log import insert_index, messages_after
from lifelong.stores.sqlite.memory_rows import add_passages, select_memories
from lifelong.stores.sqlite.pool import Pool
from lifelong.stores.sqlite.queries import fetch, queries
from lifelong.stores.sqlite.vectors import check_vectors, remove_vectors
from lifelong.stores.sqlite.words import as_json

_SQL = queries("upkeep")
_PAGE_ROWS = 500
_PROBLEMS_MAX = 100


class SqliteUpkeep:
    """The upkeep of one owner's file."""

    def __init__(self, access: Access) -> None:
        self._access = access

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
                *_check_texts_of_files(connection),
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
            with removing_passages(connection, SECURE_DELETES_MAX + 1):
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


def rewrite_index(
    connection: apsw.Connection, seq: int, *, session_no: int, entry: IndexEntry
) -> None:
    """Make anew what is derived from a message; summaries of it and its vector go."""
    remove_message_index(connection, seq, session_no=session_no)
    insert_index(connection, [(seq, session_no, entry)])
    remove_vectors(connection, RowKind.MESSAGE, [seq])
    connection.execute(_SQL["new_generation"])


def retire(pool: Pool, note: Note) -> tuple[bool, bool]:
    """Mark a file as retired, with a receipt of what it held.

    Returns:
        Whether it was not retired before, and whether its WAL is empty.

    Raises:
        OnLegalHold: something of it may not go.
    """
    with pool.write() as connection:
        counts = {name: n for name, n in fetch(connection, _SQL["count_rows"]) if n}
        is_ours = retire_file(connection, note, counts)
    return is_ours, pool.truncate_wal()


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


def _check_texts_of_files(connection: apsw.Connection) -> list[str]:
    problems = [
        f"the text of file {row[0]!r} is damaged"
        for row in fetch(connection, _SQL["damaged_files"])
    ]
    return problems + [
        f"text number {row[0]} of a file has parents, and is not there"
        for row in fetch(connection, _SQL["loose_file_parents"])
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
