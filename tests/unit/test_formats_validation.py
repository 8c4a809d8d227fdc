"""The validators: for each rule a payload that breaks it alone, and the mended one that passes."""

import pytest

from lifelong import formats
from lifelong.errors import InvalidValue, UnknownFormat
from lifelong.formats.validation import PROFILES, problems


def ask(text="hi"):
    return {"role": "user", "content": text}


def say(text="ok", **more):
    return {"role": "assistant", "content": text, **more}


def system(text="Be brief."):
    return {"role": "system", "content": text}


# Chat


def chat_call(id="c1", name="get", arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls, **more):
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def told(id="c1", content="ok"):
    return {"role": "tool", "tool_call_id": id, "content": content}


CALL, TOLD = calling(chat_call()), told()
PART = {"type": "text", "text": "ok"}
IMAGE_PART = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}

CHAT = [
    ("no list", "hi", "The payload is no list of items.", [ask()]),
    ("no item", [], "The payload has no item.", [ask()]),
    ("no mapping", [ask(), 5], "items[1] is no mapping.", [ask(), say()]),
    (
        "unknown role",
        [{"role": "critic", "content": "Hm."}],
        "items[0] has the role 'critic', which is unknown here.",
        [{"role": "developer", "content": "Hm."}],
    ),
    (
        "no content",
        [ask(), say(None)],
        "items[1] has no content, and no calls in its place.",
        [ask(), say(None, refusal="No.")],
    ),
    (
        "no content of the user",
        [{"role": "user"}],
        "items[0] has no content, and no calls in its place.",
        [ask("")],
    ),
    (
        "content of another kind",
        [ask(5)],
        "items[0].content is neither text nor a list of parts.",
        [ask([PART])],
    ),
    (
        "content of no parts",
        [ask([])],
        "items[0].content is neither text nor a list of parts.",
        [ask([PART])],
    ),
    (
        "an image in a tool item",
        [CALL, told(content=[IMAGE_PART])],
        "items[1].content holds something else than text in a tool item.",
        [CALL, told(content=[PART])],
    ),
    (
        "calls of the user",
        [{**ask(), "tool_calls": [chat_call()]}, TOLD],
        "items[0].tool_calls stands in an item that is not the assistant's.",
        [{**say(), "tool_calls": [chat_call()]}, TOLD],
    ),
    (
        "no calls in the list",
        [say(tool_calls=[])],
        "items[0].tool_calls is no list of calls.",
        [say(tool_calls=None)],
    ),
    (
        "a call without a name",
        [calling(chat_call(name="")), TOLD],
        "items[0].tool_calls[0] has no id or no name.",
        [calling(chat_call(name="f")), TOLD],
    ),
    (
        "arguments that are no text",
        [calling(chat_call(arguments={})), TOLD],
        "items[0].tool_calls[0] has arguments that are no text.",
        [calling({"id": "c1", "type": "custom", "custom": {"name": "f", "input": ""}}), TOLD],
    ),
    (
        "two calls of one id",
        [calling(chat_call(), chat_call()), TOLD],
        "items[0].tool_calls[1] has the id of an earlier call.",
        [calling(chat_call(), chat_call("c2")), told("c2"), TOLD],
    ),
    (
        "a result of no call",
        [ask(), TOLD],
        "items[1] answers no call of the assistant item before it.",
        [CALL, TOLD],
    ),
    (
        "a result of an earlier step",
        [CALL, TOLD, say(), TOLD],
        "items[3] answers no call of the assistant item before it.",
        [CALL, TOLD, CALL, TOLD],
    ),
    (
        "a result given twice",
        [CALL, TOLD, TOLD],
        "items[2] answers the call 'c1' a second time.",
        [CALL, TOLD, say()],
    ),
    (
        "one of two calls is not answered",
        [calling(chat_call(), chat_call("c2")), TOLD, say()],
        "items[0]: the call 'c2' is not answered by tool items after it.",
        [calling(chat_call(), chat_call("c2")), TOLD, told("c2"), say()],
    ),
    (
        "a call at the end",
        [ask(), CALL],
        "items[1]: the call 'c1' is not answered by tool items after it.",
        [ask(), CALL, TOLD],
    ),
]

