"""Cases of the kind turn-shape: who speaks first, nothing empty, reasoning with what it led to."""

from itertools import pairwise

import pytest
from conversations import (
    FORMATS,
    answered,
    asked,
    assert_paired,
    call,
    ids_of,
    outline,
    room,
    rows_of,
    told,
    written,
)

import lifelong
from lifelong.errors import BudgetTooSmall, InvalidValue
from lifelong.formats import parse
from lifelong.formats.mending import PROFILES
from lifelong.messages import ReasoningPart, ToolCallPart, ToolResultPart
from lifelong.working import pipeline
from lifelong.working.repair import build
from lifelong.working.trim import TrimTurns

ROOMY = lifelong.Budget(100_000)
every_format = pytest.mark.parametrize("format", FORMATS)
every_provider = pytest.mark.parametrize(
    ("format", "profile"),
    [(format, profile) for format, profiles in PROFILES.items() for profile in profiles],
)


ONE_LARGE_TURN = [
    asked("What does the page say?"),
    call("c1", "open_page", n=1),
    answered("c1", "row " * 900, "open_page"),
    told("It lists rows."),
]


@every_provider
@pytest.mark.parametrize("is_cut", [False, True], ids=["next question", "no next question"])
def test_d04_the_user_speaks_first(format, profile, is_cut):
    last = [] if is_cut else [asked("And the next page?")]
    items = written([*ONE_LARGE_TURN, *last], format)
    sizes = set()
    for tokens in (*range(40, 400, 15), 600, 1_200, 2_000):
        try:
            request = lifelong.fit(items, room(tokens), format, profile=profile)
        except BudgetTooSmall:
            assert tokens < 300, "300 are enough for the question and a result cut in the middle"
            continue
        shown = [entry for entry in outline(request) if entry[0] != "system"]
        sizes.add(len(shown))
        assert shown[0][0] == "user", tokens
        assert_paired(shown)
        assert request.problems == ()
        assert request.tokens <= tokens
        if is_cut:
            assert shown[-1] == ("assistant", "It lists rows.") or shown[-1][0] == "user"
        else:
            assert shown[-1] == ("user", "And the next page?")
    assert len(sizes) > 1  # some of them had to drop something


@every_provider
def test_d04_variant_any_item_may_be_the_first_of_the_log(format, profile):
    # A log that was cut by somebody else may begin anywhere, and end anywhere.
    items = written([*ONE_LARGE_TURN, asked("And now?"), call("c2"), answered("c2", "x")], format)
    for start in range(len(items)):
        for end in range(start + 1, len(items) + 1):
            try:
                request = lifelong.fit(items[start:end], ROOMY, format, profile=profile)
            except InvalidValue:
                assert len(items[start:end]) == 1  # a result alone: there is nothing to send
                continue
            assert request.problems == (), (start, end)
            assert_paired(outline(request))


@every_format
def test_d04_variant_a_greeting_of_the_assistant_alone(place, format):
    session = place.owner.session("s")
    session.append(written([told("Good morning.")], format), format)
    assert session.request(ROOMY, format).problems == ()
    session.append(written([asked("Hello.")], format), format)
    request = session.request(ROOMY, format)
    assert request.problems == ()
    assert outline(request)[-1] == ("user", "Hello.")


@every_provider
def test_d04_variant_a_long_talk_at_each_length(format, profile):
    talk = [entry for n in range(12) for entry in (asked(f"{n}? " * 9), told(f"{n}. " * 9))]
    items = written([("system", "Be short."), *talk], format)
    for length in range(2, len(items) + 1):
        request = lifelong.fit(items[:length], room(220), format, profile=profile)
        shown = outline(request)
        assert request.problems == ()
        assert next(entry[0] for entry in shown if entry[0] != "system") == "user", length
        newest = f"{(length - 2) // 2}? " * 9
        assert newest.strip() in str(shown)


def blanks_in(value):
    """What Anthropic would call an empty text or an empty content, wherever it stands."""
    if isinstance(value, list):
        return [found for held in value for found in blanks_in(held)]
    if not isinstance(value, dict):
        return []
    is_blank = value.get("content") == [] or not value.get("text", "x").strip()
    inside = [found for held in value.values() for found in blanks_in(held)]
    return [value, *inside] if is_blank else inside


