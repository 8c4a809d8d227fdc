"""Mend what Anthropic's Messages would refuse.

The API joins messages of one role that follow one another, so all is looked at in such groups. The
profiles: `prefill`, which takes a last message by the assistant as the start of its reply;
`no_prefill`, the newer models, which refuse that. Calls and results are paired in a file of their
own. More than 100,000 messages are not mended: what to leave out of so many is no question of form.
"""

from __future__ import annotations

from typing import Any

from lifelong.formats.mending.anthropic_calls import (
    PAIRED,
    THINKING,
    drop_last_thinking,
    is_at_provider,
    pair,
    pair_at_provider,
)
from lifelong.formats.mending.anthropic_marks import without_wrong_marks
from lifelong.formats.mending.drafts import (
    CONTINUE,
    OPENING,
    UNFIT_NAME,
    Changes,
    Draft,
    Item,
    Mended,
    Piece,
    added,
    callable_name,
    grouped,
    is_blank,
    is_list,
    is_mapping,
    note,
    tag,
    without,
    without_empty,
)
from lifelong.formats.rendered import Rendered
from lifelong.formats.shape import word_of

PROFILES = ("prefill", "no_prefill")
"""The models that are told apart; the first is meant where none is named."""

_NAME_MAX = 128
_MISPLACED = {
    "assistant": frozenset({"tool_result"}),
    "user": frozenset({"tool_use", *THINKING}),
}


def mended(rendered: Rendered, profile: str) -> Mended:
    """Return messages and a system that Anthropic accepts."""
    changes = Changes("content")
    is_prefill = profile == "prefill"
    system = _system(rendered.system, changes)
    drafts = [_draft(index, item, changes) for index, item in enumerate(rendered.items)]
    drafts = without_empty(drafts, changes)
    kinds = {piece.kind for draft in drafts for piece in draft.pieces}
    if "compaction" in kinds:
        drafts = _since_compaction(drafts, changes)
    if not kinds.isdisjoint(THINKING):
        _drop_last_thoughts(grouped(drafts), changes)
        drafts = without_empty(drafts, changes)
    if not kinds.isdisjoint(PAIRED):
        pair(grouped(drafts), changes)
        drafts = without_empty(drafts, changes)
    if any(map(is_at_provider, kinds)):
        is_open = is_prefill or bool(drafts and drafts[-1].role == "user")
        pair_at_provider(grouped(drafts), changes, is_open_at_end=is_open)
        drafts = without_empty(drafts, changes)
    if not kinds.isdisjoint(THINKING):
        _put_thinking_first(grouped(drafts), changes)
        drafts = without_empty(drafts, changes)
    if drafts:
        _open_and_close(drafts, changes, is_prefill=is_prefill)
    system = without_wrong_marks(system, drafts, changes)
    return Mended(_items(drafts), system, tuple(changes.sentences))


def _items(drafts: list[Draft]) -> list[dict[str, Any]]:
    return [draft.item("content") for draft in drafts]


def _text(text: str) -> Item:
    return {"type": "text", "text": text}


def _system(system: Any, changes: Changes) -> Any:
    if system is None:
        return None
    if isinstance(system, str) and not is_blank(system):
        return system
    blocks = system if is_list(system) else []
    kept = [
        block
        for block in blocks
        if is_mapping(block) and block.get("type") == "text" and not is_blank(block.get("text"))
    ]
    if kept and len(kept) == len(blocks):
        return system
    changes.tell("system", "what is no text was left out")
    return kept or None


def _draft(index: int, item: Item, changes: Changes) -> Draft:
    role, content = item.get("role"), item.get("content")
    known = role if role in ("user", "assistant") else None
    draft = Draft(index, item, known or "user", _pieces(index, content))
    if known is None:
        _make_note(draft, role, changes)
    elif isinstance(content, str) and not is_blank(content):
        return draft
    kept = []
    for piece in draft.pieces:
        flaw = _flaw(piece, draft.role)
        if flaw is None:
            draft.replace(piece, _repaired(piece, changes))
            kept.append(piece)
        else:
            changes.tell(piece, f"{flaw} was left out")
    draft.keep(kept)
    return draft


def _pieces(index: int, content: Any) -> list[Piece]:
    if isinstance(content, str):
        return [Piece(index, None, _text(content), "text")]
    if not is_list(content):
        return []
    return [Piece(index, place, block, _kind(block)) for place, block in enumerate(content)]


def _kind(block: Any) -> str:
    return word_of(block, "type") if is_mapping(block) else ""


def _make_note(draft: Draft, role: Any, changes: Changes) -> None:
    texts, others = [], []
    for piece in draft.pieces:
        text = piece.body.get("text") if piece.kind == "text" else None
        if isinstance(text, str):
            texts.append(text)
        else:
            others.append(piece)
    text = "\n".join(text for text in texts if not is_blank(text))
    noted = [Piece(draft.index, None, _text(note(role, text)), "text")] if text else []
    draft.pieces = [*noted, *others]
    draft.is_changed = True
    changes.tell(draft, f"the role {tag(role)!r} is unknown here, so it is a note of the user")


