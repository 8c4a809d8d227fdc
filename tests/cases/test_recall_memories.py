"""Recall of memories: what a filter leaves out takes nobody's place, and how they are ordered."""

from datetime import UTC, datetime, timedelta

import pytest

import lifelong
from lifelong import backlog
from lifelong.clock import ManualClock
from lifelong.conformance import WordsModel, said, texts
from lifelong.errors import InvalidTime
from lifelong.records import Trust

START = datetime(2026, 1, 1, tzinfo=UTC)
MANY = 200
WANTED = "Much was said about the weather, and then the tram came after all"


MEANS = {"vehicle": "tram", "carry": "lifting"}


class Translating(WordsModel):
    """A model that knows what words of a question mean, so that no word need be shared."""

    def embed_query(self, text):
        words = text.casefold().replace("?", "").split()
        return super().embed_query(" ".join(MEANS.get(word, word) for word in words))


@pytest.fixture(autouse=True)
def the_background_waits(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)


@pytest.fixture
def clock():
    return ManualClock(START)


@pytest.fixture(params=["words", "vectors"])
def tier(request):
    return request.param


@pytest.fixture
def owner(clock, tier):
    """An owner in memory: the filters are the same for every place."""
    model = "off" if tier == "words" else Translating()
    with lifelong.open("memory:", clock=clock, embedder=model) as engine:
        yield engine.owner("ana")


def many_trams(owner, **fields):
    """Remember what answers better, by words and by vectors, and is more important."""
    return [owner.remember(f"tram {number}", importance=10, **fields).id for number in range(MANY)]


def at(**later):
    return START + timedelta(**later)


def hidden_by_kind(owner, _clock):
    many_trams(owner, kind="fact")
    owner.remember(WANTED, kind="event", importance=1)
    return {"kinds": ["event", "note"]}


def hidden_by_namespace(owner, _clock):
    many_trams(owner, namespace=("ann", "work"))
    owner.remember(WANTED, namespace=("ann",), importance=1)
    return {"namespace": ("ann",)}


def hidden_beside_the_branch(owner, _clock):
    for number in range(MANY):
        namespace = [("ann", "work"), ("ann", "homes"), ("home", "ann"), ("ann",)][number % 4]
        owner.remember(f"tram {number}", importance=10, namespace=namespace)
    owner.remember(WANTED, namespace=("ann", "home", "street"), importance=1)
    return {"namespace": ("ann", "home"), "include_below": True}


def hidden_by_trust(owner, _clock):
    many_trams(owner, origin="document")
    owner.remember(WANTED, origin="assistant", importance=1)
    return {"trust_min": Trust.MODEL}


def hidden_by_metadata(owner, _clock):
    many_trams(owner, metadata={"line": 4, "of": {"a": 1}})
    owner.remember(WANTED, metadata={"line": 5, "of": {"a": 1}}, importance=1)
    return {"metadata": {"of": {"a": 1}, "line": 5}}


def hidden_as_no_longer_valid(owner, clock):
    many_trams(owner, valid_to=at(hours=1))
    owner.remember(WANTED, valid_to=at(hours=9), importance=1)
    clock.advance(hours=2)
    return {}


def hidden_as_expired(owner, clock):
    many_trams(owner, expires_at=at(hours=1))
    owner.remember(WANTED, importance=1)
    clock.advance(hours=2)
    return {"include_superseded": True}


def hidden_as_replaced(owner, _clock):
    replaced = many_trams(owner)
    owner.remember(WANTED, importance=1, supersedes=replaced)
    return {}


def hidden_as_not_yet_true(owner, _clock):
    many_trams(owner, valid_from=at(days=10))
    owner.remember(WANTED, valid_from=at(days=1), importance=1)
    return {"as_of": at(days=5)}


def hidden_as_true_no_more(owner, clock):
    many_trams(owner, valid_to=at(days=3))
    owner.remember(WANTED, valid_to=at(days=9), importance=1)
    clock.advance(days=20)
    return {"as_of": at(days=5)}


