"""The pool of one file: connections are lent for one transaction and come back.

Readers do not block each other nor the writer (WAL). A writer takes the lock at once (BEGIN
IMMEDIATE), so that reading before writing in one transaction cannot lose to another process.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

from lifelong.errors import StoreClosed
from lifelong.stores.sqlite.connection import mapped_errors, truncate_wal

_IDLE_MAX = 4
_inherited: list[apsw.Connection] = []
"""Connections that a forked child got from its parent. They are kept, unused and unclosed:
closing them would drop the parent's locks on the file."""


class PoolClosed(StoreClosed):
    """The engine was closed. Open it again with lifelong.open()."""


class Pool:
    """Connections to one file.

    Args:
        place: names the file in errors.
        open_connection: makes one more.
        first: one that is open already.
        is_shared: False for a database in memory, which is one connection for all threads.
    """

    def __init__(
        self,
        place: str,
        open_connection: Callable[[], apsw.Connection],
        *,
        first: apsw.Connection | None = None,
        is_shared: bool = True,
    ) -> None:
        self.place = place
        self._open = open_connection
        self._idle: deque[apsw.Connection] = deque([first] if first else [])
        self._turn = threading.RLock() if not is_shared else None
        self._process = os.getpid()
        self._is_closed = False

    @contextmanager
    def read(self) -> Iterator[apsw.Connection]:
        """Lend a connection for one reading transaction, which sees one state."""
        with self.transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[apsw.Connection]:
        """Lend a connection for one writing transaction: committed, or undone on any error."""
        with self.transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def lend(self) -> Iterator[apsw.Connection]:
        """Lend a connection without a transaction, for pragmas and checkpoints."""
        if self._turn:
            with self._turn, mapped_errors(self.place):
                yield from self._lend()
        else:
            with mapped_errors(self.place):
                yield from self._lend()

    @contextmanager
    def transaction(self, begin: str) -> Iterator[apsw.Connection]:
        """Lend a connection for the transaction that `begin` begins.

        Raises:
            PoolClosed: it was closed before a connection was lent.
        """
        with self.lend() as connection:
            if connection.in_transaction:
                # In memory there is one connection: who is called back in a transaction joins it.
                yield connection
                return
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _lend(self) -> Iterator[apsw.Connection]:
        connection = self._take()
        is_sound = True
        try:
            yield connection
        except apsw.BusyError:
            raise
        except apsw.Error:
            # After a read that failed, what FTS5 still holds in memory may be wrong: used again,
            # the connection would write a malformed index (seen with SQLite 3.54).
            is_sound = False
            raise
        finally:
            (self._give_back if is_sound else self._discard)(connection)

    def _discard(self, connection: apsw.Connection) -> None:
        if self._turn:  # the one of a database in memory, which has no disk that could fail
            self._give_back(connection)
        else:
            connection.close(True)

    def _take(self) -> apsw.Connection:
        if self._is_closed:
            raise PoolClosed(self.place)
        if self._process != os.getpid():
            _inherited.extend(self._idle)
            self._idle.clear()
            self._process = os.getpid()
        try:
            return self._idle.pop()  # the one used last has the warmest cache
        except IndexError:
            return self._open()

    def _give_back(self, connection: apsw.Connection) -> None:
        if self._is_closed or len(self._idle) >= _IDLE_MAX:
            connection.close()
        else:
            self._idle.append(connection)

    def truncate_wal(self) -> bool:
        """Empty the WAL; return False when a reader of an old state keeps it from that."""
        if self._turn:
            return True
        with self.lend() as connection:
            return truncate_wal(connection)

    def make_anew(self) -> bool:
        """Write every page anew and empty the WAL, so that no old byte is left in the file.

        Returns False when a reader of an old state keeps it from that.
        """
        if self._turn:
            return True
        with self.lend() as connection:
            connection.execute("VACUUM")
            return truncate_wal(connection)

    def close(self) -> None:
        """Close the idle connections; lent ones close when they come back."""
        self._is_closed = True
        while self._idle:
            self._idle.popleft().close()
