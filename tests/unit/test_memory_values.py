"""Values in a text: what they mean, how they are shown, and what is none."""

import pytest

from lifelong.memory.values import denials, values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("thirty minutes", [("count", "30", "thirty minutes")]),
        ("a 4-week course", [("count", "4", "4-week course")]),
        ("it takes 250ms now", [("count", "250", "250ms")]),
        ("4,500 words to submit", [("count", "4500", "4,500 words")]),
        ("twenty-five books", [("count", "25", "twenty-five books")]),
        ("5-7 months", [("count", "5-7", "5-7 months")]),
        ("$6,200 or $3k", [("money", "6200", "$6,200"), ("money", "3000", "$3k")]),
        ("2 million dollars", [("money", "2000000", "2 million dollars")]),
        ("$1234567", [("money", "1234567", "$1234567")]),
        ("12.5 percent, 15%", [("percent", "12.5", "12.5 percent"), ("percent", "15", "15%")]),
        ("at 3 PM", [("clock", "15:00", "3 PM")]),
        ("at 12 a.m. or 12:30 pm", [("clock", "0:00", "12 a.m."), ("clock", "12:30", "12:30 pm")]),
        ("April 5, 2024", [("date", "4/5", "April 5, 2024")]),
        ("5th of April", [("date", "4/5", "5th of April")]),
        ("2024-04-05", [("date", "4/5", "2024-04-05")]),
        ("on Tuesdays", [("weekday", "tuesday", "Tuesdays")]),
        ("Flask v2.3", [("version", "2.3", "v2.3")]),
        ("Flask 2.3.1", [("version", "2.3.1", "2.3.1")]),
        ("one of them, 3 years old, 2 weeks ago, 7", []),
        ("```\n45 minutes\n```", []),
        ("```\n45 minutes without an end", []),
        ("May is fine, and so is x2", []),
        ("", []),
    ],
)
def test_a_value_is_found_with_what_it_means(text, found):
    assert [(one.kind, one.meaning, one.shown) for one in values(text)] == found


@pytest.mark.parametrize(
    "text", ["\u0663 days", "\u00b2 days", "9" * 5_000 + " days", "9999-99-99", "99:99", "$9e9"]
)
def test_odd_digits_raise_nothing(text):
    assert isinstance(values(text), list)


def test_the_words_around_tell_what_it_is_a_value_of():
    (value,) = values("Nothing else. My monthly budget for books is $35 now.")
    assert value.context == {"month", "budget", "book"}


def test_what_is_denied_ends_with_its_clause():
    text = "I've never met Bryan at any film festival, but I like films. He never calls"
    assert [one.shown for one in denials(text)] == [
        "never met Bryan at any film festival",
        "never calls",
    ]
    assert denials("Nevertheless we met") == []
