"""Query words through the index's own tokenizer, so that both sides stem alike.

The words of a query are looked up as terms, bound as parameters, in the term tables of the
full-text index; where two must stand together, each is quoted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import apsw

from lifelong.rows import TermMatches
from lifelong.stores.sqlite.queries import fetch, fetch_value

TERMS_MAX = 48
"""Of a long query, so many of its rarest terms are used."""

POSTINGS_MAX = 4_000
"""Terms are read whole, the rarest first, until so many postings were read. A more common term
then only adds to passages that a rarer one found: alone it says too little to bring one up.
Measured in an owner of 10,700 passages: the same evidence in the top ten as when all are read; at
1,000, four points less."""

_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2", "categories", "L* N* M*"])


def match_terms(
    connection: apsw.Connection,
    sql: Mapping[str, str],
    *,
    words: Sequence[str],
    prefixes: Sequence[str],
    passages: int,
) -> tuple[TermMatches, ...]:
    """Return the postings of each term, the rarest first; a term that is nowhere has none.

    Args:
        connection: in a transaction.
        sql: the queries of one index.
        words: of the query.
        prefixes: of the query.
        passages: how many there are in the index.
    """
    if not passages:
        return ()
    found = [_prefix_matches(connection, sql, prefix) for prefix in prefixes]
    word_of = _terms(connection, words)
    if passages <= POSTINGS_MAX:
        return (*found, *(_whole(connection, sql, term) for term in word_of))
    budget = POSTINGS_MAX - sum(len(one.postings) for one in found)
    return (*found, *_within(connection, sql, word_of, budget))


def _within(
    connection: apsw.Connection, sql: Mapping[str, str], word_of: Mapping[str, str], budget: int
) -> Iterator[TermMatches]:
    """Yield the matches of each term, read whole while the budget of postings lasts."""
    terms = [(fetch_value(connection, sql["term_frequency"], (t,)) or 0, t) for t in word_of]
    read: list[str] = []
    for frequency, term in sorted(terms)[:TERMS_MAX]:
        if not frequency:
            yield TermMatches(term, (), 0)
        elif read and frequency > budget:
            query = _conjunction(word_of[term], read)
            postings = _numbers(connection, sql["term_among"], query)
            yield TermMatches(term, postings, frequency, is_whole=False)
        else:
            yield _whole(connection, sql, term)
            budget -= frequency
            read.append(word_of[term])


def _terms(connection: apsw.Connection, words: Sequence[str]) -> dict[str, str]:
    """Return the distinct terms that the index made of `words`, each with the word it is of."""
    tokenize = connection.fts5_tokenizer(*_TOKENIZER)
    word_of: dict[str, str] = {}
    for word in words:
        groups = tokenize(word.encode(), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
        for group in groups:
            word_of.setdefault(str(group[0]), word)
    return word_of


def _whole(connection: apsw.Connection, sql: Mapping[str, str], term: str) -> TermMatches:
    postings = _postings(connection, sql, term)
    return TermMatches(term, postings, len(set(postings)))


def _conjunction(word: str, others: Sequence[str]) -> str:
    """Return a full-text query for passages with `word` and any of the others.

    Every word is quoted, so nothing in it is read as a part of the query language.
    """
    return f"{_quoted(word)} AND ({' OR '.join(map(_quoted, others))})"


def _quoted(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def _prefix_matches(
    connection: apsw.Connection, sql: Mapping[str, str], prefix: str
) -> TermMatches:
    begun = [row[0] for row in fetch(connection, sql["prefix_terms"], {"prefix": prefix})]
    postings = sorted(p for term in begun for p in _postings(connection, sql, term))
    return TermMatches(prefix, postings, len(set(postings)))


def _postings(connection: apsw.Connection, sql: Mapping[str, str], term: str) -> list[int]:
    return _numbers(connection, sql["term_postings"], term)


def _numbers(connection: apsw.Connection, sql: str, bound: str) -> list[int]:
    """Return the numbers of a query that gives them as one JSON array.

    Thousands of row tuples would cost more, and make the garbage collector walk through the whole
    process.
    """
    found: list[int] = json.loads(fetch_value(connection, sql, (bound,)))
    return found


def as_json(values: Sequence[str] | Sequence[int]) -> str:
    """Return the values as a JSON array, to be bound as one parameter."""
    return json.dumps(list(values))
