"""Gemini's contents: every shape comes in as the right parts and goes back as it came."""

import json

import pytest

from lifelong import formats
from lifelong.errors import FormatError
from lifelong.formats.stored import decode, encode
from lifelong.messages import (
    AttachmentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

SKIP = "skip_thought_signature_validator"
PNG = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def call(name, id=None, args=None):
    return {"functionCall": {**({"id": id} if id else {}), "name": name, "args": args or {}}}


def response(name, body, id=None):
    return {"functionResponse": {**({"id": id} if id else {}), "name": name, "response": body}}


SHAPES = [
    pytest.param(
        {"role": "user", "parts": [{"text": "Where is my order?"}]},
        "user",
        (TextPart("Where is my order?"),),
        id="text",
    ),
    pytest.param({"parts": [{"text": "hi"}]}, "user", (TextPart("hi"),), id="no role"),
    pytest.param({"role": None, "parts": []}, "user", (), id="role of nothing"),
    pytest.param({"role": "model"}, "assistant", (), id="nothing said"),
    pytest.param({"role": "user"}, "user", (), id="nothing asked"),
    pytest.param({"role": "critic", "parts": None}, "critic", (), id="unknown role"),
    pytest.param(
        {
            "role": "model",
            "parts": [
                {"text": "An order.", "thought": True},
                {"thought": True, **PNG},
                {"text": "I look.", "thoughtSignature": "Eq0="},
                {**call("get", "c1", {"id": "A-7781"}), "thoughtSignature": "Eq1="},
                {"text": "", "thoughtSignature": "Eq2="},
            ],
        },
        "assistant",
        (
            ReasoningPart("An order."),
            ReasoningPart(""),
            TextPart("I look."),
            ToolCallPart("c1", "get", {"id": "A-7781"}),
            TextPart(""),
        ),
        id="thought, text and a call",
    ),
    pytest.param(
        {
            # As the client dumps it, with all that is not there.
            "role": "model",
            "parts": [
                {
                    "text": None,
                    "thought": None,
                    "function_call": {"id": None, "name": "get", "args": None},
                    "thought_signature": "Eq0=",
                },
                {"text": None, "executable_code": {"code": "1", "language": "PYTHON"}},
            ],
        },
        "assistant",
        (ToolCallPart("get#0", "get", {}), OpaquePart("executable_code")),
        id="snake case",
    ),
    pytest.param(
        {"role": "model", "parts": [call("get"), call("put"), call("get"), call("get", "own")]},
        "assistant",
        (
            ToolCallPart("get#0", "get", {}),
            ToolCallPart("put#0", "put", {}),
            ToolCallPart("get#1", "get", {}),
            ToolCallPart("own", "get", {}),
        ),
        id="calls without ids",
    ),
    pytest.param(
        {
            "role": "user",
            "parts": [
                response("put", {"output": "a"}),
                response("get", {"result": {"n": 1}}),
                response("get", {"error": "no"}),
                response("get", {"a": 1, "b": "é"}, "own"),
                response("get", {}),
                {"function_response": {"name": "get"}},
                {"text": "And now?"},
            ],
        },
        "user",
        (
            ToolResultPart("put#0", "a"),
            ToolResultPart("get#0", '{"n": 1}'),
            ToolResultPart("get#1", "no", is_error=True),
            ToolResultPart("own", '{"a": 1, "b": "é"}'),
            ToolResultPart("get#2", ""),
            ToolResultPart("get#3", ""),
            TextPart("And now?"),
        ),
        id="responses and text",
    ),
    pytest.param(
        {
            "role": "user",
            "parts": [
                PNG,
                {"inline_data": {"mime_type": "audio/wav", "data": "UklG"}},
                {"fileData": {"fileUri": "gs://a/b.mp4", "mimeType": "video/mp4"}},
                {"file_data": {"file_uri": "gs://a/b"}, "videoMetadata": {"fps": 1}},
            ],
        },
        "user",
        (
            AttachmentPart("image/png"),
            AttachmentPart("audio/wav"),
            AttachmentPart("video/mp4"),
            AttachmentPart("application/octet-stream"),
        ),
        id="attachments",
    ),
    pytest.param(
        {
            "role": "model",
            "parts": [
                {"executableCode": {"code": "1", "language": "PYTHON"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
                {"thoughtSignature": "Eq0=", "toolCall": {"id": "t"}},
                {"thoughtSignature": "Eq0="},
                {},
            ],
            "x": {"deep": [1, None]},
        },
        "assistant",
        (
            OpaquePart("executableCode"),
            OpaquePart("codeExecutionResult"),
            OpaquePart("toolCall"),
            OpaquePart(""),
            OpaquePart(""),
        ),
        id="parts that are kept unread",
    ),
]


@pytest.mark.parametrize(("item", "role", "parts"), SHAPES)
def test_a_shape_is_parsed_and_comes_back_as_it_was(item, role, parts):
    before = json.dumps([item])

    [message] = formats.parse([item], "gemini")
    rendered = formats.render([message], "gemini")

    assert message.role == role
    assert message.parts == parts
    assert message.raw is item
    assert message.format == "gemini"
    # As text, so that the order of the keys counts.
    assert json.dumps(rendered.items) == json.dumps([item]) == before
    assert rendered.system is None
    assert rendered.dropped == ()
    assert decode(*encode(message)) == message


SYSTEMS = [
    pytest.param("Be brief.", (TextPart("Be brief."),), id="text"),
    pytest.param({"parts": [{"text": "Be brief."}]}, (TextPart("Be brief."),), id="content"),
    pytest.param({"text": "Be brief."}, (TextPart("Be brief."),), id="part"),
    pytest.param(
        ["Be brief.", {"text": "Be kind."}], (TextPart("Be brief."), TextPart("Be kind."))
    ),
    pytest.param({"parts": None}, (), id="content of nothing"),
    pytest.param("", (), id="empty"),
]


@pytest.mark.parametrize("key", ["systemInstruction", "system_instruction"])
@pytest.mark.parametrize(("system", "parts"), SYSTEMS)
def test_the_system_instruction_is_a_first_message_and_comes_back(key, system, parts):
    contents = [{"role": "user", "parts": [{"text": "a"}]}]
    payload = {"model": "gemini", key: system, "contents": contents}

    first, second = formats.parse(payload, "gemini")
    rendered = formats.render([first, second], "gemini")

    assert (first.role, first.parts, first.format) == ("system", parts, "gemini")
    assert second.role == "user"
    assert rendered == formats.Rendered(contents, system)
    assert decode(*encode(first)) == first


def test_several_systems_are_joined_as_parts():
    messages = [
        Message.of("system", "One."),
        *formats.parse({"systemInstruction": "Two.", "contents": []}, "gemini"),
        *formats.parse({"systemInstruction": ["Three."], "contents": []}, "gemini"),
        *formats.parse({"systemInstruction": {"parts": None}, "contents": []}, "gemini"),
        *formats.parse({"systemInstruction": "", "contents": []}, "gemini"),
        *formats.parse({"systemInstruction": {"text": "Four."}, "contents": []}, "gemini"),
    ]

    rendered = formats.render(messages, "gemini")

    assert rendered.system == {
        "parts": [{"text": "One."}, {"text": "Two."}, {"text": "Three."}, {"text": "Four."}]
    }
    empty = formats.parse({"systemInstruction": "", "contents": []}, "gemini")
    assert formats.render(empty * 2, "gemini").system is None


def test_messages_made_in_code_are_rendered():
    rendered = formats.render(
        [
            Message.of("developer", "Be brief."),
            Message.of("user", "Where is A-7781?", speaker="Ana"),
            Message("assistant", (TextPart("I look."), ToolCallPart("c1", "get", {"id": "A"}))),
            Message("tool", (ToolResultPart("c1", "lost", is_error=True),)),
            Message.of("assistant", " "),
            Message.of("critic", "Hm."),
            Message("tool", (ToolResultPart("c9", "late"),)),
        ],
        "gemini",
    )

    assert rendered.system == {"parts": [{"text": "Be brief."}]}
    assert rendered.items == [
        {"role": "user", "parts": [{"text": "Where is A-7781?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {**call("get", "c1", {"id": "A"}), "thoughtSignature": SKIP},
            ],
        },
        {"role": "user", "parts": [response("get", {"error": "lost"}, "c1")]},
    ]
    left_out = "nothing that gemini can carry is in it, so the message was left out."
    assert rendered.dropped == (
        "messages[1]: gemini has no place for the speaker's name.",
        f"messages[4]: {left_out}",
        "messages[5]: gemini has no role 'critic'.",
        f"messages[5]: {left_out}",
        "messages[6]: no call names the function of the result of call 'c9'.",
        f"messages[6]: {left_out}",
    )


def test_calls_that_came_from_elsewhere_say_that_they_are_unsigned_in_every_turn():
    def step(id):
        return [
            Message("assistant", (ToolCallPart(id, "get", {}),)),
            Message("tool", (ToolResultPart(id, "1"),)),
        ]

    own = formats.parse(
        [{"role": "model", "parts": [{**call("get"), "thoughtSignature": "Eq0="}]}], "gemini"
    )
    items = formats.render(
        [
            *(Message.of("user", "One?"), *step("c1")),
            *(Message.of("user", "Two?"), *step("c2"), *step("c3"), *own),
        ],
        "gemini",
    ).items

    signatures = [item["parts"][0].get("thoughtSignature") for item in items]
    assert signatures == [None, SKIP, None, None, SKIP, None, SKIP, None, "Eq0="]


def test_what_was_rendered_stays_as_it_is_when_the_conversation_goes_on():
    # A provider's cache holds what stands at the beginning, and is lost where that changes.
    messages = [
        Message.of("user", "One?"),
        Message("assistant", (ToolCallPart("c1", "get", {}), ToolCallPart("c2", "get", {}))),
        Message("tool", (ToolResultPart("c1", "1"), ToolResultPart("c2", "2"))),
        Message.of("assistant", "Three."),
        Message.of("user", "Two?"),
        Message.of("assistant", "Yes."),
    ]
    whole = formats.render(messages, "gemini").items

    assert [formats.render(messages[:end], "gemini").items for end in range(1, 7)] == [
        whole[:end] for end in range(1, 7)
    ]
    signatures = [part.get("thoughtSignature") for part in whole[1]["parts"]]
    assert signatures == [SKIP, None]


def test_the_results_of_many_calls_are_ordered_once():
    # With work for each pair of calls this takes minutes, and else less than a second.
    ids = [f"c{number}" for number in range(20_000)]
    calls = Message("assistant", tuple(ToolCallPart(id, "get", {}) for id in ids))
    results = [Message("tool", (ToolResultPart(id, ""),)) for id in reversed(ids)]

    asked, called, answered = formats.render(
        [Message.of("user", "hi"), calls, *results], "gemini"
    ).items

    assert asked["role"] == "user"
    assert len(called["parts"]) == 20_000
    assert [part["functionResponse"]["id"] for part in answered["parts"]] == ids


def test_results_that_follow_one_another_are_one_content_in_the_order_of_the_calls():
    items = formats.render(
        [
            Message("assistant", (TextPart("I look."),)),
            Message("assistant", (ToolCallPart("c1", "get", {}), ToolCallPart("c2", "put", {}))),
            Message("tool", (ToolResultPart("c2", "2"),)),
            Message("user", (TextPart("Hurry."), ToolResultPart("c1", "1"))),
            Message.of("user", "Now!"),
        ],
        "gemini",
    ).items

    assert items == [
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {**call("get", "c1"), "thoughtSignature": SKIP},
                call("put", "c2"),
            ],
        },
        {
            "role": "user",
            "parts": [
                response("get", {"output": "1"}, "c1"),
                response("put", {"output": "2"}, "c2"),
                {"text": "Hurry."},
            ],
        },
        {"role": "user", "parts": [{"text": "Now!"}]},
    ]


def test_an_edited_message_keeps_the_raw_form_of_the_parts_that_were_not_edited():
    # Given calls and responses without ids, of which the first response is blanked
    signed = {"text": "hm", "thought": True}
    code = {"executableCode": {"code": "1"}}
    asked = {
        "role": "model",
        "parts": [signed, code, {**call("get"), "thoughtSignature": "Eq0="}, call("get", "own")],
    }
    told = {
        "role": "user",
        "parts": [response("get", {"output": "long"}), response("get", {"n": 1}, "own")],
    }
    first, second = formats.parse([asked, told], "gemini")
    parts = (ToolResultPart("get#0", "[cleared]"), ToolResultPart("own", "[cleared]"))

    # When both are rendered from their parts
    rendered = formats.render(
        [
            Message(first.role, first.parts, format="gemini"),
            Message(second.role, parts, format="gemini"),
        ],
        "gemini",
    )

    # Then a derived id is not written, and nothing but what was blanked is another
    assert rendered.items == [
        asked,
        {
            "role": "user",
            "parts": [
                response("get", {"output": "[cleared]"}),
                response("get", {"output": "[cleared]"}, "own"),
            ],
        },
    ]
    assert rendered.dropped == ()


def test_an_edited_system_instruction_is_one_again():
    [message] = formats.parse({"systemInstruction": "Be brief.", "contents": []}, "gemini")
    edited = Message(message.role, message.parts, format="gemini")

    assert formats.render([edited], "gemini").system == {"parts": [{"text": "Be brief."}]}


def test_parts_in_roles_that_cannot_have_them_are_told_of():
    messages = [
        Message("user", (TextPart("hi"), ToolCallPart("c", "get", "{}"))),
        Message("assistant", (TextPart("hi"), ToolResultPart("c", "x"))),
        Message("assistant", (TextPart("hi"), AttachmentPart("image/png", raw=PNG))),
        Message("assistant", (ReasoningPart("hm"), OpaquePart("x"), TextPart("hi"))),
    ]

    rendered = formats.render(messages, "gemini")

    assert rendered.items == [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"text": "hi"}] * 3},
    ]
    assert rendered.dropped == (
        "messages[0]: the call 'c' cannot stand in a gemini content of role 'user'.",
        "messages[1]: the result of call 'c' cannot stand in a gemini content of role 'assistant'.",
        (
            "messages[2]: an attachment of type 'image/png' "
            "cannot stand in a gemini content of role 'assistant'."
        ),
        "messages[3]: reasoning cannot stand in a gemini content of role 'assistant'.",
        "messages[3]: a part of type 'x' cannot stand in a gemini content of role 'assistant'.",
    )


