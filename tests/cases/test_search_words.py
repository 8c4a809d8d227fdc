"""Words that are not the same and mean the same: names in code, slips, forms, compounds."""

import pytest

import lifelong
from lifelong.conformance import said, texts

FILLER = [f"Message number {n} is about tea and the weather" for n in range(30)]

NAMES = {
    "getUserName": [
        "we call getUserName() in the header",
        "the user can get a name from the list of user names, get it",
        "setUserName sets the user name",
        "name of the user: get it from getUser",
    ],
    "get user name function": ["we call getUserName() there", "a name"],
    "get_user_name": [
        "calls get_user_name(id) here",
        "get the user a name, user name",
        "get_name_of_user(x)",
    ],
    "src/app/main.py": [
        "see src/app/main.py line 3",
        "src/main.py and app/src",
        "main.py in src app",
    ],
    "main.py": ["please open src/lib/main.py", "the main py thing", "main.ts"],
    "v3.11.7": ["running v3.11.7 now", "3 11 7 numbers v", "v3.7.11"],
    "python 3.11.7": ["python v3.11.7 installed", "python 3 with 11 or 7", "python 7.3.11"],
    "ERR_CONN_RESET": [
        "got ERR_CONN_RESET from the host",
        "conn reset err err conn",
        "ERR_RESET_CONN is another",
    ],
    "E0502": ["error E0502 in rust", "error E0503", "error E502"],
    "HTTP 503": ["the gateway answers HTTP 503", "503 items over http", "HTTP 502, 503 times"],
    "0xDEADBEEF": ["the header is 0xDEADBEEF", "0xDEADBEE0"],
    "7d1f0c52-8e0b-4c6f-9a57-2b64e3f0a911": [
        "id 7d1f0c52-8e0b-4c6f-9a57-2b64e3f0a911 failed",
        "id 7d1f0c52-8e0b-4c6f-9a57-2b64e3f0a912 failed",
    ],
    "9f3c2ab": ["commit 9f3c2ab17de4f00d is bad", "commit 9f3c2ac17de4f00d is good"],
    "9f3c2ab17de4f00d": ["commit 9f3c2ab is bad", "commit 9f3c2ac is good"],
    "MAX_UPLOAD_BYTES": [
        "MAX_UPLOAD_BYTES is 10",
        "upload max bytes, bytes max",
        "MAX_BYTES_UPLOAD",
    ],
    "HTTPServer": ["class HTTPServer here", "the http server, server of http"],
    "KTX-207": ["ticket KTX-207 waits", "207 KTX trains in KTX 7"],
}


@pytest.mark.parametrize("query", NAMES)
def test_a_name_in_code_is_found_before_its_parts(query):
    with lifelong.open("memory:", embedder="off") as engine:
        owner = engine.owner("ana")
        owner.session("filler").append(said(*FILLER))
        first, *others = NAMES[query]
        for number, text in enumerate([*others, first]):
            owner.session(f"s{number}").append(said(text))
        assert texts(owner.recall(query))[0] == first


MEANT = [
    ("Deborah likes tulips", "What does Deboran like?"),
    ("The parcel for Andrew is here", "Anrdew"),
    ("Jonathan moved to Leeds", "where did Jonatan move"),
    ("Ich habe das Fahrrad gekauft", "Wo wird Anna das Rad kaufen und was nicht?"),
    ("Morgen ziehe ich in die neue Wohnung", "Wann ist sie umgezogen?"),
    ("Die Torte war von Oma", "Wer hat die Geburtstagstorte gemacht?"),
    ("Das war ein Apfelkuchen", "Von wem war der Kuchen?"),
    ("Herr Mueller hat angerufen", "Was hat der Herr M\u00fcller gesagt?"),
    ("Viaj\u00e9 a Oporto en tren", "¿Cu\u00e1ndo viajaron a Oporto?"),
    ("他在超市买了苹果", "他买的是什么？"),
    ("昨日、自転車を買いました", "いつ自転車を買ったのですか"),
    ("we call computeBackoffDelay there", "how is the backoff computed"),
]


def test_what_a_question_means_is_found_though_no_word_is_the_same(place):
    owner = place.owner
    owner.session("filler").append(said(*FILLER))
    for number, (text, _) in enumerate(MEANT):
        owner.remember(text)
        owner.session(f"s{number}").append(said(text))
    for text, query in MEANT:
        assert texts(owner.recall(query, sources=["memory"]))[0] == text, query
        assert texts(owner.recall(query, sources=["log"]))[0] == text, query


def test_a_word_that_was_said_is_not_taken_for_a_slip(place):
    owner = place.owner
    for text in ("Marta plays chess", "Maria plays chess"):
        owner.remember(text)
    assert texts(owner.recall("Marta")) == ["Marta plays chess"]
    assert texts(owner.recall("E0503 207")) == []


def test_slips_and_forms_among_more_rows_than_are_read_whole():
    with lifelong.open("memory:", embedder="off") as engine:
        owner = engine.owner("ana")
        filler = [f"the common tram, die gew\u00f6hnliche Bahn number {n}" for n in range(5_000)]
        owner.session("s").append(said(*filler, "Deborah hat ein Fahrrad gekauft", "run getUserId"))
        for query, first in [
            ("common Deboran", "Deborah hat ein Fahrrad gekauft"),
            ("Was kaufte Deborah nicht in der Bahn?", "Deborah hat ein Fahrrad gekauft"),
            ("the user id of the tram", "run getUserId"),
        ]:
            assert texts(owner.recall(query, limit=1)) == [first]
        # Each of these words is nowhere and may be a slip; only some are looked into.
        owner.recall(" ".join(f"commo{letter}{letter}" for letter in "abcdefghijklmopqrstuvwxyz"))


@pytest.mark.parametrize("language", ["de", "es"])
def test_a_long_text_in_another_language_is_a_question_too(language):
    words = {"de": "und der nicht wohnungen gekauft ", "es": "pero hizo donde viajaron compras "}
    with lifelong.open("memory:", embedder="off") as engine:
        owner = engine.owner("ana")
        owner.remember("die Wohnung")
        owner.recall(words[language] * 500)
