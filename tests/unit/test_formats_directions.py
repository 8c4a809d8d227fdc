"""From each of the four formats into each other one: what is carried, and that it can be sent."""

import json
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifelong import formats
from lifelong.formats.validation import problems
from lifelong.messages import (
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)

DIRECTIONS = list(permutations(formats.FORMATS, 2))
SKIP = "skip_thought_signature_validator"
PNG = "iVBORw0KGgo="
PDF = "JVBE"

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Compare A and B"},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "p1",
                "type": "function",
                "function": {"name": "get", "arguments": '{"k": "A"}'},
            },
            {"id": "p2", "type": "function", "function": {"name": "put", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "p1", "content": "A=3"},
    {"role": "tool", "tool_call_id": "p2", "content": "B=4"},
    {"role": "assistant", "content": "3 and 4."},
    {"role": "user", "content": "Thanks"},
]
RESPONSES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Compare A and B"},
    {"role": "assistant", "content": "I look."},
    {"type": "function_call", "call_id": "p1", "name": "get", "arguments": '{"k": "A"}'},
    {"type": "function_call", "call_id": "p2", "name": "put", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "p1", "output": "A=3"},
    {"type": "function_call_output", "call_id": "p2", "output": "B=4"},
    {"role": "assistant", "content": "3 and 4."},
    {"role": "user", "content": "Thanks"},
]
ANTHROPIC = {
    "system": "Be brief.",
    "messages": [
        {"role": "user", "content": "Compare A and B"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "p1", "name": "get", "input": {"k": "A"}},
                {"type": "tool_use", "id": "p2", "name": "put", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "p1", "content": "A=3"},
                {"type": "tool_result", "tool_use_id": "p2", "content": "B=4"},
            ],
        },
        {"role": "assistant", "content": "3 and 4."},
        {"role": "user", "content": "Thanks"},
    ],
}
GEMINI = {
    "systemInstruction": {"parts": [{"text": "Be brief."}]},
    "contents": [
        {"role": "user", "parts": [{"text": "Compare A and B"}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {
                    "functionCall": {"id": "p1", "name": "get", "args": {"k": "A"}},
                    "thoughtSignature": SKIP,
                },
                {"functionCall": {"id": "p2", "name": "put", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "id": "p1",
                        "name": "get",
                        "response": {"output": "A=3"},
                    }
                },
                {
                    "functionResponse": {
                        "id": "p2",
                        "name": "put",
                        "response": {"output": "B=4"},
                    }
                },
            ],
        },
        {"role": "model", "parts": [{"text": "3 and 4."}]},
        {"role": "user", "parts": [{"text": "Thanks"}]},
    ],
}
CONVERSATION = {
    "anthropic": ANTHROPIC,
    "chat": CHAT,
    "gemini": GEMINI,
    "responses": RESPONSES,
}


def payload_of(rendered, name):
    """Return what would be sent: the items, with the system beside them where it stands there."""
    beside = {"anthropic": ("system", "messages"), "gemini": ("systemInstruction", "contents")}
    if name not in beside:
        return rendered.items
    system, items = beside[name]
    found = {} if rendered.system is None else {system: rendered.system}
    return {**found, items: rendered.items}


@pytest.mark.parametrize(("source", "target"), DIRECTIONS)
def test_a_conversation_is_the_same_in_every_format(source, target):
    rendered = formats.render(formats.parse(CONVERSATION[source], source), target)

    assert payload_of(rendered, target) == CONVERSATION[target]
    assert rendered.dropped == ()
    assert problems(CONVERSATION[target], target) == []


def test_a_reply_of_several_items_is_one_item_elsewhere():
    # Given one reply of the Responses API: reasoning, text, calls of every kind
    items = [
        {"role": "user", "content": "hi"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "id": "msg_1", "role": "assistant", "content": "I look."},
        {"type": "shell_call", "id": "sh_1", "call_id": "c1", "action": {"commands": ["ls"]}},
        {"type": "custom_tool_call", "call_id": "c2", "name": "run", "input": "1 + 1"},
        {"type": "shell_call_output", "call_id": "c1", "output": [{"stdout": "a", "stderr": ""}]},
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "2"},
    ]

    made = {
        name: formats.render(formats.parse(items, "responses"), name)
        for name in ("anthropic", "chat", "gemini")
    }

    assert made["chat"].items == [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "shell", "arguments": '{"commands": ["ls"]}'},
                },
                {
                    "id": "c2",
                    "type": "function",
                    "function": {"name": "run", "arguments": "1 + 1"},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a"},
        {"role": "tool", "tool_call_id": "c2", "content": "2"},
    ]
    assert made["anthropic"].items[1]["content"] == [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c1", "name": "shell", "input": {"commands": ["ls"]}},
        {"type": "tool_use", "id": "c2", "name": "run", "input": {"raw_arguments": "1 + 1"}},
    ]
    assert made["gemini"].items[1]["parts"] == [
        {"text": "I look."},
        {
            "functionCall": {"id": "c1", "name": "shell", "args": {"commands": ["ls"]}},
            "thoughtSignature": SKIP,
        },
        {"functionCall": {"id": "c2", "name": "run", "args": {"raw_arguments": "1 + 1"}}},
    ]
    for name, rendered in made.items():
        assert [part in rendered.dropped[0] for part in ("messages[1]", "reasoning")] == [True] * 2
        assert any("web_search_call" in loss for loss in rendered.dropped)
        assert problems(payload_of(rendered, name), name) == []


