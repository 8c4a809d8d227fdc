"""Recall beside vectors that are missing, of another model, or of a model that fails.

Words answer then, and it is said why; whoever appends never waits.
"""

import threading

import pytest

import lifelong
from lifelong import backlog
from lifelong.conformance import WordsModel, said, texts
from lifelong.errors import EmbedderFailed

SECONDS_MAX = 60
TIERS = ("words", "mean", "tokens")
MEANS = {"vehicle": "tram", "beverage": "tea"}


class Translating(WordsModel):
    """A model that knows what words of a question mean, so that no word need be shared."""

    def embed_query(self, text):
        words = text.casefold().split()
        return super().embed_query(" ".join(MEANS.get(word, word) for word in words))


@pytest.fixture(autouse=True)
def the_background_waits(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)


def with_tier(place, tier):
    """Return the owner of an engine of that tier."""
    return place.open_with("off" if tier == "words" else Translating(has_tokens=tier == "tokens"))


def filled(owner):
    owner.session("s").append(said("the tram is late", "soup needs salt", "green tea is best"))
    owner.remember("Ana likes the tram")
    owner.remember("Ana likes soup")
    return owner


def features_of(found):
    return {part.feature for hit in found.hits for part in hit.parts}


VECTOR_FEATURES = {"meaning", "meaning_near", "tokens", "tokens_near", "tokens_rare"}


@pytest.mark.parametrize("tier", TIERS[1:])
def test_a_question_that_shares_no_word_is_found_by_vectors(place, tier):
    owner = filled(with_tier(place, tier))
    owner.reindex(words=False)
    for sources, best in ((["log"], "the tram is late"), (["memory"], "Ana likes the tram")):
        found = owner.recall("vehicle", sources=sources)
        assert texts(found)[0] == best
        assert features_of(found) & VECTOR_FEATURES
        assert all(0 <= hit.score <= 1 for hit in found.hits)
    assert texts(owner.recall("beverage", limit=1, sources=["log"])) == ["green tea is best"]


def test_without_a_model_that_question_finds_nothing(place):
    found = filled(place.owner).recall("vehicle")
    assert found.nothing_relevant
    assert found.reasons


@pytest.mark.parametrize("tier", TIERS[1:])
def test_an_owner_without_vectors_is_answered_by_words(place, tier):
    owner = filled(with_tier(place, tier))
    found = owner.recall("tram")
    assert {*texts(found)} >= {"the tram is late", "Ana likes the tram"}
    assert not features_of(found) & VECTOR_FEATURES
    assert any("5 of 5" in reason and "vector" in reason for reason in found.reasons)
    assert owner.recall("vehicle").nothing_relevant


@pytest.mark.parametrize("tier", TIERS[1:])
def test_half_the_vectors(place, tier):
    owner = with_tier(place, tier)
    session = owner.session("s")
    session.append(said(*(f"tram number {number}" for number in range(5))))
    owner.reindex(words=False)
    session.append(said(*(f"tram line {number}" for number in range(5))))
    # All that have the word are found, with a vector or without,
    found = owner.recall("tram 3")
    assert len(found.hits) == 10
    assert features_of(found) & VECTOR_FEATURES
    assert any("5 of 10" in reason and "vector" in reason for reason in found.reasons)
    # and by meaning those that have one.
    assert {text[:11] for text in texts(owner.recall("vehicle", limit=5))} == {"tram number"}
    # With fewer than half, words rank alone.
    session.append(said("tram stop"))
    found = owner.recall("tram 3")
    assert len(found.hits) == 11
    assert not features_of(found) & VECTOR_FEATURES


def test_once_all_have_vectors_nothing_is_said_of_them(place):
    owner = filled(with_tier(place, "tokens"))
    owner.reindex(words=False)
    assert owner.recall("tram").reasons == ()


@pytest.mark.parametrize("tier", TIERS[1:])
def test_vectors_of_another_model_are_not_used(place, tier):
    if not place.is_durable:
        pytest.skip("another engine has other data")
    owner = filled(with_tier(place, tier))
    owner.reindex(words=False)
    # Of another length too, so that they could not even be compared.
    other = place.open_with(WordsModel("words/2", dimensions=32, has_tokens=tier == "tokens"))
    found = other.recall("tram")
    assert {*texts(found)} >= {"the tram is late", "Ana likes the tram"}
    assert not features_of(found) & VECTOR_FEATURES
    assert any("another model" in reason and "reindex" in reason for reason in found.reasons)
    other.reindex(words=False)
    assert features_of(other.recall("tram")) & VECTOR_FEATURES


class Broken(RuntimeError):
    """What a model raises that is out of order."""


def test_a_model_that_fails_between_two_questions(place):
    model = Translating()
    owner = filled(place.open_with(model))
    owner.reindex(words=False)
    assert owner.recall("vehicle").hits

    def fail(_texts):
        raise Broken

    model.before = fail
    found = owner.recall("tram today")
    assert {*texts(found)} >= {"the tram is late", "Ana likes the tram"}
    assert not features_of(found) & VECTOR_FEATURES
    assert any("Broken" in reason and "words/1" in reason for reason in found.reasons)
    # It is asked again the next time, and nothing is said any more once it answers.
    model.before = lambda _texts: None
    assert owner.recall("vehicle today").hits
    assert owner.recall("vehicle today").reasons == ()


