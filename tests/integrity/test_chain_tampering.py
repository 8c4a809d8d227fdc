"""Whatever is changed behind the engine is found, and told without content."""

import apsw
import pytest

from lifelong.integrity import PROBLEMS_MAX

KEYS = {
    "session": "no",
    "message": "seq",
    "memory": "seq",
    "memory_parent": "memory_id",
    "memory_history": "seq",
    "state": "name",
    "file": "path",
    "file_version": "seq",
    "file_parent": "parent_id",
    "tombstone": "id",
    "legal_hold": "id",
}
LEFT_OUT = {
    "session": {"last_seq"},  # made from the messages
    "memory": {"last_used_at", "uses", "screened_with"},  # of no consequence for what it says
    "file": {"read_at"},
}
NAMES = {
    "session": "session number",
    "message": "message number",
    "memory": "memory number",
    "memory_parent": "a parent of a memory",
    "memory_history": "in the history of a memory",
    "state": "state ",
    "file": "text number",
    "file_version": "old text number",
    "file_parent": "a parent of a file",
    "tombstone": "a tombstone",
    "legal_hold": "legal hold",
}
EDITS = {
    "integer": "{c} + 100",
    "text": "{c} || ' '",
    "blob": "randomblob(8)",
    "null": "7",
    "real": "1",
}
CONTENT = ("tea", "soup", "salt", "coffee", "calm", "lake", "Kitchen", "likes files", "a case")


def columns_of(connection, table):
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})").fetchall()]


def one_row(table):
    """Say which row is edited: one that is not the first."""
    key = KEYS[table]
    return (
        f"rowid = (SELECT max(rowid) FROM {table})"
        if key in ("seq", "no")
        else (f"{key} = (SELECT max({key}) FROM {table})")
    )


def test_a_store_that_nobody_touched_is_intact(stored):
    found = stored.verify(stored.head)
    assert found.problems == ()
    assert found.is_intact
    assert found.head == stored.head
    assert found.entries == int(stored.head.partition(":")[0]) > 40
    assert found.is_keyed == ("key" in stored.options)


@pytest.mark.parametrize("table", KEYS)
def test_a_change_of_any_column_is_found(stored, tmp_path, table):
    with stored.raw() as connection:
        columns = columns_of(connection, table)
    assert len(columns) >= 3
    copy = stored.save(tmp_path / "copy")
    for column in columns:
        with stored.raw() as connection:
            connection.pragma("ignore_check_constraints", 1)
            where = one_row(table)
            [(kind,)] = connection.execute(
                f"SELECT typeof({column}) FROM {table} WHERE {where} LIMIT 1"
            ).fetchall()
            connection.execute(
                f"UPDATE {table} SET {column} = {EDITS[kind].format(c=column)} WHERE {where}"
            )
            assert connection.changes() == 1
        problems = stored.problems()
        if column in LEFT_OUT.get(table, ()):
            assert problems == (), column
        else:
            assert any(NAMES[table] in each for each in problems), (column, problems)
            assert len(problems) <= 4, (column, problems)
            assert not [word for word in CONTENT if word in " ".join(problems)]
        stored.put_back(copy)


@pytest.mark.parametrize("table", KEYS)
def test_a_text_that_became_bytes_is_found(stored, tmp_path, table):
    """Also bytes that are no text in any encoding."""
    with stored.raw() as connection:
        columns = columns_of(connection, table)
        where = one_row(table)
        row = connection.execute(f"SELECT * FROM {table} WHERE {where}").fetchall()[0]
    texts = [name for name, value in zip(columns, row, strict=True) if isinstance(value, str)]
    assert texts
    copy = stored.save(tmp_path / "copy")
    for column in sorted({*texts} - LEFT_OUT.get(table, set())):
        for value in (f"CAST({column} AS BLOB)", "CAST(x'ff00fe' AS TEXT)"):
            stored.tamper(f"UPDATE {table} SET {column} = {value} WHERE {where}")
            problems = stored.problems()
            assert any(NAMES[table] in each for each in problems), (column, value, problems)
            stored.put_back(copy)


