"""Text that every store can hold."""

import pytest

from lifelong.errors import FormatError
from lifelong.formats.storable import storable

MENDED = [
    ("plum \0 jam", "plum \ufffd jam"),
    ("start \udc97 end", "start \ufffd end"),
    ("\ud83d", "\ufffd"),
    ("\ud83dx", "\ufffdx"),
    ("\ud83d\ude00", "\U0001f600"),
    ("\ude00\ud83d", "\ufffd\ufffd"),
    ("a\ud83d\ud83d\ude00\0\U0001f600b", "a\ufffd\U0001f600\ufffd\U0001f600b"),
    ("\0\0", "\ufffd\ufffd"),
]


@pytest.mark.parametrize(("text", "expected"), MENDED)
def test_a_text_is_mended(text, expected):
    assert storable(text) == (expected, True)
    assert storable({"a": [1, text]}) == ({"a": [1, expected]}, True)
    assert storable({text: 1}) == ({expected: 1}, True)
    expected.encode()


@pytest.mark.parametrize(
    "value",
    [
        "plain",
        "ä 漢字 \U0001f600 \ufffd \n",
        "",
        None,
        5,
        0.5,
        b"\0",
        {"role": "user", "content": [{"type": "text", "text": "hi"}, None, True]},
        [],
        {},
        (1, "a"),
        {5: "a"},
    ],
)
def test_what_can_be_stored_is_the_same_object(value):
    found, was_replaced = storable(value)

    assert found is value
    assert was_replaced is False


def test_only_the_way_to_the_replaced_text_is_new_and_the_input_is_not_changed():
    fine = {"type": "text", "text": "fine"}
    bad = {"type": "text", "text": "a\0b"}
    payload = [{"role": "user", "content": [fine, bad]}]

    found, was_replaced = storable(payload)

    assert was_replaced
    assert found == [{"role": "user", "content": [fine, {"type": "text", "text": "a\ufffdb"}]}]
    assert found[0]["content"][0] is fine
    assert bad == {"type": "text", "text": "a\0b"}
    assert list(found[0]) == ["role", "content"]


def test_a_tuple_stays_a_tuple():
    assert storable(("a\0", "b")) == (("a\ufffd", "b"), True)


def test_keys_that_would_fall_together_stay_apart():
    lone = "a" + chr(0xD800)

    found, _ = storable({"a\0": 1, lone: 2, "a\ufffd": 3})

    assert found == {"a\ufffd\ufffd": 1, "a\ufffd\ufffd\ufffd": 2, "a\ufffd": 3}


def nested(levels):
    value = "core\0"
    for _ in range(levels):
        value = [value]
    return value


def test_nesting_beyond_a_payload_is_refused():
    assert storable(nested(102))[1]
    for levels in (103, 100_000):
        with pytest.raises(FormatError, match="nested more than 102 levels"):
            storable(nested(levels))


def test_a_payload_that_holds_itself_is_refused():
    payload = [{"role": "user"}]
    payload[0]["self"] = payload

    with pytest.raises(FormatError, match="nested"):
        storable(payload)
