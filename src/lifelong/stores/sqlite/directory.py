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
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from lifelong.errors import (
    InvalidValue,
    NetworkFilesystem,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from lifelong.ports import Clock
from lifelong.rows import Finished, ReceiptRow
from lifelong.stores.sqlite import keys, registry
from lifelong.stores.sqlite.access import OwnerFile
from lifelong.stores.sqlite.catalogue import (
    Catalogue,
    make_catalogue,
    master_key,
    refuse_key_inside,
)
from lifelong.stores.sqlite.connection import Now, connect, mapped_errors, to_micros
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.marker import (
    Marker,
    make_marker,
    read_marker,
    remove_database,
    sync_directory,
)
from lifelong.stores.sqlite.migrations import migrate
from lifelong.stores.sqlite.queries import fetch, queries
from lifelong.stores.sqlite.raw import FileKey, SqliteRawFiles
from lifelong.stores.sqlite.store import SqliteStore

OWNERS = "owners"
_SQL = queries("catalogue")
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


def open_directory(
    path: Path, source: KeySource, *, clock: Clock, encryption: str | None = None
) -> SqliteStore:
    """Open the store in the data directory at `path`, as `open_files` does."""
    return SqliteStore(open_files(path, source, clock=clock, encryption=encryption), clock)


def open_files(
    path: Path, source: KeySource, *, clock: Clock, encryption: str | None = None
) -> DirectoryFiles:
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
    with mapped_os_errors(path):
        missing = [each for each in (path, *path.parents) if not each.exists()]
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_network(path)
        (path / OWNERS).mkdir(mode=0o700, exist_ok=True)
        marker = read_marker(path)
        if marker is None:
            for each in missing or [path]:  # or all that follows could be lost with its name
                sync_directory(each.parent)
            marker = _create_marker(path, source, is_encrypted=encryption != "off")
    if encryption is not None and (encryption == "on") != marker.is_encrypted:
        made_with = "on" if marker.is_encrypted else "off"
        raise InvalidValue(f"{path} was made with encryption {made_with}")
    with mapped_os_errors(path):
        _ensure_catalogue(path, marker, source, now=clock.now)
        catalogue = Catalogue(path, source, now=clock.now)
        return DirectoryFiles(path, catalogue, clock=clock)


@contextmanager
def mapped_os_errors(path: Path) -> Iterator[None]:
    """Turn an error of the operating system into one of ours that names the file."""
    try:
        yield
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise StoreReadOnly(f"{error.filename or path} ({error.strerror})") from error
    except OSError as error:
        kind = StoreFull if error.errno in (errno.ENOSPC, errno.EDQUOT) else StoreReadOnly
        raise kind(f"{error.filename or path} ({error.strerror})") from error


def _create_marker(path: Path, source: KeySource, *, is_encrypted: bool) -> Marker:
    refuse_key_inside(path, source)
    key = keys.first_key(source) if is_encrypted else None
    made = Marker(is_encrypted, source.kind, keys.key_check(key) if key else "")
    make_marker(path, made)
    marker = read_marker(path)
    if marker is None:
        raise StoreCorrupt(f"the marker of {path} went away")
    return marker


def _ensure_catalogue(path: Path, marker: Marker, source: KeySource, *, now: Now) -> None:
    """Make the catalogue of a new directory; one that lost it beside its owners is damaged."""
    file = path / marker.catalogue
    # Looked for first: whoever makes an owner in the meantime made the catalogue before it.
    has_owners = any((path / OWNERS).glob("*.db"))
    if file.exists() or read_marker(path) != marker:
        return
    key = master_key(path, marker, source)
    if has_owners:
        raise StoreCorrupt(f"{file} is missing")
    make_catalogue(path, file, key=key, now=now)


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

    def __init__(self, path: Path, catalogue: Catalogue, *, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._now: Now = clock.now
        self._catalogue = catalogue
        with self._catalogue.read() as connection:
            fetch(connection, _SQL["count"])
            seed = registry.find_seed(connection)
        if seed is None:
            with self._catalogue.write() as connection:
                seed = registry.make_registry(connection)
        self.seed = seed
        with self._catalogue.read() as connection:
            left = registry.unfinished(connection)
        if left != registry.NOTHING:
            with suppress(StoreError):  # a full disk must not keep anybody from reading
                self.finish(clock.now())

    @property
    def path(self) -> Path:
        """The data directory."""
        return self._path

    @property
    def catalogue(self) -> Catalogue:
        """Which file is whose."""
        return self._catalogue

    @property
    def is_encrypted(self) -> bool:
        """Whether the files are."""
        return self._catalogue.marker.is_encrypted

    def find(self, owner_id: str) -> OwnerFile | None:
        """Return the file of an owner, or None."""
        with self._catalogue.read() as connection:
            rows = fetch(connection, _SQL["find"], (owner_id,))
        return OwnerFile(self._path / OWNERS / rows[0][0], *rows[0][1:]) if rows else None

    def find_or_make(self, owner_id: str) -> OwnerFile:
        """Return the file of an owner; make it, whole, when there is none."""
        found = self.find(owner_id)
        if found:
            return found
        key = keys.new_key() if self.is_encrypted else None
        path = self.new_path()
        is_ours = False
        try:
            made_at = self._make(path, key)
            is_ours = self.add(owner_id, OwnerFile(path, key), made_at)
        finally:
            if not is_ours:
                remove_database(path)
        return OwnerFile(path, key) if is_ours else self.find_or_make(owner_id)

    def add(self, owner_id: str, file: OwnerFile, made_at: int) -> bool:
        """Make a file that of an owner; return False when the owner has one.

        It is False too when the file is gone: one that nothing names for long counts as left over.
        """
        if file.path is None:
            return False
        with self._catalogue.write() as connection:
            if not file.path.exists():
                return False
            row = (owner_id, file.path.name, file.key, made_at, file.seal)
            connection.execute(_SQL["add"], row)
            return connection.changes() == 1

    def _make(self, path: Path, key: bytes | None) -> int:
        made_at = to_micros(self._now()) or 0
        with mapped_os_errors(path):
            connection = connect(path, key, now=self._now)
            with mapped_errors(str(path)):
                migrate(connection, str(path), made_at)
                connection.close()
            sync_directory(path.parent)
            sync_directory(self._path)  # whoever made the catalogue may not have come to it yet
        return made_at

    def owners(self) -> list[str]:
        """Return the ids of all owners, sorted."""
        with self._catalogue.read() as connection:
            return [row[0] for row in fetch(connection, _SQL["ids"])]

    def remove(self, owner_id: str, file: OwnerFile, receipts: Sequence[ReceiptRow]) -> bool:
        """Destroy the owner's key and file; return whether every old byte of the key is gone."""
        if file.path is None:
            return True
        with self._catalogue.write() as connection:
            connection.execute(_SQL["remove"], (owner_id, file.path.name))
            if connection.changes():
                registry.add_forgotten(connection, self.seed, owner_id=owner_id, receipts=receipts)
            successors = fetch(connection, _SQL["successor"], (owner_id, file.path.name))
            connection.execute(_SQL["remove_successor"], (owner_id, file.path.name))
            for (name,) in [(file.path.name,), *successors]:
                registry.add_going(connection, name)
        return not self.finish(self._clock.now()).pending

    def new_path(self) -> Path:
        """Return a name for a file of an owner; it says nothing of whose it is."""
        return self._path / OWNERS / f"{secrets.token_hex(16)}.db"

    def succeed(self, owner_id: str, file: OwnerFile) -> None:
        """Put the successor in the place of a file that says it was replaced, and unlink that."""
        if file.path is None:
            return
        name = file.path.name
        with self._catalogue.write() as connection:
            connection.execute(_SQL["succeed"], (owner_id, name))
            connection.execute(_SQL["remove_successor"], (owner_id, name))
            is_kept = fetch(connection, _SQL["is_owner_file"], (owner_id, name))
        if is_kept:
            raise StoreCorrupt(f"{file.path} was replaced by a file that is not known")
        with mapped_os_errors(file.path):
            remove_database(file.path)
            sync_directory(file.path.parent)
        self._catalogue.truncate_wal()

    def receipts(self, owner_id: str) -> list[ReceiptRow]:
        """Return what was noted of each time that an owner was forgotten whole, oldest first."""
        with self._catalogue.read() as connection:
            return registry.forgotten(connection, self.seed, owner_id)

    def destroyed_keys(self) -> set[str]:
        """Return the ids of keys that were destroyed with their owners."""
        with self._catalogue.read() as connection:
            rows = fetch(connection, _SQL["destroyed"])
        return {each for (ids,) in rows for each in json.loads(ids)}

    def finish(self, at: datetime) -> Finished:
        """Unlink the files of forgotten owners, and overwrite their keys, as readers let it."""
        with self._catalogue.read() as connection:
            left = registry.unfinished(connection)
        with mapped_os_errors(self._path):
            for name in left.files:
                remove_database(self._path / OWNERS / name)
            if left.files:
                sync_directory(self._path / OWNERS)  # or a power failure could bring them back
        if not self._catalogue.truncate_wal():
            return Finished(0, len(left.receipts) or 1)
        if left == registry.NOTHING:
            return Finished(0, 0)
        with self._catalogue.write() as connection:
            return registry.complete(connection, left, at)

    def raw_files(self) -> SqliteRawFiles:
        """Return the files as bytes, for a scan of them."""
        return SqliteRawFiles(self._path, self._keys)

    def _keys(self) -> list[FileKey]:
        with self._catalogue.read() as connection:
            found = [(name, bytes(key)) for name, key in fetch(connection, _SQL["keys"])]
        master = self._catalogue.key
        return [(self._catalogue.marker.catalogue, master), *found] if master else found

    def describe(self) -> dict[str, str]:
        """Return the place and how it is encrypted."""
        return {
            "place": str(self._path),
            "encryption": "on" if self._catalogue.marker.is_encrypted else "OFF",
            "key_source": self._catalogue.marker.key_kind,
        }

    def close(self) -> None:
        """Close the catalogue."""
        self._catalogue.close()
