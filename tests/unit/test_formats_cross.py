"""From chat into Anthropic's format and back: what is carried, and what is told of as lost."""

import pytest

from lifelong import formats
from lifelong.messages import AttachmentPart, Message, ReasoningPart, TextPart, ToolCallPart


def to_anthropic(*items):
    return formats.render(formats.parse(list(items), "chat"), "anthropic")


def to_chat(*items, system=None):
    payload = {"system": system, "messages": list(items)}
    return formats.render(formats.parse(payload, "anthropic"), "chat")


def chat_call(id, arguments="{}", name="get"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_a_chat_conversation_becomes_anthropic_items():
    rendered = to_anthropic(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Compare A and B"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [chat_call("p1", '{"k": "A"}'), chat_call("p2", '{"k": "B"}')],
        },
        {"role": "tool", "tool_call_id": "p1", "name": "get", "content": "A=3"},
        {"role": "tool", "tool_call_id": "p2", "name": "get", "content": "B=4"},
        {"role": "user", "content": "And C?"},
        {"role": "assistant", "content": "One moment.", "tool_calls": [chat_call("p3", "")]},
        {"role": "tool", "tool_call_id": "p3", "content": "C=5"},
        {"role": "assistant", "content": "C is 5."},
    )

    assert rendered.dropped == ()
    assert rendered.system == "Be brief."
    assert rendered.items == [
        {"role": "user", "content": "Compare A and B"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "p1", "name": "get", "input": {"k": "A"}},
                {"type": "tool_use", "id": "p2", "name": "get", "input": {"k": "B"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "p1", "content": "A=3"},
                {"type": "tool_result", "tool_use_id": "p2", "content": "B=4"},
            ],
        },
        {"role": "user", "content": "And C?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "One moment."},
                {"type": "tool_use", "id": "p3", "name": "get", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "p3", "content": "C=5"}],
        },
        {"role": "assistant", "content": "C is 5."},
    ]


def test_an_anthropic_conversation_becomes_chat_items():
    rendered = to_chat(
        {"role": "user", "content": "Compare A and B"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "t1", "name": "get", "input": {"k": "A"}},
                {"type": "tool_use", "id": "t2", "name": "get", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "A=3"},
                {
                    "type": "tool_result",
                    "tool_use_id": "t2",
                    "content": [{"type": "text", "text": "B="}, {"type": "text", "text": "4"}],
                },
                {"type": "text", "text": "Hurry."},
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "A=3, B=4"}], "usage": {"a": 1}},
        system=[{"type": "text", "text": "Be brief."}, {"type": "text", "text": "Be kind."}],
    )

    assert rendered.dropped == ()
    assert rendered.system is None
    assert rendered.items == [
        {
            "role": "system",
            "content": [
                {"type": "text", "text": "Be brief."},
                {"type": "text", "text": "Be kind."},
            ],
        },
        {"role": "user", "content": "Compare A and B"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [chat_call("t1", '{"k": "A"}'), chat_call("t2", "{}")],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "A=3"},
        {"role": "tool", "tool_call_id": "t2", "content": "B=\n4"},
        {"role": "user", "content": "Hurry."},
        {"role": "assistant", "content": "A=3, B=4"},
    ]


def test_a_reply_that_was_split_into_items_is_one_chat_item():
    # Given one reply written as Claude Code writes it: an item for each block
    def use(id):
        return {"type": "tool_use", "id": id, "name": "get", "input": {}}

    rendered = to_chat(
        {"role": "assistant", "content": [{"type": "text", "text": "I look."}]},
        {"role": "assistant", "content": [use("t1")]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "And here."}, use("t2")]},
        {"role": "assistant", "content": "Also."},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "1"},
                {"type": "tool_result", "tool_use_id": "t2", "content": "2"},
            ],
        },
        {"role": "assistant", "content": "Done."},
        {"role": "assistant", "content": "Really."},
    )

    # Then the calls stand together, with the results right after them
    assert rendered.items == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "text", "text": "And here."},
                {"type": "text", "text": "Also."},
            ],
            "tool_calls": [chat_call("t1"), chat_call("t2")],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "1"},
        {"role": "tool", "tool_call_id": "t2", "content": "2"},
        {"role": "assistant", "content": "Done."},
        {"role": "assistant", "content": "Really."},
    ]


def test_a_joined_item_keeps_the_speaker():
    messages = [
        Message("assistant", (ToolCallPart("c1", "get", "{}"),)),
        Message("assistant", (ToolCallPart("c2", "get", "{}"),), speaker="bot"),
    ]

    assert formats.render(messages, "chat").items == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [chat_call("c1"), chat_call("c2")],
            "name": "bot",
        }
    ]


