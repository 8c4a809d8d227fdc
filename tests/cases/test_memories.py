"""Cases of the kinds dedupe, supersession and update-consistency."""

from contextlib import suppress
from datetime import timedelta

import pytest

import lifelong
from lifelong import ManualClock
from lifelong.conformance import said, texts
from lifelong.errors import MemoryConflict, NotFound

THREADS = 10


def test_d24_many_writers_of_one_fact_store_it_once(place):
    def remember(engine, number):
        done = engine.owner("ann").remember("likes green tea")
        other = engine.owner("bo").remember("likes green tea") if number == 0 else None
        return done.id, done.outcome, other and other.outcome

    done = place.crowd(4 * THREADS if place.directory is None else 8, remember)
    assert len({memory_id for memory_id, _, _ in done}) == 1
    assert [outcome for _, outcome, _ in done].count("stored") == 1
    assert {outcome for _, _, outcome in done} == {"stored", None}
    assert len(place.engine.owner("ann").memories()) == 1
    assert len(place.engine.owner("bo").memories()) == 1


def test_d24_variant_the_loser_learns_what_is_kept(place):
    first = place.owner.remember("Likes green tea", importance=8, metadata={"a": 1}, key="tea")
    again = place.beside().remember("likes GREEN tea", importance=2, metadata={"b": 2})
    assert again.outcome == "duplicate_of"
    assert again.memory == first.memory
    assert place.owner.history(first.id) == place.beside().history(first.id)
    assert len(place.owner.history(first.id)) == 1


DIFFERENT = [
    ("Rent is due on day 3", "Rent is due on day 13"),
    ("Server runs v2.1.0", "Server runs v2.1.1"),
    ("Budget is 40k", "Budget is 400k"),
    ("Lea is allergic to nuts", "Lea is not allergic to nuts"),
    ("Balance is -5", "Balance is 5"),
    ("It costs 5 €", "It costs 5 $"),
    ("C", "C++"),
]


def test_d24_variant_what_differs_in_a_mark_is_another_fact(place):
    every = [text for pair in DIFFERENT for text in pair]
    assert [place.owner.remember(text).outcome for text in every] == ["stored"] * len(every)
    assert texts(place.owner.memories()) == every


def test_d26_a_contradiction_leaves_the_new_fact(place):
    owner = place.owner
    old = owner.remember("Sam likes spicy food")
    place.clock.advance(days=1)
    new = owner.remember("Sam no longer likes spicy food", supersedes=[old.id])
    assert (new.outcome, new.supersedes) == ("supersedes", (old.id,))
    assert texts(owner.memories()) == ["Sam no longer likes spicy food"]
    assert texts(owner.recall("spicy food")) == ["Sam no longer likes spicy food"]
    kept = owner.memory(old.id, include_superseded=True)
    assert (kept.superseded_by, kept.recorded_at) == (new.id, old.memory.recorded_at)
    assert [version.at for version in owner.history(old.id)] == [
        old.memory.recorded_at,
        place.clock.now(),
    ]


def test_d26_variant_one_bad_id_changes_nothing(place):
    owner = place.owner
    first, second = owner.remember("one").id, owner.remember("two").id
    with pytest.raises(NotFound):
        owner.remember("three", supersedes=[first, second, f"mem_{0:032x}"])
    assert texts(place.reopen().memories()) == ["one", "two"]
    assert place.owner.recall("three").nothing_relevant


def test_d26_variant_replacing_with_what_is_already_known(place):
    # The wish to replace is not lost because the new fact happens to be there already.
    owner = place.owner
    old = owner.remember("Office is in Lund")
    there = owner.remember("Office is in Malmo")
    again = owner.remember("office is in Malmo", supersedes=[old.id])
    assert again.id == there.id
    assert texts(owner.memories()) == ["Office is in Malmo"]


def test_d26_variant_a_key_with_what_is_already_known(place):
    owner = place.owner
    owner.remember("in Malmo")
    owner.remember("in Lund", key="home")
    owner.remember("in Malmo", key="home")
    assert texts(owner.memories()) == ["in Malmo"]


def test_d26_variant_a_memory_does_not_replace_itself(place):
    owner = place.owner
    first = owner.remember("in Lund", key="home")
    again = owner.remember("in Lund", key="home", supersedes=[first.id])
    assert (again.id, again.supersedes) == (first.id, ())
    assert texts(owner.memories()) == ["in Lund"]


def test_d27_a_replaced_fact_is_in_no_read(place):
    owner = place.owner
    a = owner.remember("Office is in Lund", kind="fact")
    b = owner.remember("Office is in Malmo", kind="fact", supersedes=[a.id])
    assert texts(owner.recall("office")) == ["Office is in Malmo"]
    assert texts(owner.recall("Lund")) == []
    assert texts(owner.memories()) == ["Office is in Malmo"]
    assert "Lund" not in owner.known().text
    with pytest.raises(NotFound):
        owner.memory(a.id)
    for shown in (
        owner.memories(include_superseded=True),
        [hit.memory for hit in owner.recall("office", include_superseded=True).hits],
    ):
        assert {memory.id: memory.superseded_by for memory in shown} == {a.id: b.id, b.id: None}


