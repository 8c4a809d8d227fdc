"""Anthropic's validator: for each rule a payload that breaks it alone, and the mended one."""

import pytest

from lifelong.formats.validation import problems


def ask(*blocks):
    return {"role": "user", "content": list(blocks) if blocks else "hi"}


def say(*blocks):
    return {"role": "assistant", "content": list(blocks) if blocks else "ok"}


def text(value="hi", **more):
    return {"type": "text", "text": value, **more}


def use(id="t1", **more):
    return {"type": "tool_use", "id": id, "name": "get", "input": {}, **more}


def result(id="t1", content="ok"):
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def thinking(signature="Eq0="):
    return {"type": "thinking", "thinking": "hm", "signature": signature}


def compaction(content="So far."):
    return {"type": "compaction", "content": content, "encrypted_content": "Eo8="}


SEARCH = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
MARK = {"cache_control": {"type": "ephemeral"}}

RULES = [
    ("no list", {"x": []}, "The payload is no list of items.", {"messages": [ask()]}),
    (
        "system among the messages",
        [ask(), {"role": "system", "content": "Be brief."}, ask()],
        "items[1] has the role 'system', and may have user or assistant.",
        {"system": "Be brief.", "messages": [ask(), ask()]},
    ),
    (
        "the assistant first",
        [say(), ask()],
        "items[0] is the first message and not the user's.",
        [ask(), say(), ask()],
    ),
    (
        "too many messages",
        [ask()] * 100_001,
        "The payload has 100001 messages, and may have 100000.",
        [ask()] * 100_000,
    ),
    ("no content", [{"role": "user"}], "items[0] has no content.", [ask()]),
    (
        "content of no blocks",
        [ask(), {"role": "assistant", "content": []}],
        "items[1] has no content.",
        [ask(), say()],
    ),
    (
        "empty content",
        [{"role": "user", "content": ""}],
        "items[0].content is an empty text, or holds one.",
        [ask()],
    ),
    (
        "blank text",
        [ask(text(), text(" \n"))],
        "items[0].content[1] is an empty text, or holds one.",
        [ask(text(), text("."))],
    ),
    (
        "empty text in a result",
        [ask(), say(use()), ask(result(content=[text("")]))],
        "items[2].content[0] is an empty text, or holds one.",
        [ask(), say(use()), ask(result(content=""))],
    ),
    (
        "an empty system",
        {"system": [text(), text("")], "messages": [ask()]},
        "system[1] is no text.",
        {"system": [text()], "messages": [ask()]},
    ),
    (
        "a system of another kind",
        {"system": 5, "messages": [ask()]},
        "system is neither text nor a list of blocks.",
        {"system": None, "messages": [ask()]},
    ),
    (
        "a compaction in the system",
        {"system": [compaction()], "messages": [ask()]},
        "system[0] is no text.",
        {"system": "a", "messages": [say(compaction()), ask()]},
    ),
    (
        "a call of the user",
        [ask(use())],
        "items[0].content[0] of type 'tool_use' is not for the role 'user'.",
        [ask(), say(use()), ask(result())],
    ),
    (
        "thinking of the user",
        [ask(thinking())],
        "items[0].content[0] of type 'thinking' is not for the role 'user'.",
        [ask(), say(thinking(), text())],
    ),
    (
        "a result of the assistant",
        [ask(), say(use()), ask(result()), say(result("t1"))],
        [
            "items[3].content[0] of type 'tool_result' is not for the role 'assistant'.",
            "items[3].content[0] answers no call of the assistant message before it.",
        ],
        [ask(), say(use()), ask(result()), say()],
    ),
    (
        "an id that is none",
        [ask(), say(use("f:0")), ask(result("f:0"))],
        "items[1].content[0] has no id of letters, digits, _ and -, or no name.",
        [ask(), say(use("f_0-A")), ask(result("f_0-A"))],
    ),
    (
        "an input that is text",
        [ask(), say(use(input="{}")), ask(result())],
        "items[1].content[0] has an input that is no mapping.",
        [ask(), say(use(input={"a": 1})), ask(result())],
    ),
    (
        "an id that recurs",
        [ask(), say(use()), ask(result()), say(use()), ask(result())],
        "items[3].content[0] has the id of an earlier call.",
        [ask(), say(use()), ask(result()), say(use("t2")), ask(result("t2"))],
    ),
    (
        "a call that is not answered",
        [ask(), say(use(), use("t2")), ask(result())],
        "items[1].content[1]: the call is not answered in the next user message.",
        # Messages of one role are joined before that is asked.
        [ask(), say(use()), say(use("t2")), ask(result("t2")), ask(result(), text())],
    ),
    (
        "a call at the end",
        [ask(), say(text(), use())],
        "items[1].content[1]: the call is not answered in the next user message.",
        [ask(), say(text(), use()), ask(result())],
    ),
    (
        "a result of no call",
        [ask(), say(), ask(result())],
        "items[2].content[0] answers no call of the assistant message before it.",
        [ask(), say(use()), ask(result())],
    ),
    (
        "a result too late",
        [ask(), say(use()), ask(result()), say(), ask(result(), text())],
        "items[4].content[0] answers no call of the assistant message before it.",
        [ask(), say(use()), ask(result()), say(), ask(text())],
    ),
    (
        "a result given twice",
        [ask(), say(use()), ask(result(), result())],
        "items[2].content[1] answers a call a second time.",
        [ask(), say(use(), use("t2")), ask(result(), result("t2"))],
    ),
    (
        "text before the results",
        [ask(), say(use()), ask(text()), ask(result())],
        "items[2] has tool results that do not stand first.",
        [ask(), say(use()), ask(result()), ask(text())],
    ),
    (
        "a search without what it found",
        [ask(), say(SEARCH), ask()],
        "items[1].content[0]: the provider's tool has no result in the same message.",
        [ask(), say(SEARCH)],
    ),
    (
        "found without a search",
        [ask(), say(text(), FOUND), ask()],
        "items[1].content[1] answers no call of the provider's tools in its message.",
        [ask(), say(text(), SEARCH, FOUND), ask()],
    ),
    (
        "thinking without a signature",
        [ask(), say(thinking(""), text()), ask()],
        "items[1].content[0] is thinking without its signature.",
        [ask(), say({"type": "redacted_thinking", "data": "EmwK"}, text()), ask()],
    ),
    (
        "thinking at the end of joined messages",
        [ask(), say(text()), say(thinking()), ask()],
        "items[2].content[0] is thinking at the end of an assistant message.",
        [ask(), say(thinking()), say(text()), ask()],
    ),
    (
        "white space at the end",
        [ask(), say(text("So: "))],
        "items[1].content[0] ends the request with white space.",
        [ask(), say(text("So: ")), ask()],
    ),
    (
        "a name with other characters",
        [ask(), say(use(name="get.it")), ask(result())],
        "items[1].content[0] has a name that is not 1 to 128 letters, digits, _ and -.",
        [ask(), say(use(name="x" * 128)), ask(result())],
    ),
    (
        "thinking moved in a running tool loop",
        [ask(), say(text(), thinking(), use()), ask(result())],
        "items[1] is in a running tool loop, and its thinking is not first.",
        [ask(), say(text(), thinking(), use()), ask(result()), say(), ask()],
    ),
    (
        "redacted thinking moved in a running tool loop",
        [ask(), say(text(), {"type": "redacted_thinking", "data": "x"}, use()), ask(result())],
        "items[1] is in a running tool loop, and its thinking is not first.",
        [ask(), say(thinking(), text(), use()), ask(result())],
    ),
    (
        "a compaction in the middle",
        [ask(), say(compaction(), text()), ask()],
        "items[1].content[0] is a compaction that does not come first.",
        [say(compaction(), text()), ask()],
    ),
    (
        "two compactions with content",
        [say(compaction(), compaction(), text()), ask()],
        "items[0].content[1] is a second compaction with content.",
        [say(compaction(None), compaction(), text()), ask()],
    ),
    (
        "a cache mark of another kind",
        [ask(text(cache_control={"type": "ephemeral", "ttl": "2h"}))],
        "items[0].content[0] has a cache mark that is none.",
        [ask(text(cache_control={"type": "ephemeral", "ttl": "1h"}))],
    ),
    (
        "five cache marks",
        {
            "system": [text(**MARK)],
            "tools": [{"name": "get", **MARK}],
            "messages": [
                *(ask(text(**MARK)), say(use(**MARK)), ask(result(content=[text(**MARK)]))),
            ],
        },
        "The payload has 5 cache marks, and may have 4.",
        {
            "system": [text(**MARK)],
            "tools": [{"name": "get", **MARK}],
            "messages": [ask(text(**MARK)), say(use(**MARK)), ask(result(content=[text()]))],
        },
    ),
]


@pytest.mark.parametrize(
    ("broken", "expected", "mended"), [pytest.param(*rule[1:], id=rule[0]) for rule in RULES]
)
def test_a_rule_is_broken_by_one_payload_and_kept_by_the_mended_one(broken, expected, mended):
    assert problems(broken, "anthropic") == ([expected] if isinstance(expected, str) else expected)
    assert problems(mended, "anthropic") == []


def test_a_prefill_is_a_problem_of_the_models_that_take_none():
    started = [ask(), say(text("Dear"))]

    assert problems(started, "anthropic") == []
    assert problems(started, "anthropic", "no_prefill") == [
        "items[1] is an assistant message at the end."
    ]
    assert problems([*started, ask()], "anthropic", "no_prefill") == []
