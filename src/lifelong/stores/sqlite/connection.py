"""Connections: how a file is opened, which settings hold, and how SQLite's errors become ours.

Settings, each measured: WAL with synchronous=FULL loses no acknowledged commit when the power
fails (NORMAL lost some in 37 % of images); secure_delete overwrites what is deleted; temporary
tables stay in memory, since the cipher does not cover temporary files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from lifelong.errors import (
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    UnsafeSQLite,
)
from lifelong.stores.sqlite.keys import seal_key, sealer
from lifelong.stores.sqlite.marks import linker, marker

SQLITE_MIN = (3, 53, 2)
"""Older ones have the WAL-reset corruption bug or the FTS5 overflow CVE-2026-11824."""

BUSY_TIMEOUT_MS = 30_000
_CACHE_KIB = 16_384
_WAL_RETRY_SECONDS = 0.02

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

Now = Callable[[], datetime]

_ERRORS: tuple[tuple[type[apsw.Error], type[StoreError]], ...] = (
    (apsw.BusyError, StoreBusy),
    (apsw.LockedError, StoreBusy),
    (apsw.FullError, StoreFull),
    (apsw.ReadOnlyError, StoreReadOnly),
    (apsw.CantOpenError, StoreReadOnly),
    (apsw.PermissionsError, StoreReadOnly),
    (apsw.AuthError, StoreReadOnly),
    (apsw.NotADBError, StoreCorrupt),
    (apsw.CorruptError, StoreCorrupt),
    (apsw.FormatError, StoreCorrupt),
    (apsw.SQLError, StoreCorrupt),  # every statement is fixed, so a table must be missing
    (apsw.Error, StoreError),
)


@contextmanager
def mapped_errors(place: str) -> Iterator[None]:
    """Turn an error of SQLite into one of ours that names `place`; the cause is kept."""
    try:
        yield
    except apsw.Error as error:
        ours = next(ours for theirs, ours in _ERRORS if isinstance(error, theirs))
        raise ours(f"{place} ({error})") from error


def require_safe_sqlite(version: str | None = None) -> None:
    """Refuse an SQLite with known corruption bugs.

    Raises:
        UnsafeSQLite: it is older than `SQLITE_MIN`.
    """
    found = version or apsw.sqlite_lib_version()
    if tuple(int(part) for part in found.split(".")[:3]) < SQLITE_MIN:
        raise UnsafeSQLite(f"SQLite {found}")


def to_micros(moment: datetime | None) -> int | None:
    """Return an aware time as whole microseconds since 1970, or None."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Return microseconds since 1970 as an aware time in UTC."""
    return _EPOCH + timedelta(microseconds=micros)


def from_micros_or_none(micros: int | None) -> datetime | None:
    """Return microseconds since 1970 as a time, or None."""
    return None if micros is None else from_micros(micros)


def connect(
    path: Path | None,
    key: bytes | None,
    *,
    now: Now,
    may_create: bool = True,
    seal: bytes | None = None,
    has_wal: bool = True,
) -> apsw.Connection:
    """Open a file, or a database in memory when `path` is None, with all settings.

    Args:
        path: an existing file, or one to be made.
        key: 32 bytes, or None for a file that is not encrypted.
        now: the clock that the live-rows view asks.
        may_create: whether a file that is not there is made.
        seal: what seals are made with; None when that comes from the key.
        has_wal: False for a file that is to stay one file, which nobody else opens.

    Raises:
        StoreError: one of its kinds, when it cannot be opened.
    """
    require_safe_sqlite()
    if path is not None and not may_create and _is_empty(path):
        raise StoreCorrupt(f"{path} is empty")  # SQLite would take it for a new database
    with mapped_errors(str(path or "memory")):
        create = apsw.SQLITE_OPEN_CREATE if may_create else 0
        connection = apsw.Connection(
            ":memory:" if path is None else str(path), flags=apsw.SQLITE_OPEN_READWRITE | create
        )
        try:
            _configure(connection, key, now)
            if path is not None:
                if has_wal:
                    _use_wal(connection)
                connection.execute("PRAGMA synchronous = FULL")
            _add_keyed_functions(connection, seal or seal_key(key))
        except apsw.Error:
            connection.close()
            raise
    return connection


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:  # opening it says why
        return False


def _configure(connection: apsw.Connection, key: bytes | None, now: Now) -> None:
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if key is not None:
        # A raw key: 32 random bytes need no slow derivation, so a cold open stays near 1 ms.
        connection.pragma("key", f"raw:{key.hex()}")
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 0)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.execute(f"PRAGMA temp_store = MEMORY; PRAGMA cache_size = -{_CACHE_KIB}")
    connection.pragma("secure_delete", "ON")
    connection.pragma("foreign_keys", "ON")

    def lifelong_now(*_: object) -> int | None:
        return to_micros(now())

    connection.create_scalar_function("lifelong_now", lifelong_now, 0, flags=apsw.SQLITE_INNOCUOUS)


def _add_keyed_functions(connection: apsw.Connection, own: bytes) -> None:
    for name, made in (("seal", sealer), ("mark", marker), ("link", linker)):
        connection.create_scalar_function(
            f"lifelong_{name}", made(own), flags=apsw.SQLITE_INNOCUOUS
        )


def _use_wal(connection: apsw.Connection) -> None:
    """Switch to WAL.

    Many processes may open a new file at once, and the time-out does not apply to this switch, so
    it is tried again.
    """
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except (apsw.BusyError, apsw.LockedError):
            if time.monotonic() > deadline:
                raise
            time.sleep(_WAL_RETRY_SECONDS)
        else:
            return


def truncate_wal(connection: apsw.Connection) -> bool:
    """Copy the WAL into the file and empty it; return whether that was possible, and will last.

    A reader of an old state, or a full disk, can keep it from that. What was committed stays so.
    """
    connection.set_busy_timeout(0)
    try:
        log_pages, copied = connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.Error:
        return False
    finally:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return log_pages == copied and _is_synced(connection.filename_wal)


def _is_synced(wal: str) -> bool:
    """Make an emptied WAL last: SQLite does not, so a power failure could bring old pages back.

    The file may be opened and closed here, since SQLite keeps its locks on the others.
    """
    try:
        descriptor = os.open(wal, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
