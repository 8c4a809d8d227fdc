"""The SQLite files of other tools: read as they are at one moment, and never written to.

A tool may be using its file meanwhile. So nothing is locked for long, nothing is created beside the
file, and a log of changes that was left there is read where it lies. The file is not believed: only
plain tables are read, so that no view, trigger or extension of it ever runs. What the rows mean is
left to the readers.

This is done with the SQLite of the standard library, as those tools do themselves.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from lifelong.errors import FormatError
from lifelong.transcripts.content import OnBytes, reason_of

if TYPE_CHECKING:
    import sqlite3

VALUE_BYTES_MAX = 64 * 1024 * 1024
"""A longer value makes its table unreadable: no message is that long, and it would fill memory."""

_MAGIC = b"SQLite format 3\0"
_HEADER_BYTES = 100
_READ_VERSION = 19
_WITH_LOG = 2
_BUSY_SECONDS = 5.0
_COPIES_MAX = 5
_REPORT_ROWS = 100
_SWITCHES = (
    "PRAGMA query_only = 1",
    "PRAGMA trusted_schema = 0",
    "PRAGMA cell_size_check = 1",
    "PRAGMA temp_store = 2",  # in memory
)


class Database:
    """One file of another tool, read at one moment.

    Args:
        connection: that may only read.
        file: for the progress.
        on_bytes: told how much of the file has been read, by the share of the rows.
    """

    def __init__(
        self, connection: sqlite3.Connection, file: Path, on_bytes: OnBytes | None
    ) -> None:
        self._connection = connection
        self._bytes = file.stat().st_size
        self._on_bytes = on_bytes

    def tables(self) -> list[str]:
        """Return the names of the plain tables, sorted."""
        return [
            name
            for name, sql in self._fetch("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
            if isinstance(sql, str) and sql.upper().startswith("CREATE TABLE")
        ]

    def columns(self, table: str) -> frozenset[str]:
        """Return the names of the columns of a plain table; none where there is no such table."""
        if table not in self.tables():
            return frozenset()
        return frozenset(row[1] for row in self._fetch(f"PRAGMA table_info({_quoted(table)})"))

    def rows(
        self, table: str, columns: Sequence[str], *, order: Sequence[str]
    ) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a table that has these columns.

        Args:
            table: its name.
            columns: the names of those wanted.
            order: the names of those that the rows are sorted by.
        """
        wanted = ", ".join(map(_quoted, columns))
        sql = f"SELECT {wanted} FROM {_quoted(table)} ORDER BY {', '.join(map(_quoted, order))}"  # noqa: S608 - names are quoted, and none comes from a person
        [(total,)] = self._fetch(f"SELECT count(*) FROM {_quoted(table)}")  # noqa: S608 - as above
        for done, row in enumerate(self._fetch(sql), start=1):
            if self._on_bytes is not None and done % _REPORT_ROWS == 0:
                self._on_bytes(self._bytes * done // max(total, done))
            yield row

    def done(self) -> None:
        """Tell that all was read."""
        if self._on_bytes is not None:
            self._on_bytes(self._bytes)

    def _fetch(self, sql: str) -> Iterator[tuple[Any, ...]]:
        # No `yield from`: one that is left in the middle would close its cursor when all is closed.
        for row in self._connection.execute(sql):  # noqa: UP028
            yield row


@contextmanager
def opened_database(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Database]:
    """Open an SQLite file of another tool for reading, at one moment.

    Args:
        file: the path.
        on_bytes: told how many bytes of the file have been read so far, by the share of the rows.

    Raises:
        FormatError: it cannot be read, or is none; the reason is in words. Also raised in the
            middle of reading, when the file turns out to be damaged.
    """
    import sqlite3

    try:
        real = file.resolve(strict=True)
        with _connected(real) as connection:
            database = Database(connection, real, on_bytes)
            database.tables()  # from here on no writer of an unlogged file comes between
            if _is_cut(real):
                raise FormatError("it was cut short")
            yield database
            database.done()
    except sqlite3.Error as error:
        raise FormatError(_in_words(str(error))) from error
    except UnicodeDecodeError as error:  # in the names of what is in it
        raise FormatError("it is damaged") from error
    except OSError as error:
        raise FormatError(reason_of(error)) from error


def is_database(file: Path) -> bool:
    """Return whether a file begins as an SQLite file does."""
    try:
        return _header(file).startswith(_MAGIC)
    except OSError:
        return False


def holds_table(file: Path, *columns: str) -> bool:
    """Return whether a file is an SQLite file with a table of these columns.

    One that is an SQLite file and cannot be read may hold it: its reader tells why.
    """
    if not is_database(file):
        return False
    try:
        with opened_database(file) as database:
            return any(database.columns(table) >= set(columns) for table in database.tables())
    except FormatError:
        return True


def moment_of(value: object) -> datetime | None:
    """Return a time as SQLite writes it, in UTC and without saying so; None where there is none."""
    with suppress(ValueError, OverflowError):
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _header(file: Path) -> bytes:
    """Return the first bytes of a regular file.

    Raises:
        OSError: it cannot be read, or is something that reading might never end of.
    """
    mode = file.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    with file.open("rb") as stream:
        return stream.read(_HEADER_BYTES)


def _is_cut(file: Path) -> bool:
    """Return whether a file says to be longer than it is: its pages are counted in its header.

    SQLite finds that only where it needs one of those that are missing.
    """
    header = _header(file)
    if header[24:28] != header[92:96]:  # the count was not kept up by whoever wrote last
        return False
    page_bytes = int.from_bytes(header[16:18]) or 1
    page_bytes = 65_536 if page_bytes == 1 else page_bytes
    return file.stat().st_size < page_bytes * int.from_bytes(header[28:32])


@contextmanager
def _connected(file: Path) -> Iterator[sqlite3.Connection]:
    header = _header(file)
    if not header.startswith(_MAGIC) or len(header) < _HEADER_BYTES:
        raise FormatError("it is no SQLite file, or it is encrypted")
    if header[_READ_VERSION] != _WITH_LOG:
        with _connection(f"{file.as_uri()}?mode=ro") as connection:
            yield connection
    elif _beside(file, "-shm").exists():
        # The log's index is shared with whoever uses the file; it is read, and not touched.
        with _connection(f"{file.as_uri()}?mode=ro&readonly_shm=1") as connection:
            yield connection
    elif _size(_beside(file, "-wal")):
        with TemporaryDirectory() as folder, _connection(_copied(file, Path(folder))) as connection:
            yield connection
    else:
        before = _state(file)
        with _connection(f"{file.as_uri()}?immutable=1") as connection:
            yield connection
        if _state(file) != before:
            raise FormatError("it changed while it was read: import it again")


@contextmanager
def _connection(uri: str) -> Iterator[sqlite3.Connection]:
    import sqlite3

    connection = sqlite3.connect(uri, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
        connection.text_factory = lambda text: text.decode(errors="replace")
        for switch in _SWITCHES:
            connection.execute(switch)
        connection.execute("BEGIN")
        yield connection
    finally:
        connection.close()


def _copied(file: Path, folder: Path) -> str:
    """Copy a file with the log that its tool left when it ended too early; return the copy's URI.

    Reading that log makes an index of it beside it, which must not happen there.

    Raises:
        FormatError: it changes all the time.
    """
    for _ in range(_COPIES_MAX):
        before = _state(file)
        copy = folder / "copy.db"
        shutil.copyfile(file, copy)
        shutil.copyfile(_beside(file, "-wal"), _beside(copy, "-wal"))
        if _state(file) == before:
            return copy.as_uri()
    raise FormatError("it changes all the time: end the program that writes it, and import it then")


def _beside(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)


def _state(file: Path) -> tuple[tuple[int, int], ...]:
    return tuple(_stamp(each) for each in (file, _beside(file, "-wal")))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = os.stat(file)  # noqa: PTH116 - its two numbers, and no more
    except FileNotFoundError:
        return (0, 0)
    return (found.st_size, found.st_mtime_ns)


def _size(file: Path) -> int:
    return _stamp(file)[0]


def _in_words(error: str) -> str:
    if "locked" in error or "busy" in error:
        return "another program is writing it: import it again later"
    if "readonly" in error:
        return "its program ended too early: open it with that program once, and import it then"
    return f"SQLite says: {error}"
