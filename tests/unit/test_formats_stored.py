"""A message goes into a store and comes out the same."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest

from lifelong import formats
from lifelong.errors import FormatError, UnknownFormat
from lifelong.formats.stored import NATIVE, decode, encode
from lifelong.messages import (
    AttachmentPart,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)


def test_a_providers_item_is_kept_as_it_came():
    item = {"content": "Où est A-7781 ?", "role": "user", "id": "m-1", "x": [1.5, None, True]}
    [message] = formats.parse([item], "chat")

    name, text = encode(message)
    back = decode(name, text)

    assert name == "chat"
    assert text == (
        '{"content": "Où est A-7781 ?", "role": "user", "id": "m-1", "x": [1.5, null, true]}'
    )
    assert back == message
    assert json.dumps(back.raw) == json.dumps(item)
    assert formats.render([back], "chat").items == [item]


def test_the_top_level_system_is_kept_too():
    [message] = formats.parse(
        {"system": [{"type": "text", "text": "a"}], "messages": []}, "anthropic"
    )

    back = decode(*encode(message))

    assert back == message
    assert formats.render([back], "anthropic").system == [{"type": "text", "text": "a"}]


def test_a_message_made_in_code_has_a_native_form_that_holds_every_field():
    message = Message(
        "assistant",
        (
            TextPart("a"),
            ReasoningPart("b", raw={"type": "thinking", "signature": "Eq0="}),
            ToolCallPart("c", "get", {"k": [1]}),
            ToolCallPart("d", "get", "{}"),
            ToolResultPart("c", "e", is_error=True),
            AttachmentPart("image/png", "f", raw={"type": "image"}),
            OpaquePart("g", raw={"type": "g"}),
        ),
        id="m-1",
        speaker="Ana",
        sent_at=datetime(2026, 11, 30, 8, 29, 1, 5, timezone(timedelta(hours=2))),
        format="anthropic",
    )

    name, text = encode(message)
    back = decode(name, text)

    assert name == NATIVE == "lifelong"
    assert back == message
    assert back.sent_at == datetime(2026, 11, 30, 6, 29, 1, 5, UTC)
    assert [part.raw for part in back.parts] == [part.raw for part in message.parts]
    assert json.loads(text)["parts"][0] == {"type": "text", "text": "a"}


def test_the_smallest_native_form_has_no_empty_fields():
    assert encode(Message.of("user", "hi")) == (
        NATIVE,
        '{"role": "user", "parts": [{"type": "text", "text": "hi"}]}',
    )
    assert decode(NATIVE, '{"role": "user", "parts": []}') == Message("user", ())


def test_a_raw_item_of_a_format_that_is_not_known_is_kept_in_the_native_form():
    message = Message("user", (TextPart("hi"),), format="bedrock", raw={"parts": [{"text": "hi"}]})

    name, text = encode(message)
    back = decode(name, text)

    assert name == NATIVE
    assert back == message
    assert back.raw == message.raw


def test_text_that_has_no_utf8_form_is_kept_as_escapes():
    message = Message.of("user", "start \udc97 ä \0 end")

    name, text = encode(message)

    assert text.isascii()
    assert decode(name, text) == message


UNSTORABLE = [
    ({"role": "user", "content": [{"type": "x", "data": b"a"}]}, r"\.content\[0\]\.data is bytes"),
    ({"role": "user", "tags": {"a"}}, r"\.tags is set, which JSON cannot hold"),
    ({"role": "user", "at": datetime(2026, 1, 1, tzinfo=UTC)}, r"\.at is datetime"),
    ({"role": "user", "cost": float("inf")}, r"\.cost is not a finite number"),
    ({"role": "user", "cost": float("nan")}, r"\.cost is not a finite number"),
    ({"role": "user", "n": 10**5000}, r"\.n is a number of more than"),
    ({"role": "user", 5: "a"}, r" has a key that is int, not text"),
    ({"content": "a"}, r" has no role"),
    ({"role": "user", "content": 5}, r"\.content (is int|stands where)"),
]


@pytest.mark.parametrize(("raw", "detail"), UNSTORABLE)
@pytest.mark.parametrize("name", formats.FORMATS)
def test_what_could_not_be_read_back_is_not_written(raw, detail, name):
    message = Message("user", (), format=name, raw=raw)

    with pytest.raises(FormatError, match=r"^items\[2\]" + detail):
        encode(message, "items[2]")


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        (Message("", ()), "item has no role"),
        (Message("user", (ToolCallPart("c", "f", {"a": b""}),)), r"item\.parts\[0\]\.arguments\.a"),
        (Message("user", (TextPart(None),)), r"item\.parts\[0\]\.text is not what its type needs"),
        (Message("user", (), id=5), r"item\.id is not text"),
        (Message("user", (), sent_at=datetime(2026, 1, 1)), "sent_at has no time zone"),  # noqa: DTZ001
        (Message("user", (TextPart("a", raw=["b"]),)), r"item\.parts\[0\]\.raw is list"),
    ],
)
def test_a_message_made_wrong_in_code_is_not_written(message, detail):
    with pytest.raises(FormatError, match=detail):
        encode(message)


def nested(levels):
    return "[" * levels + "]" * levels


BROKEN = [
    "",
    "{",
    "{'role': 'user'}",
    "[]",
    "null",
    '"text"',
    "{}",
    '{"role": 5}',
    '{"role": "user", "content": NaN}',
    '{"role": "user", "x": Infinity}',
    '{"role": "user", "x": 1e999}',
    '{"role": "user", "x": ' + "1" * 5000 + "}",
    '{"role": "user", "x": ' + nested(100) + "}",
    '{"role": "user", "x": ' + nested(200_000) + "}",
    '{"role": "user", "content": 5}',
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
@pytest.mark.parametrize("name", [*formats.FORMATS, NATIVE])
def test_a_broken_text_is_a_format_error(text, name):
    with pytest.raises(FormatError):
        decode(name, text)


BROKEN_NATIVE = [
    ('{"role": "user"}', r"item\.parts is nothing"),
    ('{"role": "user", "parts": {}}', r"item\.parts is dict"),
    ('{"role": "user", "parts": [1]}', r"item\.parts\[0\] is int"),
    ('{"role": "user", "parts": [{}]}', r"item\.parts\[0\] has no type that is known"),
    ('{"role": "user", "parts": [{"type": "new"}]}', r"item\.parts\[0\] has no type"),
    ('{"role": "user", "parts": [{"type": ["text"]}]}', r"item\.parts\[0\] has no type"),
    ('{"role": "user", "parts": [{"type": "text"}]}', r"item\.parts\[0\]\.text is not"),
    ('{"role": "user", "parts": [{"type": "text", "text": 1}]}', r"\.text is not"),
    (
        '{"role": "u", "parts": [{"type":"tool_result","call_id":"","text":"","is_error":1}]}',
        r"\.is_error is not",
    ),
    ('{"role": "user", "parts": [{"type": "text", "text": "", "raw": 1}]}', r"\.raw is int"),
    ('{"role": "user", "parts": [], "id": 1}', r"item\.id is not text"),
    ('{"role": "user", "parts": [], "speaker": []}', r"item\.speaker is not text"),
    ('{"role": "user", "parts": [], "sent_at": 5}', r"item\.sent_at is not text"),
    ('{"role": "user", "parts": [], "sent_at": "soon"}', r"item\.sent_at is no time"),
    ('{"role": "user", "parts": [], "sent_at": "2026-01-01"}', r"sent_at has no time zone"),
    ('{"role": "user", "parts": [], "raw": []}', r"item\.raw is list"),
]


@pytest.mark.parametrize(("text", "detail"), BROKEN_NATIVE)
def test_a_broken_native_form_is_refused_by_its_place(text, detail):
    with pytest.raises(FormatError, match=detail):
        decode(NATIVE, text)


def test_an_unknown_form_is_named():
    with pytest.raises(UnknownFormat, match="'bedrock' is not one of anthropic, chat"):
        decode("bedrock", '{"role": "user"}')


def test_nesting_up_to_the_limit_comes_back():
    text = '{"role": "user", "x": ' + nested(99) + "}"

    assert encode(decode("chat", text)) == ("chat", text)
    with pytest.raises(FormatError, match="item is nested more than 100 levels deep"):
        encode(
            Message("user", (), format="chat", raw={"role": "user", "x": json.loads(nested(100))})
        )
