"""Words: how text is folded, cut into terms, compared and asked for."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.memory import terms as terms_module
from lifelong.memory.terms import (
    WORDS_MAX_IN_QUERY,
    fold,
    index_text,
    parse_query,
    text_hash,
    unspaced_characters,
)
from lifelong.rows import Beginning


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
        ("call getUserName(x)", "call getusername(x) get user name"),
        ("getUserName of the user", "getusername of the user get name"),
        ("仓库getId", " 仓库 库 getid get id"),
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
    ("question", "words", "characters"),
    [
        ("Where is the tram?", ("tram",), ()),
        ("tram TRAM Tram", ("tram",), ()),
        ("what is it", ("what", "is", "it"), ()),
        ("KTX-207", ("ktx", "207", "ktx-207"), ()),
        ("C++", ("c",), ()),
        ("snake_case", ("snake", "case", "snake_case"), ()),
        ("don't", ("don",), ()),
        ("a far-off tram", ("far", "off", "tram"), ()),
        ("isReady and is_ready", ("isready", "ready", "is_ready"), ()),
        ("仓库钥匙", ("仓库", "库钥", "钥匙"), ()),
        ("匙", (), ("匙",)),
        ("db钥匙 v2", ("db", "v2", "钥匙"), ()),
        ("在 db", ("db",), ("在",)),
        ("仓库的钥匙在哪里？", ("仓库", "钥匙", "匙在"), ()),
        ("什么", ("什么",), ()),
        ("Ma\u0301laga flat", ("m\u00e1laga", "flat"), ()),
        ("", (), ()),
        ("?! \u3000 ***", (), ()),
        ("\x01", (), ()),
    ],
)
def test_the_words_of_a_question(question, words, characters):
    asked = parse_query(question)
    assert (asked.words, asked.prefixes) == (words, tuple(Beginning((c,)) for c in characters))
    assert asked.is_empty == (not words and not characters)


def test_words_of_another_language_are_looked_for_in_all_their_forms():
    asked = parse_query("Wann hat Anna die Häuser in src/main.py verkauft?")
    assert asked.words == ("src", "main", "py", "src/main.py", "main.py")
    assert [(one.word, one.language) for one in asked.prefixes] == [
        ("anna", "de"),
        ("häuser", "de"),
        ("verkauft", "de"),
    ]
    assert asked.prefixes[1].stems == ("haus", "haeus")


def test_an_english_question_is_asked_word_for_word():
    asked = parse_query("When did the war in die Wohnung come to an end?")
    assert asked.words == ("war", "die", "wohnung", "end")
    # "come" is there in its other form too, which no ending makes.
    assert asked.prefixes == (Beginning(("come", "came"), "come", "en"),)


def test_a_family_of_irregular_forms_is_looked_for_once():
    asked = parse_query("Who went, and who goes?")
    assert asked.words == ()
    assert [one.stems for one in asked.prefixes] == [("went", "go", "goes", "gone")]


def test_a_hash_is_looked_for_by_its_first_letters():
    asked = parse_query("who reverted 9f3c2ab17de4?")
    assert asked.words == ("reverted",)
    assert asked.prefixes == (Beginning(("9f3c2ab",), "9f3c2ab17de4"),)


def test_a_pasted_text_is_taken_word_for_word():
    text = "der und nicht " + " ".join(f"wort{'abcdefgh'[n % 8] * (n // 8 + 1)}" for n in range(60))
    asked = parse_query(text)
    assert len(asked.words) == 60
    assert asked.prefixes == ()


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
        assert terms.issuperset(terms_module._WORD.findall(word))


@given(st.text(alphabet="仓库钥匙在抽屉里", min_size=1))
def test_each_character_without_spaces_begins_a_term(text):
    terms = index_text(text).split()
    assert all(any(term.startswith(character) for term in terms) for character in text)
    assert len(terms) == len(text)