def test_a_model_that_fails_in_the_middle_of_the_texts(place):
    model = Translating()
    owner = place.open_with(model)
    owner.session("s").append(said(*(f"tram number {number}" for number in range(40))))

    def fail_on_some(given):
        if any(text.endswith(("7", "8", "9")) for text in given):
            raise Broken

    model.before = fail_on_some
    with pytest.raises(EmbedderFailed):
        owner.reindex(words=False)
    assert owner.stats()["vector"] == 28
    found = owner.recall("tram", tokens_max=10**6)
    assert len(found.hits) == 40
    assert any("12 of 40" in reason for reason in found.reasons)
    assert texts(owner.recall("tram number 19", limit=1)) == ["tram number 19"]


def test_a_model_that_is_too_slow_for_a_question(place):
    model, let_go = Translating(), threading.Event()
    owner = filled(place.open_with(model))
    owner.reindex(words=False)
    place.engine._vectors.embedder._question_seconds = 0.05
    model.before = lambda _texts: let_go.wait(SECONDS_MAX)
    try:
        found = owner.recall("tram today")
        assert not let_go.is_set()
        assert {*texts(found)} >= {"the tram is late", "Ana likes the tram"}
        assert any("0.05 seconds" in reason for reason in found.reasons)
        # While it hangs it is not asked a second time.
        found = owner.recall("tram tomorrow")
        assert found.hits
        assert any("still works" in reason for reason in found.reasons)
    finally:
        let_go.set()


def test_whoever_appends_never_waits_for_the_model(place, monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 0.0)
    begun, let_go, gave_up = threading.Event(), threading.Event(), []

    def hang(_texts):
        begun.set()
        if not let_go.wait(SECONDS_MAX):
            gave_up.append(True)

    model = Translating()
    model.before = hang
    owner = place.open_with(model)
    try:
        owner.session("s").append(said("the tram is late"))
        assert begun.wait(SECONDS_MAX)
        # It hangs in the middle of a text; all of this goes on.
        for number in range(20):
            owner.session("s").append(said(f"tram {number}"))
        kept = owner.remember("Ana likes the tram")
        owner.update(kept.id, "Ana loves the tram")
        owner.forget(kept.id)
        assert gave_up == []
        assert owner.stats()["vector"] == 0
        assert owner.stats()["message"] == 21
    finally:
        let_go.set()


ODD = {
    "empty": "",
    "blank": " \n\t\u3000",
    "one letter": "t",
    "one mark": "?",
    "one character": "茶",
    "stop words": "what is the of and to",
    "many words": " ".join(f"tram{number % 300} word{number}" for number in range(5_000)),
    "one word, many times": "tram " * 10_000,
    "one long word": "tram" * 10_000,
    "control characters": "".join(map(chr, range(32))) + "tram\x00\x7f\x80\xff",
    "bytes as text": bytes(range(256)).decode("latin-1") * 20,
    "lone surrogates": "\udc97\ud800 tram \udfff",
    "beyond the first plane": "\U0010ffff\U0001f68b tram \ufffe\ufeff",
    "directions": "\u202etram\u202c \u200b\u200d",
    "an index query": '"tram" AND (late OR NEAR(x y)) NOT soup*; DROP TABLE memory; --',
}


@pytest.mark.parametrize("tier", TIERS)
def test_no_question_is_too_odd(tier):
    model = "off" if tier == "words" else Translating(has_tokens=tier == "tokens")
    with lifelong.open("memory:", embedder=model) as engine:
        owner = filled(engine.owner("ana"))
        owner.reindex(words=False)
        ask_all(owner)


def ask_all(owner):
    for name, question in ODD.items():
        for fields in ({}, {"generative": True}, {"limit": 1}, {"sources": ["memory"]}):
            found = owner.recall(question, **fields)
            scores = [hit.score for hit in found.hits]
            assert scores == sorted(scores, reverse=True), name
            assert all(0 <= score <= 1 for score in scores), name
            assert found.hits or found.reasons, name
            assert found.nothing_relevant == (found.hits == ()), name
    for name in ("empty", "blank"):
        assert owner.recall(ODD[name]).nothing_relevant
    # What they hold of words is found.
    for name in ("one word, many times", "control characters", "an index query"):
        assert any("tram" in text for text in texts(owner.recall(ODD[name]))), name


@pytest.mark.parametrize("tier", TIERS)
def test_no_question_is_too_odd_for_an_owner_without_anything(place, tier):
    owner = with_tier(place, tier)
    for name in ("empty", "one letter", "one mark", "stop words", "control characters"):
        found = owner.recall(ODD[name])
        assert found.nothing_relevant
        assert found.reasons
    assert place.engine.owners() == []
