"""Whatever a transcript holds, a reader goes on: cut lines, wrong types, lone surrogates."""

import copy
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.transcripts.events import (
    BrokenLine,
    Ignored,
    KeptMemory,
    KeptMessage,
    SaidMessage,
    SessionStart,
)
from lifelong.transcripts.files import SOURCES, read_transcript

SAMPLES = Path(__file__).parents[2] / "examples" / "transcripts"

SHORT = [
    json.loads(line) for line in (SAMPLES / "short.jsonl").read_text(encoding="utf-8").splitlines()
]
CLAUDE_CODE = [
    SHORT[0],  # what the person said
    SHORT[2],  # thoughts
    SHORT[6],  # an answer of a tool
    SHORT[9],  # a command
    {
        "type": "user",
        "isSidechain": True,
        "parentUuid": "p",
        "sessionId": "s",
        "timestamp": "2026-02-10T21:11:56Z",
        "message": {"role": "user", "content": [{"type": "text", "text": "hello"}]},
    },
    {
        "type": "system",
        "subtype": "compact_boundary",
        "sessionId": "s",
        "agentId": "a",
        "isSidechain": True,
        "uuid": "u",
        "compactMetadata": {"trigger": "auto", "preTokens": 3},
    },
    {"type": "summary", "summary": "Title", "leafUuid": "u"},
]
CHAT = [
    {
        "id": "c1",
        "title": "Title",
        "created_at": 1770724800,
        "messages": [
            {"role": "user", "content": "hello", "id": "m", "timestamp": "2026-02-10T12:00:00Z"},
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "yes"}],
                "tool_calls": [{"id": "t", "function": {"name": "f", "arguments": "{}"}}],
            },
        ],
    },
    {"role": "tool", "content": "done", "tool_call_id": "t", "session_id": "s", "id": "x"},
]
CHATGPT = {
    "id": "c1",
    "title": "Title",
    "create_time": 1770724800.0,
    "current_node": "b",
    "mapping": {
        "root": {"message": None, "parent": None, "children": ["a", "z"]},
        "a": {
            "message": {
                "id": "a",
                "author": {"role": "user"},
                "create_time": 1770724800.0,
                "content": {
                    "content_type": "multimodal_text",
                    "parts": ["hello", {"content_type": "image_asset_pointer", "metadata": {}}],
                },
                "metadata": {"attachments": [{"name": "a.pdf"}]},
            },
            "parent": "root",
            "children": ["b"],
        },
        "b": {
            "message": {
                "id": "b",
                "author": {"role": "tool"},
                "content": {"content_type": "execution_output", "text": "1"},
                "metadata": {},
            },
            "parent": "a",
            "children": [],
        },
        "z": {"message": {"id": "z"}, "parent": "root", "children": []},
    },
}
CLAUDE = {
    "uuid": "c1",
    "name": "Title",
    "created_at": "2026-02-10T12:00:00Z",
    "chat_messages": [
        {
            "uuid": "m",
            "sender": "human",
            "text": "hello",
            "attachments": [{"file_name": "a.txt", "extracted_content": "x"}],
            "files": [{"file_name": "b.png"}],
        },
        {
            "uuid": "n",
            "sender": "assistant",
            "created_at": "2026-02-10T12:00:01Z",
            "content": [
                {"type": "text", "text": "yes"},
                {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}},
                {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "image"}]},
                {"type": "tool_result", "content": "done", "is_error": True},
            ],
        },
    ],
}
AT = "2026-02-10T12:00:00+00:00"
LIFELONG = [
    {"what": "session", "id": "s", "title": "Title", "source": "chat", "metadata": {"a": 1}},
    {
        "what": "message",
        "session": "s",
        "id": "m",
        "role": "user",
        "speaker": "Ana",
        "sent_at": AT,
        "recorded_at": AT,
        "format": "chat",
        "payload": {"role": "user", "content": "hello"},
    },
    {
        "what": "memory",
        "id": "mem_" + "0" * 32,
        "text": "hello",
        "kind": "note",
        "namespace": ["a"],
        "importance": 5,
        "origin": {
            "channel": "user",
            "source": "",
            "parents": ["m"],
            "parent_sessions": {"m": "s"},
        },
        "trust": "user",
        "key": "k",
        "metadata": {"a": 1},
        "recorded_at": AT,
        "updated_at": AT,
        "valid_from": AT,
        "valid_to": AT,
        "expires_at": AT,
        "superseded_by": "mem_" + "1" * 32,
        "superseded_at": AT,
        "ended_at": AT,
        "held_for": "suspect",
        "history": [{"at": AT, "change": "stored", "text": "hello", "metadata": {"a": 1}}],
        "seal": "0" * 64,
    },
    {"what": "conflict", "older": "mem_" + "0" * 32, "newer": "mem_" + "1" * 32, "at": AT},
    {"what": "state", "name": "n", "value": {"a": [1]}},
]
WHOLE = {
    "claude-code": CLAUDE_CODE,
    "chat": CHAT,
    "chatgpt": [CHATGPT],
    "claude": [CLAUDE],
    "lifelong": LIFELONG,
}
DEEP = json.loads("[" * 400 + "]" * 400)
WRONG = (None, True, -7, float("nan"), "", "\x00\ud800", [], [[]], {"a": {}}, DEEP)