@pytest.mark.parametrize("with_entries", [False, True])
@pytest.mark.parametrize("table", KEYS)
def test_a_row_that_was_removed_is_found(stored, table, with_entries):
    """Also when its entry goes with it, or is only blanked."""
    with stored.raw() as connection:
        newest = "SELECT max(no) FROM chain WHERE what = ? AND ref IS NOT NULL"
        [(entry,)] = connection.execute(newest, (table,)).fetchall()
        connection.execute(f"DELETE FROM {table} WHERE {one_row(table)}")
        assert connection.changes() == 1
        if with_entries:
            connection.execute("DELETE FROM chain WHERE no = ?", (entry,))
    problems = stored.problems()
    if with_entries:
        assert any(each.startswith("the chain ") for each in problems), problems
    else:
        assert any(f"{NAMES[table]}" in each and "was removed" in each for each in problems)


def test_a_removed_row_whose_entry_was_blanked_is_found(stored):
    stored.tamper(
        "UPDATE chain SET ref = NULL, mark = substr(mark, -32) WHERE what = 'message' AND ref = 3",
        "DELETE FROM message WHERE seq = 3",
    )
    assert stored.problems() == ("a row whose entry was blanked was removed behind the engine",)


@pytest.mark.parametrize("table", ["message", "memory_history", "file_version", "session"])
def test_a_row_that_was_put_in_is_found(stored, table):
    with stored.raw() as connection:
        names = [name for name in columns_of(connection, table) if name != KEYS[table]]
        copied = [f"{n} || 'x'" if n in ("id", "path") else n for n in names]
        copied = ["version + 100" if n == "version" else n for n in copied]
        connection.execute(
            f"INSERT INTO {table} ({', '.join(names)})"
            f" SELECT {', '.join(copied)} FROM {table} LIMIT 1"
        )
    problems = stored.problems()
    assert [("was put in behind the engine" in each) for each in problems] == [True], problems
    assert NAMES[table] in problems[0]


SWAPS = {
    "contents of messages": (
        (
            "UPDATE message SET payload = (SELECT group_concat(payload, '') FROM message AS o"
            " WHERE o.seq = 3 - message.seq) WHERE seq IN (1, 2)"
        ),
    ),
    "numbers of messages": (
        "UPDATE message SET seq = -seq WHERE seq IN (1, 2)",
        "UPDATE message SET seq = 3 + seq WHERE seq IN (-1, -2)",
    ),
    "ids of messages": (
        "UPDATE message SET id = id || '!' WHERE seq IN (1, 2)",
        "UPDATE message SET id = iif(seq = 1, 's1', 's0') WHERE seq IN (1, 2)",
    ),
    "numbers of messages, and their entries'": (
        "UPDATE message SET seq = -seq WHERE seq IN (1, 2)",
        "UPDATE message SET seq = 3 + seq WHERE seq IN (-1, -2)",
        "UPDATE chain SET ref = 3 - ref WHERE what = 'message' AND ref IN (1, 2)",
    ),
    "sessions of messages": ("UPDATE message SET session_no = 3 - session_no, id = id || 'x'",),
    "one message's session": ("UPDATE message SET session_no = 2 WHERE seq = 1",),
    "names of sessions": (
        "UPDATE session SET id = id || '!'",
        "UPDATE session SET id = iif(no = 1, 't', 's')",
    ),
    "texts of memories": (
        "UPDATE memory SET text_hash = randomblob(32)",
        (
            "UPDATE memory SET text = (SELECT o.text FROM memory AS o WHERE o.seq = 7 - memory.seq)"
            " WHERE seq IN (3, 4)"
        ),
    ),
    "entries of one kind": (
        "UPDATE chain SET no = -no WHERE no IN (2, 3)",
        "UPDATE chain SET no = 5 + no WHERE no IN (-2, -3)",
    ),
}


@pytest.mark.parametrize("statements", SWAPS.values(), ids=SWAPS)
def test_what_was_swapped_is_found(stored, statements):
    stored.tamper(*statements)
    assert stored.problems()


