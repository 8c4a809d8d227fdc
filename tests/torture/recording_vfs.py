"""Records what a workload does to its files, and rebuilds the disk as a power failure leaves it.

A file that was synced holds what it held then. What was written later may be there or not, write
by write, and a write may be there in part, by sectors of 512 bytes. A name (of a new file, a link,
a rename, a removal) is certain only when its directory was synced; SQLite syncs the directory of a
new journal or WAL with the file's first sync. The index of a WAL (-shm) is not recorded: it is
no data, and is made anew.

Not modelled: a disk that says it has synced and has not, and bytes that change where nobody wrote.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from beneath import Call, Disk, under

SECTOR = 512
EVEN = 0.5
WAYS = ("all kept", "none kept", "some kept", "first ones kept", "torn")
_NOT_RECORDED = "-shm"
_SYNCS_ITS_DIRECTORY = ("-wal", "-journal")


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to the disk.

    Attributes:
        kind: of a file's content: ``write``, ``size``, ``sync``; of names: ``name`` (a name that
            stands for a file or directory from now on), ``gone``, ``moved``; ``directory`` (it was
            synced); ``mark`` (not of the disk: the workload says how far it is).
        node: the number of the file or directory.
        folder: the number of the directory that the name is in.
        value: of ``mark``.
    """

    kind: str
    node: int = 0
    folder: int = 0
    name: str = ""
    offset: int = 0
    data: bytes = b""
    old: tuple[int, str] = (0, "")
    value: Any = None


