"""Exports of ChatGPT: the branch last shown, in order, and what stands in for what is not text."""

import json
from datetime import UTC, datetime

import pytest

from lifelong.messages import TextPart, ToolResultPart
from lifelong.transcripts.chatgpt import read
from lifelong.transcripts.events import BrokenLine, Ignored, SaidMessage, SessionStart


def node(key, parent, role="user", content="hello", **fields):
    """Return a node of a mapping; text as content stands for one part of text."""
    if isinstance(content, str):
        content = {"content_type": "text", "parts": [content]}
    message = {
        "id": key,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1739221916.5,
        "content": content,
        "status": "finished_successfully",
        "metadata": {},
        "recipient": "all",
    } | fields
    return key, {"id": key, "message": message, "parent": parent, "children": ["x"]}


def conversation(*nodes, current=None, **fields):
    """Return a conversation of nodes under a root; the last is current unless another is named."""
    root = {"id": "root", "message": None, "parent": None, "children": ["x"]}
    whole = {
        "title": "The till",
        "create_time": 1739221900.0,
        "mapping": {"root": root, **dict(nodes)},
        "current_node": current or nodes[-1][0],
        "conversation_id": "c1",
        "id": "c1",
    } | fields
    return {key: value for key, value in whole.items() if value is not None}


@pytest.fixture
def events(tmp_path):
    """Return a function that writes conversations as an export and reads it."""

    def written(*conversations):
        file = tmp_path / "conversations.json"
        file.write_text(json.dumps(conversations), encoding="utf-8")
        return list(read(file))

    return written


def said(found):
    return [event.message for event in found if isinstance(event, SaidMessage)]


def texts(found):
    return [message.text for message in said(found)]


def ignored(found):
    return [event.kind for event in found if isinstance(event, Ignored)]


def broken(found):
    return [(event.line, event.reason) for event in found if isinstance(event, BrokenLine)]


def test_a_conversation_becomes_a_session_of_chat_items(events):
    found = events(
        conversation(node("a", "root", content="Hi"), node("b", "a", "assistant", "Hello!"))
    )

    assert found[0] == SessionStart(
        "c1", "The till", "chatgpt", {"created_at": "2025-02-10T21:11:40+00:00"}
    )
    first, second = said(found)
    assert first.raw == {"role": "user", "content": "Hi"}
    assert (first.id, first.format, first.speaker) == ("a", "chat", None)
    assert first.parts == (TextPart("Hi"),)
    assert first.sent_at == datetime(2025, 2, 10, 21, 11, 56, 500000, tzinfo=UTC)
    assert second.raw == {"role": "assistant", "content": "Hello!"}
    assert {event.session_id for event in found} == {"c1"}


def test_only_the_branch_of_the_current_node_is_kept(events):
    found = events(
        conversation(
            node("b2", "a", "assistant", "Second try"),
            node("a", "root", content="Question"),
            node("b1", "a", "assistant", "First try"),
            node("c1", "b1", content="Not good"),
            node("c2", "b2", content="Thanks"),
            current="c2",
        )
    )

    assert texts(found) == ["Question", "Second try", "Thanks"]
    assert ignored(found) == ["branch", "branch"]


def test_without_a_current_node_the_last_leaf_is_taken(events):
    key, leaf = node("b", "a", "assistant", "Yes")
    nodes = [node("a", "root", content="Question"), (key, leaf | {"children": []})]

    assert texts(events(conversation(*nodes, current="gone"))) == ["Question", "Yes"]
    assert texts(events(conversation(*nodes, current_node=None))) == ["Question", "Yes"]


def test_a_loop_and_a_lost_parent_end_the_branch(events):
    loop = conversation(node("a", "b", content="1"), node("b", "a", content="2"))

    assert texts(events(loop)) == ["1", "2"]
    assert texts(events(conversation(node("a", "gone", content="1")))) == ["1"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["One", "", "Two"]}, "One\nTwo"),
        ({"content_type": "code", "language": "python", "text": "print(1)"}, "print(1)"),
        ({"content_type": "tether_quote", "title": "T", "url": "u", "text": "q"}, "T\nu\nq"),
        ({"content_type": "tether_browsing_display", "result": "L1", "summary": None}, "L1"),
        ({"content_type": "system_error", "name": "E", "text": "It failed"}, "It failed"),
        ({"content_type": "brand_new", "parts": ["Words"]}, "Words"),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f"},
                    "What is this?",
                ],
            },
            "[image]\nWhat is this?",
        ),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {
                        "content_type": "image_asset_pointer",
                        "metadata": {"dalle": {"prompt": "a red till"}},
                    }
                ],
            },
            "[image: a red till]",
        ),
        (
            {
                "content_type": "multimodal_text",
                "parts": [
                    {"content_type": "audio_transcription", "text": "Good morning"},
                    {"content_type": "real_time_user_audio_video_asset_pointer"},
                    {"content_type": "hologram"},
                    {},
                ],
            },
            "Good morning\n[audio]\n[hologram]\n[attachment]",
        ),
    ],
)
def test_every_kind_of_content_keeps_its_words(events, content, text):
    found = events(conversation(node("a", "root", "assistant", content)))

    assert texts(found) == [text]
    assert said(found)[0].raw == {"role": "assistant", "content": text}