def test_items_of_the_target_format_are_never_joined_with_others():
    own = {"role": "assistant", "content": "own"}
    own_result = {"role": "tool", "tool_call_id": "x", "content": "own"}
    messages = [
        Message("assistant", (ToolCallPart("c1", "get", "{}"),)),
        *formats.parse([own, own_result], "chat"),
        Message.of("assistant", "made"),
    ]

    items = formats.render(messages, "chat").items

    assert items[1:] == [own, own_result, {"role": "assistant", "content": "made"}]


def test_tool_results_are_joined_only_where_nothing_stands_between():
    def result(id):
        return {"role": "tool", "tool_call_id": id, "content": "r"}

    empty = {"role": "user", "content": " "}
    rendered = to_anthropic(
        result("a"), empty, result("b"), {"role": "user", "content": "x"}, result("c")
    )

    found = [
        [block["tool_use_id"] for block in item["content"]] if item["content"] != "x" else "x"
        for item in rendered.items
    ]
    assert found == [["a", "b"], "x", ["c"]]


NO_OBJECTS = ["not json", "[1]", '"text"', "null", '{"a": NaN}', '{"a": 1', "[" * 5000, "1" * 5000]


@pytest.mark.parametrize("arguments", NO_OBJECTS)
def test_arguments_that_are_no_object_are_carried_as_text(arguments):
    rendered = to_anthropic({"role": "assistant", "tool_calls": [chat_call("c1", arguments)]})

    [block] = rendered.items[0]["content"]
    assert block["input"] == {"raw_arguments": arguments}
    assert rendered.dropped == (
        (
            "messages[0]: the arguments of call 'c1' are no JSON object, "
            "so they stand as text under 'raw_arguments'."
        ),
    )


def test_arguments_that_are_a_list_already_are_carried_as_text():
    rendered = to_anthropic({"role": "assistant", "tool_calls": [chat_call("c1", [1, 2])]})

    assert rendered.items[0]["content"][0]["input"] == {"raw_arguments": "[1, 2]"}


def test_an_id_that_anthropic_refuses_is_spelled_alike_in_call_and_result():
    rendered = to_anthropic(
        {"role": "assistant", "tool_calls": [chat_call("functions.get:0")]},
        {"role": "tool", "tool_call_id": "functions.get:0", "content": "3"},
    )

    assert rendered.items[0]["content"][0]["id"] == "functions_2e_get_3a_0"
    assert rendered.items[1]["content"][0]["tool_use_id"] == "functions_2e_get_3a_0"


PNG_CHAT = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
PNG_ANTHROPIC = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
}
URL_CHAT = {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}}
URL_ANTHROPIC = {"type": "image", "source": {"type": "url", "url": "https://example.org/cat.png"}}
PDF_CHAT = {
    "type": "file",
    "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"},
}
PDF_ANTHROPIC = {
    "type": "document",
    "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBE"},
    "title": "a.pdf",
}


@pytest.mark.parametrize(
    ("chat", "anthropic"),
    [(PNG_CHAT, PNG_ANTHROPIC), (URL_CHAT, URL_ANTHROPIC), (PDF_CHAT, PDF_ANTHROPIC)],
)
def test_an_attachment_that_both_know_goes_both_ways(chat, anthropic):
    text = {"type": "text", "text": "Look:"}

    there = to_anthropic({"role": "user", "content": [text, chat]})
    back = to_chat({"role": "user", "content": [text, anthropic]})

    assert there == formats.Rendered([{"role": "user", "content": [text, anthropic]}])
    assert back == formats.Rendered([{"role": "user", "content": [text, chat]}])


@pytest.mark.parametrize(
    ("url", "media_type"),
    [
        ("data:image/jpg;base64,AA==", "image/jpeg"),
        ("DATA:IMAGE/PNG;charset=x;BASE64,AA==", "image/png"),
    ],
)
def test_a_data_url_is_read_as_people_write_it(url, media_type):
    rendered = to_anthropic(
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    )

    source = {"type": "base64", "media_type": media_type, "data": "AA=="}
    assert rendered.items == [{"role": "user", "content": [{"type": "image", "source": source}]}]


def test_pdf_data_without_a_name_gets_one_for_chat():
    unnamed = {"type": "document", "source": PDF_ANTHROPIC["source"]}

    [item] = to_chat({"role": "user", "content": [unnamed]}).items

    assert item["content"][0]["file"]["filename"] == "document.pdf"


def image(url):
    return {"type": "image_url", "image_url": {"url": url}}