def test_replies_without_calls_stay_apart_in_chat_and_are_one_message_elsewhere():
    messages = [Message.of("assistant", "Done."), Message.of("assistant", "Really.")]

    assert formats.render(messages, "chat").items == [
        {"role": "assistant", "content": "Done."},
        {"role": "assistant", "content": "Really."},
    ]
    assert formats.render(messages, "anthropic").items == [
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Done."}, {"type": "text", "text": "Really."}],
        }
    ]
    assert formats.render(messages, "gemini").items == [
        {"role": "model", "parts": [{"text": "Done."}, {"text": "Really."}]}
    ]


@pytest.mark.parametrize("name", formats.FORMATS)
def test_edited_replies_of_the_target_format_are_not_joined(name):
    messages = [
        Message("assistant", (TextPart("I look."),), format=name),
        Message("assistant", (ToolCallPart("c1", "get", {}),), format=name),
        Message("assistant", (ToolCallPart("c2", "get", {}),), format=name),
    ]

    assert len(formats.render(messages, name).items) == 3


@pytest.mark.parametrize("target", ["anthropic", "chat", "responses"])
def test_ids_that_recur_are_told_apart(target):
    # Given two turns of Gemini without ids, each with two calls of one function
    step = [
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "get", "args": {}}}] * 2},
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "get", "response": {"output": answer}}}
                for answer in ("one", "two")
            ],
        },
    ]

    rendered = formats.render(formats.parse(step * 2, "gemini"), target)

    pairs = [
        (part.call_id, part.text)
        for message in formats.parse(payload_of(rendered, target), target)
        for part in message.parts
        if isinstance(part, ToolResultPart)
    ]
    ids = [id.replace("_23_", "#") for id, _ in pairs]
    assert ids == ["get#0", "get#1", "get#0_2", "get#1_2"]
    assert [text for _, text in pairs] == ["one", "two"] * 2
    assert problems(payload_of(rendered, target), target) == []


def test_calls_that_share_an_id_or_have_none_are_answered_in_their_order():
    twice = (ToolCallPart("", "get", {}), ToolCallPart("", "get", {}))
    results = [Message("tool", (ToolResultPart("", text),)) for text in ("one", "two", "three")]
    own = {"type": "function_call", "call_id": "call_3", "name": "get", "arguments": "{}"}

    rendered = formats.render(
        [*formats.parse([own], "responses"), Message("assistant", twice), *results], "responses"
    )

    outputs = {item["call_id"]: item["output"] for item in rendered.items if "output" in item}
    assert outputs == {"call_2": "one", "call_4": "three"}
    assert [item["call_id"] for item in rendered.items[:3]] == ["call_3", "call_2", "call_4"]


IMAGES = {
    "anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": PNG},
    },
    "chat": {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
    "gemini": {"inlineData": {"mimeType": "image/png", "data": PNG}},
    "responses": {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
}
FILES = {
    "anthropic": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
        "title": "document.pdf",
    },
    "chat": {
        "type": "file",
        "file": {
            "filename": "document.pdf",
            "file_data": f"data:application/pdf;base64,{PDF}",
        },
    },
    "gemini": {"inlineData": {"mimeType": "application/pdf", "data": PDF}},
    "responses": {
        "type": "input_file",
        "filename": "document.pdf",
        "file_data": f"data:application/pdf;base64,{PDF}",
    },
}


def asked_with(part, name):
    return {"role": "user", "parts" if name == "gemini" else "content": [part]}


@pytest.mark.parametrize("parts", [IMAGES, FILES], ids=["image", "file"])
@pytest.mark.parametrize(("source", "target"), DIRECTIONS)
def test_an_attachment_is_carried(parts, source, target):
    messages = formats.parse([asked_with(parts[source], source)], source)

    rendered = formats.render(messages, target)

    wanted = parts[target]
    if source == "gemini" and target == "anthropic":
        wanted = {key: value for key, value in wanted.items() if key != "title"}
    assert rendered == formats.Rendered([asked_with(wanted, target)])


