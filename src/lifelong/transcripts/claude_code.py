"""Transcripts of Claude Code: one JSON line for each thing that happened in a session.

A line of type user or assistant carries an item in Anthropic's format, which is kept as it is.
What the tool put in by itself (caveats, reminders, the summary after a compaction) is told apart
from what the person said by its role. A subagent's sidechain is a session of its own.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError
from lifelong.messages import INJECTED, USER, Message
from lifelong.transcripts.content import OnBytes
from lifelong.transcripts.events import BrokenLine, Event, Ignored, SaidMessage, SessionStart
from lifelong.transcripts.fields import (
    NAME_LENGTH,
    derived_id,
    file_stem,
    mapping_of,
    session_name,
    text_at,
    time_of,
    title_of,
    usable_name,
)
from lifelong.transcripts.lines import json_lines
from lifelong.transcripts.sessions import Sessions, message_of

SOURCE = "claude-code"

KNOWN_LINES = 100_000
"""Lines back in which the parent of a line, or the leaf of a summary, is looked for."""

_METADATA = {"cwd": "cwd", "gitBranch": "git_branch", "version": "version"}
_SIDECHAIN_METADATA = {"sessionId": "parent_session", "agentId": "agent_id"}
_OPENING_LENGTH = 10_000
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)
_COMMAND = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_ARGUMENTS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_NOT_SAID = ("<local-command-", "<bash-stdout>", "<bash-stderr>", "[Request interrupted")


def read(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Yield what a transcript of Claude Code holds, in the order of its lines.

    Args:
        file: a JSONL file, plain or packed with gzip.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
    """
    transcript = _Transcript(file)
    for line in json_lines(file, on_bytes):
        if isinstance(line, BrokenLine):
            yield line
            continue
        try:
            yield from transcript.events(line.item)
        except FormatError as error:
            yield BrokenLine(str(file), line.number, error.detail)
    yield from transcript.leftovers()


