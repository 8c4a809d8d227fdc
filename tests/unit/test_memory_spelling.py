"""Spelling: what a word that nobody ever said may be a slip of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.memory.spelling import beginnings, guesses, may_be_misspelt, slips


@pytest.mark.parametrize(
    ("one", "other", "count"),
    [
        ("anna", "anna", 0),
        ("deborah", "deboran", 1),
        ("deborah", "deborh", 1),
        ("deborah", "deeborah", 1),
        ("andrew", "anrdew", 1),
        ("andrew", "nadrew", 1),
        ("receive", "recieve", 1),
        ("katharina", "katarine", 2),
        ("schmidt", "schmitt", 1),
        ("melanie", "caroline", 3),
        ("", "", 0),
        ("a", "", 1),
        ("abcd", "badc", 2),
    ],
)
def test_counting_slips(one, other, count):
    assert slips(one, other, 2) == slips(other, one, 2) == count
    assert slips(one, other, 1) == min(count, 2)


WORDS = st.text(alphabet="abc", max_size=7)


@given(WORDS, WORDS)
def test_one_slip_is_found_as_two_would_be(one, other):
    assert slips(one, other, 1) == min(slips(one, other, 2), 2)


@given(WORDS, st.integers(0, 7), st.sampled_from("abc"))
def test_a_letter_more_is_one_slip(word, at, letter):
    assert slips(word, word[:at] + letter + word[at:], 2) == 1


def test_the_likeliest_come_first_and_three_at_most():
    candidates = [("maria", 2), ("marie", 9), ("marla", 1), ("marta", 4), ("bernd", 50)]
    assert guesses("marja", candidates) == [("marta", 4), ("maria", 2), ("marla", 1)]
    assert guesses("zzzzz", candidates) == []


def test_fewer_slips_are_likelier_than_a_more_common_word():
    assert guesses("katherina", [("katharina", 1), ("katerine", 90)]) == [("katharina", 1)]


def test_a_short_word_has_no_wrong_letter():
    # Of words with four letters, nearly every other one is a word.
    assert guesses("jhon", [("john", 1), ("jhin", 5)]) == [("john", 1)]
    assert guesses("dish", [("disc", 3), ("fish", 2)]) == []


def test_two_slips_need_eight_letters():
    assert guesses("katarine", [("katharina", 1)]) == [("katharina", 1)]
    assert guesses("andrea", [("anders", 1)]) == []


@pytest.mark.parametrize(
    ("word", "may"),
    [("anna", True), ("ann", False), ("e0502", False), ("2023", False), ("", False)],
)
def test_numbers_and_codes_are_never_misspelt(word, may):
    assert may_be_misspelt(word) == may


def test_where_candidates_are_looked_for():
    assert beginnings("andrew", 2) == ("an", "na", "nd", "ad")
    assert beginnings("andrew", 3) == ("and", "nad", "adn", "ndr", "adr", "anr")
