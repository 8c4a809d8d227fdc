"""Two oracles of other people: what they mend in a history, they find whole in a request of ours.

pydantic-ai's `repair_messages` is public, and runs before each request of its agents. The Agents
SDK prunes what a session gives it; that code is internal, so a release may move it, and then only
the imports here follow. Neither shares code with `lifelong`, or with its validators.
"""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from agents import Agent, RunConfig, Runner, SessionSettings
from agents.run_internal.items import (
    deduplicate_input_items_preferring_latest,
    drop_orphan_function_calls,
    normalize_input_items_for_api,
)
from agents.testing import ScriptedModel, assistant_message
from broken_histories import Event, events, written
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    NativeToolCallPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
    repair_messages,
)

import lifelong
from lifelong.errors import BudgetTooSmall, InvalidValue
from lifelong.formats import FORMATS, parse
from lifelong.formats.mending import PROFILES

TARGETS = [(format, profile) for format, profiles in PROFILES.items() for profile in profiles]

many = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
windows = st.sampled_from([300, 500, 800, 1200, 2000, 4000, 100_000])

ASKED = Event("user", "Is the tram late?")
CALLED = Event("reply", calls=(("c1", "lookup"), ("c2", "write_file")), has_reasoning=True)
SAID = Event("reply", "It is late.")
ONE_RESULT = Event("results", "12 minutes", results=("c1",))
RESULTS = Event("results", "12 minutes", results=("c1", "c2"))
BROKEN = {
    "calls without results": (ASKED, CALLED, ASKED),
    "a call without its result": (ASKED, CALLED, ONE_RESULT, SAID, ASKED),
    "results without calls": (ASKED, RESULTS, SAID, ASKED),
    "results before their calls": (ASKED, RESULTS, CALLED, ASKED),
    "results a turn later": (ASKED, CALLED, ASKED, SAID, RESULTS, ASKED),
    "calls under ids that still wait": (ASKED, CALLED, ASKED, CALLED, RESULTS, SAID),
}
broken = pytest.mark.parametrize("history", BROKEN.values(), ids=BROKEN)


def fitted(items, window, format, profile=None):
    """Return the request, or None where there is nothing to send or it cannot fit."""
    budget = lifelong.Budget(window, reserve_tokens=0, margin=0)
    try:
        return lifelong.fit(items, budget, format, profile=profile)
    except (BudgetTooSmall, InvalidValue):
        return None


# What pydantic-ai sees: each item as its parts, and those as messages.

OF_THE_MODEL = (NativeToolCallPart, TextPart, ThinkingPart, ToolCallPart)
ITEM_IS_REPLY = ("chat", "gemini")
"""Where each item of the model is a reply; elsewhere those that follow one another are."""


def converted(payload, format):
    """Return the messages of a payload, or of a list of items: none moved, none left out."""
    messages = []
    for parts in filter(None, _read(payload, format)):
        is_reply = isinstance(parts[0], OF_THE_MODEL)
        is_whole = is_reply and format in ITEM_IS_REPLY
        if messages and not is_whole and is_reply == isinstance(messages[-1], ModelResponse):
            messages[-1] = replace(messages[-1], parts=[*messages[-1].parts, *parts])
        elif is_reply:
            # Replies of a named model are never joined by the repair.
            when = datetime(2026, 11, 30, tzinfo=UTC)
            messages.append(ModelResponse(parts, model_name="m", timestamp=when))
        else:
            messages.append(ModelRequest(parts))
    return messages


def _read(payload, format):
    """Return the parts of each item; those of the system text first."""
    if isinstance(payload, list):
        return [*READERS[format](payload)]
    items = next(payload[key] for key in ("messages", "input", "contents") if key in payload)
    system = payload.get("system") or payload.get("config", {}).get("system_instruction")
    first = [[SystemPromptPart(_words(system))]] if system else []
    return [*first, *READERS[format](items)]


def _words(content):
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _chat(items):
    for item in items:
        content = item.get("content")
        match item["role"]:
            case "assistant":
                reasoning = item.get("reasoning_content")
                functions = [(call["id"], call["function"]) for call in item.get("tool_calls", ())]
                yield [
                    *([ThinkingPart(reasoning)] if reasoning else []),
                    *([TextPart(_words(content))] if content else []),
                    *(ToolCallPart(each["name"], each["arguments"], id) for id, each in functions),
                ]
            case "tool":
                yield [ToolReturnPart("tool", _words(content), item["tool_call_id"])]
            case "system" | "developer":
                yield [SystemPromptPart(_words(content))]
            case _:
                yield [UserPromptPart(_words(content))]


