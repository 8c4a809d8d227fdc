"""Export: everything of one owner as lines of JSON, in a form that others can read.

The first line names the form; each other line is one tombstone, rule, session, message, memory
(with its history), conflict, named value or file. What was forgotten or has expired is not in it,
but for its id; what was superseded is, with a pointer. A memory that is held back is called
``held``, so that whoever reads ``memory`` lines alone never takes it for one. `docs/export.md`
names every field, and `transcripts.own_export` reads it back.

Where the store keeps a key, what is believed only of this owner bears a seal over its line, made
with the owner's key: so that a restored backup is told from a file that somebody wrote or changed.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from lifelong.file_records import FileVersion
from lifelong.forgetting import LegalHold, RetentionRule
from lifelong.ports import Clock, FileStore, MemoryStore, OwnerStore
from lifelong.records import Memory, Origin, SessionInfo
from lifelong.rows import StoredFile, StoredMessage, Tombstone
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
TOMBSTONE, RULE, HOLD, FILE, FILE_VERSION = "tombstone", "rule", "hold", "file", "file_version"
SEAL = "seal"
_PAGE_ROWS = 500
_UNSEEN = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")


def export(store: OwnerStore, clock: Clock, owner_id: str) -> Iterator[str]:
    """Yield the lines, each one JSON object without a line end."""
    now = clock.now()
    yield _line(HEAD, {"owner": owner_id, "format": EXPORT_FORMAT, "at": _time(now)})
    # First what keeps the rest of a file from bringing back what was forgotten.
    yield from _tombstone_lines(store.memories)
    kept = [_rule(rule) for rule in store.forgetting.rules()]
    kept += [_hold(hold) for hold in store.forgetting.holds()]
    yield from _sealed_lines(store.memories, kept)
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
    yield from _file_lines(store.files, store.memories)


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
    yield from _sealed_lines(store, items)


def _sealed_lines(store: MemoryStore, items: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    seals = store.seals([line_digest(item) for item in items])
    for item, seal in zip(items, seals or [""] * len(items), strict=True):
        yield _as_json({**item, SEAL: seal} if seal else item)


def _tombstone_lines(store: MemoryStore) -> Iterator[str]:
    tombstones = store.tombstones()
    # What only a file said is not sealed as known: it would be believed when it is read back.
    yield from (_as_json(_tombstone(each)) for each in tombstones if each.is_told)
    yield from _sealed_lines(store, [_tombstone(each) for each in tombstones if not each.is_told])


def _file_lines(store: FileStore, memories: MemoryStore) -> Iterator[str]:
    files, versions = store.everything()
    yield from _sealed_lines(memories, [_file(file) for file in files])
    yield from _sealed_lines(memories, [_file_version(version) for version in versions])


def _memory(memory: Memory, parent_sessions: Mapping[str, str]) -> dict[str, Any]:
    origin = _origin(memory.origin)
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
    return _as_json({"what": what, **fields})


def _as_json(item: Mapping[str, Any]) -> str:
    """Return a line that says the same on every terminal and in every editor.

    What splits lines, hides or turns text stands in it as an escape.
    """
    text = json.dumps(item, ensure_ascii=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _origin(origin: Origin) -> dict[str, Any]:
    return {
        "channel": origin.channel,
        "source": origin.source,
        "parents": list(origin.parents),
    }


def _tombstone(tombstone: Tombstone) -> dict[str, Any]:
    of_message = {"session": tombstone.session_id} if tombstone.session_id else {}
    return {
        "what": TOMBSTONE,
        "of": tombstone.of,
        **of_message,
        "id": tombstone.id,
        "at": _time(tombstone.at),
    }


def _rule(rule: RetentionRule) -> dict[str, Any]:
    fields = asdict(rule)
    return {"what": RULE, "about": fields.pop("what"), **fields}


def _hold(hold: LegalHold) -> dict[str, Any]:
    return {
        "what": HOLD,
        "id": hold.id,
        "reason": hold.reason,
        "session": hold.session_id,
        "placed_at": _time(hold.placed_at),
    }


def _file(file: StoredFile) -> dict[str, Any]:
    times = {"created_at": _time(file.created_at), "read_at": _time(file.read_at)}
    return {"what": FILE, **_file_text(file.now), **times}


def _file_version(version: FileVersion) -> dict[str, Any]:
    end = {"ended_at": _time(version.ended_at), "ended_by": version.ended_by}
    return {"what": FILE_VERSION, **_file_text(version), **end}


def _file_text(text: FileVersion) -> dict[str, Any]:
    return {
        "path": text.path,
        "text": text.text,
        "origin": _origin(text.origin),
        "trust": text.trust.name.lower(),
        "is_suspect": text.is_suspect,
        "written_at": _time(text.written_at),
    }


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
