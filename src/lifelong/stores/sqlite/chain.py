"""The chain in SQLite: every row is held against its entry, and the entries against their head.

Triggers make the entries, see sql/0007_chain.sql; here they are only read, in one transaction.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from typing import Any

import apsw

from lifelong.integrity import PROBLEMS_MAX, Verified, entries_of
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.connection import connect, from_micros
from lifelong.stores.sqlite.keys import seal_key
from lifelong.stores.sqlite.marks import head_of, linker
from lifelong.stores.sqlite.migrations import migrate
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries

_SQL = queries("chain")
_STEP_ROWS = 1_000
_BEGINNING = bytes(32)
_TABLES = frozenset(("chain", "chain_head"))

_ENDED, _MET = 1, 2
"""What is known of an entry: a later one ends it; its row was met, or it is of none."""

_LABELS = {
    "session": "session number {}",
    "message": "message number {}",
    "memory": "memory number {}",
    "memory_parent": "a parent of a memory",
    "memory_history": "version number {} in the history of a memory",
    "state": "state {!r}",
    "file": "text number {} of a file",
    "file_version": "old text number {} of a file",
    "file_parent": "a parent of a file",
    "tombstone": "a tombstone",
    "legal_hold": "legal hold {!r}",
}


class SqliteChain:
    """The chain of one owner."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def verify(self, anchor: str | None, on_progress: Callable[[int, int], None]) -> Verified:
        """Hold every row against the chain, and the chain against its head.

        Raises:
            InvalidValue: `anchor` is no head.
        """
        since = None if anchor is None else (entries_of(anchor), anchor)
        with self._access.read_file() as (connection, file):
            own = file.seal or seal_key(file.key)
            walk = _Walk(connection, own, on_progress)
            if walk.has_its_code():
                walk.follow(since)
                walk.hold_rows()
                walk.find_lost_rows()
        return Verified(
            head=head_of(own, walk.entries, walk.link),
            entries=walk.entries,
            is_keyed=file.key is not None,
            problems=tuple(walk.problems),
        )


