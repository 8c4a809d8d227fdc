"""Mending Gemini's contents: for each rule what is given, and what is made of it by hand."""

import pytest

from lifelong.formats import Rendered
from lifelong.formats.mending import mend
from lifelong.formats.validation import problems


def user(*parts):
    return {"role": "user", "parts": list(parts) or [{"text": "hi"}]}


def model(*parts):
    return {"role": "model", "parts": list(parts) or [{"text": "ok"}]}


def call(name="get", signature="s", **more):
    part = {"functionCall": {"name": name, "args": {}, **more}}
    return {**part, "thoughtSignature": signature} if signature else part


def response(name="get", output="A=3", **more):
    return {"functionResponse": {"name": name, "response": {"output": output}, **more}}


TEXT = {"text": "ok"}
OPENING = user({"text": "(The conversation starts here.)"})
SKIP = "skip_thought_signature_validator"
MOVED = "the responses to its calls were put into the content right after it."
AGREES = "the response has the name and id of its call now."
UNSIGNED = "a call of the current turn has no signature, so it says so."

# What is given, what is made of it, and what is told.
RULES = {
    "empty parts": (
        [user({"text": ""}, {}, {"thought": True}, TEXT)],
        [user(TEXT)],
        [f"items[0].parts[{place}]: an empty part was left out." for place in range(3)],
    ),
    "a content without parts": (
        [user(), {"role": "model"}, {"role": "model", "parts": []}],
        [user()],
        [f"items[{at}]: nothing is left in it, so it was left out." for at in (1, 2)],
    ),
    "an empty text beside a response": (
        [user(), model(call()), user({**response(), "text": ""})],
        [user(), model(call()), user(response())],
        ["items[2].parts[0]: an empty text beside something else was left out."],
    ),
    "an empty text beside a field that is not known": (
        [user({"text": "", "later": 1})],
        [user({"later": 1})],
        ["items[0].parts[0]: an empty text beside something else was left out."],
    ),
    "an unknown role": (
        [user(), {"role": "system", "parts": [TEXT, {"inlineData": {}}]}],
        [user(), user({"text": "<system>\nok\n</system>"}, {"inlineData": {}})],
        ["items[1]: the role 'system' is unknown here, so it is a note of the user."],
    ),
    "roles of older clients": (
        [user(), {**model(call()), "role": "assistant"}, {**user(response()), "role": "function"}],
        [user(), model(call()), user(response())],
        [
            "items[1]: the role 'assistant' is unknown here, so it is 'model'.",
            "items[2]: the role 'function' is unknown here, so it is 'user'.",
        ],
    ),
    "contents without a role": (
        [{"parts": [TEXT]}, model()],
        [user(TEXT), model()],
        ["items[0]: it has no role, so it is 'user'."],
    ),
    "a reply in several contents": (
        [user(), model(call("a")), model(TEXT, call("b")), user(response("a"), response("b"))],
        [user(), model(call("a"), TEXT, call("b")), user(response("a"), response("b"))],
        ["items[2]: it was joined with the content before it, for they call functions."],
    ),
    "responses in several contents": (
        [user(), model(call("a"), call("b")), user(response("a")), user(response("b"), TEXT)],
        [user(), model(call("a"), call("b")), user(response("a"), response("b")), user(TEXT)],
        [f"items[1]: {MOVED}"],
    ),
    "a note between a call and its response": (
        [user(), model(call()), user(TEXT), user(response())],
        [user(), model(call()), user(response()), user(TEXT)],
        [f"items[1]: {MOVED}", "items[3]: nothing is left in it, so it was left out."],
    ),
    "a response whose name differs, by id": (
        [user(), model(call("get", id="1")), user(response("fetch", id="1"))],
        [user(), model(call("get", id="1")), user(response("get", id="1"))],
        [f"items[2].parts[0]: {AGREES}"],
    ),
    "a response whose name differs, by order": (
        [user(), model(call("a"), call("b")), user(response("b", "B"), response("x", "X"))],
        [user(), model(call("a"), call("b")), user(response("b", "B"), response("a", "X"))],
        [f"items[2].parts[1]: {AGREES}"],
    ),
    "ids on some of the calls": (
        [
            user(),
            model(call("a", id="1"), call("b")),
            user(response("a", id="1"), response("b", id="2")),
        ],
        [user(), model(call("a", id="1"), call("b")), user(response("a", id="1"), response("b"))],
        [f"items[2].parts[1]: {AGREES}"],
    ),
    "a response with another id": (
        [user(), model(TEXT, call(id="1")), user(response(id="2"), TEXT)],
        [user(), model(TEXT), user(TEXT)],
        [
            "items[2].parts[0]: a response to no call before it was left out.",
            "items[1].parts[1]: a call without a response was left out.",
        ],
    ),
    "a late response, by id": (
        [
            *(user(), model(call(id="1")), user(), model(call(id="2"))),
            user(response(output="2", id="2"), response(output="1", id="1")),
        ],
        [
            *(user(), model(call(id="1")), user(response(output="1", id="1")), user()),
            *(model(call(id="2")), user(response(output="2", id="2"))),
        ],
        [f"items[1]: {MOVED}", f"items[3]: {MOVED}"],
    ),
    "a call without a response": (
        [user(), model(call("a"), call("b", signature="")), user(response("b")), model(call("c"))],
        [user(), model(call("b", signature=SKIP)), user(response("b"))],
        [
            "items[1].parts[0]: a call without a response was left out.",
            "items[3].parts[0]: a call without a response was left out.",
            "items[3]: nothing is left in it, so it was left out.",
            f"items[1].parts[1]: {UNSIGNED}",
        ],
    ),
    "a call that nothing stands before": (
        [model(call()), user(response())],
        [OPENING, model(call()), user(response())],
        ["items[0]: a content of the user was put before it, for it calls functions."],
    ),
    "args that are no mapping": (
        [user(), model(call(args="{oops")), user(response())],
        [user(), model(call(args={"raw_arguments": "{oops"})), user(response())],
        ["items[1].parts[0]: the args are no mapping, so they stand under 'raw_arguments'."],
    ),
    "a call without a name": (
        [user(), model(call("")), user(response(""))],
        [user(), model(call("unknown")), user(response("unknown"))],
        [
            "items[1].parts[0]: the call has no name, so it is called 'unknown'.",
            f"items[2].parts[0]: {AGREES}",
        ],
    ),
    "unsigned calls in the current turn": (
        [
            *(user(), model(call(signature="")), user(response())),
            *(user(), model(call(signature=""), call(signature="")), user(response(), response())),
        ],
        [
            *(user(), model(call(signature="")), user(response())),
            *(user(), model(call(signature=SKIP), call(signature=""))),
            user(response(), response()),
        ],
        [f"items[4].parts[0]: {UNSIGNED}"],
    ),
    "parts of the other role": (
        [user(TEXT, call()), model(TEXT, response())],
        [user(TEXT), model(TEXT)],
        [
            "items[0].parts[1]: a function call that is not the model's was left out.",
            "items[1].parts[1]: a function response that is the model's was left out.",
        ],
    ),
}

