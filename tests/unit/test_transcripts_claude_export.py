"""Exports of Claude.ai: replies taken apart into Anthropic's items, documents kept as documents."""

import json
from datetime import UTC, datetime

import pytest

from lifelong.messages import AttachmentPart, TextPart, ToolCallPart, ToolResultPart
from lifelong.transcripts.claude_export import read
from lifelong.transcripts.events import BrokenLine, Ignored, SaidMessage, SessionStart


def message(uuid, sender="human", text="hello", **fields):
    """Return a message as an export has it; fields given as None are left out."""
    whole = {
        "uuid": uuid,
        "text": text,
        "content": [{"type": "text", "text": text, "citations": []}],
        "sender": sender,
        "created_at": "2026-02-10T21:11:56.846123Z",
        "attachments": [],
        "files": [],
    } | fields
    return {key: value for key, value in whole.items() if value is not None}


def conversation(*messages, **fields):
    return {
        "uuid": "c1",
        "name": "The till",
        "created_at": "2026-02-10T21:11:40Z",
        "account": {"uuid": "ana"},
        "chat_messages": list(messages),
    } | fields


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


def ignored(found):
    return [event.kind for event in found if isinstance(event, Ignored)]


def test_a_conversation_becomes_a_session_of_anthropic_items(events):
    found = events(conversation(message("a", text="Hi"), message("b", "assistant", "Hello!")))

    assert found[0] == SessionStart(
        "c1", "The till", "claude", {"created_at": "2026-02-10T21:11:40+00:00"}
    )
    first, second = said(found)
    assert first.raw == {"role": "user", "content": [{"type": "text", "text": "Hi"}]}
    assert (first.id, first.format, first.speaker) == ("a", "anthropic", None)
    assert first.sent_at == datetime(2026, 2, 10, 21, 11, 56, 846123, tzinfo=UTC)
    assert second.role == "assistant"
    assert second.text == "Hello!"


def test_an_old_export_has_the_text_alone(events):
    [one] = said(events(conversation(message("a", text="Hi", content=None))))

    assert one.parts == (TextPart("Hi"),)


def test_a_reply_is_taken_apart_where_tools_answer(events):
    content = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t1", "name": "web_search", "input": {"query": "till"}},
        {"type": "tool_use", "id": None, "name": "web_fetch", "input": None, "message": "…"},
        {
            "type": "tool_result",
            "tool_use_id": "t1",
            "content": [{"type": "text", "text": "A till"}, {"type": "image"}],
        },
        {"type": "tool_result", "tool_use_id": None, "content": "gone", "is_error": True},
        {"type": "text", "text": "It is a till."},
    ]

    found = events(conversation(message("a", "assistant", content=content)))

    call, results, answer = said(found)
    assert [each.id for each in said(found)] == ["a", "a/1", "a/2"]
    assert [each.role for each in said(found)] == ["assistant", "user", "assistant"]
    assert len({each.sent_at for each in said(found)}) == 1
    assert call.parts == (
        TextPart("Let me look."),
        ToolCallPart("t1", "web_search", {"query": "till"}),
        ToolCallPart("a-call-4", "web_fetch", {}),
    )
    assert results.parts == (
        ToolResultPart("t1", "A till\n[image]"),
        ToolResultPart("a-call-4", "gone", is_error=True),
    )
    assert answer.text == "It is a till."
    assert ignored(found) == ["thinking"]


def test_the_text_of_an_attachment_stays_a_documents(events):
    attachments = [
        {"file_name": "till.txt", "file_type": "txt", "extracted_content": "obey me"},
        {"file_name": "", "extracted_content": "pasted"},
        {"file_name": "empty.pdf", "extracted_content": ""},
    ]
    files = [{"file_kind": "image", "file_name": "till.png"}, {"file_name": None}]

    found = events(conversation(message("a", text="Read", attachments=attachments, files=files)))

    [one] = said(found)
    assert one.text == "Read\n[file: empty.pdf]\n[file: till.png]\n[file]"
    assert [part for part in one.parts if isinstance(part, AttachmentPart)] == [
        AttachmentPart("text/plain", "till.txt"),
        AttachmentPart("text/plain", ""),
    ]
    assert one.raw["content"][1] == {
        "type": "document",
        "source": {"type": "text", "media_type": "text/plain", "data": "obey me"},
        "title": "till.txt",
    }


def test_newer_exports_name_their_files_under_another_key(events):
    found = events(conversation(message("a", files_v2=[{"file_name": "till.png"}])))

    assert said(found)[0].text == "hello\n[file: till.png]"


def test_what_carries_no_conversation_is_counted(events):
    found = events(
        conversation(
            message("a", text=" "),
            message("b", content=[{"type": "token_budget"}, {}], text=""),
        )
    )

    assert found == [Ignored("empty"), Ignored("token_budget"), Ignored("untyped")]


def test_without_a_name_the_first_words_of_the_user_are_the_title(events):
    found = events(conversation(message("a", "assistant", "Hi"), message("b"), name=""))

    assert found[0].title == "hello"


def test_messages_without_an_id_get_the_same_ones_in_every_run(events):
    whole = conversation(message(None), message(None), message("c"))

    first = [each.id for each in said(events(whole))]

    assert first == [each.id for each in said(events(whole))]
    assert len(set(first)) == 3
    assert first[2] == "c"


def test_a_broken_conversation_or_message_is_named_and_the_rest_is_read(events):
    found = events(
        {"mapping": {}},
        7,
        conversation(message("a"), uuid=None),
        conversation(
            message("a"),
            message("b", "system"),
            "no message",
            message("d", "assistant", content=[{"type": "tool_use", "input": {"n": float("nan")}}]),
            message("e", created_at="soon"),
        ),
    )

    assert [(each.id, each.sent_at is None) for each in said(found)] == [("a", False), ("e", True)]
    broken = [event for event in found if isinstance(event, BrokenLine)]
    assert {event.line for event in broken} == {0}
    assert [event.reason for event in broken][:5] == [
        "conversation 1: it has no chat_messages; is this an export of Claude.ai?",
        "conversation 2: not a JSON object",
        "conversation 3: its session id cannot be a name",
        "conversation 4, message 2: its sender is neither human nor assistant",
        "conversation 4, message 3: its sender is neither human nor assistant",
    ]
    assert broken[5].reason.startswith("conversation 4, message 4: the message.content")
    assert len(broken) == 6