def test_a_sound_is_carried_between_chat_and_gemini():
    chat = {"type": "input_audio", "input_audio": {"data": "UklG", "format": "wav"}}
    gemini = {"inlineData": {"mimeType": "audio/wav", "data": "UklG"}}

    there = formats.render(formats.parse([asked_with(chat, "chat")], "chat"), "gemini")
    back = formats.render(formats.parse([asked_with(gemini, "gemini")], "gemini"), "chat")
    lost = formats.render(formats.parse([asked_with(chat, "chat")], "chat"), "responses")

    assert there.items == [asked_with(gemini, "gemini")]
    assert back.items == [asked_with(chat, "chat")]
    assert lost.items == []
    assert "an attachment of type 'audio/wav'" in lost.dropped[0]


RESULTS = {
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f"}]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c",
                    "content": [{"type": "text", "text": "Seen:"}, IMAGES["anthropic"]],
                }
            ],
        },
    ],
    "gemini": [
        {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f"}}]},
        {
            "role": "user",
            "parts": [
                {
                    "functionResponse": {
                        "id": "c",
                        "name": "f",
                        "response": {"output": "Seen:"},
                        "parts": [IMAGES["gemini"]],
                    }
                }
            ],
        },
    ],
    "responses": [
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {
            "type": "function_call_output",
            "call_id": "c",
            "output": [{"type": "input_text", "text": "Seen:"}, IMAGES["responses"]],
        },
    ],
}


@pytest.mark.parametrize(("source", "target"), list(permutations(RESULTS, 2)))
def test_an_image_in_a_result_stays_in_it(source, target):
    rendered = formats.render(formats.parse(RESULTS[source], source), target)

    assert rendered.items[1] == RESULTS[target][1]
    assert rendered.dropped == ()


def test_an_image_in_a_result_is_told_of_where_it_cannot_stand():
    for source in ("gemini", "responses"):
        rendered = formats.render(formats.parse(RESULTS[source], source), "chat")
        kind = {"gemini": "inlineData", "responses": "input_image"}[source]
        assert rendered.items[1] == {"role": "tool", "tool_call_id": "c", "content": "Seen:"}
        assert rendered.dropped == (
            f"messages[1]: a part of type '{kind}' cannot stand in the result of call 'c'.",
        )


@pytest.mark.parametrize(("block", "kind"), [({"type": "video"}, "video"), ({"clip": 1}, "clip")])
@pytest.mark.parametrize("target", ["anthropic", "gemini", "responses"])
def test_what_a_result_holds_beside_images_is_told_of(block, kind, target):
    source = "anthropic" if target == "responses" else "responses"
    call, told = RESULTS[source]
    if source == "anthropic":
        told = {"role": "user", "content": [{**told["content"][0], "content": [block]}]}
    else:
        told = {**told, "output": [block]}

    rendered = formats.render(formats.parse([call, told], source), target)

    assert len(rendered.items) == 2
    assert rendered.dropped == (
        f"messages[1]: a part of type '{kind}' cannot stand in the result of call 'c'.",
    )


def test_a_screenshot_is_an_image_elsewhere():
    items = [
        {"type": "computer_call", "call_id": "c", "action": {"type": "wait"}},
        {
            "type": "computer_call_output",
            "call_id": "c",
            "output": {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG}"},
        },
    ]

    [_, told] = formats.render(formats.parse(items, "responses"), "anthropic").items

    assert told["content"][0]["content"] == [IMAGES["anthropic"]]


# Conversations that a provider would accept, made of turns and steps as in the design.
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(str.strip)
ARGUMENTS = st.dictionaries(st.text("ab", max_size=2), st.integers() | TEXTS, max_size=2)
CALLS = st.lists(st.tuples(st.sampled_from(["get", "put"]), ARGUMENTS), min_size=1, max_size=3)
STEPS = st.tuples(st.none() | TEXTS, CALLS, st.randoms(use_true_random=False))
TURNS = st.tuples(TEXTS, st.lists(STEPS, max_size=2), TEXTS)


@st.composite
def conversations(draw):
    messages = [Message.of("system", draw(TEXTS))] if draw(st.booleans()) else []
    numbers = iter(range(100))
    for asked, steps, answer in draw(st.lists(TURNS, min_size=1, max_size=3)):
        messages.append(Message.of("user", asked))
        for said, calls, chance in steps:
            named = [(f"c{next(numbers)}", name, arguments) for name, arguments in calls]
            texts = (TextPart(said),) if said else ()
            parts = tuple(ToolCallPart(*each) for each in named)
            messages.append(Message("assistant", (*texts, *parts)))
            chance.shuffle(named)
            messages.extend(Message("tool", (ToolResultPart(id, "ok"),)) for id, *_ in named)
        messages.append(Message.of("assistant", answer))
    return [*messages, Message.of("user", draw(TEXTS))]