THOUGHT = {"reasoning_content": "hm"}
PROFILED = [
    (
        "deepseek",
        [{"role": "developer", "content": "a"}],
        "items[0] has the role 'developer', which is unknown here.",
        [{"role": "latest_reminder", "content": "a"}],
    ),
    (
        "deepseek",
        [ask(), calling(chat_call(), **THOUGHT), TOLD, say()],
        "items[3] has no reasoning_content in a turn that calls tools.",
        [ask(), calling(chat_call(), **THOUGHT), TOLD, say(**THOUGHT), ask(), say(), ask()],
    ),
    (
        "deepseek",
        [ask(), CALL, TOLD, say(**THOUGHT), ask(), say()],
        "items[1] has no reasoning_content in a turn that calls tools.",
        [ask(), CALL, TOLD, say(), ask(), say()],
    ),
    (
        "qwen",
        [system(), ask(), system()],
        "items[2] is a system message that is not the first item.",
        [system(), ask()],
    ),
    (
        "qwen",
        [system(), ask("<tool_response>\nx\n</tool_response>")],
        "The payload has no message of a user.",
        [system(), ask("x")],
    ),
    (
        "qwen",
        [ask(), say()],
        "items[1] is an assistant message at the end.",
        [ask(), say(), ask([PART])],
    ),
    (
        "openai",
        [{**ask(), "name": "Ana María"}],
        "items[0].name is not 1 to 64 letters, digits, _ and -.",
        [{**ask(), "name": "ana"}, {**say(), "name": None}],
    ),
    (
        "openai",
        [calling(chat_call("c" * 41)), told("c" * 41)],
        "items[0].tool_calls[0] has an id of over 40 letters.",
        [calling(chat_call("c" * 40)), told("c" * 40)],
    ),
    (
        "openai",
        [calling(chat_call(name="get it")), TOLD],
        "items[0].tool_calls[0] has a name that is not 1 to 64 letters, digits, _ and -.",
        [calling(chat_call(name="g" * 64)), TOLD],
    ),
    (
        "qwen",
        [ask(), calling(chat_call(arguments="1e999")), TOLD],
        "items[1].tool_calls[0] has arguments that are no JSON text of an object.",
        [ask(), calling(chat_call(arguments=' {"k": [1.5, null]}')), TOLD],
    ),
    (
        "ollama",
        [ask(), calling(chat_call(arguments='{"k": NaN}')), TOLD],
        "items[1].tool_calls[0] has arguments that are no JSON text of an object.",
        [ask(), CALL, TOLD],
    ),
    (
        "ollama",
        [ask(None)],
        "items[0] has no content, and no calls in its place.",
        [TOLD, CALL, system(), say()],
    ),
]

# Responses


def item(kind, **keys):
    return {"type": kind, **keys}


KINDS = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
    "program": "program_output",
}
FUNCTION_CALL = item("function_call", call_id="c1", name="get", arguments="{}")
OUTPUT = item("function_call_output", call_id="c1", output="ok")
REASONING = item("reasoning", id="rs_1", summary=[])
COMPACTION = item("compaction", encrypted_content="x")
APPROVAL = item("mcp_approval_request", id="mcpr_1", name="f")
APPROVED = item("mcp_approval_response", approval_request_id="mcpr_1", approve=True)
PROGRAM = item("program", call_id="p1", code="f()")