CHAIN = {
    "the end cut off": (
        "DELETE FROM message WHERE seq = (SELECT max(seq) FROM message)",
        (
            "DELETE FROM chain WHERE no >= (SELECT max(no) FROM chain WHERE what = 'message'"
            " AND ref IS NOT NULL)"
        ),
    ),
    "the end cut off, and the head made to fit": (
        "DELETE FROM legal_hold",
        "DELETE FROM chain WHERE what = 'legal_hold'",
        "UPDATE chain_head SET entries = (SELECT max(no) FROM chain)",
    ),
    "an entry that ends another": (
        "DELETE FROM state WHERE name = 'mood'",
        (
            "INSERT INTO chain (no, ends) SELECT max(no) + 1, (SELECT no FROM chain"
            " WHERE what = 'state' AND ref = 'mood') FROM chain"
        ),
        "UPDATE chain SET ref = NULL, mark = substr(mark, -32) WHERE ref = 'mood'",
        "UPDATE chain_head SET entries = entries + 1",
    ),
    "an entry that ends one after it": ("UPDATE chain SET ends = no + 1 WHERE ends IS NOT NULL",),
    "an entry that ends a word": ("UPDATE chain SET ends = 'x' WHERE ends IS NOT NULL",),
    "an entry for a row that was put in": (
        "INSERT INTO state VALUES ('new', '1', 0)",
        (
            "INSERT INTO chain (no, what, ref, mark) SELECT max(no) + 1, 'state', 'new',"
            " randomblob(48) FROM chain"
        ),
        "UPDATE chain_head SET entries = entries + 1",
    ),
    "a commitment": ("UPDATE chain SET mark = randomblob(32) WHERE length(mark) = 32",),
    "a mark": ("UPDATE chain SET mark = randomblob(48) WHERE no = 2",),
    "a mark that is a number": ("UPDATE chain SET mark = 7 WHERE no = 2",),
    "a mark that is gone": ("UPDATE chain SET mark = NULL WHERE no = 2",),
    "the table of an entry": ("UPDATE chain SET what = 'nothing' WHERE no = 2",),
    "an entry far away": ("UPDATE chain SET no = 9000000000000000000 WHERE no = 2",),
    "an entry before the first": ("UPDATE chain SET no = -5 WHERE no = 2",),
    "what is linked together": ("UPDATE chain SET is_linked = 1 - is_linked WHERE no < 9",),
    "no links": ("UPDATE chain SET is_linked = 0",),
    "entries after the head": ("INSERT INTO chain (is_linked, ends) VALUES (0, 1)",),
    "the head": ("UPDATE chain_head SET link = randomblob(32)",),
    "the head, a word": ("UPDATE chain_head SET link = 'x', entries = 'y'",),
    "the head, none": ("DELETE FROM chain_head",),
    "all entries": ("DELETE FROM chain",),
    "all entries, and the head made to fit": (
        "DELETE FROM chain",
        "UPDATE chain_head SET entries = 0, link = zeroblob(32)",
    ),
}


@pytest.mark.parametrize("statements", CHAIN.values(), ids=CHAIN)
def test_a_change_of_the_chain_is_found(stored, statements):
    stored.tamper(*statements)
    found = stored.verify(stored.head)
    assert found.problems
    assert not found.is_intact


SCHEMA = {
    "a trigger that is gone": "DROP TRIGGER message_chained",
    "a trigger of a stranger": (
        "CREATE TRIGGER mine AFTER INSERT ON message BEGIN DELETE FROM state; END"
    ),
    "a view that shows no row": (
        "DROP VIEW chained; CREATE VIEW chained AS SELECT 1 AS what, 2 AS ref, 3 AS entry,"
        " 4 AS is_whole WHERE 0"
    ),
    "a view that hides memories": (
        "DROP VIEW memory_live; CREATE VIEW memory_live AS SELECT * FROM memory WHERE seq > 2"
    ),
    "a view that is gone": "DROP VIEW message_marked",
    "a view of a stranger": "CREATE VIEW mine AS SELECT 1",
    "an index that is gone": "DROP INDEX memory_live_text",
    "no head": "DROP TABLE chain_head",
    "no chain": "DROP TABLE chain",
}


@pytest.mark.parametrize("statement", SCHEMA.values(), ids=SCHEMA)
def test_a_change_of_triggers_and_views_is_found(stored, statement):
    with stored.raw(keeps_triggers=True) as connection:
        connection.execute(statement)
    problems = stored.problems()
    assert any("trigger, view or index" in each or "is missing" in each for each in problems), (
        problems
    )


def test_without_the_key_nothing_can_be_written_while_the_triggers_are_there(stored):
    for statement in ("UPDATE message SET trust = 3", "DELETE FROM memory", "DELETE FROM state"):
        with (
            stored.raw(keeps_triggers=True) as connection,
            pytest.raises(apsw.SQLError, match="no such function"),
        ):
            connection.execute(statement)
    assert stored.verify().is_intact