def hidden_as_not_yet_known(owner, clock):
    owner.remember(WANTED, importance=1)
    clock.advance(days=2)
    many_trams(owner)
    return {"known_at": at(days=1)}


def hidden_as_replaced_by_then(owner, clock):
    replaced = many_trams(owner)
    clock.advance(days=1)
    owner.remember(WANTED, supersedes=replaced, importance=1)
    clock.advance(days=1)
    return {"known_at": at(days=1)}


HIDING = [make for name, make in sorted(globals().items()) if name.startswith("hidden_")]


@pytest.mark.parametrize("hide", HIDING, ids=lambda hide: hide.__name__)
def test_a_filter_holds_before_the_limit(owner, clock, tier, hide):
    # Given 200 memories that answer better, and one that the filter lets through,
    narrowed = hide(owner, clock)
    owner.reindex(words=False)
    narrowed["sources"] = ["memory"]
    # when it is asked for by its word, and with a model by what it means, then it is found.
    for question in ("tram", "vehicle?") if tier != "words" else ("tram",):
        for is_generative in (False, True):
            found = owner.recall(question, limit=1, generative=is_generative, **narrowed)
            assert texts(found) == [WANTED], (question, is_generative)
    assert [memory.text for memory in owner.memories(**without(narrowed, "sources"))] == [WANTED]


def without(fields, name):
    return {key: value for key, value in fields.items() if key != name}


def test_without_the_filter_the_better_ones_come_first(owner, clock):
    hidden_by_kind(owner, clock)
    owner.reindex(words=False)
    assert texts(owner.recall("tram", limit=MANY + 1, tokens_max=10**6))[-1] == WANTED
    assert len(owner.recall("tram", limit=MANY + 1, tokens_max=10**6).hits) == MANY + 1