def test_attached_files_are_named(events):
    attachments = [{"id": "file-1", "name": "till.pdf", "mimeType": "application/pdf"}, {}]

    found = events(conversation(node("a", "root", metadata={"attachments": attachments})))

    assert texts(found) == ["hello\n[file: till.pdf]\n[file]"]


def test_a_tool_answers_the_message_before_it(events):
    output = {"content_type": "execution_output", "text": "1"}
    found = events(
        conversation(
            node("a", "root", "assistant", {"content_type": "code", "text": "print(1)"}),
            node("e", "a", "assistant", ""),
            node("b", "e", "tool", output),
        )
    )

    assert said(found)[1].role == "tool"
    assert said(found)[1].parts == (ToolResultPart("a", "1"),)
    assert said(found)[1].raw == {"role": "tool", "content": "1", "tool_call_id": "a"}


def test_what_carries_no_conversation_is_counted(events):
    thoughts = {"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "C"}]}
    hidden = {"is_visually_hidden_from_conversation": True}

    found = events(
        conversation(
            node("a", "root", "system", ""),
            node("b", "a", "system", "You are …", metadata=hidden),
            node("c", "b", "assistant", thoughts),
            node("d", "c", "assistant", {"content_type": "reasoning_recap", "content": "9s"}),
            node("e", "d", "assistant", {"content_type": "brand_new", "data": 7}),
            node("f", "e", "assistant", {"content_type": "code", "text": " "}),
            node("g", "f", "assistant", None),
            node("h", "g", content="hello"),
        )
    )

    kinds = ["empty", "hidden", "thoughts", "reasoning_recap", "brand_new", "empty", "empty"]
    assert ignored(found) == kinds
    assert texts(found) == ["hello"]


def test_standing_instructions_are_system_text(events):
    content = {
        "content_type": "user_editable_context",
        "user_profile": "I keep a shop",
        "user_instructions": "Be brief",
    }
    hidden = {"is_visually_hidden_from_conversation": True}

    [message] = said(events(conversation(node("a", "root", "user", content, metadata=hidden))))

    assert message.raw == {"role": "system", "content": "I keep a shop\nBe brief"}


def test_without_a_title_the_first_words_of_the_user_are_it(events):
    nodes = [node("a", "root", "assistant", "Hello!"), node("b", "a", content="Mend\nthe till")]

    assert events(conversation(*nodes, title=None))[0].title == "Mend the till"
    assert events(conversation(nodes[0], title=""))[0].title == ""


@pytest.mark.parametrize("time", [None, "soon", True, float("nan"), 1e300, 10**400, []])
def test_a_time_that_is_none_is_left_out(events, time):
    nodes = [node("a", "root", create_time=time)]

    found = events(conversation(*nodes, create_time=time))

    assert said(found)[0].sent_at is None
    assert found[0].metadata == {}


def test_ids_are_the_same_in_every_run_even_where_there_are_none(events):
    nodes = [node("a", "root", id=None), node("b", "a", id="m2"), node("c", "b", id="\x00")]
    whole = conversation(*nodes, conversation_id=None, id=None)

    first, again = events(whole), events(whole, conversation(node("z", "root")))

    assert [message.id for message in said(first)] == ["a", "m2", "c"]
    assert first == again[: len(first)]
    assert first[0].session_id.startswith("derived-")
    assert first[0].session_id != again[-2].session_id == "c1"


def test_a_broken_conversation_or_message_is_named_and_the_rest_is_read(events):
    found = events(
        {"uuid": "u", "chat_messages": []},
        "no conversation",
        conversation(node("a", "root"), id="bad\x00", conversation_id=None),
        conversation(
            node("a", "root", content="Hi"),
            node("b", "a", None),
            node("c", "b", "assistant", "Hello!"),
        ),
    )

    assert texts(found) == ["Hi", "Hello!"]
    assert broken(found)[:3] == [
        (0, "conversation 1: it has no mapping; is this an export of ChatGPT?"),
        (0, "conversation 2: not a JSON object"),
        (0, "conversation 3: its session id cannot be a name"),
    ]
    assert len(broken(found)) == 4
    assert broken(found)[3][1].startswith("conversation 4, message b: the message ")


def test_a_conversation_in_which_nobody_spoke_is_no_session(events):
    found = events(conversation(node("a", "root", "system", "")))

    assert found == [Ignored("empty")]
