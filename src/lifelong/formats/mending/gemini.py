"""Mend what Gemini would refuse in a list of contents.

Gemini joins nothing: all responses to a content's calls stand in the content right after it, and
calls stand right after the user's content. So consecutive contents of one reply are joined where it
calls functions, and its responses are gathered. The system instruction is left as it is.
"""

from __future__ import annotations

from typing import Any

from lifelong.formats.mending.drafts import (
    NAMELESS,
    OPENING,
    Changes,
    Draft,
    Item,
    Mended,
    Piece,
    added,
    grouped,
    is_blank,
    is_list,
    is_mapping,
    note,
    tag,
    without,
    without_empty,
)
from lifelong.formats.mending.gemini_calls import (
    CALL,
    RESPONSE,
    TEXT,
    gather_responses,
    is_call,
    is_response,
    kind_of,
    match,
)
from lifelong.formats.rendered import Rendered
from lifelong.formats.shape import word_of

PROFILES = ("google",)
"""There is one provider."""

_ROLES = {
    "user": "user",
    "model": "model",
    "assistant": "model",
    "function": "user",
    "tool": "user",
}
_SIGNATURE = ("thoughtSignature", "thought_signature")
_BESIDE = frozenset(
    (
        *("thought", *_SIGNATURE, "videoMetadata", "video_metadata"),
        *("partMetadata", "part_metadata", "mediaResolution", "media_resolution"),
    )
)
_NO_SIGNATURE = "skip_thought_signature_validator"
# Gemini 3 refuses a call of the current turn that has no signature, save with this documented word.


def mended(rendered: Rendered, profile: str) -> Mended:
    """Return contents that Gemini accepts; there is one profile."""
    del profile
    changes = Changes("parts")
    drafts = [_draft(index, item, changes) for index, item in enumerate(rendered.items)]
    drafts = without_empty(drafts, changes)
    answers = match(grouped(drafts), changes)
    drafts = _joined(without_empty(drafts, changes), changes)
    if answers:
        drafts = gather_responses(drafts, answers, changes)
        drafts = _joined(without_empty(drafts, changes), changes)
    if drafts and any(is_call(piece) for piece in drafts[0].pieces):
        changes.tell(drafts[0], "a content of the user was put before it, for it calls functions")
        drafts.insert(0, added("user", {"text": OPENING}))
    _sign(drafts, changes)
    if len(drafts) > 1:
        _name_roles(drafts, changes)
    items = [draft.item("parts") for draft in drafts]
    return Mended(items, rendered.system, tuple(changes.sentences))


def _draft(index: int, item: Item, changes: Changes) -> Draft:
    given, held = item.get("role"), item.get("parts")
    role = "user" if given is None else _ROLES.get(given) if isinstance(given, str) else None
    pieces = [
        Piece(index, at, part, kind_of(part))
        for at, part in enumerate(held if is_list(held) else ())
    ]
    draft = Draft(index, item, role or "user", pieces)
    if role is None:
        _make_note(draft, given, changes)
    elif given is not None and given != role:
        draft.is_changed = True
        changes.tell(draft, f"the role {given!r} is unknown here, so it is {role!r}")
    kept = []
    for piece in draft.pieces:
        if piece.kind == TEXT:  # most parts are text: asked first, and cheaply
            kept.append(piece)
            continue
        flaw = _flaw(piece, draft.role)
        if flaw is None:
            draft.replace(piece, _repaired(piece, changes))
            kept.append(piece)
        else:
            changes.tell(piece, f"{flaw} was left out")
    draft.keep(kept)
    return draft


def _make_note(draft: Draft, role: Any, changes: Changes) -> None:
    said: list[Piece] = []
    others: list[Piece] = []
    for piece in draft.pieces:
        is_text = is_mapping(piece.body) and isinstance(piece.body.get("text"), str)
        (said if is_text and not is_response(piece) else others).append(piece)
    texts = [piece.body["text"] for piece in said if not is_blank(piece.body["text"])]
    noted = [Piece(draft.index, None, {"text": note(role, "\n".join(texts))})] if texts else []
    draft.pieces = [*noted, *others]
    draft.is_changed = True
    changes.tell(draft, f"the role {tag(role)!r} is unknown here, so it is a note of the user")


def _flaw(piece: Piece, role: str) -> str | None:
    """Return what a part is called that cannot stay, or None."""
    if not piece.kind:
        return _flaw_of_other(piece.body)
    if role == "user" and is_call(piece):
        return "a function call that is not the model's"
    if role == "model" and any(is_mapping(piece.body.get(key)) for key in RESPONSE):
        return "a function response that is the model's"
    return None


def _flaw_of_other(part: Any) -> str | None:
    if not is_mapping(part):
        return "what is no part"
    return "an empty part" if _is_empty(part) else None


def _is_empty(part: Item) -> bool:
    if part.get("text") == "" and any(part.get(key) for key in _SIGNATURE):
        # The last part of a streamed reply may be nothing but its signature.
        return False
    return all(
        held is None or key in _BESIDE or _is_no_text(key, held) for key, held in part.items()
    )


def _is_no_text(key: str, held: Any) -> bool:
    return key == "text" and held == ""


def _repaired(piece: Piece, changes: Changes) -> Item:
    part: Item = piece.body
    if part.get("text") == "" and not any(part.get(key) for key in _SIGNATURE):
        changes.tell(piece, "an empty text beside something else was left out")
        part = without(part, "text")
    if not is_call(piece):
        return part
    key = piece.kind
    call: Item = part[key]
    if not word_of(call, "name"):
        changes.tell(piece, f"the call has no name, so it is called {NAMELESS!r}")
        call = {**call, "name": NAMELESS}
    given = call.get("args")
    if given is not None and not is_mapping(given):
        changes.tell(piece, "the args are no mapping, so they stand under 'raw_arguments'")
        call = {**call, "args": {"raw_arguments": given}}
    return part if call is part[key] else {**part, key: call}


def _joined(drafts: list[Draft], changes: Changes) -> list[Draft]:
    """Return the drafts with each reply that calls functions in one content."""
    joined: list[Draft] = []
    for group in grouped(drafts):
        first = group[0]
        if len(group) == 1 or not any(is_call(piece) for draft in group for piece in draft.pieces):
            joined.extend(group)
            continue
        for draft in group[1:]:
            changes.tell(draft, "it was joined with the content before it, for they call functions")
        first.keep([piece for draft in group for piece in draft.pieces])
        joined.append(first)
    return joined


def _sign(drafts: list[Draft], changes: Changes) -> None:
    """Say of the calls of the current turn that they have no signature, where they have none."""
    for draft in reversed(drafts):
        if draft.role == "user":
            if not any(is_response(piece) for piece in draft.pieces):
                return
            continue
        # Of calls that run side by side, only the first is signed.
        for piece in draft.pieces:
            if is_call(piece):
                _sign_one(draft, piece, changes)
                break


def _sign_one(draft: Draft, piece: Piece, changes: Changes) -> None:
    part: Item = piece.body
    if any(part.get(key) for key in _SIGNATURE):
        return
    key = _SIGNATURE[CALL.index(piece.kind)]
    changes.tell(piece, "a call of the current turn has no signature, so it says so")
    draft.replace(piece, {**part, key: _NO_SIGNATURE})


def _name_roles(drafts: list[Draft], changes: Changes) -> None:
    for draft in drafts:
        if not draft.is_changed and draft.given.get("role") != draft.role:
            changes.tell(draft, f"it has no role, so it is {draft.role!r}")
            draft.is_changed = True
