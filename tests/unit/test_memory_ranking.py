"""Ranking: who is a candidate, in which order, and that choosing candidates loses nothing of note.

What each feature is worth is held by test_memory_scoring.
"""

import math
import random
from array import array
from dataclasses import replace

import pytest
from small_logs import columns_of, log_of

from lifelong.memory.likeness import Likeness
from lifelong.memory.ranking import (
    CANDIDATES_MAX,
    NEIGHBOURS_OF_MAX,
    LogRanking,
    Scored,
    explain,
    public_score,
    score_memory,
    tier_of,
)
from lifelong.memory.terms import parse_query
from lifelong.memory.weights import LOG_FEATURES, LOG_WEIGHTS, MEMORY_WEIGHTS, TIERS
from lifelong.rows import SEQ_SHIFT, LogMatches, TermMatches, pack_posting

VOCABULARY = [f"word{number}" for number in range(40)]
QUESTION = parse_query("word1 word9 word35")
ONE_WORD = parse_query("word")
WORDS = LOG_WEIGHTS["words"]


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


def ranked(matches, query=QUESTION, **options):
    ranking = LogRanking(query, matches)
    return ranking.order(ranking.candidates(**options))


def with_word(matches):
    return {posting >> SEQ_SHIFT for term in matches.terms for posting in term.postings}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("messages", "sessions"), [(50, 3), (500, 9), (4_000, 60)])
def test_choosing_candidates_keeps_the_top(seed, messages, sessions):
    matches = random_log(seed, messages, sessions)
    every = LogRanking(QUESTION, matches).order(range(1, messages + 1))
    chosen = ranked(matches)
    assert len(chosen) < messages or messages == 50
    # Those that come first are worth what the ten best of all are, or little less: random words
    # are hard on it, since no session is about anything.
    value_of = {one.seq: one.value for one in every}
    best = math.fsum(one.value for one in every[:10])
    assert math.fsum(value_of[one.seq] for one in chosen[:10]) >= 0.95 * best
    if messages <= 500:
        assert chosen[0].seq == every[0].seq
        assert len({one.seq for one in chosen[:10]} & {one.seq for one in every[:10]}) >= 9
    # Whoever was chosen has the features that scoring everything gives, but for the session's
    # best, which may be none of them.
    by_seq = {one.seq: one.features for one in every}
    at = LOG_FEATURES.index("session_best")
    for one in chosen:
        whole = by_seq[one.seq]
        assert one.features[:at] == pytest.approx(whole[:at])
        assert one.features[at + 1 :] == pytest.approx(whole[at + 1 :])
        assert one.features[at] <= whole[at] + 1e-9
    # Asked for all, nothing with a word of the question is left out.
    everything = {one.seq for one in ranked(matches, depth=None)}
    assert with_word(matches) <= everything


@pytest.mark.parametrize("seed", range(3))
def test_a_value_is_the_sum_of_its_weighted_features(seed):
    for one in ranked(random_log(seed, 500, 8)):
        summed = math.fsum(WORDS[name] * v for name, v in zip(WORDS, one.features, strict=True))
        assert one.value == pytest.approx(summed)
        parts = explain(one, WORDS)
        assert math.fsum(part.amount for part in parts) == pytest.approx(one.value)
        assert math.fsum(part.share for part in parts) == pytest.approx(1)
        assert all(part.value and part.weight for part in parts)
        amounts = [abs(part.amount) for part in parts]
        assert amounts == sorted(amounts, reverse=True)


def test_the_parts_of_a_score_by_hand():
    weights = {"a": 2.0, "b": -3.0, "c": 1.0, "d": 0.0, "e": 0.5}
    scored = Scored(7, 0, 0.0, (1.0, 1.0, 0.0, 5.0, 2.0))
    parts = explain(scored, weights)
    found = [(part.feature, part.value, part.weight, part.amount) for part in parts]
    assert found == [("b", 1, -3, -3), ("a", 1, 2, 2), ("e", 2, 0.5, 1)]
    assert [part.share for part in parts] == pytest.approx([3 / 6, 2 / 6, 1 / 6])
    assert explain(Scored(7, 0, 0.0, (0.0,) * 5), weights) == ()


