"""Anthropic's items: every shape comes in as the right parts and goes back as it came."""

import json

import pytest

from lifelong import formats
from lifelong.errors import FormatError
from lifelong.messages import (
    AttachmentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

CACHE = {"type": "ephemeral", "ttl": "1h"}
IMAGE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
}

SHAPES = [
    pytest.param(
        {"role": "user", "content": "Where is my order?"},
        (TextPart("Where is my order?"),),
        id="text",
    ),
    pytest.param(
        {"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": CACHE}]},
        (TextPart("hi"),),
        id="cache mark",
    ),
    pytest.param(
        {
            # An assistant's line in a transcript of Claude Code.
            "model": "claude",
            "id": "msg_01",
            "type": "message",
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "An order.", "signature": "Eq0=", "x": 1},
                {"type": "redacted_thinking", "data": "EmwK"},
                {"type": "text", "text": "I look.", "citations": None},
                {
                    "type": "tool_use",
                    "id": "toolu_1",
                    "name": "get_order",
                    "input": {"id": "A-7781"},
                    "caller": {"type": "direct"},
                },
            ],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 3, "cache_creation": {"ephemeral_5m_input_tokens": 0}},
        },
        (
            ReasoningPart("An order."),
            ReasoningPart(""),
            TextPart("I look."),
            ToolCallPart("toolu_1", "get_order", {"id": "A-7781"}),
        ),
        id="thinking, text and a call",
    ),
    pytest.param(
        {
            "role": "user",
            "content": [
                {"tool_use_id": "toolu_1", "type": "tool_result", "content": "shipped"},
                {
                    "type": "tool_result",
                    "content": "no such order",
                    "is_error": True,
                    "tool_use_id": "toolu_2",
                },
                {
                    "type": "tool_result",
                    "tool_use_id": "toolu_3",
                    "content": [
                        {"type": "text", "text": "one"},
                        IMAGE,
                        {"type": "text", "text": "two"},
                    ],
                },
                {"type": "tool_result", "tool_use_id": "toolu_4"},
                {"type": "text", "text": "And now?"},
            ],
        },
        (
            ToolResultPart("toolu_1", "shipped"),
            ToolResultPart("toolu_2", "no such order", is_error=True),
            ToolResultPart("toolu_3", "one\ntwo"),
            ToolResultPart("toolu_4", ""),
            TextPart("And now?"),
        ),
        id="results and text",
    ),
    pytest.param(
        {
            "role": "user",
            "content": [
                {**IMAGE, "caption": "a box"},
                {"type": "image", "source": {"type": "url", "url": "https://example.org/cat"}},
                {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
                {
                    "type": "document",
                    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
                    "title": "The contract",
                },
                {"type": "document", "source": {"type": "url", "url": "https://e.org/a.pdf"}},
                {
                    "type": "document",
                    "source": {"type": "text", "media_type": "text/plain", "data": "hello"},
                },
                {"type": "document", "source": {"type": "content", "content": "hello"}},
                {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
                {"type": "image"},
            ],
        },
        (
            AttachmentPart("image/png", "a box"),
            AttachmentPart("image/*"),
            AttachmentPart("image/*"),
            AttachmentPart("application/pdf", "The contract"),
            AttachmentPart("application/pdf"),
            AttachmentPart("text/plain"),
            AttachmentPart("text/plain"),
            AttachmentPart("application/octet-stream"),
            AttachmentPart("image/*"),
        ),
        id="attachments",
    ),
    pytest.param(
        {
            "role": "assistant",
            "content": [
                {
                    "type": "server_tool_use",
                    "id": "srvtoolu_1",
                    "name": "web_search",
                    "input": {"query": "tea"},
                },
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "srvtoolu_1",
                    "content": [{"type": "web_search_result", "encrypted_content": "Eo8="}],
                },
                {"type": "compaction", "content": None, "encrypted_content": "Eo8="},
                {"kind": "no type"},
            ],
        },
        (
            OpaquePart("server_tool_use"),
            OpaquePart("web_search_tool_result"),
            OpaquePart("compaction"),
            OpaquePart(""),
        ),
        id="blocks that are kept unread",
    ),
    pytest.param(
        {"role": "user", "content": [], "uuid": "u-1", "x": {"deep": [1, None, True, 0.5]}},
        (),
        id="unknown keys and no content",
    ),
    pytest.param({"role": "critic", "content": "Hm."}, (TextPart("Hm."),), id="unknown role"),
    pytest.param({"role": "assistant"}, (), id="nothing at all"),
]


