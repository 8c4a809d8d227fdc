"""Chat items: every shape comes in as the right parts and goes back as it came."""

import json

import pytest

from lifelong import formats
from lifelong.errors import FormatError, UnknownFormat
from lifelong.messages import (
    AttachmentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_order", "arguments": '{"id": "A-7781"}'},
}
PNG = "data:image/png;base64,iVBORw0KGgo="

SHAPES = [
    pytest.param({"role": "system", "content": "Be brief."}, (TextPart("Be brief."),), id="system"),
    pytest.param(
        {"role": "developer", "content": [{"type": "text", "text": "Be brief."}]},
        (TextPart("Be brief."),),
        id="developer, in parts",
    ),
    pytest.param(
        {"role": "user", "content": "Where is my order?"},
        (TextPart("Where is my order?"),),
        id="user",
    ),
    pytest.param(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "What is this?"},
                {"type": "image_url", "image_url": {"url": PNG, "detail": "high"}, "alt": "a box"},
                {"type": "image_url", "image_url": {"url": "https://example.org/cat"}},
                {"type": "image_url", "image_url": "https://example.org/dog"},
                {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
                {"type": "file", "file": {"file_id": "file-1", "title": "The contract"}},
                {
                    "type": "file",
                    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"},
                },
            ],
        },
        (
            TextPart("What is this?"),
            AttachmentPart("image/png", "a box"),
            AttachmentPart("image/*"),
            AttachmentPart("image/*"),
            AttachmentPart("audio/wav"),
            AttachmentPart("application/octet-stream", "The contract"),
            AttachmentPart("application/pdf"),
        ),
        id="user with everything attached",
    ),
    pytest.param(
        {"content": None, "role": "assistant", "tool_calls": [CALL]},
        (ToolCallPart("call_1", "get_order", '{"id": "A-7781"}'),),
        id="assistant that only calls",
    ),
    pytest.param(
        {
            "role": "assistant",
            "content": "",
            "reasoning_content": "The user wants an order.",
            "tool_calls": [CALL, {**CALL, "id": "call_2"}],
            "refusal": None,
            "annotations": [],
        },
        (
            ReasoningPart("The user wants an order."),
            ToolCallPart("call_1", "get_order", '{"id": "A-7781"}'),
            ToolCallPart("call_2", "get_order", '{"id": "A-7781"}'),
        ),
        id="DeepSeek: reasoning and parallel calls",
    ),
    pytest.param(
        {"role": "assistant", "content": None, "refusal": "I will not."},
        (TextPart("I will not."),),
        id="refusal beside the content",
    ),
    pytest.param(
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "I will not."}]},
        (TextPart("I will not."),),
        id="refusal as a part",
    ),
    pytest.param(
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}},
                {"id": "d", "type": "function", "function": {"name": "now"}},
                {"id": "e", "type": "new_kind", "new_kind": 3},
                {"function": {"name": "f", "arguments": {"parsed": True}}},
            ],
        },
        (
            ToolCallPart("c", "sh", "ls -l"),
            ToolCallPart("d", "now", ""),
            ToolCallPart("e", "", ""),
            ToolCallPart("", "f", {"parsed": True}),
        ),
        id="calls of other kinds, and no content at all",
    ),
    pytest.param(
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "f", "arguments": "{}"},
            "audio": {"id": "audio_1"},
        },
        (OpaquePart("function_call"), OpaquePart("audio")),
        id="what stands beside the content",
    ),
    pytest.param(
        {"role": "tool", "tool_call_id": "call_1", "name": "get_order", "content": "shipped"},
        (ToolResultPart("call_1", "shipped"),),
        id="tool",
    ),
    pytest.param(
        {
            "role": "tool",
            "tool_call_id": "call_1",
            "content": [
                {"type": "text", "text": "one"},
                {"type": "image_url", "image_url": {"url": PNG}},
                {"type": "text", "text": "two"},
            ],
        },
        (ToolResultPart("call_1", "one\ntwo"),),
        id="tool, in parts",
    ),
    pytest.param(
        {"role": "tool", "content": "whose?"},
        (ToolResultPart("", "whose?"),),
        id="tool without a call",
    ),
    pytest.param(
        {"role": "latest_reminder", "content": "It is Monday.", "x": {"deep": [1, None]}},
        (TextPart("It is Monday."),),
        id="unknown role and key",
    ),
    pytest.param(
        {
            "role": "user",
            "content": [{"type": "video", "video": {"a": 1}}, {"no": "type"}, {"type": 7}],
        },
        (OpaquePart("video"), OpaquePart(""), OpaquePart("")),
        id="unknown parts",
    ),
    pytest.param({"role": "assistant"}, (), id="nothing at all"),
]


