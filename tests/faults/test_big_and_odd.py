"""Input that is large, blank or from another time: kept or refused, and never in the way later."""

import pytest

import lifelong
from lifelong import Message, TextPart
from lifelong.conformance import said, texts
from lifelong.errors import TextTooLarge

TEN_MEGABYTES = 10 * 1024 * 1024


@pytest.fixture(params=["data", "memory:"])
def owner(request, tmp_path):
    where = request.param if request.param == "memory:" else tmp_path / request.param
    with lifelong.open(where) as engine:
        yield engine.owner("ana")
        assert engine.owner("ana").check().is_clean


def test_a_message_of_ten_megabytes(tmp_path):
    engine = lifelong.open(tmp_path / "data")
    owner = engine.owner("ana")
    text = ("The tram is late again today. " * (TEN_MEGABYTES // 30)) + "The word is marigold."
    owner.session("s").append(said(text, "after"))
    found = owner.session("s").messages()
    assert found[0].text == text
    assert "marigold" in owner.recall("marigold").hits[0].text
    assert owner.check().is_clean
    engine.close()


@pytest.mark.parametrize("unit", [".", "\n", "a", "名", "?! ", "\u0301", "a.\n"])
def test_a_quarter_of_a_megabyte_of_one_thing(owner, unit):
    text = unit * (256 * 1024 // len(unit))
    owner.session("s").append(said(f"before {text} after"))
    assert owner.session("s").messages()[0].text == f"before {text} after"
    assert owner.recall("after").hits


def test_just_below_and_just_over_the_size_limit(owner):
    limit = 32 * 1024 * 1024
    envelope = len('{"role": "user", "content": ""}')
    for over in ("a" * (limit - envelope + 1), "é" * (limit // 2)):
        with pytest.raises(TextTooLarge):
            owner.session("s").append(said(over))
    assert owner.sessions() == []
    owner.set("n", "a" * (limit - 2))
    with pytest.raises(TextTooLarge):
        owner.set("n", "a" * (limit - 1))
    assert len(owner.get("n")) == limit - 2


@pytest.mark.parametrize("text", ["?", "??", "...?", "!?", "?\n?", ".", "!", "\n", "¿?", "？"])
def test_a_message_of_marks_alone(owner, text):
    assert owner.session("s").append(said("tram", text)).added == 2
    assert texts(owner.session("s").messages()) == ["tram", text]
    assert owner.recall(f"tram {text}").hits
    owner.reindex()


NAMES = [" ", "\t", "\u3000", "", "?", "'", "a b", "\u200b", "Ida", "IDA", "x" * 5_000]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_speaker_of_any_name_is_not_in_the_way_of_a_search(owner, name):
    owner.session("s").append([{"role": "user", "content": "the tram is late", "name": name}])
    owner.session("s").append(Message("user", (TextPart("the soup is hot"),), speaker=name))
    assert "the tram is late" in texts(owner.recall("what did Ida say of the tram?"))


def test_items_of_no_text_at_all(owner):
    items = [
        {"role": "user", "content": ""},
        {"role": "user", "content": None},
        {"role": "user", "content": []},
        {"role": "user", "content": [{"type": "text", "text": " "}]},
        {"role": "user"},
        {"role": "", "content": "x"},
    ]
    for item in items:
        try:
            owner.session("s").append([item])
        except lifelong.errors.FormatError:
            continue
    owner.session("s").append(said("tram"))
    assert texts(owner.recall("tram"))[0] == "tram"
    assert all(text.strip() for text in texts(owner.recall("tram")))
    assert owner.reindex() == len(owner.session("s").messages())


def test_many_sessions_and_many_namespaces(owner):
    for number in range(300):
        owner.session(f"s{number}").append(said(f"tram {number}"))
    owner.session("s7").append(said("again"))
    listed = owner.sessions()
    assert [session.id for session in listed[:3]] == ["s7", "s299", "s298"]
    assert len(listed) == 300
    assert texts(owner.recall("tram 250", limit=1)) == ["tram 250"]
