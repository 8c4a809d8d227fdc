"""Export: everything of one owner as lines of JSON, in a form that others can read.

The first line names the form; each other line is one session, message, memory (with its history),
conflict or named value. What was forgotten or has expired is not in it; what was superseded is,
with a pointer. A memory that is held back is called ``held``, so that whoever reads ``memory``
lines alone never takes it for one. `transcripts.own_export` reads it back.

Where the store keeps a key, each memory bears a seal over its line, made with the owner's key: so
that a restored backup is told from a file that somebody wrote or changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from lifelong.ports import Clock, MemoryStore, OwnerStore
from lifelong.records import Memory, SessionInfo
from lifelong.rows import StoredMessage
from lifelong.writing import MemoryVersion

EXPORT_FORMAT = 1
HEAD, SESSION, MESSAGE, MEMORY, HELD, CONFLICT, STATE = (
    "lifelong",
    "session",
    "message",
    "memory",
    "held",
    "conflict",
    "state",
)
SEAL = "seal"
_PAGE_ROWS = 500


def export(store: OwnerStore, clock: Clock, owner_id: str) -> Iterator[str]:
    """Yield the lines, each one JSON object without a line end."""
    now = clock.now()
    yield _line(HEAD, {"owner": owner_id, "format": EXPORT_FORMAT, "at": _time(now)})
    for session in reversed(store.log.sessions()):
        yield _line(SESSION, _session(session))
    for row in store.log.everything():
        yield _line(MESSAGE, _message(row))
    memories = [
        memory
        for memory in store.memories.select(None)
        if memory.expires_at is None or memory.expires_at > now
    ]
    for first in range(0, len(memories), _PAGE_ROWS):
        yield from _memory_lines(store.memories, memories[first : first + _PAGE_ROWS])
    for conflict in store.review.conflicts():
        ids = {"older": conflict.older.id, "newer": conflict.newer.id}
        yield _line(CONFLICT, {**ids, "at": _time(conflict.at)})
    for name in store.states.names():
        value = store.states.get(name)
        if value is not None:
            yield _line(STATE, {"name": name, "value": _payload(value)})


def line_digest(item: Mapping[str, Any]) -> str:
    """Return what the seal of a line seals: all of it but the seal, however it is written."""
    rest = {name: value for name, value in item.items() if name != SEAL}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _memory_lines(store: MemoryStore, memories: Sequence[Memory]) -> Iterator[str]:
    sessions = store.parent_sessions([memory.id for memory in memories])
    items = [
        {
            "what": HELD if memory.held_for else MEMORY,
            **_memory(memory, sessions.get(memory.id, {})),
            "history": [_version(version) for version in store.history(memory.id)],
        }
        for memory in memories
    ]
    seals = store.seals([line_digest(item) for item in items])
    for item, seal in zip(items, seals or [""] * len(items), strict=True):
        yield json.dumps({**item, SEAL: seal} if seal else item, ensure_ascii=False)


def _memory(memory: Memory, parent_sessions: Mapping[str, str]) -> dict[str, Any]:
    origin: dict[str, Any] = {
        "channel": memory.origin.channel,
        "source": memory.origin.source,
        "parents": list(memory.origin.parents),
    }
    if parent_sessions:
        origin["parent_sessions"] = dict(parent_sessions)
    return {
        "id": memory.id,
        "text": memory.text,
        "kind": memory.kind,
        "namespace": list(memory.namespace),
        "importance": memory.importance,
        "origin": origin,
        "trust": memory.trust.name.lower(),
        "key": memory.key,
        "metadata": dict(memory.metadata),
        "recorded_at": _time(memory.recorded_at),
        "updated_at": _time(memory.updated_at),
        "valid_from": _time(memory.valid_from),
        "valid_to": _time(memory.valid_to),
        "expires_at": _time(memory.expires_at),
        "superseded_by": memory.superseded_by,
        "superseded_at": _time(memory.superseded_at),
        "ended_at": _time(memory.ended_at),
        "last_used_at": _time(memory.last_used_at),
        "held_for": memory.held_for,
        "stale_since": _time(memory.stale_since),
        "confirmed_at": _time(memory.confirmed_at),
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
