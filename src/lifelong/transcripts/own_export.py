"""Our own export, read back: what `memory.export` wrote, line by line.

A line says what it is. Each is read by itself, checked as everything is that comes in, and set
aside when it cannot be what it says; none of it is believed here. What may be kept, and how far a
memory of a file is to be trusted, is decided by `restoring`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from lifelong.clock import ID_BYTES
from lifelong.errors import FormatError, InputError, InvalidName, InvalidValue
from lifelong.export_files import Unlock
from lifelong.file_paths import canonical_file
from lifelong.file_records import FileVersion
from lifelong.forgetting import EVERYTHING, RULED, SAVES, LegalHold, RetentionRule
from lifelong.formats.storable import storable
from lifelong.formats.stored import decode
from lifelong.memory.entry import (
    clean_importance,
    clean_kind,
    clean_metadata,
    clean_name,
    clean_namespace,
    clean_origin,
    clean_text,
    clean_time,
    require_size,
)
from lifelong.memory.export import (
    CONFLICT,
    EXPORT_FORMAT,
    FILE,
    FILE_VERSION,
    HEAD,
    HELD,
    HOLD,
    MEMORY,
    MESSAGE,
    RULE,
    SEAL,
    SESSION,
    STATE,
    TOMBSTONE,
    line_digest,
)
from lifelong.records import Memory, Origin, Trust
from lifelong.transcripts.content import OnBytes
from lifelong.transcripts.events import (
    BrokenLine,
    Event,
    Ignored,
    Kept,
    KeptConflict,
    KeptFile,
    KeptHead,
    KeptMemory,
    KeptMessage,
    KeptRule,
    KeptSession,
    KeptState,
    KeptTombstone,
)
from lifelong.transcripts.fields import NAME_LENGTH, mapping_of, text_at, title_of
from lifelong.transcripts.lines import JsonLine, json_lines
from lifelong.writing import HOLDS, MemoryVersion

SOURCE = "lifelong"

_MEMORY_ID = re.compile(rf"mem_[0-9a-f]{{{2 * ID_BYTES}}}")
_SEAL = re.compile("[0-9a-f]{64}")
_T = TypeVar("_T")


def read(
    file: Path, on_bytes: OnBytes | None = None, unlock: Unlock | None = None
) -> Iterator[Event]:
    """Yield what a file holds, in the order of its lines.

    Whose export it is does not matter. What an export of a later format holds is not guessed at:
    reading ends at its first line.

    Args:
        file: as `lifelong export` wrote it, plain or packed with gzip.
        on_bytes: told how many bytes of the file, packed as it is, have been read so far.
        unlock: what opens it, if it is encrypted.

    Raises:
        TranscriptError: it is encrypted and cannot be opened, or was changed since it was checked.
    """
    for line in json_lines(file, on_bytes, unlock):
        if isinstance(line, BrokenLine):
            yield line
            continue
        what = line.item.get("what")
        if what == HEAD:
            if line.item.get("format") != EXPORT_FORMAT:
                reason = "an export of another format; a newer lifelong may read it"
                yield BrokenLine(str(file), line.number, reason)
                return
            yield _head(line)
            continue
        yield _read_line(file, line, what)


def _head(line: JsonLine) -> KeptHead:
    at = None
    with suppress(InputError):
        at = clean_time(line.item.get("at"), "at")
    return KeptHead(text_at(line.item, "owner"), at)


def _read_line(file: Path, line: JsonLine, what: Any) -> Kept | BrokenLine | Ignored:
    if not isinstance(what, str):
        return BrokenLine(str(file), line.number, "it does not say what it is")
    parse = _PARSERS.get(what)
    if parse is None:
        return Ignored(title_of(what))
    try:
        return parse(line)
    except InputError as error:
        reason = title_of(error.detail or str(error), NAME_LENGTH)
        return BrokenLine(str(file), line.number, f"{what}: {reason}")
    except RecursionError:
        return BrokenLine(str(file), line.number, f"{what}: nested too deep to be read")


def _session(line: JsonLine) -> KeptSession:
    item = line.item
    return KeptSession(
        clean_name(item.get("id"), "session id"),
        title_of(item.get("title"), NAME_LENGTH),
        title_of(item.get("source"), NAME_LENGTH),
        clean_metadata(mapping_of(item.get("metadata"))),
    )


def _message(line: JsonLine) -> KeptMessage:
    item = line.item
    message_format = item.get("format")
    if not isinstance(message_format, str):
        raise FormatError("it has no format")
    # From the text, as from a store: what is kept again is then the same, character for character.
    message = decode(message_format, json.dumps(item.get("payload")))
    # A reader may have found another role than the payload has, such as that of a reminder which
    # a program put among the user's words.
    speaker = text_at(item, "speaker") or None
    message = replace(message, role=clean_name(item.get("role"), "role"), speaker=speaker)
    return KeptMessage(
        line.number,
        clean_name(item.get("session"), "session"),
        clean_name(item.get("id"), "message id"),
        message,
        clean_time(item.get("sent_at"), "sent_at"),
        clean_time(item.get("recorded_at"), "recorded_at"),
    )


def _memory(line: JsonLine) -> KeptMemory:
    item = line.item
    memory = Memory(
        id=_memory_id(item.get("id"), "id"),
        text=clean_text(item.get("text")),
        kind=clean_kind(_text(item, "kind")),
        namespace=clean_namespace(_list(item, "namespace")),
        importance=clean_importance(item.get("importance")),
        origin=_origin(item),
        trust=_trust(item),
        key=_optional(item, "key", lambda key: clean_name(key, "key")),
        metadata=clean_metadata(item.get("metadata")),
        held_for=_held_for(item),
        superseded_by=_optional(item, "superseded_by", lambda id: _memory_id(id, "superseded_by")),
        **_times(item),
    )
    if memory.superseded_by == memory.id:
        raise InvalidValue("it says to have replaced itself")
    history = tuple(_version(memory.id, each) for each in _list(item, "history"))
    return KeptMemory(line.number, memory, history, _parent_sessions(item), *_sealed(item))


def _conflict(line: JsonLine) -> KeptConflict:
    item = line.item
    return KeptConflict(
        _memory_id(item.get("older"), "older"),
        _memory_id(item.get("newer"), "newer"),
        _time(item, "at"),
    )


def _state(line: JsonLine) -> KeptState:
    name = clean_name(line.item.get("name"), "state name")
    return KeptState(line.number, name, line.item.get("value"))


def _tombstone(line: JsonLine) -> KeptTombstone:
    item = line.item
    of, id = item.get("of"), item.get("id")
    session_id = ""
    if of == MEMORY:
        id = _memory_id(id, "id")
    elif of == MESSAGE:
        id = clean_name(id, "message id")
        session_id = clean_name(item.get("session"), "session")
    elif of == FILE:
        id = canonical_file(id)
    else:
        raise InvalidValue("it is of nothing that is known")
    return KeptTombstone(line.number, of, id, session_id, _time(item, "at"), *_sealed(item))


def _rule(line: JsonLine) -> KeptRule:
    item = line.item
    about, saves = item.get("about"), item.get("saves", EVERYTHING)
    if about not in RULED or saves not in SAVES:
        raise InvalidValue("it is no rule that is known")
    newest, days = item.get("newest"), item.get("days")
    rule = RetentionRule(about, _text(item, "name"), saves, newest, days)
    return KeptRule(line.number, rule, *_sealed(item))


def _hold(line: JsonLine) -> KeptRule:
    item = line.item
    session = item.get("session")
    hold = LegalHold(
        clean_name(item.get("id"), "hold id"),
        clean_text(item.get("reason"), "reason"),
        clean_name(session, "session") if session else "",
        _time(item, "placed_at"),
    )
    return KeptRule(line.number, hold, *_sealed(item))


def _file(line: JsonLine) -> KeptFile:
    item = line.item
    ended_at, ended_by = None, ""
    created_at = read_at = None
    if item.get("what") == FILE_VERSION:
        ended_at = _time(item, "ended_at")
        ended_by = clean_name(item.get("ended_by"), "ended_by")
    else:
        created_at, read_at = _time(item, "created_at"), _time(item, "read_at")
    text = FileVersion(
        path=canonical_file(item.get("path")),
        version=0,
        text=_file_text(item),
        origin=_origin(item),
        trust=_trust(item),
        is_suspect=bool(item.get("is_suspect")),
        written_at=_time(item, "written_at"),
        ended_at=ended_at,
        ended_by=ended_by,
    )
    return KeptFile(line.number, text, created_at, read_at, *_sealed(item))


def _file_text(item: Mapping[str, Any]) -> str:
    text = str(storable(_text(item, "text"))[0])
    require_size(text, "text")
    return text


def _sealed(item: Mapping[str, Any]) -> tuple[str, str]:
    """Return what the seal of a line seals, and the seal; empty where there is none."""
    seal = text_at(dict(item), SEAL)
    return line_digest(item), seal if _SEAL.fullmatch(seal) else ""


_PARSERS: Mapping[str, Callable[[JsonLine], Kept]] = {
    SESSION: _session,
    MESSAGE: _message,
    MEMORY: _memory,
    HELD: _memory,
    CONFLICT: _conflict,
    STATE: _state,
    TOMBSTONE: _tombstone,
    RULE: _rule,
    HOLD: _hold,
    FILE: _file,
    FILE_VERSION: _file,
}


def _times(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return the times of a memory; what an older lifelong did not write is filled in."""
    recorded_at = _time(item, "recorded_at")
    updated_at = clean_time(item.get("updated_at"), "updated_at") or recorded_at
    names = ("valid_from", "valid_to", "expires_at", "last_used_at", "stale_since", "confirmed_at")
    times = {name: clean_time(item.get(name), name) for name in names}
    valid_from, valid_to = times["valid_from"], times["valid_to"]
    if valid_from is not None and valid_to is not None and valid_to < valid_from:
        raise InvalidValue("valid_to lies before valid_from")
    superseded_at = ended_at = None
    if item.get("superseded_by") is not None:
        superseded_at = clean_time(item.get("superseded_at"), "superseded_at") or updated_at
        ended_at = clean_time(item.get("ended_at"), "ended_at") or superseded_at
    return {
        "recorded_at": recorded_at,
        "updated_at": updated_at,
        **times,
        "superseded_at": superseded_at,
        "ended_at": ended_at,
    }


