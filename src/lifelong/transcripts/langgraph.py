"""The stores of LangGraph: `SqliteStore` for memories, and `SqliteSaver` for conversations.

Of each thread the newest checkpoint tells what was said; what the graph took out of it since is not
brought back. The older ones are read for the time at which each message first appears. Of a store
each item becomes a memory, in the namespace that it had.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError, InputError
from lifelong.messages import Message
from lifelong.transcripts.content import OnBytes, decoded
from lifelong.transcripts.databases import Database, holds_table, moment_of, opened_database
from lifelong.transcripts.events import BrokenLine, Event, SaidMessage, SessionStart
from lifelong.transcripts.fields import derived_id, mapping_of, title_of, usable_name
from lifelong.transcripts.langgraph_values import value_of
from lifelong.transcripts.peer_memories import PeerMemory, plain, text_of
from lifelong.transcripts.sessions import message_of, whole_session

SOURCE = "langgraph"

_STORE, _STORE_COLUMNS = "store", ("prefix", "key", "value", "created_at", "updated_at")
_EXPIRES = "expires_at"
_CHECKPOINTS = "checkpoints"
_CHECKPOINT_COLUMNS = ("thread_id", "checkpoint_id", "checkpoint_ns", "type", "checkpoint")
_CHANNEL = "messages"
_TEXT_NAMES = ("content", "text", "memory", "data", "value", "fact", "summary")
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_PARTS = ("text", "image_url", "input_audio", "file", "refusal")
"""What the chat format has a place for; the rest repeats the calls, or is one provider's own."""


def is_store(file: Path) -> bool:
    """Return whether a file is such a store."""
    return holds_table(file, *_STORE_COLUMNS) or holds_table(file, *_CHECKPOINT_COLUMNS)


