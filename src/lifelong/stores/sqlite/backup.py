"""Backups: one folder with a copy of each owner's file and a manifest, and no key at all.

Each copy is of one moment and encrypted with its owner's key. The keys stay in the catalogue, which
is not copied: so whoever is forgotten in the store is unreadable in every backup, too.

    manifest.json    what there is: names, sizes, SHA-256, row counts; no ids, no keys
    owners/*.db      the copies, under the names that the catalogue knows them by
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from lifelong.errors import BackupUnusable, InvalidValue, StoreCorrupt
from lifelong.ports.keeping import OnProgress
from lifelong.rows.keeping import BackedUp, Backup
from lifelong.stores.sqlite.access import Access, OwnerFile
from lifelong.stores.sqlite.connection import Now, connect, mapped_errors
from lifelong.stores.sqlite.copying import copy_database, digest_rows, sha256_of
from lifelong.stores.sqlite.directory import OWNERS, DirectoryFiles, mapped_os_errors
from lifelong.stores.sqlite.keys import key_id, seal_key
from lifelong.stores.sqlite.marker import sync_directory
from lifelong.stores.sqlite.store import SqliteStore

BACKUP_FORMAT = 1
MANIFEST = "manifest.json"
_NAME = re.compile(r"[0-9a-f]{32}\.db")
_HEX = re.compile(r"[0-9a-f]{64}")
_KEY_ID = re.compile(r"(?:[0-9a-f]{16})?")


def make_backup(
    store: SqliteStore, files: DirectoryFiles, *, to: Path, now: Now, on_progress: OnProgress
) -> Backup:
    """Copy every owner's file while others write; the backup gets its name when it is whole.

    Args:
        store: of all owners.
        files: of them.
        to: a folder that is not there yet.
        now: the clock.
        on_progress: called with how many bytes are copied, and about how many there are.

    Raises:
        InvalidValue: something is there, or it lies inside the data directory.
        StoreFull: there is no space; nothing is left of the backup.
    """
    if to.resolve().is_relative_to(files.path.resolve()):
        raise InvalidValue(f"the backup {to} would lie inside the data directory")
    made_at = now()
    with mapped_os_errors(to), _drafted(to) as draft:
        progress = _Progress(files, on_progress)
        copies, problems = [], []
        for owner_id in files.owners():
            try:
                copied = _back_up_owner(store, owner_id, draft / OWNERS, now=now, progress=progress)
            except StoreCorrupt as error:
                problems.append(error.detail)
            else:
                copies += [copied] if copied else []
        backup = Backup(
            str(to), made_at, files.is_encrypted, _sorted(copies), tuple(sorted(problems))
        )
        _write_manifest(draft / MANIFEST, backup)
        progress.finish()
    return backup


def _sorted(copies: list[BackedUp]) -> tuple[BackedUp, ...]:
    """Return them by their names, which are random, so that their order tells nothing of ids."""
    return tuple(sorted(copies, key=lambda copy: copy.name))


class _Progress:
    """How many bytes are copied, of how many there were at first."""

    def __init__(self, files: DirectoryFiles, on_progress: OnProgress) -> None:
        sizes = (path.stat().st_size for path in (files.path / OWNERS).glob("*.db"))
        self._total = sum(sizes)
        self._done = 0
        self._tell = on_progress

    def add(self, size: int) -> None:
        """Say that more was copied."""
        self._done += size
        self._tell(min(self._done, self._total), self._total)

    def finish(self) -> None:
        """Say that all is done."""
        self._tell(self._total, self._total)


@contextmanager
def _drafted(to: Path) -> Iterator[Path]:
    """Lend a folder that becomes `to` in the end, or goes with all that is in it."""
    to.parent.mkdir(parents=True, exist_ok=True)
    draft = to.with_name(f".{to.name}.draft-{secrets.token_hex(8)}")
    if to.exists() or to.is_symlink():
        raise InvalidValue(f"{to} is there already")
    (draft / OWNERS).mkdir(mode=0o700, parents=True)
    draft.chmod(0o700)
    try:
        yield draft
        sync_directory(draft / OWNERS)
        sync_directory(draft)
        draft.rename(to)  # refused when somebody put something there meanwhile
        sync_directory(to.parent)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _back_up_owner(
    store: SqliteStore, owner_id: str, folder: Path, *, now: Now, progress: _Progress
) -> BackedUp | None:
    """Copy the file of an owner; None when the owner was forgotten meanwhile."""
    with Access(store, owner_id).read_file() as (connection, file):
        if file.path is None:
            return None
        copy = folder / file.path.name
        copy_database(connection, copy, key=file.key, on_bytes=progress.add)
    with connected(copy, file, now) as connection:
        digest, counts = digest_rows(connection, file.seal or seal_key(file.key))
    return BackedUp(
        name=copy.name,
        size=copy.stat().st_size,
        sha256=sha256_of(copy),
        key_id=key_id(file.key) if file.key else "",
        digest=digest,
        counts=counts,
        owner_id=owner_id if file.key is None else None,
    )


@contextmanager
def connected(path: Path, file: OwnerFile, now: Now) -> Iterator[Any]:
    """Lend a connection to a copy of an owner's file, which stays one file without a WAL."""
    connection = connect(path, file.key, now=now, may_create=False, seal=file.seal, has_wal=False)
    try:
        with mapped_errors(str(path)):
            yield connection
    finally:
        connection.close()


