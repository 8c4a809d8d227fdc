"""Access to one owner's file: transactions on whichever file is the owner's at this moment.

Before anything is read or written the file says whether it was retired, that is, whether the
owner was forgotten by another handle or process; then the access begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import apsw

from lifelong.stores.sqlite.columns import ColumnsCache
from lifelong.stores.sqlite.pool import Pool, PoolClosed
from lifelong.stores.sqlite.queries import fetch_value

_RETIRED = "SELECT value FROM property WHERE name = 'retired'"
"""0 for the owner's file, 1 for that of a forgotten owner, 2 for one that another succeeded."""

_MOVED = 2


def is_moved(pool: Pool) -> bool:
    """Return whether a file says that another one took its place."""
    with pool.read() as connection:
        return bool(fetch_value(connection, _RETIRED) == _MOVED)


@dataclass(frozen=True, slots=True)
class OwnerFile:
    """Where an owner's data lies, and its key: None for both in memory, or without encryption.

    `seal` is what its seals are made with, when that does not come from the key.
    """

    path: Path | None
    key: bytes | None
    seal: bytes | None = None


class OpenOwner:
    """One open file: its pool, and what is held in memory of it."""

    def __init__(self, file: OwnerFile, pool: Pool, *, is_kept: bool = True) -> None:
        self.file = file
        self.pool = pool
        self.is_kept = is_kept
        self.columns = ColumnsCache()


class OpenOwners(Protocol):
    """What an access asks of the store."""

    def open_owner(self, owner_id: str, *, may_make: bool) -> OpenOwner:
        """Return the open file of an owner; an empty one that nobody writes, if there is none."""
        ...

    def drop(self, owner_id: str, opened: OpenOwner) -> None:
        """Forget an open file that cannot be used any more, so that it is looked up again."""
        ...

    def let_go(self, owner_id: str, opened: OpenOwner) -> None:
        """Finish the removal of a retired file, which may have been begun elsewhere."""
        ...


class Access:
    """Transactions on one owner's file."""

    def __init__(self, owners: OpenOwners, owner_id: str) -> None:
        self._owners = owners
        self._owner_id = owner_id

    @contextmanager
    def read(self) -> Iterator[tuple[apsw.Connection, ColumnsCache]]:
        """Lend a connection for one reading transaction, and what is held in memory."""
        with self._transaction("BEGIN", may_make=False) as (connection, opened):
            yield connection, opened.columns

    @contextmanager
    def read_file(self) -> Iterator[tuple[apsw.Connection, OwnerFile]]:
        """Lend a connection for one reading transaction, and say which file it reads."""
        with self._transaction("BEGIN", may_make=False) as (connection, opened):
            yield connection, opened.file

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """Lend a connection for one writing transaction; the file is made if there is none."""
        with self._transaction("BEGIN IMMEDIATE", may_make=True) as (connection, _):
            yield connection

    @contextmanager
    def write_if_there(self) -> Iterator[apsw.Connection | None]:
        """Lend a connection for one writing transaction; None when the owner has no file."""
        with self._transaction("BEGIN IMMEDIATE", may_make=False) as (connection, opened):
            yield connection if opened.is_kept else None

    @contextmanager
    def _transaction(
        self, begin: str, *, may_make: bool
    ) -> Iterator[tuple[apsw.Connection, OpenOwner]]:
        while True:
            opened = self._owners.open_owner(self._owner_id, may_make=may_make)
            with ExitStack() as stack:
                try:
                    connection = stack.enter_context(opened.pool.transaction(begin))
                except PoolClosed:  # by another, between finding it and using it
                    self._owners.drop(self._owner_id, opened)
                    continue
                if not fetch_value(connection, _RETIRED):
                    yield connection, opened
                    return
            self._owners.let_go(self._owner_id, opened)

    def is_there(self) -> bool:
        """Return whether the owner has a file."""
        return self._owners.open_owner(self._owner_id, may_make=False).is_kept

    def has_key(self) -> bool:
        """Return whether the owner's file is encrypted: only then does a seal prove anything."""
        return self._owners.open_owner(self._owner_id, may_make=False).file.key is not None

    def truncate_wal(self) -> bool:
        """Empty the WAL; return False when a reader of an old state keeps it from that."""
        return self._owners.open_owner(self._owner_id, may_make=False).pool.truncate_wal()

    def make_anew(self) -> bool:
        """Write every page anew and empty the WAL; return False when a reader prevents it."""
        return self._owners.open_owner(self._owner_id, may_make=False).pool.make_anew()

    def file(self) -> OwnerFile:
        """Return where the data lies at this moment."""
        return self._owners.open_owner(self._owner_id, may_make=False).file

    def size_bytes(self) -> int:
        """Return the bytes of the file and its WAL; 0 in memory."""
        path = self._owners.open_owner(self._owner_id, may_make=False).file.path
        if path is None:
            return 0
        files = (path, path.with_name(path.name + "-wal"))
        return sum(file.stat().st_size for file in files if file.exists())