@pytest.mark.parametrize(("item", "parts"), SHAPES)
def test_a_shape_is_parsed_and_comes_back_as_it_was(item, parts):
    before = json.dumps([item])

    [message] = formats.parse([item], "anthropic")
    rendered = formats.render([message], "anthropic")

    assert message.role == item["role"]
    assert message.parts == parts
    assert message.raw is item
    assert message.format == "anthropic"
    assert message.id == item.get("id")
    assert message.speaker is None
    # As text, so that the order of the keys counts.
    assert json.dumps(rendered.items) == json.dumps([item]) == before
    assert rendered.system is None
    assert rendered.dropped == ()


SYSTEMS = [
    pytest.param("Be brief.", (TextPart("Be brief."),), id="text"),
    pytest.param(
        [
            {"type": "text", "text": "Be brief.", "cache_control": CACHE},
            {"type": "text", "text": ""},
        ],
        (TextPart("Be brief."), TextPart("")),
        id="blocks",
    ),
    pytest.param("", (), id="empty"),
]


@pytest.mark.parametrize(("system", "parts"), SYSTEMS)
def test_the_top_level_system_is_a_first_message_and_comes_back(system, parts):
    payload = {"model": "claude", "system": system, "messages": [{"role": "user", "content": "a"}]}

    first, second = formats.parse(payload, "anthropic")
    rendered = formats.render([first, second], "anthropic")

    assert first.role == "system"
    assert first.parts == parts
    assert first.raw == {"role": "system", "content": system}
    assert first.format == "anthropic"
    assert second.role == "user"
    assert rendered == formats.Rendered([{"role": "user", "content": "a"}], system)


def test_a_request_without_a_system_has_no_system_message():
    for payload in ({"messages": []}, {"messages": [], "system": None}):
        assert formats.parse(payload, "anthropic") == []


def test_a_system_message_inside_the_list_stays_where_it_is():
    items = [
        {"role": "user", "content": "a"},
        {"role": "system", "content": "From now on, be brief."},
        {"role": "user", "content": "b"},
    ]

    rendered = formats.render(formats.parse(items, "anthropic"), "anthropic")

    assert rendered == formats.Rendered(items)


def test_a_system_message_at_the_head_of_the_list_becomes_the_top_level_one():
    items = [{"role": "system", "content": "Be brief.", "x": 1}, {"role": "user", "content": "b"}]

    rendered = formats.render(formats.parse(items, "anthropic"), "anthropic")

    assert rendered == formats.Rendered(
        items[1:],
        "Be brief.",
        ("messages[0]: the top-level system carries nothing but the content.",),
    )


def test_several_systems_are_joined_as_blocks_and_keep_their_cache_marks():
    marked = {"type": "text", "text": "Be brief.", "cache_control": CACHE}
    messages = [
        *formats.parse({"system": [marked], "messages": []}, "anthropic"),
        *formats.parse({"system": "Be kind.", "messages": []}, "anthropic"),
        *formats.parse({"system": "", "messages": []}, "anthropic"),
        Message.of("developer", "Ana prefers tea."),
    ]

    rendered = formats.render(messages, "anthropic")

    assert rendered.items == []
    assert rendered.system == [
        marked,
        {"type": "text", "text": "Be kind."},
        {"type": "text", "text": "Ana prefers tea."},
    ]


def test_systems_that_are_all_empty_are_no_system():
    messages = formats.parse({"system": "", "messages": []}, "anthropic") * 2

    assert formats.render(messages, "anthropic").system is None


