"""Cases of the kinds search-syntax, search-language and empty-and-oversize."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lifelong
from lifelong.conformance import said, texts
from lifelong.errors import EmptyText, TextTooLarge
from lifelong.memory.terms import parse_query

SYNTAX = ["Ticket KTX-207 waits for review", "Use GB/s, not MB/s", "Mr O'Hara prefers C++"]


def test_d30_user_text_is_no_query_language(place):
    owner = place.owner
    for text in SYNTAX:
        owner.remember(text)
    owner.session("s").append(said(*SYNTAX))
    for query, first in [
        ("KTX-207", SYNTAX[0]),
        ("GB/s", SYNTAX[1]),
        ("O'Hara", SYNTAX[2]),
        ("C++", SYNTAX[2]),
    ]:
        assert texts(owner.recall(query, sources=["memory"]))[0] == first
        assert texts(owner.recall(query, sources=["log"]))[0] == first
    for query in ("don't", "'; DROP TABLE x; --"):
        owner.recall(query)
    for query in ('"', "(", ")", "''", "*", "^", ":", "-", '"""', "NEAR"):
        assert owner.recall(query).hits == (), query


OPERATORS = [
    '"KTX-207',
    "KTX-207 OR waits",
    "text:KTX",
    "KTX*",
    "NEAR(KTX 207, 2)",
    "(KTX AND 207) NOT waits",
    "{text} : KTX",
    "^KTX + 207",
    "-KTX",
    "KTX\x00207",
    "KTX\n207",
]


def test_d30_variant_operators_are_words_or_nothing(place):
    for text in SYNTAX:
        place.owner.remember(text)
    for query in OPERATORS:
        assert texts(place.owner.recall(query))[0] == SYNTAX[0], query


def test_d30_variant_with_more_rows_than_are_read_whole(place):
    # From some thousand rows on, common words are asked for in another way than rare ones.
    owner = place.owner
    filler = [f'the common "tram" OR word number {n} (AND more)' for n in range(5_000)]
    owner.session("s").append(said(*filler, "a rare common zebra's tram"))
    for query in ("common tram zebra", 'zebra\'s "common" tram', "common OR zebra) AND (tram"):
        assert texts(owner.recall(query, limit=1)) == ["a rare common zebra's tram"]
    assert len(owner.recall("tram common", limit=5).hits) == 5
    owner.recall("common \" tram ' zebra*^:")


LANGUAGES = [
    ("母の誕生日は五月です", "誕生日"),
    ("Ключ лежит под Ковриком", "ковриком"),
    ("الموعد يوم الخميس", "الخميس"),
]


def test_d31_words_of_any_script_are_found(place):
    for text, _ in LANGUAGES:
        place.owner.remember(text)
        place.owner.session("s").append(said(text))
    for text, query in LANGUAGES:
        assert texts(place.owner.recall(query, sources=["memory"]))[0] == text
        assert texts(place.owner.recall(query, sources=["log"]))[0] == text


OTHER_SCRIPTS = [
    ("Η Ελλάδα είναι ωραία", "Ελλάδα"),
    ("שלום עולם", "עולם"),
    ("தமிழ் மொழி", "மொழி"),
    ("ಕನ್ನಡ ಭಾಷೆ", "ಭಾಷೆ"),
    ("ქართული ენა", "ენა"),
    ("የአማርኛ ቋንቋ", "ቋንቋ"),
    ("ភាសាខ្មែរ", "ខ្មែរ"),
    ("မြန်မာဘာသာ", "ဘာသာ"),
    ("ພາສາລາວ", "ລາວ"),
    ("Tiếng Việt rất hay", "tiếng việt"),
    ("İstanbul'a gidiyorum", "İstanbul'a"),
    ("کتاب‌ها روی میز", "میز"),
    ("سنة ٢٠٢٣", "٢٠٢٣"),
    ("\U0001d54e\U0001d556 met", "we met"),
    ("Բարեւ ձեզ", "բարեւ"),
    ("ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ", "ᏣᎳᎩ"),
]


