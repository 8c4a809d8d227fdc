"""Vectors in SQLite: which rows still need one, and what a process holds in memory of the others.

A row gets its vector in a transaction that looks whether the row is still there, and still says
what the model was given; so nothing that was forgotten comes back, and of two processes that do
the same work one does it in vain.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from lifelong.errors import EmbedderFailed
from lifelong.rows import (
    NewVector,
    RowKind,
    StoredMessage,
    VectorCounts,
    VectorModel,
    VectorPage,
)
from lifelong.stores.sqlite.access import Access
from lifelong.stores.sqlite.log import stored_message
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.words import as_json

_SQL = queries("vectors")
_NO_LIMIT = 1 << 62

UNSETTLED_MAX = 500
"""So many rows are looked through for one without a vector before it is noted that all have one."""


class SqliteVectors:
    """The vectors of one owner."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def pending_messages(
        self, model: str, rows_max: int, before: int | None = None
    ) -> list[StoredMessage]:
        """Return messages that have no vector of the model, the newest first."""
        found = self._pending("pending_messages", model, rows_max, before)
        return [stored_message(row) for row in found]

    def pending_memories(
        self, model: str, rows_max: int, before: int | None = None
    ) -> list[tuple[int, str]]:
        """Return number and text of memories that have no vector of the model, newest first."""
        return self._pending("pending_memories", model, rows_max, before)

    def _pending(self, query: str, model: str, rows_max: int, before: int | None) -> list[Any]:
        bound = {"model": model, "rows_max": rows_max, "before": before or _NO_LIMIT}
        with self._access.read() as (connection, _):
            found = fetch(connection, _SQL[query], bound)
            unsettled = fetch(connection, _SQL["unsettled"], (model,))
        if not found and before is None and unsettled and max(unsettled[0]) > UNSETTLED_MAX:
            with self._access.write_if_there() as writing:
                if writing is not None:
                    writing.execute(_SQL["settle_messages"], (model,))
                    writing.execute(_SQL["settle_memories"], (model,))
        return found

    def of_texts(self, model: str, hashes: Sequence[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """Return the vector and the tokens' vectors of those texts that have been embedded."""
        found = {}
        with self._access.read() as (connection, _):
            for text_hash in hashes:
                for same, vector, tokens in fetch(connection, _SQL["of_texts"], (text_hash, model)):
                    found[same] = vector, tokens or b""
        return found

    def put(self, model: VectorModel, rows: Sequence[NewVector]) -> int:
        """Store vectors, each if its row is still there and has none; return how many were stored.

        Raises:
            EmbedderFailed: vectors of this model had another length.
        """
        stored = 0
        with self._access.write_if_there() as connection:
            if connection is None:
                return stored
            model_no = _model_no(connection, model)
            for row in rows:
                add = "add_of_memory" if row.kind == RowKind.MEMORY else "add_of_message"
                bound = {
                    "model_no": model_no,
                    "seq": row.seq,
                    "text_hash": row.text_hash,
                    "vector": row.vector,
                    "text": row.text,
                }
                number = fetch_value(connection, _SQL[add], bound)
                if number is not None:
                    stored += 1
                    if row.tokens:
                        connection.execute(_SQL["add_tokens"], (number, row.tokens))
        return stored

    def since(self, model: str, number: int, rows_max: int) -> VectorPage:
        """Return vectors of the model whose number is higher than `number`, in order."""
        bound = {"model": model, "number": number, "rows_max": rows_max}
        with self._access.read() as (connection, _):
            removals = fetch_value(connection, _SQL["removals"])
            return VectorPage(removals, fetch(connection, _SQL["since"], bound))

    def numbers(self, model: str) -> list[int]:
        """Return the numbers of all vectors of the model."""
        with self._access.read() as (connection, _):
            found: list[int] = json.loads(fetch_value(connection, _SQL["numbers"], (model,)))
        return found

    def read(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors with these numbers, those that are still there."""
        return self._blobs("vectors", numbers)

    def tokens(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return the tokens' vectors that belong to these vectors, where there are any."""
        return self._blobs("tokens", numbers)

    def _blobs(self, query: str, numbers: Sequence[int]) -> dict[int, bytes]:
        with self._access.read() as (connection, _):
            return dict(fetch(connection, _SQL[query], (as_json(numbers),)))

    def hashes(self, model: str, kind: RowKind) -> dict[int, bytes]:
        """Return, for each row that has a vector of the model, the hash of the text it is of."""
        with self._access.read() as (connection, _):
            return dict(fetch(connection, _SQL["hashes"], (int(kind), model)))

    def counts(self) -> VectorCounts:
        """Return how many rows there are, and how many have a vector, by model."""
        with self._access.read() as (connection, _):
            return VectorCounts(
                fetch_value(connection, _SQL["count_messages"]),
                fetch_value(connection, _SQL["count_memories"]),
                _count_by_model(connection),
            )

    def remove(self, kind: RowKind, seqs: Sequence[int]) -> int:
        """Remove the vectors of these rows, so that they are made again."""
        with self._access.write_if_there() as connection:
            return 0 if connection is None else renew_vectors(connection, kind, seqs)

    def remove_other_models(self, model: str) -> int:
        """Remove the vectors of every other model; return how many there were."""
        with self._access.write_if_there() as connection:
            if connection is None:
                return 0
            connection.execute(_SQL["remove_other_models"], (model,))
            removed = connection.changes()
            connection.execute(_SQL["forget_other_models"], (model,))
            if removed:
                connection.execute(_SQL["removed"])
        return removed


def _count_by_model(connection: apsw.Connection) -> dict[str, int]:
    """Return how many vectors each model has; of one, as it mostly is, that is soon counted."""
    models = [row[0] for row in fetch(connection, _SQL["models"])]
    if len(models) == 1:
        return {models[0]: fetch_value(connection, _SQL["count_vectors"])}
    return dict(fetch(connection, _SQL["count_by_model"]))


def _model_no(connection: apsw.Connection, model: VectorModel) -> int:
    """Return the number of a model; it is noted when it is met for the first time."""
    lengths = (model.dimensions, model.token_dimensions)
    for number, *noted in fetch(connection, _SQL["model"], (model.name,)):
        if tuple(noted) != lengths:
            raise EmbedderFailed(
                f"{model.name} gave vectors of {lengths} numbers, before of {tuple(noted)}"
            )
        return int(number)
    return int(fetch_value(connection, _SQL["add_model"], (model.name, *lengths)))


def remove_vectors(connection: apsw.Connection, kind: RowKind, seqs: Sequence[int]) -> int:
    """Remove the vectors of rows that go, of whatever model; return how many there were."""
    if not seqs:
        return 0
    connection.execute(_SQL["remove"], (int(kind), as_json(seqs)))
    removed = connection.changes()
    if removed:
        connection.execute(_SQL["removed"])
    return removed


def renew_vectors(connection: apsw.Connection, kind: RowKind, seqs: Sequence[int]) -> int:
    """Remove the vectors of rows that stay, so that they get new ones; return how many went."""
    removed = remove_vectors(connection, kind, seqs)
    if removed:
        rows = "memories" if kind == RowKind.MEMORY else "messages"
        connection.execute(_SQL[f"unsettle_{rows}"], (min(seqs),))
    return removed


def check_vectors(connection: apsw.Connection) -> list[str]:
    """Return what is wrong with the vectors, a sentence each."""
    problems = [
        f"a vector is of {what} number {seq}, which is not there"
        for what, seq in fetch(connection, _SQL["lost_vectors"])
    ]
    problems += [
        f"vector number {number} has not the length of its model's"
        for (number,) in fetch(connection, _SQL["misshapen_vectors"])
    ]
    return problems
