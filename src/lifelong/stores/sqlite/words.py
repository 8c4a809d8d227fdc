"""Query words through the index's own tokenizer, so that both sides stem alike.

The words of a query are looked up as terms, bound as parameters, in the term tables of the
full-text index; where two must stand together, each is quoted.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse
from typing import NamedTuple

import apsw

from lifelong.memory.languages import ENGLISH
from lifelong.memory.terms import unspaced_characters
from lifelong.rows import Beginning, TermMatches
from lifelong.stores.sqlite.held_terms import COMMON_MIN, HeldTerms, Postings, TermReader
from lifelong.stores.sqlite.queries import read_numbers
from lifelong.stores.sqlite.vocabulary import Group, Vocabulary

TERMS_MAX = 48
"""Of a long query, so many of its rarest terms are used."""

POSTINGS_MAX = 4_000
"""Terms are read whole, the rarest first, until so many postings were read. A more common term
then only adds to passages that a rarer one found: alone it says too little to bring one up.
Measured in an owner of 10,700 passages: the same evidence in the top ten as when all are read; at
1,000, four points less."""

FIRST_MAX = 8_000
"""When even the rarest term is more common than that, only the newest of its passages are read:
those with another word of the query first. With all of half a million, a question takes seconds."""

RARE_UP_TO = 40_000
"""In an index of so many passages most terms of a question are in less than a thousand."""

SKIPPED_SHARE = 0.2
"""A term in more of the passages than that adds nothing to what a rarer term found: measured in
owners of 10,700 and 34,400 passages, the evidence found is the same without."""

_ALL = -1
_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2", "categories", "L* N* M*"])


def match_terms(
    connection: apsw.Connection,
    sql: Mapping[str, str],
    *,
    words: Sequence[str],
    prefixes: Sequence[Beginning],
    passages: int,
    common: HeldTerms | None = None,
    first_max: int = FIRST_MAX,
) -> tuple[TermMatches, ...]:
    """Return the postings of each term, the rarest first; a term that is nowhere has none.

    Where no term is the word itself, those that it may mean stand for it, with less weight.

    Args:
        connection: in a transaction.
        sql: the queries of one index.
        words: of the query.
        prefixes: of the query.
        passages: how many there are in the index.
        common: what is held of its terms; None when nothing is.
        first_max: how many postings of the rarest term are read, whatever the budget. As many as
            there are passages: all postings of every term, since a filter may leave those alone
            that only a common term finds.
    """
    if not passages:
        return ()
    known = Vocabulary(connection, sql, passages)
    words, prefixes = _plain_english(words, prefixes, passages)
    found = list(_begun(connection, sql, prefixes, known))
    found += _standing_together(connection, sql, filter(_is_name, words))
    word_of = terms_of(connection, filterfalse(_is_name, words))
    matches: Iterable[TermMatches]
    if passages <= POSTINGS_MAX or passages == first_max:
        matches = (_whole(connection, sql, term) for term in word_of)
    else:
        reader = (common or HeldTerms()).now(connection, sql, passages)
        terms = sorted(_looked_up(word_of, reader, passages), key=_Term.rarity)
        budget = POSTINGS_MAX - sum(len(one.postings) for one in found)
        limits = _Limits(budget, first_max, int(passages * SKIPPED_SHARE))
        matches = _within(connection, sql, terms[:TERMS_MAX], limits, reader)
    for one in matches:
        found += [one] if one.frequency else _meant(connection, sql, one.term, known)
    return tuple(found)


def _plain_english(
    words: Sequence[str], prefixes: Sequence[Beginning], passages: int
) -> tuple[Sequence[str], Sequence[Beginning]]:
    """Return English words without their other forms, where "went" and "saw" stand too often."""
    if passages <= POSTINGS_MAX:
        return words, prefixes
    english = [prefix.word for prefix in prefixes if prefix.language == ENGLISH]
    return [*words, *english], [one for one in prefixes if one.language != ENGLISH]


class _Term(NamedTuple):
    """A term of the query.

    Attributes:
        term: as the index has it.
        word: that it is of.
        frequency: how many passages have it.
        alone: a full-text query for it and nothing else; empty if its word has other terms too.
        is_asked_again: whether it is common, and was asked for before: then it is worth holding.
        known: its postings, where they were read to count it; else None.
    """

    term: str
    word: str
    frequency: int
    alone: str
    is_asked_again: bool = False
    known: Postings | None = None

    def rarity(self) -> tuple[int, str]:
        """Return what puts the rarest term first."""
        return self.frequency, self.term


def _looked_up(word_of: Mapping[str, str], reader: TermReader, passages: int) -> Iterator[_Term]:
    """Yield the terms of a query, each with how common it is.

    Where most are rare, they are read at once, since to count a rare one takes as long.
    """
    # Of a long query only the rarest are used; in a large index many are common.
    are_rare = len(word_of) <= TERMS_MAX and passages <= RARE_UP_TO
    for term, word in word_of.items():
        alone = quoted(word) if word.isascii() and word.isalnum() else ""
        kept = reader.kept_count(term)
        if kept is None and are_rare:
            known = reader.read(term, alone, COMMON_MIN)
            if len(known.postings) < COMMON_MIN:
                yield _Term(term, word, known.frequency, alone, known=known)
                continue
        frequency = reader.count(term) if kept is None else kept
        yield _Term(term, word, frequency, alone, is_asked_again=kept is not None and bool(alone))


class _Limits(NamedTuple):
    """How many postings are read.

    Attributes:
        budget: of all terms that are read whole.
        first: of the rarest term, whatever the budget.
        skipped_above: a term in more passages than that is not read beside a rarer one.
    """

    budget: int
    first: int
    skipped_above: int


def _within(
    connection: apsw.Connection,
    sql: Mapping[str, str],
    terms: Sequence[_Term],
    limits: _Limits,
    reader: TermReader,
) -> Iterator[TermMatches]:
    """Yield the matches of each term, given the rarest first; whole while the budget lasts."""
    budget = limits.budget
    read: list[str] = []
    found: set[int] = set()
    oldest = 0
    for one in terms:
        frequency = one.frequency
        if frequency <= budget or (not read and frequency <= limits.first):
            postings, frequency = one.known or reader.read(one.term, one.alone)
            yield TermMatches(one.term, postings, frequency)
            budget -= one.frequency
            read += [one.word] if frequency else []
            found.update(postings)
            continue
        among: Sequence[int] = ()
        if not read:
            others = [other.word for other in terms if other.term != one.term]
            among, oldest = _newest(connection, sql, one.word, others, limits.first)
            budget = 0
            read.append(one.word)
            found.update(among)
        elif frequency <= limits.skipped_above:
            known = _among(one, found, reader)
            query = _conjunction(one.word, read), oldest
            among = read_numbers(connection, sql["term_among"], query) if known is None else known
        yield TermMatches(one.term, among, frequency, is_whole=False)


def _among(one: _Term, found: set[int], reader: TermReader) -> Sequence[int] | None:
    """Return which of the passages that were found have a term too; None to ask the index."""
    if one.known is not None and one.alone:
        return sorted(found.intersection(one.known.postings))
    if one.is_asked_again and reader.holds(one.frequency):
        return sorted(found.intersection(reader.passages(one.term, one.alone)))
    return None


def _newest(
    connection: apsw.Connection,
    sql: Mapping[str, str],
    word: str,
    others: Sequence[str],
    most: int,
) -> tuple[list[int], int]:
    """Return the newest passages that have a word, those with any of the others first.

    Returns:
        The postings, and the one from which on those with any of the others are all there.
    """
    beside: list[int] = []
    if others:
        beside = read_numbers(connection, sql["term_newest"], (_conjunction(word, others), most))
    if len(beside) == most:
        return sorted(beside), min(beside)
    alone = read_numbers(connection, sql["term_newest"], (quoted(word), most - len(beside)))
    return sorted({*beside, *alone}), 0


def terms_of(connection: apsw.Connection, words: Iterable[str]) -> dict[str, str]:
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
    return f"{quoted(word)} AND ({' OR '.join(map(quoted, others))})"


def quoted(word: str) -> str:
    """Return a word as a full-text query that reads nothing in it as its language."""
    return '"' + word.replace('"', '""') + '"'


def _begun(
    connection: apsw.Connection,
    sql: Mapping[str, str],
    prefixes: Sequence[Beginning],
    known: Vocabulary,
) -> Iterator[TermMatches]:
    """Yield the matches of what begins so, the rarest first, while the budget of postings lasts."""
    groups: list[Group] = []
    for prefix in prefixes:
        own = prefix.stems if prefix.language == ENGLISH else prefix.stems[:1]
        terms = list(terms_of(connection, [prefix.word, *own]))
        groups += known.meant_by(prefix, terms)
    groups.sort(key=Group.frequency)
    budget = POSTINGS_MAX
    for number, group in enumerate(groups):
        if number == 0 or group.frequency() <= budget:
            yield _union(connection, sql, group)
            budget -= group.frequency()


def _meant(
    connection: apsw.Connection, sql: Mapping[str, str], absent: str, known: Vocabulary
) -> Iterator[TermMatches]:
    """Yield the matches of what a term that is nowhere may be a slip of, and none of its own.

    A pair of characters that is nowhere is left out: most are of two words, and no word.
    """
    for group in known.likely_meant(absent):
        yield _union(connection, sql, group)
    if not unspaced_characters(absent):
        yield TermMatches(absent, (), 0)


def _union(connection: apsw.Connection, sql: Mapping[str, str], group: Group) -> TermMatches:
    """Return the matches of several terms as of one; the most common are left out if too many."""
    postings: list[int] = []
    for term in sorted(group.terms, key=group.terms.__getitem__):
        if not postings or len(postings) + group.terms[term] <= POSTINGS_MAX:
            postings += _postings(connection, sql, term)
    postings.sort()
    return TermMatches(group.word, postings, len(set(postings)), weight=group.weight)


def _is_name(word: str) -> bool:
    return word.isascii() and not word.isalnum()


def _standing_together(
    connection: apsw.Connection, sql: Mapping[str, str], names: Iterable[str]
) -> Iterator[TermMatches]:
    """Yield the matches of names of several words, where these stand side by side."""
    for name in names:
        postings = read_numbers(connection, sql["term_among"], (quoted(name), 0))
        if postings:
            yield TermMatches(name, postings, len(postings))


def _postings(connection: apsw.Connection, sql: Mapping[str, str], term: str) -> list[int]:
    return read_numbers(connection, sql["term_postings"], (term, _ALL))


def as_json(values: Sequence[str] | Sequence[int]) -> str:
    """Return the values as a JSON array, to be bound as one parameter."""
    return json.dumps(list(values))
