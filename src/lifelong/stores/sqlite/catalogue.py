"""The catalogue of a data directory: owner -> file, key; encrypted with the master key.

A rotation of the master key puts another catalogue in its place and says so in the marker. So each
transaction asks the marker, after it has begun, whether this still is the catalogue: one that
writes holds the lock that a rotation needs, and nothing is written where nobody reads it any more.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw

from lifelong.errors import InvalidValue, StoreCorrupt, StoreError, WrongKey
from lifelong.stores.sqlite import keys
from lifelong.stores.sqlite.connection import Now, connect, mapped_errors
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.marker import (
    DRAFT,
    Marker,
    link,
    marker_bytes,
    parse_marker,
    read_marker,
    remove_database,
    sync_directory,
)
from lifelong.stores.sqlite.pool import Pool
from lifelong.stores.sqlite.queries import fetch_value, queries

_SQL = queries("catalogue")


def master_key(path: Path, marker: Marker, source: KeySource) -> bytes | None:
    """Return the master key of a directory; None when nothing there is encrypted.

    Raises:
        KeyMissing: it is not where it should be.
        MasterKeyError: it could not be read.
        WrongKey: it is another one.
    """
    if not marker.is_encrypted:
        return None
    source = actual_source(marker, source)
    refuse_key_inside(path, source)
    key = keys.load_key(source, check=marker.key_check)
    if keys.key_check(key) != marker.key_check:
        raise WrongKey(str(path))
    return key


def actual_source(marker: Marker, source: KeySource) -> KeySource:
    """Return where the key is: in the keyring, where the marker says so and no key was given."""
    if source.kind == keys.FILE and marker.key_kind == keys.KEYRING:
        return KeySource(keys.KEYRING)
    return source


def refuse_key_inside(path: Path, source: KeySource) -> None:
    """Refuse a key file inside the data directory, where a copy of the data would hold it.

    Raises:
        InvalidValue: it lies there.
    """
    if source.file and source.file.resolve().is_relative_to(path.resolve()):
        raise InvalidValue(f"the key file {source.file} lies inside the data directory")


def make_catalogue(path: Path, file: Path, *, key: bytes | None, now: Now) -> None:
    """Make an empty catalogue whole under another name, and link it into place."""
    draft = path / f"{DRAFT}{secrets.token_hex(8)}"
    try:
        connection = connect(draft, key, now=now)
        with mapped_errors(str(path)):
            connection.execute(_SQL["make_owner"])
            connection.close()
        link(draft, file)
    finally:
        remove_database(draft)
    sync_directory(path)


@dataclass(frozen=True, slots=True)
class _Opened:
    """One catalogue that was opened, and the marker that named it."""

    content: bytes
    marker: Marker
    key: bytes | None
    pool: Pool


class Catalogue:
    """The catalogue that counts at this moment.

    Args:
        path: the data directory.
        source: where the master key is.
        now: the clock.
    """

    def __init__(self, path: Path, source: KeySource, *, now: Now) -> None:
        self._path = path
        self._source = source
        self._now = now
        self._turn = threading.Lock()
        self._is_closed = False
        self._opened = self._open()
        with self.read() as connection:
            is_old = not fetch_value(connection, _SQL["has_successor"])
        if is_old:
            with self.write() as connection:
                _bring_up_to_date(connection)

    def _open(self) -> _Opened:
        content = marker_bytes(self._path)
        if content is None:
            read_marker(self._path)
            raise StoreCorrupt(f"{self._path} has no marker")
        marker = parse_marker(self._path, content)
        key = master_key(self._path, marker, self._source)
        file = self._path / marker.catalogue
        pool = Pool(str(file), lambda: connect(file, key, now=self._now, may_create=False))
        return _Opened(content, marker, key, pool)

    @property
    def path(self) -> Path:
        """The data directory."""
        return self._path

    @property
    def marker(self) -> Marker:
        """What the marker said when the catalogue was opened."""
        return self._opened.marker

    @property
    def key(self) -> bytes | None:
        """The master key; None when nothing is encrypted."""
        return self._opened.key

    @property
    def source(self) -> KeySource:
        """Where the master key is."""
        return actual_source(self.marker, self._source)

    def use_source(self, source: KeySource) -> None:
        """Look for the master key elsewhere from now on."""
        self._source = source

    @property
    def pool(self) -> Pool:
        """The file that is open."""
        return self._opened.pool

    def is_superseded(self) -> bool:
        """Return whether the marker names another catalogue than the one that is open."""
        return not self._is_current(self._opened)

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Lend a connection for one reading transaction.

        Raises:
            WrongKey: the master key was changed, and the new one is not known here.
        """
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """Lend a connection for one writing transaction.

        Raises:
            WrongKey: the master key was changed, and the new one is not known here.
        """
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[apsw.Connection]:
        while True:
            opened = self._opened
            with ExitStack() as stack:
                try:
                    connection = stack.enter_context(opened.pool.transaction(begin))
                except StoreError:
                    if self._is_closed or self._is_current(opened):
                        raise
                else:
                    if self._is_current(opened):
                        yield connection
                        return
            self._follow(opened)

    def _is_current(self, opened: _Opened) -> bool:
        return marker_bytes(self._path) == opened.content

    def _follow(self, old: _Opened) -> None:
        """Open the catalogue that took the place of the one that was open."""
        with self._turn:
            if self._opened is not old or self._is_closed:
                return
            try:
                self._opened = self._open()
            except WrongKey as error:
                detail = f"{self._path} was given another master key while it was open"
                raise WrongKey(detail) from error
        old.pool.close()

    def truncate_wal(self) -> bool:
        """Empty the WAL; return False when a reader of an old state keeps it from that."""
        return self._opened.pool.truncate_wal()

    def close(self) -> None:
        """Close the catalogue."""
        with self._turn:
            self._is_closed = True
            self._opened.pool.close()


def _bring_up_to_date(connection: apsw.Connection) -> None:
    """Add what catalogues did not have at first."""
    if not fetch_value(connection, _SQL["has_seal"]):
        connection.execute(_SQL["add_seal"])
    connection.execute(_SQL["make_successor"])
