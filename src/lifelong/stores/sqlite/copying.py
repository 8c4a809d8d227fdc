"""Copies of a database: of one moment, page by page, while others read and write it.

The copy may have another key. Whoever copies holds a reading transaction, which in WAL mode blocks
nobody; only the WAL cannot be emptied until it ends.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw

from lifelong.stores.sqlite.connection import BUSY_TIMEOUT_MS, mapped_errors
from lifelong.stores.sqlite.marker import sync_directory
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries

_SQL = queries("copying")
_STEP_PAGES = 512
_ROUNDS = 600_000
"""Of PBKDF2 with SHA-256, to make a key from a passphrase: about half a second."""

Key = bytes | str | None
"""A raw key, a passphrase, or none."""

OnPages = Callable[[int], None]
"""Called with how many bytes were copied since it was called last."""


def copy_database(
    source: apsw.Connection, target: Path, *, key: Key, on_bytes: OnPages | None = None
) -> None:
    """Copy what the transaction of `source` sees into a new file, whole and lasting.

    Raises:
        StoreError: one of its kinds; the new file may be there in part.
    """
    with mapped_errors(str(target)):
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        copy = open_plainly(target, key)
        try:
            copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")  # synced below
            fetch_value(source, _SQL["begin"])  # a transaction sees one moment from its first read
            _copy_pages(source, copy, on_bytes or (lambda _bytes: None))
            copy.pragma("journal_mode", "delete")
        finally:
            copy.close()
    with target.open("rb+") as stream:
        os.fsync(stream.fileno())
    sync_directory(target.parent)


def open_plainly(path: Path, key: Key) -> apsw.Connection:
    """Open a file as it is: nothing is set that would change it."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    if isinstance(key, bytes):
        connection.pragma("key", f"raw:{key.hex()}")
    elif key is not None:
        connection.pragma("kdf_iter", _ROUNDS)
        connection.pragma("key", key)
    return connection


def _copy_pages(source: apsw.Connection, target: apsw.Connection, on_bytes: OnPages) -> None:
    page = fetch_value(source, "PRAGMA page_size")
    with target.backup("main", source, "main") as backup:
        done = 0
        while not backup.done:
            backup.step(_STEP_PAGES)
            now = backup.page_count - backup.remaining
            on_bytes((now - done) * page)
            done = now


def digest_rows(connection: apsw.Connection, seal: bytes) -> tuple[str, dict[str, int]]:
    """Return a keyed digest of every row of every table, and how many each table has.

    Both are equal for copies, whatever their key, and need no table to be there that a file of
    another version has not.
    """
    digest = hmac.new(seal, b"lifelong rows", hashlib.sha256)
    counts: Counter[str] = Counter()
    for name, sql, is_counted in fetch(connection, _SQL["tables"]):
        digest.update(f"\n{name}\n".encode())
        for row in connection.execute(sql):
            digest.update(repr(row).encode("utf-8", "surrogatepass"))
            counts[name] += is_counted
    return digest.hexdigest(), {name: count for name, count in counts.items() if count}


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