def _flaw(piece: Piece, role: str) -> str | None:
    """Return what a block is called that cannot stay, or None."""
    kind = piece.kind
    if kind == "text":
        return "an empty text" if is_blank(piece.body.get("text")) else None
    if not is_mapping(piece.body):
        return "what is no block"
    if kind == "thinking" and not word_of(piece.body, "signature"):
        return "thinking without its signature"
    if kind in _MISPLACED[role]:
        return f"a block of type {kind!r}, which is not for the role {role!r},"
    return None


def _repaired(piece: Piece, changes: Changes) -> Item:
    """Return a block without what the API refuses in it."""
    block: Item = piece.body
    content = block.get("content")
    if content is not None and is_list(content):
        kept = [each for each in content if not _is_empty_text(each)]
        if len(kept) < len(content):
            changes.tell(piece, "empty text in it was left out")
            is_void = not kept and piece.kind == "tool_result"
            block = without(block, "content") if is_void else {**block, "content": kept}
    return _repaired_call(piece, block, changes) if piece.kind == "tool_use" else block


def _repaired_call(piece: Piece, block: Item, changes: Changes) -> Item:
    if not is_mapping(block.get("input")):
        changes.tell(piece, "the input is no mapping, so it stands under 'raw_arguments'")
        given = block.get("input")
        block = {**block, "input": {} if given is None else {"raw_arguments": given}}
    given_name = word_of(block, "name")
    name = callable_name(given_name, _NAME_MAX)
    if name != given_name:
        what = UNFIT_NAME if given_name else f"no name, so it is called {name!r}"
        changes.tell(piece, f"the call has {what}")
        block = {**block, "name": name}
    return block


def _is_empty_text(block: Any) -> bool:
    return is_mapping(block) and block.get("type") == "text" and is_blank(block.get("text"))


def _since_compaction(drafts: list[Draft], changes: Changes) -> list[Draft]:
    """Return the drafts from the latest compaction on, and in it no other compaction."""
    found = [
        (at, place)
        for at, draft in enumerate(drafts)
        for place, piece in enumerate(draft.pieces)
        if piece.kind == "compaction"
    ]
    solid = [(at, place) for at, place in found if _says(drafts[at].pieces[place].body)]
    at, place = solid[-1] if solid else (0, 0)
    before, kept = drafts[:at], drafts[at:]
    for draft in [*before, *kept[: bool(place)]]:
        changes.tell(draft, "what stands before the compaction that replaces it was left out")
    kept[0].keep(kept[0].pieces[place:])
    _drop_later_compactions(kept, changes)
    return without_empty(kept, changes)


def _drop_later_compactions(drafts: list[Draft], changes: Changes) -> None:
    is_leading, is_full = True, False
    for draft in drafts:
        kept = []
        for piece in draft.pieces:
            if piece.kind != "compaction":
                is_leading = False
                kept.append(piece)
                continue
            has_content = piece.body.get("content") is not None
            if is_leading and not (has_content and is_full):
                kept.append(piece)
            else:
                changes.tell(piece, "a compaction that does not come first was left out")
            is_full = is_full or has_content
        draft.keep(kept)


def _says(compaction: Item) -> bool:
    content = compaction.get("content")
    return content is not None and not (isinstance(content, str) and is_blank(content))


def _drop_last_thoughts(groups: list[list[Draft]], changes: Changes) -> None:
    """Let no reply end with thinking, save one that holds a compaction."""
    for group in groups:
        if all(piece.kind != "compaction" for piece in _pieces_of(group)):
            drop_last_thinking(group, changes)


def _put_thinking_first(groups: list[list[Draft]], changes: Changes) -> None:
    """In a running tool loop, let the reply begin with its thinking."""
    if len(groups) < 2 or all(piece.kind != "tool_result" for piece in _pieces_of(groups[-1])):
        return
    reply = groups[-2]
    first = reply[0]
    # A compaction goes before everything.
    start = sum(piece.kind == "compaction" for piece in first.pieces)
    moved = [piece for piece in _pieces_of(reply) if piece.kind in THINKING][:1]
    if not moved or moved[0] in first.pieces[start : start + 1]:
        return
    for draft in reply:
        draft.keep([piece for piece in draft.pieces if piece is not moved[0]])
    first.keep([*first.pieces[:start], *moved, *first.pieces[start:]])
    changes.tell(moved[0], "the thinking of a running tool loop was put first")


def _pieces_of(group: list[Draft]) -> list[Piece]:
    return [piece for draft in group for piece in draft.pieces]


def _open_and_close(drafts: list[Draft], changes: Changes, *, is_prefill: bool) -> None:
    first, last = drafts[0], drafts[-1]
    if last.role == "assistant" and is_prefill:
        _strip_end(last, changes)
    if last.role == "assistant" and not is_prefill:
        changes.tell(last, "a message of the user was put after it, for it must not end a request")
        drafts.append(added("user", _text(CONTINUE)))
    if first.role == "assistant" and first.pieces[0].kind != "compaction":
        changes.tell(first, "a message of the user was put before it, for the user speaks first")
        drafts.insert(0, added("user", _text(OPENING)))


def _strip_end(last: Draft, changes: Changes) -> None:
    piece = last.pieces[-1]
    text = piece.body.get("text") if piece.kind == "text" else None
    if isinstance(text, str) and text != text.rstrip():
        changes.tell(piece, "the white space at the end of the request was left out")
        last.replace(piece, {**piece.body, "text": text.rstrip()})