RESPONSES = [
    ("no list", {"input": []}, "The payload is no list of items.", [ask()]),
    ("nameless", [{"x": 1}], "items[0] has neither a type nor a role.", [{"id": "msg_1"}]),
    (
        "unknown role",
        [{"role": "tool", "content": "ok"}],
        "items[0] has the role 'tool', which is unknown here.",
        [{"role": "developer", "content": "ok"}],
    ),
    (
        "no content",
        [{"role": "user"}],
        "items[0].content is neither text nor a list of parts.",
        [ask([item("input_text", text="hi")])],
    ),
    (
        "the user's part is the assistant's",
        [say([item("input_text", text="ok")])],
        "items[0].content[0] of type 'input_text' is not for this role.",
        [say([item("output_text", text="ok"), item("refusal", refusal="No.")])],
    ),
    (
        "the assistant's part is the user's",
        [ask([item("output_text", text="hi")])],
        "items[0].content[0] of type 'output_text' is not for this role.",
        [ask([item("input_image", image_url="https://example.org/a.png")])],
    ),
    *(
        (
            f"an open {call}",
            [item(call, call_id="c", name="f"), ask()],
            "items[0]: the call 'c' is not answered by an item after it.",
            [item(call, call_id="c", name="f"), item(output, call_id="c", id="c"), ask()],
        )
        for call, output in KINDS.items()
    ),
    *(
        (
            f"an orphan {output}",
            [ask(), item(output, call_id="c", id="c")],
            f"items[1] of type '{output}' answers no call before it.",
            [item(call, call_id="c", name="f"), ask(), item(output, call_id="c", id="c")],
        )
        for call, output in KINDS.items()
    ),
    (
        "an output before its call",
        [OUTPUT, FUNCTION_CALL, OUTPUT],
        "items[0] of type 'function_call_output' answers no call before it.",
        [FUNCTION_CALL, OUTPUT],
    ),
    (
        "an output given twice",
        [FUNCTION_CALL, OUTPUT, OUTPUT],
        "items[2] answers the call 'c1' a second time.",
        [FUNCTION_CALL, OUTPUT],
    ),
    (
        "a local shell's output by its id",
        [
            item("local_shell_call", call_id="c", id="lsh_1"),
            item("local_shell_call_output", id="d"),
        ],
        [
            "items[1] of type 'local_shell_call_output' answers no call before it.",
            "items[0]: the call 'c' is not answered by an item after it.",
        ],
        [item("local_shell_call", call_id="c", id="c"), item("local_shell_call_output", id="c")],
    ),
    (
        "a local shell's output without an id",
        [item("local_shell_call", call_id="c"), item("local_shell_call_output", call_id="c")],
        "items[1] is the output of a local shell, and has no id.",
        [
            item("local_shell_call", call_id="c"),
            item("local_shell_call_output", call_id="c", id="c"),
        ],
    ),
    (
        "an id that is not OpenAI's",
        [{**say(), "id": "__fake_id__"}, {**FUNCTION_CALL, "id": "call_1"}, OUTPUT],
        [
            "items[0] has an id that does not begin with 'msg_'.",
            "items[1] has an id that does not begin with 'fc_'.",
        ],
        [{**say(), "id": "msg_1"}, {**FUNCTION_CALL, "id": "fc_1"}, {**OUTPUT, "id": "x"}],
    ),
    (
        "a call_id that is too long",
        [FUNCTION_CALL | {"call_id": "c" * 65}, OUTPUT | {"call_id": "c" * 65}],
        "items[0] has a call_id of more than 64 letters.",
        [FUNCTION_CALL | {"call_id": "c" * 64}, OUTPUT | {"call_id": "c" * 64}],
    ),
    (
        "a name with other characters",
        [FUNCTION_CALL | {"name": "get.it"}, OUTPUT],
        "items[0].name is not 1 to 64 letters, digits, _ and -.",
        [FUNCTION_CALL | {"name": "g" * 64}, OUTPUT],
    ),
    (
        "a program that was left",
        [PROGRAM, FUNCTION_CALL, OUTPUT, ask()],
        "items[0]: the call 'p1' is not answered by an item after it.",
        [PROGRAM, FUNCTION_CALL, OUTPUT],
    ),
    (
        "a call_id that recurs",
        [FUNCTION_CALL, OUTPUT, {**FUNCTION_CALL}],
        [
            "items[2]: the call 'c1' is not answered by an item after it.",
            "items[2] has the call_id 'c1' of an earlier call.",
        ],
        [item("tool_search_call"), item("tool_search_output"), item("tool_search_call")],
    ),
    (
        "reasoning before the user",
        [ask(), REASONING, ask()],
        "items[1] is reasoning without the item that has to follow it.",
        [ask(), REASONING, say(), ask()],
    ),
    (
        "reasoning at the end",
        [ask(), REASONING],
        "items[1] is reasoning without the item that has to follow it.",
        [REASONING, {**REASONING, "id": "rs_2"}, FUNCTION_CALL, OUTPUT],
    ),
    (
        "reasoning before an output",
        [FUNCTION_CALL, REASONING, OUTPUT],
        "items[1] is reasoning without the item that has to follow it.",
        [REASONING, FUNCTION_CALL, OUTPUT, REASONING | {"id": "rs_2"}, item("web_search_call")],
    ),
    (
        "an id that recurs",
        [{**say(), "id": "msg_1"}, {**say(), "id": "msg_1"}],
        "items[1] has the id 'msg_1' of an earlier item.",
        [{**say(), "id": "msg_1"}, {**say(), "id": "msg_2"}],
    ),
    (
        "an approval that was not asked for",
        [ask(), APPROVED],
        "items[1] approves what no item before it asked for.",
        [APPROVAL, APPROVED],
    ),
    (
        "a reply before the compaction",
        [system(), ask(), say(), COMPACTION, ask()],
        "items[2] stands before the compaction that takes its place.",
        [system(), ask(), COMPACTION, say(), ask()],
    ),
    (
        "reasoning before the compaction",
        [item("web_search_call", id="ws_1"), COMPACTION],
        "items[0] stands before the compaction that takes its place.",
        [COMPACTION, COMPACTION, item("web_search_call", id="ws_1")],
    ),
    (
        "a trigger in the middle",
        [ask(), item("compaction_trigger"), ask()],
        "items[1] triggers a compaction and is not the last item.",
        [ask(), item("compaction_trigger")],
    ),
]

