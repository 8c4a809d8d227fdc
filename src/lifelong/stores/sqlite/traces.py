"""What is about to be erased, as bytes: so that it is known whether any of it was left behind.

It is read before the rows go and is compared with the slack of the file after. See `slack`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import apsw

from lifelong.rows import Selection
from lifelong.stores.sqlite.queries import fetch, fetch_value, queries
from lifelong.stores.sqlite.slack import is_in_slack
from lifelong.stores.sqlite.words import as_json, terms_of

_SQL = queries("traces")
_LOG, _MEMORIES = queries("log"), queries("memories")


@dataclass(frozen=True, slots=True)
class Traces:
    """What rows held.

    Attributes:
        texts: of any column.
        blobs: vectors and hashes.
        terms: of the full-text index, as its tokenizer makes them.
    """

    texts: tuple[str, ...]
    blobs: tuple[bytes, ...]
    terms: tuple[str, ...]

    def are_left(self, connection: apsw.Connection, slack: bytes) -> bool:
        """Return whether slack holds any of it; a word that others use too is no trace."""
        gone = [term for term in self.terms if not _is_used(connection, term)]
        return is_in_slack(slack, texts=self.texts, terms=gone, blobs=self.blobs)


def traces_of(connection: apsw.Connection, what: Selection) -> Traces:
    """Return what the rows hold that a selection means."""
    bound = {
        "messages": as_json(what.messages),
        "memories": as_json(what.memories),
        "labels": as_json(what.labels),
        "states": as_json(what.states),
        "files": as_json(what.files),
    }
    texts = tuple(row[0] for row in fetch(connection, _SQL["texts"], bound))
    blobs = tuple(row[0] for row in fetch(connection, _SQL["blobs"], bound))
    return Traces(texts, blobs, tuple(terms_of(connection, _words(texts))))


def _words(texts: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(word for text in texts for word in text.split())


def _is_used(connection: apsw.Connection, term: str) -> bool:
    return any(fetch_value(connection, sql["term_frequency"], (term,)) for sql in (_LOG, _MEMORIES))
