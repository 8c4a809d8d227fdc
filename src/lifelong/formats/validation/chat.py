"""What OpenAI's Chat Completions refuses, and what some of those that speak its format refuse too.

The profiles: `openai`; `deepseek`, which wants its reasoning back; `qwen`, whose template wants one
system message and a user; `ollama`, which takes almost anything. The last two parse the arguments
of calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NoReturn

from lifelong.formats.validation.reading import (
    Item,
    are_mappings,
    is_blank,
    is_name,
    listed,
    mapping,
    mappings,
    repeated,
    word,
)

_Rule = Callable[[Sequence[Item]], Iterator[str]]

_NAME_MAX = 64
_ID_MAX = 40
_SPEAKERS = ("user", "system", "developer", "assistant")
_IN_PLACE_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")


def problems(payload: Any, profile: str) -> list[str]:
    """Return why a provider of the profile would refuse a list of chat items."""
    items, found = listed(payload)
    if found:
        return found
    rules = _PROFILES[profile]
    found.extend(_unknown_roles(items, rules.roles))
    for rule in rules.rules:
        found.extend(rule(items))
    return found


def _unknown_roles(items: Sequence[Item], roles: tuple[str, ...]) -> Iterator[str]:
    for index, item in enumerate(items):
        role = word(item, "role")
        if role not in roles:
            yield f"items[{index}] has the role {role!r}, which is unknown here."


def _wrong_content(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        content = item.get("content")
        if isinstance(content, str):
            continue
        if content is None:
            is_reply = item.get("role") == "assistant"
            if not is_reply or not any(item.get(key) for key in _IN_PLACE_OF_CONTENT):
                yield f"items[{index}] has no content, and no calls in its place."
        elif not are_mappings(content):
            yield f"items[{index}].content is neither text nor a list of parts."
        elif item.get("role") == "tool" and any(part.get("type") != "text" for part in content):
            yield f"items[{index}].content holds something else than text in a tool item."


def _wrong_calls(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        held = item.get("tool_calls")
        if held is None:
            continue
        where = f"items[{index}].tool_calls"
        if item.get("role") != "assistant":
            yield f"{where} stands in an item that is not the assistant's."
        if not are_mappings(held):
            yield f"{where} is no list of calls."
        calls = mappings(held)
        for place, call in enumerate(calls):
            yield from _wrong_call(f"{where}[{place}]", call)
        for place in repeated([word(call, "id") for call in calls]):
            yield f"{where}[{place}] has the id of an earlier call."


def _wrong_call(where: str, call: Item) -> Iterator[str]:
    body = mapping(call, word(call, "type") or "function") or {}
    if not word(call, "id") or not word(body, "name"):
        yield f"{where} has no id or no name."
    elif not is_name(body["name"], _NAME_MAX):
        yield f"{where} has a name that is not 1 to {_NAME_MAX} letters, digits, _ and -."
    if not isinstance(body.get("arguments", body.get("input")), str):
        yield f"{where} has arguments that are no text."


def _long_ids(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        for place, call in enumerate(mappings(item.get("tool_calls"))):
            if len(word(call, "id")) > _ID_MAX:
                yield f"items[{index}].tool_calls[{place}] has an id of over {_ID_MAX} letters."


def _wrong_speaker(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        name = item.get("name")
        if item.get("role") in _SPEAKERS and name is not None and not is_name(name, _NAME_MAX):
            yield f"items[{index}].name is not 1 to {_NAME_MAX} letters, digits, _ and -."


def _unreadable_arguments(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        for place, call in enumerate(mappings(item.get("tool_calls"))):
            function = mapping(call, "function")
            if function is not None and not _is_object_text(function.get("arguments")):
                where = f"items[{index}].tool_calls[{place}]"
                yield f"{where} has arguments that are no JSON text of an object."


def _is_object_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        found = json.loads(value, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(digits)
    return number


@dataclass
class _Waiting:
    """The calls of the last assistant item, and which of them have been answered."""

    where: str = ""
    open_ids: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()

    def answer(self, where: str, call_id: str) -> Iterator[str]:
        """Take a result, and tell what is wrong with it."""
        if call_id in self.open_ids:
            self.open_ids = tuple(each for each in self.open_ids if each != call_id)
            self.answered = (*self.answered, call_id)
        elif call_id in self.answered:
            yield f"{where} answers the call {call_id!r} a second time."
        else:
            yield f"{where} answers no call of the assistant item before it."

    def end(self) -> Iterator[str]:
        """Tell of the calls that no result can answer any more."""
        for call_id in self.open_ids:
            yield f"{self.where}: the call {call_id!r} is not answered by tool items after it."


def _wrong_answers(items: Sequence[Item]) -> Iterator[str]:
    waiting = _Waiting()
    for index, item in enumerate(items):
        if item.get("role") == "tool":
            yield from waiting.answer(f"items[{index}]", word(item, "tool_call_id"))
            continue
        yield from waiting.end()
        ids = [word(call, "id") for call in mappings(item.get("tool_calls"))]
        waiting = _Waiting(f"items[{index}]", tuple(dict.fromkeys(filter(None, ids))))
    yield from waiting.end()


def _lost_reasoning(items: Sequence[Item]) -> Iterator[str]:
    replies = [item for item in items if item.get("role") == "assistant"]
    if all(is_blank(reply.get("reasoning_content")) for reply in replies):
        return
    for turn in _turns(items):
        if not any(item.get("tool_calls") for _, item in turn):
            continue
        for index, item in turn:
            if item.get("role") == "assistant" and is_blank(item.get("reasoning_content")):
                yield f"items[{index}] has no reasoning_content in a turn that calls tools."


def _turns(items: Sequence[Item]) -> list[list[tuple[int, Item]]]:
    turns: list[list[tuple[int, Item]]] = [[]]
    for index, item in enumerate(items):
        if item.get("role") == "user":
            turns.append([])
        turns[-1].append((index, item))
    return turns


def _late_system(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items[1:], 1):
        if item.get("role") == "system":
            yield f"items[{index}] is a system message that is not the first item."


def _no_user(items: Sequence[Item]) -> Iterator[str]:
    if not any(_is_asked_by_user(item) for item in items):
        yield "The payload has no message of a user."


def _is_asked_by_user(item: Item) -> bool:
    content = item.get("content")
    if item.get("role") != "user" or not content:
        return False
    # Qwen's template takes a user message of this shape for the result of a tool.
    text = content.strip() if isinstance(content, str) else ""
    return not (text.startswith("<tool_response>") and text.endswith("</tool_response>"))


def _open_reply(items: Sequence[Item]) -> Iterator[str]:
    if items[-1].get("role") == "assistant":
        yield f"items[{len(items) - 1}] is an assistant message at the end."


@dataclass(frozen=True)
class _Profile:
    roles: tuple[str, ...]
    rules: tuple[_Rule, ...]


_STRICT = (_wrong_content, _wrong_calls, _wrong_answers)

_PROFILES = {
    "openai": _Profile(
        ("system", "developer", "user", "assistant", "tool", "function"),
        (*_STRICT, _long_ids, _wrong_speaker),
    ),
    "deepseek": _Profile(
        ("system", "user", "assistant", "tool", "latest_reminder"), (*_STRICT, _lost_reasoning)
    ),
    "qwen": _Profile(
        ("system", "user", "assistant", "tool"),
        (*_STRICT, _unreadable_arguments, _late_system, _no_user, _open_reply),
    ),
    "ollama": _Profile(
        ("system", "developer", "user", "assistant", "tool"),
        (_wrong_content, _unreadable_arguments),
    ),
}

PROFILES = tuple(_PROFILES)
"""The providers that are told apart; the first is meant where none is named."""