def test_d31_variant_more_scripts(place):
    place.owner.remember("Soup needs more salt")
    for text, _ in OTHER_SCRIPTS:
        place.owner.remember(text)
    for text, query in OTHER_SCRIPTS:
        assert texts(place.owner.recall(query))[0] == text, query


def test_d31_variant_words_with_something_glued_to_them(place):
    owner = place.owner
    glued = {
        "Happy birthday\U0001f973": "birthday",
        "see you\U0001f917soon": "soon",
        "thanks\U0001f64f": "thanks",
        "love it\u2764\ufe0f": "love",
        "\ue0a0release branch": "release",
        "costs 5€now": "costs",
        "a→beta": "beta",
        "x²y": "x2y",
        "zero\u200bwidth": "width",
        "«quoted»": "quoted",
        "ދިވެހި ބަސް": "ދިވެހި",
        "ꦧꦱꦗꦮ": "ꦧꦱꦗꦮ",
    }
    for text in glued:
        owner.remember(text)
    missed = {query for text, query in glued.items() if text not in texts(owner.recall(query))}
    assert missed == set()


ANY_TEXT = st.text(alphabet=st.characters(categories=("L", "M", "N", "P", "S", "Z")), min_size=1)


@given(ANY_TEXT)
def test_d31_variant_whoever_repeats_a_text_finds_it(text):
    with lifelong.open("memory:") as engine:
        owner = engine.owner("ana")
        try:
            owner.remember(text)
        except EmptyText:
            return
        asked = parse_query(text)
        found = owner.recall(text, tokens_max=10**6)
        assert asked.is_empty or [hit.score for hit in found.hits] == [1.0]


def test_d32_forms_of_one_letter_are_one(place):
    owner = place.owner
    flat = owner.remember("M\u00e1laga flat")
    badge = owner.remember("\uff21\uff22\uff2312 badge")
    assert [hit.id for hit in owner.recall("Ma\u0301laga").hits] == [flat.id]
    assert [hit.id for hit in owner.recall("ABC12").hits] == [badge.id]
    again = owner.remember("Ma\u0301laga flat")
    assert (again.outcome, again.id) == ("duplicate_of", flat.id)
    assert texts(place.reopen().memories()) == ["M\u00e1laga flat", "\uff21\uff22\uff2312 badge"]


FORMS = [
    ("caf\u00e9", "CAFE\u0301"),
    ("\ufb01nance", "FINANCE"),
    ("\u212bngstr\u00f6m", "\u00e5ngstro\u0308m"),
    ("\uff76\uff9e\uff72\uff84\uff9e", "ガイド"),
    ("\u1100\u1161\u11a8", "\uac01"),
    ("stra\u00dfe", "STRASSE"),
    ("\u03a3\u0399\u03a3\u03a5\u03a6\u039f\u03a3", "σισυφος"),
    ("na\u00efve", "naive"),
]


def test_d32_variant_more_forms(place):
    for number, (stored, asked) in enumerate(FORMS):
        place.owner.remember(f"about {stored} here")
        place.owner.session(f"s{number}").append(said(f"about {stored} here"))
        assert len(place.owner.recall(asked).hits) == 2, asked


def test_d32_variant_forms_that_mean_something_else_are_two_facts(place):
    # Folding for the search may be generous; dropping a fact may not.
    owner = place.owner
    for text in ("Budget is 4\u00b2", "Budget is 42", "Share is \u00bd", "Share is 1 2"):
        assert owner.remember(text).outcome == "stored", text


def test_d59_words_of_two_characters_are_found(place):
    for text in ("仓库钥匙在抽屉里", "the db path is long"):
        place.owner.remember(text)
        place.owner.session("s").append(said(text))
    for query, first in [
        ("钥匙", "仓库钥匙在抽屉里"),
        ("仓库钥匙", "仓库钥匙在抽屉里"),
        ("db", "the db path is long"),
    ]:
        assert texts(place.owner.recall(query, sources=["memory"]))[0] == first
        assert texts(place.owner.recall(query, sources=["log"]))[0] == first
    for query in ("匙", "d", "里", "あ", "한"):
        place.owner.recall(query)


