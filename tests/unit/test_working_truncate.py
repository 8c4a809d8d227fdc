"""Shortening: within the limit, valid text, no character cut in two."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import InvalidValue
from lifelong.working.tokens import estimate_tokens
from lifelong.working.truncate import truncate

UNITS = {
    "characters": len,
    "bytes": lambda text: len(text.encode()),
    "tokens": estimate_tokens,
}

FAMILY = "👨‍👩‍👧‍👦"
FLAG = "🇩🇪"
WAVE = "👋🏽"
HEART = "❤️"
KEYCAP = "1️⃣"
ACCENTED = "e\u0301"
SCOTLAND = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
HINDI = "क्षि"
WHOLE = [FAMILY, FLAG, WAVE, HEART, KEYCAP, ACCENTED, SCOTLAND, HINDI, "a", "é", "今", "\r\n"]


def test_what_fits_is_left_as_it_is():
    assert truncate("short", 5, unit="characters") == "short"
    assert truncate("", 5) == ""


def test_head_and_tail_are_kept_around_the_marker():
    assert truncate("abcdefghij", 7, unit="characters") == "abc…hij"
    assert truncate("abcdefghij", 6, unit="characters") == "abc…ij"
    assert truncate("abcdefghij", 8, unit="characters", marker=" [cut] ") == "a [cut] "
    assert truncate("abcdefghij", 7, unit="bytes") == "ab…ij"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_of_nothing_gives_nothing(unit, limit):
    assert truncate("abc", limit, unit=unit) == ""


def test_when_not_even_the_marker_fits_nothing_is_left():
    assert truncate("abcdefghij", 2, unit="bytes") == ""
    assert truncate("abcdefghij", 3, unit="bytes") == "…"
    assert truncate("abcdefghij", 4, unit="characters", marker="[cut]") == ""


def test_an_unknown_unit_is_named():
    with pytest.raises(InvalidValue, match="words"):
        truncate("abc", 1, unit="words")


@pytest.mark.parametrize("whole", WHOLE)
@pytest.mark.parametrize("unit", UNITS)
def test_no_character_is_cut_in_two(whole, unit):
    text = whole * 40
    for limit in range(1, UNITS[unit](text)):
        cut = truncate(text, limit, unit=unit)
        head, _, tail = cut.partition("…")
        assert head == whole * (len(head) // len(whole))
        assert tail == whole * (len(tail) // len(whole))
        assert UNITS[unit](cut) <= limit


def test_flags_in_a_row_stay_the_same_flags():
    flags = "🇩🇪🇫🇷🇪🇸🇵🇱🇨🇿"
    assert truncate(flags, 8, unit="characters") == "🇩🇪🇫🇷…🇨🇿"
    assert truncate(flags, 6, unit="characters") == "🇩🇪…🇨🇿"


def test_a_character_without_end_is_cut_after_all():
    # Given a letter under 10,000 accents: the limit holds, and it takes no time
    cut = truncate("e" + "\u0301" * 10_000, 500, unit="characters")
    assert 300 < len(cut) <= 500


texts = st.text(st.characters(exclude_categories=["Cs"])) | st.lists(st.sampled_from(WHOLE)).map(
    "".join
)


@given(
    texts, st.integers(-2, 60), st.sampled_from(list(UNITS)), st.sampled_from(["…", "", " [cut] "])
)
def test_whatever_is_cut_is_within_the_limit_and_from_the_text(text, limit, unit, marker):
    cut = truncate(text, limit, unit=unit, marker=marker)
    size = UNITS[unit]
    cut.encode()
    assert size(cut) <= max(limit, 0)
    if limit > 0 and size(text) <= limit:
        assert cut == text
    elif cut:
        assert any(
            text.startswith(cut[:at]) and text.endswith(cut[at + len(marker) :])
            for at in range(len(cut) - len(marker) + 1)
            if cut[at : at + len(marker)] == marker
        )


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=30), st.integers(4, 29))
def test_as_much_is_kept_as_fits(text, limit):
    # Given plain letters, where nothing but the limit decides
    plain = "".join(chr(97 + ord(character) % 26) for character in text)
    assert len(truncate(plain, limit, unit="characters")) == limit


def test_a_counter_of_ones_own_is_asked():
    cut = truncate("one two three four five six", 4, count=lambda text: len(text.split()))
    assert len(cut.split()) <= 4
    assert cut.startswith("one")
    assert cut.endswith("six")


def test_a_long_text_is_cut_at_once():
    text = "It rained all day in Oslo, and nobody came. " * 20_000
    begin = time.perf_counter()
    cut = truncate(text, 500)
    # About 10 ms; to measure halves of the whole would take 20 times as long.
    assert time.perf_counter() - begin < 0.5
    assert 400 < estimate_tokens(cut) <= 500
