"""Cases: recorded sessions to be replayed, from a store or from files.

What a file is, is told by its content, whatever it is called. What cannot be read is a value with
its reason, and the rest goes on. What single items are is left to `recorded`.
"""

from __future__ import annotations

import errno
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lifelong.compaction import ENDED_AFTER
from lifelong.errors import InvalidValue, LifelongError, TranscriptError
from lifelong.formats import FORMATS
from lifelong.formats.storable import storable
from lifelong.messages import Message
from lifelong.owner import Owner
from lifelong.records import SessionInfo
from lifelong.replay.moments import cuts_of
from lifelong.replay.recorded import (
    ANTHROPIC,
    CHAT,
    Recorded,
    is_item,
    items_in,
    name_in,
    notes_on,
    read_items,
    read_payload,
    whole_replies,
)
from lifelong.transcripts import claude_code
from lifelong.transcripts.content import READ_ERRORS, decoded, opened, reason_of
from lifelong.transcripts.events import BrokenLine, SaidMessage
from lifelong.transcripts.fields import file_stem, usable_name
from lifelong.transcripts.files import SOURCES, read_transcript, transcript_files
from lifelong.transcripts.lines import JsonLine, json_lines

STORE = "store"
FILE_BYTES_MAX = 1 << 30
"""A file that is one JSON value is read as a whole, up to this size."""

_ENDINGS = (".jsonl", ".json", ".ndjson", ".traj")
_NOTES_MAX = 20


@dataclass(frozen=True)
class Case:
    """A recorded session.

    Attributes:
        id: unique in a replay.
        source: the name of its file, without folders; ``store`` for a session of a store.
        format: of its requests: ``chat``, ``responses``, ``anthropic`` or ``gemini``.
        messages: in order, as they were said.
        is_ended: whether it is over; one that may still go on is right-censored.
        notes: what was left out or mended on reading it, in words.
    """

    id: str
    source: str
    format: str
    messages: tuple[Message, ...]
    is_ended: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unreadable:
    """A case that could not be read.

    Attributes:
        id, source: as of a case.
        problem: why, in words that name the remedy.
    """

    id: str
    source: str
    problem: str


def read_cases(
    paths: Sequence[Path],
    owner: Owner | None = None,
    *,
    source: str | None = None,
    sessions: Sequence[str] = (),
) -> Iterator[Case | Unreadable]:
    """Yield recorded sessions, each under an id of its own.

    Args:
        paths: files, plain or packed with gzip, and folders, which are searched with their
            subfolders. A file may hold JSON lines of sessions (``{"id", "messages"}``) or of
            items, a JSON list of either, one payload of a provider's (``messages``, ``input`` or
            ``contents``), a trajectory of SWE-agent or tau-bench, or a transcript of Claude Code.
        owner: whose sessions are read from a store, when there are no paths or `sessions` names
            some.
        source: one of `lifelong.SOURCES`, where the content is not to tell it.
        sessions: ids of sessions of the owner; all of them where none is named.

    Raises:
        InvalidValue: there is no such source, or sessions without an owner.
        StoreError: the store cannot be read.
    """
    if source is not None and source not in SOURCES:
        raise InvalidValue(f"{source!r} is not one of {', '.join(SOURCES)}")
    if sessions and owner is None:
        raise InvalidValue("sessions are of an owner's store; say whose")
    return _named_apart(_cases(paths, owner, source, sessions))


def _cases(
    paths: Sequence[Path], owner: Owner | None, source: str | None, sessions: Sequence[str]
) -> Iterator[Case | Unreadable]:
    if owner is not None and (sessions or not paths):
        yield from _of_store(owner, sessions)
    for path in paths:
        yield from _of_path(Path(path), source)


def _named_apart(cases: Iterable[Case | Unreadable]) -> Iterator[Case | Unreadable]:
    used: set[str] = set()
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.id] += 1
        name = case.id
        while name in used:
            name = f"{case.id}#{max(seen[case.id], 2)}"
            seen[case.id] += name in used
        used.add(name)
        yield case if name == case.id else replace(case, id=name)