def _responses(items):
    for item in items:
        content = item.get("content")
        match item.get("type", "message"), item.get("role"):
            case "message", "assistant":
                yield [TextPart(_words(content))]
            case "message", "system" | "developer":
                yield [SystemPromptPart(_words(content))]
            case "message", _:
                yield [UserPromptPart(_words(content))]
            case "reasoning", _:
                yield [ThinkingPart("", signature=item["encrypted_content"])]
            case "function_call", _:
                yield [ToolCallPart(item["name"], item["arguments"], item["call_id"])]
            case "function_call_output", _:
                yield [ToolReturnPart("tool", _words(item["output"]), item["call_id"])]
            case kind, _:
                yield [NativeToolCallPart(kind, item, item.get("id", kind))]


def _anthropic(items):
    for item in items:
        content, role = item["content"], item["role"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        yield [_of_block(block, role) for block in blocks]


def _of_block(block, role):
    match block["type"], role:
        case "thinking", _:
            return ThinkingPart(block["thinking"], signature=block["signature"])
        case "tool_use", _:
            return ToolCallPart(block["name"], block["input"], block["id"])
        case "tool_result", _:
            return ToolReturnPart("tool", _words(block.get("content", "")), block["tool_use_id"])
        case "text", "assistant":
            return TextPart(block["text"])
        case _, "system":
            return SystemPromptPart(_words(block))
        case _:
            return UserPromptPart(_words(block))


def _gemini(items):
    # Ids may be missing, or come again: a response answers a call of the content before its own.
    waiting = {}
    for number, item in enumerate(items):
        places = {f"{number}.{place}": part for place, part in enumerate(item["parts"])}
        read = _of_model if item["role"] == "model" else _of_user
        yield [read(part, place, waiting) for place, part in places.items()]
        waiting = {
            place: part["functionCall"] for place, part in places.items() if "functionCall" in part
        }


def _of_model(part, place, _waiting):
    match part:
        case {"functionCall": call}:
            return ToolCallPart(call["name"], call["args"], place)
        case {"text": text, "thought": True}:
            return ThinkingPart(text)
        case {"text": text}:
            return TextPart(text)
        case _:
            return NativeToolCallPart("code_execution", part, place)


def _of_user(part, place, waiting):
    response = part.get("functionResponse")
    if response is None:
        return UserPromptPart(_words(part))
    answered = _answered(response, waiting)
    waiting.pop(answered, None)
    said = _words(response["response"])
    return ToolReturnPart(response["name"], said, answered or place)


def _answered(response, waiting):
    """Return the place of the call with the response's id, or else of the first of its name."""
    given = response.get("id")
    same_id = [place for place, call in waiting.items() if given and call.get("id") == given]
    same_name = [
        place
        for place, call in waiting.items()
        if call["name"] == response["name"] and not (given and call.get("id"))
    ]
    return next(iter([*same_id, *same_name]), None)


READERS = {"anthropic": _anthropic, "chat": _chat, "gemini": _gemini, "responses": _responses}


def exchanges(messages):
    """Return each reply with what was said to it next; first, what was said before all."""
    starts = [place for place, each in enumerate(messages) if isinstance(each, ModelResponse)]
    return [messages[start:end] for start, end in pairwise([0, *starts, len(messages)])]


def apart(messages):
    """Return the messages with all that the model did not say in pieces."""
    return [
        piece
        for message in messages
        for piece in (
            [message]
            if isinstance(message, ModelResponse)
            else [ModelRequest([part]) for part in message.parts]
        )
    ]


def repaired_by_pydantic_ai(messages):
    """Return what the repair changes: the whole, the whole in pieces, or an exchange alone.

    In the whole, a result that comes too late still passes for one; in its exchange it does not.
    Pieces are joined, and results put first among them: that must give back the whole.
    """
    views = [
        (messages, messages),
        (apart(messages), messages),
        *((exchange, exchange) for exchange in exchanges(messages)),
    ]
    return [view for view, wanted in views if repair_messages(view) != wanted]


@pytest.mark.parametrize(("format", "profile"), TARGETS)
@many
@given(history=events(), window=windows)
def test_pydantic_ai_finds_nothing_to_repair(format, profile, history, window):
    request = fitted(written(history, format), window, format, profile)
    if request is None:
        return
    messages = converted(request.payload, format)
    assert repair_messages(messages) == messages
    assert repaired_by_pydantic_ai(messages) == []


HURRIED = (ASKED, CALLED, Event("results and text", "Hurry.", results=("c1",)))
"""Anthropic's user says something beside the one result that there is."""


@pytest.mark.parametrize("format", FORMATS)
@many
@given(history=events(), window=windows, origin=st.sampled_from(FORMATS))
@example(history=HURRIED, window=4000, origin="anthropic")
def test_nor_in_a_request_of_messages_from_elsewhere(format, history, window, origin):
    request = fitted(parse(written(history, origin), origin), window, format)
    if request is None:
        return
    assert repaired_by_pydantic_ai(converted(request.payload, format)) == []


@pytest.mark.parametrize("format", FORMATS)
@broken
def test_without_fit_pydantic_ai_repairs_it(format, history):
    items = written(history, format)
    assert repaired_by_pydantic_ai(converted(items, format)) != []
    request = fitted(items, 4000, format)
    assert repaired_by_pydantic_ai(converted(request.payload, format)) == []


# What the Agents SDK sees: the items as they are.


def left_by_the_agents_sdk(items):
    """Return what the SDK sends of the items that a session with a limit gave it."""
    places = set(range(len(items)))
    left = drop_orphan_function_calls(items, pruning_indexes=places, output_pruning_indexes=places)
    return deduplicate_input_items_preferring_latest(normalize_input_items_for_api(left))


def item_exchanges(items):
    """Return each reply with its results and what was said next; first, what was said before."""
    found = [[]]
    was_reply = False
    for item in items:
        is_said = item.get("role", "assistant") != "assistant"
        is_reply = not is_said and item.get("type") != "function_call_output"
        if is_reply and not was_reply:
            found.append([])
        found[-1].append(item)
        was_reply = is_reply
    return found


def pruned_by_the_agents_sdk(items):
    """Return what the SDK changes: the whole, or an exchange alone."""
    return [
        view for view in (items, *item_exchanges(items)) if left_by_the_agents_sdk(view) != view
    ]


@many
@given(history=events(), window=windows)
def test_the_agents_sdk_finds_nothing_to_prune(history, window):
    request = fitted(written(history, "responses"), window, "responses")
    if request is None:
        return
    assert left_by_the_agents_sdk(request.items) == request.items
    assert pruned_by_the_agents_sdk(request.items) == []


@many
@given(history=events(), window=windows, origin=st.sampled_from(FORMATS))
def test_nor_in_messages_from_elsewhere(history, window, origin):
    request = fitted(parse(written(history, origin), origin), window, "responses")
    if request is None:
        return
    assert pruned_by_the_agents_sdk(request.items) == []


@broken
def test_without_fit_the_agents_sdk_prunes_it(history):
    items = written(history, "responses")
    assert pruned_by_the_agents_sdk(items) != []
    assert pruned_by_the_agents_sdk(fitted(items, 4000, "responses").items) == []


class Stored:
    """A session of the Agents SDK that holds what it is given."""

    def __init__(self, items):
        self.session_id = "s"
        self.session_settings = SessionSettings(limit=100)
        self.items = list(items)

    async def get_items(self, limit=None):
        return self.items[-(limit or 0) :]

    async def add_items(self, items):
        self.items += items

    async def pop_item(self):
        return self.items.pop()

    async def clear_session(self):
        self.items.clear()


def sent_by_a_run(items):
    """Return what the SDK's own runner sends to a model of what stands in a session."""
    model = ScriptedModel([[assistant_message("It is.")]])
    quiet = RunConfig(tracing_disabled=True)
    agent = Agent(name="a", model=model)
    asyncio.run(Runner.run(agent, "Still?", session=Stored(items), run_config=quiet))
    *sent, question = model.calls[0].input
    assert question == {"role": "user", "content": "Still?"}
    return sent


@pytest.mark.parametrize("name", ["calls without results", "results without calls"])
def test_a_run_of_the_agents_sdk_sends_a_fitted_history_as_it_is(name):
    items = written(BROKEN[name], "responses")
    assert sent_by_a_run(items) != items
    made = fitted(items, 4000, "responses").items
    assert sent_by_a_run(made) == made


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_drawn_gives_the_oracles_work(format):
    seen = Counter()

    @settings(many, max_examples=100, derandomize=True)
    @given(history=events(), window=windows)
    def count(history, window):
        items = written(history, format)
        request = fitted(items, window, format)
        if request is not None:
            seen["fitted"] += 1
            seen["edited"] += bool(request.plan.edits)
            seen["repaired"] += bool(repaired_by_pydantic_ai(converted(items, format)))
            seen["pruned"] += format == "responses" and bool(pruned_by_the_agents_sdk(items))

    count()
    assert seen["fitted"] > 30
    assert seen["edited"] > 1
    assert seen["repaired"] > 20
    assert format != "responses" or seen["pruned"] > 20
