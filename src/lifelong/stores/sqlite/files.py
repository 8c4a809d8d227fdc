"""File memory in SQLite: each command is one transaction that reads, decides and writes.

A path is a key here and nothing else. Two writers at once take turns, so that the later one edits
what the earlier one wrote.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import apsw

from lifelong.errors import FileError, StoreCorrupt
from lifelong.file_paths import canonical_file, folded, require_free
from lifelong.file_records import FileInfo, FileVersion
from lifelong.records import Origin, Trust
from lifelong.rows import (
    DecideFile,
    FileChange,
    FileTree,
    FileWrite,
    StoredFile,
    VersionLimits,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.barred import is_name_barred, lift_name
from lifelong.stores.sqlite.connection import from_micros, from_micros_or_none, to_micros
from lifelong.stores.sqlite.kept import require_kept
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.words import as_json

_SQL = queries("files")
_IMPORTED = "imported"


class SqliteFiles:
    """The files of one owner."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def tree(self, path: str, version: int | None = None) -> FileTree:
        """Return what a command on a path is decided from; with a version of that path."""
        with self._access.read() as (connection, _):
            return _tree(connection, path, version)

    def change(
        self,
        path: str,
        decide: DecideFile,
        *,
        at: datetime,
        limits: VersionLimits,
        version: int | None = None,
    ) -> FileChange:
        """Read, decide and write in one transaction; what `decide` raises changes nothing."""
        if not self._access.is_there():
            decide(FileTree({}))  # what is refused leaves no file behind
        with self._access.write() as connection:
            tree = _tree(connection, path, version)
            change = decide(tree)
            if change.write is not None:
                require_kept(connection, f"the file {path}")
                lift_name(connection, "file", change.write.path)
            _apply(connection, tree, change, at=to_micros(at) or 0)
            _drop_oldest(connection, change, limits)
        return change

    def note_read(self, path: str, at: datetime) -> None:
        """Note that a file was read; nothing happens when it is gone."""
        with self._access.write_if_there() as connection:
            if connection is not None:
                connection.execute(_SQL["note_read"], {"path": path, "at": to_micros(at)})

    def infos(self) -> list[FileInfo]:
        """Return every file without its text, by path."""
        with self._access.read() as (connection, _):
            return [_info(fields) for fields in _rows(connection, "infos")]

    def versions(self, path: str) -> list[FileVersion]:
        """Return the texts that a path has and had, the oldest first."""
        with self._access.read() as (connection, _):
            rows = _rows(connection, "versions", {"path": path, "version": None})
            rows += _rows(connection, "file", (path,))
        return [_version(fields) for fields in rows if _is_whole(fields)]

    def everything(self) -> tuple[list[StoredFile], list[FileVersion]]:
        """Return every file, by path, and every text that ended, the oldest first.

        One that was damaged behind our back is left out, and hides no other.
        """
        with self._access.read() as (connection, _):
            files, versions = _rows(connection, "files"), _rows(connection, "all_versions")
        return (
            [_file(fields) for fields in files if _is_whole(fields)],
            [_version(fields) for fields in versions if _is_whole(fields)],
        )

    def put_back(
        self, files: Sequence[StoredFile], versions: Sequence[FileVersion], *, at: datetime
    ) -> int:
        """Add what is not there, numbered anew; return how many files got a text.

        A file that stands and is not older stays as it is, and so does one whose name another
        file's could be taken for. Paths that are not canonical are left out, and what was forgotten
        here. Trust and quota are the caller's business.
        """
        if not files and not versions:
            return 0
        micros, added = to_micros(at) or 0, 0
        with self._access.write() as connection:
            for version in versions:
                if is_name_barred(connection, "file", version.path):
                    continue
                if _is_canonical(version.path) and not _is_known(connection, version):
                    _add_version(connection, version, micros)
            for file in files:
                if not is_name_barred(connection, "file", file.now.path):
                    added += _put_back(connection, file, micros)
            _drop_oldest(connection, FileChange(""), VersionLimits())
        return added

    def texts(self) -> Iterator[tuple[str, str]]:
        """Return the path and text of every file and of every version, one by one."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["texts"])
        return ((path, text) for path, text in rows if isinstance(text, str))

    def unread_since(self, moment: datetime) -> list[str]:
        """Return the paths of files that were neither read nor written since."""
        with self._access.read() as (connection, _):
            rows = fetch(connection, _SQL["unread_since"], {"moment": to_micros(moment)})
        return [row[0] for row in rows]

    def made_from(self, memory_ids: Sequence[str], message_seqs: Sequence[int]) -> list[str]:
        """Return the paths of files that have, or had, any of these among their parents."""
        bound = {"memories": as_json(memory_ids), "messages": as_json(message_seqs)}
        with self._access.read() as (connection, _):
            return [row[0] for row in fetch(connection, _SQL["made_from"], bound)]


def erase_files(connection: apsw.Connection, paths: Sequence[str]) -> Counter[str]:
    """Remove files with all their versions, in the caller's transaction; count the rows."""
    counts: Counter[str] = Counter()
    for path in paths:
        connection.execute(_SQL["remove_versions"], (path,))
        counts["file_version"] += connection.changes()
        connection.execute(_SQL["remove_file"], (path,))
        counts["file"] += connection.changes()
    return counts


