"""Reasons: what is said when nothing was found, or when it may not be the answer."""

import pytest
from answers import memory

from lifelong.memory.answer import Packing
from lifelong.memory.coverage import held_terms, share, share_of_each, term_weights
from lifelong.memory.finishing import Searched, finished
from lifelong.memory.reasons import (
    budget,
    doubts,
    nothing_found,
    said_by_another,
    unsupported_words,
)
from lifelong.memory.terms import parse_query
from lifelong.rows import LogColumns, LogMatches, MemoryMatches, TermMatches, pack_posting
from lifelong.working.tokens import estimate_tokens


def term(name, *seqs, weight=1.0):
    return TermMatches(name, [pack_posting(seq, 0, 5) for seq in seqs], len(seqs), weight=weight)


TERMS = (term("helicopt"), term("fli", 1), term("happi", 2), term("2023"), term("describ"))


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["helicopter"], ["helicopter"]),
        (["flying", "helicopter", "happy"], ["helicopter"]),
        (["helicopt\u00e9r"], ["helicopt\u00e9r"]),
        (["2023", "describe"], []),
        (["unknown"], []),
        ([], []),
    ],
)
def test_a_word_that_stands_nowhere(words, missing):
    assert unsupported_words(words, [TERMS]) == missing


def test_a_word_that_stands_in_another_place_is_supported():
    assert unsupported_words(["helicopter"], [TERMS, [term("helicopt", 7)]]) == []


def test_at_most_three_words_are_named():
    words = ["cricket", "ballet", "tarantula", "lucifer"]
    assert unsupported_words(words, [[term(word) for word in words]]) == words[:3]


def test_how_much_of_a_question_a_row_has():
    terms = [term("tram", 1, 2), term("zebra", 2), term("zebra", 3, weight=0.5)]
    assert held_terms(terms, 1) == {"tram"}
    assert held_terms(terms, 2) == {"tram", "zebra"}
    assert held_terms(terms, 9) == frozenset()
    weights = term_weights(terms, 10)
    assert weights["zebra"] > weights["tram"]
    assert share({"tram", "zebra"}, weights) == pytest.approx(1.0)
    expected = {seq: pytest.approx(share(held_terms(terms, seq), weights)) for seq in (1, 2, 3, 9)}
    assert share_of_each(terms, weights, (1, 2, 3, 9)) == expected
    many = [term("tram", *range(1, 101)), *terms[1:]]  # looked up one by one
    assert share_of_each(many, weights, (1, 2, 3)) == {
        seq: pytest.approx(share(held_terms(many, seq), weights)) for seq in (1, 2, 3)
    }
    assert 0 < share({"tram"}, weights) < 0.5
    del weights["zebra"]  # as a name is left out
    assert share_of_each(terms, weights, (2, 3)) == {2: 1.0, 3: 0.0}
    assert share({"tram"}, {}) == 0.0


def log(speakers, *terms):
    """Return matches in a log whose message number n is by speaker number `speakers[n]`."""
    columns = LogColumns(passages=len(speakers), passage_words=5 * len(speakers))
    columns.speakers.extend(["Ana Lee", "Ben", "Cy"])
    columns.speaker.extend(speakers)
    return LogMatches(tuple(terms), columns)


def who(question, matches, *seqs):
    return said_by_another(parse_query(question), matches, seqs)


def test_who_said_it_instead():
    matches = log([1, 2, 3], term("ana", 2, 3), term("cricket", 2), term("play", 1, 2))
    said = "the closest was said by Ben, not by Ana Lee"
    assert who("When did Ana play cricket?", matches, 1, 2, 3) == said
    assert who("When did Ben play cricket?", matches, 1, 2, 3) is None
    assert who("Who did play cricket?", matches, 1, 2, 3) is None
    assert who("When did Ana and Ben play cricket?", matches, 1, 2, 3) is None


def test_who_is_not_said_on_thin_evidence():
    # The name itself does not count: Ben speaks of Ana, and she of neither word less than he.
    matches = log([1, 2], term("ana", 2), term("cricket", 1, 2))
    assert who("When did Ana play cricket?", matches, 1, 2) is None
    assert who("When did Ana play cricket?", matches, 2) is None
    assert who("When did Ana play cricket?", matches) is None


def test_doubts_in_words():
    assert doubts([]) == ()
    assert doubts(["cricket"], "the closest was said by Ben, not by Ana") == (
        "the closest was said by Ben, not by Ana",
        "'cricket' was never said or remembered",
    )
    assert doubts(["a", "b", "c"]) == ("'a', 'b' and 'c' were never said or remembered",)
    assert doubts([], are_few=True) == ("even the best match has few of the question's words",)


def test_reasons_in_words():
    assert nothing_found(["cricket"]) == "'cricket' was never said or remembered"
    assert nothing_found([]) == "no word of the question was ever said or remembered"
    assert nothing_found(["x"], 1).startswith("1 memory with such words:")
    assert nothing_found([], 2).startswith("2 memories with such words:")
    assert budget(10, 0, has_hits=True) is None
    assert budget(10, 1, has_hits=False) == "nothing fits into 10 tokens"
    assert budget(10, 1, has_hits=True) == "some hits did not fit into 10 tokens"


def searched(question, *kept, hidden=()):
    terms = (term("tram", *(hit.order for hit in kept), *hidden), term("cricket"))
    memories = {hit.order: hit.memory for hit in kept}
    return Searched(parse_query(question), None, MemoryMatches(terms, memories, 9, 45))


def test_what_is_found_has_its_text_price_and_doubts():
    hits = [memory("The tram leaves at nine", 1), memory("The tram is late", 2)]
    packing = Packing(500, estimate_tokens)
    for hit in hits:
        packing.add(hit)
    found = finished(packing, searched("tram cricket", *hits))
    assert [hit.id for hit in found.hits] == [hit.id for hit in hits]
    assert found.doubts == ("'cricket' was never said or remembered",)
    assert found.text.endswith("Note: 'cricket' was never said or remembered.")
    assert found.tokens == estimate_tokens(found.text)
    assert found.reasons == ()


def test_a_hit_with_few_of_the_words_is_doubted_unless_vectors_found_it():
    hit = memory("The tram leaves at nine", 1)
    rare = [term(f"rare{n}") for n in range(9)]
    common = term("tram", *range(1, 90))
    for by_words, doubted in ((True, True), (False, False)):
        packing = Packing(500, estimate_tokens)
        packing.add(hit)
        matches = MemoryMatches((common, *rare), {1: hit.memory}, 99, 500)
        asked = parse_query("describe tram")
        found = finished(packing, Searched(asked, None, matches, by_words=by_words))
        assert ("few of the question's words" in "".join(found.doubts)) is doubted


def test_when_the_filter_leaves_everything_out():
    found = finished(Packing(500, estimate_tokens), searched("tram", hidden=[5, 6]))
    assert found.nothing_relevant
    assert found.text == ""
    assert found.reasons[0].startswith("2 memories with such words")


def test_when_nothing_fits():
    packing = Packing(5, estimate_tokens)
    hit = memory("The tram leaves at nine", 1)
    packing.add(hit)
    found = finished(packing, searched("tram", hit), ["1 stored messages could not be read"])
    assert (found.hits, found.text, found.tokens, found.doubts) == ((), "", 0, ())
    assert found.reasons[-1] == "nothing fits into 5 tokens"
    assert len(found.reasons) == 2