@dataclass(slots=True)
class Recording:
    """What was there at first (number, path, content; None of a directory), and what happened."""

    start: list[tuple[int, str, bytes | None]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


@contextmanager
def recorded(top: Path) -> Iterator[tuple[Recording, Recorder]]:
    """Record what happens beneath the directory `top`, which is there and will stay."""
    recorder = Recorder(top.resolve())
    with under(recorder):
        yield recorder.recording, recorder


class Recorder(Disk):
    """A disk that notes each change of the files beneath `top`."""

    def __init__(self, top: Path) -> None:
        self._top = str(top)
        self.recording = Recording()
        self._names: dict[str, int] = {self._top: 0}
        self._count = 0
        self._seen: dict[int, bytes] = {}
        self._synced_once: set[int] = set()
        self._of_sqlite: set[int] = set()
        for path in sorted(top.rglob("*")):
            if not path.name.endswith(_NOT_RECORDED):
                node = self._names[str(path)] = self._new_node()
                content = None if path.is_dir() else path.read_bytes()
                self.recording.start.append((node, str(path.relative_to(top)), content))

    def mark(self, value: Any) -> None:
        """Note how far the workload is, for example that an operation was acknowledged."""
        self._look_for_strangers()
        self._add("mark", value=value)

    def after(self, call: Call) -> None:
        """Note a change."""
        if not self._is_ours(call.path) or call.path.endswith(_NOT_RECORDED):
            return
        if call.is_python:
            self._python(call)
        else:
            self._sqlite(call)

    def _is_ours(self, path: str) -> bool:
        return path == self._top or path.startswith(self._top + "/")

    def _sqlite(self, call: Call) -> None:
        match call.kind:
            case "open":
                if call.path not in self._names:
                    self._named(call.path)
                call.file.node = self._names[call.path]
                self._of_sqlite.add(call.file.node)
            case "write":
                self._add("write", call.file.node, offset=call.offset, data=call.data)
            case "truncate":
                self._add("size", call.file.node, offset=call.offset)
            case "sync":
                self._sync(call)
            case "delete":
                self._gone(call.path)
                if call.is_new:
                    self._add("directory", self._folder_of(call.path))

    def _sync(self, call: Call) -> None:
        node = call.file.node
        self._add("sync", node)
        if node not in self._synced_once and call.path.endswith(_SYNCS_ITS_DIRECTORY):
            self._add("directory", self._folder_of(call.path))
        self._synced_once.add(node)

    def _python(self, call: Call) -> None:
        match call.kind:
            case "mkdir":
                self._named(call.path)
            case "create":
                self._sample(call.path)
            case "fsync" if Path(call.path).is_dir():
                self._add("directory", self._names[call.path])
            case "fsync":
                self._add("sync", self._sample(call.path))
            case "link":
                self._named(call.path, self._sample(call.source, call.path))
            case "rename":
                node = self._sample(call.source, call.path)
                self._names[call.path] = node
                old = self._folder_of(call.source), Path(call.source).name
                name, folder = Path(call.path).name, self._folder_of(call.path)
                self._add("moved", node, folder=folder, name=name, old=old)
                del self._names[call.source]
            case "unlink":
                self._gone(call.path)

    def _look_for_strangers(self) -> None:
        """Find files that were written in another way: nobody synced them."""
        for folder, _, names in os.walk(self._top):
            for name in names:
                path = f"{folder}/{name}"
                if path not in self._names and not name.endswith(_NOT_RECORDED):
                    self._sample(path)

    def _sample(self, path: str, present: str = "") -> int:
        """Note what a file holds that Python wrote; `present` is its name by now."""
        if path not in self._names:
            self._named(path)
        node = self._names[path]
        place = Path(present or path)
        if place.is_file() and node not in self._of_sqlite:
            content = place.read_bytes()
            if content != self._seen.get(node, b""):
                self._seen[node] = content
                self._add("size", node)
                self._add("write", node, data=content)
        return node

    def _named(self, path: str, node: int | None = None) -> int:
        self._names[path] = node = self._new_node() if node is None else node
        is_folder = Path(path).is_dir()
        name = Path(path).name
        self._add("name", node, folder=self._folder_of(path), name=name, value=is_folder)
        return node

    def _gone(self, path: str) -> None:
        if self._names.pop(path, None) is not None:
            self._add("gone", folder=self._folder_of(path), name=Path(path).name)

    def _folder_of(self, path: str) -> int:
        return self._names[str(Path(path).parent)]

    def _new_node(self) -> int:
        self._count += 1
        return self._count

    def _add(self, kind: str, node: int = 0, **fields: Any) -> None:
        self.recording.events.append(Event(kind, node, **fields))


Pending = list[Event]


class Replayed:
    """The disk at one moment of a recording: what is certain, and what is not yet."""

    def __init__(self, recording: Recording) -> None:
        self._events = recording.events
        self.at = 0
        self.marks: list[Any] = []
        self._content: dict[int, bytearray] = {}
        self._unsynced: dict[int, Pending] = {}
        self._names: dict[int, dict[str, int]] = {0: {}}
        self._unsynced_names: Pending = []
        for number, path, content in recording.start:
            self._place(number, path, content)

    def _place(self, number: int, path: str, content: bytes | None) -> None:
        folder = 0
        *folders, name = Path(path).parts
        for each in folders:
            folder = self._names[folder][each]
        self._names[folder][name] = number
        if content is None:
            self._names[number] = {}
        else:
            self._content[number] = bytearray(content)

    def advance(self, at: int) -> None:
        """Go on to just before event number `at`."""
        for event in self._events[self.at : at]:
            self._take(event)
        self.at = max(self.at, at)

    def _take(self, event: Event) -> None:
        match event.kind:
            case "write" | "size":
                self._unsynced.setdefault(event.node, []).append(event)
            case "sync":
                content = self._content.setdefault(event.node, bytearray())
                for change in self._unsynced.pop(event.node, ()):
                    _change(content, change)
            case "name" | "gone" | "moved":
                self._unsynced_names.append(event)
            case "directory":
                kept = []
                for change in self._unsynced_names:
                    if event.node in (change.folder, change.old[0] if change.old[1] else -1):
                        _rename(self._names, change)
                    else:
                        kept.append(change)
                self._unsynced_names = kept
            case "mark":
                self.marks.append(event.value)

    def image(self, way: str, seed: object) -> dict[str, bytes | None]:
        """Return the files, and the directories (as None), that a power failure leaves now."""
        names = {folder: dict(found) for folder, found in self._names.items()}
        for change in _kept(self._unsynced_names, way, random.Random(f"names {seed}")):
            _rename(names, change)
        contents: dict[int, bytearray] = {}

        def content_of(node: int) -> bytes:
            if node not in contents:
                content = bytearray(self._content.get(node, b""))
                chance = random.Random(f"file {node} {seed}")
                for change in _kept(self._unsynced.get(node, []), way, chance):
                    _change(content, change, chance if way == "torn" else None)
                contents[node] = content
            return bytes(contents[node])

        found: dict[str, bytes | None] = {}
        waiting = [(0, "")]
        while waiting:
            folder, prefix = waiting.pop()
            for name, node in sorted(names.get(folder, {}).items()):
                if node in names:
                    found[prefix + name] = None
                    waiting.append((node, f"{prefix}{name}/"))
                else:
                    found[prefix + name] = content_of(node)
        return found


def _kept(changes: Pending, way: str, chance: random.Random) -> Pending:
    match way:
        case "all kept":
            return changes
        case "none kept":
            return []
        case "first ones kept":
            return changes[: chance.randrange(len(changes) + 1)]
        case _:
            share = chance.random()
            return [change for change in changes if chance.random() < share]


def _change(content: bytearray, change: Event, chance: random.Random | None = None) -> None:
    """Make one change of a file's content; with `chance`, only some sectors of it."""
    if change.kind == "size":
        if change.offset < len(content):
            del content[change.offset :]
        else:
            content.extend(bytes(change.offset - len(content)))
        return
    begin = 0
    while begin < len(change.data):
        end = begin + SECTOR - (change.offset + begin) % SECTOR
        if chance is None:
            end = len(change.data)
        if chance is None or chance.random() < EVEN:
            _write(content, change.offset + begin, change.data[begin:end])
        begin = end


def _write(content: bytearray, offset: int, data: bytes) -> None:
    if offset > len(content):
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


def _rename(names: dict[int, dict[str, int]], change: Event) -> None:
    if change.kind == "gone":
        names.setdefault(change.folder, {}).pop(change.name, None)
        return
    if change.kind == "moved":
        names.setdefault(change.old[0], {}).pop(change.old[1], None)
    names.setdefault(change.folder, {})[change.name] = change.node
    if change.value:
        names.setdefault(change.node, {})


def lay_out(image: dict[str, bytes | None], top: Path) -> None:
    """Write an image into the directory `top`, which holds nothing yet."""
    for path, content in sorted(image.items()):
        place = top / path
        if content is None:
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.write_bytes(content)
