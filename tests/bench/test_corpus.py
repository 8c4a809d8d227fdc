from collections import Counter
from itertools import islice
from statistics import mean

import pytest

from lifelong.bench.corpus import SHORT, Corpus
from lifelong.errors import InvalidValue


def first_sessions(count: int, seed: int = 0):
    return list(islice(Corpus(seed).sessions(), count))


def test_one_seed_makes_one_text_and_another_seed_another():
    assert first_sessions(2) == first_sessions(2)
    assert first_sessions(1) != first_sessions(1, seed=1)
    assert Corpus().questions(5, 9) == Corpus().questions(5, 9)
    assert Corpus().facts(5) == Corpus().facts(5)


def test_more_sessions_leave_the_first_ones_as_they_are():
    assert first_sessions(3)[:1] == first_sessions(1)


def test_a_session_is_a_talk_of_a_user_and_an_assistant_in_order():
    for _, messages in first_sessions(5):
        assert 20 <= len(messages) <= 60
        assert [message.role for message in messages[:4]] == ["user", "assistant"] * 2
        times = [message.sent_at for message in messages]
        assert times == sorted(times)


def test_session_ids_are_distinct():
    assert len({session for session, _ in first_sessions(20)}) == 20


def test_assistants_say_more_and_some_of_it_is_longer_than_a_passage():
    words = {"user": [], "assistant": []}
    for _, messages in first_sessions(10):
        for message in messages:
            words[message.role].append(len(message.text.split()))
    assert mean(words["assistant"]) > 3 * mean(words["user"])
    assert max(words["user"]) <= 60
    assert max(words["assistant"]) > 130


def test_few_words_make_up_much_of_the_text_and_many_are_rare():
    said = Counter(
        word.strip(".").lower()
        for _, messages in first_sessions(20)
        for message in messages
        for word in message.text.split()
    )
    often = [times for _, times in said.most_common()]
    assert said.most_common(1)[0][0] == "the"
    assert 0.2 < sum(often[:10]) / sum(often) < 0.35
    assert 0.7 < sum(often[:1_000]) / sum(often) < 0.9
    assert sum(times == 1 for times in often) > len(often) / 4


def test_a_question_asks_for_words_that_were_said_and_for_rarer_ones():
    messages = [message for _, messages in first_sessions(10) for message in messages]
    texts = [set(message.text.lower().replace(".", "").split()) for message in messages]
    having = Counter(word for text in texts for word in text)
    for question in Corpus().questions(20, 10):
        shares = [having[word] / len(texts) for word in question.lower().strip("?").split()]
        assert max(shares) > 0.02
        assert min(shares) < 0.02


def test_facts_are_short_and_distinct():
    facts = Corpus().facts(200)
    assert len(set(facts)) == 200
    assert all(8 <= len(fact.split()) <= 24 for fact in facts)


def test_in_short_chat_two_people_talk_and_one_of_them_is_always_there():
    sessions = list(islice(Corpus(kind=SHORT).sessions(), 30))
    words = []
    for _, messages in sessions:
        assert 12 <= len(messages) <= 32
        assert {message.role for message in messages} == {"user"}
        assert len({message.speaker for message in messages}) == 2
        assert messages[0].speaker == sessions[0][1][0].speaker
        words += [len(message.text.split()) for message in messages]
    assert len({messages[1].speaker for _, messages in sessions}) > 5
    assert 20 < mean(words) < 30


def test_a_question_to_short_chat_names_a_speaker():
    speakers = {
        m.speaker for _, messages in islice(Corpus(kind=SHORT).sessions(), 20) for m in messages
    }
    for question in Corpus(kind=SHORT).questions(20, 20):
        assert len(speakers.intersection(question.split())) == 1


def test_there_is_no_other_kind():
    with pytest.raises(InvalidValue, match="none of mixed, short"):
        Corpus(kind="tall")
