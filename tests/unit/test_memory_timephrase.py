"""Time in words: which dates a question names, and how a day fits them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.memory.timephrase import (
    NamedDate,
    asks_when,
    date_match,
    has_temporal_word,
    named_dates,
)

NAMED = [
    ("what happened on 2023-05-07?", [(2023, 5, 7)]),
    ("and in 2023-05?", [(2023, 5, 0)]),
    ("on 7 may 2023", [(2023, 5, 7)]),
    ("on the 7th of may, 2023", [(2023, 5, 7)]),
    ("on may 7, 2023", [(2023, 5, 7)]),
    ("on may 7th", [(0, 5, 7)]),
    ("may 7 2023", [(2023, 5, 7)]),
    ("7 may", [(0, 5, 7)]),
    ("in june 2022", [(2022, 6, 0)]),
    ("june, 2022", [(2022, 6, 0)]),
    ("during june", [(0, 6, 0)]),
    ("june", [(0, 6, 0)]),
    ("sept 3", [(0, 9, 3)]),
    ("3 sep. 2021", [(2021, 9, 3)]),
    ("in 2019", [(2019, 0, 0)]),
    ("since 2019", [(2019, 0, 0)]),
    ("in may", [(0, 5, 0)]),
    ("since march", [(0, 3, 0)]),
    ("on 31 december 2024 and 1 january 2025", [(2024, 12, 31), (2025, 1, 1)]),
    ("2023-05-07 or june 2022", [(2023, 5, 7), (2022, 6, 0)]),
    # No dates:
    ("may i ask?", []),
    ("they march on", []),
    ("you may have 7 apples", []),
    ("i have 2019 apples", []),
    ("the marchers", []),
    ("a decade of junk", []),
    ("2023-13-40", []),
    ("45 june", []),
    ("", []),
    ("room 5", []),
]


@pytest.mark.parametrize(("question", "expected"), NAMED)
def test_the_dates_that_a_question_names(question, expected):
    assert named_dates(question) == [NamedDate(*each) for each in expected]
    assert named_dates(question.upper()) == [NamedDate(*each) for each in expected]


@given(
    st.text(), st.sampled_from(["may 5", "2023-02-30", "sept", "00 june", "\u0665 may", "ſept 5"])
)
def test_any_text_is_read_without_an_error(text, date_like):
    for question in (text, f"{text} {date_like} {text}"):
        for named in named_dates(question):
            assert 0 <= named.month <= 12
            assert 0 <= named.day <= 31
            assert 0.0 <= date_match([named], date(2023, 2, 28).toordinal()) <= 1.0


MATCHES = [
    ((2023, 5, 7), date(2023, 5, 7), 1.0),
    ((2023, 5, 7), date(2023, 5, 8), 0.9),
    ((2023, 5, 7), date(2023, 5, 6), 0.9),
    ((2023, 5, 7), date(2023, 5, 11), 0.6),
    ((2023, 5, 7), date(2023, 5, 30), 0.6),
    ((2023, 5, 7), date(2022, 5, 7), 0.0),
    ((2023, 5, 7), date(2023, 6, 7), 0.0),
    ((0, 5, 7), date(1999, 5, 7), 1.0),
    ((2023, 5, 0), date(2023, 5, 30), 1.0),
    ((2023, 0, 0), date(2023, 11, 30), 0.4),
    ((2023, 0, 0), date(2022, 11, 30), 0.0),
]


@pytest.mark.parametrize(("named", "day", "expected"), MATCHES)
def test_how_a_day_fits(named, day, expected):
    assert date_match([NamedDate(*named)], day.toordinal()) == pytest.approx(expected)


def test_the_best_of_several_dates_counts():
    named = [NamedDate(2022, 1, 1), NamedDate(2023, 5, 7)]
    assert date_match(named, date(2023, 5, 7).toordinal()) == 1.0
    assert date_match([], date(2023, 5, 7).toordinal()) == 0.0
    assert date_match(named, 0) == 0.0


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("when did she leave?", True),
        ("WHEN?", True),
        ("what year was it?", True),
        ("which day", True),
        ("how long did it take", True),
        ("how many weeks ago", True),
        ("how many apples", False),
        ("whenever you like", False),
        ("what a day", False),
        ("where is it", False),
    ],
)
def test_whether_a_question_asks_for_a_time(question, expected):
    assert asks_when(question) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("we met yesterday", True),
        ("last summer", True),
        ("in 2023", True),
        ("2 weeks from now", True),
        ("on monday", True),
        ("10 hours", True),
        ("in june", True),
        ("soup is good", False),
        ("12 apples", False),
        ("12345 apples", False),
    ],
)
def test_whether_a_text_places_something_in_time(text, expected):
    assert has_temporal_word(text, frozenset(text.split())) is expected