def _tree(connection: apsw.Connection, path: str, version: int | None) -> FileTree:
    found = _rows(connection, "file", (path,))
    old: list[dict[str, Any]] = []
    if version is not None:
        old = _rows(connection, "versions", {"path": path, "version": version})
        old += [fields for fields in found if fields["version"] == version]
    return FileTree(
        dict(fetch(connection, _SQL["sizes"])),
        _file(found[0]) if found else None,
        _version(old[0]) if old else None,
    )


def _apply(connection: apsw.Connection, tree: FileTree, change: FileChange, *, at: int) -> None:
    for path in change.remove:
        _end_text(connection, path, why=change.why, at=at)
        connection.execute(_SQL["remove_file"], (path,))
    for old, new in change.move.items():
        connection.execute(_SQL["move_file"], {"old": old, "new": new, "fold": folded(new)})
        connection.execute(_SQL["move_versions"], {"old": old, "new": new})
    if change.write is not None:
        before = tree.old or (tree.file.now if tree.file else None)
        _end_text(connection, change.write.path, why=change.why, at=at)
        _put(connection, change.write, at=at, mixed=before.version if before else None)


def _end_text(connection: apsw.Connection, path: str, *, why: str, at: int) -> None:
    """Keep the text that a file has as a version."""
    connection.execute(_SQL["end_text"], {"path": path, "why": why, "at": at})


def _put(
    connection: apsw.Connection,
    write: FileWrite,
    *,
    at: int,
    mixed: int | None = None,
    created_at: int | None = None,
    read_at: int | None = None,
) -> None:
    """Give a file a text. A parent that a text mixed into it had is the same message as there."""
    version = fetch_value(connection, _SQL["next_version"])
    fields = {
        "path": write.path,
        "fold": folded(write.path),
        "version": version,
        "bytes": len(write.text.encode()),
        "channel": write.origin.channel,
        "source": write.origin.source,
        "trust": int(write.trust),
        "is_suspect": write.is_suspect,
        "created_at": at if created_at is None else created_at,
        "written_at": at,
        "read_at": at if read_at is None else read_at,
        "text": write.text,
    }
    connection.execute(_SQL["put_file"], fields)
    _add_parents(connection, version, write.origin.parents, mixed=mixed)


def _add_parents(
    connection: apsw.Connection, version: int, parents: Sequence[str], *, mixed: int | None = None
) -> None:
    for position, parent in enumerate(parents):
        bound = {"version": version, "position": position, "parent": parent, "mixed": mixed}
        connection.execute(_SQL["add_parent"], bound)


def _drop_oldest(connection: apsw.Connection, change: FileChange, limits: VersionLimits) -> None:
    """Let the oldest versions go that are too many; none while something is on legal hold."""
    if fetch_value(connection, _SQL["is_on_hold"]):
        return
    ended = {*change.remove, *change.move.values()}
    if change.write is not None:
        ended.add(change.write.path)
    for path in ended:
        bound = {"path": path, "most": limits.of_file}
        connection.execute(_SQL["drop_oldest_of_file"], bound)
    rows, size = fetch(connection, _SQL["version_totals"])[0]
    if rows > limits.of_owner or size > limits.bytes_max:
        bound = {"rows": limits.of_owner, "bytes": limits.bytes_max}
        connection.execute(_SQL["drop_oldest"], bound)