EMPTY_TEXTS = {
    "anthropic": [
        {"role": "user", "content": "Which tram is it?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": ""},
                {"type": "tool_use", "id": "c1", "name": "tram", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": ""}],
                },
                {"type": "text", "text": " \n"},
            ],
        },
    ],
    "chat": [
        {"role": "user", "content": "Which tram is it?"},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": ""}],
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "tram", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": ""},
    ],
    "gemini": [
        {"role": "user", "parts": [{"text": "Which tram is it?"}]},
        {
            "role": "model",
            "parts": [{"text": ""}, {"functionCall": {"id": "c1", "name": "tram", "args": {}}}],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c1", "name": "tram", "response": {"output": ""}}},
                {"text": "  "},
            ],
        },
    ],
    "responses": [
        {"role": "user", "content": "Which tram is it?"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": ""}],
        },
        {"type": "function_call", "call_id": "c1", "name": "tram", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": ""},
    ],
}
BLANK_REPLIES = {
    "anthropic": {"role": "assistant", "content": [{"type": "text", "text": "   "}]},
    "chat": {"role": "assistant", "content": "   "},
    "gemini": {"role": "model", "parts": [{"text": "   "}]},
    "responses": {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "   "}],
    },
}
NO_REPLIES = {
    "anthropic": {"role": "assistant", "content": []},
    "chat": {"role": "assistant", "content": None},
    "gemini": {"role": "model", "parts": []},
    "responses": {"type": "message", "role": "assistant", "content": []},
}


@every_format
@pytest.mark.parametrize("other", FORMATS)
def test_d05_an_empty_text_is_not_sent_back(place, format, other):
    session = place.owner.session("s")
    session.append(EMPTY_TEXTS[format], format)
    for more in (None, BLANK_REPLIES[format], NO_REPLIES[format]):
        if more is not None:
            session.append([more], format)
        before = rows_of(session)
        request = session.request(ROOMY, other)
        shown = outline(request)
        assert request.problems == ()
        if other == "anthropic":  # the others take what is blank, and each refuses what it refuses
            assert blanks_in(request.payload) == []
        assert [entry[:2] for entry in shown if entry[0] in ("call", "result")] == [
            ("call", "c1"),
            ("result", "c1"),
        ]
        assert rows_of(session) == before
    assert [item.get("role") for item in session.render(format).items] == [
        item.get("role")
        for item in [*EMPTY_TEXTS[format], BLANK_REPLIES[format], NO_REPLIES[format]]
    ]


@every_format
@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u00a0", "\u3000"])
def test_d05_variant_whoever_says_nothing(format, text):
    nothing = [asked(text), told(text), ("system", text)]
    request = lifelong.fit(written([asked("Hello?"), *nothing], format), ROOMY, format)
    assert outline(request) == [("user", "Hello?")]
    with pytest.raises(InvalidValue):
        lifelong.fit(written(nothing, format), ROOMY, format)


@every_format
def test_d05_variant_nothing_at_all(place, format):
    for items in ([], written([("system", "Be short.")], format)):
        with pytest.raises(InvalidValue):
            lifelong.fit(items, ROOMY, format)
    with pytest.raises(InvalidValue):
        place.owner.session("new").request(ROOMY, format)


REASONED = [
    {"role": "user", "content": "one?"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "first"}],
    },
    {"role": "user", "content": "two?"},
    {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAA"},
    {"type": "function_call", "id": "fc_2", "call_id": "f2", "name": "get", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "f2", "output": "42"},
    {
        "type": "message",
        "id": "msg_2",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "second"}],
    },
]


def named(messages):
    """The ids of OpenAI's items; an output is named by its call."""
    names = []
    for message in messages:
        raw = message.raw
        if raw.get("type") == "function_call_output":
            names.append(f"output {raw['call_id']}")
        else:
            names.append(raw.get("id", "question"))
    return names


def assert_reasoning_is_followed(names):
    assert ("rs_1" in names) == ("msg_1" in names)
    assert ("rs_2" in names) == ("fc_2" in names) == ("output f2" in names)
    assert not names or not names[-1].startswith("rs_")