def _write_manifest(file: Path, backup: Backup) -> None:
    said = {
        "format": BACKUP_FORMAT,
        "made_at": backup.made_at.isoformat(),
        "encryption": "on" if backup.is_encrypted else "off",
        "problems": list(backup.problems),
        "files": [_said_of(each) for each in backup.files],
    }
    with file.open("x", encoding="utf-8") as stream:
        os.fchmod(stream.fileno(), 0o600)
        stream.write(json.dumps(said, indent=1) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def _said_of(file: BackedUp) -> dict[str, Any]:
    said = {
        "name": file.name,
        "size": file.size,
        "sha256": file.sha256,
        "key_id": file.key_id,
        "digest": file.digest,
        "counts": dict(file.counts),
    }
    return said if file.owner_id is None else {**said, "owner": file.owner_id}


def read_manifest(path: Path) -> Backup:
    """Return what the manifest of a backup says.

    Raises:
        BackupUnusable: it is missing or damaged, or a newer lifelong wrote it.
    """
    try:
        said = json.loads((path / MANIFEST).read_bytes())
        if said["format"] != BACKUP_FORMAT:
            raise BackupUnusable(f"{path} has format {said['format']!r}")
        made_at = datetime.fromisoformat(said["made_at"])
        files = tuple(_read_file(each) for each in said["files"])
        problems = tuple(str(each) for each in said["problems"])
        is_encrypted = said["encryption"] == "on"
    except OSError as error:
        raise BackupUnusable(f"{path / MANIFEST} ({error.strerror})") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BackupUnusable(f"{path / MANIFEST} ({error})") from error
    if made_at.tzinfo is None or len({file.name for file in files}) < len(files):
        raise BackupUnusable(f"{path / MANIFEST}")
    return Backup(str(path), made_at, is_encrypted, files, problems)


def _read_file(said: Mapping[str, Any]) -> BackedUp:
    """Return what is said of one file.

    Raises:
        ValueError: it has a name that no file of a backup has, or hashes that are none.
    """
    texts = tuple(said[name] for name in ("name", "sha256", "key_id", "digest"))
    shapes = (_NAME, _HEX, _KEY_ID, _HEX)
    if not all(shape.fullmatch(text) for shape, text in zip(shapes, texts, strict=True)):
        raise ValueError(f"file {texts[0]!r}")
    name, sha256, key_id_, digest = texts
    counts = {str(table): int(rows) for table, rows in said["counts"].items()}
    owner_id = said.get("owner")
    if owner_id is not None and not isinstance(owner_id, str):
        raise TypeError(f"owner {owner_id!r}")
    return BackedUp(name, int(said["size"]), sha256, key_id_, digest, counts, owner_id)