LOST_TO_ANTHROPIC = [
    (image("data:image/bmp;base64,AA=="), "image/bmp"),
    (image("data:image/svg+xml,<svg/>"), "image/*"),
    (image("data:;base64,AA=="), "image/*"),
    (image("file:///etc/passwd"), "image/*"),
    ({"type": "image_url"}, "image/*"),
    ({"type": "input_audio", "input_audio": {"data": "AA==", "format": "mp3"}}, "audio/mp3"),
    ({"type": "input_audio"}, "audio/*"),
    ({"type": "file", "file": {"file_id": "file-1"}}, "application/octet-stream"),
    ({"type": "file"}, "application/octet-stream"),
]


@pytest.mark.parametrize(("part", "media_type"), LOST_TO_ANTHROPIC)
def test_an_attachment_that_anthropic_does_not_take_is_told_of(part, media_type):
    rendered = to_anthropic({"role": "user", "content": [{"type": "text", "text": "hi"}, part]})

    assert rendered.items == [{"role": "user", "content": "hi"}]
    assert rendered.dropped == (
        (
            f"messages[0]: an attachment of type '{media_type}' "
            "cannot stand in an anthropic item of role 'user'."
        ),
    )


LOST_TO_CHAT = [
    ({"type": "image", "source": {"type": "file", "file_id": "f"}}, "image/*"),
    ({"type": "image", "source": {"type": "url", "url": "ftp://e.org/a.png"}}, "image/*"),
    ({"type": "document", "source": {"type": "url", "url": "https://e.org/a"}}, "application/pdf"),
    (
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}},
        "text/plain",
    ),
]


@pytest.mark.parametrize(("block", "media_type"), LOST_TO_CHAT)
def test_an_attachment_that_chat_does_not_take_is_told_of(block, media_type):
    rendered = to_chat({"role": "user", "content": [{"type": "text", "text": "hi"}, block]})

    assert rendered.items == [{"role": "user", "content": "hi"}]
    assert rendered.dropped == (
        (
            f"messages[0]: an attachment of type '{media_type}' "
            "cannot stand in a chat item of role 'user'."
        ),
    )


def test_an_attachment_made_in_code_has_no_bytes_to_carry():
    messages = [Message("user", (TextPart("hi"), AttachmentPart("image/png")))]

    for name in formats.FORMATS:
        rendered = formats.render(messages, name)
        content = {"parts": [{"text": "hi"}]} if name == "gemini" else {"content": "hi"}
        assert rendered.items == [{"role": "user", **content}]
        assert len(rendered.dropped) == 1


def test_an_image_in_a_result_is_carried_to_anthropic_and_told_of_in_chat():
    texts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]

    there = to_anthropic(
        {"role": "tool", "tool_call_id": "c", "content": [texts[0], PNG_CHAT, texts[1]]}
    )
    back = to_chat(
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c",
                    "content": [*texts, PNG_ANTHROPIC, {"type": "tool_reference"}],
                }
            ],
        }
    )

    joined = {"type": "text", "text": "one\ntwo"}
    assert there.items[0]["content"][0]["content"] == [joined, PNG_ANTHROPIC]
    assert there.dropped == ()
    assert back.items == [{"role": "tool", "tool_call_id": "c", "content": "one\ntwo"}]
    assert back.dropped == (
        "messages[0]: a part of type 'image' cannot stand in the result of call 'c'.",
        "messages[0]: a part of type 'tool_reference' cannot stand in the result of call 'c'.",
    )


def test_a_result_of_nothing_but_an_image_has_no_empty_text():
    [item] = to_anthropic({"role": "tool", "tool_call_id": "c", "content": [PNG_CHAT]}).items

    assert item["content"][0]["content"] == [PNG_ANTHROPIC]


def test_what_a_result_holds_beside_images_is_told_of():
    rendered = to_anthropic(
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "video", "video": {}}]}
    )

    assert rendered.items[0]["content"] == [{"type": "tool_result", "tool_use_id": "c"}]
    assert rendered.dropped == (
        "messages[0]: a part of type 'video' cannot stand in the result of call 'c'.",
    )


def test_an_error_mark_is_told_of_in_chat():
    rendered = to_chat(
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c", "content": "no", "is_error": True}
            ],
        }
    )

    assert rendered.items == [{"role": "tool", "tool_call_id": "c", "content": "no"}]
    assert rendered.dropped == (
        "messages[0]: chat has no error mark, so the result of call 'c' stands without it.",
    )