def test_d59_variant_glued_to_other_scripts(place):
    owner = place.owner
    for text in ("db钥匙v2在这里", "ＤＢ鍵", "iPhone手机壳", "第3章"):
        owner.remember(text)
    for query, first in [
        ("钥匙", "db钥匙v2在这里"),
        ("db钥匙", "db钥匙v2在这里"),
        ("手机", "iPhone手机壳"),
        ("iphone", "iPhone手机壳"),
        ("第3章", "第3章"),
    ]:
        assert texts(owner.recall(query))[0] == first


def test_d33_a_blank_query_finds_nothing(place):
    place.owner.remember("Soup")
    place.owner.session("s").append(said("Soup", " ", ""))
    for query in ("", "   ", "\n\t", "\u3000", "\u200b", "\x00", "\ufeff", "..."):
        found = place.owner.recall(query)
        assert (found.hits, found.tokens, bool(found.reasons)) == ((), 0, True), query


def test_d33_a_blank_text_is_refused(place):
    kept = place.owner.remember("Soup").id
    for text in ("", "  ", "\n\t", "\u3000\u2028"):
        with pytest.raises(EmptyText):
            place.owner.remember(text)
        with pytest.raises(EmptyText):
            place.owner.update(kept, text)
    assert texts(place.owner.memories()) == ["Soup"]


WORDS = ["filler"] * 200_000
WORDS[150_000:150_005] = "the code word is marigold".split()
LONG_TEXT = " ".join(WORDS)


def test_d42_a_very_long_text_is_stored_and_found(place):
    place.owner.session("s").append(said(LONG_TEXT))
    kept = place.owner.remember(LONG_TEXT)
    assert place.reopen().memory(kept.id).text == LONG_TEXT
    assert texts(place.owner.session("s").messages()) == [LONG_TEXT]
    for source in ("log", "memory"):
        (hit,) = place.owner.recall("code word", sources=[source]).hits
        assert "the code word is marigold" in hit.text
    place.owner.recall(LONG_TEXT)


def test_d42_variant_over_the_limit_is_refused_before_any_write(place):
    text = "wort " * 7_000_000
    with pytest.raises(TextTooLarge):
        place.owner.remember(text)
    with pytest.raises(TextTooLarge):
        place.owner.session("s").append(said(text))
    assert place.engine.owners() == []


@pytest.mark.parametrize(
    "query",
    [
        " ".join(f"word{n}" for n in range(5_000)),
        " ".join(chr(0x4E00 + n) for n in range(1_000)),
        "钥" * 20_000,
        "a" * 200_000,
        "when " * 20_000,
        "march 5 " * 10_000,
        "\U0001f469\u200d" * 20_000,
        "'" * 20_000,
    ],
    ids=["words", "characters", "one run", "one word", "when", "dates", "emoji", "quotes"],
)
def test_d42_variant_a_long_query_is_answered(place, query):
    place.owner.remember("仓库钥匙在抽屉里 word7 march 5")
    place.owner.session("s").append(said("仓库钥匙在抽屉里 word7 march 5"))
    assert place.owner.recall(query).hits or place.owner.recall(query).reasons


@pytest.mark.parametrize("length", [64, 65, 512, 70_000])
def test_d42_variant_a_long_word_is_stored_and_hides_nothing(place, length):
    word = "x" * length
    place.owner.session("s").append(said(f"before {word} after"))
    place.owner.remember(f"before {word} after")
    for query in ("before", "after"):
        assert len(place.owner.recall(query, sources=["log"]).hits) == 1
        assert len(place.owner.recall(query, tokens_max=100_000).hits) == 2
    place.owner.recall(word)
    if length <= 512:
        assert len(place.owner.recall(word).hits) == 2
