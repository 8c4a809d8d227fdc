"""Responses items: every shape comes in as the right part and goes back as it came."""

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

PNG = "data:image/png;base64,iVBORw0KGgo="
REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "An order."}],
    "encrypted_content": "gAAAA",
}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "get_order",
    "arguments": '{"id": "A-7781"}',
    "status": "completed",
}
OUTPUT = {"type": "function_call_output", "call_id": "call_1", "output": "shipped"}
ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "phase": "final_answer",
    "content": [{"type": "output_text", "text": "Sent.", "annotations": [], "logprobs": []}],
}

SHAPES = [
    pytest.param(
        {"role": "user", "content": "Where is A-7781?"},
        "user",
        (TextPart("Where is A-7781?"),),
        id="easy message",
    ),
    pytest.param(
        {
            "type": "message",
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look", "prompt_cache_breakpoint": {"mode": "x"}},
                {"type": "input_image", "image_url": PNG, "detail": "low"},
                {"type": "input_image", "image_url": "https://example.org/cat.png"},
                {"type": "input_image", "file_id": "file_1"},
                {
                    "type": "input_file",
                    "filename": "a.pdf",
                    "file_data": "data:application/pdf;base64,JVBE",
                },
                {"type": "input_file", "file_url": "https://example.org/a.pdf"},
                {"type": "input_video", "x": 1},
                {"kind": "no type"},
            ],
        },
        "user",
        (
            TextPart("Look"),
            AttachmentPart("image/png"),
            AttachmentPart("image/*"),
            AttachmentPart("image/*"),
            AttachmentPart("application/pdf"),
            AttachmentPart("application/octet-stream"),
            OpaquePart("input_video"),
            OpaquePart(""),
        ),
        id="message of parts",
    ),
    pytest.param(ANSWER, "assistant", (TextPart("Sent."),), id="answer"),
    pytest.param(
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        "assistant",
        (TextPart("No."),),
        id="refusal",
    ),
    pytest.param({"role": "developer", "content": ""}, "developer", (), id="nothing said"),
    pytest.param({"role": "critic", "content": "Hm."}, "critic", (TextPart("Hm."),), id="role"),
    pytest.param(REASONING, "assistant", (ReasoningPart("An order."),), id="reasoning"),
    pytest.param(
        {
            "type": "reasoning",
            "summary": [],
            "content": [
                {"type": "reasoning_text", "text": "One."},
                {"type": "reasoning_text", "text": "Two."},
            ],
        },
        "assistant",
        (ReasoningPart("One.\nTwo."),),
        id="reasoning in the open",
    ),
    pytest.param(
        CALL,
        "assistant",
        (ToolCallPart("call_1", "get_order", '{"id": "A-7781"}'),),
        id="function call",
    ),
    pytest.param(OUTPUT, "tool", (ToolResultPart("call_1", "shipped"),), id="function output"),
    pytest.param(
        {
            "type": "function_call_output",
            "id": "fco_1",
            "call_id": "call_1",
            "output": [
                {"type": "input_text", "text": "one"},
                {"type": "input_image", "image_url": PNG},
                {"type": "input_text", "text": "two"},
            ],
        },
        "tool",
        (ToolResultPart("call_1", "one\ntwo"),),
        id="function output of parts",
    ),
    pytest.param(
        {"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "ls -l"},
        "assistant",
        (ToolCallPart("c", "run", "ls -l"),),
        id="custom call",
    ),
    pytest.param(
        {"type": "custom_tool_call_output", "call_id": "c", "output": "a"},
        "tool",
        (ToolResultPart("c", "a"),),
        id="custom output",
    ),
    pytest.param(
        {
            "type": "computer_call",
            "id": "cu_1",
            "call_id": "c",
            "action": {"type": "click", "x": 1, "y": 2},
            "pending_safety_checks": [],
        },
        "assistant",
        (ToolCallPart("c", "computer", {"type": "click", "x": 1, "y": 2}),),
        id="computer call",
    ),
    pytest.param(
        {"type": "computer_call", "call_id": "c", "actions": [{"type": "wait"}]},
        "assistant",
        (ToolCallPart("c", "computer", {"actions": [{"type": "wait"}]}),),
        id="computer call of several actions",
    ),
    pytest.param(
        {
            "type": "computer_call_output",
            "call_id": "c",
            "output": {"type": "computer_screenshot", "image_url": PNG},
        },
        "tool",
        (ToolResultPart("c", ""),),
        id="computer output",
    ),
    pytest.param(
        {"type": "local_shell_call", "call_id": "c", "action": {"type": "exec", "command": ["ls"]}},
        "assistant",
        (ToolCallPart("c", "local_shell", {"type": "exec", "command": ["ls"]}),),
        id="local shell call",
    ),
    pytest.param(
        {"type": "local_shell_call_output", "id": "c", "output": "a.txt"},
        "tool",
        (ToolResultPart("c", "a.txt"),),
        id="local shell output",
    ),
    pytest.param(
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}},
        "assistant",
        (ToolCallPart("c", "shell", {"commands": ["ls"]}),),
        id="shell call",
    ),
    pytest.param(
        {
            "type": "shell_call_output",
            "call_id": "c",
            "output": [
                {"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
                {"stdout": "", "stderr": "no b", "outcome": {"type": "timeout"}},
            ],
        },
        "tool",
        (ToolResultPart("c", "a.txt\nno b"),),
        id="shell output",
    ),
    pytest.param(
        {
            "type": "apply_patch_call",
            "call_id": "c",
            "operation": {"type": "delete_file", "path": "a"},
        },
        "assistant",
        (ToolCallPart("c", "apply_patch", {"type": "delete_file", "path": "a"}),),
        id="patch call",
    ),
    pytest.param(
        {"type": "apply_patch_call_output", "call_id": "c", "status": "failed", "output": "no a"},
        "tool",
        (ToolResultPart("c", "no a", is_error=True),),
        id="patch output",
    ),
    pytest.param(
        {"type": "tool_search_call", "call_id": "c", "arguments": {"query": "mail"}},
        "assistant",
        (ToolCallPart("c", "tool_search", {"query": "mail"}),),
        id="tool search call",
    ),
    pytest.param(
        {
            "type": "tool_search_output",
            "call_id": "c",
            "tools": [{"type": "function", "name": "mail"}, {"type": "function", "name": "post"}],
        },
        "tool",
        (ToolResultPart("c", "mail\npost"),),
        id="tool search output",
    ),
    pytest.param(
        {"type": "program", "call_id": "c", "code": "f()", "fingerprint": "x"},
        "assistant",
        (ToolCallPart("c", "program", "f()"),),
        id="program",
    ),
    pytest.param(
        {"type": "program_output", "call_id": "c", "result": "3", "status": "completed"},
        "tool",
        (ToolResultPart("c", "3"),),
        id="program output",
    ),
    pytest.param(
        {"type": "function_call"}, "assistant", (ToolCallPart("", "", ""),), id="bare call"
    ),
    pytest.param(
        {"type": "mcp_approval_response", "approval_request_id": "r", "approve": True},
        "user",
        (OpaquePart("mcp_approval_response"),),
        id="approval",
    ),
    pytest.param(
        {"type": "additional_tools", "role": "developer", "tools": []},
        "developer",
        (OpaquePart("additional_tools"),),
        id="unknown type with a role",
    ),
    pytest.param({"id": "msg_9"}, "assistant", (OpaquePart("item_reference"),), id="bare id"),
    pytest.param({"__enc__": 1, "v": 1}, "assistant", (OpaquePart(""),), id="envelope"),
    pytest.param({"type": 5, "x": [1, None]}, "assistant", (OpaquePart(""),), id="no word as type"),
]

