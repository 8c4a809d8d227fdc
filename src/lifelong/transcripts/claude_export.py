"""Exports of Claude.ai: conversations as flat lists of messages.

An export keeps a whole reply as one message: text, calls and what the tools answered. In
Anthropic's format an answer of a tool is an item of its own, so a reply becomes several messages,
the first under the exported id and the others under that id with a number. That also keeps apart
what the model said and what a tool brought in. Text in an attached file is a document's, not the
person's, and stays a document block. Thoughts, which the export leaves unsigned and which so can
never be sent back, are counted, not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError
from lifelong.messages import ASSISTANT, USER
from lifelong.transcripts.content import OnBytes
from lifelong.transcripts.events import BrokenLine, Event, Ignored, SaidMessage, SessionStart
from lifelong.transcripts.exports import Exported, conversations
from lifelong.transcripts.fields import (
    NAME_LENGTH,
    created_at,
    derived_id,
    mapping_of,
    objects_of,
    session_name,
    text_at,
    time_of,
    title_of,
    usable_name,
)
from lifelong.transcripts.sessions import message_of, whole_session

SOURCE = "claude"

_ROLES = {"human": USER, "assistant": ASSISTANT}

Block = dict[str, Any]


def read(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Return what an export of Claude.ai holds, one conversation after the other.

    The whole export is loaded at once; see `lifelong.transcripts.exports`.

    Args:
        file: the export as a .zip file, or its `conversations.json`, plain or packed with gzip.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
    """
    return conversations(file, on_bytes, _conversation)


def _conversation(file: Path, found: Exported) -> Iterator[Event]:
    if not isinstance(found.value.get("chat_messages"), list):
        raise FormatError("it has no chat_messages; is this an export of Claude.ai?")
    session_id = session_name([found.value.get("uuid")], "")
    title = title_of(found.value.get("name"), NAME_LENGTH)
    start = SessionStart(session_id, title, SOURCE, created_at(found.value.get("created_at")))
    yield from whole_session(start, _said(file, found, session_id))


def _said(file: Path, found: Exported, session_id: str) -> Iterator[Event]:
    for position, message in enumerate(found.value["chat_messages"]):
        try:
            yield from _messages(message, session_id, position)
        except FormatError as error:
            place = f"{found.place}, message {position + 1}"
            yield BrokenLine(str(file), 0, f"{place}: {error.detail}")


def _messages(value: object, session_id: str, position: int) -> Iterator[Event]:
    message = mapping_of(value)
    sender = text_at(message, "sender")
    if sender not in _ROLES:
        raise FormatError("its sender is neither human nor assistant")
    name = usable_name(message.get("uuid"))
    if name is None:
        name = derived_id(session_id, position, text_at(message, "text"))
    blocks, ignored = _blocks(message, name)
    yield from ignored
    if not blocks and not ignored:
        yield Ignored("empty")
    items = _items(blocks, _ROLES[sender])
    # All are made before the first is yielded: a broken item sets the whole message aside.
    said = [message_of(item, "anthropic") for item in items]
    sent_at = time_of(message.get("created_at"))
    for number, one in enumerate(said):
        part_name = f"{name}/{number}" if number else name
        yield SaidMessage(session_id, replace(one, id=part_name, sent_at=sent_at))


def _items(blocks: list[Block], role: str) -> list[dict[str, Any]]:
    """Return the items of one exported message: a new one where answers of tools begin or end."""
    items: list[dict[str, Any]] = []
    was_answer = None
    for block in blocks:
        is_answer = block["type"] == "tool_result"
        if is_answer is not was_answer:
            items.append({"role": USER if is_answer else role, "content": []})
        items[-1]["content"].append(block)
        was_answer = is_answer
    return items


def _blocks(message: dict[str, Any], name: str) -> tuple[list[Block], list[Ignored]]:
    """Return a message's blocks as Anthropic's format has them, and what was left out."""
    blocks: list[Block] = []
    ignored: list[Ignored] = []
    call_id = f"{name}-call-0"
    for number, block in enumerate(objects_of(message.get("content")), start=1):
        kind = text_at(block, "type")
        if kind == "tool_use":
            call_id = usable_name(block.get("id")) or f"{name}-call-{number}"
            call = {"name": block.get("name"), "input": mapping_of(block.get("input"))}
            blocks.append({"type": kind, "id": call_id, **call})
        elif kind == "tool_result":
            answered = usable_name(block.get("tool_use_id")) or call_id
            blocks.append(_answer(block, answered))
        elif isinstance(block.get("text"), str):
            blocks.extend(_text(block["text"]))
        else:
            ignored.append(Ignored(title_of(kind) or "untyped"))
    if not blocks:
        blocks.extend(_text(text_at(message, "text")))
    return [*blocks, *_attached(message)], ignored


def _attached(message: dict[str, Any]) -> Iterator[Block]:
    for attachment in objects_of(message.get("attachments")):
        yield _document(attachment)
    for file in objects_of(message.get("files")) or objects_of(message.get("files_v2")):
        yield _file_name(file)


def _text(text: str) -> list[Block]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _answer(block: Block, call_id: str) -> Block:
    content = block.get("content")
    if isinstance(content, str):
        texts = _text(content)
    else:
        texts = [text for inner in objects_of(content) for text in _answer_text(inner)]
    answer: Block = {"type": "tool_result", "tool_use_id": call_id, "content": texts}
    return answer | ({"is_error": True} if block.get("is_error") is True else {})


def _answer_text(inner: Block) -> list[Block]:
    if isinstance(inner.get("text"), str):
        return _text(inner["text"])
    kind = text_at(inner, "type")
    return _text(f"[{kind}]" if kind else "")


def _document(attachment: Block) -> Block:
    text = text_at(attachment, "extracted_content")
    if not text.strip():
        return _file_name(attachment)
    name = title_of(attachment.get("file_name"), NAME_LENGTH)
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return {"type": "document", "source": source} | ({"title": name} if name else {})


def _file_name(file: Block) -> Block:
    name = title_of(file.get("file_name"), NAME_LENGTH)
    return {"type": "text", "text": f"[file: {name}]" if name else "[file]"}
