"""The features of messages, each by hand.

Where nothing else is said all messages have five words, and there is one word that few have: then
BM25 of a message that has it once is 1 / 2.2.
"""

import math

import pytest
from small_logs import FIRST_DAY, columns_of, log_of

from lifelong.memory.bm25 import bm25
from lifelong.memory.likeness import Likeness
from lifelong.memory.scoring import Features, named_speaker, neighbours, speaker_match
from lifelong.memory.terms import parse_query
from lifelong.memory.weights import LOG_FEATURES

USER, AGENT, TOOL = 0, 1, 2
ONCE = 1 / 2.2
QUESTION = "word"


def talk(*roles, session=1):
    """Return rows of one session, one for each role, all of five words."""
    return [(session, role, 0, 5) for role in roles]


def features(matches, question=QUESTION, *, candidates=None, likeness=None):
    """Return the features of each candidate by name; without any, of all messages."""
    columns = matches.columns
    totals = {"passages": columns.passages, "passage_words": columns.passage_words}
    seqs = candidates or range(1, len(columns.session))
    found = Features(
        parse_query(question),
        matches,
        bm=bm25(matches.terms, **totals, columns=columns),
        candidates=seqs,
        likeness=likeness,
    )
    return {seq: dict(zip(LOG_FEATURES, found.of(seq), strict=True)) for seq in seqs}


def column(found, name):
    return [found[seq][name] for seq in sorted(found)]


def test_the_message_itself():
    found = features(log_of(talk(USER, USER, USER), word=[2]))
    assert column(found, "own") == [0, pytest.approx(ONCE), 0]


def test_the_messages_before_and_after_answer_for_one_another():
    found = features(log_of(talk(*[USER] * 5), word=[2]))
    shares = [0.5, 1, 0.6, 0.35, 0]
    assert column(found, "window") == pytest.approx([share * ONCE for share in shares])
    assert column(found, "previous") == pytest.approx([0, 0, ONCE, 0, 0])
    assert column(found, "previous_2") == pytest.approx([0, 0, 0, ONCE, 0])
    assert column(found, "reply") == column(found, "previous_agent") == [0] * 5


@pytest.mark.parametrize("agent", [AGENT, TOOL])
def test_what_an_agent_said_before_is_about_what_was_asked_before(agent):
    found = features(log_of(talk(USER, agent, USER, USER), word=[2]))
    assert column(found, "window") == pytest.approx([0.5 * ONCE, ONCE, 0, 0.35 * ONCE])
    assert column(found, "previous") == [0] * 4
    assert column(found, "previous_agent") == pytest.approx([0, 0, ONCE, 0])
    assert column(found, "previous_2") == pytest.approx([0, 0, 0, ONCE])
    assert column(found, "reply") == pytest.approx([ONCE, 0, 0, 0])
    assert column(found, "assistant") == [0, 1, 0, 0]


def test_beyond_an_agent_nothing_is_looked_for():
    found = features(log_of(talk(USER, AGENT, USER), word=[1]))
    assert column(found, "previous") == pytest.approx([0, ONCE, 0])
    assert column(found, "previous_2") == [0, 0, 0]


def test_a_word_that_is_said_again_nearby_counts_once():
    found = features(log_of(talk(*[USER] * 4), word=[2, 3]))
    assert column(found, "window") == pytest.approx([0.5 * ONCE, ONCE, ONCE, 0.6 * ONCE])


def test_words_that_are_spread_over_neighbours_add_up():
    # Both words are as rare, so each is half of what is asked.
    half = ONCE / 2
    found = features(log_of(talk(*[USER] * 4), one=[1], other=[2]), "one other")
    shares = [1.5, 1.6, 0.95, 0.35]
    assert column(found, "window") == pytest.approx([share * half for share in shares])
    assert column(found, "own") == pytest.approx([half, half, 0, 0])


def test_neighbours_are_looked_at_though_they_are_no_candidates():
    found = features(log_of(talk(*[USER] * 4), word=[1]), candidates=[3])
    assert found[3]["window"] == pytest.approx(0.35 * ONCE)
    found = features(log_of(talk(*[USER] * 4), word=[4]), candidates=[3])
    assert found[3]["window"] == pytest.approx(0.5 * ONCE)


