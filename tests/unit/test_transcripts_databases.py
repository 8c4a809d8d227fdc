"""Files of other tools are read as they are, by whoever holds them, and never written to."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from subprocess import PIPE

import pytest
from foreign_stores import agents_store, execute, files_beside

from lifelong.errors import FormatError
from lifelong.transcripts import databases
from lifelong.transcripts.databases import holds_table, moment_of, opened_database
from lifelong.transcripts.events import BrokenLine, SaidMessage
from lifelong.transcripts.openai_agents import read


def said(file):
    return [each.message.text for each in read(file) if isinstance(each, SaidMessage)]


def reasons(file):
    return [each.reason for each in read(file) if isinstance(each, BrokenLine)]


def item(text):
    return {"role": "user", "content": text}


def plain_store(file, *texts, journal="wal"):
    """Write a store with SQL, and leave its connection open."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode={journal}")
    connection.execute(
        "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, "
        "message_data TEXT, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)"
    )
    add(connection, *texts)
    return connection


def add(connection, *texts):
    for text in texts:
        data = f'{{"role": "user", "content": "{text}"}}'
        connection.execute(
            "INSERT INTO agent_messages (session_id, message_data) VALUES ('s', ?)", (data,)
        )


WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(f"PRAGMA journal_mode={sys.argv[2]}")
for line in sys.stdin:
    connection.execute(line)
    print("done", flush=True)
