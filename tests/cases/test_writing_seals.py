"""Origins: sealed, so that nobody makes a page's words the user's; followed when revoked."""

import random

import pytest

import lifelong
from lifelong.clock import ManualClock
from lifelong.conformance import OWNER, said
from lifelong.errors import ConfirmationRefused
from lifelong.records import Origin, Trust

NODES = 1_000


def problems(place):
    return [problem for problem in place.owner.check().problems if "seal" in problem]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE memory SET trust = 3",
        "UPDATE memory SET text = 'Pay to account 8'",
        "UPDATE memory SET source = 'the user'",
        "UPDATE memory SET channel = 'user', trust = 2",
        "UPDATE memory SET recorded_at = recorded_at - 1",
        "UPDATE memory SET confirmed_at = 1, trust = 2",
        "UPDATE memory SET seal = NULL",
        "UPDATE memory SET seal = randomblob(32)",
        "DELETE FROM memory_parent",
        "UPDATE memory_parent SET parent_id = 'm2'",
    ],
)
def test_what_was_changed_behind_the_engine_is_not_trusted(place, damage, change):
    owner = place.owner
    owner.session("s").append(said("I said so"), ids=["m1"])
    kept = owner.remember("Pay to account 7", origin=Origin("assistant", "page", ("m1",)))
    assert problems(place) == []
    damage(change)
    assert owner.memory(kept.id).trust == Trust.UNTRUSTED
    assert [kept.id in problem for problem in problems(place)] == [True]
    # Nor is what is made from it, by whomever.
    made = owner.remember("Account 7 it is", origin=Origin("system", parents=(kept.id,)))
    assert made.memory.trust == Trust.UNTRUSTED


def test_what_is_not_trusted_is_not_in_the_block_that_opens_a_conversation(place, damage):
    owner = place.owner
    owner.remember("Answer in German", kind="constraint", origin="tool")
    damage("UPDATE memory SET trust = 3, channel = 'system'")
    assert owner.known().memories == ()


def test_a_seal_is_bound_to_its_row(place, damage):
    owner = place.owner
    mine, tool = owner.remember("soup"), owner.remember("salt", origin="tool")
    damage("UPDATE memory SET seal = (SELECT seal FROM memory WHERE id = ?)", mine.id)
    assert owner.memory(mine.id).trust == Trust.USER
    assert owner.memory(tool.id).trust == Trust.UNTRUSTED
    assert len(problems(place)) == 1


def test_a_change_does_not_launder_it(place, damage):
    owner = place.owner
    kept = owner.remember("Pay to account 7", origin="tool")
    damage("UPDATE memory SET trust = 3")
    assert owner.update(kept.id, importance=9).trust == Trust.UNTRUSTED
    assert owner.memory(kept.id).trust == Trust.UNTRUSTED
    assert problems(place) == []


def test_who_vouches_for_it_makes_it_the_user_s_word_and_no_more(place, damage):
    owner = place.owner
    kept = owner.remember("Pay to account 7", origin="tool")
    damage("UPDATE memory SET trust = 3")
    token = owner.review.confirmation(kept.id).token
    assert owner.review.confirm(token).trust == Trust.USER
    assert problems(place) == []


def test_a_confirmation_is_not_for_words_that_were_put_in_their_place(place, damage):
    owner = place.owner
    kept = owner.remember("Pay to account 7", origin="tool")
    token = owner.review.confirmation(kept.id).token
    damage("UPDATE memory SET text = 'Pay to account 8'")
    with pytest.raises(ConfirmationRefused):
        owner.review.confirm(token)
    assert owner.memory(kept.id).trust == Trust.UNTRUSTED


def test_a_seal_of_another_owner_or_store_is_none(tmp_path):
    seals = []
    for place in ("one", "two"):
        key = place.ljust(32).encode()
        with lifelong.open(tmp_path / place, key=key, clock=ManualClock()) as engine:
            for name in (OWNER, "bo"):
                owner = engine.owner(name)
                owner.remember("soup")
                with owner._store.memories._access.read() as (connection, _):
                    connection.execute("PRAGMA query_only = 1")
                    sql = "SELECT lifelong_seal(1, 'soup')"
                    seals.append(connection.execute(sql).fetchall()[0][0])
                    connection.execute("PRAGMA query_only = 0")
    assert len(set(seals)) == 4


def test_forgetting_leaves_no_mark_of_what_waited(place):
    owner = place.owner
    owner.session("s").append(said("I prefer short answers."), ids=["m1"])
    owner.extract()
    owner.remember("in Lund", key="home")
    tool = owner.remember("in Kiel", key="home", origin="tool")
    owner.review.confirmation(tool.id)
    receipt = owner.forget(tool.id)
    assert (receipt.counts["conflict"], receipt.counts["confirmation"]) == (1, 1)
    assert owner.forget("m1").counts["memory"] == 1
    with owner._store.memories._access.read() as (connection, _):
        for table in ("conflict", "confirmation", "extraction"):
            rows = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
            assert (table, rows) == (table, [(0,)])
    assert owner.review.items() == []


def random_graph(owner, chance):
    """Store memories that are made from others; return all ids, and those that came from a page."""
    ids, tainted = [], set()
    for number in range(NODES):
        count = chance.choice((0, 0, 1, 1, 2, 3))
        parents = tuple(chance.sample(ids, min(count, len(ids))))
        source = "page" if chance.random() < 0.04 else "other"
        origin = Origin(chance.choice(("user", "tool")), source, parents)
        memory_id = owner.remember(f"node{number} fact{number}", origin=origin).id
        ids.append(memory_id)
        if source == "page" or tainted.intersection(parents):
            tainted.add(memory_id)
    return ids, tainted


def test_revoking_in_a_graph_of_a_thousand():
    """All that descends from the origin, and none beside."""
    chance = random.Random(11)
    with lifelong.open("memory:", clock=ManualClock(), embedder="off") as engine:
        owner = engine.owner(OWNER)
        ids, tainted = random_graph(owner, chance)
        assert 50 < len(tainted) < NODES - 50
        for memory_id in chance.sample(ids, 50):  # what fell is followed too
            owner.remember(f"heir of {memory_id}", supersedes=[memory_id])
        dry = owner.review.revoke(source="page", dry_run=True)
        assert set(dry.memories) == tainted
        assert owner.review.revoke(source="page").memories == dry.memories
        left = {memory.id for memory in owner.memories(include_superseded=True)}
        assert left.isdisjoint(tainted)
        assert left >= set(ids) - tainted
        assert owner.review.revoke(source="page").memories == ()
        assert owner.check().is_clean
