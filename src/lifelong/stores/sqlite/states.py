"""Named values in SQLite."""

from __future__ import annotations

from datetime import datetime

from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.barred import is_name_barred, lift_name
from lifelong.stores.sqlite.connection import to_micros
from lifelong.stores.sqlite.kept import require_kept
from lifelong.stores.sqlite.queries import fetch, fetch_value

_GET = "SELECT value FROM state WHERE name = ?"
_SET = """
INSERT INTO state (name, value, updated_at) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
"""
_REMOVE = "DELETE FROM state WHERE name = ?"
_NAMES = "SELECT name FROM state ORDER BY name"


class SqliteStates:
    """The named values of one owner."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def get(self, name: str) -> str | None:
        """Return the JSON text kept under `name`."""
        with self._access.read() as (connection, _):
            value = fetch_value(connection, _GET, (name,))
        return None if value is None else str(value)

    def set(self, name: str, value: str | None, at: datetime) -> None:
        """Keep JSON text under `name`; None removes it.

        Raises:
            NotKept: retention lets nothing be saved.
        """
        if value is None and not self._access.is_there():
            return
        with self._access.write() as connection:
            if value is None:
                connection.execute(_REMOVE, (name,))
            else:
                require_kept(connection, f"state {name!r}")
                lift_name(connection, "state", name)
                connection.execute(_SET, (name, value, to_micros(at)))

    def was_forgotten(self, name: str) -> bool:
        """Return whether what was kept under `name` was forgotten, and nothing set since."""
        with self._access.read() as (connection, _):
            return is_name_barred(connection, "state", name)

    def names(self) -> list[str]:
        """Return the names that hold a value, sorted."""
        with self._access.read() as (connection, _):
            return [row[0] for row in fetch(connection, _NAMES)]
