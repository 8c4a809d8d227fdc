"""Chats as JSON lines: whole sessions and single items, with ids that stay the same."""

import json
from datetime import UTC, datetime

import pytest

from lifelong.messages import ToolCallPart, ToolResultPart
from lifelong.transcripts.chat_jsonl import read
from lifelong.transcripts.events import BrokenLine, SaidMessage, SessionStart

NOON = datetime(2026, 2, 10, 12, tzinfo=UTC)


def item(text, role="user", **fields):
    return {"role": role, "content": text, **fields}


@pytest.fixture
def events(tmp_path):
    """Return a function that writes lines into one file and reads them."""

    def written(*lines, name="shop.jsonl"):
        file = tmp_path / name
        file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        return list(read(file))

    return written


def said(found):
    return [event.message for event in found if isinstance(event, SaidMessage)]


def starts(found):
    return [(event.session_id, event.title) for event in found if isinstance(event, SessionStart)]


def broken(found):
    return [(event.line, event.reason) for event in found if isinstance(event, BrokenLine)]


def test_a_line_of_messages_is_a_session(events):
    call = {"id": "t", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    messages = [
        item("Be brief", "system"),
        item("List them", name="Ana"),
        item(None, "assistant", tool_calls=[call]),
        item("total 4", "tool", tool_call_id="t"),
    ]

    found = events({"id": "c1", "messages": messages})

    assert found[0] == SessionStart("c1", "List them", "chat", {})
    assert [message.raw for message in said(found)] == messages
    assert [message.role for message in said(found)] == ["system", "user", "assistant", "tool"]
    assert {message.format for message in said(found)} == {"chat"}
    assert said(found)[1].speaker == "Ana"
    assert said(found)[2].parts == (ToolCallPart("t", "ls", "{}"),)
    assert said(found)[3].parts == (ToolResultPart("t", "total 4"),)
    assert len(found) == 5


def test_sessions_are_named_by_what_the_line_says_or_by_the_line(events):
    found = events(
        {"session_id": "a", "id": "x", "messages": [item("1")]},
        {"id": 7, "messages": [item("2")]},
        {"messages": [item("3")], "title": "Third\none"},
        {"messages": []},
    )

    assert starts(found) == [("a", "1"), ("7", "2"), ("shop/3", "Third one")]


def test_a_later_line_adds_to_its_session(events):
    found = events(
        {"id": "c1", "messages": [item("Hello", "assistant")]},
        {"id": "c1", "messages": [item("Hello", "assistant"), item("Hi")]},
        {"id": "c1", "messages": [], "title": "Greetings"},
    )

    assert starts(found) == [("c1", ""), ("c1", "Hi"), ("c1", "Greetings")]
    first, again, new = said(found)
    assert first.id == again.id != new.id


def test_single_items_are_one_session_named_after_the_file(events):
    found = events(item("Hello!", "assistant"), item("Hi"), item("Bye"), name="till.notes.jsonl")

    assert starts(found) == [("till.notes", ""), ("till.notes", "Hi")]
    assert [message.text for message in said(found)] == ["Hello!", "Hi", "Bye"]


def test_single_items_name_their_session(events):
    placed = [("Hi", "a"), ("Ho", "b"), ("!", "a")]

    found = events(*(item(text, session_id=name) for text, name in placed))

    assert starts(found) == [("a", "Hi"), ("b", "Ho")]
    sessions = [event.session_id for event in found if isinstance(event, SaidMessage)]
    assert sessions == ["a", "b", "a"]


def test_what_stands_around_an_item_is_no_part_of_it(events):
    around = {"session_id": "a", "id": "m1", "timestamp": "2026-02-10T12:00:00Z"}

    [message] = said(events(item("Hi", name="Ana", **around)))

    assert message.raw == {"role": "user", "content": "Hi", "name": "Ana"}
    assert (message.id, message.sent_at) == ("m1", NOON)


@pytest.mark.parametrize(
    "time", ["2026-02-10T13:00:00+01:00", 1770724800, 1770724800.0, 1770724800000]
)
def test_times_are_read_as_text_and_as_numbers(events, time):
    assert said(events(item("Hi", timestamp=time)))[0].sent_at == NOON
    assert said(events(item("Hi", created_at=time)))[0].sent_at == NOON


@pytest.mark.parametrize("time", ["noon", "2026-02-10T12:00:00", "", True, {}, 1e300, 10**400])
def test_a_time_that_is_none_is_left_out(events, time):
    assert said(events(item("Hi", timestamp=time)))[0].sent_at is None


def test_a_session_lends_its_time_to_items_that_have_none(events):
    messages = [item("a"), item("b", timestamp=1770724801), item("c", timestamp="noon")]

    found = events({"created_at": "2026-02-10T12:00:00Z", "messages": messages})

    assert [message.sent_at for message in said(found)] == [
        NOON,
        datetime(2026, 2, 10, 12, 0, 1, tzinfo=UTC),
        None,
    ]


def test_derived_ids_are_the_same_when_a_file_grows_or_is_mended(tmp_path):
    file = tmp_path / "shop.jsonl"
    yes, no = json.dumps(item("yes")), json.dumps(item("no"))
    file.write_text(f"{yes}\nbroken\n{yes}\n")
    first = [message.id for message in said(read(file))]
    file.write_text(f"{yes}\n{no}\n{yes}\n{yes}\n")
    mended = [message.id for message in said(read(file))]

    assert first == [mended[0], mended[2]]
    assert len(set(mended)) == 4


def test_an_id_that_cannot_be_one_is_derived(events):
    found = events(item("a", id=""), item("b", id="x" * 513), item("c", id=[]), item("d", id=7))

    ids = [message.id for message in said(found)]
    assert [each[:8] for each in ids[:3]] == ["derived-"] * 3
    assert ids[3] == "7"


def test_what_cannot_be_read_is_named_and_the_rest_is_read(events):
    found = events(
        {"messages": [item("a"), "b", {"content": "c"}, item("d")]},
        {"text": "no item"},
        {"messages": "no list"},
        item("e", session_id="\n"),
        {"role": 7, "content": "f"},
        item("g"),
    )

    assert [message.text for message in said(found)] == ["a", "d", "g"]
    assert broken(found)[0] == (1, "message 2: not a JSON object")
    assert broken(found)[1][1].startswith("message 3: the message ")
    assert broken(found)[2:5] == [
        (2, "it has neither messages nor a role"),
        (3, "it has neither messages nor a role"),
        (4, "its session id cannot be a name"),
    ]
    assert broken(found)[5][0] == 5
    assert len(broken(found)) == 6
