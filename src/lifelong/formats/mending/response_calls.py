"""Pair calls and outputs among Responses items, and give each call a `call_id` of its own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from lifelong.formats.mending.drafts import Changes, Entry, FreshIds, Item, OpenCalls
from lifelong.formats.shape import word_of

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

CALLS = tuple(_OUTPUT_OF)
"""The types of items that an item of its own answers."""

OUTPUTS = tuple(_OUTPUT_OF.values())
"""The types of items that answer."""

_PAIRED = frozenset((*CALLS, *OUTPUTS))
_SHELL_OUTPUT = "local_shell_call_output"
_ID_MAX = 64
_SEARCH = ("tool_search_call", "tool_search_output")


@dataclass(slots=True, eq=False)
class _Call:
    entry: Entry
    output: Entry | None = None


def kind_of(item: Item) -> str:
    """Return the type of an item, as OpenAI takes one that has none."""
    return word_of(item, "type") or ("message" if "role" in item else "item_reference")


def pair(entries: list[Entry], changes: Changes) -> tuple[list[Entry], set[Entry]]:
    """Return the items with each call before its one output, and with ids that come once.

    Returns:
        The items, and the reasoning among them that led right to a call that was left out.
    """
    calls, dropped = _matched(entries, changes)
    running = _running(entries)
    for call in calls:
        if call.output is None and call.entry not in running:
            changes.tell(call.entry, "a call without an output was left out")
            dropped.add(call.entry)
    _name([call for call in calls if call.entry not in dropped], changes)
    for call in calls:
        if call.output is not None:
            _give_id(call.output, changes)
    return [entry for entry in entries if entry not in dropped], _led_to(entries, dropped)


def _led_to(entries: list[Entry], dropped: set[Entry]) -> set[Entry]:
    """Return the reasoning that led right to a call that was left out."""
    led_to_dropped: set[Entry] = set()
    for entry, before in pairwise(reversed(entries)):
        is_lost_call = entry in dropped and entry.kind in CALLS
        if before.kind == "reasoning" and (is_lost_call or entry in led_to_dropped):
            led_to_dropped.add(before)
    return led_to_dropped


def _running(entries: list[Entry]) -> set[Entry]:
    """Return the programs that may have no output yet.

    The provider itself answers a program, once the calls that it makes have been answered.
    """
    running = set()
    for entry in reversed(entries):
        if word_of(entry.item, "role") == "user":
            break
        if entry.kind == "program":
            running.add(entry)
    return running


def _matched(entries: list[Entry], changes: Changes) -> tuple[list[_Call], set[Entry]]:
    """Return the calls with their outputs, and the outputs of no call."""
    calls: list[_Call] = []
    orphans: set[Entry] = set()
    waiting: OpenCalls[_Call] = OpenCalls()
    number = 0
    for entry in entries:
        kind = entry.kind
        if kind not in _PAIRED:
            continue
        call_id = _call_id(entry.item)
        if kind in _SEARCH and not call_id:
            # Tool search at the provider has no id to be answered by.
            continue
        if kind in _OUTPUT_OF:
            call = _Call(entry)
            calls.append(call)
            waiting.add((_OUTPUT_OF[kind], call_id), call, number)
        elif kind in OUTPUTS:
            number += 1
            answered = waiting.take((kind, call_id))
            if answered is None:
                changes.tell(entry, "an output of no call before it was left out")
                orphans.add(entry)
            else:
                answered.output = entry
    return calls, orphans


def _call_id(item: Item) -> str:
    # A local shell's output may name its call by its own id.
    is_shell = kind_of(item) == _SHELL_OUTPUT
    return word_of(item, "call_id") or (word_of(item, "id") if is_shell else "")


def _name(calls: list[_Call], changes: Changes) -> None:
    given = [_call_id(call.entry.item) for call in calls]
    fresh = FreshIds(given, _ID_MAX)
    used = {""}
    for call, old in zip(calls, given, strict=True):
        if old not in used and not fresh.is_too_long(old):
            used.add(old)
            continue
        new = fresh.like(old)
        changes.tell(call.entry, "the call has an id of its own now, and so has its output")
        call.entry.item = {**call.entry.item, "call_id": new}
        if call.output is not None:
            _answer_to(call.output, old, new)


def _answer_to(output: Entry, old: str, new: str) -> None:
    item = output.item
    keys = {"call_id"} if word_of(item, "call_id") or not _call_id(item) else set()
    if output.kind == _SHELL_OUTPUT and word_of(item, "id") == old != "":
        keys.add("id")
    output.item = {**item, **dict.fromkeys(keys, new)}


def _give_id(output: Entry, changes: Changes) -> None:
    """Let a local shell's output have an id, which is that of its call."""
    item = output.item
    if output.kind == _SHELL_OUTPUT and not word_of(item, "id"):
        changes.tell(output, "it has the id of its call now")
        output.item = {**item, "id": _call_id(item)}
