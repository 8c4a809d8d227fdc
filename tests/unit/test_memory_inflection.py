"""Inflection: the forms of a word in languages other than English."""

import pytest

from lifelong.memory.inflection import is_compound, is_form, is_head, is_kin, is_tail, stems, tails
from lifelong.memory.languages import plain


def are_forms(asked, said, language, *, is_capital=False):
    found = stems(asked, language, is_capital=is_capital)
    term = plain(said)
    return any(term.startswith(s) and is_form(term[len(s) :], language) for s in found)


FORMS = [
    ("de", "wohnungen", "wohnung"),
    ("de", "h\u00e4user", "haus"),
    ("de", "lehrerin", "lehrer"),
    ("de", "schwester", "schwestern"),
    ("de", "m\u00fcller", "mueller"),
    ("de", "mueller", "m\u00fcller"),
    ("de", "brot", "brote"),
]


@pytest.mark.parametrize(("language", "asked", "said"), FORMS)
def test_forms_of_a_noun(language, asked, said):
    assert are_forms(asked, said, language, is_capital=True)


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("de", "gekauft", "kaufen"),
        ("de", "kaufen", "gekauft"),
        ("de", "eingekauft", "einkaufen"),
        ("de", "einzukaufen", "eingekauft"),
        ("de", "umgezogen", "umziehen"),
        ("de", "umgezogen", "ziehe"),
        ("de", "trinken", "getrunken"),
        ("de", "empfahl", "empfohlen"),
        ("de", "f\u00e4hrt", "fuhr"),
        ("de", "vergisst", "vergessen"),
        ("de", "kuendigen", "gek\u00fcndigt"),
        ("es", "compr\u00f3", "comprar"),
        ("es", "viajaron", "viaje"),
        ("es", "contar", "cuento"),
        ("es", "empez\u00f3", "empiezo"),
        ("es", "busqu\u00e9", "buscar"),
        ("es", "luces", "luz"),
        ("es", "pidi\u00f3", "pedir"),
        ("es", "puso", "poner"),
        ("es", "alergia", "al\u00e9rgico"),
        ("fr", "mang\u00e9", "manger"),
        ("fr", "maisons", "maison"),
        ("it", "mangiato", "mangiare"),
        ("it", "gatti", "gatto"),
        ("pt", "comprou", "comprar"),
        ("pt", "casas", "casa"),
        ("nl", "lopen", "loopt"),
        ("nl", "gewerkt", "werken"),
        ("nl", "katten", "kat"),
    ],
)
def test_forms_of_a_word(language, asked, said):
    assert are_forms(asked, said, language)


@pytest.mark.parametrize(
    ("language", "asked", "said"),
    [
        ("de", "hund", "hundert"),
        ("de", "bank", "bandit"),
        ("es", "casa", "castillo"),
        ("es", "perro", "perder"),
        ("fr", "pomme", "pompier"),
    ],
)
def test_what_is_no_form(language, asked, said):
    assert not are_forms(asked, said, language)


def test_a_name_is_not_inflected():
    assert stems("mar\u00eda", "es", is_capital=True) == ("maria",)
    assert not are_forms("mar\u00eda", "mario", "es", is_capital=True)


def test_the_own_stem_comes_first():
    assert stems("h\u00e4user", "de", is_capital=True)[0] == "haus"


def test_anything_may_follow_where_no_language_is_named():
    assert is_form("匙", "")
    assert not is_form("匙", "de")


def test_compounds():
    assert is_compound("termin", "zahnarzt", "de")
    assert not is_compound("en", "zahnarzt", "de")
    assert not is_compound("termin", "arz", "de")
    assert not is_compound("termin", "zahnarzt", "es")
    assert is_tail("geburtstagstorten", "torte", "de")
    assert not is_tail("torten", "torte", "de")
    assert not is_tail("geburtstagstorte", "torte", "fr")
    assert is_head("ostern", "osterfeiertage", "de")
    assert is_head("warm", "warmmiete", "de")
    assert not is_head("war", "warmmiete", "de")
    assert is_kin("flugangst", "flugzeug", "de")
    assert not is_kin("schwimmen", "schwester", "de")
    assert not is_kin("flugangst", "flugzeug", "es")


def test_the_ends_of_a_compound():
    assert [one.word for one in tails("warmmiete", "de")] == ["miete", "iete"]
    assert list(tails("warmmiete", "es")) == []
    assert list(tails("haus", "de")) == []
