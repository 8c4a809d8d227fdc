"""Mending Responses items: for each rule what is given, and what is made of it by hand."""

import pytest

from lifelong.formats import Rendered
from lifelong.formats.mending import mend
from lifelong.formats.mending.drafts import UNFIT_NAME
from lifelong.formats.validation import problems


def ask(text="hi"):
    return {"role": "user", "content": text}


def say(text="ok", **more):
    content = [{"type": "output_text", "text": text}]
    return {"type": "message", "role": "assistant", "content": content, **more}


def call(call_id="c1", **more):
    item = {"type": "function_call", "call_id": call_id, "name": "get", "arguments": "{}"}
    return {**item, **more}


def output(call_id="c1", said="A=3"):
    return {"type": "function_call_output", "call_id": call_id, "output": said}


def thought(id="rs_1"):
    return {"type": "reasoning", "id": id, "summary": []}


def part(kind, text="ok"):
    return {"type": kind, "text": text}


def shell(call_id, **more):
    return {"type": "local_shell_call", "call_id": call_id, "action": {}, **more}


IMAGE = {"type": "input_image", "image_url": "https://example.org/a.png"}
REFUSAL = {"type": "refusal", "refusal": "No."}
SUMMARY = {"type": "compaction", "encrypted_content": "x"}
TRIGGER = {"type": "compaction_trigger"}
ASKED = {"type": "mcp_approval_request", "id": "m1", "name": "get"}
APPROVED = {"type": "mcp_approval_response", "approval_request_id": "m1", "approve": True}
LONELY = "reasoning without what it led to was left out."
WITHOUT_ID = "it stands without its id, for its reasoning is gone."
REUSED = "it has the id of an item before it, so it stands without."
OWN_ID = "the call has an id of its own now, and so has its output."
PARTS = "parts that are not for its role were changed or left out."

# What is given, what is made of it, and what is told.
RULES = {
    "reasoning that leads to nothing": (
        [ask(), thought("rs_a"), thought("rs_b"), ask()],
        [ask(), ask()],
        [f"items[1]: {LONELY}", f"items[2]: {LONELY}"],
    ),
    "reasoning at the end": ([ask(), thought()], [ask()], [f"items[1]: {LONELY}"]),
    "a call without an output, and its reasoning": (
        [
            ask(),
            thought(),
            call("a", id="fc_1"),
            call("b", id="fc_2"),
            output("b"),
            say(id="msg_1"),
        ],
        [ask(), call("b"), output("b"), say(id="msg_1")],
        [
            "items[2]: a call without an output was left out.",
            f"items[1]: {LONELY}",
            f"items[3]: {WITHOUT_ID}",
        ],
    ),
    "an output without a call": (
        [ask(), output(), say()],
        [ask(), say()],
        ["items[1]: an output of no call before it was left out."],
    ),
    "an output of another kind": (
        [ask(), call(), {"type": "custom_tool_call_output", "call_id": "c1"}],
        [ask()],
        [
            "items[2]: an output of no call before it was left out.",
            "items[1]: a call without an output was left out.",
        ],
    ),
    "an id that comes again": (
        [ask(), say(id="msg_1"), ask(), say("yes", id="msg_1")],
        [ask(), say(id="msg_1"), ask(), say("yes")],
        [f"items[3]: {REUSED}"],
    ),
    "a reference that comes again": (
        [{"id": "msg_1"}, {"type": "item_reference", "id": "msg_1"}, ask()],
        [{"id": "msg_1"}, ask()],
        ["items[1]: it has the id of an item before it, so it was left out."],
    ),
    "a call_id that comes again": (
        [ask(), call(), output(said="1"), call(), output(said="2")],
        [ask(), call(), output(said="1"), call("c1_2"), output("c1_2", "2")],
        [f"items[3]: {OWN_ID}"],
    ),
    "a call_id that comes again in one reply": (
        [ask(), call(), call(), output(said="1"), output(said="2")],
        [ask(), call(), call("c1_2"), output(said="1"), output("c1_2", "2")],
        [f"items[2]: {OWN_ID}"],
    ),
    "a shell's output that names its call by its own id": (
        [
            *(ask(), shell("c1"), {"type": "local_shell_call_output", "id": "c1"}),
            *(shell("c1"), {"type": "local_shell_call_output", "id": "c1"}),
        ],
        [
            *(ask(), shell("c1"), {"type": "local_shell_call_output", "id": "c1"}),
            *(shell("c1_2"), {"type": "local_shell_call_output", "id": "c1_2"}),
        ],
        [f"items[3]: {OWN_ID}"],
    ),
    "a shell's output without an id": (
        [ask(), shell("c1"), {"type": "local_shell_call_output", "call_id": "c1"}],
        [ask(), shell("c1"), {"type": "local_shell_call_output", "call_id": "c1", "id": "c1"}],
        ["items[2]: it has the id of its call now."],
    ),
    "a call_id that is too long": (
        [ask(), call("c" * 65), call("c" * 64), output("c" * 65, "1"), output("c" * 64, "2")],
        [
            *(ask(), call("c" * 62 + "_2"), call("c" * 64)),
            *(output("c" * 62 + "_2", "1"), output("c" * 64, "2")),
        ],
        [f"items[1]: {OWN_ID}"],
    ),
    "a shell's call_id that is too long": (
        [
            *(ask(), shell("s" * 65)),
            {"type": "local_shell_call_output", "call_id": "s" * 65, "id": "s" * 65},
        ],
        [
            *(ask(), shell("s" * 64)),
            {"type": "local_shell_call_output", "call_id": "s" * 64, "id": "s" * 64},
        ],
        [f"items[1]: {OWN_ID}"],
    ),
    "ids that are not OpenAI's": (
        [ask(), thought("a"), say(id="chatcmpl-1"), call(id="__fake_id__"), output()],
        [ask(), {"type": "reasoning", "summary": []}, say(), call(), output()],
        [f"items[{at}]: its id is none of OpenAI's, so it stands without." for at in (1, 2, 3)],
    ),
    "names that functions cannot have": (
        [
            *(ask(), call(name="mcp.get it"), output()),
            *({**call("c2", name="x" * 65), "type": "custom_tool_call"},),
            *({**output("c2"), "type": "custom_tool_call_output"},),
        ],
        [
            *(ask(), call(name="mcp_get_it"), output()),
            *({**call("c2", name="x" * 64), "type": "custom_tool_call"},),
            *({**output("c2"), "type": "custom_tool_call_output"},),
        ],
        [f"items[{at}]: the call has {UNFIT_NAME}." for at in (1, 3)],
    ),
    "a call without a name": (
        [ask(), call(name=None), output()],
        [ask(), call(name="unknown"), output()],
        ["items[1]: the call has no name, so it is called 'unknown'."],
    ),
    "items of the model before a compaction": (
        [ask(), thought(), call(), output(), say(), SUMMARY, ask()],
        [ask(), SUMMARY, ask()],
        [f"items[{at}]: it stands before the compaction that replaces it." for at in range(1, 5)],
    ),
    "a trigger before the end": (
        [ask(), TRIGGER, ask()],
        [ask(), ask()],
        ["items[1]: it triggers a compaction before the end, so it was left out."],
    ),
    "an approval that nobody asked for": (
        [ask(), APPROVED],
        [ask()],
        ["items[1]: it approves what no item before it asked for, so it was left out."],
    ),
    "an unknown role": (
        [ask(), {"role": "tool", "content": [part("text"), IMAGE]}, {"role": "x", "content": "y"}],
        [
            ask(),
            ask([part("input_text", "<tool>\nok\n</tool>"), IMAGE]),
            ask([part("input_text", "<x>\ny\n</x>")]),
        ],
        [
            "items[1]: the role 'tool' is unknown here, so it is a note of the user.",
            "items[2]: the role 'x' is unknown here, so it is a note of the user.",
        ],
    ),
    "parts of the user in a reply": (
        [ask(), {**say(), "content": [part("input_text"), part("text"), IMAGE, REFUSAL]}],
        [ask(), {**say(), "content": [part("output_text"), part("output_text"), REFUSAL]}],
        [f"items[1]: {PARTS}"],
    ),
    "parts of a reply in what the user says": (
        [ask([part("output_text"), REFUSAL, IMAGE])],
        [ask([part("input_text"), part("input_text", "No."), IMAGE])],
        [f"items[0]: {PARTS}"],
    ),
    "a message without content": (
        [ask(), {"role": "user"}, ask([]), {"role": "assistant", "content": [IMAGE]}],
        [ask()],
        [f"items[{at}]: nothing is in it, so it was left out." for at in range(1, 4)],
    ),
    "what is no item": (
        [ask(), {"content": "hi"}],
        [ask()],
        ["items[1]: what is no item was left out."],
    ),
}

