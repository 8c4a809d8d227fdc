"""Match the function responses in Gemini's contents with their calls, and put them in their place.

An id may be missing on either side: then names tell what belongs together, and then the order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from lifelong.formats.mending.drafts import (
    Changes,
    Draft,
    Item,
    OpenCalls,
    Piece,
    is_mapping,
    without,
)
from lifelong.formats.shape import word_of

CALL = ("functionCall", "function_call")
"""The keys of a call in a part, on the wire and in the client."""

RESPONSE = ("functionResponse", "function_response")
"""The keys of a response in a part, on the wire and in the client."""

TEXT = "text"
"""The key of text in a part."""

_BOTH = (*CALL, *RESPONSE)


@dataclass(slots=True, eq=False)
class _Called:
    """A call, the number of the reply that it stands in, and the response that answers it."""

    piece: Piece
    id: str
    reply: int
    response: Piece | None = None


@dataclass(slots=True)
class _Reply:
    """The calls of one reply, and the responses up to the next calls."""

    calls: list[_Called] = field(default_factory=list)
    responses: list[Piece] = field(default_factory=list)


def kind_of(part: Any) -> str:
    """Return the key that holds a call or a response in a part, or `TEXT`, or empty text."""
    if not is_mapping(part):
        return ""
    if part.keys().isdisjoint(_BOTH):
        return TEXT if part.get(TEXT) else ""
    return next((key for key in _BOTH if is_mapping(part.get(key))), "")


def is_call(piece: Piece) -> bool:
    """Return whether a piece calls a function."""
    return piece.kind in CALL


def is_response(piece: Piece) -> bool:
    """Return whether a piece is what a function responded."""
    return piece.kind in RESPONSE


def _body(piece: Piece) -> Item:
    body: Item = piece.body[piece.kind]
    return body


def _id(piece: Piece) -> str:
    return word_of(_body(piece), "id")


def _name(piece: Piece) -> str:
    return word_of(_body(piece), "name")


def match(groups: list[list[Draft]], changes: Changes) -> dict[Piece, Piece]:
    """Match calls and responses, and leave out those that have no counterpart.

    Args:
        groups: all contents, in runs of one role.
        changes: where to tell of it.

    Returns:
        The response to each piece that calls.
    """
    calls: list[_Called] = []
    older: OpenCalls[_Called] = OpenCalls()
    reply = _Reply()
    orphans: list[Piece] = []
    for number, group in enumerate(groups):
        pieces = [piece for draft in group for piece in draft.pieces if piece.kind in _BOTH]
        found = list(filter(is_call, pieces))
        if found:
            orphans += _answer(reply, older)
            reply = _Reply([_Called(piece, _id(piece), number) for piece in found])
            calls += reply.calls
        reply.responses += filter(is_response, pieces)
    orphans += _answer(reply, older)
    _leave_out(groups, orphans, "a response to no call before it was left out", changes)
    open_calls = [call.piece for call in calls if call.response is None]
    _leave_out(groups, open_calls, "a call without a response was left out", changes)
    return {call.piece: call.response for call in calls if call.response is not None}


def _leave_out(groups: list[list[Draft]], pieces: list[Piece], why: str, changes: Changes) -> None:
    for piece in pieces:
        changes.tell(piece, why)
    _drop([draft for group in groups for draft in group], set(pieces))


def _drop(drafts: list[Draft], dropped: set[Piece]) -> None:
    if dropped:
        for draft in drafts:
            draft.keep([piece for piece in draft.pieces if piece not in dropped])


def _answer(reply: _Reply, older: OpenCalls[_Called]) -> list[Piece]:
    """Give the calls of a reply their responses, and return those that answer none."""
    rest: list[Piece] = []
    by_id: OpenCalls[_Called] = OpenCalls()
    _let_wait(reply.calls, by_id)
    for response in reply.responses:
        its_id = _id(response)
        found = (by_id.take(its_id) or older.take(its_id)) if its_id else None
        if found is None:
            rest.append(response)
        else:
            found.response = response
    for name_of in (_name, _no_name) if rest else ():
        rest = _answer_by_name(reply.calls, rest, name_of)
    _let_wait(reply.calls, older)
    return rest


def _let_wait(calls: list[_Called], waiting: OpenCalls[_Called]) -> None:
    for call in calls:
        if call.id and call.response is None:
            waiting.add(call.id, call, call.reply)


def _no_name(_piece: Piece) -> str:
    return ""


def _answer_by_name(
    calls: list[_Called], responses: list[Piece], name_of: Callable[[Piece], str]
) -> list[Piece]:
    """Answer calls in their order, by name, where not both sides have an id.

    Two ids that differ are of two calls, whatever their names are.
    """
    waiting: dict[tuple[str, bool], deque[_Called]] = {}
    for call in calls:
        if call.response is None:
            key = (name_of(call.piece), bool(call.id))
            waiting.setdefault(key, deque()).append(call)
    rest = []
    for response in responses:
        name = name_of(response)
        found = waiting.get((name, False))
        if not found and not _id(response):
            found = waiting.get((name, True))
        if found:
            found.popleft().response = response
        else:
            rest.append(response)
    return rest


def gather_responses(
    drafts: list[Draft], answers: dict[Piece, Piece], changes: Changes
) -> list[Draft]:
    """Return the drafts with all responses to a content's calls in the content after it.

    Args:
        drafts: all contents; no two that call functions follow one another.
        answers: what `match` gave.
        changes: where to tell of it.
    """
    late = _late(drafts, answers)
    had_responses = {at for at in late if _responses_after(drafts, at)}
    _drop(drafts, {piece for pieces in late.values() for piece in pieces})
    gathered: list[Draft] = []
    for at, draft in enumerate(drafts):
        gathered.append(draft)
        if at not in late:
            continue
        changes.tell(draft, "the responses to its calls were put into the content right after it")
        if at in had_responses:
            drafts[at + 1].keep([*late[at], *drafts[at + 1].pieces])
        else:
            gathered.append(Draft(late[at][0].index, {}, "user", late[at], is_changed=True))
    for draft, following in pairwise(gathered):
        if draft.role == "user":
            continue
        _agree(draft, following, answers, changes)
    return gathered


def _late(drafts: list[Draft], answers: dict[Piece, Piece]) -> dict[int, list[Piece]]:
    """Return the responses that belong right after a content, by the place of that content."""
    late = {}
    for at, draft in enumerate(drafts):
        wanted = [answers[piece] for piece in draft.pieces if piece in answers]
        if wanted and set(wanted) != set(_responses_after(drafts, at)):
            late[at] = wanted
    return late


def _responses_after(drafts: list[Draft], at: int) -> list[Piece]:
    following = drafts[at + 1 : at + 2]
    return [piece for draft in following for piece in draft.pieces if is_response(piece)]


def _agree(draft: Draft, following: Draft, answers: dict[Piece, Piece], changes: Changes) -> None:
    """Let responses have the names of their calls, and their ids."""
    pairs = [
        (response, _body(piece), _body(response))
        for piece in draft.pieces
        if (response := answers.get(piece)) is not None
    ]
    do_ids_differ = _do_differ(
        {word_of(call, "id") for _, call, _ in pairs},
        {word_of(given, "id") for _, _, given in pairs},
    )
    for response, call, given in pairs:
        id = word_of(call if do_ids_differ else given, "id")
        name = word_of(call, "name")
        if (name, id) != (word_of(given, "name"), word_of(given, "id")):
            body = {**without(given, "id"), "name": name}
            changes.tell(response, "the response has the name and id of its call now")
            following.replace(
                response, {**response.body, response.kind: {"id": id, **body} if id else body}
            )


def _do_differ(call_ids: set[str], response_ids: set[str]) -> bool:
    # Where one side has no ids at all, the order tells.
    are_there = call_ids != {""} and response_ids != {""}
    return are_there and call_ids - {""} != response_ids - {""}