class _Walk:
    """One reading of a chain and its rows, and what it found."""

    def __init__(
        self, connection: apsw.Connection, own: bytes, on_progress: Callable[[int, int], None]
    ) -> None:
        self.entries = 0
        self.link = _BEGINNING
        self.problems: list[str] = []
        self._connection = connection
        self._own = own
        self._tell = on_progress
        self._done = self._total = 0
        self._known = bytearray()

    def has_its_code(self) -> bool:
        """Return whether the chain can be read; find what triggers, views and indexes are not ours.

        Whoever drops a trigger keeps later rows out of the chain; another view shows other rows.
        """
        found = dict(fetch(self._connection, _SQL["code"]))
        tables = {row[0] for row in fetch(self._connection, _SQL["tables"])}
        due = _due_code()
        names = sorted(found.keys() | due.keys())
        broken = [name for name in names if found.get(name) != due.get(name)]
        for name in broken:
            self._add(f"the trigger, view or index {name!r} is not as lifelong makes it")
        for name in sorted(_TABLES - tables):
            self._add(f"the table {name!r} is missing")
        views = [name for name in broken if due.get(name, "").startswith("CREATE VIEW")]
        return tables == _TABLES and not views

    def follow(self, since: tuple[int, str] | None) -> None:
        """Link entry to entry, up to the head; note which are ended."""
        count = fetch_value(self._connection, _SQL["count"])
        self._total = count + fetch_value(self._connection, _SQL["count_rows"])
        self._known = bytearray(count + 1)
        link_to = linker(self._own)
        last, unlinked = 0, list[str]()
        heads = {0: since[1]} if since and since[0] == 0 else {}
        for no, is_linked, ends, said in self._stream("entries"):
            if no != last + 1:
                self._add(f"the chain goes on with entry {no} after entry {last}")
            last = no
            self._note(no, ends)
            unlinked.append(said)
            if is_linked:
                self.entries, self.link = no, link_to(self.link, ";".join(unlinked))
                unlinked.clear()
                if since and no == since[0]:
                    heads[no] = head_of(self._own, no, self.link)
        if since and not hmac.compare_digest(heads.get(since[0], ""), since[1]):
            self._add(
                f"the chain has {last} entries, and is not the one that had {since[0]} when its"
                " head was noted: it was put back to an older state, or is another one"
            )
        self._compare_head(last)

    def _note(self, no: int, ends: object) -> None:
        if ends is None:
            return
        if no < len(self._known):
            self._known[no] |= _MET
        if isinstance(ends, int) and 0 < ends < min(no, len(self._known)):
            self._known[ends] |= _ENDED
        else:
            self._add(f"entry {no} of the chain ends none that was before it")

    def _compare_head(self, last: int) -> None:
        heads = fetch(self._connection, _SQL["head"])
        entries, link = heads[0] if len(heads) == 1 else (None, None)
        if entries != last or self.entries != last:
            self._add(f"the chain has {last} entries, and its head says {entries}")
        elif link != self.link:
            self._add(
                "the chain does not lead to its head: an entry, or the head, was changed, removed,"
                " put in or moved"
            )

    def hold_rows(self) -> None:
        """Hold every row against its entry."""
        has_bad_memory = False
        for what, ref, entry, is_whole in self._stream("rows"):
            why = self._why_not(entry, is_whole=bool(is_whole))
            if why:
                self._add(f"{self._name(what, ref)} was {why} behind the engine")
                has_bad_memory |= what in ("memory", "memory_parent")
        if not has_bad_memory:  # a seal is made of what was found whole here
            for (seq,) in fetch(self._connection, _SQL["broken_seals"]):
                self._add(f"the seal of {self._name('memory', b'%d' % seq)} was changed")

    def _why_not(self, entry: int | None, *, is_whole: bool) -> str:
        if entry is None:
            return "put in"
        is_ended = False
        if entry < len(self._known):
            is_ended = bool(self._known[entry] & _ENDED)
            self._known[entry] |= _MET
        if not is_whole:
            return "changed"
        return "put back to what it had been" if is_ended else ""

    def find_lost_rows(self) -> None:
        """Find the entries that nothing ended and that no row is left of."""
        at = 0
        while (at := self._known.find(0, at + 1)) > 0:
            for what, ref in fetch(self._connection, _SQL["entry"], (at,)):
                self._add(f"{_label(_as_text(what), ref)} was removed behind the engine")
        self._tell(self._total, self._total)

    def _name(self, what: str, ref: bytes | None) -> str:
        """Return what a person calls a row that is there."""
        if what not in ("message", "memory"):
            return _label(what, ref)
        names = [
            repr(_as_text(name))
            for row in fetch(self._connection, _SQL[f"name_of_{what}"], (int(ref or 0),))
            for name in row
        ]
        return f"{_label(what, ref)} ({' of session '.join(names)})"

    def _add(self, problem: str) -> None:
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(problem)

    def _stream(self, name: str) -> Iterator[tuple[Any, ...]]:
        with closing(self._connection.cursor()) as cursor:
            for row in cursor.execute(_SQL[name]):
                yield row
                self._done += 1
                if self._done % _STEP_ROWS == 0:
                    self._tell(min(self._done, self._total), self._total)


def _label(what: str, ref: bytes | None) -> str:
    if ref is None:
        return "a row whose entry was blanked"
    return _LABELS.get(what, "a row of {!r}").format(_as_text(ref))


def _as_text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")


@cache
def _due_code() -> dict[str, str]:
    """Return the triggers, views and indexes of a file that nobody touched."""
    with closing(connect(None, None, now=lambda: from_micros(0))) as connection:
        migrate(connection, "memory", 0)
        return dict(fetch(connection, _SQL["code"]))
