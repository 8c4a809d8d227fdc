"""Words: how text is folded, cut into terms, compared and asked for."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.memory import terms as terms_module
from lifelong.memory.terms import (
    STOP_WORDS,
    WORDS_MAX_IN_QUERY,
    fold,
    index_text,
    parse_query,
    text_hash,
    unspaced_characters,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("The TRAM", "the tram"),
        ("Ma\u0301laga", "m\u00e1laga"),
        ("\uff21\uff22\uff2312", "abc12"),
        ("Stra\u00dfe", "strasse"),
        ("\ufb01n", "fin"),
        ("ｶﾞ", "ガ"),
        ("\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "\u05e9\u05dc\u05d5\u05dd"),
        ("\u0645\u064f\u062d\u064e\u0645\u0651\u064e\u062f", "\u0645\u062d\u0645\u062f"),
        ("\u03a3\u03c2", "\u03c3\u03c3"),
        ("", ""),
        (" a  b\n", " a  b\n"),
    ],
)
def test_folding(text, folded):
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("text", "indexed"),
    [
        ("The tram", "the tram"),
        ("仓库钥匙", " 仓库 库钥 钥匙 匙 "),
        ("匙", " 匙 "),
        ("db钥匙v2", "db 钥匙 匙 v2"),
        ("在 db 里", " 在  db  里 "),
        ("ключ", "ключ"),
        ("서울", " 서울 울 "),
    ],
)
def test_the_form_of_the_index(text, indexed):
    assert index_text(text) == indexed


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 0), ("tram", 0), ("仓库", 2), ("db钥匙v2", 2), ("あa가", 2), ("ключ", 0)],
)
def test_counting_characters_without_spaces(text, count):
    assert unspaced_characters(text) == count


@pytest.mark.parametrize(
    ("question", "words", "prefixes"),
    [
        ("Where is the tram?", ("tram",), ()),
        ("tram TRAM Tram", ("tram",), ()),
        ("what is it", ("what", "is", "it"), ()),
        ("KTX-207", ("ktx", "207"), ()),
        ("C++", ("c",), ()),
        ("snake_case", ("snake", "case"), ()),
        ("don't", ("don",), ()),
        ("仓库钥匙", ("仓库", "库钥", "钥匙"), ()),
        ("匙", (), ("匙",)),
        ("db钥匙 v2", ("db", "钥匙", "v2"), ()),
        ("在 db", ("db",), ("在",)),
        ("Ma\u0301laga flat", ("m\u00e1laga", "flat"), ()),
        ("", (), ()),
        ("?! \u3000 ***", (), ()),
    ],
)
def test_the_words_of_a_question(question, words, prefixes):
    asked = parse_query(question)
    assert (asked.words, asked.prefixes) == (words, prefixes)
    assert asked.is_empty == (not words and not prefixes)


def test_a_question_has_so_many_words_at_most():
    words = [f"w{number}" for number in range(2_000)]
    assert parse_query(" ".join(words)).words == tuple(words[:WORDS_MAX_IN_QUERY])


def test_single_characters_count_as_words_do():
    # Each is looked up by itself, as a word is.
    asked = parse_query(" ".join(chr(0x4E00 + number) for number in range(2_000)))
    assert len(asked.words) + len(asked.prefixes) <= WORDS_MAX_IN_QUERY


def test_a_long_run_without_spaces_is_limited_too():
    asked = parse_query("".join(chr(0x4E00 + number) for number in range(5_000)))
    assert len(asked.words) <= WORDS_MAX_IN_QUERY


def test_stop_words_are_words_as_the_question_has_them():
    assert all(word == fold(word) for word in STOP_WORDS)
    assert len(STOP_WORDS) == 63


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea", "likes  TEA "),
        ("Ma\u0301laga", "M\u00e1laga"),
        ("a\n\tb", "a b"),
        ("\uff34ea", "tea"),
    ],
)
def test_equal_texts_have_one_hash(one, other):
    assert text_hash(one) == text_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("day 3", "day 13"),
        ("v2.1.0", "v2.1.1"),
        ("is nuts", "is not nuts"),
        ("ab", "a b"),
        ("C", "C++"),
        ("-5", "5"),
        ("4\u00b2", "42"),
        ("\u00bd", "1/2"),
        ("\u05e9\u05c1\u05dd", "\u05e9\u05c2\u05dd"),
        ("\u0645\u062d", "\u0645\u062e"),
    ],
)
def test_different_texts_have_two(one, other):
    assert text_hash(one) != text_hash(other)


@given(st.text())
def test_a_text_and_its_decomposed_form_are_one(text):
    decomposed = unicodedata.normalize("NFD", text)
    assert fold(decomposed) == fold(text)
    assert text_hash(decomposed) == text_hash(text)
    assert parse_query(decomposed) == parse_query(text)


@given(st.text(alphabet=st.characters(categories=("L", "N", "P", "Zs"))))
def test_each_word_of_a_question_is_a_word_of_the_same_text(text):
    # Both sides cut alike, so whoever repeats a text finds it.
    terms = set(terms_module._WORD.findall(index_text(text)))
    for word in parse_query(text).words:
        assert word in terms


@given(st.text(alphabet="仓库钥匙在抽屉里", min_size=1))
def test_each_character_without_spaces_begins_a_term(text):
    terms = index_text(text).split()
    assert all(any(term.startswith(character) for term in terms) for character in text)
    assert len(terms) == len(text)
