"""Supersession: what replaces, what only contradicts, and what is about something else."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.memory.statements import parse_statement
from lifelong.memory.supersede import CONFLICT, REPLACES, UNRELATED, relation, search_words

REPLACED = [
    # old, new: D25, where a replacement and a conflict are both truthful; D26, D27
    ("Rent is due on day 3", "Rent is due on day 13"),
    ("Server runs v2.1.0", "Server runs v2.1.1"),
    ("Budget is 40k", "Budget is 400k"),
    ("Sam likes spicy food", "Sam no longer likes spicy food"),
    ("Office is in Lund", "Office is in Malmo"),
    # places
    ("Sam lives in Berlin", "Sam moved to Paris"),
    ("lives in Berlin", "moved to Paris"),
    ("I live in Berlin", "I moved to Munich last week"),
    ("The user lives in Berlin", "I moved to Munich"),
    # amounts, dates, versions
    (
        "The dashboard API's average response time is 250ms",
        "The dashboard API's average response time is 400ms",
    ),
    ("The deadline for the report is May 3", "The deadline for the report is May 5"),
    ("Ann has 2 cats", "Ann has 3 cats"),
    ("Sam is 30 years old", "Sam is 31 years old"),
    ("The pharmacy opens at 8 AM", "The pharmacy opens at 9 AM"),
    ("Project uses Python 3.11", "Project uses Python 3.12"),
    ("The team has 5 members", "The team now has 7 members"),
    ("Timeout: 30 seconds", "Timeout: 60 seconds"),
    # attributes with one value
    ("My favorite color is blue", "My favourite colour is green"),
    ("My phone number is 555-1234", "My new phone number is 555-9876"),
    ("Password is hunter2", "Password is hunter3"),
    ("Ann works at Acme", "Ann works at Globex"),
    ("The build is green", "The build is red"),
    ("Ann is married", "Ann is divorced"),
    ("Status: open", "Status: closed"),
    # words of change
    ("The meeting is on Tuesday", "The meeting was moved to Thursday"),
    ("Sam drinks coffee", "Sam drinks tea instead of coffee"),
    ("Sam uses Emacs", "Sam switched from Emacs to Vim"),
    ("Sam uses Vim", "Sam now uses Helix"),
    ("Sam smokes", "Sam quit smoking"),
    ("Sam likes spicy food", "Sam does not like spicy food anymore"),
    ("Sam does not eat meat", "Sam now eats meat"),
    (
        "Scheduled a call with Professor Imani on March 22 at 3 PM to go over my thesis.",
        "The scheduled call with Professor Imani was moved to March 22 at 4:30 PM.",
    ),
    (
        "The photo library contains 45 albums, sorted by year.",
        "The photo library now includes 52 albums.",
    ),
    # other languages
    ("Ich wohne in Berlin", "Ich wohne jetzt in Hamburg"),
    ("Ich esse Fleisch", "Ich esse kein Fleisch mehr"),
    ("Vivo en Madrid", "Ahora vivo en Sevilla"),
    ("Me gusta el café", "Ya no me gusta el café"),
    ("我住在北京", "我搬到上海了"),
    ("我喜欢咖啡", "我不再喜欢咖啡"),
    ("预算是40万", "预算是400万"),
]

IN_CONFLICT = [
    ("Lea is allergic to nuts", "Lea is not allergic to nuts"),
    ("Sam does not eat meat", "Sam eats meat"),
    ("Sam no longer likes tea", "Sam likes tea"),
    ("The meeting is on Tuesday", "The meeting is on Thursday"),
    ("He lives in Rome", "He lives in Oslo"),
    ("The key is in the drawer", "The key is in the kitchen"),
    ("The train to Lund leaves at 9:00", "The train to Lund leaves at 10:00"),
    ("I met Kyle at a sneaker expo in 2018", "I've never met Kyle at a sneaker expo"),
    ("Ich esse Fleisch", "Ich esse kein Fleisch"),
    ("Me gusta el café", "No me gusta el café"),
    ("我喜欢咖啡", "我不喜欢咖啡"),
    ("My budget is 40 euros. My cat is called Mia.", "My budget is 50 euros"),
]

APART = [
    # more than one value at a time
    ("Sam likes tea", "Sam likes coffee"),
    ("Sam likes tea", "Sam now likes coffee"),
    ("Sam speaks French", "Sam speaks Spanish"),
    ("Sam visited Rome", "Sam visited Oslo"),
    ("Ann owns a car", "Ann owns a boat"),
    ("Lea is allergic to nuts", "Lea is allergic to milk"),
    ("Ann knows Bo", "Ann knows Cy"),
    ("Sam uses Vim", "Sam uses Docker"),
    ("Ann is a nurse", "Ann is a mother"),
    ("Ann has a cat", "Ann has a dog"),
    ("Sam lives in Berlin", "Sam also lives in Paris"),
    ("Ich mag Tee", "Ich mag Kaffee"),
    ("Me gusta el té", "Me gusta el café"),
    ("我喜欢茶", "我喜欢咖啡"),
    # another subject, another attribute
    ("Ann lives in Berlin", "Bob lives in Paris"),
    ("My sister's name is Eva", "My brother's name is Tom"),
    ("Invoice 12 is due Monday", "Invoice 13 is due Monday"),
    ("Port of server A is 80", "Port of server B is 81"),
    ("The deadline for the report is May 3", "The deadline for the essay is May 5"),
    ("Sam's rent is 900", "Sam's age is 30"),
    # one place around another, the past, events
    ("Sam lives in Berlin", "Sam lives in Germany"),
    ("Sam lives in Paris, France", "Sam lives in France"),
    ("Sam lived in Oslo", "Sam lives in Rome"),
    ("Met Bob on Monday", "Met Bob on Tuesday"),
    ("Ann bought 3 books", "Ann bought 5 books"),
    ("I am happy that I cooked 3 dinners", "I am happy that I cooked 5 dinners"),
    # the same
    ("Ann has two cats", "Ann has 2 cats"),
    ("App uses Bootstrap v5.3.0", "App uses Bootstrap 5.3.0"),
    ("", ""),
    ("", "Sam lives in Berlin"),
]


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_a_new_value_replaces_the_old_one(old: str, new: str):
    found = relation(new, old)
    assert found.kind == REPLACES, found
    assert found.reason
    assert found.older_value != found.newer_value


@pytest.mark.parametrize(("old", "new"), IN_CONFLICT)
def test_what_nobody_can_be_sure_of_is_a_conflict(old: str, new: str):
    assert relation(new, old).kind == CONFLICT


@pytest.mark.parametrize(("old", "new"), APART)
def test_what_may_hold_together_is_left_alone(old: str, new: str):
    assert relation(new, old).kind == UNRELATED


def test_the_values_are_shown_as_they_are_written():
    assert relation("Rent is due on day 13", "Rent is due on day 3")[1:3] == ("3", "13")
    assert relation("Sam moved to Paris", "Sam lives in Berlin")[1:3] == ("Berlin", "Paris")
    assert relation("Server runs v2.1.1", "Server runs v2.1.0")[1:3] == ("v2.1.0", "v2.1.1")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pair
        for pair in IN_CONFLICT
        if "no longer" not in pair[0] and parse_statement(pair[0]).is_one_fact
    ],
)
def test_a_conflict_is_seen_from_both_sides(old: str, new: str):
    assert relation(old, new).kind == CONFLICT


@given(st.text(max_size=80))
def test_nothing_replaces_itself(text: str):
    assert relation(text, text).kind == UNRELATED


WORDS = st.sampled_from(
    "Sam Ann lives in Berlin Paris is 3 13 not no longer now from to moved likes has cats my budget"
    " , . 我 住 在 不 instead of May".split()
)


@given(st.lists(WORDS, max_size=10).map(" ".join), st.lists(WORDS, max_size=10).map(" ".join))
def test_any_two_texts_have_a_relation(new: str, old: str):
    found = relation(new, old)
    assert found.kind in (UNRELATED, CONFLICT, REPLACES)
    assert bool(found.reason) == (found.kind != UNRELATED)


@pytest.mark.parametrize("unit", ["moved to ", "now is ", "never ", "increased ", "不", "5 ", "a,"])
def test_a_long_text_takes_no_long_time(unit: str):
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    assert relation(text, text[:590]).kind == UNRELATED
    relation(text[:590], text[3:580])
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("Sam moved to Paris", {"sam", "lives"}),
        ("My new phone number is 555-9876", {"phone", "number"}),
        ("Sam no longer likes spicy food", {"spicy", "food"}),
        ("我搬到上海了", {"上海"}),
    ],
)
def test_search_words_find_what_could_be_replaced(text: str, needed: set[str]):
    found = search_words(text)
    assert needed <= set(found)
    assert len(found) <= 20


def test_search_words_of_nothing_are_none():
    assert search_words("") == ()