def test_reasoning_stays_behind():
    there = to_anthropic({"role": "assistant", "reasoning_content": "hm", "content": "yes"})
    back = to_chat(
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "Eq0="},
                {"type": "text", "text": "yes"},
            ],
        }
    )
    native = formats.render([Message("assistant", (ReasoningPart("hm"), TextPart("yes")))], "chat")

    expected = [{"role": "assistant", "content": "yes"}]
    assert there.items == back.items == native.items == expected
    assert there.dropped == (
        "messages[0]: reasoning cannot stand in an anthropic item of role 'assistant'.",
    )
    assert (
        back.dropped
        == native.dropped
        == ("messages[0]: reasoning cannot stand in a chat item of role 'assistant'.",)
    )


def test_unknown_parts_and_blocks_stay_behind():
    there = to_anthropic(
        {"role": "user", "content": [{"type": "video", "video": {}}, {"type": "text", "text": "a"}]}
    )
    back = to_chat(
        {
            "role": "assistant",
            "content": [{"type": "server_tool_use", "id": "s"}, {"type": "text", "text": "a"}],
        }
    )

    assert there.items == [{"role": "user", "content": "a"}]
    assert there.dropped == (
        "messages[0]: a part of type 'video' cannot stand in an anthropic item of role 'user'.",
    )
    assert back.items == [{"role": "assistant", "content": "a"}]
    assert back.dropped == (
        (
            "messages[0]: a part of type 'server_tool_use' "
            "cannot stand in a chat item of role 'assistant'."
        ),
    )


BLANK = {"type": "text", "text": " \n"}


def test_blank_text_is_no_block_and_a_message_of_nothing_is_left_out():
    hello = {"type": "text", "text": "hi"}
    there = to_anthropic(
        {"role": "user", "content": [BLANK, hello]},
        {"role": "assistant", "content": ""},
        {"role": "system", "content": " "},
    )
    back = to_chat(
        {"role": "user", "content": [hello, BLANK]},
        {"role": "assistant", "content": [BLANK]},
    )

    assert there.items == back.items == [{"role": "user", "content": "hi"}]
    assert there.system is None
    left_out = "nothing that {} can carry is in it, so the message was left out."
    assert there.dropped == (
        "messages[1]: " + left_out.format("anthropic"),
        "messages[2]: " + left_out.format("anthropic"),
    )
    assert back.dropped == ("messages[1]: " + left_out.format("chat"),)


def test_system_messages_anywhere_in_chat_are_the_one_system_of_anthropic():
    rendered = to_anthropic(
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
        {"role": "developer", "content": "Be kind."},
    )

    assert rendered.items == [{"role": "user", "content": "hi"}]
    assert rendered.system == [
        {"type": "text", "text": "Be brief."},
        {"type": "text", "text": "Be kind."},
    ]


def test_system_messages_of_anthropic_stand_in_their_place_in_chat():
    rendered = to_chat(
        {"role": "user", "content": "hi"}, {"role": "system", "content": "b"}, system="a"
    )

    assert rendered.items == [
        {"role": "system", "content": "a"},
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "b"},
    ]


def test_speakers_are_told_of_and_unknown_roles_are_not_given_another():
    rendered = to_anthropic(
        {"role": "user", "content": "hi", "name": "Ana"},
        {"role": "critic", "content": "Hm."},
    )

    assert rendered.items == [{"role": "user", "content": "hi"}]
    assert rendered.dropped == (
        "messages[0]: anthropic has no place for the speaker's name.",
        "messages[1]: anthropic has no role 'critic'.",
        "messages[1]: nothing that anthropic can carry is in it, so the message was left out.",
    )


def test_parts_in_roles_that_cannot_have_them_are_told_of():
    call = ToolCallPart("c", "get", "{}")
    messages = [
        Message("user", (TextPart("hi"), call)),
        Message("tool", (TextPart("loose"),)),
        *formats.parse(
            [
                {
                    "role": "assistant",
                    "content": [
                        {"type": "tool_result", "tool_use_id": "c", "content": "x"},
                        {"type": "text", "text": "hi"},
                    ],
                }
            ],
            "anthropic",
        ),
    ]

    rendered = formats.render(messages, "chat")

    assert rendered.items == [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "hi"},
    ]
    assert rendered.dropped == (
        "messages[0]: the call 'c' cannot stand in a chat item of role 'user'.",
        "messages[1]: text cannot stand in a chat item of role 'tool'.",
        "messages[1]: nothing that chat can carry is in it, so the message was left out.",
        "messages[2]: the result of call 'c' cannot stand in a chat item of role 'assistant'.",
    )
    assert len(formats.render(messages[:2], "anthropic").dropped) == 3
