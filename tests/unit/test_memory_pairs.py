"""Pairs: what is marked as older and newer, and what is better not."""

from dataclasses import replace

import pytest
from answers import memory, message, result

from lifelong.memory.pairs import DEPTH, Topic, find_pairs
from lifelong.records import Trust

QUESTION = "How long is the daily standup meeting?"
WEIGHTS = {"daily": 3.0, "standup": 4.0, "meet": 2.0, "long": 1.0}
ALL = frozenset(WEIGHTS)

OLD = "The daily standup meeting takes 30 minutes."
NEW = "Our daily standup meeting now takes 45 minutes."


def pairs(*hits, question=QUESTION, held=ALL):
    found = find_pairs(hits, Topic(question, WEIGHTS, {hit.place: held for hit in hits}))
    return [(pair.older[1], pair.newer[1], pair.older_value, pair.newer_value) for pair in found]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_newer_value_and_the_older_one(order):
    hits = [message(OLD, 1), message(NEW, 2)]
    assert pairs(*(hits[at] for at in order)) == [("m1", "m2", "30 minutes", "45 minutes")]


DIFFERENT = [
    ("The standup meeting takes thirty minutes", "The standup meeting takes 45 minutes"),
    ("The daily standup meeting is at 9:30", "The daily standup meeting is at 10 AM"),
    ("Standup meeting budget is $1,200", "Standup meeting budget is 1500 dollars"),
    ("Standup meeting attendance is 80%", "Standup meeting attendance is 95 percent"),
    ("Standup meeting on Monday, daily now", "Standup meeting on Friday, daily now"),
    ("The daily standup meeting is on May 5", "The daily standup meeting is on 2024-05-07"),
    ("The standup meeting runs on Zoom v5.1", "The standup meeting runs on Zoom v6.0"),
]


@pytest.mark.parametrize(("old", "new"), DIFFERENT)
def test_values_of_many_kinds(old, new):
    assert len(pairs(message(old, 1), message(new, 2))) == 1


SAME_OR_UNLIKE = [
    (OLD, "The daily standup meeting takes thirty minutes."),
    (OLD, "The daily standup meeting takes 45 people."),
    (OLD, "The daily standup meeting costs 45%."),
    (OLD, "It went from 30 minutes to 45 minutes, the daily standup meeting."),
    (OLD, "The lunch break lasts 45 minutes."),
    ("The standup meeting was on May 5", "The other standup was on June 7"),
    ("Standup meeting on Zoom v5.1", "Standup meeting on Slack v6.0"),
    ("The standup meeting is 3 years old", "The standup meeting is 4 years old"),
    (OLD, "The daily standup meeting goes on."),
]


@pytest.mark.parametrize(("old", "new"), SAME_OR_UNLIKE)
def test_what_may_be_of_two_things_is_not_marked(old, new):
    assert pairs(message(old, 1), message(new, 2)) == []


def test_both_must_have_a_good_part_of_the_question():
    hits = message(OLD, 1), message(NEW, 2)
    assert pairs(*hits, held=frozenset({"meet"})) == []
    assert len(pairs(*hits, held=frozenset({"daily"}))) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"speaker": "Ben"},
        {"role": "assistant", "trust": Trust.MODEL},
        {"role": "tool", "trust": Trust.UNTRUSTED},
        {"order": 1},
    ],
)
def test_only_the_words_of_one_person_and_only_in_a_known_order(fields):
    old = message(OLD, 1, speaker="Ana")
    new = message(NEW, 2, speaker="Ana")
    assert len(pairs(old, new)) == 1
    assert pairs(old, replace(new, **fields)) == []


def test_inside_a_session_the_order_counts_and_else_the_time():
    late = message("", 9).at
    first = message(OLD, 1, at=late)
    assert pairs(first, message(NEW, 2)) == [("m1", "m2", "30 minutes", "45 minutes")]
    other = message(NEW, 2, session_id="t")
    assert pairs(first, other) == [("m2", "m1", "45 minutes", "30 minutes")]
    assert pairs(first, replace(other, at=late)) == []


def test_what_is_less_trusted_never_outdates_what_is_more():
    said, page = message(OLD, 1), memory(NEW, 2, trust=Trust.UNTRUSTED)
    derived = memory(NEW, 2, trust=Trust.MODEL)
    assert pairs(said, page) == []
    assert pairs(said, derived) == []
    assert len(pairs(said, memory(NEW, 2))) == 1
    assert len(pairs(memory(OLD, 1, trust=Trust.MODEL), message(NEW, 2))) == 1
    assert pairs(result(OLD, 1), result(NEW, 2)) == []


def test_a_replaced_memory_always_pairs():
    new = memory("Office is in Malmo", 2)
    old = memory("Office is in Lund", 1, superseded_by=new.id)
    texts = "Office is in Lund", "Office is in Malmo"
    assert pairs(new, old, held=frozenset()) == [(old.id, new.id, *texts)]
    keyed = [memory("in Lund", 1, key="home"), memory("in Malmo", 2, key="home")]
    assert len(pairs(*keyed, held=frozenset())) == 1
    elsewhere = memory("in Malmo", 2, key="home", namespace=("work",))
    assert pairs(keyed[0], elsewhere, held=frozenset()) == []
    times = [memory("Gate 4 opens at 9:30", 1, key="g"), memory("It opens at 10:30", 2, key="g")]
    assert pairs(*times, held=frozenset())[0][2:] == ("9:30", "10:30")


def test_never_against_what_was():
    asked = "Have I ever met Bryan at a film festival?"
    met = message("I met Bryan at the Montserrat film festival", 1)
    never = message("I've never met Bryan at any film festival, so who is he?", 2)
    assert pairs(met, never, question=asked) == [
        ("m1", "m2", "otherwise", "never met Bryan at any film festival")
    ]
    again = message("I met Bryan at another film festival", 3)
    assert pairs(never, again, question=asked) == [
        ("m2", "m3", "never met Bryan at any film festival", "otherwise")
    ]
    assert pairs(never, replace(never, id="m9", order=9), question=asked) == []
    assert pairs(never, message("I like festivals", 3), question=asked) == []


def test_a_hit_is_the_older_of_one_pair_and_the_newer_of_one():
    third = message("The daily standup meeting takes 60 minutes", 3)
    found = pairs(message(NEW, 2), message(OLD, 1), third)
    assert found == [
        ("m1", "m2", "30 minutes", "45 minutes"),
        ("m2", "m3", "45 minutes", "60 minutes"),
    ]


def test_only_the_best_hits_are_looked_at():
    others = [message("Nothing here", number) for number in range(3, DEPTH + 2)]
    assert pairs(message(OLD, 1), *others, message(NEW, 2)) == []
    assert pairs() == []
