"""Schemas in steps: numbered SQL files, each applied once, in one transaction, and recorded.

A file is never changed after a release; a change of the schema is a new file.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

import apsw

from lifelong.errors import SchemaTooNew
from lifelong.stores.sqlite.queries import fetch_value

_NAME = re.compile(r"(\d{4})_(\w+)\.sql")


@cache
def steps() -> tuple[tuple[int, str, str], ...]:
    """Return (version, name, SQL) of each step, in order."""
    found = []
    for file in resources.files(__package__).joinpath("sql").iterdir():
        match = _NAME.fullmatch(file.name)
        if match:
            found.append((int(match[1]), match[2], file.read_text(encoding="utf-8")))
    return tuple(sorted(found))


def migrate(connection: apsw.Connection, place: str, at_micros: int) -> None:
    """Bring the schema to the newest version.

    Raises:
        SchemaTooNew: a newer lifelong wrote it.
    """
    newest = steps()[-1][0]
    if _version(connection) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_version ("
            "version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)"
        )
        version = _version(connection)
        if version > newest:
            raise SchemaTooNew(f"{place} has schema {version}, this lifelong knows {newest}")
        for number, name, sql in steps():
            if number > version:
                connection.execute(sql)
                connection.execute(
                    "INSERT INTO schema_version VALUES (?, ?, ?)", (number, name, at_micros)
                )
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _version(connection: apsw.Connection) -> int:
    if not connection.table_exists("main", "schema_version"):
        return 0
    return int(fetch_value(connection, "SELECT max(version) FROM schema_version") or 0)