PROGRAM = {"type": "program", "call_id": "p1", "code": "x"}
SOUND = {
    "ids of other types": [
        ask(), shell("c1", id="x"), {"type": "local_shell_call_output", "call_id": "c1", "id": "o"},
        {"type": "web_search_call", "id": "y"}, call("c" * 64), output("c" * 64),
    ],
    "a step": [
        ask(), thought(), say(id="msg_1"), call(id="fc_1"), call("c2"), output("c2"), output(),
    ],
    "a running program": [ask(), PROGRAM, call(), output()],
    "tool search at the provider": [
        ask(), {"type": "tool_search_call"}, {"type": "tool_search_output", "tools": []}, say(),
    ],
    "an approval": [ask(), ASKED, APPROVED],
    "a trigger at the end": [ask(), say(), TRIGGER],
    "unknown types and keys": [ask(), thought(), {"type": "hologram", "x": 1}, {"id": "msg_9"}],
    "empty text": [ask(""), {"role": "assistant", "content": ""}, ask()],
    "what the user said before a compaction": [ask(), {"role": "system", "content": "x"}, SUMMARY],
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_what_is_refused_is_mended(rule):
    given, expected, changes = RULES[rule]
    assert problems(given, "responses")

    mended = mend(Rendered(given), "responses")

    assert mended.items == expected
    assert list(mended.changes) == changes


@pytest.mark.parametrize("case", SOUND)
def test_what_is_accepted_stays(case):
    mended = mend(Rendered(SOUND[case]), "responses")

    assert mended.changes == ()
    assert all(new is old for new, old in zip(mended.items, SOUND[case], strict=True))


def test_calls_without_a_call_id_get_one():
    given = [ask(), {**call(), "call_id": None}, {**output(), "call_id": ""}]

    mended = mend(Rendered(given), "responses")

    assert mended.items == [ask(), call("call"), output("call")]


def test_a_program_is_left_out_once_the_user_speaks():
    mended = mend(Rendered([ask(), PROGRAM, ask()]), "responses")

    assert mended.items == [ask(), ask()]
    assert mended.changes == ("items[1]: a call without an output was left out.",)