def _of_store(owner: Owner, sessions: Sequence[str]) -> Iterator[Case | Unreadable]:
    infos = {info.id: info for info in owner.sessions()}
    newest = max((info.last_at for info in infos.values()), default=None)
    for name in sessions or sorted(infos, key=lambda name: (infos[name].last_at, name)):
        info = infos.get(name)
        if info is None or newest is None:
            problem = "there is no such session; `lifelong sessions` lists them"
            yield Unreadable(name, STORE, problem)
            continue
        yield _of_session(owner, info, is_ended=newest - info.last_at > ENDED_AFTER)


def _of_session(owner: Owner, info: SessionInfo, *, is_ended: bool) -> Case | Unreadable:
    read = owner.session(info.id).messages()
    formats = Counter(each.format for each in read.messages if each.format)
    formats = Counter({name: formats[name] for name in FORMATS if formats[name]})
    most = min(formats, key=lambda name: (-formats[name], name)) if formats else CHAT
    notes = [f"message {row.message_id}: {row.reason}" for row in read.skipped]
    recorded = Recorded(most, read.messages, tuple(notes))
    return _case(info.id, STORE, recorded, is_ended=is_ended)


def _of_path(path: Path, source: str | None) -> Iterator[Case | Unreadable]:
    try:
        files = transcript_files(source, path) if source else _files(path)
    except TranscriptError as error:
        yield _unreadable(path, error.detail.replace(str(path), path.name))
        return
    except (OSError, ValueError) as error:
        yield _unreadable(path, f"it cannot be read: {reason_of(error)}; check the path")
        return
    if not files:
        yield _unreadable(path, "no file of recorded sessions in this folder; name the files")
    for file in files:
        yield from _of_transcript(file, source) if source else _of_file(file)


