"""Reading a backup back: which key opens what, and how a file takes its place in the store.

Who decides what becomes of an owner is `lifelong.recovering`. Here a file is copied, its hash
compared, and it gets its place in one transaction, as the successor of the one that is there.
"""

from __future__ import annotations

import hmac
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw

from lifelong.errors import BackupUnusable, OnLegalHold, StoreCorrupt, StoreError
from lifelong.ports import Clock
from lifelong.rows.keeping import BackedUp, Backup, StillThere
from lifelong.stores.sqlite.access import Access, OpenOwner, OwnerFile
from lifelong.stores.sqlite.backup import connected
from lifelong.stores.sqlite.connection import connect, mapped_errors, to_micros
from lifelong.stores.sqlite.copying import digest_rows, sha256_of
from lifelong.stores.sqlite.directory import OWNERS, DirectoryFiles, mapped_os_errors
from lifelong.stores.sqlite.key_backup import OwnerKey
from lifelong.stores.sqlite.keys import seal_key
from lifelong.stores.sqlite.marker import DRAFT, remove_database, sync_directory
from lifelong.stores.sqlite.migrations import migrate
from lifelong.stores.sqlite.pool import Pool, PoolClosed
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.store import SqliteOwner, SqliteStore
from lifelong.stores.sqlite.successors import note_successor, replace_damaged

_SQL = queries("recovery")
_ROTATION = queries("rotation")


class SqliteBackupReader:
    """A backup whose manifest was read.

    Args:
        backup: what the manifest says.
        store: into which it is read back.
        files: of that store.
        keys: by their ids.
        clock: of the store.
    """

    def __init__(
        self,
        backup: Backup,
        store: SqliteStore,
        *,
        files: DirectoryFiles,
        keys: Mapping[str, OwnerKey],
        clock: Clock,
    ) -> None:
        self._backup = backup
        self._store = store
        self._files = files
        self._keys = keys
        self._destroyed = files.destroyed_keys()
        self._clock = clock

    @property
    def backup(self) -> Backup:
        """What the manifest says."""
        return self._backup

    def owner_of(self, file: BackedUp) -> str | None:
        """Return whose file it is; None when its key is known nowhere."""
        found = self._keys.get(file.key_id)
        return found.owner_id if found and self._backup.is_encrypted else file.owner_id

    def was_destroyed(self, file: BackedUp) -> bool:
        """Return whether the store notes that the owner was forgotten after the backup."""
        if file.key_id and file.key_id in self._destroyed:
            return True
        receipts = self._files.receipts(self.owner_of(file) or "")
        return any(receipt.note.at >= self._backup.made_at for receipt in receipts)

    def is_present(self, file: BackedUp) -> bool:
        """Return whether the store has this owner's file with the very same rows."""
        access = Access(self._store, self.owner_of(file) or "")
        try:
            with access.read_file() as (connection, present):
                if present.path is None:
                    return False
                digest, _ = digest_rows(connection, present.seal or seal_key(present.key))
        except StoreError:
            return False
        return hmac.compare_digest(digest, file.digest)

    def has_owner(self, owner_id: str) -> bool:
        """Return whether the store has this owner."""
        return self._files.find(owner_id) is not None

    @contextmanager
    def draft(self, file: BackedUp, *, is_drill: bool) -> Iterator[SqliteDraft]:
        """Copy a file out of the backup and open it; it goes again unless it is put in place.

        Raises:
            BackupUnusable: its bytes are not those of the manifest.
            StoreCorrupt: it does not open.
        """
        path = self._files.new_path()
        if is_drill:
            path = self._files.path / f"{DRAFT}{path.name}"
        source = Path(self._backup.path) / OWNERS / file.name
        known = self._opening(file)
        draft = None
        try:
            _copied(source, path, file)
            opening = OwnerFile(path, known.key, known.seal)
            draft = SqliteDraft(
                opening, file, store=self._store, files=self._files, clock=self._clock
            )
            yield draft
        finally:
            if draft is not None:
                draft.close()
            if draft is None or not draft.is_placed:
                remove_database(path)

    def _opening(self, file: BackedUp) -> OwnerKey:
        if not self._backup.is_encrypted:
            return OwnerKey(file.owner_id or "", None, None)
        return self._keys[file.key_id]


def _copied(source: Path, target: Path, file: BackedUp) -> None:
    """Copy a file of a backup.

    Raises:
        BackupUnusable: it is not there, or not as it was made.
    """
    if not source.is_file():
        raise BackupUnusable(f"{source} is not there")
    with mapped_os_errors(target):
        shutil.copyfile(source, target)
        target.chmod(0o600)
        if target.stat().st_size != file.size or sha256_of(target) != file.sha256:
            raise BackupUnusable(f"{source} was changed")