def read(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Yield the memories and conversations of a file, which may hold either or both.

    Args:
        file: an SQLite file.
        on_bytes: told how many bytes of the file have been read so far.

    Raises:
        MissingExtra: there are conversations, and ormsgpack is not installed.
    """
    try:
        with opened_database(file, on_bytes) as database:
            has_store = database.columns(_STORE) >= set(_STORE_COLUMNS)
            has_threads = database.columns(_CHECKPOINTS) >= set(_CHECKPOINT_COLUMNS)
            if has_threads:
                yield from _threads(file, database)
            if has_store:
                yield from _items(file, database)
            if not (has_store or has_threads):
                yield BrokenLine(str(file), 0, "there is no table of LangGraph's in it")
    except FormatError as error:
        yield BrokenLine(str(file), 0, error.detail)


def _items(file: Path, database: Database) -> Iterator[Event]:
    columns = [*_STORE_COLUMNS]
    if _EXPIRES in database.columns(_STORE):
        columns.append(_EXPIRES)
    rows = database.rows(_STORE, columns, order=("prefix", "key"))
    for position, row in enumerate(rows, start=1):
        try:
            yield _item(*row).kept(position)
        except InputError as error:
            yield BrokenLine(str(file), 0, f"item {title_of(row[1])}: {error.detail}")


def _item(
    prefix: object,
    key: object,
    value: object,
    created_at: object,
    updated_at: object,
    ends: object = None,
) -> PeerMemory:
    if not isinstance(prefix, str) or not isinstance(key, str):
        raise FormatError("its namespace or key is no text")
    try:
        found = decoded(value.encode() if isinstance(value, str) else bytes(_bytes(value)))
    except ValueError as error:
        raise FormatError(str(error)) from error
    text, rest = text_of(plain(found), _TEXT_NAMES)
    about = {"key": key, **({"value": rest} if rest else {})}
    return PeerMemory(
        SOURCE,
        (prefix, key),
        text,
        namespace=prefix.split("."),
        metadata={SOURCE: about},
        recorded_at=moment_of(created_at),
        updated_at=moment_of(updated_at),
        expires_at=moment_of(ends),
    )


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise FormatError("it holds no JSON")
    return value


def _threads(file: Path, database: Database) -> Iterator[Event]:
    thread: _Thread | None = None
    order = ("thread_id", "checkpoint_id")
    for thread_id, checkpoint_id, namespace, kind, data in database.rows(
        _CHECKPOINTS, _CHECKPOINT_COLUMNS, order=order
    ):
        if namespace:  # of a graph inside the graph
            continue
        if thread is None or thread.id != thread_id:
            if thread is not None:
                yield from thread.events(file)
            thread = _Thread(thread_id)
        thread.take(checkpoint_id, kind, data)
    if thread is not None:
        yield from thread.events(file)


@dataclass(slots=True)
class _Thread:
    """One thread: what its checkpoints say, the newest last.

    Attributes:
        id: as it stands in the file.
        fields: of the messages of the newest checkpoint.
        first_at: the time of the checkpoint in which a message first stood, by the message's id.
        begun_at: the time of the first checkpoint.
        flaw: why the newest checkpoint cannot be read; empty when it can.
    """

    id: object
    fields: list[Any] = field(default_factory=list)
    first_at: dict[str, datetime] = field(default_factory=dict)
    begun_at: datetime | None = None
    flaw: str = ""

    def take(self, checkpoint_id: object, kind: object, data: object) -> None:
        """Read the next checkpoint."""
        try:
            checkpoint = mapping_of(value_of(kind, data))
        except FormatError as error:
            self.flaw = f"checkpoint {title_of(checkpoint_id)}: {error.detail}"
            return
        self.flaw = ""
        at = moment_of(checkpoint.get("ts"))
        self.begun_at = self.begun_at or at
        found = mapping_of(checkpoint.get("channel_values")).get(_CHANNEL)
        self.fields = found if isinstance(found, list) else []
        for each in self.fields:
            name = usable_name(mapping_of(each).get("id"))
            if name is not None and at is not None:
                self.first_at.setdefault(name, at)

    def events(self, file: Path) -> Iterator[Event]:
        """Yield the session that the thread becomes."""
        name = usable_name(self.id)
        if name is None or self.flaw:
            reason = self.flaw or "its id cannot be the name of a session"
            yield BrokenLine(str(file), 0, f"thread {title_of(str(self.id))}: {reason}")
            return
        metadata = {} if self.begun_at is None else {"created_at": self.begun_at.isoformat()}
        start = SessionStart(name, "", SOURCE, metadata)
        yield from whole_session(start, self._messages(file, name))

    def _messages(self, file: Path, name: str) -> Iterator[SaidMessage | BrokenLine]:
        equals: Counter[str] = Counter()
        for position, each in enumerate(self.fields, start=1):
            try:
                message = _message(mapping_of(each))
            except InputError as error:
                reason = f"thread {name}: message {position}: {error.detail}"
                yield BrokenLine(str(file), 0, reason)
                continue
            own = usable_name(mapping_of(each).get("id"))
            as_text = json.dumps(message.raw, sort_keys=True)
            id = own or derived_id(name, equals[as_text], message.raw)
            equals[as_text] += 1
            sent_at = self.first_at.get(own or "")
            yield SaidMessage(name, replace(message, id=id, sent_at=sent_at))


def _message(fields: Mapping[str, Any]) -> Message:
    """Return a message of LangChain's as one of the chat format.

    Raises:
        FormatError: it is none.
    """
    role = _role(fields)
    item: dict[str, Any] = {"role": role, "content": _content(fields.get("content"))}
    if role == "tool":
        item["tool_call_id"] = str(fields.get("tool_call_id") or "")
    elif role != "assistant" and usable_name(fields.get("name")):
        item["name"] = fields["name"]
    calls = fields.get("tool_calls")
    if role == "assistant" and isinstance(calls, list) and calls:
        item["tool_calls"] = [_call(mapping_of(call)) for call in calls]
    return message_of(plain(item), "chat")


def _role(fields: Mapping[str, Any]) -> str:
    kind = fields.get("type")
    if not isinstance(kind, str):
        raise FormatError("it does not say whose it is")
    role = _ROLES.get(kind.removesuffix("MessageChunk").lower())
    if role is None and kind.startswith("chat"):
        role = usable_name(fields.get("role"))
    if role is None:
        raise FormatError(f"a message of {title_of(kind)} is not known")
    return role


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    parts = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    return [part for part in parts if mapping_of(part).get("type") in _PARTS]


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    body = {"name": str(call.get("name") or ""), "arguments": json.dumps(plain(call.get("args")))}
    return {"id": str(call.get("id") or ""), "type": "function", "function": body}
