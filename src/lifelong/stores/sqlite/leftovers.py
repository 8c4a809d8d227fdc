"""What interrupted work left behind: drafts, and files of owners that no catalogue names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from lifelong.stores.sqlite.directory import OWNERS, DirectoryFiles, mapped_os_errors
from lifelong.stores.sqlite.marker import CATALOGUES, DRAFT, remove_database
from lifelong.stores.sqlite.pool import PoolClosed
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.store import SqliteStore
from lifelong.stores.sqlite.successors import give_up_successor

_SQL = queries("catalogue")
_RETIRED = queries("rotation")["retired"]
_SUFFIXES = ("-wal", "-shm", "-journal")


def remove_leftovers(store: SqliteStore, files: DirectoryFiles, *, older_than: datetime) -> int:
    """Remove what nothing names and what was not touched since; return how many files.

    What another process is just making is younger. Moves that were begun are ended first, so that
    no file is taken for left over that an owner is about to have.

    Args:
        store: of all owners.
        files: of them.
        older_than: aware; choose it so long ago that nothing can take that long.
    """
    catalogue = files.catalogue
    with catalogue.read() as connection:
        begun = fetch(connection, _SQL["successors"])
    for owner_id, old in begun:
        _end_move(store, files, owner_id, old)
    # Who adds a file to the catalogue waits meanwhile, and looks then whether it is still there.
    with catalogue.write() as connection, mapped_os_errors(files.path):
        named = {row[0] for row in fetch(connection, _SQL["files"])}
        left = set(_unnamed(files.path, named, catalogue.marker.catalogue))
        old_ones = [path for path in left if _changed_at(path) < older_than]
        for path in old_ones:
            remove_database(path)
    return len(old_ones)


def _end_move(store: SqliteStore, files: DirectoryFiles, owner_id: str, old: str) -> None:
    """End a move that counts, and give up one that was broken off before it did."""
    opened = store.open_owner(owner_id, may_make=False)
    if opened.file.path is None or opened.file.path.name != old:
        give_up_successor(files, owner_id, old)
        return
    with suppress(PoolClosed):  # somebody is at it already
        # Whoever moves it holds this lock from before its copy is made until the move counts.
        with opened.pool.write() as connection:
            is_retired = fetch_value(connection, _RETIRED)
            if not is_retired:
                give_up_successor(files, owner_id, old)
        if is_retired:
            store.let_go(owner_id, opened)


def _unnamed(path: Path, named: set[str], catalogue: str) -> Iterator[Path]:
    for file in (path / OWNERS).iterdir():
        base = _base(file)
        if base.suffix == ".db" and base.name not in named:
            yield base
    for file in path.iterdir():
        base = _base(file)
        is_catalogue = base.match(CATALOGUES) and base.name != catalogue
        if is_catalogue or base.name.startswith(DRAFT):
            yield base


def _base(file: Path) -> Path:
    """Return the database that a WAL or journal belongs to."""
    for suffix in _SUFFIXES:
        if file.name.endswith(suffix):
            return file.with_name(file.name.removesuffix(suffix))
    return file


def _changed_at(path: Path) -> datetime:
    """Return when a database was last written to, in whichever of its files."""
    there = [path, *(path.with_name(path.name + suffix) for suffix in _SUFFIXES)]
    times = [each.stat().st_mtime for each in there if each.exists()]
    return datetime.fromtimestamp(max(times, default=0), UTC)
