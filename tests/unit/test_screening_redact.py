"""What was found is taken out of texts and of whole items; nothing else is touched."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.screening.redact import is_only_marks, redact, redact_json
from lifelong.screening.secrets import find_secrets
from lifelong.writing import SECRET, Finding

KEY = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
SAID = "my wifi password is plum-Tiger-88"
KEPT = "my wifi password is [redacted: password]"
PICTURE = "iVBORw0KGgo" + "AAAANSUhEUgAA" * 8


def kept(value):
    return redact_json(value, find_secrets)[0]


def test_each_finding_becomes_a_mark_that_names_its_rule():
    text = "a SECRET and b OTHER."
    findings = [Finding(SECRET, "one", 2, 8), Finding(SECRET, "two-2", 15, 20)]
    assert redact(text, findings) == "a [redacted: one] and b [redacted: two-2]."


def test_findings_in_any_order_that_overlap_become_one_mark():
    findings = [Finding(SECRET, "b", 2, 5), Finding(SECRET, "a", 1, 4)]
    assert redact("0123456", findings) == "0[redacted: a]56"


def test_a_rule_with_odd_characters_still_makes_a_mark():
    assert redact("x", [Finding(SECRET, "a b]c", 0, 1)]) == "[redacted: a-b-c]"


def test_without_findings_the_text_is_the_same_object():
    text = "nothing here " * 3
    assert redact(text, ()) is text


@pytest.mark.parametrize(
    ("text", "is_only"),
    [
        ("[redacted: password]", True),
        (" [redacted: key], [redacted: pin]! ", True),
        ("", False),
        ("!", False),
        ("the [redacted: key]", False),
        ("[redacted: a key]", False),
    ],
)
def test_a_text_of_marks_alone_is_known(text, is_only):
    assert is_only_marks(text) is is_only


CLEAN = [
    {"role": "user", "content": "How is the weather?"},
    {"role": "assistant", "content": [{"type": "text", "text": "Fine"}, {"type": "image", "n": 1}]},
    {
        "type": "function_call",
        "call_id": "call_1",
        "name": "f",
        "arguments": '{"a": [1, 2.5, null]}',
    },
    {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"city": "Oslo", "n": 3}}}]},
    "a text",
    None,
    3.5,
    {},
]


@pytest.mark.parametrize("value", CLEAN)
def test_a_clean_value_comes_back_as_the_same_object(value):
    result, findings = redact_json(value, find_secrets)
    assert result is value
    assert findings == ()


ITEMS = [
    ({"role": "user", "content": SAID}, {"role": "user", "content": KEPT}),
    (
        {
            "role": "user",
            "content": [{"type": "text", "text": SAID}, {"type": "text", "text": "ok"}],
        },
        {
            "role": "user",
            "content": [{"type": "text", "text": KEPT}, {"type": "text", "text": "ok"}],
        },
    ),
    (
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SAID}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": KEPT}]},
    ),
    (
        {"type": "function_call_output", "call_id": "call_1", "output": SAID},
        {"type": "function_call_output", "call_id": "call_1", "output": KEPT},
    ),
    (
        {"type": "tool_use", "id": "toolu_1", "name": "save", "input": {"note": SAID, "n": 1}},
        {"type": "tool_use", "id": "toolu_1", "name": "save", "input": {"note": KEPT, "n": 1}},
    ),
    (
        {"role": "user", "parts": [{"text": SAID}, {"inlineData": {"data": PICTURE}}]},
        {"role": "user", "parts": [{"text": KEPT}, {"inlineData": {"data": PICTURE}}]},
    ),
    (
        {"functionResponse": {"name": "f", "response": {"password": "two words"}}},
        {"functionResponse": {"name": "f", "response": {"password": "[redacted: password]"}}},
    ),
    (
        {"functionCall": {"name": "f", "args": {"pin": 4471, "id": KEY}}, "thoughtSignature": "s"},
        {
            "functionCall": {
                "name": "f",
                "args": {"pin": "[redacted: pin]", "id": "[redacted: github-pat]"},
            },
            "thoughtSignature": "s",
        },
    ),
]


@pytest.mark.parametrize(("item", "wanted"), ITEMS)
def test_an_item_of_each_format_is_redacted(item, wanted):
    before = copy.deepcopy(item)
    result, findings = redact_json(item, find_secrets)
    assert result == wanted
    assert findings
    assert item == before
    assert kept(result) is result


def test_what_did_not_change_stays_the_same_object():
    clean, said = {"role": "user", "content": "hi"}, {"role": "user", "content": SAID}
    result = kept([clean, said])
    assert result[0] is clean
    assert result[1] is not said


def test_arguments_that_are_json_in_a_text_stay_json():
    arguments = json.dumps({"note": f"the pw is hunter2x\nand {KEY}", "password": "hé two", "n": 1})
    item = {"function": {"name": "save", "arguments": arguments}, "id": "call_1"}
    result = kept(item)
    assert json.loads(result["function"]["arguments"]) == {
        "note": "the pw is [redacted: password]\nand [redacted: github-pat]",
        "password": "[redacted: password]",
        "n": 1,
    }


def test_arguments_that_broke_off_are_redacted_as_text():
    item = {"arguments": '{"note": "' + SAID}
    assert kept(item) == {"arguments": '{"note": "' + KEPT}


def test_a_key_of_a_mapping_is_redacted_too_and_keys_are_kept_apart():
    value = {"before": 1, KEY: "a", KEY[:-1] + "6": "b", "after": 2}
    result = kept(value)
    assert list(result) == ["before", "[redacted: github-pat]", "[redacted: github-pat]'", "after"]
    assert list(result.values()) == [1, "a", "b", 2]


def test_a_key_with_changes_below_it_keeps_them():
    assert kept({KEY: {"text": SAID}}) == {"[redacted: github-pat]": {"text": KEPT}}


SEALED = [
    {"id": KEY},
    {"call_id": KEY},
    {"tool_call_id": KEY},
    {"tool_use_id": KEY},
    {"previous_response_id": KEY},
    {"signature": SAID},
    {"encrypted_content": f"{SAID} {KEY}"},
    {"thoughtSignature": KEY},
    {"thought_signature": KEY},
    {"type": KEY},
    {"role": KEY},
    {"name": KEY},
    {"data": PICTURE + KEY},
    {"image_url": {"url": "data:image/png;base64," + PICTURE}},
]


@pytest.mark.parametrize("item", SEALED)
def test_what_a_provider_compares_stays_as_it_is(item):
    assert kept(item) is item


def test_a_sentence_is_no_name_and_no_id():
    assert kept({"name": SAID, "id": SAID}) == {"name": KEPT, "id": KEPT}


def test_thinking_that_was_changed_loses_its_signature():
    block = {"type": "thinking", "thinking": SAID, "signature": "c2ln"}
    assert kept([block, {"type": "thinking", "thinking": "hm", "signature": "c2ln"}]) == [
        {"type": "thinking", "thinking": KEPT},
        {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
    ]


def test_names_of_keys_are_context():
    assert kept({"wifi": {"password": "sunshine"}}) == {
        "wifi": {"password": "[redacted: password]"}
    }


def test_a_value_a_hundred_thousand_levels_deep_is_redacted():
    deep = SAID
    for level in range(100_000):
        deep = [deep] if level % 2 else {"content": deep}
    result = kept(deep)
    while not isinstance(result, str):
        result = result[0] if isinstance(result, list) else result["content"]
    assert result == KEPT


def test_json_in_a_text_that_is_too_deep_for_the_parser_is_plain_text():
    text = "[" * 100_000 + SAID
    assert kept({"arguments": text}) == {"arguments": "[" * 100_000 + KEPT}


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.sampled_from([SAID, KEY, f'{{"password": "{KEY}"}}', '["a"]', "4471", "plum-88x"])
)
KEYS = st.sampled_from(
    ["content", "text", "password", "pin", "id", "name", "input", "data", "note"]
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)


@given(VALUES)
def test_what_was_redacted_is_clean_json_of_the_same_shape(value):
    before = copy.deepcopy(value)
    result, findings = redact_json(value, find_secrets)
    assert value == before
    assert (result is value) or findings
    again, rest = redact_json(result, find_secrets)
    assert again is result
    assert rest == ()
    json.dumps(result)