def test_the_best_comes_first_and_equals_keep_the_order_of_the_log():
    found = ranked(random_log(1, 500, 8))
    assert found == sorted(found, key=lambda one: (-one.value, one.seq))
    assert len({one.seq for one in found}) == len(found)
    assert all(one.seq > 0 for one in found)
    # Sessions of one message each; those with the word differ in nothing.
    alike = log_of([(number, 0, 0, 5) for number in range(1, 13)], word=[4, 8, 12])
    assert [one.seq for one in LogRanking(ONE_WORD, alike).order([8, 12, 4])] == [4, 8, 12]


def test_the_message_before_and_the_two_after_are_candidates_too():
    rows = [(1, 0, 0, 5)] * 6 + [(2, 0, 0, 5)]
    assert LogRanking(ONE_WORD, log_of(rows, word=[3])).candidates() == {2, 3, 4, 5}
    assert LogRanking(ONE_WORD, log_of(rows, word=[1])).candidates() == {1, 2, 3}
    assert LogRanking(ONE_WORD, log_of(rows, word=[7])).candidates() == {7}
    assert LogRanking(ONE_WORD, log_of(rows, word=[])).candidates() == set()


def test_a_neighbour_has_no_passage_of_its_own():
    rows = [(1, 0, 0, 5)] * 3
    found = {one.seq: one for one in ranked(log_of(rows, word=[2]), ONE_WORD)}
    assert [found[seq].posting for seq in (1, 2, 3)] == [0, pack_posting(2, 0, 5), 0]
    assert all(one.value > 0 for one in found.values())


def test_of_many_those_that_a_rough_sum_puts_first():
    # 80 sessions of one message; ten messages are an agent's, which count less.
    rows = [(number, int(number % 8 == 0), 0, 5) for number in range(1, 81)]
    ranking = LogRanking(ONE_WORD, log_of(rows, word=range(1, 71)))
    chosen = ranking.candidates()
    assert len(chosen) == CANDIDATES_MAX
    assert not {seq for seq in chosen if seq % 8 == 0}
    assert ranking.candidates(depth=None) == set(range(1, 71))
    assert len(ranking.candidates(depth=5)) == 5


def test_of_many_those_of_the_speaker_who_is_named():
    rows = [(number, 0, 1 + number % 2, 5) for number in range(1, 101)]
    matches = log_of(rows, word=range(1, 101))
    chosen = LogRanking(parse_query("what word did Bo say"), matches).candidates(depth=50)
    assert chosen == set(range(1, 101, 2))
    chosen = LogRanking(parse_query("what word did Ida say"), matches).candidates(depth=50)
    assert chosen == set(range(2, 101, 2))


def test_of_many_those_of_the_session_that_is_about_it():
    # Ten sessions of six messages, one said after the other; only one has the word twice.
    rows = [(1 + at % 10, 0, 0, 5) for at in range(60)]
    ranking = LogRanking(ONE_WORD, log_of(rows, word=[*range(1, 11), 57]))
    # Messages 7 and 57 are of session 7, and first in it and last.
    assert ranking.candidates(depth=2) >= {7, 57}
    assert ranking.bm.best[7] == ranking.bm.best[1]


