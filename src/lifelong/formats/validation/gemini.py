"""What Gemini refuses in a list of contents.

It joins nothing: the content right after a call's is where the responses must stand, all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifelong.formats.validation.reading import (
    Item,
    are_mappings,
    listed,
    mapping,
    mappings,
    word,
)

PROFILES = ("google",)
"""There is one provider."""

_CALL = ("functionCall", "function_call")
_RESPONSE = ("functionResponse", "function_response")
_SIGNATURE = ("thoughtSignature", "thought_signature")
_BESIDE = (
    *("thought", *_SIGNATURE, "videoMetadata", "video_metadata"),
    *("partMetadata", "part_metadata", "mediaResolution", "media_resolution"),
)


def problems(payload: Any, profile: str) -> list[str]:
    """Return why Gemini would refuse contents, or a mapping with them; there is one profile."""
    del profile
    items, found = listed(payload.get("contents") if isinstance(payload, Mapping) else payload)
    if found:
        return found
    rules = (
        _wrong_roles,
        _empty_parts,
        _misplaced_parts,
        _wrong_calls,
        _wrong_responses,
        _call_out_of_turn,
        _unsigned_calls,
    )
    return [problem for rule in rules for problem in rule(items)]


def _wrong_roles(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        role = item.get("role")
        if role not in ("user", "model") and not (role is None and len(items) == 1):
            yield f"items[{index}] has the role {role!r}, and may have user or model."


def _empty_parts(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if not are_mappings(item.get("parts")):
            yield f"items[{index}] has no parts."
        for place, part in enumerate(mappings(item.get("parts"))):
            if _is_empty(part):
                yield f"items[{index}].parts[{place}] is empty."


def _is_empty(part: Item) -> bool:
    if part.get("text") == "":
        # The last part of a streamed reply may be nothing but its signature.
        return not any(part.get(key) for key in _SIGNATURE)
    return all(value is None or key in _BESIDE for key, value in part.items())


def _under(item: Item, keys: tuple[str, ...]) -> list[Item]:
    held = (mapping(part, *keys) for part in mappings(item.get("parts")))
    return [each for each in held if each is not None]


def _misplaced_parts(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if item.get("role") == "user" and _under(item, _CALL):
            yield f"items[{index}] has a function call and is not the model's."
        if item.get("role") == "model" and _under(item, _RESPONSE):
            yield f"items[{index}] has a function response and is the model's."


def _wrong_calls(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        for call in _under(item, _CALL):
            if not word(call, "name"):
                yield f"items[{index}] has a function call without a name."
            if call.get("args") is not None and not isinstance(call["args"], Mapping):
                yield f"items[{index}] has a function call whose args are no mapping."


def _wrong_responses(items: Sequence[Item]) -> Iterator[str]:
    calls: list[Item] = []
    for index, item in enumerate([*items, {}]):
        responses = _under(item, _RESPONSE)
        if responses and not calls:
            yield f"items[{index}] has function responses, and no calls right before it."
        elif len(calls) != len(responses):
            yield (
                f"items[{index - 1}] has {len(calls)} function calls, "
                f"and {len(responses)} responses right after it."
            )
        elif Counter(word(call, "name") for call in calls) != Counter(
            word(response, "name") for response in responses
        ):
            yield f"items[{index}] has responses of other functions than were called."
        elif _ids(calls) and _ids(responses) and _ids(calls) != _ids(responses):
            yield f"items[{index}] has responses with other ids than the calls have."
        calls = _under(item, _CALL)


def _ids(bodies: Sequence[Item]) -> set[str]:
    return {word(body, "id") for body in bodies} - {""}


def _call_out_of_turn(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if _under(item, _CALL) and (index == 0 or items[index - 1].get("role") != "user"):
            yield f"items[{index}] calls functions and does not follow the user's content."


def _unsigned_calls(items: Sequence[Item]) -> Iterator[str]:
    asked = [
        index
        for index, item in enumerate(items)
        if item.get("role") == "user" and not _under(item, _RESPONSE)
    ]
    turn_start = asked[-1] if asked else 0
    for index, item in enumerate(items[turn_start:], turn_start):
        calls = [part for part in mappings(item.get("parts")) if mapping(part, *_CALL)]
        # Of calls that run side by side, only the first is signed.
        if calls and not any(calls[0].get(key) for key in _SIGNATURE):
            yield f"items[{index}] calls a function in the current turn without a signature."
