"""What the catalogue keeps beside the owners' keys: the store's seed, and who was forgotten whole.

No id of an owner is kept once the owner is gone: only a keyed hash, which tells whether an id that
is asked about is one of them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import apsw

from lifelong.rows import Finished, ReceiptRow
from lifelong.stores.sqlite.connection import to_micros
from lifelong.stores.sqlite.forgetting import receipt_row
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries

_SQL = queries("registry")
SEED_BYTES = 32


def find_seed(connection: apsw.Connection) -> bytes | None:
    """Return the seed of the store; None where the catalogue has no registry yet."""
    if not fetch_value(connection, _SQL["has_registry"]):
        return None
    return bytes(fetch_value(connection, _SQL["seed"]))


def make_registry(connection: apsw.Connection) -> bytes:
    """Make the tables that are missing; return the seed of the store, which never changes."""
    for table in ("make_seed", "make_forgotten", "make_going"):
        connection.execute(_SQL[table])
    connection.execute(_SQL["add_seed"], (secrets.token_bytes(SEED_BYTES),))
    return bytes(fetch_value(connection, _SQL["seed"]))


def add_forgotten(
    connection: apsw.Connection, seed: bytes, *, owner_id: str, receipts: Sequence[ReceiptRow]
) -> None:
    """Keep the receipts of an owner who was forgotten whole; old bytes may still be there."""
    owner = _digest(seed, owner_id)
    connection.executemany(
        _SQL["add_forgotten"],
        [
            (
                row.note.id,
                owner,
                to_micros(row.note.at),
                _without_ids(row.note.scope),
                json.dumps(row.counts, sort_keys=True),
                json.dumps(row.keys_destroyed),
                to_micros(row.completed_at),
            )
            for row in receipts
        ],
    )


def forgotten(connection: apsw.Connection, seed: bytes, owner_id: str) -> list[ReceiptRow]:
    """Return what was noted of each time that an owner was forgotten whole, oldest first."""
    rows = fetch(connection, _SQL["forgotten"], (_digest(seed, owner_id),))
    return [receipt_row(row) for row in rows]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What is left to do after owners were forgotten whole.

    Attributes:
        receipts: ids of those that are not complete.
        files: that no owner has any more and that may be there still.
    """

    receipts: tuple[str, ...]
    files: tuple[str, ...]


NOTHING = Unfinished((), ())


def add_going(connection: apsw.Connection, file: str) -> None:
    """Note that a file is to be unlinked, whoever comes to it."""
    connection.execute(_SQL["add_going"], (file,))


def unfinished(connection: apsw.Connection) -> Unfinished:
    """Return what is left to do."""
    receipts = tuple(row[0] for row in fetch(connection, _SQL["pending"]))
    return Unfinished(receipts, tuple(row[0] for row in fetch(connection, _SQL["going"])))


def complete(connection: apsw.Connection, done: Unfinished, at: datetime) -> Finished:
    """Note that of these no old byte is left."""
    connection.execute(_SQL["gone"], (json.dumps(done.files),))
    connection.execute(_SQL["complete"], (to_micros(at), json.dumps(done.receipts)))
    return Finished(connection.changes(), 0)


def _without_ids(scope: str) -> str:
    """Return a scope by its words alone: who was forgotten leaves no id of theirs."""
    return ", ".join(part.split(" ", 1)[0] for part in scope.split(", "))


def _digest(seed: bytes, owner_id: str) -> bytes:
    return hmac.digest(seed, b"owner\0" + owner_id.encode(), hashlib.sha256)
