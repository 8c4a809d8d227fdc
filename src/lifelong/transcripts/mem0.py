"""The stores of mem0: its local vector stores, its history, and what its `get_all` returned.

A vector store (Qdrant's local files, Chroma, FAISS) has the memories that live, with their users.
`history.db` has none of the users; it is read only where nothing else is there, and what it says to
be deleted stays out. A store may hold what many users said: nobody's is mixed with another's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError, InputError, ManyUsers
from lifelong.transcripts.content import READ_ERRORS, OnBytes, decoded, opened, reason_of
from lifelong.transcripts.databases import Database, is_database, moment_of, opened_database
from lifelong.transcripts.events import BrokenLine, Event, Ignored
from lifelong.transcripts.fields import mapping_of, text_at, title_of
from lifelong.transcripts.peer_memories import PeerMemory, named, plain
from lifelong.transcripts.plain_pickle import Object, unpickled

SOURCE = "mem0"

JSON_BYTES_MAX = 2 * 1024 * 1024 * 1024
"""A larger file of JSON is refused rather than loaded."""

_POINTS = ("id", "point")
_HISTORY = ("memory_id", "new_memory", "event", "created_at", "updated_at", "role")
_CHROMA = ("id", "key", "string_value", "int_value", "float_value")
_HISTORY_NAME = "history.db"
_QDRANT_NAME, _CHROMA_NAME = "storage.sqlite", "chroma.sqlite3"
_USERS = ("user_id", "agent_id", "run_id")
_OWN = ("data", "memory", "hash", "created_at", "updated_at", "text_lemmatized", "metadata", "id")
_ABOUT = (*_USERS, "actor_id", "role", "attributed_to", "memory_type", "expiration_date")
_ENTITY = "linked_memory_ids"
_NAMED_MAX = 10


@dataclass(frozen=True, slots=True)
class _Row:
    """A memory as one of the stores has it.

    Attributes:
        id: mem0's own.
        payload: what is said of it, its text under ``data`` or ``memory``.
        versions: what it said from when on, where that is known.
    """

    id: object
    payload: Mapping[str, Any]
    versions: Sequence[tuple[datetime, str]] = field(default=())


def is_store(file: Path) -> bool:
    """Return whether mem0 writes files of this name, in a folder like this one's."""
    if file.name in (_HISTORY_NAME, _QDRANT_NAME, _CHROMA_NAME):
        return True
    return file.suffix == ".json" and file.with_suffix(".faiss").exists()


def chosen(files: Sequence[Path]) -> list[Path]:
    """Return which files of a folder are read: the history only where nothing else is there."""
    others = [file for file in files if file.name != _HISTORY_NAME]
    return others or list(files)


def read(file: Path, on_bytes: OnBytes | None = None, user: str | None = None) -> Iterator[Event]:
    """Yield the memories of a store that live.

    Args:
        file: of SQLite or JSON.
        on_bytes: told how many bytes of the file have been read so far.
        user: of the store's users, agents and runs only this one's memories are read.

    Raises:
        ManyUsers: the store has memories of several users, and none was named.
    """
    rows: list[_Row] = []
    try:
        for found in _rows(file, on_bytes):
            if isinstance(found, _Row):
                rows.append(found)
            else:
                yield found
    except FormatError as error:
        yield BrokenLine(str(file), 0, error.detail)
    for position, row in enumerate(_of_one(file, rows, user), start=1):
        if _ENTITY in row.payload:
            yield Ignored("entity")
            continue
        try:
            yield _memory(row).kept(position)
        except InputError as error:
            yield BrokenLine(str(file), 0, f"memory {title_of(row.id)}: {error.detail}")


def _of_one(file: Path, rows: Sequence[_Row], user: str | None) -> list[_Row]:
    if user is not None:
        return [row for row in rows if any(row.payload.get(name) == user for name in _USERS)]
    users = sorted({str(who) for row in rows if (who := row.payload.get("user_id"))})
    if len(users) > 1:
        more = ", …" if len(users) > _NAMED_MAX else ""
        names = ", ".join(map(title_of, users[:_NAMED_MAX]))
        raise ManyUsers(f"{file} has the memories of {names}{more}")
    return list(rows)


def _rows(file: Path, on_bytes: OnBytes | None) -> Iterator[_Row | BrokenLine]:
    if not is_database(file):
        yield from _listed(file, on_bytes)
        return
    with opened_database(file, on_bytes) as database:
        if database.columns("points") >= set(_POINTS):
            yield from _points(file, database)
        elif database.columns("embedding_metadata") >= set(_CHROMA):
            yield from _from_chroma(database)
        elif database.columns("history") >= set(_HISTORY):
            yield from _from_history(database)
        else:
            raise FormatError("there is no table of mem0's in it")


