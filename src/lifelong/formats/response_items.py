"""The kinds of calls and results among the items of OpenAI's Responses format.

Each kind keeps its name, arguments and text under other keys, and each call has one kind of item
that answers it. Here they are read alike, and an output is made for a text. Calls that run at the
provider have no output item, so they stand in no table: they are opaque.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lifelong.formats.shape import TEXT_TYPES, mappings_of, text_of, word_of
from lifelong.messages import Raw, ToolCallPart, ToolResultPart

FUNCTION_CALL = "function_call"


@dataclass(frozen=True, slots=True)
class _Call:
    """How to read a kind of call: the key of its arguments, and its name where it has none."""

    output: str
    arguments: str
    name: str = ""


_CALLS = {
    FUNCTION_CALL: _Call("function_call_output", "arguments"),
    "custom_tool_call": _Call("custom_tool_call_output", "input"),
    "computer_call": _Call("computer_call_output", "action", "computer"),
    "local_shell_call": _Call("local_shell_call_output", "action", "local_shell"),
    "shell_call": _Call("shell_call_output", "action", "shell"),
    "apply_patch_call": _Call("apply_patch_call_output", "operation", "apply_patch"),
    "tool_search_call": _Call("tool_search_output", "arguments", "tool_search"),
    "program": _Call("program_output", "code", "program"),
}

CALLS = tuple(_CALLS)
"""The types of items that are calls answered by an item of its own."""

_OUTPUTS = {call.output for call in _CALLS.values()}

_TEXT_KEY = {"tool_search_output": "tools", "program_output": "result"}
_BLANK_SCREEN = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR42mP4DwABAQEAHLCMmQAAAABJRU5ErkJggg=="
)
# One white pixel: a screenshot must be a picture, and there may be none left to show.


def call_of(item: Raw) -> ToolCallPart | None:
    """Return the call that an item is, or None when it is none."""
    kind = word_of(item, "type")
    call_id = word_of(item, "call_id")
    # Tool search that runs at the provider has no id to be answered by.
    if kind not in _CALLS or (kind == "tool_search_call" and not call_id):
        return None
    call = _CALLS[kind]
    arguments = item.get(call.arguments)
    if arguments is None and "actions" in item:
        arguments = {"actions": item["actions"]}
    name = call.name or word_of(item, "name")
    return ToolCallPart(call_id, name, "" if arguments is None else arguments, raw=item)


def result_of(item: Raw, where: str) -> ToolResultPart | None:
    """Return the result that an item is, or None when it is none.

    Raises:
        FormatError: what the tool gave is neither text nor blocks.
    """
    kind = word_of(item, "type")
    call_id = word_of(item, "call_id")
    if kind == "local_shell_call_output":
        # OpenAI's own types keep the id of the call here, and its guides do not.
        call_id = call_id or word_of(item, "id")
    if kind not in _OUTPUTS or (kind == "tool_search_output" and not call_id):
        return None
    text = _output_text(item, _TEXT_KEY.get(kind, "output"), where)
    return ToolResultPart(call_id, text, item.get("status") == "failed", raw=item)


def _output_text(item: Raw, key: str, where: str) -> str:
    output = item.get(key)
    if output is None or isinstance(output, str | Mapping):
        return output if isinstance(output, str) else ""
    texts = []
    for index, block in enumerate(mappings_of(output, f"{where}.{key}")):
        place = f"{where}.{key}[{index}]"
        if word_of(block, "type") in TEXT_TYPES:
            texts.append(text_of(block, "text", place))
        elif key == "tools":
            texts.append(word_of(block, "name"))
        else:
            texts += [text_of(block, "stdout", place), text_of(block, "stderr", place)]
    return "\n".join(filter(None, texts))


def call_item(part: ToolCallPart, arguments: str) -> dict[str, Any]:
    """Return the item of a call that came in another format."""
    call = {"type": FUNCTION_CALL, "call_id": part.id, "name": part.name}
    return {**call, "arguments": arguments}


def output_item(
    part: ToolResultPart, kind: str, *, attachments: list[dict[str, Any]], losses: list[str]
) -> dict[str, Any]:
    """Return the item that answers a call with the text of a result.

    Args:
        part: the result.
        kind: the type of the call's item, one of `CALLS`.
        attachments: parts that belong to the result beside its text.
        losses: where to tell of what the kind of item cannot hold.
    """
    name = f"the result of call {part.call_id!r}"
    item: dict[str, Any] = {"type": _CALLS[kind].output, "call_id": part.call_id}
    if kind == "local_shell_call":
        # OpenAI's own types want the id of the call here, and its guides want it above.
        item["id"] = part.call_id
    if part.is_error and kind != "apply_patch_call":
        losses.append(f"responses has no error mark, so {name} stands without it")
    match kind:
        case "computer_call":
            losses.append(f"{name} must be a picture, so a blank one stands for its text")
            return {**item, "output": {"type": "computer_screenshot", "image_url": _BLANK_SCREEN}}
        case "tool_search_call":
            losses.append(f"{name} must be tools, so none stand for its text")
            return {**item, "tools": []}
        case "shell_call":
            outcome = {"type": "exit", "exit_code": 0}
            return {**item, "output": [{"stdout": part.text, "stderr": "", "outcome": outcome}]}
        case "apply_patch_call":
            status = "failed" if part.is_error else "completed"
            return {**item, "status": status, "output": part.text}
        case "program":
            return {**item, "result": part.text, "status": "completed"}
    if not attachments:
        return {**item, "output": part.text}
    texts = [{"type": "input_text", "text": part.text}] if part.text.strip() else []
    return {**item, "output": [*texts, *attachments]}
