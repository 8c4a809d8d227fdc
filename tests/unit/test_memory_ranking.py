"""Ranking: what the features are worth, and that choosing candidates loses nothing of note."""

import math
import random
from array import array

import pytest

from lifelong.memory.bm25 import bm25, idf
from lifelong.memory.ranking import (
    LOG_WEIGHTS,
    MEMORY_WEIGHTS,
    explain,
    named_speaker,
    public_score,
    rank_log,
    score_memory,
    speaker_match,
)
from lifelong.memory.terms import parse_query
from lifelong.rows import SEQ_SHIFT, LogColumns, LogMatches, TermMatches, pack_posting

VOCABULARY = [f"word{number}" for number in range(40)]


def columns_of(rows):
    """Return columns of rows given as (session, role, speaker, words)."""
    columns = LogColumns(speakers=["", "ida", "bo"])
    newest = {}
    for seq, (session, role, speaker, words) in enumerate(rows, 1):
        before = newest.get(session, 0)
        newest[session] = seq
        if before:
            columns.following[before] = seq
        for column, value in (
            (columns.session, session),
            (columns.previous, before),
            (columns.following, 0),
            (columns.role, role),
            (columns.speaker, speaker),
            (columns.day, 738_000 + seq),
            (columns.words, words),
            (columns.flags, seq % 3),
            (columns.question, float(seq % 5 == 0)),
        ):
            column.append(value)
        columns.session_words[session] = columns.session_words.get(session, 0) + words
        columns.passages += 1
        columns.passage_words += words
    return columns


def random_log(seed, messages, sessions):
    """Return matches of a question of three words in a log of random words."""
    chance = random.Random(seed)
    rows, texts = [], []
    for _ in range(messages):
        text = chance.choices(VOCABULARY, weights=range(1, 41), k=chance.randint(1, 30))
        rows.append(
            (
                chance.randint(1, sessions),
                chance.choice([0, 0, 1, 2]),
                chance.randint(0, 2),
                len(text),
            )
        )
        texts.append(text)
    terms = []
    for word in ("word1", "word9", "word35"):
        postings = array("q")
        for seq, text in enumerate(texts, 1):
            postings.extend([pack_posting(seq, 0, len(text))] * text.count(word))
        terms.append(TermMatches(word, postings, len(set(postings))))
    return LogMatches(tuple(terms), columns_of(rows))


QUESTION = parse_query("word1 word9 word35")


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
    assert weights.best[1] > weights.best[2]


@pytest.mark.parametrize("terms", [[], [TermMatches("a", [], 0)]])
def test_bm25_of_nothing(terms):
    weights = bm25(terms, passages=0, passage_words=0, columns=LogColumns())
    assert (weights.best, weights.posting, weights.session) == ({}, {}, {})


@pytest.mark.parametrize("seed", range(5))
def test_no_share_is_above_one(seed):
    matches = random_log(seed, 300, 6)
    columns = matches.columns
    weights = bm25(
        matches.terms,
        passages=columns.passages,
        passage_words=columns.passage_words,
        columns=columns,
    )
    assert all(0 <= value <= 1 for value in weights.best.values())
    assert all(0 <= value <= 1 for value in weights.session.values())


def value_of(seq, columns, bm):
    """Return the value of a message by the words beside each weight; the question names no more."""
    own, agents = bm.best.get, (1, 2)
    before, after = columns.previous[seq], columns.following[seq]
    two_before, two_after = columns.previous[before], columns.following[after]
    features = {
        "own": own(seq, 0),
        "previous": 0 if columns.role[before] in agents else own(before, 0),
        "next": 0 if columns.role[after] in agents else own(after, 0),
        "previous_2": own(two_before, 0),
        "next_2": own(two_after, 0),
        "reply": own(after, 0) if columns.role[after] in agents else 0,
        "session": bm.session.get(columns.session[seq], 0),
        "length": min(math.log(1 + columns.words[seq]), 3),
        "question": columns.question[seq],
        "assistant": columns.role[seq] in agents,
    }
    return sum(LOG_WEIGHTS[name] * value for name, value in features.items())


def value_of_each(matches):
    """Return the value of every message, chosen as a candidate or not."""
    columns = matches.columns
    totals = {"passages": columns.passages, "passage_words": columns.passage_words}
    bm = bm25(matches.terms, **totals, columns=columns)
    return {seq: value_of(seq, columns, bm) for seq in range(1, len(columns.session))}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("messages", "sessions"), [(50, 3), (500, 9), (4_000, 60)])
def test_choosing_candidates_keeps_the_top(seed, messages, sessions):
    matches = random_log(seed, messages, sessions)
    every = value_of_each(matches)
    chosen = rank_log(QUESTION, matches)
    # Whoever was chosen has the value that scoring everything gives.
    assert all(one.value == pytest.approx(every[one.seq]) for one in chosen)
    # And few of the best were not chosen.
    best = sorted(every, key=every.__getitem__, reverse=True)
    top = {one.seq for one in chosen[:10]}
    assert len(top & set(best[:10])) >= 7
    assert best[0] in {one.seq for one in chosen}
    # Asked for all, nothing with a word of the question is left out.
    everything = {one.seq for one in rank_log(QUESTION, matches, depth=None)}
    assert {
        posting >> SEQ_SHIFT for term in matches.terms for posting in term.postings
    } <= everything