class SqliteDraft:
    """One owner's file out of a backup.

    Args:
        file: where the copy lies, and its keys.
        said: what the manifest says of it.
        store: into which it is to go.
        files: of that store.
        clock: of that store.

    Raises:
        StoreCorrupt: it does not open.
    """

    def __init__(
        self,
        file: OwnerFile,
        said: BackedUp,
        *,
        store: SqliteStore,
        files: DirectoryFiles,
        clock: Clock,
    ) -> None:
        path = file.path or files.new_path()
        self._file = file
        self._store = store
        self._files = files
        self._clock = clock
        self._live: tuple[apsw.Connection, OwnerFile] | None = None
        self._damaged: OwnerFile | None = None
        self.is_placed = False
        with connected(path, file, clock.now) as connection:
            digest, counts = digest_rows(connection, file.seal or seal_key(file.key))
        self._is_as_made = counts == said.counts and hmac.compare_digest(digest, said.digest)

        def one_more() -> apsw.Connection:
            return connect(path, file.key, now=clock.now, may_create=False, seal=file.seal)

        first = one_more()
        with mapped_errors(str(path)):
            migrate(first, str(path), self._micros())
        self._opened = OpenOwner(file, Pool(str(path), one_more, first=first))
        self._owner = SqliteOwner(Access(_OneOwner(self._opened), ""), clock)

    def _micros(self) -> int:
        return to_micros(self._clock.now()) or 0

    @property
    def store(self) -> SqliteOwner:
        """What is in it."""
        return self._owner

    def is_as_made(self) -> bool:
        """Return whether it has the rows that it had when the backup was made."""
        return self._is_as_made

    @contextmanager
    def taking_over(self, owner_id: str) -> Iterator[None]:
        """Keep the present file from being written, and take over what it says of keeping.

        That is tombstones, receipts and retention. When it is damaged, or there is none, there is
        nothing to take over.

        Raises:
            OnLegalHold: it may not go.
        """
        while True:
            with ExitStack() as stack:
                try:
                    opened = self._store.open_owner(owner_id, may_make=False)
                    if not opened.is_kept:
                        break
                    live = stack.enter_context(opened.pool.write())
                    is_retired = fetch_value(live, _ROTATION["retired"])
                    if not is_retired:
                        self._take_rules(live)
                except PoolClosed:
                    self._store.drop(owner_id, opened)
                    continue
                except StoreCorrupt:
                    self._damaged = self._files.find(owner_id)
                    break
                if not is_retired:
                    self._live = live, opened.file
                    yield
            self._store.let_go(owner_id, opened)
            if not is_retired:
                return
        yield

    def _take_rules(self, live: apsw.Connection) -> None:
        holds = fetch(live, _SQL["all_legal_hold"])
        if holds:
            raise OnLegalHold(holds[0][2])
        with self._opened.pool.write() as connection:
            for name in ("clear_legal_hold", "clear_retention"):
                connection.execute(_SQL[name])
            for name in ("tombstone", "receipt", "retention"):
                connection.executemany(_SQL[f"put_{name}"], fetch(live, _SQL[f"all_{name}"]))
            for name, value in fetch(live, _SQL["generations"]):
                connection.execute(_SQL["outgrow"], (value + 1, name))

    def forgotten(self) -> StillThere:
        """Return what it holds and has tombstones of."""
        with self._opened.pool.read() as connection:
            memories, states, files = (
                tuple(row[0] for row in fetch(connection, _SQL[name]))
                for name in ("forgotten_memories", "forgotten_states", "forgotten_files")
            )
            messages = tuple(fetch(connection, _SQL["forgotten_messages"]))
            return StillThere(memories, messages, states, files)

    def put_in_place(self, owner_id: str) -> bool:
        """Make it the owner's file; return False when the owner has got one meanwhile."""
        self._opened.pool.close()
        if self._file.path is None:
            return False
        with mapped_os_errors(self._file.path):
            sync_directory(self._file.path.parent)
        if self._live is not None:
            live, present = self._live
            note_successor(self._files, owner_id, file=present, successor=self._file)
            self.is_placed = True
            live.execute(_ROTATION["mark_moved"])
        elif self._damaged is not None:
            self.is_placed = replace_damaged(
                self._files, owner_id, damaged=self._damaged, file=self._file
            )
        else:
            self.is_placed = self._files.add(owner_id, self._file, self._micros())
        return self.is_placed

    def close(self) -> None:
        """Close it."""
        self._opened.pool.close()


class _OneOwner:
    """A store of one owner's file that is nobody's yet."""

    def __init__(self, opened: OpenOwner) -> None:
        self._opened = opened

    def open_owner(self, owner_id: str, *, may_make: bool) -> OpenOwner:
        """Return the file."""
        del owner_id, may_make
        return self._opened

    def drop(self, owner_id: str, opened: OpenOwner) -> None:
        """Refuse: it is closed only when it is done with.

        Raises:
            StoreCorrupt: always.
        """
        del owner_id
        raise StoreCorrupt(f"{opened.file.path} was closed")

    def let_go(self, owner_id: str, opened: OpenOwner) -> None:
        """Refuse: a file that says it was retired is in no backup of ours.

        Raises:
            StoreCorrupt: always.
        """
        del owner_id
        raise StoreCorrupt(f"{opened.file.path} was retired")
