"""What OpenAI's Responses refuses in a list of input items that are sent whole.

What its server stores is not known here: an id that it does not have, or reasoning that it misses
before an item that it does have, is no problem that the items alone can show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lifelong.formats.validation.reading import (
    Item,
    are_mappings,
    is_name,
    listed,
    mappings,
    repeated,
    word,
)

PROFILES = ("openai",)
"""There is one provider."""

_NAME_MAX = 64
_CALL_ID_MAX = 64
_NAMED = ("function_call", "custom_tool_call")
_ID_STARTS = {"message": "msg_", "function_call": "fc_", "reasoning": "rs_"}

_ROLES = ("user", "assistant", "system", "developer")

_OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "tool_search_call": "tool_search_output",
    "program": "program_output",
}
_OUTPUTS = tuple(_OUTPUT_OF.values())

_AT_THE_PROVIDER = (
    *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"),
    *("mcp_call", "mcp_list_tools", "mcp_approval_request"),
)
_OF_THE_MODEL = ("reasoning", *_OUTPUT_OF, *_OUTPUTS, *_AT_THE_PROVIDER)
_NOT_ITS_ITEM = ("mcp_approval_response", "compaction", "compaction_trigger", *_OUTPUTS)
"""What cannot be the item that a reasoning led to. Of types that are not known here, any can."""


def problems(payload: Any, profile: str) -> list[str]:
    """Return why OpenAI would refuse a list of input items; there is but one profile."""
    del profile
    items, found = listed(payload)
    if found:
        return found
    rules = (
        _nameless,
        _wrong_name,
        _foreign_id,
        _long_call_id,
        _shell_output_without_id,
        _wrong_message,
        _wrong_pairs,
        _reused_call_ids,
        _lonely_reasoning,
        _reused_ids,
        _unasked_approval,
        _late_compaction,
    )
    return [problem for rule in rules for problem in rule(items)]


def _type(item: Item) -> str:
    return word(item, "type") or ("message" if "role" in item else "item_reference")


def _nameless(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if not word(item, "type", "role", "id"):
            yield f"items[{index}] has neither a type nor a role."


def _wrong_name(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if _type(item) in _NAMED and not is_name(item.get("name"), _NAME_MAX):
            yield f"items[{index}].name is not 1 to {_NAME_MAX} letters, digits, _ and -."


def _foreign_id(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        id, start = word(item, "id"), _ID_STARTS.get(_type(item), "")
        if id and not id.startswith(start):
            yield f"items[{index}] has an id that does not begin with {start!r}."


def _long_call_id(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if _type(item) in _OUTPUT_OF and len(_call_id(item)) > _CALL_ID_MAX:
            yield f"items[{index}] has a call_id of more than {_CALL_ID_MAX} letters."


def _shell_output_without_id(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if _type(item) == "local_shell_call_output" and not word(item, "id"):
            yield f"items[{index}] is the output of a local shell, and has no id."


def _wrong_message(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if _type(item) != "message":
            continue
        role = word(item, "role")
        content = item.get("content")
        if role not in _ROLES:
            yield f"items[{index}] has the role {role!r}, which is unknown here."
        if isinstance(content, str):
            continue
        if not are_mappings(content):
            yield f"items[{index}].content is neither text nor a list of parts."
            continue
        for place, part in enumerate(mappings(content)):
            is_said = word(part, "type") in ("output_text", "refusal")
            if is_said != (role == "assistant"):
                kind = word(part, "type")
                yield f"items[{index}].content[{place}] of type {kind!r} is not for this role."


def _call_id(item: Item) -> str:
    keys = ("call_id", "id") if _type(item) == "local_shell_call_output" else ("call_id",)
    return word(item, *keys)


def _is_paired(item: Item) -> bool:
    # Tool search at the provider has no id to be answered by.
    is_search = _type(item) in ("tool_search_call", "tool_search_output")
    return bool(_call_id(item)) or not is_search


def _wrong_pairs(items: Sequence[Item]) -> Iterator[str]:
    open_calls: dict[tuple[str, str], int] = {}
    answered: set[tuple[str, str]] = set()
    for index, item in enumerate(items):
        kind, call_id = _type(item), _call_id(item)
        if not _is_paired(item):
            continue
        if kind in _OUTPUT_OF:
            open_calls[_OUTPUT_OF[kind], call_id] = index
        elif kind in _OUTPUTS and (kind, call_id) in answered:
            yield f"items[{index}] answers the call {call_id!r} a second time."
        elif kind in _OUTPUTS and open_calls.pop((kind, call_id), None) is None:
            yield f"items[{index}] of type {kind!r} answers no call before it."
        elif kind in _OUTPUTS:
            answered.add((kind, call_id))
    for (_, call_id), index in open_calls.items():
        if not _is_running(items, index):
            yield f"items[{index}]: the call {call_id!r} is not answered by an item after it."


def _is_running(items: Sequence[Item], index: int) -> bool:
    # The provider itself answers a program, once the calls that it makes have been answered.
    is_asked_again = any(word(item, "role") == "user" for item in items[index:])
    return _type(items[index]) == "program" and not is_asked_again


def _reused_call_ids(items: Sequence[Item]) -> Iterator[str]:
    ids = [_call_id(item) if _type(item) in _OUTPUT_OF else "" for item in items]
    for index in repeated(ids):
        yield f"items[{index}] has the call_id {ids[index]!r} of an earlier call."


def _lonely_reasoning(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        if _type(item) == "reasoning" and not _is_led_to(items[index + 1 : index + 2]):
            yield f"items[{index}] is reasoning without the item that has to follow it."


def _is_led_to(following: Sequence[Item]) -> bool:
    if not following or _type(following[0]) in _NOT_ITS_ITEM:
        return False
    return _type(following[0]) != "message" or word(following[0], "role") == "assistant"


def _reused_ids(items: Sequence[Item]) -> Iterator[str]:
    # The id of a local shell's output is that of the call.
    ids = ["" if _type(item) == "local_shell_call_output" else word(item, "id") for item in items]
    for index in repeated(ids):
        yield f"items[{index}] has the id {ids[index]!r} of an earlier item."


def _unasked_approval(items: Sequence[Item]) -> Iterator[str]:
    asked: set[str] = set()
    for index, item in enumerate(items):
        if _type(item) == "mcp_approval_request":
            asked.add(word(item, "id"))
        is_answer = _type(item) == "mcp_approval_response"
        if is_answer and word(item, "approval_request_id") not in asked:
            yield f"items[{index}] approves what no item before it asked for."


def _late_compaction(items: Sequence[Item]) -> Iterator[str]:
    places = [index for index, item in enumerate(items) if _type(item) == "compaction"]
    for index, item in enumerate(items[: places[-1]] if places else []):
        is_said = _type(item) == "message" and word(item, "role") == "assistant"
        if is_said or _type(item) in _OF_THE_MODEL:
            yield f"items[{index}] stands before the compaction that takes its place."
    for index, item in enumerate(items[:-1]):
        if _type(item) == "compaction_trigger":
            yield f"items[{index}] triggers a compaction and is not the last item."
