"""Named queries, read from the `.sql` files: SQL is written as SQL, in one place.

A file holds `-- name: NAME` lines, each followed by one statement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import apsw

_NAME = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)


@cache
def queries(file: str) -> Mapping[str, str]:
    """Return the statements of `sql/<file>.sql` by name."""
    text = resources.files(__package__).joinpath("sql", f"{file}.sql").read_text(encoding="utf-8")
    pieces = _NAME.split(text)[1:]
    return {name: sql.strip() for name, sql in zip(pieces[::2], pieces[1::2], strict=True)}


Bound = Sequence[Any] | Mapping[str, Any]


def fetch(connection: apsw.Connection, sql: str, bound: Bound = ()) -> list[Any]:
    """Return all rows, as tuples; none is left unread, so that no statement stays open."""
    return connection.execute(sql, bound).fetchall()


def fetch_value(connection: apsw.Connection, sql: str, bound: Bound = ()) -> Any:
    """Return the first value of the first row, or None."""
    rows = connection.execute(sql, bound).fetchall()
    return rows[0][0] if rows else None


def read_numbers(connection: apsw.Connection, sql: str, bound: Bound) -> list[int]:
    """Return the numbers of a query that gives them as one JSON array.

    Thousands of row tuples would cost more, and make the garbage collector walk through the whole
    process.
    """
    found: list[int] = json.loads(fetch_value(connection, sql, bound))
    return found


def read_object(text: object) -> dict[str, Any]:
    """Return the JSON object of a text column; an empty one, when it was damaged."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}
