"""What may not come back by itself: what forgotten memories said, names of values and files.

A tombstone is a hash with the owner's key. It tells no text, and dies with the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from lifelong.memory.terms import text_hash
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries

_SQL = queries("barred")


def bar_texts(connection: apsw.Connection, memory_id: str, *, namespace: str, at: int) -> None:
    """Leave a tombstone for each text that a memory has, or had."""
    for (text,) in fetch(connection, _SQL["texts_of_memory"], (memory_id, memory_id)):
        connection.execute(_SQL["bar"], (namespace, text_hash(text).hex(), at))


def bar_name(connection: apsw.Connection, what: str, *, name: str, at: int) -> None:
    """Leave a tombstone for a named value (``state``) or a file, by its path."""
    connection.execute(_SQL["bar_name"], (f"{what} name", what, name, at))


def is_name_barred(connection: apsw.Connection, what: str, name: str) -> bool:
    """Return whether a named value or a file was forgotten, and not written anew since."""
    return fetch_value(connection, _SQL["is_name_barred"], (f"{what} name", what, name)) is not None


def lift_name(connection: apsw.Connection, what: str, name: str) -> None:
    """Let a named value or a file come again: somebody wrote it anew."""
    connection.execute(_SQL["lift_name"], (f"{what} name", what, name))


def is_barred(connection: apsw.Connection, namespace: str, hashes: Iterable[bytes]) -> bool:
    """Return whether any of these texts, by their hashes, was forgotten in a namespace."""
    return any(
        fetch_value(connection, _SQL["is_barred"], (namespace, each.hex())) for each in hashes
    )


def has_barred(connection: apsw.Connection) -> bool:
    """Return whether anything is barred at all."""
    return fetch_value(connection, _SQL["any"]) is not None


def lift_bar(connection: apsw.Connection, namespace: str, hashes: Sequence[bytes]) -> None:
    """Let these texts come again: their user said them anew."""
    for each in hashes:
        connection.execute(_SQL["lift"], (namespace, each.hex()))
