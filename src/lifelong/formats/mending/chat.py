"""Mend what OpenAI's Chat Completions would refuse, or one of those that speak its format.

The profiles: `openai`; `deepseek`, which wants its reasoning back; `qwen`, whose template wants one
system message and a user; `ollama`, which takes almost anything and gets it as it came. The last
two parse the arguments of calls, so those have to be JSON. Keys that are not known here stay. Calls
and results are paired in a file of their own.

Qwen's user speaks last where the assistant would, and first where no user speaks at all: an opening
stays where it is when the conversation goes on, so it does not spoil the provider's cache.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lifelong.formats.mending.chat_calls import let_arguments_be_objects, pair
from lifelong.formats.mending.drafts import (
    ADDED,
    CONTINUE,
    OPENING,
    Changes,
    Entry,
    Mended,
    as_dict,
    is_blank,
    is_list,
    is_mapping,
    note,
    tag,
    without,
)
from lifelong.formats.rendered import Rendered

_IN_PLACE_OF_CONTENT = ("tool_calls", "function_call", "refusal", "audio")
_REASONING = "reasoning_content"
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_NAMED = ("user", "system", "developer", "assistant")
_NO_REASONING = "(No reasoning was kept.)"


@dataclass(frozen=True)
class _Profile:
    """What a provider takes.

    Attributes:
        roles: those that it knows.
        has_strict_calls: whether calls and results have to be in order.
        id_max: how many characters the id of a call may have; None for any number.
        has_names: whether the name of a speaker has to be letters, digits, _ and -.
        has_parsed_arguments: whether the arguments of calls have to be JSON of an object.
        has_one_system: whether the system speaks once and first, and the user last.
        wants_reasoning: whether replies with reasoning have to have it everywhere.
    """

    roles: tuple[str, ...]
    has_strict_calls: bool = True
    id_max: int | None = None
    has_names: bool = False
    has_parsed_arguments: bool = False
    has_one_system: bool = False
    wants_reasoning: bool = False


_PROFILES = {
    "openai": _Profile(
        ("system", "developer", "user", "assistant", "tool", "function"), id_max=40, has_names=True
    ),
    "deepseek": _Profile(
        ("system", "user", "assistant", "tool", "latest_reminder"), wants_reasoning=True
    ),
    "qwen": _Profile(
        ("system", "user", "assistant", "tool"), has_parsed_arguments=True, has_one_system=True
    ),
    "ollama": _Profile(
        ("system", "developer", "user", "assistant", "tool"),
        has_strict_calls=False,
        has_parsed_arguments=True,
    ),
}

PROFILES = tuple(_PROFILES)
"""The providers that are told apart; the first is meant where none is named."""


def mended(rendered: Rendered, profile: str) -> Mended:
    """Return chat items that a provider of the profile accepts."""
    changes = Changes("content")
    wanted = _PROFILES[profile]
    entries = [Entry(index, item) for index, item in enumerate(rendered.items)]
    if wanted.has_strict_calls:
        entries = pair(entries, changes, id_max=wanted.id_max)
    for entry in entries if wanted.has_parsed_arguments else ():
        let_arguments_be_objects(entry, changes)
    entries = [
        entry
        for entry in entries
        if _mend_role(entry, wanted.roles, changes) and _mend_content(entry, changes)
    ]
    for entry in entries if wanted.has_names else ():
        _mend_name(entry, changes)
    if wanted.has_one_system:
        entries = _with_one_system(entries, changes)
        _open_and_close(entries, changes)
    if wanted.wants_reasoning:
        _give_reasoning(entries, changes)
    return Mended(_items(entries), rendered.system, tuple(changes.sentences))


def _items(entries: list[Entry]) -> list[dict[str, Any]]:
    return [as_dict(entry.item) for entry in entries]


def _mend_role(entry: Entry, roles: tuple[str, ...], changes: Changes) -> bool:
    """Mend the role of an item, and tell whether the item may stay."""
    role = entry.item.get("role")
    if role in roles:
        return True
    if role == "developer":
        changes.tell(entry, "the role 'developer' is unknown here, so it is 'system'")
        entry.item = {**entry.item, "role": "system"}
        return True
    return _make_note(entry, changes)


def _make_note(entry: Entry, changes: Changes) -> bool:
    """Let the user say what another role said, and tell whether there is anything to say."""
    role = entry.item.get("role")
    texts, others = [], []
    for part in _as_parts(entry.item.get("content")):
        text = part.get("text") if is_mapping(part) and part.get("type") == "text" else None
        if not isinstance(text, str):
            others.append(part)
        elif not is_blank(text):
            texts.append(text)
    content: Any = note(role, "\n".join(texts)) if texts else None
    if any(map(is_mapping, others)):
        content = [*_as_parts(content), *filter(is_mapping, others)]
    if content is None:
        changes.tell(entry, f"nothing is in it for the role {tag(role)!r}, so it was left out")
        return False
    changes.tell(entry, f"the role {tag(role)!r} cannot stand here, so it is a note of the user")
    entry.item = {"role": "user", "content": content}
    return True


def _as_parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content) if is_list(content) else []


def _mend_name(entry: Entry, changes: Changes) -> None:
    item = entry.item
    name = item.get("name")
    is_sound = name is None or (isinstance(name, str) and _NAME.fullmatch(name))
    if item.get("role") in _NAMED and not is_sound:
        changes.tell(entry, "the name of its speaker cannot stand here, so it was left out")
        entry.item = without(item, "name")


def _mend_content(entry: Entry, changes: Changes) -> bool:
    """Mend the content of an item, and tell whether the item may stay."""
    item = entry.item
    role, content = item.get("role"), item.get("content")
    if isinstance(content, str):
        return True
    given = _as_parts(content)
    kept = [part for part in given if _may_stand(part, role)]
    has_something = role == "assistant" and any(item.get(key) for key in _IN_PLACE_OF_CONTENT)
    if kept:
        if len(kept) < len(given):
            changes.tell(
                entry, f"parts{_others(given, role)} that cannot stand in it were left out"
            )
            entry.item = {**item, "content": kept}
    elif has_something:
        if content is not None:
            changes.tell(entry, "its content holds nothing, so it is null")
            entry.item = {**item, "content": None}
    elif role == "assistant":
        changes.tell(entry, "nothing is in it, so it was left out")
        return False
    else:
        others = f": parts{_others(given, role)} were left out" if given else ""
        changes.tell(entry, f"its content is empty text now, for it held none{others}")
        entry.item = {**item, "content": ""}
    return True


def _may_stand(part: Any, role: Any) -> bool:
    return is_mapping(part) and (role != "tool" or part.get("type") == "text")


def _others(given: list[Any], role: Any) -> str:
    """Return the types of the parts that cannot stand, to be put after the word for them."""
    others = [part for part in given if is_mapping(part) and not _may_stand(part, role)]
    names = sorted({repr(tag(part.get("type"))) for part in others})
    return f" of type {', '.join(names)}" if names else ""


def _with_one_system(entries: list[Entry], changes: Changes) -> list[Entry]:
    """Return the items with the first system messages in one, and the later ones as notes."""
    count = 0
    while count < len(entries) and entries[count].item.get("role") == "system":
        count += 1
    leading = entries[:count]
    if count > 1:
        for entry in leading[1:]:
            changes.tell(entry, "it was joined with the system message before it")
        content = _joined([entry.item.get("content") for entry in leading])
        leading[0].item = {**leading[0].item, "content": content}
    rest = [
        entry
        for entry in entries[count:]
        if entry.item.get("role") != "system" or _make_note(entry, changes)
    ]
    return [*leading[:1], *rest]


def _joined(contents: list[Any]) -> Any:
    texts = [content for content in contents if isinstance(content, str)]
    if len(texts) == len(contents):
        return "\n\n".join(text for text in texts if text)
    return [part for content in contents if content for part in _as_parts(content)]


def _open_and_close(entries: list[Entry], changes: Changes) -> None:
    """Let the user speak last where the assistant would, and first where no user speaks."""
    if not entries:
        return
    if entries[-1].item.get("role") == "assistant":
        changes.tell(entries[-1], "a message of the user was put after it")
        entries.append(Entry(ADDED, {"role": "user", "content": CONTINUE}))
    if not any(map(_is_asked, entries)):
        at = 1 if entries[0].item.get("role") == "system" else 0
        changes.tell(entries[0], "a message of the user was put here, for no user speaks")
        entries.insert(at, Entry(ADDED, {"role": "user", "content": OPENING}))


def _is_asked(entry: Entry) -> bool:
    content = entry.item.get("content")
    if entry.item.get("role") != "user" or not content:
        return False
    # Qwen's template takes a user message of this shape for the result of a tool.
    text = content.strip() if isinstance(content, str) else ""
    return not (text.startswith("<tool_response>") and text.endswith("</tool_response>"))


def _give_reasoning(entries: list[Entry], changes: Changes) -> None:
    """Where a reply has its reasoning, let each reply of a turn that calls tools have one."""
    replies = [entry for entry in entries if entry.item.get("role") == "assistant"]
    if all(is_blank(entry.item.get(_REASONING)) for entry in replies):
        return
    for turn in _turns(entries):
        if not any(entry.item.get("tool_calls") for entry in turn):
            continue
        for entry in turn:
            is_reply = entry.item.get("role") == "assistant"
            if is_reply and is_blank(entry.item.get(_REASONING)):
                changes.tell(entry, "its reasoning is missing, and now says so")
                entry.item = {**entry.item, _REASONING: _NO_REASONING}


def _turns(entries: list[Entry]) -> list[list[Entry]]:
    turns: list[list[Entry]] = [[]]
    for entry in entries:
        if entry.item.get("role") == "user":
            turns.append([])
        turns[-1].append(entry)
    return turns
