"""Sessions of the OpenAI Agents SDK, written by it and read without it."""

import asyncio
import json

import pytest
from agents import SQLiteSession
from agents.extensions.memory import AdvancedSQLiteSession, EncryptedSession
from foreign_stores import TURN, agents_store, execute

import lifelong
from lifelong.transcripts.events import BrokenLine, SaidMessage, SessionStart
from lifelong.transcripts.openai_agents import read

TABLE = "CREATE TABLE agent_messages (id INTEGER PRIMARY KEY, session_id, message_data, created_at)"
INSERT = "INSERT INTO agent_messages (session_id, message_data) VALUES (?, ?)"


def said(events):
    return [
        (each.session_id, each.message.text) for each in events if isinstance(each, SaidMessage)
    ]


def broken(events):
    return [each.reason for each in events if isinstance(each, BrokenLine)]


def test_a_session_comes_whole(tmp_path):
    start, *events = read(agents_store(tmp_path / "s.db"))
    assert start == SessionStart("support", "Where is order A-7781?", "openai-agents")
    assert [event.message.raw for event in events] == TURN
    assert [event.message.role for event in events] == ["user", "assistant", "tool", "assistant"]
    assert {event.message.format for event in events} == {"responses"}
    assert all(event.message.sent_at.utcoffset().total_seconds() == 0 for event in events)
    assert len({event.message.id for event in events}) == 4


def test_any_names_of_tables_and_many_sessions(tmp_path):
    file = agents_store(tmp_path / "s.db", sessions_table="a_s", messages_table="a_m")
    agents_store(file, "other", TURN[:1], sessions_table="a_s", messages_table="a_m")
    agents_store(file, "third", TURN[:1])
    found = {name for name, _ in said(read(file))}
    assert found == {"support", "other", "third"}


def test_what_its_user_took_back_does_not_come(tmp_path):
    session = SQLiteSession("s", tmp_path / "s.db")

    async def talk():
        await session.add_items(TURN)
        await session.pop_item()

    asyncio.run(talk())
    session.close()
    assert len(said(read(tmp_path / "s.db"))) == 3


def test_each_branch_is_a_session_with_what_only_it_has(tmp_path):
    session = AdvancedSQLiteSession(session_id="s", db_path=tmp_path / "s.db", create_tables=True)

    def turn(question, answer):
        return [
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        ]

    async def talk():
        await session.add_items(turn("one", "1"))
        await session.add_items(turn("two", "2"))
        await session.create_branch_from_turn(2, "again")
        await session.add_items(turn("two again", "22"))

    asyncio.run(talk())
    session.close()
    found = said(read(tmp_path / "s.db"))
    main = [text for name, text in found if name == "s"]
    branch = [text for name, text in found if name == "s/again"]
    assert main == ["one", "1", "two", "2"]
    assert branch == ["two again", "22"]


def test_what_is_encrypted_is_counted(tmp_path):
    file = agents_store(tmp_path / "s.db", "plain", TURN[:1])
    inner = SQLiteSession("secret", file)
    session = EncryptedSession("secret", inner, encryption_key="k" * 32)
    asyncio.run(session.add_items(TURN))
    inner.close()
    events = list(read(file))
    assert said(events) == [("plain", "Where is order A-7781?")]
    assert broken(events) == ["4 rows of session secret are encrypted by EncryptedSession"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("{", "row 2: not JSON: "),
        ("[]", "row 2: it holds no JSON object"),
        ('"x"', "row 2: it holds no JSON object"),
        (None, "row 2: it holds no JSON"),
        (7, "row 2: it holds no JSON"),
        ("[" * 100_000, "row 2: nested too deep"),
        ('{"content": "x"}', "row 2: "),
        ('{"role": 3, "content": "x"}', "row 2: "),
    ],
)
def test_a_row_that_is_no_item_is_reported_and_stops_nothing(tmp_path, data, reason):
    file = agents_store(tmp_path / "s.db", "s", TURN[:1])
    execute(file, "DROP TABLE agent_messages")
    good = json.dumps(TURN[0])
    execute(file, TABLE, (INSERT, ("s", good)), (INSERT, ("s", data)), (INSERT, ("s", good)))
    events = list(read(file))
    assert len(said(events)) == 2
    assert [each[: len(reason)] for each in broken(events)] == [reason]


@pytest.mark.parametrize("name", ["", " ", "a\x1b[2J", "x" * 600, b"\xff", 2.5, None])
def test_a_session_without_a_usable_name_is_reported(tmp_path, name):
    file = execute(
        agents_store(tmp_path / "s.db", "s", TURN[:1]),
        "DROP TABLE agent_messages",
        TABLE,
        (INSERT, (name, json.dumps(TURN[0]))),
    )
    [event] = read(file)
    assert event == BrokenLine(str(file), 0, "row 1: its session id cannot be a name")


def test_another_table_is_none(tmp_path):
    file = execute(tmp_path / "s.db", "CREATE TABLE agent_messages (id, session_id)")
    assert broken(read(file)) == ["there is no table of messages in it"]


def test_it_is_imported_once_and_forgotten_once(tmp_path):
    (tmp_path / "in").mkdir()
    file = agents_store(tmp_path / "in" / "s.db")
    execute(tmp_path / "in" / "other.db", "CREATE TABLE notes (id)")
    with lifelong.open("memory:", embedder="off") as engine:
        ana = engine.owner("ana")
        first = ana.import_transcripts("openai-agents", tmp_path / "in")
        assert (first.files, first.sessions, first.added, first.broken) == (1, 1, 4, ())
        assert ana.import_transcripts("openai-agents", file).duplicates == 4
        [info] = ana.sessions()
        assert (info.id, info.title, info.source) == (
            "support",
            "Where is order A-7781?",
            "openai-agents",
        )
        ana.forget(session="support")
        again = ana.import_transcripts("openai-agents", file)
        assert (again.added, again.forgotten) == (0, 4)
        assert "A-7781" not in "".join(ana.export())


def test_equal_ids_in_two_files_are_two_messages(tmp_path):
    """The SDK counts rows from 1 in each file, and both are called the same."""
    one = agents_store(tmp_path / "1.db", "s", [{"role": "user", "content": "tea"}])
    two = agents_store(tmp_path / "2.db", "s", [{"role": "user", "content": "jazz"}])
    with lifelong.open("memory:", embedder="off") as engine:
        ana = engine.owner("ana")
        for file in (one, two):
            assert ana.import_transcripts("openai-agents", file).broken == ()
        assert [each.text for each in ana.session("s").messages()] == ["tea", "jazz"]
