"""Slack: SQLite's own deletion leaves bytes in gaps of pages, and they are seen."""

import random
from pathlib import Path

import apsw
import pytest

import lifelong
from lifelong.stores.sqlite.raw import SqliteRawFiles
from lifelong.stores.sqlite.slack import gaps, is_in_slack, slack_of

KEY = bytes(range(32))
SEED = 5
"""Of the first six, the one by which SQLite leaves a row behind."""


def churned(path, key):
    """Return rows that were deleted with secure_delete on, and the checkpoint after them."""
    dice = random.Random(SEED)
    connection = apsw.Connection(str(path))
    if key:
        connection.pragma("key", f"raw:{key.hex()}")
    connection.execute("PRAGMA journal_mode = wal; PRAGMA secure_delete = ON")
    connection.execute("CREATE TABLE v (no INTEGER PRIMARY KEY, kind, h BLOB, vec BLOB)")
    rows = {}
    for _ in range(600):
        blob, number = dice.randbytes(dice.choice((64, 1_500))), dice.randrange(10**6)
        digest = dice.randbytes(16)
        if number not in rows:
            connection.execute("INSERT INTO v VALUES (?, 0, ?, ?)", (number, digest, blob))
            rows[number] = blob
    deleted = dice.sample(list(rows), 400)
    for number in deleted:
        connection.execute("DELETE FROM v WHERE no = ?", (number,))
        if dice.random() < 0.3:
            blob, other = dice.randbytes(64), dice.randrange(10**6)
            more = (other, dice.randbytes(16), blob)
            connection.execute("INSERT OR IGNORE INTO v VALUES (?, 0, ?, ?)", more)
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    return connection, [rows[number] for number in deleted]


def clear_bytes(path, key):
    file = SqliteRawFiles(None, lambda: [(path.name, key)] if key else []).open(str(path))
    data = b"".join(file.pieces())
    file.close()
    return data


def test_what_a_deletion_left_in_a_gap_is_seen_and_a_vacuum_takes_it(tmp_path):
    path = tmp_path / "a.db"
    connection, deleted = churned(path, None)
    left = [blob for blob in deleted if blob in clear_bytes(path, None)]
    assert left  # if this fails, SQLite leaves nothing any more, and all this can go
    for blob in left:
        assert is_in_slack(slack_of(path, None), texts=(), terms=(), blobs=[blob])
    connection.execute("VACUUM")
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert not is_in_slack(slack_of(path, None), texts=(), terms=(), blobs=deleted)
    assert not [blob for blob in deleted if blob in clear_bytes(path, None)]
    connection.close()


def test_an_encrypted_file_is_read_with_its_key(tmp_path):
    plain, encrypted = tmp_path / "a.db", tmp_path / "b.db"
    for path, key in ((plain, None), (encrypted, KEY)):
        connection, deleted = churned(path, key)
        data = clear_bytes(path, key)
        in_gaps = is_in_slack(slack_of(path, key), texts=(), terms=(), blobs=deleted)
        assert in_gaps == any(blob[at : at + 40] in data for blob in deleted for at in (0, 20))
        connection.close()


def page(first, rows, content, gap):
    header = bytes([first, 0, 0]) + rows.to_bytes(2, "big") + content.to_bytes(2, "big") + b"\0"
    pointers = b"\x0f\x0f" * rows
    body = (header + b"\0" * (4 if first in (2, 5) else 0) + pointers + gap).ljust(content, b"\0")
    return (body + b"R" * 4096)[:4096]


@pytest.mark.parametrize("first", [2, 5, 10, 13])
def test_a_gap_is_between_the_list_of_rows_and_the_rows(first):
    assert list(gaps(page(first, 3, 2_000, b"\0\0left over\0\0"))) == [b"left over"]
    assert list(gaps(page(first, 0, 2_000, b""))) == []


def test_other_pages_have_no_gap():
    assert list(gaps(b"\0\0\0\7" + b"overflow" * 500)) == []
    assert list(gaps(b"")) == []
    first = b"SQLite format 3\0".ljust(100, b"h") + page(13, 1, 2_000, b"left over")
    assert list(gaps(first[:4096], is_first=True)) == [b"left over"]


@pytest.mark.parametrize(
    ("slack", "texts", "terms", "expected"),
    [
        (b"..lives in Hal..", ["Mira lives in Halden"], [], True),
        (b"..LIVES IN hal..", ["Mira lives in Halden"], [], True),
        (b"..lives..", ["Mira lives in Halden"], [], False),
        (b"\x07" + b"0halden", [], ["halden"], True),
        (b"\x03\x04lden", [], ["halden"], True),
        (b"halden", [], ["halden"], False),
        (b"", ["Mira lives in Halden"], ["mira"], False),
    ],
)
def test_parts_and_terms_are_seen(slack, texts, terms, expected):
    assert is_in_slack(slack, texts=texts, terms=terms, blobs=()) is expected


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs a list of what is open")
def test_an_engine_that_was_closed_has_no_file_open(tmp_path):
    """Looking for traces opens the file once more; it may not be closed before SQLite's is."""
    with lifelong.open(tmp_path / "data", key=KEY) as engine:
        for owner in ("ana", "bo"):
            engine.owner(owner).session("s").append([{"role": "user", "content": "tram 12"}])
            engine.owner(owner).forget(session="s")
    links = Path("/proc/self/fd").iterdir()
    open_now = [str(link.readlink()) for link in links if link.is_symlink()]
    assert [path for path in open_now if path.startswith(str(tmp_path))] == []
