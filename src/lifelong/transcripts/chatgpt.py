"""Exports of ChatGPT: trees of messages, of which the branch last shown is the conversation.

A message becomes one item of the chat format. Pictures, sounds and attached files are not in
`conversations.json`; they stay as a few words in brackets. The model's thoughts, hidden messages
and the branches left behind by editing or regenerating are counted, not kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError
from lifelong.messages import SYSTEM, TOOL
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

SOURCE = "chatgpt"

_INSTRUCTIONS = "user_editable_context"
_THOUGHTS = ("thoughts", "reasoning_recap")
_TEXT_KEYS = {
    _INSTRUCTIONS: ("user_profile", "user_instructions"),
    "tether_quote": ("title", "url", "text"),
    "tether_browsing_display": ("result", "summary"),
}

_TEXT_KINDS = ("", "text", "multimodal_text", "code", "execution_output", *_TEXT_KEYS)


def read(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Return what an export of ChatGPT holds, one conversation after the other.

    The whole export is loaded at once; see `lifelong.transcripts.exports`.

    Args:
        file: the export as a .zip file, or its `conversations.json`, plain or packed with gzip.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
    """
    return conversations(file, on_bytes, _conversation)


def _conversation(file: Path, found: Exported) -> Iterator[Event]:
    mapping = found.value.get("mapping")
    if not isinstance(mapping, dict):
        raise FormatError("it has no mapping; is this an export of ChatGPT?")
    branch = _branch(mapping, found.value.get("current_node"))
    root = derived_id(SOURCE, 0, branch[:1])
    session_id = session_name([found.value.get(key) for key in ("conversation_id", "id")], root)
    title = title_of(found.value.get("title"), NAME_LENGTH)
    start = SessionStart(session_id, title, SOURCE, created_at(found.value.get("create_time")))
    yield from whole_session(start, _said(file, found, session_id, branch))
    on_branch = set(branch)
    for key, node in mapping.items():
        if key not in on_branch and _message(node):
            yield Ignored("branch")


def _branch(mapping: dict[str, Any], current: object) -> list[str]:
    """Return the keys from the root to the current node; without one, to the last leaf."""
    key = current if isinstance(current, str) and current in mapping else _last_leaf(mapping)
    branch: dict[str, None] = {}
    while isinstance(key, str) and key in mapping and key not in branch:
        branch[key] = None
        key = mapping_of(mapping[key]).get("parent")
    return list(branch)[::-1]


def _last_leaf(mapping: dict[str, Any]) -> str | None:
    leaves = [key for key, node in mapping.items() if not mapping_of(node).get("children")]
    return leaves[-1] if leaves else None


def _message(node: object) -> dict[str, Any]:
    return mapping_of(mapping_of(node).get("message"))


def _said(file: Path, found: Exported, session_id: str, branch: list[str]) -> Iterator[Event]:
    above = ""
    for key in branch:
        message = _message(found.value["mapping"][key])
        if not message:
            continue
        name = usable_name(message.get("id")) or usable_name(key)
        try:
            item = _item(message, above)
            if isinstance(item, Ignored):
                yield item
                continue
            said = message_of(item, "chat")
            above = name or derived_id(session_id, 0, item)
            sent_at = time_of(message.get("create_time"))
            yield SaidMessage(session_id, replace(said, id=above, sent_at=sent_at))
        except FormatError as error:
            yield BrokenLine(str(file), 0, f"{found.place}, message {name}: {error.detail}")


def _item(message: dict[str, Any], above: str) -> dict[str, Any] | Ignored:
    """Return a message as an item of the chat format, or why it is no part of the conversation.

    Args:
        message: of a node.
        above: the id of the message before, which a tool's message answers.
    """
    content, metadata = mapping_of(message.get("content")), mapping_of(message.get("metadata"))
    kind = text_at(content, "content_type")
    role = mapping_of(message.get("author")).get("role")
    if kind in _THOUGHTS:
        return Ignored(kind)
    if kind == _INSTRUCTIONS:
        # The person wrote it, but for every conversation and not in this one.
        role = SYSTEM
    elif metadata.get("is_visually_hidden_from_conversation") is True:
        return Ignored("hidden")
    text = "\n".join([*_texts(content), *_attached(metadata)])
    if not text:
        return Ignored("empty" if kind in _TEXT_KINDS else title_of(kind))
    answered = {"tool_call_id": above} if role == TOOL else {}
    return {"role": role, "content": text, **answered}


def _texts(content: dict[str, Any]) -> list[str]:
    parts = content.get("parts")
    if not isinstance(parts, list):
        keys = _TEXT_KEYS.get(text_at(content, "content_type"), ("text", "result", "summary"))
        parts = [content.get(key) for key in keys]
    texts = (_part_text(part) if isinstance(part, dict) else part for part in parts)
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _part_text(part: dict[str, Any]) -> str:
    """Return the words of a part that is no text: a transcription, or what stands in its place."""
    if text := text_at(part, "text"):
        return text
    kind = text_at(part, "content_type") or "attachment"
    word = next((word for word in ("image", "audio", "video") if word in kind), kind)
    prompt = text_at(mapping_of(mapping_of(part.get("metadata")).get("dalle")), "prompt")
    return f"[{word}: {prompt}]" if prompt else f"[{word}]"


def _attached(metadata: dict[str, Any]) -> Iterator[str]:
    for attachment in objects_of(metadata.get("attachments")):
        name = title_of(attachment.get("name"), NAME_LENGTH)
        yield f"[file: {name}]" if name else "[file]"
