"""Erasing in SQLite: every row that holds a thing goes, in the caller's transaction, counted.

What the numbers say is what the database did. The old pages are overwritten by `secure_delete`, and
leave the WAL when it is emptied after the commit.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from lifelong.errors import OnLegalHold
from lifelong.rows import SEQ_SHIFT, Note, RowKind, Selection
from lifelong.stores.sqlite.barred import bar_name, bar_texts
from lifelong.stores.sqlite.connection import to_micros
from lifelong.stores.sqlite.files import erase_files
from lifelong.stores.sqlite.memory_rows import remove_passages
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.vectors import remove_vectors
from lifelong.stores.sqlite.words import as_json

_SQL = queries("erasing")

SECURE_DELETES_MAX = 300


def erase_rows(connection: apsw.Connection, what: Selection, note: Note) -> dict[str, int]:
    """Remove what is selected and all that is derived from it; return the rows by table.

    Raises:
        OnLegalHold: something of it may not go.
    """
    _require_free(connection, what)
    at, counts = to_micros(note.at) or 0, Counter[str]()
    _erase_messages(connection, what, at, counts)
    _erase_memories(connection, what, at, counts)
    if what.bars_text:
        for kind, names in (("state", what.states), ("file", what.files)):
            for name in names:
                bar_name(connection, kind, name=name, at=at)
    for name in what.states:
        connection.execute(_SQL["remove_state"], (name,))
        counts["state"] += connection.changes()
    counts.update(erase_files(connection, what.files))
    connection.execute(_SQL["remove_empty_counts"])
    if counts["message"]:
        connection.execute(_SQL["new_generation"])
    removed = {name: n for name, n in counts.items() if n}
    if removed and note.id:
        add_receipt(connection, note, removed)
    return removed


def add_receipt(connection: apsw.Connection, note: Note, counts: dict[str, int]) -> None:
    """Note an erasure; its old bytes may still be there."""
    row = (note.id, to_micros(note.at), note.scope, json.dumps(counts, sort_keys=True))
    connection.execute(_SQL["add_receipt"], row)


def _require_free(connection: apsw.Connection, what: Selection) -> None:
    bound = {
        "messages": as_json(what.messages),
        "memories": as_json(what.memories),
        "labels": as_json(what.labels),
    }
    refuse_held(connection, _SQL["holds_on"], bound)


def refuse_held(
    connection: apsw.Connection, sql: str, bound: dict[str, str] | tuple[()] = ()
) -> None:
    """Raise when a query finds a hold.

    Raises:
        OnLegalHold: it gives the reason.
    """
    for hold_id, reason in fetch(connection, sql, bound):
        raise OnLegalHold(f"{hold_id} ({reason})")


def _erase_messages(
    connection: apsw.Connection, what: Selection, at: int, counts: Counter[str]
) -> None:
    rows = fetch(connection, _SQL["message_rows"], (as_json(what.messages),))
    with removing_passages(connection, len(rows)):
        for seq, message_id, session_no, session_id in rows:
            if not what.is_taken_back:
                connection.execute(_SQL["add_tombstone"], ("message", session_id, message_id, at))
            counts.update(remove_message_index(connection, seq, session_no=session_no))
            connection.execute(_SQL["remove_extractions"], (seq,))
            connection.execute(_SQL["remove_message"], (seq,))
            counts["message"] += connection.changes()
    counts["vector"] += remove_vectors(connection, RowKind.MESSAGE, [row[0] for row in rows])
    connection.execute(_SQL["remove_labels"], (as_json(what.labels),))
    counts["session_label"] += connection.changes()
    for session_no in dict.fromkeys(row[2] for row in rows):
        connection.execute(_SQL["remove_if_empty"], (session_no,))
        counts["session"] += connection.changes()


def remove_message_index(
    connection: apsw.Connection, seq: int, *, session_no: int
) -> dict[str, int]:
    """Remove what is derived from a message but its vector; return the rows by table."""
    counts = {}
    for name, table, bound in (
        ("remove_summaries", "summary", (session_no, seq)),
        ("remove_passages", "passage", postings_of(seq)),
        ("remove_message_index", "message_index", (seq,)),
    ):
        connection.execute(_SQL[name], bound)
        counts[table] = connection.changes()
    return counts


@contextmanager
def removing_passages(connection: apsw.Connection, messages: int) -> Iterator[None]:
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
    connection: apsw.Connection, what: Selection, at: int, counts: Counter[str]
) -> None:
    rows = fetch(connection, _SQL["memory_seqs"], (as_json(what.memories),))
    counts["vector"] += remove_vectors(connection, RowKind.MEMORY, [row[0] for row in rows])
    for seq, memory_id, namespace in rows:
        connection.execute(_SQL["add_tombstone"], ("memory", "", memory_id, at))
        if what.bars_text:
            bar_texts(connection, memory_id, namespace=namespace, at=at)
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


def postings_of(seq: int) -> tuple[int, int]:
    """Return the first and the last posting that a message can have."""
    return seq << SEQ_SHIFT, (seq + 1 << SEQ_SHIFT) - 1


def retire_file(connection: apsw.Connection, note: Note, counts: dict[str, int]) -> bool:
    """Mark a file as retired, with its last receipt; return False when it was retired already.

    The rows are not removed one by one: the caller unlinks the file and destroys its key. Every
    access asks for the mark first, so no read shows them from this commit on.

    Raises:
        OnLegalHold: something of it may not go.
    """
    if fetch_value(connection, _SQL["is_retired"]):
        return False
    refuse_held(connection, _SQL["any_hold"])
    add_receipt(connection, note, counts)
    connection.execute(_SQL["retire"])
    return True