def _put_back(connection: apsw.Connection, file: StoredFile, at: int) -> bool:
    now = file.now
    written_at = to_micros(now.written_at) or 0
    found = _rows(connection, "file", (now.path,))
    if found:
        if found[0]["written_at"] >= written_at or found[0]["text"] == now.text:
            return False
        _end_text(connection, now.path, why=_IMPORTED, at=at)
    else:
        try:
            canonical = canonical_file(now.path)
            require_free(canonical, [row[0] for row in fetch(connection, _SQL["sizes"])])
        except FileError:
            return False
        if canonical != now.path:
            return False
    _put(
        connection,
        FileWrite(now.path, now.text, now.origin, now.trust, now.is_suspect),
        at=written_at,
        created_at=to_micros(file.created_at),
        read_at=to_micros(file.read_at),
    )
    return True


def _is_canonical(path: str) -> bool:
    try:
        return canonical_file(path) == path
    except FileError:
        return False


def _is_known(connection: apsw.Connection, version: FileVersion) -> bool:
    """Whether the path has, or had, this very text since this very time."""
    rows = _rows(connection, "versions", {"path": version.path, "version": None})
    rows += _rows(connection, "file", (version.path,))
    written_at = to_micros(version.written_at)
    return any(row["written_at"] == written_at and row["text"] == version.text for row in rows)


def _add_version(connection: apsw.Connection, version: FileVersion, at: int) -> None:
    number = fetch_value(connection, _SQL["next_version"])
    ended_at = to_micros(version.ended_at)
    fields = {
        "path": version.path,
        "version": number,
        "bytes": len(version.text.encode()),
        "channel": version.origin.channel,
        "source": version.origin.source,
        "trust": int(version.trust),
        "is_suspect": version.is_suspect,
        "written_at": to_micros(version.written_at),
        "ended_at": at if ended_at is None else ended_at,
        "ended_by": version.ended_by or _IMPORTED,
        "text": version.text,
    }
    connection.execute(_SQL["add_version"], fields)
    _add_parents(connection, number, version.origin.parents)


def _rows(connection: apsw.Connection, name: str, bound: Any = ()) -> list[dict[str, Any]]:
    """Return rows by the names of their columns."""
    cursor = connection.execute(_SQL[name], bound)
    names: list[str] = []
    found = []
    for row in cursor:
        names = names or [column[0] for column in cursor.get_description()]
        found.append(dict(zip(names, row, strict=True)))
    return found


def _is_whole(fields: dict[str, Any]) -> bool:
    return isinstance(fields["text"], str)


def _version(fields: dict[str, Any]) -> FileVersion:
    if not _is_whole(fields):
        raise StoreCorrupt(f"the text of file {fields['path']!r}")
    return FileVersion(
        path=fields["path"],
        version=fields["version"],
        text=fields["text"],
        origin=_origin(fields),
        trust=_trust(fields),
        is_suspect=bool(fields["is_suspect"]),
        written_at=from_micros(fields["written_at"]),
        ended_at=from_micros_or_none(fields["ended_at"]),
        ended_by=fields["ended_by"],
    )


def _origin(fields: dict[str, Any]) -> Origin:
    return Origin(fields["channel"], fields["source"], tuple(json.loads(fields["parents"])))


def _trust(fields: dict[str, Any]) -> Trust:
    """Return the trust of a row; the least where somebody wrote another number there."""
    known = fields["trust"] in tuple(Trust)
    return Trust(fields["trust"]) if known else Trust.UNTRUSTED


def _file(fields: dict[str, Any]) -> StoredFile:
    return StoredFile(
        _version(fields), from_micros(fields["created_at"]), from_micros(fields["read_at"])
    )


def _info(fields: dict[str, Any]) -> FileInfo:
    return FileInfo(
        path=fields["path"],
        bytes=fields["bytes"],
        version=fields["version"],
        origin=_origin(fields),
        trust=_trust(fields),
        is_suspect=bool(fields["is_suspect"]),
        created_at=from_micros(fields["created_at"]),
        updated_at=from_micros(fields["written_at"]),
        read_at=from_micros(fields["read_at"]),
    )