BROKEN = [
    ("text", "the payload is str, not a list of items"),
    ({"role": "user", "parts": []}, "the payload is a mapping without 'contents'"),
    ({"contents": "hi"}, "the payload is str, not a list of items"),
    ({"contents": [], "systemInstruction": 5}, r"systemInstruction\.parts is int"),
    ({"contents": [], "system_instruction": [b""]}, r"system_instruction\[0\] is bytes"),
    ([3], r"items\[0\] is int, not a mapping"),
    ([{}], r"items\[0\] has no role"),
    ([{"content": "a"}], r"items\[0\] has no role"),
    ([{"role": 5, "parts": []}], r"items\[0\] has no role"),
    (
        [{"role": "user", "content": "a"}],
        r"items\[0\]\.content stands where the parts of a content belong",
    ),
    ([{"role": "user", "parts": "a"}], r"items\[0\]\.parts is str"),
    ([{"role": "user", "parts": ["a"]}], r"items\[0\]\.parts\[0\] is str, not a mapping"),
    ([{"role": "user", "parts": [{"text": 5}]}], r"items\[0\]\.parts\[0\]\.text is int"),
    (
        [{"role": "model", "parts": [{"thought": True, "text": 5}]}],
        r"items\[0\]\.parts\[0\]\.text is int",
    ),
    (
        [{"role": "user", "parts": [{"inlineData": {"data": b"secret"}}]}],
        r"items\[0\]\.parts\[0\]\.inlineData\.data is bytes",
    ),
]


@pytest.mark.parametrize(("payload", "detail"), BROKEN)
def test_a_broken_payload_is_refused_by_its_place(payload, detail):
    with pytest.raises(FormatError, match=detail) as caught:
        formats.parse(payload, "gemini")

    assert "secret" not in str(caught.value)


def test_arguments_that_are_no_json_are_refused_by_name():
    message = Message("assistant", (ToolCallPart("c1", "get", {"when": b"x"}),))

    with pytest.raises(FormatError, match=r"the arguments of call 'c1'\.when is bytes"):
        formats.render([message], "gemini")
