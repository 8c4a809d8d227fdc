"""Mend what OpenAI's Responses would refuse in a list of input items that are sent whole.

Reasoning and what it led to are one for the server: where reasoning goes, what followed loses the
ids by which the server would look for it. Calls and outputs are paired in a file of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifelong.formats.mending.drafts import (
    UNFIT_NAME,
    Changes,
    Entry,
    Item,
    Mended,
    as_dict,
    callable_name,
    is_blank,
    is_list,
    is_mapping,
    note,
    tag,
    without,
)
from lifelong.formats.mending.response_calls import CALLS, OUTPUTS, kind_of, pair
from lifelong.formats.rendered import Rendered
from lifelong.formats.shape import word_of

PROFILES = ("openai",)
"""There is one provider."""

_ROLES = ("user", "assistant", "system", "developer")
_OF_THE_MODEL = frozenset(
    (
        *("reasoning", *CALLS, *OUTPUTS),
        *("web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call"),
        *("mcp_call", "mcp_list_tools", "mcp_approval_request"),
    )
)
_NO_FOLLOWER = frozenset(("mcp_approval_response", "compaction", "compaction_trigger", *OUTPUTS))
_ID_STARTS = {"message": "msg_", "function_call": "fc_", "reasoning": "rs_"}
_NAMED = ("function_call", "custom_tool_call")
_NAME_MAX = 64
_NOTHING_WITHOUT_ID = ("item_reference", "mcp_approval_request")
_SAID = {"output_text": "text", "refusal": "refusal"}
_TEXT_KEYS = {"input_text": "text", "text": "text", **_SAID}


def mended(rendered: Rendered, profile: str) -> Mended:
    """Return items that OpenAI accepts; there is one profile."""
    del profile
    changes = Changes("content")
    entries = [Entry(index, item, kind_of(item)) for index, item in enumerate(rendered.items)]
    entries = [entry for entry in entries if _mend_item(entry, changes)]
    entries = _without_replaced(entries, changes)
    entries, led_to_dropped = pair(entries, changes)
    entries = _with_own_ids(entries, changes)
    entries = _with_approvals(entries, changes)
    entries = _without_lonely_reasoning(entries, led_to_dropped, changes)
    items = [as_dict(entry.item) for entry in entries]
    return Mended(items, rendered.system, tuple(changes.sentences))


def _mend_item(entry: Entry, changes: Changes) -> bool:
    """Mend an item alone, and tell whether it may stay."""
    item = entry.item
    if not (word_of(item, "type") or word_of(item, "role") or word_of(item, "id")):
        changes.tell(entry, "what is no item was left out")
        return False
    if entry.kind in _NAMED:
        _mend_name(entry, changes)
    id = word_of(item, "id")
    if id and entry.kind in _ID_STARTS and not id.startswith(_ID_STARTS[entry.kind]):
        changes.tell(entry, "its id is none of OpenAI's, so it stands without")
        entry.item = item = without(entry.item, "id")
    if entry.kind != "message":
        return True
    if item.get("role") not in _ROLES:
        return _make_note(entry, changes)
    return isinstance(item.get("content"), str) or _mend_parts(entry, changes)


def _mend_name(entry: Entry, changes: Changes) -> None:
    given = word_of(entry.item, "name")
    name = callable_name(given, _NAME_MAX)
    if name != given:
        what = UNFIT_NAME if given else f"no name, so it is called {name!r}"
        changes.tell(entry, f"the call has {what}")
        entry.item = {**entry.item, "name": name}


def _mend_parts(entry: Entry, changes: Changes) -> bool:
    content = entry.item.get("content")
    given: Sequence[Any] = content if is_list(content) else []
    kept = _parts(given, is_reply=entry.item["role"] == "assistant")
    if not kept:
        changes.tell(entry, "nothing is in it, so it was left out")
        return False
    if len(kept) < len(given) or any(new is not old for new, old in zip(kept, given, strict=True)):
        changes.tell(entry, "parts that are not for its role were changed or left out")
        entry.item = {**entry.item, "content": kept}
    return True


def _parts(given: Sequence[Any], *, is_reply: bool) -> list[Item]:
    return [made for part in given if (made := _part(part, is_reply=is_reply)) is not None]


def _part(part: Any, *, is_reply: bool) -> Item | None:
    """Return a part as it may stand in a reply or in another message, or None."""
    if not is_mapping(part):
        return None
    kind = word_of(part, "type")
    if (kind in _SAID) == is_reply:
        return part
    text = part.get(_TEXT_KEYS.get(kind, "text"))
    if not isinstance(text, str):
        return None
    return {"type": "output_text" if is_reply else "input_text", "text": text}


def _make_note(entry: Entry, changes: Changes) -> bool:
    role, content = entry.item.get("role"), entry.item.get("content")
    given = [{"type": "input_text", "text": content}] if isinstance(content, str) else content
    parts = _parts(given if is_list(given) else [], is_reply=False)
    texts = [part["text"] for part in parts if _is_text(part)]
    text = "\n".join(text for text in texts if not is_blank(text))
    noted = [{"type": "input_text", "text": note(role, text)}] if text else []
    made_content = [*noted, *(part for part in parts if not _is_text(part))]
    if not made_content:
        changes.tell(entry, f"nothing is in it for the role {tag(role)!r}, so it was left out")
        return False
    changes.tell(entry, f"the role {tag(role)!r} is unknown here, so it is a note of the user")
    entry.item = {"role": "user", "content": made_content}
    return True


def _is_text(part: Item) -> bool:
    return word_of(part, "type") in ("input_text", "text") and isinstance(part.get("text"), str)


def _without_replaced(entries: list[Entry], changes: Changes) -> list[Entry]:
    """Return the items without what a compaction replaces, and without orders for one."""
    places = [at for at, entry in enumerate(entries) if entry.kind == "compaction"]
    start = places[-1] if places else 0
    kept = []
    for at, entry in enumerate(entries):
        kind = entry.kind
        is_said = kind == "message" and entry.item.get("role") == "assistant"
        if at < start and (is_said or kind in _OF_THE_MODEL):
            changes.tell(entry, "it stands before the compaction that replaces it")
        elif kind == "compaction_trigger" and at < len(entries) - 1:
            changes.tell(entry, "it triggers a compaction before the end, so it was left out")
        else:
            kept.append(entry)
    return kept


def _with_own_ids(entries: list[Entry], changes: Changes) -> list[Entry]:
    """Return the items with each id at one of them."""
    used: set[str] = set()
    kept = []
    for entry in entries:
        kind, id = entry.kind, word_of(entry.item, "id")
        # The id of a local shell's output is that of the call.
        is_used = id in used and kind != "local_shell_call_output"
        if is_used and kind in _NOTHING_WITHOUT_ID:
            changes.tell(entry, "it has the id of an item before it, so it was left out")
            continue
        if is_used:
            changes.tell(entry, "it has the id of an item before it, so it stands without")
            entry.item = without(entry.item, "id")
        elif id and kind != "local_shell_call_output":
            used.add(id)
        kept.append(entry)
    return kept


def _with_approvals(entries: list[Entry], changes: Changes) -> list[Entry]:
    """Return the items without approvals of what nobody asked for."""
    asked: set[str] = set()
    kept = []
    for entry in entries:
        kind = entry.kind
        if kind == "mcp_approval_request":
            asked.add(word_of(entry.item, "id"))
        answered = word_of(entry.item, "approval_request_id")
        if kind == "mcp_approval_response" and answered not in asked:
            changes.tell(entry, "it approves what no item before it asked for, so it was left out")
        else:
            kept.append(entry)
    return kept


def _without_lonely_reasoning(
    entries: list[Entry], led_to_dropped: set[Entry], changes: Changes
) -> list[Entry]:
    """Return the items without reasoning that led to nothing, and its reply without ids."""
    dropped = _lonely_reasoning(entries, led_to_dropped)
    kept = []
    is_lost = False
    for entry in entries:
        if entry in dropped:
            changes.tell(entry, "reasoning without what it led to was left out")
            is_lost = True
            continue
        kind = entry.kind
        is_lost = is_lost and _is_led_to(entry) and kind != "reasoning"
        if is_lost and kind in ("message", *CALLS) and "id" in entry.item:
            changes.tell(entry, "it stands without its id, for its reasoning is gone")
            entry.item = without(entry.item, "id")
        kept.append(entry)
    return kept


def _lonely_reasoning(entries: list[Entry], led_to_dropped: set[Entry]) -> set[Entry]:
    lonely: set[Entry] = set()
    follower: Entry | None = None
    for entry in reversed(entries):
        is_led = follower is not None and _is_led_to(follower) and entry not in led_to_dropped
        if entry.kind == "reasoning" and not is_led:
            lonely.add(entry)
        else:
            follower = entry
    return lonely


def _is_led_to(entry: Entry) -> bool:
    if entry.kind == "message":
        return entry.item.get("role") == "assistant"
    return entry.kind not in _NO_FOLLOWER
