"""What Anthropic's Messages refuses.

The API joins messages of one role that follow one another, so calls and results are looked for in
the joined ones. The profiles: `prefill`, which takes a last message by the assistant as the start
of its reply; `no_prefill`, the newer models, which refuse that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lifelong.formats.validation.reading import (
    Item,
    are_mappings,
    is_blank,
    is_name,
    listed,
    mappings,
    repeated,
    word,
)

PROFILES = ("prefill", "no_prefill")
"""The models that are told apart; the first is meant where none is named."""

_MESSAGES_MAX = 100_000
_CACHE_MARKS_MAX = 4
_NAME_MAX = 128
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_THINKING = ("thinking", "redacted_thinking")
_CACHE_TIMES = (None, "5m", "1h")

_Placed = tuple[str, Item]
"""A block, led by where it stands."""


@dataclass
class _Group:
    """What the API joins: the messages of one role that follow one another."""

    role: str
    first: int
    blocks: list[_Placed] = field(default_factory=list)

    def of_type(self, *kinds: str) -> list[_Placed]:
        """Return the blocks of some types."""
        return [(where, block) for where, block in self.blocks if word(block, "type") in kinds]


def problems(payload: Any, profile: str) -> list[str]:
    """Return why Anthropic would refuse messages, or a mapping with them and the system."""
    is_request = isinstance(payload, Mapping)
    items, found = listed(payload.get("messages") if is_request else payload)
    if found:
        return found
    system = payload.get("system") if is_request else None
    tools = payload.get("tools") if is_request else None
    groups = _groups(items)
    return [
        *_wrong_roles(items),
        *_wrong_content(items),
        *_wrong_system(system),
        *_empty_text(groups),
        *_misplaced_blocks(groups),
        *_wrong_calls(groups),
        *_wrong_pairs(groups),
        *_wrong_server_pairs(groups),
        *_wrong_thinking(groups),
        *_wrong_compaction(groups),
        *_wrong_cache_marks([*_as_blocks("system", system), *_as_blocks("tools", tools)], groups),
        *_thinking_at_end(groups),
        *(_prefill(groups) if profile == "no_prefill" else _space_at_end(groups)),
    ]


def _as_blocks(where: str, content: Any) -> list[_Placed]:
    if isinstance(content, str):
        return [(where, {"type": "text", "text": content})]
    return [(f"{where}[{place}]", block) for place, block in enumerate(mappings(content))]


def _groups(items: Sequence[Item]) -> list[_Group]:
    groups: list[_Group] = []
    for index, item in enumerate(items):
        role = word(item, "role")
        if not groups or groups[-1].role != role:
            groups.append(_Group(role, index))
        groups[-1].blocks += _as_blocks(f"items[{index}].content", item.get("content"))
    return groups


def _wrong_roles(items: Sequence[Item]) -> Iterator[str]:
    if len(items) > _MESSAGES_MAX:
        yield f"The payload has {len(items)} messages, and may have {_MESSAGES_MAX}."
    for index, item in enumerate(items):
        role = item.get("role")
        if role not in ("user", "assistant"):
            yield f"items[{index}] has the role {role!r}, and may have user or assistant."
    first = mappings(items[0].get("content"))
    starts_compacted = bool(first) and word(first[0], "type") == "compaction"
    if items[0].get("role") == "assistant" and not starts_compacted:
        yield "items[0] is the first message and not the user's."


def _wrong_content(items: Sequence[Item]) -> Iterator[str]:
    for index, item in enumerate(items):
        content = item.get("content")
        if not isinstance(content, str) and not are_mappings(content):
            yield f"items[{index}] has no content."


def _wrong_system(system: Any) -> Iterator[str]:
    if not (system is None or isinstance(system, str) or are_mappings(system)):
        yield "system is neither text nor a list of blocks."
    for where, block in _as_blocks("system", system):
        if word(block, "type") != "text" or is_blank(block.get("text")):
            yield f"{where} is no text."


def _empty_text(groups: Sequence[_Group]) -> Iterator[str]:
    for group in groups:
        for where, block in group.blocks:
            # A result may be an empty text itself, but not hold a block of one.
            inner = mappings(block.get("content"))
            for each in (block, *inner):
                if each.get("type") == "text" and is_blank(each.get("text")):
                    yield f"{where} is an empty text, or holds one."


def _misplaced_blocks(groups: Sequence[_Group]) -> Iterator[str]:
    for group in groups:
        theirs = ("tool_result",) if group.role == "assistant" else ("tool_use", *_THINKING)
        for where, block in group.of_type(*theirs):
            yield f"{where} of type {word(block, 'type')!r} is not for the role {group.role!r}."


def _wrong_calls(groups: Sequence[_Group]) -> Iterator[str]:
    calls = [placed for group in groups for placed in group.of_type("tool_use")]
    for where, call in calls:
        if not _ID.fullmatch(word(call, "id")) or not word(call, "name"):
            yield f"{where} has no id of letters, digits, _ and -, or no name."
        elif not is_name(call["name"], _NAME_MAX):
            yield f"{where} has a name that is not 1 to {_NAME_MAX} letters, digits, _ and -."
        if not isinstance(call.get("input"), Mapping):
            yield f"{where} has an input that is no mapping."
    for place in repeated([word(call, "id") for _, call in calls]):
        yield f"{calls[place][0]} has the id of an earlier call."


def _wrong_pairs(groups: Sequence[_Group]) -> Iterator[str]:
    called: list[_Placed] = []
    for group in [*groups, _Group("user", -1)]:
        results = group.of_type("tool_result")
        ids = [word(result, "tool_use_id") for _, result in results]
        for where, call in called:
            if word(call, "id") not in ids:
                yield f"{where}: the call is not answered in the next user message."
        known = {word(call, "id") for _, call in called}
        for (where, _), id in zip(results, ids, strict=True):
            if id not in known:
                yield f"{where} answers no call of the assistant message before it."
        for place in repeated(ids):
            yield f"{results[place][0]} answers a call a second time."
        if results and results != group.blocks[: len(results)]:
            yield f"items[{group.first}] has tool results that do not stand first."
        called = group.of_type("tool_use") if group.role == "assistant" else []


def _wrong_server_pairs(groups: Sequence[_Group]) -> Iterator[str]:
    for group in groups:
        called: dict[str, str] = {}
        for where, block in group.blocks:
            kind = word(block, "type")
            if kind in ("server_tool_use", "mcp_tool_use"):
                called[word(block, "id")] = where
            elif not kind.endswith("_tool_result"):
                continue
            elif called.pop(word(block, "tool_use_id"), None) is None:
                yield f"{where} answers no call of the provider's tools in its message."
        # A reply that was paused ends before the results.
        if group is not groups[-1]:
            for where in called.values():
                yield f"{where}: the provider's tool has no result in the same message."


def _wrong_thinking(groups: Sequence[_Group]) -> Iterator[str]:
    for group in groups:
        for where, block in group.of_type("thinking"):
            if not word(block, "signature"):
                yield f"{where} is thinking without its signature."
    if len(groups) < 2 or not groups[-1].of_type("tool_result"):
        return
    running = groups[-2]
    if running.of_type(*_THINKING) and word(running.blocks[0][1], "type") not in _THINKING:
        yield f"items[{running.first}] is in a running tool loop, and its thinking is not first."


def _wrong_compaction(groups: Sequence[_Group]) -> Iterator[str]:
    blocks = [placed for group in groups for placed in group.blocks]
    compactions = [placed for placed in blocks if word(placed[1], "type") == "compaction"]
    for placed in compactions:
        if placed not in blocks[: len(compactions)]:
            yield f"{placed[0]} is a compaction that does not come first."
    for where, _ in [each for each in compactions if each[1].get("content") is not None][1:]:
        yield f"{where} is a second compaction with content."


def _wrong_cache_marks(outside: list[_Placed], groups: Sequence[_Group]) -> Iterator[str]:
    marked = 0
    blocks = outside + [placed for group in groups for placed in group.blocks]
    inner = [each for where, block in blocks for each in _as_blocks(where, block.get("content"))]
    for where, block in blocks + inner:
        mark = block.get("cache_control")
        if mark is None:
            continue
        marked += 1
        is_known = isinstance(mark, Mapping) and mark.get("type") == "ephemeral"
        if not is_known or mark.get("ttl") not in _CACHE_TIMES:
            yield f"{where} has a cache mark that is none."
    if marked > _CACHE_MARKS_MAX:
        yield f"The payload has {marked} cache marks, and may have {_CACHE_MARKS_MAX}."


def _prefill(groups: Sequence[_Group]) -> Iterator[str]:
    if groups[-1].role == "assistant":
        yield f"items[{groups[-1].first}] is an assistant message at the end."


def _thinking_at_end(groups: Sequence[_Group]) -> Iterator[str]:
    for group in groups:
        if group.role != "assistant" or not group.blocks or group.of_type("compaction"):
            continue
        where, block = group.blocks[-1]
        if word(block, "type") in _THINKING:
            yield f"{where} is thinking at the end of an assistant message."


def _space_at_end(groups: Sequence[_Group]) -> Iterator[str]:
    last = groups[-1]
    if last.role != "assistant" or not last.blocks:
        return
    where, block = last.blocks[-1]
    text = word(block, "text") if block.get("type") == "text" else ""
    if text.strip() and text[-1].isspace():
        yield f"{where} ends the request with white space."
