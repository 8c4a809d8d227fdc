"""Mending chat items: for each rule what is given, and what is made of it by hand."""

import pytest

from lifelong.formats import Rendered
from lifelong.formats.mending import PROFILES, mend
from lifelong.formats.mending.drafts import UNFIT_NAME
from lifelong.formats.validation import problems


def ask(text="hi"):
    return {"role": "user", "content": text}


def say(text="ok", **more):
    return {"role": "assistant", "content": text, **more}


def system(text="Be brief."):
    return {"role": "system", "content": text}


def call(id="c1", name="get", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls, **more):
    return say(None, tool_calls=list(calls), **more)


def told(id="c1", content="A=3"):
    return {"role": "tool", "tool_call_id": id, "content": content}


PART = {"type": "text", "text": "ok"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
EMPTY = "its content is empty text now, for it held none"
OPENING, CONTINUE = ask("(The conversation starts here.)"), ask("Continue.")

# The profile, what is given, what is made of it, and what is told.
RULES = {
    "a developer whom DeepSeek does not know": (
        "deepseek",
        [{"role": "developer", "content": "Be brief."}, ask()],
        [system(), ask()],
        ["items[0]: the role 'developer' is unknown here, so it is 'system'."],
    ),
    "an unknown role": (
        "openai",
        [ask(), {"role": "critic", "content": [PART, IMAGE], "name": "x"}],
        [ask(), ask([{"type": "text", "text": "<critic>\nok\n</critic>"}, IMAGE])],
        ["items[1]: the role 'critic' cannot stand here, so it is a note of the user."],
    ),
    "an unknown role without content": (
        "openai",
        [ask(), {"role": "critic", "content": " "}],
        [ask()],
        ["items[1]: nothing is in it for the role 'critic', so it was left out."],
    ),
    "an assistant who says nothing": (
        "openai",
        [ask(), say(None), ask()],
        [ask(), ask()],
        ["items[1]: nothing is in it, so it was left out."],
    ),
    "a user who says nothing": (
        "openai",
        [ask(None), ask([])],
        [ask(""), ask("")],
        [f"items[0]: {EMPTY}.", f"items[1]: {EMPTY}."],
    ),
    "an empty list of content beside calls": (
        "openai",
        [ask(), {**calling(call()), "content": []}, told()],
        [ask(), calling(call()), told()],
        ["items[1]: its content holds nothing, so it is null."],
    ),
    "an empty list of calls": (
        "openai",
        [ask(), say(tool_calls=[])],
        [ask(), say()],
        ["items[1]: what is no list of calls, or no call in it, was left out."],
    ),
    "calls of the user": (
        "openai",
        [{**ask(), "tool_calls": [call()]}],
        [ask()],
        ["items[0]: calls that are not the assistant's were left out."],
    ),
    "an image in a tool's result": (
        "openai",
        [ask(), calling(call()), told(content=[IMAGE, PART])],
        [ask(), calling(call()), told(content=[PART])],
        ["items[2]: parts of type 'image_url' that cannot stand in it were left out."],
    ),
    "nothing but an image in a tool's result": (
        "openai",
        [ask(), calling(call()), told(content=[IMAGE])],
        [ask(), calling(call()), told(content="")],
        [
            f"items[2]: {EMPTY}: parts of type 'image_url' were left out.",
        ],
    ),
    "arguments that are no text": (
        "openai",
        [ask(), calling(call(arguments={"k": "é"})), told()],
        [ask(), calling(call(arguments='{"k": "é"}')), told()],
        ["items[1]: the arguments of a call are text now."],
    ),
    "arguments that are missing": (
        "openai",
        [ask(), calling(call(arguments=None)), told()],
        [ask(), calling(call()), told()],
        ["items[1]: the arguments of a call are text now."],
    ),
    "a call without a name": (
        "openai",
        [ask(), calling(call(name="")), told()],
        [ask(), calling(call(name="unknown")), told()],
        ["items[1]: a call has no name, so it is called 'unknown'."],
    ),
    "names that functions cannot have": (
        "deepseek",
        [ask(), calling(call(name="get.it é"), call("c2", "x" * 65)), told(), told("c2")],
        [ask(), calling(call(name="get_it__"), call("c2", "x" * 64)), told(), told("c2")],
        [f"items[1]: a call has {UNFIT_NAME}."] * 2,
    ),
    "ids that are too long": (
        "openai",
        [
            *(ask(), calling(call("i" * 41), call("i" * 40), call("i" * 42))),
            *(told("i" * 42, "C"), told("i" * 41, "A"), told("i" * 40, "B")),
        ],
        [
            *(ask(), calling(call("i" * 38 + "_2"), call("i" * 40), call("i" * 38 + "_3"))),
            *(told("i" * 38 + "_3", "C"), told("i" * 38 + "_2", "A"), told("i" * 40, "B")),
        ],
        ["items[1]: a call has an id of its own now, and so has its result."] * 2,
    ),
    "a speaker's name that cannot be": (
        "openai",
        [{**ask(), "name": "Ana María"}, {**say(), "name": ""}, {**ask(), "name": "n" * 65}],
        [ask(), say(), ask()],
        [
            f"items[{at}]: the name of its speaker cannot stand here, so it was left out."
            for at in range(3)
        ],
    ),
    "arguments that are no JSON": (
        "qwen",
        [ask(), calling(call(arguments='{"k": '), call("c2", arguments="")), told(), told("c2")],
        [
            *(ask(), calling(call(arguments='{"raw_arguments": "{\\"k\\": "}'), call("c2"))),
            *(told(), told("c2")),
        ],
        ["items[1]: the arguments of a call are a JSON object now."],
    ),
    "arguments that are a JSON list": (
        "ollama",
        [ask(), calling(call(arguments="[1]")), told()],
        [ask(), calling(call(arguments='{"raw_arguments": "[1]"}')), told()],
        ["items[1]: the arguments of a call are a JSON object now."],
    ),
    "arguments that are no text, for Ollama": (
        "ollama",
        [ask(), calling(call(arguments={"k": "v"}), call("c2", arguments=None)), told()],
        [ask(), calling(call(arguments='{"k": "v"}'), call("c2")), told()],
        ["items[1]: the arguments of a call are a JSON object now."],
    ),
    "a call whose function is on the call itself": (
        "openai",
        [ask(), calling({"id": "c1", "name": "get", "arguments": "{}"}), told()],
        [ask(), calling({**call(), "name": "get", "arguments": "{}"}), told()],
        ["items[1]: a call holds its function in the place for it now."],
    ),
    "calls without an id": (
        "openai",
        [ask(), calling(call(""), call("")), told("", "A=3"), told("", "B=4")],
        [
            ask(),
            calling(call("call"), call("call_2")),
            told("call", "A=3"),
            told("call_2", "B=4"),
        ],
        ["items[1]: a call has an id of its own now, and so has its result."] * 2,
    ),
    "an id that comes again in one item": (
        "openai",
        [ask(), calling(call(), call()), told("c1", "A=3"), told("c1", "B=4")],
        [ask(), calling(call(), call("c1_2")), told("c1", "A=3"), told("c1_2", "B=4")],
        ["items[1]: a call has an id of its own now, and so has its result."],
    ),
    "a result that does not stand right after its call": (
        "openai",
        [ask(), calling(call("a")), calling(call("b")), system(), told("b"), told("a")],
        [ask(), calling(call("a")), told("a"), calling(call("b")), told("b"), system()],
        [
            "items[4]: the result was moved to right after its call.",
            "items[5]: the result was moved to right after its call.",
        ],
    ),
    "a result of no call": (
        "openai",
        [told(), ask()],
        [ask()],
        ["items[0]: a result of no call before it was left out."],
    ),
    "a call without a result": (
        "openai",
        [ask(), calling(call("a"), call("b")), told("b"), calling(call("c"))],
        [ask(), calling(call("b")), told("b")],
        [
            "items[1]: a call without a result was left out.",
            "items[3]: a call without a result was left out.",
            "items[3]: nothing is in it, so it was left out.",
        ],
    ),
    "reasoning that is missing": (
        "deepseek",
        [
            *(ask(), say()),
            *(ask(), calling(call()), told(), say(reasoning_content="Hm.")),
        ],
        [
            *(ask(), say()),
            *(ask(), calling(call(), reasoning_content="(No reasoning was kept.)"), told()),
            say(reasoning_content="Hm."),
        ],
        ["items[3]: its reasoning is missing, and now says so."],
    ),
    "several systems": (
        "qwen",
        [system(), system("Be kind."), ask(), system("Be quick.")],
        [system("Be brief.\n\nBe kind."), ask(), ask("<system>\nBe quick.\n</system>")],
        [
            "items[1]: it was joined with the system message before it.",
            "items[3]: the role 'system' cannot stand here, so it is a note of the user.",
        ],
    ),
    "several systems in parts": (
        "qwen",
        [system([PART]), system("Be kind."), ask()],
        [system([PART, {"type": "text", "text": "Be kind."}]), ask()],
        ["items[1]: it was joined with the system message before it."],
    ),
    "an assistant who speaks last": (
        "qwen",
        [system(), ask(), say()],
        [system(), ask(), say(), CONTINUE],
        ["items[2]: a message of the user was put after it."],
    ),
    "no user in a running tool loop": (
        "qwen",
        [system(), calling(call()), told()],
        [system(), OPENING, calling(call()), told()],
        ["items[0]: a message of the user was put here, for no user speaks."],
    ),
    "a user who looks like a tool": (
        "qwen",
        [ask("<tool_response>x</tool_response>")],
        [OPENING, ask("<tool_response>x</tool_response>")],
        ["items[0]: a message of the user was put here, for no user speaks."],
    ),
}

CUSTOM = {"id": "c1", "type": "custom", "custom": {"name": "run", "input": "ls"}}
SOUND = {
    "results in any order": [ask(), calling(call("a"), call("b")), told("b"), told("a")],
    "an id that comes again in another item": [ask(), *([calling(call()), told()] * 2), ask()],
    "a custom tool": [ask(), calling(CUSTOM), told()],
    "unknown keys": [{**ask(), "name": "ana", "x": {"y": 1}}, say(annotations=[]), ask()],
}


@pytest.mark.parametrize("rule", RULES)
def test_what_is_refused_is_mended(rule):
    profile, given, expected, changes = RULES[rule]
    assert problems(given, "chat", profile)

    mended = mend(Rendered(given), "chat", profile)

    assert mended.items == expected
    assert list(mended.changes) == changes
    assert problems(mended.items, "chat", profile) == []


@pytest.mark.parametrize(
    ("profiles", "given"),
    [
        (("deepseek", "qwen", "ollama"), [{**ask(), "name": "Ana María"}]),
        (("deepseek", "qwen", "ollama"), [ask(), calling(call("i" * 41)), told("i" * 41), ask()]),
        (("openai", "deepseek"), [ask(), calling(call(arguments="{oops")), told()]),
        (("ollama",), [ask(), calling(call(name="get.it")), told()]),
    ],
)
def test_what_one_provider_refuses_another_takes(profiles, given):
    for profile in profiles:
        assert mend(Rendered(given), "chat", profile).changes == ()
        assert problems(given, "chat", profile) == []


@pytest.mark.parametrize("case", SOUND)
@pytest.mark.parametrize("profile", PROFILES["chat"])
def test_what_is_accepted_stays(profile, case):
    mended = mend(Rendered(SOUND[case]), "chat", profile)

    assert mended.changes == ()
    assert all(new is old for new, old in zip(mended.items, SOUND[case], strict=True))


def test_ollama_gets_calls_as_they_came():
    given = [ask(), calling({"function": {"name": "get", "arguments": "{ }"}}), told("")]

    assert mend(Rendered(given), "chat", "ollama").items == given


def test_arguments_that_json_cannot_hold_are_left_out():
    given = [ask(), calling(call(arguments=float("nan"))), told()]

    assert mend(Rendered(given), "chat").items[1] == calling(call())