KEPT_UNREAD = [
    *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"),
    *("mcp_list_tools", "mcp_call", "mcp_approval_request", "compaction", "compaction_trigger"),
    *("item_reference", "configuration_update", "from_the_future"),
    # Tool search at the provider is answered by no id.
    *("tool_search_call", "tool_search_output"),
]
SHAPES += [
    pytest.param({"type": kind, "id": "i_1", "x": {}}, "assistant", (OpaquePart(kind),), id=kind)
    for kind in KEPT_UNREAD
]


@pytest.mark.parametrize(("item", "role", "parts"), SHAPES)
def test_a_shape_is_parsed_and_comes_back_as_it_was(item, role, parts):
    before = json.dumps([item])

    [message] = formats.parse([item], "responses")
    rendered = formats.render([message], "responses")

    assert message.role == role
    assert message.parts == parts
    assert message.raw is item
    assert message.format == "responses"
    # As text, so that the order of the keys counts.
    assert json.dumps(rendered.items) == json.dumps([item]) == before
    assert rendered.system is None
    assert rendered.dropped == ()
    assert decode(*encode(message)) == message


@pytest.mark.parametrize(
    ("item", "id"),
    [
        (REASONING, "rs_1"),
        (CALL, "fc_1"),
        (ANSWER, "msg_1"),
        ({"role": "user", "content": "hi"}, None),
        # The Agents SDK writes this one id into every item of a model that has none.
        ({**CALL, "id": "__fake_id__"}, None),
        # These two name another item.
        ({"type": "item_reference", "id": "msg_1"}, None),
        ({"type": "local_shell_call_output", "id": "call_1", "output": ""}, None),
        ({"type": "local_shell_call_output", "id": "c", "call_id": "c", "output": ""}, None),
        ({"type": "local_shell_call_output", "id": "o_1", "call_id": "c", "output": ""}, "o_1"),
    ],
)
def test_an_id_is_the_message_s_own_or_none(item, id):
    [message] = formats.parse([item], "responses")

    assert message.id == id