def _origin(item: Mapping[str, Any]) -> Origin:
    origin = item.get("origin")
    if not isinstance(origin, dict):
        raise InvalidValue("it has no origin")
    return clean_origin(
        Origin(_text(origin, "channel"), origin.get("source", ""), tuple(_list(origin, "parents")))
    )


def _parent_sessions(item: Mapping[str, Any]) -> dict[str, str]:
    sessions = mapping_of(mapping_of(item.get("origin")).get("parent_sessions"))
    return {id: clean_name(session, "session of a parent") for id, session in sessions.items()}


def _trust(item: Mapping[str, Any]) -> Trust:
    name = _text(item, "trust")
    found = next((trust for trust in Trust if trust.name.lower() == name), None)
    if found is None:
        raise InvalidValue("its trust is no word that is known")
    return found


def _held_for(item: Mapping[str, Any]) -> str:
    why = item.get("held_for") or ""
    if why not in ("", *HOLDS) or (item.get("what") == HELD and not why):
        raise InvalidValue("it is held for a reason that is not known")
    return str(why)


def _version(memory_id: str, item: Any) -> MemoryVersion:
    if not isinstance(item, dict):
        raise InvalidValue("a version in its history is no object")
    return MemoryVersion(
        memory_id,
        _time(item, "at"),
        clean_name(item.get("change"), "change"),
        clean_text(item.get("text")),
        clean_metadata(item.get("metadata")),
    )


def _memory_id(value: object, what: str) -> str:
    if not isinstance(value, str) or not _MEMORY_ID.fullmatch(value):
        raise InvalidName(f"{what} is no whole memory id")
    return value


def _text(item: Mapping[str, Any], key: str) -> str:
    found = item.get(key)
    if not isinstance(found, str):
        raise InvalidValue(f"{key} is no text")
    return found


def _list(item: Mapping[str, Any], key: str) -> list[Any]:
    found = item.get(key)
    if found is not None and not isinstance(found, list):
        raise InvalidValue(f"{key} is no list")
    return found or []


def _time(item: Mapping[str, Any], key: str) -> datetime:
    found = clean_time(item.get(key), key)
    if found is None:
        raise InvalidValue(f"{key} is missing")
    return found


def _optional(item: Mapping[str, Any], key: str, clean: Callable[[Any], _T]) -> _T | None:
    value = item.get(key)
    return None if value is None else clean(value)