# Gemini


def user(*parts):
    return {"role": "user", "parts": list(parts)}


def model(*parts):
    return {"role": "model", "parts": list(parts)}


def function_call(name="get", **keys):
    return {"functionCall": {"name": name, **keys}, "thoughtSignature": "Eq0="}


def function_response(name="get", **keys):
    return {"function_response": {"name": name, "response": {"output": "ok"}, **keys}}


HI = {"text": "hi"}
UNSIGNED = {"function_call": {"name": "get", "args": {}}}

GEMINI = [
    ("no contents", {"x": []}, "The payload is no list of items.", {"contents": [user(HI)]}),
    (
        "role",
        [user(HI), {"role": "assistant", "parts": [HI]}],
        "items[1] has the role 'assistant', and may have user or model.",
        [user(HI), model(HI)],
    ),
    (
        "no role among several",
        [{"parts": [HI]}, model(HI)],
        "items[0] has the role None, and may have user or model.",
        [{"parts": [HI]}],
    ),
    ("no parts", [user(HI), model()], "items[1] has no parts.", [user(HI), model(HI)]),
    ("empty part", [user(HI, {})], "items[0].parts[1] is empty.", [user(HI, HI)]),
    (
        "empty text",
        [user(HI), model({"text": ""})],
        "items[1].parts[0] is empty.",
        [user(HI), model({"text": "", "thoughtSignature": "Eq0="})],
    ),
    (
        "nothing but marks",
        [user({"thought": True, "text": None, "videoMetadata": {}})],
        "items[0].parts[0] is empty.",
        [user({"thought": True, "text": "hm", "videoMetadata": {}})],
    ),
    (
        "a call of the user",
        [user(HI), user(function_call()), user(function_response())],
        "items[1] has a function call and is not the model's.",
        [user(HI), model(function_call()), user(function_response())],
    ),
    (
        "a response of the model",
        [user(HI), model(function_call()), model(function_response())],
        "items[2] has a function response and is the model's.",
        [user(HI), model(function_call()), user(function_response())],
    ),
    (
        "a call without a name",
        [user(HI), model(function_call("")), user(function_response(""))],
        "items[1] has a function call without a name.",
        [user(HI), model(function_call()), user(function_response())],
    ),
    (
        "args that are no mapping",
        [user(HI), model(function_call(args="{}")), user(function_response())],
        "items[1] has a function call whose args are no mapping.",
        [user(HI), model(function_call(args={})), user(function_response())],
    ),
    (
        "a response of no call",
        [user(HI), model(HI), user(function_response())],
        "items[2] has function responses, and no calls right before it.",
        [user(HI), model(HI), user(HI)],
    ),
    (
        "too few responses",
        [user(HI), model(function_call(), function_call()), user(function_response())],
        "items[1] has 2 function calls, and 1 responses right after it.",
        [
            user(HI),
            model(function_call(), function_call()),
            user(function_response(), function_response(), HI),
        ],
    ),
    (
        "no response",
        [user(HI), model(function_call())],
        "items[1] has 1 function calls, and 0 responses right after it.",
        [user(HI), model(function_call()), user(function_response()), model(HI)],
    ),
    (
        "another function's response",
        [user(HI), model(function_call()), user(function_response("put"))],
        "items[2] has responses of other functions than were called.",
        [user(HI), model(function_call("put")), user(function_response("put"))],
    ),
    (
        "another id",
        [user(HI), model(function_call(id="a")), user(function_response(id="b"))],
        "items[2] has responses with other ids than the calls have.",
        [user(HI), model(function_call(id="a")), user(function_response(id="a"))],
    ),
    (
        "a call after the model",
        [user(HI), model(HI), model(function_call()), user(function_response())],
        "items[2] calls functions and does not follow the user's content.",
        [user(HI), model(HI, function_call()), user(function_response())],
    ),
    (
        "a call at the start",
        [model(function_call()), user(function_response())],
        "items[0] calls functions and does not follow the user's content.",
        [user(HI), model(function_call()), user(function_response())],
    ),
    (
        "no signature in the current turn",
        [user(HI), model(UNSIGNED), user(function_response())],
        "items[1] calls a function in the current turn without a signature.",
        [user(HI), model(UNSIGNED), user(function_response()), model(HI), user(HI)],
    ),
    (
        "the second call alone is signed",
        [user(HI), model(UNSIGNED, function_call()), user(*[function_response()] * 2)],
        "items[1] calls a function in the current turn without a signature.",
        [user(HI), model(function_call(), UNSIGNED), user(*[function_response()] * 2)],
    ),
]

