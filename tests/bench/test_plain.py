import math

import apsw
import pytest

from lifelong import log
from lifelong.bench.plain import PlainIndex, PlainStore, plain_match
from lifelong.clock import ManualClock
from lifelong.messages import Message

SAID = [
    "Ana: the cat sleeps",
    "Ben: a cat and another cat",
    "Ana: dogs bark at night",
    "Ben: it rains",
    "Ana: my dog sleeps",
]


def bm25(times: int, having: int, words: int) -> float:
    """Score a term by the textbook: k1 1.2, b .75; five texts of 4.4 words in the mean."""
    idf = math.log((5 - having + 0.5) / (having + 0.5))
    return idf * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * words / 4.4))


def test_the_floor_ranks_by_bm25():
    # Given that "cat" is in two texts, and "sleep", stemmed, in two
    scores = {
        0: bm25(1, 2, 4) + bm25(1, 2, 4),
        1: bm25(2, 2, 6),
        4: bm25(1, 2, 4),
    }
    # When both are asked for
    ranked = PlainIndex(SAID).rank("Where does the cat sleep?", 10)
    # Then the order is that of the scores, 2 x .349, .420 and .349
    assert ranked == sorted(scores, key=lambda number: -scores[number])
    assert ranked == [0, 1, 4]


def test_a_shorter_text_ranks_above_a_longer_one_with_the_same_words():
    assert PlainIndex(["tea and cake and more", "tea", "milk", "wine"]).rank("tea", 5) == [1, 0]


def test_the_floor_gives_no_more_than_it_is_asked_for():
    assert PlainIndex(SAID).rank("cat sleeps", 2) == [0, 1]


def test_the_floor_finds_a_speaker():
    assert set(PlainIndex(SAID).rank("Ben", 5)) == {1, 3}


@pytest.mark.parametrize(
    ("question", "match"),
    [
        ("Where did the cat sleep, the CAT?", '"cat" OR "sleep"'),
        ("What is it?", '"what" OR "is" OR "it"'),
        ("Ana's 2nd café", '"ana" OR "2nd" OR "café"'),
        ('"; DROP NEAR(a b) * -x', '"drop" OR "near" OR "b" OR "x"'),
        ("?!", ""),
    ],
)
def test_a_question_becomes_quoted_words(question: str, match: str):
    assert plain_match(question) == match


def test_a_question_without_words_finds_nothing():
    assert PlainIndex(SAID).rank("?!", 5) == []


@pytest.mark.parametrize(("has_text", "texts"), [(True, 2), (False, 0)])
def test_the_plain_store_holds_what_was_added(tmp_path, has_text: bool, texts: int):
    said = tuple(Message.of("user", text) for text in ("one", "two"))
    rows = log.message_rows(log.Cleaned(said), ManualClock())
    with PlainStore(tmp_path / "plain.db", has_text=has_text) as store:
        store.add_messages("s", rows)
        for number in range(2):
            store.add_memory(f"mem_{number}", "likes tea", 1.5)

    connection = apsw.Connection(str(tmp_path / "plain.db"))
    counted = {
        name: connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0]
        for name in ("memory", "message", "memory_text", "message_text", "memory_history")
    }
    connection.close()
    assert counted == {
        "memory": 2,
        "message": 2,
        "memory_text": texts,
        "message_text": texts,
        "memory_history": texts,
    }