def test_d44_the_newest_items(place):
    session = place.owner.session("s")
    session.append(REASONED, "responses")
    expected = {0: 0, 1: 1, 2: 1, 3: 1, 4: 4, 5: 5, 6: 5, 7: 7, 8: 8}
    for limit, count in expected.items():
        names = named(session.messages(limit, whole_steps=True))
        assert_reasoning_is_followed(names)
        assert len(names) == count, limit


def test_d44_each_budget_of_items():
    history = build(parse(REASONED, "responses"), "responses", count=lambda _: 1)
    counts = []
    for tokens in range(1, 9):
        try:
            fitted = pipeline.fit(history, room(tokens), policies=[TrimTurns()]).history
        except BudgetTooSmall:
            continue
        names = named(message for unit in fitted.units for message in unit.messages)
        assert_reasoning_is_followed(names)
        counts.append(len(names))
    assert counts[-1] == 8
    assert min(counts) == 2  # the question and the newest step


def test_d44_variant_reasoning_is_cleared_and_what_it_led_to_stays_valid():
    history = build(parse(REASONED, "responses"), "responses", count=lambda _: 1)
    for tokens in range(2, 9):
        fitted = pipeline.fit(history, room(tokens)).history
        kept = [message for unit in fitted.units for message in unit.messages]
        for before, after in pairwise(kept):
            if any(isinstance(part, ReasoningPart) for part in before.parts):
                assert after.role == "assistant"
        assert not any(isinstance(part, ReasoningPart) for part in kept[-1].parts)
        # An item whose reasoning went stands without its id, by which OpenAI would look for it.
        names = named(kept)
        assert ("rs_2" in names) == ("fc_2" in names)


CUT_OFF = {
    "anthropic": {
        "role": "assistant",
        "content": [{"type": "thinking", "thinking": "Hm.", "signature": "EqQB"}],
    },
    "chat": {"role": "assistant", "content": None, "reasoning_content": "Hm."},
    "gemini": {"role": "model", "parts": [{"text": "Hm.", "thought": True}]},
    "responses": REASONED[1],
}
"""What is left when a reply breaks off while the model still thinks."""


@every_provider
def test_d44_variant_a_reply_that_broke_off_while_it_reasoned(format, profile):
    items = [*written([asked("Why?")], format), CUT_OFF[format]]
    request = lifelong.fit(items, ROOMY, format, profile=profile)
    assert request.problems == ()
    assert outline(request) == [("user", "Why?")]
    again = lifelong.fit(
        [*items, *written([asked("Well?")], format)], ROOMY, format, profile=profile
    )
    assert again.problems == ()
    assert ids_of(outline(again), "reasoning") == []
    assert outline(again)[-1] == ("user", "Well?")


@every_format
def test_d44_variant_a_reading_does_not_end_in_reasoning(place, format):
    session = place.owner.session("s")
    session.append([*written([asked("Why?")], format), CUT_OFF[format]], format)
    for limit in (1, 2, 3):
        found = session.messages(limit, whole_steps=True)
        assert not any(isinstance(part, ReasoningPart) for m in found for part in m.parts), limit
    assert len(session.messages()) == 2


def thinking(number):
    """Anthropic's reply of reasoning and a call, and its result."""
    return [
        {
            "role": "assistant",
            "content": [
                {
                    "type": "thinking",
                    "thinking": f"Hm {number}. " * 30,
                    "signature": f"EqQB{number}",
                },
                {"type": "tool_use", "id": f"c{number}", "name": "get", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"{number} " * 90}
            ],
        },
    ]


def test_d44_variant_anthropics_thinking_stays_with_its_calls():
    # Within the running turn Anthropic refuses a call whose thinking was taken away or altered.
    items = [{"role": "user", "content": "Count."}, *(i for n in range(6) for i in thinking(n))]
    for tokens in range(200, 1_600, 100):
        try:
            request = lifelong.fit(items, room(tokens), "anthropic")
        except BudgetTooSmall:
            continue
        assert request.problems == ()
        assert_paired(outline(request))
        for message in request.messages:
            if any(isinstance(part, ToolCallPart) for part in message.parts):
                assert isinstance(message.parts[0], ReasoningPart)
                (number,) = [p.id[1:] for p in message.parts if isinstance(p, ToolCallPart)]
                assert message.raw in items
                assert message.raw["content"][0]["signature"] == f"EqQB{number}"
        assert any(isinstance(part, ToolResultPart) for part in request.messages[-1].parts)