def test_another_session_is_no_neighbour():
    rows = [(1, USER, 0, 5), (2, USER, 0, 5), (1, USER, 0, 5)]
    found = features(log_of(rows, word=[1]))
    assert column(found, "window") == pytest.approx([ONCE, 0, 0.6 * ONCE])


def test_the_best_of_a_session_speaks_for_all_of_it():
    rows = [*talk(USER, USER, USER), *talk(USER, session=2)]
    found = features(log_of(rows, word=[2]))
    assert column(found, "session_best") == pytest.approx([ONCE, ONCE, ONCE, 0])
    # With its better neighbour.
    found = features(log_of(talk(USER, USER, USER), word=[1, 2]))
    assert column(found, "session_best") == pytest.approx([1.4 * ONCE] * 3)
    # Of the candidates only, each with its neighbours.
    found = features(log_of(talk(USER, USER, USER), word=[2]), candidates=[3])
    assert found[3]["session_best"] == pytest.approx(0.4 * ONCE)


def test_the_whole_session_counts_for_each_of_its_messages():
    rows = [(1, USER, 0, 5), (1, USER, 0, 5), (2, USER, 0, 5), (2, USER, 0, 50)]
    found = features(log_of(rows, word=[1, 3]))
    first, second = (1 / (1.3 + 0.9 * words / 32.5) for words in (10, 55))
    assert column(found, "session") == pytest.approx([first, first, second, second])


def test_who_is_named():
    rows = [(1, USER, 1, 5), (1, USER, 2, 5), (1, USER, 0, 5)]
    found = features(log_of(rows, word=[1]), "Ida's word?")
    assert column(found, "speaker") == [1, -1, 0]
    assert column(features(log_of(rows, word=[1])), "speaker") == [0, 0, 0]


def test_how_long_it_is():
    rows = [(1, USER, 0, words) for words in (0, 5, 19, 20, 53, 54, 500)]
    found = features(log_of(rows, word=[2]))
    expected = [0, math.log(6), math.log(20), 3, 3, 3, 3]  # ln 21 is above 3
    assert column(found, "length") == pytest.approx(expected)
    expected = [0, 0, 0, 0, 0, math.log(55) - 4, math.log(501) - 4]
    assert column(found, "long") == pytest.approx(expected)


def test_a_bare_question():
    assert column(features(log_of(talk(*[USER] * 6), word=[1])), "question") == [0, 0, 0, 0, 1, 0]


def test_flags_count_by_their_own_feature():
    # Message n has the flags n % 4: 1 is a word of time, 2 the first person.
    matches = log_of(talk(*[USER] * 4), word=[1])
    assert column(features(matches), "first_person") == [0, 1, 1, 0]
    assert column(features(matches), "when") == [0, 0, 0, 0]
    assert column(features(matches, "when was the word said"), "when") == [1, 0, 1, 0]


def test_a_date_that_is_named():
    # Message 1 is of 30 July 2021, message 3 of 1 August.
    matches = log_of(talk(*[USER] * 3), word=[1])
    assert matches.columns.day[1] == FIRST_DAY + 1
    assert column(features(matches, "word in 2021"), "date") == pytest.approx([0.4] * 3)
    assert column(features(matches, "word in 2020"), "date") == [0] * 3
    assert column(features(matches, "word in July 2021"), "date") == pytest.approx([1, 1, 0])
    dated = column(features(matches, "word on 30 July 2021"), "date")
    assert dated == pytest.approx([1, 0.9, 0])
    assert column(features(matches), "date") == [0] * 3


def test_likeness_is_handed_on():
    figures = Likeness({1: 0.1}, {1: 0.2}, {1: 0.3}, {1: 0.4}, {1: 0.5}, has_tokens=True)
    found = features(log_of(talk(USER, USER), word=[1]), likeness=figures)
    assert column(found, "meaning") == [0.1, 0]
    assert column(found, "meaning_near") == [0.2, 0]
    assert column(found, "tokens_near") == [0.4, 0]
    assert column(found, "tokens_rare") == [0.5, 0]


def test_neighbours_that_may_answer():
    rows = talk(USER, AGENT, USER, USER)
    columns = columns_of(rows)
    # Not the agent's message before; nothing before the first and after the last.
    assert neighbours([1, 2, 3, 4], columns) == {1: (0, 2), 2: (1, 3), 3: (0, 4), 4: (3, 0)}


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("what does ida like?", 1),
        ("ida's tram", 1),
        ("ida\u2019s tram", 1),
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