@pytest.mark.parametrize("seed", range(3))
def test_the_parts_of_a_score_add_up(seed):
    for one in rank_log(QUESTION, random_log(seed, 500, 8)):
        parts = explain(one, LOG_WEIGHTS)
        assert math.fsum(part.amount for part in parts) == pytest.approx(one.value)
        assert all(part.value for part in parts)
        amounts = [abs(part.amount) for part in parts]
        assert amounts == sorted(amounts, reverse=True)
        assert {part.feature for part in parts} <= LOG_WEIGHTS.keys()


def test_the_best_comes_first_and_equals_keep_the_order_of_the_log():
    ranked = rank_log(QUESTION, random_log(1, 500, 8))
    assert ranked == sorted(ranked, key=lambda one: (-one.value, one.seq))
    assert len({one.seq for one in ranked}) == len(ranked)
    assert all(one.seq > 0 for one in ranked)


def feature(name, matches, seq, question=QUESTION):
    (found,) = [one for one in rank_log(question, matches) if one.seq == seq]
    return dict(zip(LOG_WEIGHTS, found.features, strict=True))[name]


def hand_made(rows, having):
    postings = [pack_posting(seq, 0, rows[seq - 1][3]) for seq in having]
    return LogMatches((TermMatches("word1", postings, len(postings)),), columns_of(rows))


def test_neighbours_count_by_who_speaks():
    # user, assistant, user of one session; a message of another session between them.
    rows = [(1, 0, 0, 5), (2, 0, 0, 5), (1, 1, 0, 5), (1, 0, 0, 5)]
    matches = hand_made(rows, [3])
    own = feature("own", matches, 3)
    assert own > 0
    assert feature("reply", matches, 1) == own  # the assistant repeats what it answers
    assert feature("next", matches, 1) == 0
    assert feature("previous", matches, 4) == 0  # what an assistant says names no topic
    assert feature("assistant", matches, 3) == 1
    assert [one.seq for one in rank_log(QUESTION, matches) if one.seq == 2] == []
    matches = hand_made(rows, [1])
    assert feature("previous", matches, 3) == feature("previous_2", matches, 4) > 0
    matches = hand_made(rows, [1, 4])
    assert feature("next_2", matches, 1) == feature("own", matches, 4)


def test_the_session_counts_for_each_of_its_messages():
    rows = [(1, 0, 0, 5), (1, 0, 0, 5), (2, 0, 0, 5), (2, 0, 0, 50)]
    matches = hand_made(rows, [1, 3])
    assert feature("session", matches, 1) == feature("session", matches, 2)
    assert feature("session", matches, 1) > feature("session", matches, 3) > 0


def test_dates_times_speakers_and_length():
    rows = [(1, 0, 1, 5), (1, 0, 2, 500)]
    matches = hand_made(rows, [1, 2])
    asked = parse_query("when did Ida say word1 in 2021?")
    assert feature("speaker", matches, 1, asked) == 1
    assert feature("speaker", matches, 2, asked) == -1
    assert feature("when", matches, 1, asked) == 1
    assert feature("date", matches, 1, asked) == pytest.approx(0.4)
    assert feature("length", matches, 1, asked) == pytest.approx(math.log(6))
    assert feature("length", matches, 2, asked) == 3
    assert feature("speaker", matches, 1) == feature("date", matches, 1) == 0


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("what does ida like?", 1),
        ("ida's tram", 1),
        ("(ida)", 1),
        ("idaho", 0),
        ("ida and bo", 0),
        ("", 0),
        ("mary", 3),
        ("jane", 0),
    ],
)
def test_the_speaker_that_a_question_names(question, number):
    assert named_speaker(question, ["", "ida", "bo", "mary jane"]) == number


def test_a_name_of_white_space_is_nobody_s():
    assert named_speaker("what does ida like?", ["", " ", "\t\u3000", "ida"]) == 3


def test_matching_speakers():
    assert [speaker_match(*pair) for pair in ((1, 1), (1, 2), (0, 1), (1, 0))] == [1, -1, 0, 0]


def test_public_scores_keep_the_order_between_0_and_1():
    values = [-5.0, 0.0, 0.001, 0.5, 1.0, 2.4, 20.0]
    scores = [public_score(value) for value in values]
    assert scores == sorted(scores)
    assert scores[0] == scores[1] == 0
    assert scores[4] == pytest.approx(1 - math.exp(-1.5))
    assert all(0 <= score <= 1 for score in scores)


def test_memories_fade_and_the_future_is_now():
    new = score_memory(1, 0.5, posting=0, importance=5, age_days=0)
    assert new.value == pytest.approx(0.5 + 0.15 + 0.05 * 0.5 + 0.05)
    assert score_memory(1, 0.5, posting=0, importance=5, age_days=-400) == new
    old = score_memory(1, 0.5, posting=0, importance=5, age_days=90)
    assert new.value - old.value == pytest.approx(0.025)
    assert math.isfinite(score_memory(1, 0.5, posting=0, importance=10, age_days=1e6).value)
    parts = explain(new, MEMORY_WEIGHTS)
    assert math.fsum(part.amount for part in parts) == pytest.approx(new.value)
    assert parts[0].feature == "own"