def edited(item, *parts):
    [message] = formats.parse([item], "responses")
    return Message(message.role, parts or message.parts, id=message.id, format="responses")


def test_an_edited_message_keeps_the_raw_form_of_the_parts_that_were_not_edited():
    image = {"type": "input_image", "image_url": PNG, "detail": "low"}
    asked = {"role": "user", "content": [{"type": "input_text", "text": "long"}, image]}
    [message] = formats.parse([asked], "responses")
    compaction = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAA"}

    rendered = formats.render(
        [
            edited(asked, TextPart("short"), message.parts[1]),
            edited(REASONING),
            edited(CALL),
            edited(OUTPUT),
            edited(ANSWER, TextPart("Gone.")),
            edited(compaction),
        ],
        "responses",
    )

    assert rendered.items == [
        {"role": "user", "content": [{"type": "input_text", "text": "short"}, image]},
        REASONING,
        CALL,
        OUTPUT,
        {"role": "assistant", "content": "Gone."},
        compaction,
    ]
    assert rendered.dropped == ()


CLEARED = [
    ("function_call", {"output": "[cleared]"}),
    ("custom_tool_call", {"output": "[cleared]"}),
    # Its output has the id of its call under both keys.
    ("local_shell_call", {"id": "c", "output": "[cleared]"}),
    (
        "shell_call",
        {
            "output": [
                {
                    "stdout": "[cleared]",
                    "stderr": "",
                    "outcome": {"type": "exit", "exit_code": 0},
                }
            ]
        },
    ),
    ("apply_patch_call", {"status": "completed", "output": "[cleared]"}),
]


@pytest.mark.parametrize(("kind", "body"), CLEARED)
def test_a_cleared_result_is_an_output_of_its_call_s_kind(kind, body):
    call = {"type": kind, "call_id": "c", "name": "f"}
    result = {"type": f"{kind}_output", "call_id": "c", "output": "long"}

    rendered = formats.render(
        [*formats.parse([call], "responses"), edited(result, ToolResultPart("c", "[cleared]"))],
        "responses",
    )

    assert rendered.items == [call, {"type": f"{kind}_output", "call_id": "c", **body}]
    assert rendered.dropped == ()


def test_a_cleared_result_that_can_be_no_text_says_so():
    computer = {"type": "computer_call", "call_id": "c1", "action": {"type": "wait"}}
    search = {"type": "tool_search_call", "call_id": "c2", "arguments": {}}
    program = {"type": "program", "call_id": "c3", "code": "f()"}
    patch = {"type": "apply_patch_call", "call_id": "c4", "operation": {}}
    results = [
        Message("tool", (ToolResultPart("c1", "[cleared]"),), format="responses"),
        Message("tool", (ToolResultPart("c2", "[cleared]"),), format="responses"),
        Message("tool", (ToolResultPart("c3", "[cleared]"),), format="responses"),
        Message("tool", (ToolResultPart("c4", "no", is_error=True),), format="responses"),
    ]

    calls = formats.parse([computer, search, program, patch], "responses")
    rendered = formats.render([*calls, *results], "responses")

    screen, tools, ended, failed = rendered.items[4:]
    assert screen["type"] == "computer_call_output"
    assert screen["output"]["image_url"].startswith("data:image/png;base64,iVBOR")
    assert tools == {"type": "tool_search_output", "call_id": "c2", "tools": []}
    assert ended["result"] == "[cleared]"
    assert failed["status"] == "failed"
    assert rendered.dropped == (
        (
            "messages[4]: the result of call 'c1' must be a picture, "
            "so a blank one stands for its text."
        ),
        "messages[5]: the result of call 'c2' must be tools, so none stand for its text.",
    )