@given(conversations())
def test_what_is_made_in_code_can_be_sent_from_every_format_into_every_other(messages):
    for source in formats.FORMATS:
        payload = payload_of(formats.render(messages, source), source)
        assert problems(payload, source) == []
        for target in formats.FORMATS:
            rendered = formats.render(formats.parse(payload, source), target)
            assert rendered.dropped == ()
            assert problems(payload_of(rendered, target), target) == []


# Payloads that have the shape of their format and need make no sense.
VALUES = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", " ", "a", "{}"])
WORDS = st.sampled_from(["", " ", "a", "b#0"])
KINDS = st.sampled_from(
    "text input_text output_text refusal thinking image input_image input_file document message "
    "tool_use tool_result function_call function_call_output shell_call shell_call_output "
    "tool_search_call computer_call_output reasoning compaction image_url new".split()
)
BLOCKS = st.fixed_dictionaries(
    {"type": KINDS},
    optional={
        **dict.fromkeys(
            ("text", "thinking", "refusal", "id", "name", "tool_use_id", "call_id"), WORDS
        ),
        "input": VALUES,
        "source": st.just({"type": "base64", "media_type": "image/png", "data": PNG}),
        "image_url": WORDS | st.just({"url": "https://example.org/a.png"}),
        "file_data": WORDS,
    },
)
CONTENTS = st.none() | WORDS | st.lists(BLOCKS, max_size=3)
ROLES = st.sampled_from("system developer user assistant tool model critic".split())
MESSAGES = st.fixed_dictionaries(
    {"role": ROLES, "content": CONTENTS},
    optional={
        "name": WORDS,
        "tool_call_id": WORDS,
        "reasoning_content": WORDS,
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {
                    "id": WORDS,
                    "function": st.fixed_dictionaries(
                        {"name": WORDS}, optional={"arguments": VALUES}
                    ),
                }
            ),
            max_size=2,
        ),
    },
)
BODIES = st.fixed_dictionaries(
    {"name": WORDS},
    optional={"id": WORDS, "args": VALUES, "response": VALUES | st.just({"output": "a"})},
)
GEMINI_PARTS = st.fixed_dictionaries(
    {},
    optional={
        "text": WORDS,
        "thought": st.booleans(),
        "functionCall": BODIES,
        "function_response": BODIES,
        "inlineData": st.just({"mimeType": "image/png", "data": PNG}),
        "thoughtSignature": WORDS,
    },
)
PAYLOADS = {
    "anthropic": st.lists(MESSAGES, max_size=4),
    "chat": st.lists(MESSAGES, max_size=4),
    "gemini": st.lists(
        st.fixed_dictionaries({"role": ROLES, "parts": st.lists(GEMINI_PARTS, max_size=3)}),
        max_size=4,
    ),
    "responses": st.lists(
        MESSAGES | BLOCKS.filter(lambda item: item["type"] != "message"), max_size=5
    ),
}


def is_empty(item):
    """Tell whether an item that was made from parts says nothing, or has a part that does."""
    if "type" in item or item["role"] == "tool":
        return False
    held = item["parts"] if "parts" in item else item["content"]
    if not held:
        return "tool_calls" not in item
    parts = [{"text": held}] if isinstance(held, str) else held
    return any(
        not part or part.get("content") == [] or not part.get("text", "said").strip()
        for part in parts
    )


@pytest.mark.parametrize("name", formats.FORMATS)
def test_any_payload_comes_back_as_it_was(name):
    @settings(max_examples=50)
    @given(PAYLOADS[name])
    def check(payload):
        rendered = formats.render(formats.parse(payload, name), name)
        # A leading system becomes Anthropic's top-level one, and is no item any more.
        is_led = [item.get("role") in ("system", "developer") for item in payload[:1]] == [True]
        if name != "anthropic" or not is_led:
            assert json.dumps(rendered.items) == json.dumps(payload)

    check()


@pytest.mark.parametrize(("source", "target"), DIRECTIONS)
def test_no_payload_makes_an_empty_block_elsewhere(source, target):
    @settings(max_examples=50)
    @given(PAYLOADS[source])
    def check(payload):
        before = json.dumps(payload)

        rendered = formats.render(formats.parse(payload, source), target)

        assert json.dumps(payload) == before
        assert [item for item in rendered.items if is_empty(item)] == []
        formats.parse(payload_of(rendered, target), target)
        problems(payload_of(rendered, target), target)

    check()
