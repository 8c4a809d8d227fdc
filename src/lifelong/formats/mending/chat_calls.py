"""Pair calls and results in chat items, and mend what a call lacks.

The results stand right after the assistant item that calls, in any order. An id may come again in
another item, but not in one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lifelong.errors import FormatError
from lifelong.formats.mending.drafts import (
    UNFIT_NAME,
    Changes,
    Entry,
    FreshIds,
    Item,
    OpenCalls,
    callable_name,
    is_list,
    is_mapping,
    without,
)
from lifelong.formats.shape import word_of
from lifelong.formats.strict_json import dumps, loads

_CALLS = "tool_calls"
_NAME_MAX = 64


@dataclass(slots=True, eq=False)
class _Call:
    body: Item
    result: Entry | None = None


@dataclass(slots=True, eq=False)
class _Reply:
    """An assistant item, its calls, and the results in the order they came in."""

    entry: Entry
    calls: list[_Call]
    results: list[Entry] = field(default_factory=list)


def pair(entries: list[Entry], changes: Changes, *, id_max: int | None) -> list[Entry]:
    """Return the items with the results of each call right after it, and whole calls alone.

    Args:
        entries: the items.
        changes: where to tell of it.
        id_max: how many characters the id of a call may have; None for any number.
    """
    rest, replies = _matched(entries, changes)
    used = {word_of(call.body, "id") for reply in replies.values() for call in reply.calls}
    fresh = FreshIds(used, id_max)
    paired: list[Entry] = []
    for entry in rest:
        paired.append(entry)
        reply = replies.get(entry)
        if reply is not None:
            _mend_calls(reply, fresh, changes)
            paired += reply.results
    return paired


def _matched(entries: list[Entry], changes: Changes) -> tuple[list[Entry], dict[Entry, _Reply]]:
    """Return the items that are no results, and those that call with what belongs to them."""
    rest: list[Entry] = []
    replies: dict[Entry, _Reply] = {}
    waiting: OpenCalls[tuple[_Reply, _Call]] = OpenCalls()
    number = 0
    last_role = None
    for entry in entries:
        role = entry.item.get("role")
        # Consecutive items of the assistant are one reply, whose calls are answered in order.
        number += not role == last_role == "assistant"
        last_role = role
        if role == "tool":
            found = waiting.take(word_of(entry.item, "tool_call_id"))
            if found is None:
                changes.tell(entry, "a result of no call before it was left out")
                continue
            reply, call = found
            call.result = entry
            reply.results.append(entry)
            if rest[-1] is not reply.entry:
                changes.tell(entry, "the result was moved to right after its call")
            continue
        rest.append(entry)
        if entry.item.get(_CALLS) is not None:
            reply = _Reply(entry, _calls(entry, changes))
            replies[entry] = reply
            for call in reply.calls:
                waiting.add(word_of(call.body, "id"), (reply, call), number)
    return rest, replies


def _calls(entry: Entry, changes: Changes) -> list[_Call]:
    held = entry.item[_CALLS]
    given = held if is_list(held) else []
    calls = [_Call(call) for call in given if is_mapping(call)]
    if entry.item.get("role") != "assistant":
        changes.tell(entry, "calls that are not the assistant's were left out")
        return []
    if not calls or len(calls) < len(given):
        changes.tell(entry, "what is no list of calls, or no call in it, was left out")
    return calls


def _mend_calls(reply: _Reply, fresh: FreshIds, changes: Changes) -> None:
    """Mend the calls of an item, which loses those that have no result."""
    item = reply.entry.item
    kept: list[Item] = []
    used: set[str] = set()
    for call in reply.calls:
        if call.result is None:
            changes.tell(reply.entry, "a call without a result was left out")
            continue
        body = _repaired(call.body, reply.entry, changes)
        given = word_of(body, "id")
        if not given or given in used or fresh.is_too_long(given):
            new = fresh.like(given)
            changes.tell(reply.entry, "a call has an id of its own now, and so has its result")
            body = {**body, "id": new}
            call.result.item = {**call.result.item, "tool_call_id": new}
        used.add(word_of(body, "id"))
        kept.append(body)
    if not kept:
        reply.entry.item = without(item, _CALLS)
    elif len(kept) != len(item[_CALLS]) or any(
        new is not old for new, old in zip(kept, item[_CALLS], strict=True)
    ):
        reply.entry.item = {**item, _CALLS: kept}


def _repaired(call: Item, entry: Entry, changes: Changes) -> Item:
    """Return a call with a name, and with arguments that are text."""
    kind = word_of(call, "type") or "function"
    if not is_mapping(call.get(kind)):
        kind = "function"
        # Some put the name and the arguments on the call itself.
        held = call.get(kind)
        body = held if is_mapping(held) else {key: call.get(key) for key in ("name", "arguments")}
        changes.tell(entry, "a call holds its function in the place for it now")
        call = {**call, "type": kind, kind: body}
    made: Item = call[kind]
    given_name = word_of(made, "name")
    name = callable_name(given_name, _NAME_MAX)
    if name != given_name:
        what = UNFIT_NAME if given_name else f"no name, so it is called {name!r}"
        changes.tell(entry, f"a call has {what}")
        made = {**made, "name": name}
    key = "input" if "input" in made and "arguments" not in made else "arguments"
    if not isinstance(made.get(key), str):
        changes.tell(entry, "the arguments of a call are text now")
        made = {**made, key: _as_text(made.get(key))}
    return call if made is call[kind] else {**call, kind: made}


def _as_text(arguments: Any) -> str:
    if arguments is None:
        return "{}"
    try:
        return dumps(arguments, "the arguments")
    except FormatError:
        # What JSON cannot hold was in nobody's payload.
        return "{}"


def let_arguments_be_objects(entry: Entry, changes: Changes) -> None:
    """Let the arguments of an item's calls be JSON text of an object."""
    given = entry.item.get(_CALLS)
    if not is_list(given):
        return
    calls = [_with_object(call) for call in given]
    if any(new is not old for new, old in zip(calls, given, strict=True)):
        changes.tell(entry, "the arguments of a call are a JSON object now")
        entry.item = {**entry.item, _CALLS: calls}


def _with_object(call: Any) -> Any:
    function = call.get("function") if is_mapping(call) else None
    if not is_mapping(function):
        return call
    given = function.get("arguments", function.get("input"))
    text = _object_text(given)
    if text == function.get("arguments"):
        return call
    return {**call, "function": {**function, "arguments": text}}


def _object_text(given: Any) -> str:
    text = given if isinstance(given, str) else _as_text(given)
    if not text.strip():
        return "{}"
    try:
        is_object = isinstance(loads(text, "the arguments"), dict)
    except FormatError:
        is_object = False
    return text if is_object else _as_text({"raw_arguments": text})