def test_of_many_only_the_best_bring_their_neighbours():
    # 80 sessions of two messages, the first of which has the word.
    rows = [(1 + at // 2, 0, 0, 5) for at in range(160)]
    chosen = LogRanking(ONE_WORD, log_of(rows, word=range(1, 161, 2))).candidates()
    assert len([seq for seq in chosen if seq % 2]) == CANDIDATES_MAX
    assert len([seq for seq in chosen if not seq % 2]) == NEIGHBOURS_OF_MAX


def test_what_is_near_by_its_vector_is_a_candidate_unless_it_is_gone():
    matches = log_of([(number, 0, 0, 5) for number in range(1, 7)], word=[1])
    matches.columns.session[5] = 0  # erased
    ranking = LogRanking(ONE_WORD, matches, nearest=[3, 5, 0, -1, 7, 1_000_000])
    assert ranking.candidates() == {1, 3}


def test_without_any_word_there_is_what_the_vectors_say():
    matches = LogMatches((), columns_of([(1, 0, 0, 5), (1, 0, 0, 5)]))
    ranking = LogRanking(parse_query("elsewhere"), matches, nearest=[2])
    (found,) = ranking.order(ranking.candidates())
    assert (found.seq, found.posting, math.isfinite(found.value)) == (2, 0, True)


def gained(likeness, base, query=ONE_WORD):
    """Return what a likeness adds to the value of message 1, beside another one."""
    ranking = LogRanking(query, log_of([(1, 0, 0, 5), (2, 0, 0, 5)], word=[1]))
    with_it, without = (ranking.order([1], one)[0].value for one in (likeness, base))
    return with_it - without


def test_each_tier_has_weights_of_its_own():
    near, none = {1: 2.0}, Likeness(meaning={1: 0.0})
    assert gained(Likeness(meaning=near), none) == pytest.approx(0.04 * 2)
    assert gained(replace(none, meaning_near=near), none) == pytest.approx(0.04 * 2)
    empty = replace(none, has_tokens=True)
    assert gained(replace(empty, tokens_near={1: 0.2}), empty) == pytest.approx(0.6)
    assert gained(replace(empty, tokens_rare={1: 0.2}), empty) == pytest.approx(0.14)
    # Tokens make the meaning of the whole needless; without tokens there is nothing else.
    assert gained(replace(empty, meaning=near), empty) == 0
    assert gained(replace(none, tokens_near=near), none) == 0


def test_what_has_no_vector_is_ranked_by_words_among_others_that_have_one():
    others = Likeness(meaning={2: 1.0}, tokens_near={2: 1.0}, has_tokens=True)
    ranking = LogRanking(ONE_WORD, log_of([(1, 0, 0, 5), (2, 0, 0, 5)], word=[1]))
    assert ranking.weights(1, others) == LOG_WEIGHTS["words"]
    assert ranking.weights(2, others) == LOG_WEIGHTS["tokens"]
    assert gained(others, None) == 0


def test_the_tier_follows_from_the_vectors():
    assert tier_of(None) == "words"
    assert tier_of(Likeness()) == "mean"
    assert tier_of(Likeness(has_tokens=True)) == "tokens"
    assert {*TIERS} == LOG_WEIGHTS.keys()
    assert all(tuple(weights) == LOG_FEATURES for weights in LOG_WEIGHTS.values())


def test_with_words_alone_the_weights_are_those_of_words():
    # One message alone: what it has of the question (.35), with its window (.8), the best of the
    # session (.75), all 1 / 2.2 of one word; and of the session (.05) the same.
    (found,) = ranked(log_of([(1, 0, 0, 5)], word=[1]), ONE_WORD)
    assert found.value == pytest.approx((0.35 + 0.8 + 0.75 + 0.05) / 2.2)


def test_a_summary_may_be_what_an_agent_explained_at_length():
    rows = [(1, 1, 0, 400)]
    asked = LogRanking(parse_query("word"), log_of(rows, word=[1])).order([1])
    summed = LogRanking(parse_query("summarise the word"), log_of(rows, word=[1])).order([1])
    # In words, an agent's message is worth no less anyway; length costs .08 for each e-fold.
    assert summed[0].value - asked[0].value == pytest.approx(0.08 * (math.log(401) - 4))


def test_the_order_of_things_wants_messages_of_several_times():
    # Of talks of one message each two beside one another have both words, a far one has one.
    rows = [(number, 0, 0, 5) for number in range(1, 41)]
    matches = log_of(rows, word=[4, 6, 32], tram=[4, 6])
    ranking = LogRanking(parse_query("in which order did word and tram come up"), matches)
    found = ranking.order([4, 6, 32])
    plain = LogRanking(parse_query("word and tram"), matches).order([4, 6, 32])
    assert plain[2].seq == 32
    assert found[1].seq == 32
    assert [one.value for one in found] == pytest.approx([one.value for one in plain])


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


def test_memories_with_vectors():
    def value(likeness):
        fields = {"posting": 0, "importance": 5, "age_days": 0.0, "likeness": likeness}
        return score_memory(1, 0.5, **fields).value

    words = value(None)
    assert value(Likeness({1: 2.0})) - words == pytest.approx(0.06 * 2)
    tokens = Likeness({1: 2.0}, {}, {1: 0.2}, has_tokens=True)
    assert value(tokens) - words == pytest.approx(3 * 0.2)
    assert value(Likeness({9: 2.0})) == value(Likeness(has_tokens=True)) == words