LINES = ("claude-code", "chat", "lifelong")


def encoded(source, value):
    if source in LINES:
        return b"".join(json.dumps(line).encode() + b"\n" for line in value)
    return json.dumps(value).encode()


def checked(source, file):
    """Read a file, hold every event against its promise, and return the events."""
    events = list(read_transcript(source, file))
    known = set()
    for event in events:
        match event:
            case SessionStart():
                known.add(event.session_id)
                assert event.source == source
                assert 0 < len(event.session_id) <= 512
                assert len(event.title) <= 512
                assert (event.session_id + event.title).isprintable()
            case SaidMessage():
                assert event.session_id in known
                assert event.message.id
                assert event.message.id.isprintable()
                assert event.message.sent_at is None or event.message.sent_at.tzinfo is not None
            case KeptMessage():
                assert (event.session_id + event.id).isprintable()
                assert event.sent_at is None or event.sent_at.tzinfo is not None
            case KeptMemory():
                assert len(event.memory.id) == 36
                assert event.memory.text.encode().strip()
                assert (event.memory.key or "").isprintable()
            case BrokenLine():
                assert event.file == str(file)
                assert event.line >= 0
                assert event.reason
            case Ignored():
                assert event.kind.isprintable()
    assert events
    return events


def places(value, path=()):
    """Yield the path to every value inside a JSON value."""
    steps = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in steps:
        yield (*path, step)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, step))


def replaced(value, path, wrong):
    changed = copy.deepcopy(value)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = wrong
    return changed


@pytest.mark.parametrize("source", LINES)
def test_a_line_cut_anywhere_is_set_aside_and_the_others_are_read(tmp_path, source):
    file = tmp_path / "s.jsonl"
    rest = encoded(source, WHOLE[source])
    file.write_bytes(rest)
    whole = checked(source, file)
    assert not [event for event in whole if isinstance(event, BrokenLine)]

    for line in WHOLE[source]:
        data = json.dumps(line).encode()
        for end in range(7, len(data), 7):
            file.write_bytes(data[:end])
            [event] = read_transcript(source, file)
            assert isinstance(event, BrokenLine)
            assert event.line == 1

        file.write_bytes(data[: len(data) // 2] + b"\n" + rest)
        broken, *others = checked(source, file)
        assert isinstance(broken, BrokenLine)
        assert len(others) == len(whole)


@pytest.mark.parametrize("source", ["chatgpt", "claude"])
def test_an_export_cut_anywhere_is_one_broken_file(tmp_path, source):
    file = tmp_path / "conversations.json"
    data = encoded(source, WHOLE[source])

    for end in range(7, len(data), 7):
        file.write_bytes(data[:end])
        [event] = read_transcript(source, file)
        assert isinstance(event, BrokenLine)
        assert event.line == 0


@pytest.mark.parametrize("source", WHOLE)
def test_a_value_of_any_type_anywhere_breaks_no_more_than_its_line(tmp_path, source):
    file = tmp_path / "s.jsonl"
    for path in places(WHOLE[source]):
        for wrong in WRONG:
            file.write_bytes(encoded(source, replaced(WHOLE[source], path, wrong)))
            checked(source, file)


@pytest.mark.parametrize("source", SOURCES)
@given(data=st.binary(max_size=200))
def test_any_bytes_at_all_are_read_or_reported(tmp_path_factory, source, data):
    file = tmp_path_factory.mktemp("any") / "s.jsonl"
    for prefix in (b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", b"PK\x05\x06"):
        file.write_bytes(prefix + data)
        checked(source, file)


@pytest.mark.parametrize("source", WHOLE)
def test_a_second_reading_says_the_same(tmp_path, source):
    file = tmp_path / "s.jsonl"
    file.write_bytes(encoded(source, WHOLE[source]))

    events = checked(source, file)

    assert events == checked(source, file)
    placed = [(e.session_id, e.message.id) for e in events if isinstance(e, SaidMessage)]
    placed += [(e.session_id, e.id) for e in events if isinstance(e, KeptMessage)]
    assert len(placed) == len(set(placed)) > 0
