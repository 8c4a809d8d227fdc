"""Recalls that are asked for in an odd way: what is wrong is named, and nothing else is returned.

What is odd about the questions themselves is in `test_recall_vectors.py`.
"""

import math

import pytest

from lifelong import backlog
from lifelong.conformance import WordsModel, said, texts
from lifelong.errors import EmbedderFailed, InvalidValue
from lifelong.rows import Embedding

TIERS = ("mean", "tokens")


@pytest.fixture(autouse=True)
def the_background_waits(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)


def filled(owner):
    owner.session("s").append(said("the tram is late", "green tea is best"))
    owner.remember("Ana likes the tram", kind="preference")
    owner.remember("the tram depot", namespace=("work",))
    return owner


NO_NUMBERS = ("x", None, True, math.nan, math.inf, 10**400, [1])
NO_LISTS = (5, "log", "fact", b"log", [["log"]], [None], [5])


@pytest.mark.parametrize(
    "fields",
    [{name: value} for name in ("min_score", "trust_min") for value in NO_NUMBERS]
    + [{name: value} for name in ("kinds", "sources") for value in NO_LISTS]
    + [{"sources": None}],
    ids=lambda fields: str(fields)[:40],
)
def test_a_field_that_cannot_be_one_is_refused_by_name(place, fields):
    (name,) = fields
    with pytest.raises(InvalidValue, match=name.removesuffix("s")):
        filled(place.owner).recall("tram", **fields)


def test_no_segments_are_a_namespace_and_the_log_is_in_none(place):
    owner = filled(place.owner)
    assert texts(owner.recall("tram", namespace=())) == ["Ana likes the tram"]
    assert len(owner.recall("tram", namespace=(), include_below=True).hits) == 2
    assert len(owner.recall("tram", namespace=None).hits) == 4


@pytest.mark.parametrize(
    "fields", [{"kinds": []}, {"sources": []}, {"sources": ["log"], "kinds": ["preference"]}]
)
def test_where_nothing_is_left_to_look_in_nothing_is_said_of_the_words(place, fields):
    found = filled(place.owner).recall("tram", **fields)
    assert found.nothing_relevant
    assert found.reasons
    assert not any("never said" in reason or "ever said" in reason for reason in found.reasons)


def test_a_word_of_a_megabyte_is_not_said_back(place):
    owner = filled(place.owner)
    for question in ("x" * 2**20, f"tram {'x' * 2**20}"):
        found = owner.recall(question)
        said_of_it = [*found.reasons, *found.doubts]
        assert any("xxx…'" in text for text in said_of_it)
        assert all(len(text) < 200 for text in said_of_it)


@pytest.mark.parametrize("tier", TIERS)
def test_a_word_that_was_said_a_moment_ago_is_found_before_it_has_a_vector(place, tier):
    # Others have theirs, and are all somewhat near; only the new message has the word.
    owner = place.open_with(WordsModel(has_tokens=tier == "tokens"))
    session = owner.session("s")
    session.append(said(*(f"the word{number} is on tram {number % 7}" for number in range(300))))
    owner.reindex(words=False)
    session.append(said(*(f"the word{number} is on tram 8" for number in range(300, 305))))
    for question in ("word304", "which tram is the word304 on"):
        found = owner.recall(question, limit=5)
        assert texts(found)[0] == "the word304 is on tram 8"
        assert {"own", "window"} <= {part.feature for part in found.hits[0].parts}


class Changing(WordsModel):
    """A model whose vectors have another length from some moment on."""

    length = 64

    def _embedding(self, text):
        found = super()._embedding(text)
        tokens = [numbers[: self.length] for numbers in found.tokens]
        return Embedding(found.vector[: self.length], tokens)


@pytest.mark.parametrize("tier", TIERS)
def test_a_model_whose_vectors_get_another_length(place, tier):
    model = Changing(has_tokens=tier == "tokens")
    owner = filled(place.open_with(model))
    owner.reindex(words=False)
    model.length = 32
    owner.session("s").append(said("one more tram"))
    with pytest.raises(EmbedderFailed, match="another length"):
        owner.reindex(words=False)
    found = owner.recall("tram")
    assert {*texts(found)} >= {"the tram is late", "one more tram", "Ana likes the tram"}
    assert any("another length" in reason for reason in found.reasons)
    # What was stored before stays, and is used again once the model is as it was.
    model.length = 64
    owner.reindex(words=False)
    assert owner.recall("tram depot").reasons == ()