def _files(path: Path) -> list[Path]:
    """Return a file, or what may be recorded sessions in a folder, in a fixed order.

    Raises:
        OSError: there is nothing that can be read more than once.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode):
        return [path]
    if not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is neither a file nor a folder")
    found = (each for each in path.rglob("*") if _is_recorded(each, path))
    return sorted(found)


def _is_recorded(file: Path, folder: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    named = file.name.lower().removesuffix(".gz")
    return not is_hidden and named.endswith(_ENDINGS) and file.is_file()


def _of_file(file: Path) -> Iterator[Case | Unreadable]:
    first, is_broken = _first_line(file)
    whole = _whole(file) if is_broken else None
    if whole is not None:
        yield from _of_value(file, whole)
    elif first is not None and _is_claude_code(first):
        yield from _of_transcript(file, claude_code.SOURCE)
    elif first is not None and items_in(first) is None and is_item(first):
        yield _of_item_lines(file)
    else:
        yield from _of_case_lines(file)


def _first_line(file: Path) -> tuple[Mapping[str, Any] | None, bool]:
    """Return the first JSON object that is a line, and whether a line before it is none."""
    is_broken = False
    for line in json_lines(file):
        if isinstance(line, JsonLine):
            return line.item, is_broken
        is_broken = True
    return None, is_broken


def _is_claude_code(item: Mapping[str, Any]) -> bool:
    if not isinstance(item.get("type"), str) or "role" in item:
        return False
    return any(key in item for key in ("sessionId", "leafUuid", "uuid", "snapshot"))


def _whole(file: Path) -> Any:
    """Return the one JSON value that a file is, or None where it is none."""
    try:
        with opened(file) as stream:
            data = stream.read(FILE_BYTES_MAX + 1)
        return decoded(data) if len(data) <= FILE_BYTES_MAX else None
    except (*READ_ERRORS, ValueError):
        return None


def _of_value(file: Path, value: Any) -> Iterator[Case | Unreadable]:
    stem = _stem(file)
    if items_in(value):
        yield _of_payload(file, value, stem)
        return
    if not isinstance(value, list):
        yield _unreadable(file, _NO_SESSION)
        return
    if not any(items_in(each) for each in value):
        yield _case(stem, _source(file), read_items(value))
        return
    for number, each in enumerate(value, 1):
        if items_in(each):
            yield _of_payload(file, each, f"{stem}:{number}")
        else:
            yield Unreadable(f"{stem}:{number}", _source(file), _NO_SESSION)


_NO_SESSION = "there is no session in it: it needs messages, input, contents, or items with a role"


def _of_payload(file: Path, value: Mapping[str, Any], default: str) -> Case | Unreadable:
    name = usable_name(name_in(value)) or default
    return _case(name, _source(file), read_payload(value))


def _of_case_lines(file: Path) -> Iterator[Case | Unreadable]:
    """Yield a case for each line, readable or not; where no line is a session, say so once."""
    stem, has_session = _stem(file), False
    held: list[tuple[int, str]] = []
    for line in json_lines(file):
        if isinstance(line, JsonLine) and items_in(line.item):
            has_session = True
            yield from _unread_lines(file, held)
            yield _of_payload(file, line.item, f"{stem}:{line.number}")
        elif isinstance(line, JsonLine):
            held.append((line.number, _NO_SESSION))
        else:
            held.append((line.line, line.reason))
        if has_session:
            yield from _unread_lines(file, held)
    if not has_session:
        yield _unreadable(file, held[0][1] if held else "there is nothing in it")


def _unread_lines(file: Path, held: list[tuple[int, str]]) -> Iterator[Unreadable]:
    for number, reason in held:
        yield Unreadable(f"{_stem(file)}:{number}", _source(file), f"line {number}: {reason}")
    held.clear()


def _of_item_lines(file: Path) -> Case | Unreadable:
    items: list[Any] = []
    notes: list[str] = []
    is_cut = False
    for line in json_lines(file):
        is_cut = isinstance(line, BrokenLine)
        if isinstance(line, BrokenLine):
            notes.append(f"line {line.line}: {line.reason}")
        else:
            items.append(line.item)
    return _case(_stem(file), _source(file), read_items(items, notes), is_ended=not is_cut)


def _of_transcript(file: Path, source: str) -> Iterator[Case | Unreadable]:
    """Yield the sessions that a file of a tool's holds."""
    said: dict[str, list[Message]] = {}
    notes: list[str] = []
    is_cut = False
    try:
        for event in read_transcript(source, file):
            if isinstance(event, BrokenLine):
                is_cut = True
                notes.append(f"line {event.line}: {event.reason}" if event.line else event.reason)
            elif isinstance(event, SaidMessage):
                is_cut = False
                said.setdefault(event.session_id, []).append(event.message)
    except LifelongError as error:
        yield _unreadable(file, error.detail)
        return
    if not said:
        yield _unreadable(file, notes[0] if notes else "nobody said anything in it")
    is_code = source == claude_code.SOURCE
    for name, messages in said.items():
        whole = whole_replies(messages) if is_code else messages
        recorded = Recorded(ANTHROPIC if is_code else CHAT, tuple(whole), tuple(notes))
        yield _case(name, _source(file), recorded, is_ended=not is_cut)


def _case(
    name: str, source: str, recorded: Recorded, *, is_ended: bool = True
) -> Case | Unreadable:
    """Return what was read as a case, with a note on all that is odd in it."""
    if not recorded.messages:
        problem = recorded.notes[0] if recorded.notes else "there is no message in it"
        return Unreadable(name, source, problem)
    notes = [*recorded.notes, *notes_on(recorded.messages, recorded.format)]
    if not cuts_of(recorded.messages):
        notes.append("the model never answered, so nothing is replayed")
    if len(notes) > _NOTES_MAX:
        notes = [*notes[:_NOTES_MAX], f"and {len(notes) - _NOTES_MAX} more"]
    return Case(name, source, recorded.format, recorded.messages, is_ended, tuple(notes))


def _unreadable(file: Path, problem: str) -> Unreadable:
    return Unreadable(_stem(file), _source(file), problem)


def _stem(file: Path) -> str:
    return file_stem(file) or "case"


def _source(file: Path) -> str:
    return str(storable(file.name)[0])
