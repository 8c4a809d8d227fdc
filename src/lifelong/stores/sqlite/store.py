"""The store of all owners: which file is whose, which are open, how one goes.

An owner's file is looked up at each use through a small cache, so that a handle stays right when
another process forgets the owner and somebody begins anew. What was never written has no file:
it reads as empty.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import apsw

from lifelong.errors import StoreClosed, StoreCorrupt, StoreError
from lifelong.forgetting import SCOPE_EVERYTHING
from lifelong.ports import Clock
from lifelong.rows import Finished, Note, ReceiptRow
from lifelong.stores.sqlite.access import Access, OpenOwner, OwnerFile, is_moved
from lifelong.stores.sqlite.chain import SqliteChain
from lifelong.stores.sqlite.connection import (
    connect,
    mapped_errors,
    require_safe_sqlite,
    to_micros,
)
from lifelong.stores.sqlite.files import SqliteFiles
from lifelong.stores.sqlite.forgetting import SqliteForgetting, file_receipts, finish_file
from lifelong.stores.sqlite.keys import key_id
from lifelong.stores.sqlite.log import SqliteLog
from lifelong.stores.sqlite.memories import SqliteMemories
from lifelong.stores.sqlite.migrations import migrate, steps
from lifelong.stores.sqlite.pool import Pool, PoolClosed
from lifelong.stores.sqlite.raw import SqliteRawFiles, let_go
from lifelong.stores.sqlite.review import SqliteReview
from lifelong.stores.sqlite.states import SqliteStates
from lifelong.stores.sqlite.upkeep import SqliteUpkeep, retire
from lifelong.stores.sqlite.vectors import SqliteVectors

OPEN_OWNERS_MAX = 64


class Files(Protocol):
    """The files of all owners."""

    def find(self, owner_id: str) -> OwnerFile | None:
        """Return the file of an owner, or None."""
        ...

    def find_or_make(self, owner_id: str) -> OwnerFile:
        """Return the file of an owner; make it when there is none."""
        ...

    def owners(self) -> list[str]:
        """Return the ids of all owners, sorted."""
        ...

    @property
    def seed(self) -> bytes:
        """32 random bytes that are this place's for as long as it exists."""
        ...

    def remove(self, owner_id: str, file: OwnerFile, receipts: Sequence[ReceiptRow]) -> bool:
        """Destroy the owner's key and file; return whether every old byte of the key is gone.

        Args:
            owner_id: whose.
            file: the one that goes, if it is the owner's still.
            receipts: what is kept of it, noted in the transaction that destroys the key.
        """
        ...

    def succeed(self, owner_id: str, file: OwnerFile) -> None:
        """Put the successor in the place of a file that says it was replaced, and unlink that."""
        ...

    def receipts(self, owner_id: str) -> list[ReceiptRow]:
        """Return what was noted of each time that an owner was forgotten whole, oldest first."""
        ...

    def finish(self, at: datetime) -> Finished:
        """Overwrite what is left of destroyed keys, as far as readers let it."""
        ...

    def raw_files(self) -> SqliteRawFiles:
        """Return the files as bytes, for a scan of them."""
        ...

    def describe(self) -> dict[str, str]:
        """Return the place and how it is encrypted."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class SqliteStore:
    """All owners of one place.

    Args:
        files: knows which file is whose.
        clock: for recorded times and expiry.
    """

    def __init__(self, files: Files, clock: Clock) -> None:
        require_safe_sqlite()
        self._files = files
        self._clock = clock
        self._open: OrderedDict[str, OpenOwner] = OrderedDict()
        self._turn = threading.Lock()
        self._is_closed = False

    @cached_property
    def _empty(self) -> OpenOwner:
        """What an owner without a file reads; made when first needed, since it takes 6 ms."""
        return OpenOwner(OwnerFile(None, None), _pool_in_memory(self._clock), is_kept=False)

    def owner(self, owner_id: str) -> SqliteOwner:
        """Return the store of one owner."""
        return SqliteOwner(Access(self, owner_id), self._clock)

    def owners(self) -> list[str]:
        """Return the ids of owners that have a store, sorted."""
        self._require_open()
        return self._files.owners()

    def open_owner(self, owner_id: str, *, may_make: bool) -> OpenOwner:
        """Return the open file of an owner; an empty one that nobody writes, if there is none."""
        self._require_open()
        with self._turn:
            found = self._open.get(owner_id)
            if found:
                self._open.move_to_end(owner_id)
                return found
        file = self._files.find_or_make(owner_id) if may_make else self._files.find(owner_id)
        if file is None:
            return self._empty
        if file.path and _is_missing(file.path):
            if self._files.find(owner_id) == file:
                raise StoreCorrupt(f"{file.path} is missing")
            return self.open_owner(owner_id, may_make=may_make)
        try:
            pool = self._pool(file)
        except PoolClosed:  # the file went while it was being opened
            return self.open_owner(owner_id, may_make=may_make)
        return self._keep(owner_id, OpenOwner(file, pool))

    def _keep(self, owner_id: str, opened: OpenOwner) -> OpenOwner:
        with self._turn:
            kept = self._open.setdefault(owner_id, opened)
            if opened.file.path:  # what is in memory only may not be closed
                while len(self._open) > OPEN_OWNERS_MAX:
                    self._open.popitem(last=False)[1].pool.close()
        if kept is not opened:
            opened.pool.close()
        return kept

    def let_go(self, owner_id: str, opened: OpenOwner) -> None:
        """Finish the removal of a retired file, which may have been begun elsewhere."""
        self._remove(owner_id, opened)

    def _remove(self, owner_id: str, opened: OpenOwner) -> tuple[ReceiptRow | None, bool]:
        """Return the owner's last receipt, and whether every old byte of the key is gone.

        A file that was replaced by another has no receipt: its successor takes its place.
        """
        try:
            if is_moved(opened.pool):
                self._files.succeed(owner_id, opened.file)
                self.drop(owner_id, opened)
                return None, True
            receipts = file_receipts(opened.pool)
        except PoolClosed:  # whoever closed it removes it, or the next one that meets it
            self.drop(owner_id, opened)
            return None, False
        last = next((row for row in receipts if row.note.scope == SCOPE_EVERYTHING), None)
        if last and opened.file.key:
            whole = replace(last, keys_destroyed=(key_id(opened.file.key),))
            receipts, last = [whole if row is last else row for row in receipts], whole
        is_gone = self._files.remove(owner_id, opened.file, receipts)
        self.drop(owner_id, opened)
        return last, is_gone

    def drop(self, owner_id: str, opened: OpenOwner) -> None:
        """Forget an open file that cannot be used any more, so that it is looked up again."""
        with self._turn:
            if self._open.get(owner_id) is opened:
                del self._open[owner_id]
        opened.pool.close()

    def forget_owner(self, owner_id: str, note: Note) -> ReceiptRow:
        """Mark the owner's file as retired, then destroy its key and unlink it.

        The mark makes a writer in another process begin anew instead of writing into a file that
        has no name any more. Whoever meets a retired file finishes its removal, so a removal that
        was interrupted is not left half done.

        Raises:
            OnLegalHold: something of it may not go.
        """
        while True:
            opened = self.open_owner(owner_id, may_make=False)
            if not opened.is_kept:  # never there, or another finished what was begun here
                done = (row for row in self._files.receipts(owner_id) if row.note.id == note.id)
                return next(done, ReceiptRow(note, {}, note.at))
            try:
                is_ours, is_clean = retire(opened.pool, note)
            except PoolClosed:
                self.drop(owner_id, opened)
                continue
            receipt, is_gone = self._remove_if_able(owner_id, opened, note if is_ours else None)
            if is_ours and receipt is not None:
                return replace(receipt, completed_at=note.at if is_clean and is_gone else None)

    def _remove_if_able(
        self, owner_id: str, opened: OpenOwner, note: Note | None
    ) -> tuple[ReceiptRow | None, bool]:
        """Remove a retired file; what fails is left to whoever meets it next: it is forgotten."""
        try:
            return self._remove(owner_id, opened)
        except StoreError:
            if note is None:
                raise
            return next(row for row in file_receipts(opened.pool) if row.note.id == note.id), False

    def owner_receipts(self, owner_id: str) -> list[ReceiptRow]:
        """Return what was noted of each time that an owner was forgotten whole, oldest first."""
        self._require_open()
        return self._files.receipts(owner_id)

    def finish(self, at: datetime) -> Finished:
        """Overwrite what is left of forgotten owners' keys, as far as readers let it."""
        self._require_open()
        return self._files.finish(at)

    def signing_seed(self) -> bytes:
        """Return 32 random bytes that are this store's for as long as it exists."""
        return self._files.seed

    def raw_files(self) -> SqliteRawFiles:
        """Return the files as bytes, for a scan of them."""
        self._require_open()
        return self._files.raw_files()

    def describe(self) -> dict[str, Any]:
        """Return place, encryption and versions."""
        return {
            **self._files.describe(),
            "sqlite": apsw.sqlite_lib_version(),
            "apsw": apsw.apsw_version(),
            "schema": steps()[-1][0],
        }

    def close(self) -> None:
        """Close every file."""
        self._is_closed = True
        with self._turn:
            for opened in self._open.values():
                opened.pool.close()
            self._open.clear()
        self._files.close()
        let_go()

    def _require_open(self) -> None:
        if self._is_closed:
            raise StoreClosed

    def _pool(self, file: OwnerFile) -> Pool:
        if file.path is None:
            return _pool_in_memory(self._clock)
        path, place = file.path, str(file.path)

        def one_more() -> apsw.Connection:
            with _noticing_removal(path):
                return _connected(path, file, self._clock)

        first = one_more()
        with _noticing_removal(path), mapped_errors(place):
            if not first.table_exists("main", "schema_version"):
                raise StoreCorrupt(f"{place} is empty")
            migrate(first, place, to_micros(self._clock.now()) or 0)
            pool = Pool(place, one_more, first=first)
            finish_file(pool, self._clock.now(), path.stat().st_size)
        return pool