def _points(file: Path, database: Database) -> Iterator[_Row | BrokenLine]:
    """Yield the points of Qdrant's local store; of several rows of one point the last counts."""
    found: dict[str, _Row] = {}
    for row_id, point in database.rows("points", ("id", "point"), order=("rowid",)):
        try:
            fields = _fields(unpickled(point if isinstance(point, bytes) else b""))
            row = _Row(fields.get("id"), mapping_of(plain(fields.get("payload"))))
        except InputError as error:
            yield BrokenLine(str(file), 0, f"point {title_of(row_id)}: {error.detail}")
            continue
        found.pop(str(row.id), None)
        found[str(row.id)] = row
    yield from found.values()


def _fields(value: Any) -> Mapping[Any, Any]:
    """Return the fields of an object of Qdrant's, which pydantic keeps one level deeper."""
    fields = value.fields if isinstance(value, Object) else {}
    inner = fields.get("__dict__")
    return inner if isinstance(inner, dict) else fields


def _from_chroma(database: Database) -> Iterator[_Row]:
    names = dict(database.rows("embeddings", ("id", "embedding_id"), order=("id",)))
    payloads: dict[int, dict[str, Any]] = defaultdict(dict)
    for row_id, key, *values in database.rows("embedding_metadata", _CHROMA, order=("id", "key")):
        payloads[row_id][key] = next((each for each in values if each is not None), None)
    for row_id, payload in payloads.items():
        yield _Row(names.get(row_id), plain(payload))


def _from_history(database: Database) -> Iterator[_Row]:
    """Yield what each memory says last, unless it was deleted."""
    payloads: dict[object, dict[str, Any]] = {}
    versions: dict[object, list[tuple[datetime, str]]] = defaultdict(list)
    for memory_id, text, event, created_at, updated_at, role in database.rows(
        "history", _HISTORY, order=("rowid",)
    ):
        if event == "DELETE" or not isinstance(text, str):
            payloads.pop(memory_id, None)
            versions.pop(memory_id, None)
            continue
        times = {"created_at": created_at, "updated_at": updated_at}
        payloads[memory_id] = {"data": text, "role": role, **times}
        at = moment_of(updated_at) or moment_of(created_at)
        if at is not None:
            versions[memory_id].append((at, text))
    for memory_id, payload in payloads.items():
        yield _Row(memory_id, payload, tuple(versions[memory_id]))


def _listed(file: Path, on_bytes: OnBytes | None) -> Iterator[_Row | BrokenLine]:
    """Yield the memories of a file of JSON: a docstore of FAISS, or what `get_all` returned."""
    loaded = _loaded(file, on_bytes)
    docstore = mapping_of(loaded).get("docstore")
    if isinstance(docstore, dict):
        yield from (_Row(id, mapping_of(payload)) for id, payload in docstore.items())
        return
    found = mapping_of(loaded).get("results", loaded)
    if not isinstance(found, list):
        raise FormatError("there are no memories in it")
    for position, each in enumerate(found, start=1):
        if isinstance(each, dict):
            yield _Row(each.get("id"), each)
        else:
            yield BrokenLine(str(file), 0, f"element {position} is no object")


def _loaded(file: Path, on_bytes: OnBytes | None) -> Any:
    try:
        with opened(file, on_bytes) as stream:
            data = stream.read(JSON_BYTES_MAX + 1)
        if len(data) > JSON_BYTES_MAX:
            raise FormatError(f"it is larger than {JSON_BYTES_MAX} bytes")
        return decoded(data)
    except READ_ERRORS as error:
        raise FormatError(reason_of(error)) from error
    except ValueError as error:
        raise FormatError(str(error)) from error


def _memory(row: _Row) -> PeerMemory:
    """Return a row as a memory of ours.

    Raises:
        InputError: it cannot be one.
    """
    payload = row.payload
    name = named(row.id)
    about = {key: payload[key] for key in _ABOUT if payload.get(key) is not None}
    custom = {key: each for key, each in payload.items() if key not in (*_OWN, *_ABOUT)}
    is_model = "assistant" in (payload.get("role"), payload.get("attributed_to"))
    is_procedure = payload.get("memory_type") == "procedural_memory"
    return PeerMemory(
        SOURCE,
        (name,),
        text_at(dict(payload), "data") or payload.get("memory"),
        channel="assistant" if is_model else "user",
        kind="procedure" if is_procedure else "fact",
        metadata={**mapping_of(payload.get("metadata")), **custom, SOURCE: {"id": name, **about}},
        recorded_at=moment_of(payload.get("created_at")),
        updated_at=moment_of(payload.get("updated_at")),
        expires_at=_end_of(payload.get("expiration_date")),
        versions=row.versions,
    )


def _end_of(day: object) -> datetime | None:
    """Return when a memory ends of which mem0 names the last day."""
    moment = moment_of(day)
    try:
        return None if moment is None else moment + timedelta(days=1)
    except OverflowError:
        return None
