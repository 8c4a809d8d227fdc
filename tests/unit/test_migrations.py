"""Stores that an older lifelong made: they open, keep what they have, and get what is new."""

import pytest

import lifelong
from lifelong import backlog
from lifelong.conformance import WordsModel, said, texts
from lifelong.stores.sqlite import migrations

BEFORE_VECTORS = 2


@pytest.fixture
def old_store(tmp_path, monkeypatch):
    """A store as it was before there were vectors, filled by hand."""
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)
    newest = migrations.steps()
    with monkeypatch.context() as patch:
        old = tuple(step for step in newest if step[0] <= BEFORE_VECTORS)
        patch.setattr(migrations, "steps", lambda: old)
        with lifelong.open(tmp_path / "data", encryption="off") as engine:
            store = engine._store
            opened = store.open_owner("ana", may_make=True)
            with opened.pool.write() as connection:
                names = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
                assert "message" in names
                assert "vector" not in names
                connection.execute(
                    "INSERT INTO session (id, created_at) VALUES ('s', 0);"
                    "INSERT INTO message (session_no, id, role, trust, recorded_at, format,"
                    " payload) VALUES (1, 'm1', 'user', 2, 0, 'chat',"
                    """ '{"role": "user", "content": "the tram is late"}');"""
                    "UPDATE session SET last_seq = 1"
                )
    return tmp_path / "data"


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