SOUND = {
    "responses in another order": [
        user(), model(call("a"), call("b")), user(response("b"), response("a")),
    ],
    "a reply in several contents without calls": [user(), model(), model(), user()],
    "a content without a role that is alone": [{"parts": [TEXT]}],
    "the signature at the end of a reply": [user(), model({"text": "", "thoughtSignature": "s"})],
    "unknown parts and keys": [{**user({"hologram": 1}), "x": 1}, model()],
    "keys of the client": [
        user(),
        model({"function_call": {"name": "get"}, "thought_signature": "s"}),
        user({"function_response": {"name": "get", "response": {}}}, TEXT),
    ],
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_what_is_refused_is_mended(rule):
    given, expected, changes = RULES[rule]
    assert problems(given, "gemini")

    mended = mend(Rendered(given), "gemini")

    assert mended.items == expected
    assert list(mended.changes) == changes


@pytest.mark.parametrize("case", SOUND)
def test_what_is_accepted_stays(case):
    mended = mend(Rendered(SOUND[case]), "gemini")

    assert mended.changes == ()
    assert all(new is old for new, old in zip(mended.items, SOUND[case], strict=True))


def test_a_call_in_the_keys_of_the_client_is_signed_in_them():
    given = [user(), model({"function_call": {"name": "get"}}), user(response())]

    mended = mend(Rendered(given), "gemini")

    assert mended.items[1] == model({"function_call": {"name": "get"}, "thought_signature": SKIP})


def test_the_system_instruction_stays():
    system = {"parts": [{"text": ""}]}

    assert mend(Rendered([user()], system), "gemini").system is system
