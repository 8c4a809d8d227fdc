"""Languages: which one a question is in, and the words that say nothing in it."""

import pytest

from lifelong.memory.languages import (
    ENGLISH,
    STOP_WORDS,
    language_of,
    plain,
    stop_words,
)
from lifelong.memory.terms import fold

LANGUAGES = ("de", "es", "fr", "it", "pt", "nl")


def asked_in(question):
    folded = fold(question)
    return language_of({plain(word) for word in folded.strip("?¿!¡").split()}, folded)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wann hat Anna die Wohnung gekauft?", "de"),
        ("Wo war die Katze?", "de"),
        ("Stra\u00dfe nach Ulm", "de"),
        ("¿D\u00f3nde vive Ana?", "es"),
        ("Que hizo Ana en el parque", "es"),
        ("O\u00f9 est la maison de Jean ?", "fr"),
        ("Dove abita la sorella di Marta?", "it"),
        ("Onde fica a casa da Ana?", "pt"),
        ("Waar woont de zus van Jan?", "nl"),
        ("Where does Ana live?", ENGLISH),
        ("tram", ENGLISH),
        ("", ENGLISH),
        ("鍵はどこですか", ENGLISH),
    ],
)
def test_the_language_of_a_question(question, language):
    assert asked_in(question) == language


@pytest.mark.parametrize(
    "question",
    [
        "die hard movie",
        "What war was grandpa in?",
        "sin city",
        "come with me no more",
        "con air",
        "Does Dave van den Berg still own la casa azul?",
        "What is the son of Due called, man?",
        "He has a sea of papers, so sue me",
    ],
)
def test_a_word_of_two_languages_makes_no_other_language(question):
    assert asked_in(question) == ENGLISH


def test_a_stop_word_of_one_language_is_a_word_in_another():
    assert {"die", "war"} <= stop_words("de")
    assert not {"die", "war", "come", "sin"} & stop_words(ENGLISH)
    assert "sin" in stop_words("es")
    assert "come" in stop_words("it")
    assert not {"die", "war"} & stop_words("es")


@pytest.mark.parametrize("language", [ENGLISH, *LANGUAGES])
def test_stop_words_are_words_as_a_question_has_them(language):
    words = stop_words(language)
    assert all(word == plain(fold(word)) and word.isalpha() for word in words)


def test_there_are_63_english_stop_words():
    assert stop_words(ENGLISH) is STOP_WORDS
    assert len(STOP_WORDS) == 63


@pytest.mark.parametrize(
    ("word", "without"), [("m\u00e1laga", "malaga"), ("tram", "tram"), ("h\u00e4user", "hauser")]
)
def test_a_word_without_accents(word, without):
    assert plain(word) == without