"""


@pytest.mark.parametrize("journal", ["wal", "delete", "truncate"])
def test_a_store_in_use_is_read_with_all_that_was_committed(tmp_path, journal):
    """By another process: in this one, SQLite shares its files among connections."""
    file = tmp_path / "live.db"
    plain_store(file, "one", journal=journal).close()
    command = [sys.executable, "-c", WRITER, str(file), journal]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as writer:

        def write(text):
            data = f'{{"role": "user", "content": "{text}"}}'
            writer.stdin.write(
                f"INSERT INTO agent_messages (session_id, message_data) VALUES ('s', '{data}')\n"
            )
            writer.stdin.flush()
            assert writer.stdout.readline() == "done\n"

        write("two")
        before = files_beside(file)
        assert said(file) == ["one", "two"]
        assert files_beside(file) == before
        write("three")  # nothing that was left open holds the writer up
        assert said(file) == ["one", "two", "three"]
        writer.stdin.close()
        writer.wait(60)


def test_a_store_that_was_closed_leaves_no_file_beside_it(tmp_path):
    file = agents_store(tmp_path / "s.db")
    before = files_beside(file)
    assert list(before) == ["s.db"]
    assert len(said(file)) == 4
    assert files_beside(file) == before


def test_the_log_of_a_program_that_ended_early_is_read_and_stays(tmp_path):
    """Its index is gone, as after a copy of the two files."""
    with closing(plain_store(tmp_path / "live.db", "one", "two")):
        for suffix in ("", "-wal"):
            data = (tmp_path / f"live.db{suffix}").read_bytes()
            (tmp_path / "copy").mkdir(exist_ok=True)
            (tmp_path / "copy" / f"live.db{suffix}").write_bytes(data)
    file = tmp_path / "copy" / "live.db"
    before = files_beside(file)
    assert sorted(before) == ["live.db", "live.db-wal"]
    assert said(file) == ["one", "two"]
    assert files_beside(file) == before


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path, journal):
    folder = tmp_path / "kept"
    folder.mkdir()
    plain_store(folder / "s.db", "one", journal=journal).close()
    folder.chmod(0o500)
    try:
        assert said(folder / "s.db") == ["one"]
    finally:
        folder.chmod(0o700)


def test_one_moment_is_read_while_a_writer_goes_on(tmp_path):
    file = tmp_path / "live.db"
    with closing(plain_store(file, *("x" * 9 for _ in range(500)))) as connection:
        seen = []
        for event in read(file):
            if isinstance(event, SaidMessage):
                seen.append(event)
                if len(seen) == 10:
                    add(connection, "late")
        assert len(seen) == 500
    assert len(said(file)) == 501


def test_a_file_that_another_holds_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "_BUSY_SECONDS", 0.05)
    file = tmp_path / "live.db"
    with closing(plain_store(file, "one", journal="delete")) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        assert reasons(file) == ["another program is writing it: import it again later"]
        connection.execute("COMMIT")
        assert said(file) == ["one"]


def test_a_change_in_the_middle_is_reported(tmp_path):
    """A log that appears where there was none: what was read may be torn."""
    file = agents_store(tmp_path / "s.db")
    events = read(file)
    next(events)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE agent_sessions SET updated_at = 0")
        rest = list(events)
    assert rest[-1] == BrokenLine(str(file), 0, "it changed while it was read: import it again")


def test_who_stops_in_the_middle_leaves_nothing_open(tmp_path):
    file = tmp_path / "live.db"
    with closing(plain_store(file, *map(str, range(300)), journal="delete")) as connection:
        events = read(file)
        next(events)
        events.close()
        connection.execute("DELETE FROM agent_messages")  # nothing is locked any longer
    file.unlink()


def test_a_link_to_a_store_is_followed_with_its_log(tmp_path):
    with closing(plain_store(tmp_path / "live.db", "one")):
        (tmp_path / "links").mkdir()
        (tmp_path / "links" / "s.db").symlink_to(tmp_path / "live.db")
        assert said(tmp_path / "links" / "s.db") == ["one"]
    (tmp_path / "links" / "s.db").unlink()
    (tmp_path / "links" / "s.db").symlink_to(tmp_path / "nowhere")
    assert reasons(tmp_path / "links" / "s.db") == ["No such file or directory"]


@pytest.mark.parametrize(
    "name", ["a b%41?mode=rwc.db", "a#b.db", "ä\u2028.db", "' OR 1.db", "file:x.db"]
)
def test_a_name_is_a_name_whatever_is_in_it(tmp_path, name):
    file = agents_store(tmp_path / "s.db").rename(tmp_path / name)
    assert len(said(file)) == 4
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_device_or_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert reasons(tmp_path / "pipe") == ["it is no regular file"]
    assert not holds_table(tmp_path / "pipe", "id")


def test_cut_anywhere_it_is_a_report(tmp_path):
    whole = agents_store(tmp_path / "s.db").read_bytes()
    file = tmp_path / "cut.db"
    for end in range(0, len(whole), 997):
        file.write_bytes(whole[:end])
        events = list(read(file))
        assert any(isinstance(event, BrokenLine) for event in events)


def test_bytes_changed_anywhere_are_no_more_than_a_report(tmp_path):
    whole = agents_store(tmp_path / "s.db").read_bytes()
    file = tmp_path / "bad.db"
    for at in range(0, len(whole), 211):
        changed = bytearray(whole)
        changed[at : at + 8] = b"\xff" * 8
        file.write_bytes(changed)
        list(read(file))


@pytest.mark.parametrize(
    "schema",
    [
        """CREATE VIEW agent_messages AS
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS id, 's' AS session_id, '{}' AS message_data, 0 AS created_at FROM n""",
        "CREATE VIRTUAL TABLE agent_messages USING fts5(id, session_id, message_data, created_at)",
    ],
)
def test_only_plain_tables_are_read(tmp_path, schema):
    """A view may never end, and an extension may run code."""
    file = execute(tmp_path / "s.db", schema)
    assert reasons(file) == ["there is no table of messages in it"]
    assert not holds_table(file, "id", "session_id", "message_data", "created_at")


def test_a_value_over_the_limit_ends_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr(databases, "VALUE_BYTES_MAX", 10_000)
    file = tmp_path / "s.db"
    plain_store(file, "one", "two", "x" * 20_000, "four").close()
    assert said(file) == ["one"]
    assert reasons(file) == ["SQLite says: string or blob too big"]


def test_text_that_is_no_utf8_is_mended(tmp_path):
    file = tmp_path / "s.db"
    plain_store(file).close()
    data = b'{"role": "user", "content": "caf\xe9"}'
    insert = "INSERT INTO agent_messages (session_id, message_data) VALUES ('s', CAST(? AS TEXT))"
    execute(file, (insert, (data,)))
    assert said(file) == ["caf\ufffd"]


def test_nothing_of_it_can_be_written(tmp_path):
    file = agents_store(tmp_path / "s.db")
    with opened_database(file) as database, pytest.raises(sqlite3.OperationalError):
        list(database._fetch("DELETE FROM agent_messages"))
    assert len(said(file)) == 4


def test_progress_goes_up_to_the_size(tmp_path):
    file = tmp_path / "s.db"
    plain_store(file, *map(str, range(450))).close()
    told = []
    list(read(file, told.append))
    assert told == sorted(told)
    assert (len(told), told[-1]) == (5, file.stat().st_size)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02 03:04:05.25+01:00", "2026-01-02T02:04:05.250000+00:00"),
        ("2026-01-02", "2026-01-02T00:00:00+00:00"),
        ("0001-01-01T00:00:00+14:00", None),
        ("soon", None),
        (17, None),
        (None, None),
    ],
)
def test_times_of_sqlite_are_utc(value, told):
    found = moment_of(value)
    assert (found and found.isoformat()) == told


def test_another_kind_of_file_is_named(tmp_path):
    file = tmp_path / "s.db"
    file.write_bytes(b"SQLite format 3\0" + b"\0" * 20)
    assert reasons(file) == ["it is no SQLite file, or it is encrypted"]
    file.write_bytes(os.urandom(4096))
    with pytest.raises(FormatError), opened_database(file):
        pass