def test_a_word_that_nearly_all_have_is_found_behind_a_filter(monkeypatch):
    # Of a common word not all postings are read; what a filter leaves out must not use them up.
    monkeypatch.setattr("lifelong.stores.sqlite.words.POSTINGS_MAX", MANY // 2)
    with lifelong.open("memory:") as engine:
        owner = engine.owner("ana")
        for number in range(MANY):
            text = f"tram depot {number}" if number < 10 else f"tram {number}"
            owner.remember(text, namespace=("bo",))
        owner.remember(WANTED, namespace=("ann",))
        found = owner.recall("tram depot", limit=1, namespace=("ann",))
        assert texts(found) == [WANTED]


def test_a_namespace_that_nobody_has(owner):
    owner.remember("the tram", namespace=("ann",))
    owner.session("s").append(said("the tram"))
    owner.reindex(words=False)
    for narrowed in ({"namespace": ("an",)}, {"namespace": ("an",), "include_below": True}):
        found = owner.recall("tram", **narrowed)
        assert found.nothing_relevant
        assert found.reasons
        assert owner.memories(**narrowed) == []


def test_what_only_memories_have_asks_for_memories(owner):
    owner.remember("tram one", namespace=("ann",))
    owner.session("s").append(said("tram two"))
    moment = START.isoformat()
    for narrowed in ({"namespace": ("ann",)}, {"as_of": moment}, {"known_at": moment}):
        assert texts(owner.recall("tram", **narrowed)) == ["tram one"]
    assert {*texts(owner.recall("tram"))} == {"tram one", "tram two"}


@pytest.fixture
def moved(place):
    """Lives in Oslo until February, then in Bergen; recorded ten days late each time."""
    owner = place.owner
    for text, begins, recorded in [
        ("lives in Oslo", at(days=0), at(days=10)),
        ("lives in Bergen", at(days=31), at(days=41)),
    ]:
        place.clock.set(recorded)
        owner.remember(text, key="home", valid_from=begins)
    place.clock.set(at(days=60))
    return owner


@pytest.mark.parametrize(
    ("narrowed", "expected"),
    [
        ({}, ["Bergen"]),
        ({"include_superseded": True}, ["Bergen", "Oslo"]),
        # What was true then: Oslo ends when Bergen begins, however late that was told.
        ({"as_of": at(days=-1)}, []),
        ({"as_of": at(days=0)}, ["Oslo"]),
        ({"as_of": at(days=30)}, ["Oslo"]),
        ({"as_of": at(days=35)}, ["Bergen"]),
        ({"as_of": at(days=41)}, ["Bergen"]),
        ({"as_of": at(days=59)}, ["Bergen"]),
        # What was known then.
        ({"known_at": at(days=10, microseconds=-1)}, []),
        ({"known_at": at(days=10)}, ["Oslo"]),
        ({"known_at": at(days=41, microseconds=-1)}, ["Oslo"]),
        ({"known_at": at(days=41)}, ["Bergen"]),
        ({"known_at": at(days=59)}, ["Bergen"]),
        # Both: what we knew on day 20 of day 5; and of days before anything was recorded.
        ({"known_at": at(days=20), "as_of": at(days=5)}, ["Oslo"]),
        ({"known_at": at(days=20), "as_of": at(days=35)}, ["Oslo"]),
        ({"known_at": at(days=5), "as_of": at(days=5)}, []),
        ({"known_at": at(days=59), "as_of": at(days=5)}, []),
        # Four o'clock of 1 February in UTC, when it is still January there.
        ({"as_of": "2026-01-31T23:00:00-05:00"}, ["Bergen"]),
    ],
)
def test_then_and_now(moved, narrowed, expected):
    narrowed = {**narrowed, "sources": ["memory"]}
    found = sorted(
        text.removeprefix("lives in ") for text in texts(moved.recall("lives", **narrowed))
    )
    assert found == expected


def test_an_end_is_the_first_moment_that_is_not_meant(place):
    owner = place.owner
    owner.remember("tram pass", valid_from=at(days=1), valid_to=at(days=2))
    place.clock.set(at(days=9))
    assert texts(owner.recall("tram")) == []
    for moment, expected in [
        (at(days=1, microseconds=-1), []),
        (at(days=1), ["tram pass"]),
        (at(days=2, microseconds=-1), ["tram pass"]),
        (at(days=2), []),
    ]:
        assert texts(owner.recall("tram", as_of=moment)) == expected


def test_looking_back_brings_nothing_back_that_expired_or_was_forgotten(place):
    owner = place.owner
    owner.remember("tram pass one", expires_at=at(days=1))
    owner.forget(owner.remember("tram pass two").id)
    place.clock.set(at(days=2))
    for back in ({"as_of": START}, {"known_at": START}, {"as_of": START, "known_at": START}):
        assert owner.recall("tram", **back).nothing_relevant
        assert owner.memories(**back) == []


@pytest.mark.parametrize("name", ["as_of", "known_at"])
@pytest.mark.parametrize("moment", ["2026-01-01", "yesterday", datetime(2026, 1, 1), 5])  # noqa: DTZ001
def test_a_moment_without_an_offset_is_none(place, name, moment):
    place.owner.remember("tram")
    with pytest.raises(InvalidTime):
        place.owner.recall("tram", **{name: moment})


def trams(place):
    """Three memories of two words, recorded 1,000, 100 and 0 hours ago."""
    owner, now = place.owner, place.clock.now()
    for text, hours, importance in [
        ("tram depot", 1_000, 10),
        ("tram ticket", 100, 7),
        ("tram harbour", 0, 1),
    ]:
        place.clock.set(now - timedelta(hours=hours))
        owner.remember(text, importance=importance)
    place.clock.set(now)
    return owner


def summed(found):
    """Return what each hit is worth: the sum of its parts."""
    return [round(sum(part.amount for part in hit.parts), 5) for hit in found.hits]


def test_the_generative_order_by_hand(place):
    owner = trams(place)
    found = owner.recall("tram harbour?", generative=True, sources=["memory"])
    # .995 ** 100 = .605770, .995 ** 1000 = .006654; from the least to the most: 0, .603129, 1.
    # Importance: 1, 2 / 3, 0. Relevance: only the last has both words.
    assert texts(found) == ["tram harbour", "tram ticket", "tram depot"]
    assert summed(found) == [0.66667, 0.42327, 0.33333]
    assert {part.weight for hit in found.hits for part in hit.parts} == {1 / 3}


def test_without_the_option_the_old_important_one_is_before(place):
    # Importance .05 * .3 = .015 more; recency .05 * (2 ** (-100 / 2160) - 2 ** (-1000 / 2160))
    # = .05 * (.96842 - .72548) = .01215 less.
    owner = trams(place)
    expected = ["tram harbour", "tram depot", "tram ticket"]
    found = owner.recall("tram harbour?", sources=["memory"])
    assert texts(found) == expected
    assert found.hits[1].score > found.hits[2].score
    # And it stays so whatever the option noted.
    before = [hit.score for hit in found.hits]
    for _ in range(3):
        owner.recall("ticket", generative=True, sources=["memory"])
    again = owner.recall("tram harbour?", sources=["memory"])
    assert texts(again) == expected
    assert [hit.score for hit in again.hits] == before


def test_what_was_brought_back_is_recent_again(place):
    owner = trams(place)
    depot = owner.memories()[0].id
    # Given the oldest was brought back just now, and no other,
    assert texts(owner.recall("depot", generative=True, limit=1)) == ["tram depot"]
    # then recency is 1, 0, 1; importance 1, 2 / 3, 0; the words tell nothing, so .5.
    found = owner.recall("tram", generative=True, sources=["memory"])
    assert texts(found) == ["tram depot", "tram harbour", "tram ticket"]
    assert summed(found) == [0.83333, 0.5, 0.38889]
    assert owner.memory(depot).last_used_at == place.clock.now()


def test_without_that_the_one_in_the_middle_would_be_first(place):
    found = trams(place).recall("tram", generative=True, sources=["memory"], limit=1)
    assert texts(found) == ["tram ticket"]
    assert summed(found) == [0.58993]  # (.603129 + .666667 + .5) / 3


def test_only_what_comes_back_is_noted_as_used(place):
    owner = trams(place)
    owner.session("s").append(said("tram"))

    def used():
        return [memory.text for memory in owner.memories() if memory.last_used_at]

    owner.recall("tram", generative=True, limit=0)
    owner.recall("helicopter", generative=True)
    owner.recall("tram", generative=True, sources=["log"])
    assert used() == []
    owner.recall("tram", generative=True, sources=["memory"], limit=1)
    assert used() == ["tram ticket"]
    assert place.reopen().check().is_clean


def test_a_use_is_no_change(place):
    owner = trams(place)
    before = [(memory.updated_at, owner.history(memory.id)) for memory in owner.memories()]
    place.clock.advance(hours=5)
    owner.recall("tram", generative=True)
    assert [(memory.updated_at, owner.history(memory.id)) for memory in owner.memories()] == before
    place.clock.advance(hours=-50)  # a clock that was set back makes no use undone
    owner.recall("tram", generative=True)
    latest = place.clock.now() + timedelta(hours=50)
    assert {memory.last_used_at for memory in owner.memories()} == {latest}


def test_with_a_model_the_relevance_is_that_of_the_vectors(place):
    place.open_with(Translating())
    owner = trams(place)
    owner.remember("soup")
    owner.reindex(words=False)
    found = owner.recall("vehicle harbour?", generative=True, sources=["memory"])
    assert len(found.hits) == 4
    relevance = {
        hit.text: {part.feature: part.value for part in hit.parts}.get("relevance", 0.0)
        for hit in found.hits
    }
    assert relevance["tram harbour"] == 1
    assert relevance["soup"] == 0
    assert 0 < relevance["tram depot"] < 1


def test_a_standing_constraint_is_known_and_with_a_model_found(place):
    rule, question = "No heavy lifting before August", "may Ana carry the piano?"
    for model, is_found in (("off", False), (Translating(), True)):
        owner = place.open_with(model)
        owner.remember(rule, kind="constraint")
        owner.remember("The piano has three keys that stick")
        owner.reindex(words=False)
        assert (rule in texts(owner.recall(question))) == is_found
        assert rule in owner.known().text
