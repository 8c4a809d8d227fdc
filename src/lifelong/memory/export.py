"""Export: everything of one owner as lines of JSON, in a form that others can read.

The first line names the form; each other line is one session, message, memory (with its history)
or named value. What was forgotten is not in it; what was superseded is, with a pointer.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory, MemoryVersion, SessionInfo
from lifelong.rows import MemoryFilter, StoredMessage

EXPORT_FORMAT = 1


def export(store: OwnerStore, clock: Clock, owner_id: str) -> Iterator[str]:
    """Yield the lines, each one JSON object without a line end."""
    head = {"owner": owner_id, "format": EXPORT_FORMAT, "at": _time(clock.now())}
    yield _line("lifelong", head)
    for session in reversed(store.log.sessions()):
        yield _line("session", _session(session))
    for row in store.log.everything():
        yield _line("message", _message(row))
    for memory in store.memories.select(MemoryFilter(clock.now(), include_superseded=True)):
        history = [_version(version) for version in store.memories.history(memory.id)]
        yield _line("memory", {**memory_fields(memory), "history": history})
    for name in store.states.names():
        value = store.states.get(name)
        if value is not None:
            yield _line("state", {"name": name, "value": _payload(value)})


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Return a memory as a JSON object with every field."""
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind,
        "namespace": list(memory.namespace),
        "importance": memory.importance,
        "origin": {
            "channel": memory.origin.channel,
            "source": memory.origin.source,
            "parents": list(memory.origin.parents),
        },
        "trust": memory.trust.name.lower(),
        "key": memory.key,
        "metadata": dict(memory.metadata),
        "recorded_at": _time(memory.recorded_at),
        "updated_at": _time(memory.updated_at),
        "valid_from": _time(memory.valid_from),
        "valid_to": _time(memory.valid_to),
        "expires_at": _time(memory.expires_at),
        "superseded_by": memory.superseded_by,
    }


def _line(what: str, fields: dict[str, Any]) -> str:
    return json.dumps({"what": what, **fields}, ensure_ascii=False)


def _session(session: SessionInfo) -> dict[str, Any]:
    return {
        "id": session.id,
        "title": session.title,
        "source": session.source,
        "messages": session.messages,
        "started_at": _time(session.started_at),
        "last_at": _time(session.last_at),
        "metadata": dict(session.metadata),
    }


def _message(row: StoredMessage) -> dict[str, Any]:
    return {
        "session": row.session_id,
        "id": row.id,
        "role": row.role,
        "speaker": row.speaker,
        "sent_at": _time(row.sent_at),
        "recorded_at": _time(row.recorded_at),
        "format": row.format,
        "payload": _payload(row.payload),
    }


def _payload(text: str) -> Any:
    """Return the item; the bare text of one that is damaged, so that nothing is lost."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _version(version: MemoryVersion) -> dict[str, Any]:
    return {
        "at": _time(version.at),
        "change": version.change,
        "text": version.text,
        "metadata": dict(version.metadata),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