@pytest.mark.parametrize(("item", "parts"), SHAPES)
def test_a_shape_is_parsed_and_comes_back_as_it_was(item, parts):
    before = json.dumps([item])

    [message] = formats.parse([item], "chat")
    rendered = formats.render([message], "chat")

    assert message.role == item["role"]
    assert message.parts == parts
    assert message.raw is item
    assert message.format == "chat"
    # As text, so that the order of the keys counts.
    assert json.dumps(rendered.items) == json.dumps([item]) == before
    assert rendered.system is None
    assert rendered.dropped == ()


def test_one_item_is_one_message_in_order():
    items = [shape.values[0] for shape in SHAPES]

    messages = formats.parse(items, "chat")

    assert [message.role for message in messages] == [item["role"] for item in items]
    assert formats.render(messages, "chat").items == items


def test_ids_and_speakers_are_read_where_they_mean_that():
    messages = formats.parse(
        [
            {"role": "user", "content": "hi", "name": "Ana", "id": "m-1"},
            {"role": "assistant", "content": "hi", "name": "bot", "id": ""},
            {"role": "system", "content": "hi", "name": "boss", "id": 7},
            {"role": "tool", "content": "hi", "name": "get_order", "tool_call_id": "c"},
            {"role": "user", "content": "hi", "name": 7},
        ],
        "chat",
    )

    assert [message.id for message in messages] == ["m-1", None, None, None, None]
    assert [message.speaker for message in messages] == ["Ana", "bot", "boss", None, None]


def test_a_rendered_item_can_be_edited_without_reaching_the_message():
    item = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    messages = formats.parse([item], "chat")

    formats.render(messages, "chat").items[0]["content"][0]["cache_control"] = {"type": "ephemeral"}

    assert item == {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert formats.render(messages, "chat").items == [item]


def test_an_edited_message_keeps_the_raw_form_of_the_parts_that_were_not_edited():
    # Given an assistant's item with a call, made anew from its parts with a shorter text
    item = {
        "role": "assistant",
        "content": "a long text",
        "reasoning_content": "hm",
        "tool_calls": [{**CALL, "index": 0}],
        "audio": {"id": "audio_1"},
        "name": "bot",
    }
    [message] = formats.parse([item], "chat")
    parts = [TextPart("short") if isinstance(p, TextPart) else p for p in message.parts]

    # When it is rendered
    edited = Message("assistant", tuple(parts), speaker=message.speaker, format="chat")
    [made] = formats.render([edited], "chat").items

    # Then only the text is another
    assert made == {**item, "content": "short"}


def test_an_edited_tool_message_is_a_tool_item():
    edited = Message("tool", (ToolResultPart("call_1", "[cleared]"),), format="chat")

    rendered = formats.render([edited], "chat")

    assert rendered.items == [{"role": "tool", "tool_call_id": "call_1", "content": "[cleared]"}]
    assert rendered.dropped == ()


def test_messages_made_in_code_are_rendered():
    rendered = formats.render(
        [
            Message.of("system", "Be brief."),
            Message.of("user", "Where is A-7781?", speaker="Ana"),
            Message("assistant", (TextPart("I look."), ToolCallPart("c1", "get", {"id": "ä"}))),
            Message("tool", (ToolResultPart("c1", "lost", is_error=False),)),
            Message("assistant", (TextPart("one"), TextPart(" "), TextPart("two"))),
            Message.of("user", "Thanks", speaker="Ana Lima"),
        ],
        "chat",
    )

    assert rendered.items == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is A-7781?", "name": "Ana"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "get", "arguments": '{"id": "ä"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "lost"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}],
        },
        {"role": "user", "content": "Thanks"},
    ]
    assert rendered.dropped == ("messages[5]: the speaker's name is none that chat allows.",)