def test_d27_variant_in_a_chain_and_with_the_successor_gone(place):
    owner = place.owner
    a = owner.remember("Office is in Lund")
    b = owner.remember("Office is in Malmo", supersedes=[a.id])
    c = owner.remember("Office is in Kiel", supersedes=[b.id])
    assert texts(owner.recall("office")) == ["Office is in Kiel"]
    owner.forget(c.id)
    # What was replaced stays replaced, even when what replaced it is gone.
    assert texts(owner.recall("office")) == []
    assert owner.check().is_clean
    assert owner.remember("Office is in Lund").outcome == "stored"


def test_d27_variant_with_the_successor_expired(place):
    owner = place.owner
    a = owner.remember("Office is in Lund")
    soon = place.clock.now() + timedelta(hours=1)
    owner.remember("Office is in Malmo", supersedes=[a.id], expires_at=soon)
    place.clock.advance(hours=2)
    assert texts(owner.recall("office")) == []
    assert owner.memories() == []


def test_d36_old_words_are_not_found_after_an_update(place):
    owner = place.owner
    kept = owner.remember("plays the oboe")
    owner.update(kept.id, "plays the cello")
    assert texts(owner.recall("oboe")) == []
    assert texts(owner.recall("cello")) == ["plays the cello"]
    assert owner.check().is_clean
    owner.forget(kept.id)
    assert texts(owner.recall("cello")) == []
    assert place.reopen().check().is_clean


def test_d36_variant_texts_of_other_lengths(place):
    # From one passage to many and back: each row of the index is replaced.
    owner = place.owner
    kept = owner.remember("zebra")
    long_text = "Nothing of note was said. " * 300 + "The word is giraffe."
    for text in (long_text, "zebra again", long_text + " And okapi.", "end"):
        owner.update(kept.id, text)
        assert owner.check().is_clean
    for gone in ("zebra", "giraffe", "okapi", "nothing"):
        assert owner.recall(gone, tokens_max=10**6).nothing_relevant
    assert owner.stats()["memory_passage"] == 1


def test_d36_variant_an_update_that_is_refused_leaves_the_index(place):
    owner = place.owner
    owner.remember("plays the cello")
    kept = owner.remember("plays the oboe")
    with pytest.raises(MemoryConflict):
        owner.update(kept.id, "Plays the cello")
    with pytest.raises(ValueError, match="importance"):
        owner.update(kept.id, "plays the flute", importance=99)
    assert texts(owner.recall("oboe")) == ["plays the oboe"]
    assert texts(owner.recall("flute")) == []
    assert len(owner.history(kept.id)) == 1


def test_d51_an_update_keeps_what_it_does_not_name(place):
    owner = place.owner
    expires = place.clock.now() + timedelta(days=30)
    kept = owner.remember(
        "plays chess",
        namespace=("a", "b"),
        metadata={"category": "hobby", "priority": 2, "tags": ["x"]},
        expires_at=expires,
    ).memory
    place.clock.advance(days=1)
    owner.update(kept.id, "plays go")
    found = place.reopen().memory(kept.id)
    assert found.metadata == kept.metadata
    assert (found.namespace, found.expires_at) == (("a", "b"), expires)
    assert (found.recorded_at, found.updated_at) == (kept.recorded_at, place.clock.now())
    place.owner.update(kept.id, metadata={"priority": 3})
    found = place.owner.memory(kept.id)
    assert found.metadata == {"category": "hobby", "priority": 3, "tags": ["x"]}
    assert found.text == "plays go"


def test_d51_variant_naming_a_time_as_none_removes_it(place):
    owner = place.owner
    kept = owner.remember("x", expires_at="2026-02-01T00:00:00Z", valid_to="2026-02-01T00:00:00Z")
    assert owner.update(kept.id, expires_at=None).valid_to is not None
    place.clock.advance(days=90)
    with pytest.raises(NotFound):
        owner.update(kept.id, "y")
    assert owner.memory(kept.id, include_superseded=True).expires_at is None


def test_d51_variant_two_updates_between_reading_and_writing(place, monkeypatch):
    # Another update lands after the first has read the memory, and before it writes.
    owner = place.owner
    kept = owner.remember("x", metadata={"n": 0})
    store = type(owner._store.memories)
    write, waiting = store.update, [True]

    def update(self, *args, **options):
        if waiting:
            waiting.clear()
            place.beside().update(kept.id, importance=9, metadata={"other": 2})
        return write(self, *args, **options)

    monkeypatch.setattr(store, "update", update)
    owner.update(kept.id, metadata={"mine": 1})
    found = owner.memory(kept.id)
    assert found.metadata == {"n": 0, "mine": 1, "other": 2}
    assert found.importance == 9


def test_d51_variant_the_words_of_a_message_do_not_change_a_memory(place):
    owner = place.owner
    kept = owner.remember("plays chess", metadata={"a": 1})
    owner.session("s").append(said("plays chess"))
    owner.forget(session="s")
    assert owner.memory(kept.id) == kept.memory


def test_d24_variant_engines_with_one_seed_do_not_mix_memories(place, tmp_path):
    # Ids made from a seed repeat after a restart: that is an error, never a mixed-up memory.
    if place.directory is None:
        return
    for text in ("first", "second"):
        with lifelong.open(tmp_path / "seeded", clock=ManualClock(seed=1)) as engine:
            with suppress(lifelong.LifelongError):
                engine.owner("a").remember(text)
            assert "first" in texts(engine.owner("a").memories())
            assert engine.owner("a").check().is_clean