def _connected(path: Path, file: OwnerFile, clock: Clock) -> apsw.Connection:
    return connect(path, file.key, now=clock.now, may_create=False, seal=file.seal)


@contextmanager
def _noticing_removal(path: Path) -> Iterator[None]:
    """Tell an error of a file from that of one which another process took away meanwhile."""
    try:
        yield
    except (StoreError, FileNotFoundError) as error:
        if _is_missing(path):
            raise PoolClosed(str(path)) from error
        raise


def _is_missing(path: Path) -> bool:
    try:
        return not path.exists()
    except OSError:  # it may be there, but not for us: opening it says so
        return False


def _pool_in_memory(clock: Clock) -> Pool:
    connection = connect(None, None, now=clock.now)
    migrate(connection, "memory", to_micros(clock.now()) or 0)
    return Pool("memory", lambda: connection, first=connection, is_shared=False)


class SqliteOwner:
    """The data of one owner, part by part."""

    def __init__(self, access: Access, clock: Clock) -> None:
        self._log = SqliteLog(access, clock)
        self._memories = SqliteMemories(access)
        self._review = SqliteReview(access)
        self._vectors = SqliteVectors(access)
        self._states = SqliteStates(access)
        self._files = SqliteFiles(access)
        self._forgetting = SqliteForgetting(access)
        self._chain = SqliteChain(access)
        self._upkeep = SqliteUpkeep(access)

    @property
    def log(self) -> SqliteLog:
        """The log."""
        return self._log

    @property
    def memories(self) -> SqliteMemories:
        """The memories."""
        return self._memories

    @property
    def review(self) -> SqliteReview:
        """The memories that wait for a person."""
        return self._review

    @property
    def vectors(self) -> SqliteVectors:
        """The vectors."""
        return self._vectors

    @property
    def states(self) -> SqliteStates:
        """The named values."""
        return self._states

    @property
    def files(self) -> SqliteFiles:
        """The files of file memory."""
        return self._files

    @property
    def forgetting(self) -> SqliteForgetting:
        """Erasing, receipts, holds, retention."""
        return self._forgetting

    @property
    def chain(self) -> SqliteChain:
        """What shows that nobody changed rows behind the engine."""
        return self._chain

    @property
    def upkeep(self) -> SqliteUpkeep:
        """Counting, checking, rebuilding."""
        return self._upkeep