RULES = [
    pytest.param(name, None, broken, expected, mended, id=f"{name}: {title}")
    for name, table in (("chat", CHAT), ("responses", RESPONSES), ("gemini", GEMINI))
    for title, broken, expected, mended in table
] + [pytest.param("chat", *row, id=f"{row[0]}: {row[2]}") for row in PROFILED]


@pytest.mark.parametrize(("name", "profile", "broken", "expected", "mended"), RULES)
def test_a_rule_is_broken_by_one_payload_and_kept_by_the_mended_one(
    name, profile, broken, expected, mended
):
    assert problems(broken, name, profile) == (
        [expected] if isinstance(expected, str) else expected
    )
    assert problems(mended, name, profile) == []


def test_the_first_profile_is_meant_where_none_is_named():
    late = [ask(), system()]

    assert PROFILES["chat"] == ("openai", "deepseek", "qwen", "ollama")
    assert problems(late, "chat") == problems(late, "chat", "openai") == []
    assert len(problems(late, "chat", "qwen")) == 1


def test_every_format_has_a_validator():
    assert tuple(PROFILES) == formats.FORMATS


def test_what_is_not_known_is_refused():
    with pytest.raises(UnknownFormat, match="'openai' is not one of anthropic, chat"):
        problems([], "openai")
    with pytest.raises(InvalidValue, match="'qwen' is no profile of gemini: google"):
        problems([], "gemini", "qwen")


NONSENSE = [None, 5, "a", {}, [None], [5], [[]], [{}], [{"role": 5}], [{"role": ["user"]}]] + [
    [{"role": role, "type": kind, "parts": odd, "content": odd, "tool_calls": odd, "id": odd}]
    for role in ("user", "assistant", "model", "tool")
    for kind in (None, "message", "reasoning", "function_call_output")
    for odd in (5, "", [], {}, [5], [[]], [{}], [{"type": 5, "text": 5, "functionCall": 5}])
]


@pytest.mark.parametrize("name", formats.FORMATS)
def test_nonsense_is_no_crash(name):
    for payload in NONSENSE:
        for wrapped in (payload, {"messages": payload}, {"contents": payload}):
            for profile in PROFILES[name]:
                assert isinstance(problems(wrapped, name, profile), list)