def test_an_edited_message_keeps_the_raw_form_of_the_parts_that_were_not_edited():
    # Given results of which the first is blanked, as clearing does
    signed = {"type": "thinking", "thinking": "hm", "signature": "Eq0="}
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    call = {"type": "tool_use", "id": "t1", "name": "get", "input": {}, "cache_control": CACHE}
    answer = {"role": "assistant", "content": [signed, search, {"type": "text", "text": ""}, call]}
    results = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "long"},
            {"type": "tool_result", "tool_use_id": "t2", "content": [IMAGE]},
        ],
    }
    first, second = formats.parse([answer, results], "anthropic")

    # When both are rendered from their parts
    parts = (ToolResultPart("t1", "[cleared]"), second.parts[1])
    rendered = formats.render(
        [
            Message("assistant", first.parts, format="anthropic"),
            Message("user", parts, format="anthropic"),
        ],
        "anthropic",
    )

    # Then nothing but the blanked result is another
    assert rendered.items == [
        answer,
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "[cleared]"},
                results["content"][1],
            ],
        },
    ]
    assert rendered.dropped == ()


def test_messages_made_in_code_are_rendered():
    rendered = formats.render(
        [
            Message.of("system", "Be brief."),
            Message.of("user", "Where is A-7781?"),
            Message("assistant", (TextPart("I look."), ToolCallPart("c1", "get", {"id": "A"}))),
            Message("user", (TextPart("Hurry."), ToolResultPart("c1", "lost", is_error=True))),
            Message("assistant", (ToolCallPart("c2", "now", ""),)),
            Message("tool", (ToolResultPart("c2", " "),)),
        ],
        "anthropic",
    )

    assert rendered.system == "Be brief."
    assert rendered.items == [
        {"role": "user", "content": "Where is A-7781?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "get", "input": {"id": "A"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "lost", "is_error": True},
                {"type": "text", "text": "Hurry."},
            ],
        },
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c2", "name": "now", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c2"}]},
    ]
    assert rendered.dropped == ()


def test_arguments_that_are_no_json_are_refused_by_name():
    message = Message("assistant", (ToolCallPart("c1", "get", {"when": b"x"}),))

    with pytest.raises(FormatError, match=r"the arguments of call 'c1'\.when is bytes"):
        formats.render([message], "anthropic")


BROKEN = [
    ("text", "the payload is str, not a list of items"),
    ({"role": "user", "content": "hi"}, "the payload is a mapping without 'messages'"),
    ({"messages": "hi"}, "the payload is str, not a list of items"),
    ({"messages": [], "system": 5}, r"system\.content is int"),
    ({"messages": [], "system": ["hi"]}, r"system\.content\[0\] is str, not a mapping"),
    ({"messages": [], "system": [{"a": b""}]}, r"system\[0\]\.a is bytes"),
    ([3], r"items\[0\] is int, not a mapping"),
    ([{"role": "user", "content": "a"}, {"content": "b"}], r"items\[1\] has no role"),
    ([{"role": ["user"]}], r"items\[0\] has no role"),
    ([{"role": "user", "content": True}], r"items\[0\]\.content is bool"),
    (
        [{"role": "user", "content": [{"type": "text", "text": {}}]}],
        r"items\[0\]\.content\[0\]\.text is dict, not text",
    ),
    (
        [{"role": "user", "content": [{"type": "thinking", "thinking": 1}]}],
        r"items\[0\]\.content\[0\]\.thinking is int, not text",
    ),
    (
        [{"role": "user", "content": [{"type": "tool_result", "content": 5}]}],
        r"items\[0\]\.content\[0\]\.content is int",
    ),
    (
        [
            {
                "role": "user",
                "content": [{"type": "tool_result", "content": [{"type": "text", "text": 5}]}],
            }
        ],
        r"items\[0\]\.content\[0\]\.content\[0\]\.text is int, not text",
    ),
]


@pytest.mark.parametrize(("payload", "detail"), BROKEN)
def test_a_broken_payload_is_refused_by_its_place(payload, detail):
    with pytest.raises(FormatError, match=detail):
        formats.parse(payload, "anthropic")
