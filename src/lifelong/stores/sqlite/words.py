"""Query words through the index's own tokenizer, so that both sides stem alike.

The words of a query never become part of a query language: they are looked up as terms, bound as
parameters, in the term tables of the full-text index.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import apsw

from lifelong.rows import TermMatches
from lifelong.stores.sqlite.queries import fetch, fetch_value

TERMS_MAX = 48
"""Of a long query, so many of its rarest terms are used."""

_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2", "categories", "L* N* Co M*"])


def index_terms(connection: apsw.Connection, words: Sequence[str]) -> list[str]:
    """Return the distinct terms that the index made of `words`, in order."""
    tokenize = connection.fts5_tokenizer(*_TOKENIZER)
    found = tokenize(
        " ".join(words).encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False
    )
    return list(dict.fromkeys(str(term) for group in found for term in group))


def match_terms(
    connection: apsw.Connection,
    sql: Mapping[str, str],
    *,
    words: Sequence[str],
    prefixes: Sequence[str],
) -> tuple[TermMatches, ...]:
    """Return the postings of each term, the rarest first; a term that is nowhere has none."""
    terms = index_terms(connection, words)
    if len(terms) > TERMS_MAX:
        terms = _rarest(connection, sql, terms)
    found = [TermMatches(term, _postings(connection, sql, term)) for term in terms]
    for prefix in prefixes:
        begun = [row[0] for row in fetch(connection, sql["prefix_terms"], {"prefix": prefix})]
        together = [p for term in begun for p in _postings(connection, sql, term)]
        found.append(TermMatches(prefix, sorted(together)))
    return tuple(sorted(found, key=lambda term: len(term.postings)))


def _rarest(connection: apsw.Connection, sql: Mapping[str, str], terms: list[str]) -> list[str]:
    frequency = {term: fetch_value(connection, sql["term_frequency"], (term,)) for term in terms}
    present = [term for term in terms if frequency[term]]
    return sorted(present, key=lambda term: frequency[term])[:TERMS_MAX]


def _postings(connection: apsw.Connection, sql: Mapping[str, str], term: str) -> list[int]:
    return [row[0] for row in fetch(connection, sql["term_postings"], (term,))]


def as_json(values: Sequence[str] | Sequence[int]) -> str:
    """Return the values as a JSON array, to be bound as one parameter."""
    return json.dumps(list(values))