class _Transcript:
    """What must be remembered of earlier lines to understand a line."""

    def __init__(self, file: Path) -> None:
        self._stem = file_stem(file)
        self._sessions = Sessions(SOURCE)
        self._session_of: OrderedDict[str, str] = OrderedDict()
        self._summaries: dict[str, str] = {}
        self._without_id: Counter[str] = Counter()

    def events(self, item: dict[str, Any]) -> Iterator[Event]:
        """Yield what one line says.

        Raises:
            FormatError: it is no line of Claude Code, or its message cannot be read.
        """
        kind = text_at(item, "type")
        if not kind:
            raise FormatError("it has no type; is this a transcript of Claude Code?")
        if kind == "summary":
            yield from self._summary(item)
            return
        session_id = self._placed(item)
        yield from self._awaited_title(item, session_id)
        if kind in ("user", "assistant"):
            yield from self._said(item, session_id, _spoken(item))
        elif kind == "system" and item.get("subtype") == "compact_boundary":
            yield from self._said(item, session_id, Message.of(INJECTED, _compaction(item)))
        else:
            subtype = text_at(item, "subtype") if kind == "system" else ""
            yield Ignored(title_of(f"{kind}/{subtype}" if subtype else kind))

    def leftovers(self) -> Iterator[Ignored]:
        """Yield the summaries of conversations that are not in this file."""
        return (Ignored("summary") for _ in self._summaries)

    def _placed(self, item: dict[str, Any]) -> str:
        """Return the session of a line, and remember it for the lines that follow from it."""
        main = session_name([item.get("sessionId")], self._stem)
        uuid = usable_name(item.get("uuid"))
        session_id = main
        if item.get("isSidechain") is True:
            session_id = self._sidechain(main, uuid, item)
        if uuid is not None:
            # One text for a session, not one for each line of it.
            self._session_of[uuid] = sys.intern(session_id)
            if len(self._session_of) > KNOWN_LINES:
                self._session_of.popitem(last=False)
        return session_id

    def _sidechain(self, main: str, uuid: str | None, item: dict[str, Any]) -> str:
        agent = usable_name(item.get("agentId"))
        if agent is not None:
            return session_name([f"{main}/agent-{agent}"], main)
        parent = usable_name(item.get("parentUuid"))
        above = self._session_of.get(parent, "") if parent is not None else ""
        if above.startswith(f"{main}/sidechain-"):
            return above
        root = uuid or derived_id(main, 0, [text_at(item, "timestamp"), parent])
        return session_name([f"{main}/sidechain-{root}"], main)

    def _said(self, item: dict[str, Any], session_id: str, message: Message) -> Iterator[Event]:
        name = usable_name(item.get("uuid"))
        if name is None:
            content = [message.role, text_at(item, "timestamp"), message.raw]
            name = self._derived_id(session_id, content)
        message = replace(message, id=name, sent_at=time_of(item.get("timestamp")))
        title = "" if self._sessions.is_titled(session_id) else _title(message)
        yield from self._sessions.begin(session_id, title, _metadata(item))
        yield SaidMessage(session_id, message)

    def _derived_id(self, session_id: str, content: list[Any]) -> str:
        digest = derived_id(session_id, 0, content)
        self._without_id[digest] += 1
        return derived_id(session_id, self._without_id[digest], content)

    def _awaited_title(self, item: dict[str, Any], session_id: str) -> Iterator[SessionStart]:
        uuid = usable_name(item.get("uuid"))
        if uuid in self._summaries:
            yield from self._sessions.rename(session_id, self._summaries.pop(uuid))

    def _summary(self, item: dict[str, Any]) -> Iterator[Event]:
        title = title_of(item.get("summary"), NAME_LENGTH)
        leaf = usable_name(item.get("leafUuid"))
        if not title or leaf is None:
            yield Ignored("summary")
        elif leaf in self._session_of:
            yield from self._sessions.rename(self._session_of[leaf], title)
        else:
            self._summaries[leaf] = title


def _spoken(item: dict[str, Any]) -> Message:
    """Return the message of a line; what the tool itself put in is no word of the user's."""
    if not isinstance(item.get("message"), dict):
        raise FormatError(f"a line of type {item['type']} without a message")
    message = message_of(item["message"], "anthropic")
    if item.get("isMeta") is True or item.get("isCompactSummary") is True:
        return replace(message, role=INJECTED, speaker=None)
    return message


def _compaction(item: dict[str, Any]) -> str:
    """Return in words what is known of a compaction."""
    metadata = mapping_of(item.get("compactMetadata"))
    trigger, tokens = title_of(metadata.get("trigger")), metadata.get("preTokens")
    details = []
    if trigger:
        details.append(f"trigger: {trigger}")
    if isinstance(tokens, int):
        details.append(f"tokens before: {tokens}")
    return "The conversation was compacted here" + (f" ({', '.join(details)})." if details else ".")


def _metadata(item: dict[str, Any]) -> dict[str, str]:
    """Return what a line says of its session; the parent too when it is a sidechain's."""
    names = dict(_METADATA)
    if item.get("isSidechain") is True:
        names |= _SIDECHAIN_METADATA
    return {name: item[key] for key, name in names.items() if isinstance(item.get(key), str)}


def _title(message: Message) -> str:
    """Return what the person said first as a title; empty when these are not their words."""
    if message.role != USER:
        return ""
    text = _REMINDER.sub("", message.text[:_OPENING_LENGTH]).strip()
    command = _COMMAND.search(text)
    if command is not None:
        # A command without arguments (/clear, /model) tells nothing of the conversation.
        arguments = _ARGUMENTS.search(text)
        said = arguments.group(1).strip() if arguments else ""
        return title_of(f"{command.group(1)} {said}") if said else ""
    return "" if text.startswith(_NOT_SAID) else title_of(text)