def test_followers_of_reasoning_that_is_lost_stand_without_ids():
    # Given a step whose reasoning was cleared, and a later one that has its own
    later = [{**REASONING, "id": "rs_2"}, {**ANSWER, "id": "msg_2"}]
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    messages = [
        Message("assistant", (ReasoningPart("[cleared]"),), format="responses"),
        *formats.parse([CALL, search, OUTPUT, *later], "responses"),
    ]

    # When it is rendered
    rendered = formats.render(messages, "responses")

    # Then what the reasoning led to has no id, and nothing else is another
    bare = {key: value for key, value in CALL.items() if key != "id"}
    assert rendered.items == [bare, search, OUTPUT, *later]
    assert rendered.dropped == (
        "messages[0]: reasoning cannot stand in a responses item of role 'assistant'.",
        "messages[0]: nothing that responses can carry is in it, so the message was left out.",
    )
    assert CALL["id"] == "fc_1"


def test_messages_made_in_code_are_rendered():
    rendered = formats.render(
        [
            Message.of("system", "Be brief."),
            Message.of("user", "Where is A-7781?", speaker="Ana"),
            Message("assistant", (TextPart("I look."), ToolCallPart("c1", "get", {"id": "ä"}))),
            Message("tool", (ToolResultPart("c1", "lost", is_error=True),)),
            Message("assistant", (TextPart("one"), TextPart(" "), TextPart("two"))),
            Message("user", (TextPart("Thanks"), TextPart("Bye"))),
            Message.of("critic", "Hm."),
        ],
        "responses",
    )

    assert rendered.items == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is A-7781?"},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "get", "arguments": '{"id": "ä"}'},
        {"type": "function_call_output", "call_id": "c1", "output": "lost"},
        {
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "one"},
                {"type": "output_text", "text": "two"},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Thanks"},
                {"type": "input_text", "text": "Bye"},
            ],
        },
    ]
    assert rendered.dropped == (
        "messages[1]: responses has no place for the speaker's name.",
        ("messages[3]: responses has no error mark, so the result of call 'c1' stands without it."),
        "messages[6]: responses has no role 'critic'.",
        "messages[6]: nothing that responses can carry is in it, so the message was left out.",
    )


def test_parts_in_roles_that_cannot_have_them_are_told_of():
    messages = [
        Message("user", (TextPart("hi"), ToolCallPart("c", "get", "{}"))),
        Message("tool", (TextPart("loose"),)),
        Message("assistant", (TextPart("hi"), ToolResultPart("c", "x"))),
        Message("assistant", (TextPart("hi"), AttachmentPart("image/png", raw={"type": "image"}))),
    ]

    rendered = formats.render(messages, "responses")

    assert [item["role"] for item in rendered.items] == ["user", "assistant", "assistant"]
    assert len(rendered.dropped) == 5


BROKEN = [
    ("text", "the payload is str, not a list of items"),
    ({"input": []}, "the payload is dict, not a list of items"),
    ([3], r"items\[0\] is int, not a mapping"),
    ([{}], r"items\[0\] has no role"),
    ([{"role": 5}], r"items\[0\] has no role"),
    ([{"content": "a"}], r"items\[0\] has no role"),
    ([{"type": "message"}], r"items\[0\] has no role"),
    ([{"role": "user", "content": 5}], r"items\[0\]\.content is int"),
    (
        [{"role": "user", "content": [{"type": "input_text", "text": 5}]}],
        r"items\[0\]\.content\[0\]\.text is int, not text",
    ),
    ([{"type": "reasoning", "summary": "a"}], r"items\[0\]\.summary is str"),
    (
        [{"type": "reasoning", "content": [{"text": 5}]}],
        r"items\[0\]\.content\[0\]\.text is int",
    ),
    ([{"type": "function_call_output", "output": 5}], r"items\[0\]\.output is int"),
    (
        [{"type": "shell_call_output", "output": [{"stdout": 5}]}],
        r"items\[0\]\.output\[0\]\.stdout is int",
    ),
    ([{"type": "compaction", "x": b""}], r"items\[0\]\.x is bytes"),
]


@pytest.mark.parametrize(("payload", "detail"), BROKEN)
def test_a_broken_payload_is_refused_by_its_place(payload, detail):
    with pytest.raises(FormatError, match=detail):
        formats.parse(payload, "responses")


def test_arguments_that_are_no_json_are_refused_by_name():
    message = Message("assistant", (ToolCallPart("c1", "get", {"when": b"x"}),))

    with pytest.raises(FormatError, match=r"the arguments of call 'c1'\.when is bytes"):
        formats.render([message], "responses")
