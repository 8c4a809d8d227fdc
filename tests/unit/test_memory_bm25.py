"""BM25 from postings: shares by hand, of passages, sessions and single words."""

import math
import random
from array import array

import pytest
from small_logs import columns_of, log_of

from lifelong.memory.bm25 import bm25, idf, term_gains
from lifelong.rows import LogColumns, LogMatches, TermMatches, pack_posting

VOCABULARY = [f"word{number}" for number in range(40)]


def test_inverse_document_frequency():
    assert idf(0, 10) == pytest.approx(math.log(22))
    assert idf(10, 10) == pytest.approx(math.log(1 + 0.5 / 10.5))
    assert idf(20, 10) > 0  # counts of two moments
    assert idf(1, 1000) > idf(100, 1000) > idf(900, 1000) > 0


def test_bm25_by_hand():
    # Two passages of four words: one has the word once, the other twice.
    postings = [pack_posting(1, 0, 4), pack_posting(2, 0, 4), pack_posting(2, 0, 4)]
    weights = bm25([TermMatches("a", postings, 2)], passages=4, passage_words=16)
    assert weights.best[1] == pytest.approx(1 / 2.2)
    assert weights.best[2] == pytest.approx(2 / 3.2)
    assert weights.posting == {1: postings[0], 2: postings[1]}
    assert weights.session == {}


def test_a_rare_word_is_worth_more_of_the_ideal():
    # Of ten passages five have "a" and one has "b": ln 2 and ln(1 + 9.5 / 1.5).
    common, rare = math.log(1 + 5.5 / 5.5), math.log(1 + 9.5 / 1.5)
    terms = [
        TermMatches("a", [pack_posting(seq, 0, 5) for seq in range(1, 6)], 5),
        TermMatches("b", [pack_posting(6, 0, 5)], 1),
    ]
    best = bm25(terms, passages=10, passage_words=50).best
    assert best[1] == pytest.approx(common / (common + rare) / 2.2)
    assert best[6] == pytest.approx(rare / (common + rare) / 2.2)


def test_what_may_not_have_been_meant_weighs_less():
    terms = [
        TermMatches("a", [pack_posting(1, 0, 5)], 1),
        TermMatches("b", [pack_posting(2, 0, 5)], 1, weight=0.25),
    ]
    best = bm25(terms, passages=2, passage_words=10).best
    assert best[1] == pytest.approx(0.8 / 2.2)
    assert best[2] == pytest.approx(0.2 / 2.2)


def test_bm25_counts_the_best_passage_of_a_row():
    terms = [
        TermMatches("a", [pack_posting(1, 0, 10), pack_posting(1, 1, 10)], 2),
        TermMatches("b", [pack_posting(1, 1, 10)], 1),
    ]
    weights = bm25(terms, passages=10, passage_words=100)
    assert weights.posting[1] == pack_posting(1, 1, 10)
    assert weights.best[1] == pytest.approx(1 / 2.2)


def test_a_shorter_passage_says_more():
    postings = [pack_posting(1, 0, 5), pack_posting(2, 0, 50)]
    weights = bm25([TermMatches("a", postings, 2)], passages=2, passage_words=55)
    # 27.5 words on average: 1.2 * (.25 + .75 * words / 27.5)
    assert weights.best[1] == pytest.approx(1 / (1 + 1.2 * (0.25 + 0.75 * 5 / 27.5)))
    assert weights.best[2] == pytest.approx(1 / (1 + 1.2 * (0.25 + 0.75 * 50 / 27.5)))


@pytest.mark.parametrize("terms", [[], [TermMatches("a", [], 0)]])
def test_bm25_of_nothing(terms):
    weights = bm25(terms, passages=0, passage_words=0, columns=LogColumns())
    assert (weights.best, weights.posting, weights.session) == ({}, {}, {})


def of_log(matches):
    columns = matches.columns
    return bm25(
        matches.terms,
        passages=columns.passages,
        passage_words=columns.passage_words,
        columns=columns,
    )


def test_a_session_is_scored_as_one_text():
    # Sessions of 10 and 55 words, 32.5 on average; the word stands once in each.
    rows = [(1, 0, 0, 5), (1, 0, 0, 5), (2, 0, 0, 5), (2, 0, 0, 50)]
    found = of_log(log_of(rows, word=[1, 3])).session
    assert found[1] == pytest.approx(1 / (1 + 0.3 + 0.9 * 10 / 32.5))
    assert found[2] == pytest.approx(1 / (1 + 0.3 + 0.9 * 55 / 32.5))
    # And twice in the first.
    twice = of_log(log_of(rows, word=[1, 2, 3])).session
    assert twice[1] == pytest.approx(2 / (2 + 0.3 + 0.9 * 10 / 32.5))


def test_a_word_whose_postings_are_not_all_there_tells_nothing_of_sessions():
    rows = [(1, 0, 0, 5), (2, 0, 0, 5)]
    whole, partial = log_of(rows, a=[1], b=[2]).terms
    partial = TermMatches(partial.term, partial.postings, 1, is_whole=False)
    found = of_log(LogMatches((whole, partial), columns_of(rows)))
    assert found.best.keys() == {1, 2}
    assert [found.session[number] for number in (1, 2)] == [pytest.approx(1 / 2.2), 0.0]


def random_log(seed, messages, sessions):
    """Return matches of three words in a log of random words."""
    chance = random.Random(seed)
    texts = [
        chance.choices(VOCABULARY, weights=range(1, 41), k=chance.randint(1, 30))
        for _ in range(messages)
    ]
    rows = [(chance.randint(1, sessions), 0, 0, len(text)) for text in texts]
    terms = []
    for word in ("word1", "word9", "word35"):
        postings = array("q")
        for seq, text in enumerate(texts, 1):
            postings.extend([pack_posting(seq, 0, len(text))] * text.count(word))
        terms.append(TermMatches(word, postings, len(set(postings))))
    return LogMatches(tuple(terms), columns_of(rows))


@pytest.mark.parametrize("seed", range(5))
def test_no_share_is_above_one(seed):
    weights = of_log(random_log(seed, 300, 6))
    assert weights.best
    assert all(0 < value <= 1 for value in weights.best.values())
    assert all(0 < weights.session[number] <= 1 for number in range(1, 7))


@pytest.mark.parametrize("seed", range(3))
def test_what_the_words_give_adds_up_to_the_whole(seed):
    matches = random_log(seed, 300, 6)
    best = of_log(matches).best
    gains = term_gains(matches, range(1, 301))
    assert len(gains) == 3
    sums = {seq: math.fsum(each.get(seq, 0.0) for each in gains) for seq in best}
    assert sums == {seq: pytest.approx(value) for seq, value in best.items()}
    # And only of those that are wanted.
    assert {seq for each in term_gains(matches, {3, 4}) for seq in each} <= {3, 4}


def test_of_several_passages_a_word_counts_where_it_says_most():
    columns = columns_of([(1, 0, 0, 10)])
    postings = [pack_posting(1, 0, 10), pack_posting(1, 1, 10), pack_posting(1, 1, 10)]
    matches = LogMatches((TermMatches("a", postings, 2),), columns)
    assert term_gains(matches, {1}) == [{1: pytest.approx(2 / 3.2)}]
    assert term_gains(matches, set()) == [{}]
