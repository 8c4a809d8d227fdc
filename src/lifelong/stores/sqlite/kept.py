"""Whether retention lets anything be saved: asked in the transaction that would save it."""

from __future__ import annotations

import apsw

from lifelong.errors import NotKept
from lifelong.stores.sqlite.queries import fetch_value

_SAVES_NOTHING = "SELECT 1 FROM retention WHERE what = 'owner' AND saves = 'nothing'"


def require_kept(connection: apsw.Connection, what: str) -> None:
    """Refuse to save, where nothing may be saved.

    Raises:
        NotKept: it names `what`.
    """
    if fetch_value(connection, _SAVES_NOTHING):
        raise NotKept(what)
