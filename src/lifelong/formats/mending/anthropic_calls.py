"""Pair calls and results in Anthropic's messages, and give each call an id of its own.

A call is answered at the beginning of the next user message, where the messages of one role that
follow one another count as one. Tools that run at the provider are answered in the same message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from lifelong.formats.mending.drafts import Changes, Draft, FreshIds, OpenCalls, Piece
from lifelong.formats.shape import word_of

THINKING = ("thinking", "redacted_thinking")
"""The types of blocks that hold thinking."""

PAIRED = ("tool_use", "tool_result")
"""The types of blocks that are calls, and their results."""

_AT_PROVIDER = ("server_tool_use", "mcp_tool_use")
_RESULT_AT_PROVIDER = "_tool_result"
_ID = re.compile(r"[a-zA-Z0-9_-]+")
_OUTSIDE_IDS = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(slots=True, eq=False)
class _Call:
    piece: Piece
    draft: Draft
    group: int
    result: Piece | None = None
    answered_in: int = -1
    result_draft: Draft | None = None


def pair(groups: list[list[Draft]], changes: Changes) -> None:
    """Let each call stand before its one result, with an id that no other call has."""
    calls, dropped = _matched(groups, changes)
    for call in calls:
        if call.result is None:
            changes.tell(call.piece, "a call without a result was left out")
            dropped.add(call.piece)
    _drop(groups, dropped, changes)
    answered = [call for call in calls if call.result is not None]
    _name(answered, changes)
    _move_late_results(groups, answered, changes)
    for group in groups:
        if group[0].role == "user":
            _put_results_first(group, changes)


def _matched(groups: list[list[Draft]], changes: Changes) -> tuple[list[_Call], set[Piece]]:
    """Return the calls with their results, and which blocks are results of no call."""
    calls: list[_Call] = []
    waiting: OpenCalls[_Call] = OpenCalls()
    dropped: set[Piece] = set()
    for number, group in enumerate(groups):
        for draft in group:
            for piece in draft.pieces:
                if piece.kind == "tool_use":
                    call = _Call(piece, draft, number)
                    calls.append(call)
                    waiting.add(word_of(piece.body, "id"), call, number)
                elif piece.kind == "tool_result":
                    answered = waiting.take(word_of(piece.body, "tool_use_id"))
                    if answered is None:
                        changes.tell(piece, "a result of no call before it was left out")
                        dropped.add(piece)
                    else:
                        answered.result, answered.answered_in = piece, number
                        answered.result_draft = draft
    return calls, dropped


def _drop(groups: list[list[Draft]], dropped: set[Piece], changes: Changes) -> None:
    if not dropped:
        return
    for group in groups:
        is_shorter = False
        for draft in group:
            kept = [piece for piece in draft.pieces if piece not in dropped]
            is_shorter = is_shorter or len(kept) < len(draft.pieces)
            draft.keep(kept)
        if is_shorter and group[0].role == "assistant":
            drop_last_thinking(group, changes)


def drop_last_thinking(group: list[Draft], changes: Changes) -> None:
    """Leave out the thinking at the end of a reply, which may not end with it."""
    for draft in reversed(group):
        kept = list(draft.pieces)
        while kept and kept[-1].kind in THINKING:
            changes.tell(kept.pop(), "thinking that led to nothing was left out")
        draft.keep(kept)
        if kept:
            return


def _name(calls: list[_Call], changes: Changes) -> None:
    given = [word_of(call.piece.body, "id") for call in calls]
    fresh = FreshIds(given)
    used: set[str] = set()
    for call, old in zip(calls, given, strict=True):
        if old not in used and _ID.fullmatch(old):
            used.add(old)
            continue
        new = fresh.like(_OUTSIDE_IDS.sub(lambda found: f"_{ord(found[0]):x}_", old))
        used.add(new)
        changes.tell(call.piece, "the id of the call was changed, and that in its result")
        call.draft.replace(call.piece, {**call.piece.body, "id": new})
        if call.result is not None and call.result_draft is not None:
            call.result_draft.replace(call.result, {**call.result.body, "tool_use_id": new})


def _move_late_results(groups: list[list[Draft]], calls: list[_Call], changes: Changes) -> None:
    late: dict[int, list[Piece]] = {}
    for call in calls:
        if call.result is not None and call.answered_in != call.group + 1:
            changes.tell(call.result, "the result was moved to right after its call")
            late.setdefault(call.group + 1, []).append(call.result)
    moved = {piece for pieces in late.values() for piece in pieces}
    _drop(groups, moved, changes)
    for number, pieces in late.items():
        first = groups[number][0]
        first.keep([*pieces, *first.pieces])


def _put_results_first(group: list[Draft], changes: Changes) -> None:
    pieces = [piece for draft in group for piece in draft.pieces]
    results = [piece for piece in pieces if piece.kind == "tool_result"]
    if not results or _are_first(results, pieces):
        return
    changes.tell(group[0], "the results were put before all else that the user says")
    for draft in group:
        draft.keep([piece for piece in draft.pieces if piece.kind != "tool_result"])
    first = group[0]
    first.pieces, first.is_changed = [*results, *first.pieces], True


def _are_first(results: list[Piece], pieces: list[Piece]) -> bool:
    return all(one is other for one, other in zip(results, pieces, strict=False))


def is_at_provider(kind: str) -> bool:
    """Return whether blocks of a type are calls of the provider's own tools, or their results."""
    return kind in _AT_PROVIDER or kind.endswith(_RESULT_AT_PROVIDER)


def pair_at_provider(groups: list[list[Draft]], changes: Changes, *, is_open_at_end: bool) -> None:
    """Leave out the calls of the provider's tools without results, and results without calls.

    Args:
        groups: all messages.
        changes: where to tell of it.
        is_open_at_end: whether the last reply may be one that was paused before its results.
    """
    dropped: set[Piece] = set()
    for number, group in enumerate(groups):
        called: dict[str, list[Piece]] = {}
        for draft in group:
            for piece in draft.pieces:
                if piece.kind in _AT_PROVIDER:
                    called.setdefault(word_of(piece.body, "id"), []).append(piece)
                    continue
                is_result = piece.kind.endswith(_RESULT_AT_PROVIDER)
                if is_result and called.pop(word_of(piece.body, "tool_use_id"), None) is None:
                    changes.tell(piece, "a result of no call in its message was left out")
                    dropped.add(piece)
        if not (is_open_at_end and number == len(groups) - 1):
            for piece in chain.from_iterable(called.values()):
                changes.tell(piece, "a call without a result in its message was left out")
                dropped.add(piece)
    _drop(groups, dropped, changes)