def test_arguments_that_are_no_json_are_refused_by_name():
    message = Message("assistant", (ToolCallPart("c1", "get", {"when": {1, 2}}),))

    with pytest.raises(FormatError, match=r"the arguments of call 'c1'\.when is set"):
        formats.render([message], "chat")


class Dumpable:
    def model_dump(self):
        return {"role": "user", "content": "hi"}


BROKEN = [
    ("text", "the payload is str, not a list of items"),
    ({"role": "user", "content": "hi"}, "the payload is dict, not a list of items"),
    (None, "the payload is nothing, not a list of items"),
    (["hi"], r"items\[0\] is str, not a mapping"),
    ([Dumpable()], r"items\[0\] is Dumpable, not a mapping; pass its model_dump\(\)"),
    ([{"role": "user"}, {"content": "hi"}], r"items\[1\] has no role that is text"),
    ([{"role": 5, "content": "hi"}], r"items\[0\] has no role that is text"),
    ([{"role": "", "content": "hi"}], r"items\[0\] has no role that is text"),
    ([{"role": "user", "content": 5}], r"items\[0\]\.content is int, which cannot be used there"),
    ([{"role": "user", "content": {}}], r"items\[0\]\.content is dict"),
    ([{"role": "user", "content": ["hi"]}], r"items\[0\]\.content\[0\] is str, not a mapping"),
    (
        [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": 5}]}],
        r"items\[0\]\.content\[1\]\.text is int, not text",
    ),
    (
        [{"role": "tool", "content": [{"type": "text", "text": ["a"]}]}],
        r"items\[0\]\.content\[0\]\.text is list, not text",
    ),
    ([{"role": "assistant", "refusal": 5}], r"items\[0\]\.refusal is int, not text"),
    ([{"role": "assistant", "tool_calls": {}}], r"items\[0\]\.tool_calls is dict"),
    ([{"role": "assistant", "tool_calls": [5]}], r"items\[0\]\.tool_calls\[0\] is int"),
    (
        [
            {"role": "user", "content": "hi"},
            {"role": "user", "content": [{"type": "image", "data": b"secret"}]},
        ],
        r"items\[1\]\.content\[0\]\.data is bytes, which JSON cannot hold",
    ),
    ([{"role": "user", "cost": float("nan")}], r"items\[0\]\.cost is not a finite number"),
    ([{"role": "user", "cost": float("-inf")}], r"items\[0\]\.cost is not a finite number"),
    ([{"role": "user", "seed": 10**5000}], r"items\[0\]\.seed is a number of more than 4,200"),
    ([{"role": "user", "x": [{7: "a"}]}], r"items\[0\]\.x\[0\] has a key that is int, not text"),
]


@pytest.mark.parametrize(("payload", "detail"), BROKEN)
def test_a_broken_payload_is_refused_by_its_place(payload, detail):
    with pytest.raises(FormatError, match=detail) as caught:
        formats.parse(payload, "chat")

    assert "secret" not in str(caught.value)


def nested(levels: int) -> object:
    value: object = "core"
    for _ in range(levels):
        value = [value]
    return value


def test_nesting_is_bounded_long_before_python_is():
    # The item itself is one level.
    deepest = {"role": "user", "x": nested(99)}
    assert formats.render(formats.parse([deepest], "chat"), "chat").items == [deepest]

    for levels in (100, 5_000):
        with pytest.raises(FormatError, match=r"items\[0\] is nested more than 100 levels deep"):
            formats.parse([{"role": "user", "x": nested(levels)}], "chat")

    handmade = Message("user", (), format="chat", raw={"x": nested(5_000)})
    with pytest.raises(FormatError, match="nested more than 100 levels"):
        formats.render([handmade], "chat")


@pytest.mark.parametrize("name", ["openai", "", "CHAT", "lifelong"])
def test_an_unknown_format_names_the_known_ones(name):
    for call in (formats.parse, formats.render):
        with pytest.raises(UnknownFormat, match="is not one of anthropic, chat, gemini, responses"):
            call([], name)
    with pytest.raises(UnknownFormat):
        formats.parse_item({}, name)


def test_the_formats_are_these():
    assert formats.FORMATS == ("anthropic", "chat", "gemini", "responses")
    for name in formats.FORMATS:
        assert formats.render([], name) == formats.Rendered([])