def test_a_row_that_was_put_back_to_what_it_was_is_found(stored):
    """With its old entry and the random bytes of that: each of them was genuine once."""
    with stored.raw() as connection:
        before = connection.execute("SELECT no, ref, mark FROM chain").fetchall()
        [old] = connection.execute("SELECT value, updated_at FROM state WHERE name = 'plan'")
    stored.clock.advance(minutes=1)
    with stored.open() as engine:
        engine.owner("ana").set("plan", {"step": 2})
    with stored.raw() as connection:
        connection.execute("UPDATE state SET value = ?, updated_at = ? WHERE name = 'plan'", old)
        connection.execute("UPDATE chain SET ref = NULL WHERE what = 'state' AND ref = 'plan'")
        for no, ref, mark in before:
            connection.execute("UPDATE chain SET ref = ?, mark = ? WHERE no = ?", (ref, mark, no))
    assert stored.problems() == (
        "state 'plan' was put back to what it had been behind the engine",
        "a row whose entry was blanked was removed behind the engine",
    )


def test_a_file_that_was_put_back_whole_is_found_by_a_later_head(stored, tmp_path):
    copy = stored.save(tmp_path / "older")
    with stored.open() as engine:
        owner = engine.owner("ana")
        owner.remember("ana rows")
        later = owner.verify(stored.head)
        assert later.is_intact
    assert stored.verify(later.head).is_intact
    stored.put_back(copy)
    assert stored.verify().is_intact  # nothing in it can tell
    assert "was put back" in stored.verify(later.head).problems[0]
    with stored.open() as engine:  # and went on
        for n in range(later.entries):
            engine.owner("ana").set("n", n)
    assert stored.verify(stored.head).is_intact
    found = stored.verify(later.head)
    assert [("was put back" in each) for each in found.problems] == [True]


def test_rows_of_another_owner_are_found(stored):
    tables = [*KEYS, "chain", "chain_head"]
    with stored.raw("bo") as connection:
        rows = {t: connection.execute(f"SELECT * FROM {t}").fetchall() for t in tables}
    with stored.raw() as connection:
        for table, values in rows.items():
            connection.execute(f"DELETE FROM {table}")
            marks = ", ".join("?" * len(values[0]))
            connection.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
    problems = stored.verify(stored.head).problems
    assert problems
    if stored.verify().is_keyed:
        assert stored.problems()


def test_a_later_change_by_the_engine_does_not_hide_it(stored):
    """What was changed, put in or removed behind the engine stays found."""
    stored.tamper("UPDATE memory SET text = 'ana pays' WHERE seq = 4")
    stored.tamper("DELETE FROM state WHERE name = 'mood'")
    stored.tamper("UPDATE session SET source = 'trusted' WHERE no = 1")
    with stored.raw() as connection:
        connection.execute("INSERT INTO state VALUES ('put in', '1', 0)")
    with stored.open() as engine:
        owner = engine.owner("ana")
        [changed] = [memory for memory in owner.memories() if memory.text == "ana pays"]
        owner.update(changed.id, importance=2)
        owner.set("mood", "wild")
        owner.set("put in", 2)
        owner.session("s").describe(title="Another")
        problems = owner.verify().problems
    assert len(problems) == 4, problems
    for name in ("session number 1", "memory number 4", "state 'mood'", "state 'put in'"):
        assert any(each.startswith(name) for each in problems), problems


def test_what_was_tampered_with_can_be_forgotten(stored):
    """Then nothing of it is left, and nothing is wrong with what is."""
    stored.tamper("UPDATE memory SET text = 'ana pays' WHERE seq = 4")
    with stored.open() as engine:
        owner = engine.owner("ana")
        owner.forget(match="ana pays")
        assert owner.verify(stored.head).problems == ()


def test_many_problems_are_told_up_to_a_limit(stored):
    with stored.raw() as connection:
        connection.executemany(
            "INSERT INTO state VALUES (?, '1', 0)", [(f"n{n}",) for n in range(PROBLEMS_MAX + 50)]
        )
    assert len(stored.problems()) == PROBLEMS_MAX


def test_a_text_is_compared_to_its_end(stored):
    """Also after the character that ends a text in C."""
    with stored.open() as engine:
        owner = engine.owner("ana")
        owner.session("s").describe(title="a\0b")
        owner.remember("one\0two", metadata={"n": "x\0y"})
        assert owner.verify().is_intact
    stored.tamper("UPDATE session SET title = 'a' || char(0) || 'c' WHERE id = 's'")
    assert ["session number 1" in each for each in stored.problems()] == [True]
