"""The data directory: what lies in it, and how a new one is made without a race.

    lifelong.json    plain: format, encryption on or off, how to recognise the master key
    catalogue.db     encrypted with the master key: owner -> file, key
    owners/*.db      encrypted with the owner's own key; names are random, never made from an id

A new file is made whole under another name and then linked into place, so that many processes
may open the same new directory at once.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lifelong.errors import (
    InvalidValue,
    NetworkFilesystem,
    SchemaTooNew,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
    WrongKey,
)
from lifelong.ports import Clock
from lifelong.stores.sqlite import keys
from lifelong.stores.sqlite.access import OwnerFile
from lifelong.stores.sqlite.connection import Now, connect, mapped_errors, to_micros
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.migrations import migrate
from lifelong.stores.sqlite.pool import Pool
from lifelong.stores.sqlite.queries import fetch
from lifelong.stores.sqlite.store import SqliteStore

DIRECTORY_FORMAT = 1
_MARKER = "lifelong.json"
_CATALOGUE = "catalogue.db"
_OWNERS = "owners"
_NETWORK_FILESYSTEMS = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "afs",
        "ncpfs",
        "fuse.sshfs",
        "9p",
        "ceph",
        "glusterfs",
    ]
)
_MOUNT_FIELDS = 3
_CATALOGUE_SCHEMA = """
CREATE TABLE owner (
    id TEXT PRIMARY KEY,
    file TEXT NOT NULL UNIQUE,
    key BLOB, -- of the owner's file; NULL when encryption is off
    created_at INTEGER NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class Marker:
    """What `lifelong.json` says."""

    is_encrypted: bool
    key_kind: str
    key_check: str


def open_directory(
    path: Path, source: KeySource, *, clock: Clock, encryption: str | None = None
) -> SqliteStore:
    """Open the data directory at `path`; make it when there is none.

    Args:
        path: an absolute path.
        source: where the master key is, or is to be kept.
        clock: for recorded times and expiry.
        encryption: ``on`` or ``off`` for a new directory; None means on.

    Raises:
        StoreError: one of its kinds.
        InvalidValue: `encryption` is another word, or not what the directory has.
    """
    if encryption not in (None, "on", "off"):
        raise InvalidValue(f"encryption {encryption!r} is neither 'on' nor 'off'")
    with _mapped_os_errors(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_network(path)
        (path / _OWNERS).mkdir(mode=0o700, exist_ok=True)
        marker = _read_marker(path)
        if marker is None:
            marker = _create_marker(path, source, is_encrypted=encryption != "off")
    if encryption is not None and (encryption == "on") != marker.is_encrypted:
        made_with = "on" if marker.is_encrypted else "off"
        raise InvalidValue(f"{path} was made with encryption {made_with}")
    key = _master_key(path, marker, source)
    with _mapped_os_errors(path):
        _ensure_catalogue(path, key, clock.now)
        return SqliteStore(DirectoryFiles(path, marker, master_key=key, clock=clock), clock)


@contextmanager
def _mapped_os_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise StoreReadOnly(f"{error.filename or path} ({error.strerror})") from error
    except OSError as error:
        kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreReadOnly
        raise kind(f"{error.filename or path} ({error.strerror})") from error


def _master_key(path: Path, marker: Marker, source: KeySource) -> bytes | None:
    if not marker.is_encrypted:
        return None
    if source.kind == keys.FILE and marker.key_kind == keys.KEYRING:
        source = KeySource(keys.KEYRING)
    _refuse_key_inside(path, source)
    key = keys.load_key(source, may_create=False)
    if keys.key_check(key) != marker.key_check:
        raise WrongKey(str(path))
    return key


def _read_marker(path: Path) -> Marker | None:
    file = path / _MARKER
    has_catalogue = (path / _CATALOGUE).exists()  # looked for first: it is made after the marker
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        if has_catalogue:
            raise StoreCorrupt(f"{file} is missing") from None
        return None
    try:
        said = json.loads(content.decode())
        directory_format = int(said["format"])
        marker = Marker(said["encryption"] == "on", said["key_source"], said["key_check"])
    except (ValueError, KeyError, TypeError) as error:
        raise StoreCorrupt(f"{file} ({error})") from error
    if directory_format > DIRECTORY_FORMAT:
        raise SchemaTooNew(f"{path} has format {directory_format}")
    return marker


def _refuse_key_inside(path: Path, source: KeySource) -> None:
    if source.file and source.file.resolve().is_relative_to(path.resolve()):
        raise InvalidValue(f"the key file {source.file} lies inside the data directory")


def _create_marker(path: Path, source: KeySource, *, is_encrypted: bool) -> Marker:
    _refuse_key_inside(path, source)
    key = keys.load_key(source, may_create=True) if is_encrypted else None
    said = {
        "format": DIRECTORY_FORMAT,
        "encryption": "on" if is_encrypted else "off",
        "key_source": source.kind if is_encrypted else "none",
        "key_check": keys.key_check(key) if key else "",
    }
    _link_new(json.dumps(said, indent=2) + "\n", path / _MARKER)
    marker = _read_marker(path)
    if marker is None:
        raise StoreCorrupt(f"{path / _MARKER} went away")
    return marker


def _ensure_catalogue(path: Path, key: bytes | None, now: Now) -> None:
    """Make the catalogue of a new directory; one that lost it beside its owners is damaged."""
    catalogue = path / _CATALOGUE
    # Looked for first: whoever makes an owner in the meantime made the catalogue before it.
    has_owners = any((path / _OWNERS).glob("*.db"))
    if catalogue.exists():
        return
    if has_owners:
        raise StoreCorrupt(f"{catalogue} is missing")
    draft = path / f".draft-{secrets.token_hex(8)}"
    try:
        connection = connect(draft, key, now=now)
        with mapped_errors(str(path)):
            connection.execute(_CATALOGUE_SCHEMA)
            connection.close()
        _link(draft, catalogue)
    finally:
        remove_database(draft)
    _sync_directory(path)


def _link(draft: Path, file: Path) -> None:
    """Give a finished draft its name, unless another process was first."""
    with suppress(FileExistsError):
        os.link(draft, file)


def _link_new(text: str, file: Path) -> None:
    draft = file.with_name(f".draft-{secrets.token_hex(8)}")
    try:
        with draft.open("x", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        _link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def filesystem_of(path: Path, mounts: str) -> str:
    """Return the type of the file system that holds `path`, by the text of /proc/mounts."""
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < _MOUNT_FIELDS:
            continue
        point = fields[1].replace("\\040", " ")
        if len(point) >= len(best) and path.is_relative_to(point):
            best, kind = point, fields[2]
    return kind


def _refuse_network(path: Path) -> None:
    try:
        mounts = Path("/proc/mounts").read_text(encoding="utf-8")
    except OSError:
        return
    kind = filesystem_of(path.resolve(), mounts)
    if kind in _NETWORK_FILESYSTEMS:
        raise NetworkFilesystem(f"{path} is on {kind}")


class DirectoryFiles:
    """The files of a data directory: finds, makes and removes the one of each owner."""

    def __init__(
        self, path: Path, marker: Marker, *, master_key: bytes | None, clock: Clock
    ) -> None:
        self._path = path
        self._marker = marker
        self._now: Now = clock.now
        self._catalogue = Pool(
            str(path / _CATALOGUE),
            lambda: connect(path / _CATALOGUE, master_key, now=clock.now, may_create=False),
        )
        with self._catalogue.read() as connection:
            fetch(connection, "SELECT count(*) FROM owner")

    def find(self, owner_id: str) -> OwnerFile | None:
        """Return the file of an owner, or None."""
        with self._catalogue.read() as connection:
            rows = fetch(connection, "SELECT file, key FROM owner WHERE id = ?", (owner_id,))
        return OwnerFile(self._path / _OWNERS / rows[0][0], rows[0][1]) if rows else None

    def find_or_make(self, owner_id: str) -> OwnerFile:
        """Return the file of an owner; make it, whole, when there is none."""
        found = self.find(owner_id)
        if found:
            return found
        key = keys.new_key() if self._marker.is_encrypted else None
        name = f"{secrets.token_hex(16)}.db"
        path = self._path / _OWNERS / name
        is_ours = False
        try:
            made_at = self._make(path, key)
            with self._catalogue.write() as connection:
                connection.execute(
                    "INSERT INTO owner VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                    (owner_id, name, key, made_at),
                )
                is_new = connection.changes() == 1
            is_ours = is_new
        finally:
            if not is_ours:
                remove_database(path)
        return OwnerFile(path, key) if is_ours else self.find_or_make(owner_id)

    def _make(self, path: Path, key: bytes | None) -> int:
        made_at = to_micros(self._now()) or 0
        with _mapped_os_errors(path):
            connection = connect(path, key, now=self._now)
            with mapped_errors(str(path)):
                migrate(connection, str(path), made_at)
                connection.close()
            _sync_directory(path.parent)
        return made_at

    def owners(self) -> list[str]:
        """Return the ids of all owners, sorted."""
        with self._catalogue.read() as connection:
            return [row[0] for row in fetch(connection, "SELECT id FROM owner ORDER BY id")]

    def remove(self, owner_id: str, file: OwnerFile) -> bool:
        """Destroy the owner's key and file; return whether every old byte of the key is gone."""
        if file.path is None:
            return True
        with self._catalogue.write() as connection:
            connection.execute(
                "DELETE FROM owner WHERE id = ? AND file = ?", (owner_id, file.path.name)
            )
        remove_database(file.path)
        return self._catalogue.truncate_wal()

    def describe(self) -> dict[str, str]:
        """Return the place and how it is encrypted."""
        return {
            "place": str(self._path),
            "encryption": "on" if self._marker.is_encrypted else "OFF",
            "key_source": self._marker.key_kind,
        }

    def close(self) -> None:
        """Close the catalogue."""
        self._catalogue.close()


def remove_database(path: Path) -> None:
    """Unlink a database with its WAL and index of the WAL."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
