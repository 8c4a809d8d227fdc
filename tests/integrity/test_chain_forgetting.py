"""What was forgotten leaves entries that tell nothing of it, not even to who has the key."""

import pytest

import lifelong
from lifelong.clock import ManualClock
from lifelong.conformance import said
from lifelong.records import Origin
from lifelong.stores.sqlite.marks import NONCE_BYTES

ONE, OTHER = "Ana hides a violin", "Ana hides a ladder"


def written(where, text):
    """Return an engine with a store in which a text stands wherever one can."""
    engine = lifelong.open(where, encryption="off", embedder="off", clock=ManualClock())
    owner = engine.owner("ana")
    owner.session("s").append(said(text, "another line"), ids=["m1", "m2"])
    kept = owner.remember(f"{text} today", origin=Origin("user", text, ("m1",)))
    owner.update(kept.id, f"{text} tonight", metadata={"said": text})
    owner.set("plan", text)
    owner.files.write("/memories/a.md", text)
    owner.files.write("/memories/a.md", f"{text}, and more")
    return engine


def forgotten(engine, text):
    owner = engine.owner("ana")
    owner.set("plan", None)
    owner.forget(match=text)
    owner.forget("m2")
    return owner


def rows(owner, sql):
    with owner._store.log._access.read() as (connection, _):
        return connection.execute(sql).fetchall()


def nonces(owner):
    marks = rows(owner, "SELECT mark FROM chain WHERE length(mark) = 48")
    return {bytes(mark[:NONCE_BYTES]) for (mark,) in marks}


def test_the_random_bytes_of_what_was_forgotten_are_in_no_file(tmp_path):
    engine = written(tmp_path / "data", ONE)
    owner = engine.owner("ana")
    before = nonces(owner)
    assert len(before) >= 9
    gone = before - nonces(forgotten(engine, ONE))
    assert len(gone) >= 8
    assert owner.verify().is_intact
    engine.close()
    held = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert [nonce for nonce in gone if nonce in held] == []


def test_they_were_there_before(tmp_path):
    """So the test above looks in the right place."""
    engine = written(tmp_path / "data", ONE)
    before = nonces(engine.owner("ana"))
    engine.close()
    held = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert [nonce for nonce in before if nonce not in held] == []


def test_an_entry_of_what_was_forgotten_says_that_there_was_something_and_no_more(tmp_path):
    with written(tmp_path / "data", ONE) as engine:
        owner = forgotten(engine, ONE)
        left = rows(
            owner,
            "SELECT what, ref, length(mark), ends FROM chain WHERE no IN (SELECT ends FROM chain)",
        )
    assert {what for what, *_ in left} >= {
        *("session", "message", "memory", "memory_history", "memory_parent", "state"),
        *("file", "file_version"),
    }
    assert {row[1:] for row in left} == {(None, 32, None)}


def test_two_stores_that_forgot_different_words_have_the_same_chain_but_for_random_bytes(tmp_path):
    chains, marks = [], []
    for name, text in (("one", ONE), ("two", OTHER)):
        with written(tmp_path / name, text) as engine:
            owner = forgotten(engine, text)
            chains.append(
                rows(
                    owner,
                    "SELECT no, what, iif(what = 'tombstone', length(ref), ref), length(mark), ends"
                    " FROM chain ORDER BY no",
                )
            )
            found = rows(owner, "SELECT no, mark FROM chain WHERE mark IS NOT NULL")
            marks.append(dict(found))
            assert owner.verify().is_intact
    assert chains[0] == chains[1]
    assert len(chains[0]) > 20
    # With other random bytes each is another, whether the words were the same or not.
    assert [no for no in marks[0] if marks[0][no][-32:] == marks[1][no][-32:]] == []


@pytest.mark.parametrize("same", [ONE])
def test_the_same_words_leave_other_commitments_in_another_store(tmp_path, same):
    """So nobody can hold what is left against a guess."""
    left = []
    for name in ("one", "two"):
        with written(tmp_path / name, same) as engine:
            owner = forgotten(engine, same)
            left.append(dict(rows(owner, "SELECT no, mark FROM chain WHERE length(mark) = 32")))
    assert left[0].keys() == left[1].keys()
    assert {*left[0].values()}.isdisjoint(left[1].values())
    assert len(left[0]) >= 8


def test_a_forgetting_is_told_from_a_removal(tmp_path):
    with written(tmp_path / "data", ONE) as engine:
        owner = engine.owner("ana")
        owner.forget("m2")
        assert owner.verify().is_intact
        with owner._store.log._access.write() as connection:
            [(made,)] = connection.execute(
                "SELECT sql FROM sqlite_schema WHERE name = 'message_left_chain'"
            ).fetchall()
            connection.execute("DROP TRIGGER message_left_chain")
            connection.execute("DELETE FROM message WHERE id = 'm1'")
            connection.execute(made)
        assert owner.verify().problems == ("message number 1 was removed behind the engine",)


def test_words_that_a_rescan_takes_out_leave_no_random_bytes(tmp_path):
    from lifelong.memory.remember import Rules
    from lifelong.screening.policy import Screening

    secret = "my key is sk-ant-api03-" + "Zq7" * 31 + "AA"
    with lifelong.open(tmp_path / "data", encryption="off", embedder="off") as engine:
        lax = lifelong.Engine(
            engine._store,
            ManualClock(),
            embedder="off",
            rules=Rules(screening=Screening(secrets=False)),
        ).owner("ana")
        lax.session("s").append(said(secret), ids=["m1"])
        kept = lax.remember(secret)
        owner = engine.owner("ana")
        before = nonces(owner)
        assert owner.rescan().redacted == 2
        assert owner.verify().is_intact
        assert "sk-ant" not in owner.memory(kept.id).text
        gone = before - nonces(owner)
        assert len(gone) == 3  # of the message, of the memory, and of what it was
    held = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    assert [nonce for nonce in gone if nonce in held] == []
