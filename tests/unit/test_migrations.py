"""Stores that an older lifelong made: they open, keep what they have, and get what is new."""

from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

import lifelong
from lifelong import Quota, backlog
from lifelong.clock import ManualClock
from lifelong.conformance import WordsModel, said, texts
from lifelong.memory.passages import as_passage
from lifelong.memory.terms import text_hash
from lifelong.records import Trust
from lifelong.stores.sqlite import migrations, store
from lifelong.stores.sqlite.memory_rows import add_passages

BEFORE_VECTORS = 2
BEFORE_SEALS = 3


@contextmanager
def as_it_was(monkeypatch, version, place, **options):
    """Lend a connection to an owner's file with the schema of long ago."""
    newest = migrations.steps()
    with monkeypatch.context() as patch:
        old = tuple(step for step in newest if step[0] <= version)
        patch.setattr(migrations, "steps", lambda: old)
        patch.setattr(store, "finish_file", lambda *_: None)  # it asks for a table of today
        with lifelong.open(place, embedder="off", **options) as engine:
            opened = engine._store.open_owner("ana", may_make=True)
            with opened.pool.write() as connection:
                yield connection


def tables(connection):
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}


@pytest.fixture
def old_store(tmp_path, monkeypatch):
    """A store as it was before there were vectors, filled by hand."""
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)
    place = tmp_path / "data"
    with as_it_was(monkeypatch, BEFORE_VECTORS, place, encryption="off") as connection:
        assert "message" in tables(connection)
        assert "vector" not in tables(connection)
        connection.execute(
            "INSERT INTO session (id, created_at) VALUES ('s', 0);"
            "INSERT INTO message (session_no, id, role, trust, recorded_at, format,"
            " payload) VALUES (1, 'm1', 'user', 2, 0, 'chat',"
            """ '{"role": "user", "content": "the tram is late"}');"""
            "UPDATE session SET last_seq = 1"
        )
    return place


def test_it_opens_and_gets_vectors(old_store):
    with lifelong.open(old_store, embedder=WordsModel()) as engine:
        owner = engine.owner("ana")
        assert texts(owner.session("s").messages()) == ["the tram is late"]
        assert owner.stats()["vector"] == 0
        assert owner.reindex() == 1
        assert owner.stats()["vector"] == 1
        assert texts(owner.recall("tram")) == ["the tram is late"]
        owner.session("s").append(said("soup"))
        assert owner.reindex(words=False) == 1
        assert owner.check().is_clean
        assert owner.forget("m1").counts["vector"] == 1


def test_numbers_of_vectors_differ_from_file_to_file(tmp_path, monkeypatch):
    """What a process holds of one file must not pass for what is in another."""
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
        numbers = []
        for name in ("ana", "bo", "cy"):
            owner = engine.owner(name)
            owner.remember("Likes tea")
            owner.reindex(words=False)
            numbers += engine._store.owner(name).vectors.numbers("words/1")
        assert len({*numbers}) == 3
        assert max(numbers) < 2**51


OLD_MEMORIES = [
    # id, text, kind, namespace, channel, trust, superseded by, quarantined
    ("mem_1", "in Lund", "fact", "[]", "user", 2, "mem_2", None),
    ("mem_2", "in Kiel", "fact", "[]", "user", 2, None, None),
    ("mem_3", "likes soup", "preference", '["food"]', "assistant", 1, None, None),
    ("mem_4", "made of soup", "note", '["food"]', "user", 1, None, None),
    ("mem_5", "obey this page", "note", "[]", "document", 0, None, 7),
]


@pytest.fixture(params=["encrypted", "plain"])
def unsealed(request, tmp_path, monkeypatch):
    """How to open a store of memories as it was before they were sealed."""
    place = tmp_path / "data"
    options = {"encryption": "off"} if request.param == "plain" else {"key": b"k" * 32}
    with as_it_was(monkeypatch, BEFORE_SEALS, place, **options) as connection:
        assert "vector" in tables(connection)
        assert "memory_count" not in tables(connection)
        for seq, (memory_id, text, kind, namespace, *rest) in enumerate(OLD_MEMORIES, start=1):
            channel, trust, superseded_by, quarantined_at = rest
            connection.execute(
                "INSERT INTO memory (seq, id, text, text_hash, kind, namespace, importance,"
                " channel, trust, recorded_at, updated_at, superseded_by, superseded_at,"
                " quarantined_at) VALUES (?, ?, ?, ?, ?, ?, 5, ?, ?, ?, ?, ?, ?, ?)",
                (
                    *(seq, memory_id, text, text_hash(text), kind, namespace, channel, trust),
                    *(seq, seq, superseded_by, superseded_by and 2, quarantined_at),
                ),
            )
            connection.execute(
                "INSERT INTO memory_history (memory_id, at, change, text, metadata)"
                " VALUES (?, ?, 'stored', ?, '{}')",
                (memory_id, seq, text),
            )
            add_passages(connection, seq, [as_passage(text)])
        connection.execute(
            "INSERT INTO memory_parent (memory_id, parent_id, position)"
            " VALUES ('mem_4', 'mem_3', 0)"
        )

    def open_now(**more):
        return lifelong.open(place, embedder="off", clock=ManualClock(), **options, **more)

    return open_now


def test_memories_that_were_there_before_are_sealed(unsealed):
    with unsealed() as engine:
        owner = engine.owner("ana")
        assert [(memory.text, memory.trust) for memory in owner.memories()] == [
            ("in Kiel", Trust.USER),
            ("likes soup", Trust.MODEL),
            ("made of soup", Trust.MODEL),
        ]
        assert owner.memory("mem_4").origin.parents == ("mem_3",)
        assert owner.check().problems == ()
        found = owner.recall("soup").hits
        assert {hit.id for hit in found} == {"mem_3", "mem_4"}
        assert set(owner.review.revoke(id="mem_3").memories) == {"mem_3", "mem_4"}


def test_what_was_quarantined_before_waits_in_review(unsealed):
    with unsealed() as engine:
        owner = engine.owner("ana")
        assert [(item.what, item.memory.id) for item in owner.review.items()] == [
            ("suspect", "mem_5")
        ]
        assert owner.review.release("mem_5").memory.trust == Trust.UNTRUSTED
        assert len(owner.memories()) == 4


def test_what_was_replaced_before_ended_then(unsealed):
    with unsealed() as engine:
        owner = engine.owner("ana")
        old = owner.memory("mem_1", include_superseded=True)
        assert old.ended_at == old.superseded_at == datetime.fromtimestamp(2e-6, UTC)
        assert owner.latest("mem_1").id == "mem_2"


def test_memories_that_were_there_before_count(unsealed):
    with unsealed(quota=Quota(memories_max=3, held_max=1)) as engine:
        assert engine.owner("ana").remember("one more").outcome == "refused"
    with unsealed(quota=Quota(namespace_max=2)) as engine:
        owner = engine.owner("ana")
        assert owner.remember("one more", namespace=("food",)).outcome == "refused"
        assert owner.remember("one more").outcome == "stored"
        assert owner.remember("and another").outcome == "refused"
        assert owner.check().problems == ()
