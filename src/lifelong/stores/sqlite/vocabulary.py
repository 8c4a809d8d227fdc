"""Words of the index that a word of a query may mean, though they are not the same.

Other forms of it, compounds with it, parts of it, and what it may be a slip of. Each look is one
range of the vocabulary. Only what a compound ends in cannot be found so; for that all of it is
read, where it is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import apsw

from lifelong.memory.inflection import (
    PART_MIN,
    is_compound,
    is_compounding,
    is_form,
    is_head,
    is_kin,
    is_tail,
    tails,
)
from lifelong.memory.languages import ENGLISH, plain
from lifelong.memory.spelling import beginnings, guesses, may_be_misspelt
from lifelong.rows import Beginning
from lifelong.stores.sqlite.queries import fetch, fetch_value

NEAR_WEIGHT = 0.5
"""Of compounds with a word, or of its parts."""

GUESS_WEIGHT = 0.5
"""Of what a word may be a slip of."""

RANGE_MAX = 5_000
"""Of a range, so many terms are looked at: some milliseconds."""

PASSAGES_READ_MAX = 2_000
"""Up to so many passages the whole vocabulary is read, within ten milliseconds, for compounds."""

PASSAGES_WIDE_MAX = 4_000
"""Up to so many, slips are looked for in wider ranges."""

ABSENT_MAX = 8
"""Of a query, so many words that are nowhere are looked into."""

Frequencies = dict[str, int]
"""How many passages have each term."""


@dataclass(frozen=True, slots=True)
class Group:
    """Terms that stand for one word of a query, as if they were one term."""

    word: str
    terms: Frequencies
    weight: float = 1.0

    def frequency(self) -> int:
        """Return how many passages have a term, those with two of them counted twice."""
        return sum(self.terms.values())


class Vocabulary:
    """The terms of one index, during one query."""

    def __init__(self, connection: apsw.Connection, sql: Mapping[str, str], passages: int) -> None:
        self._connection = connection
        self._sql = sql
        self._passages = passages
        self._absent = 0
        self._all: Frequencies = {}
        self._lines = ""

    def meant_by(self, beginning: Beginning, own: Sequence[str]) -> Iterator[Group]:
        """Yield what stands for a word: its forms, compounds; or slips; or parts; or nothing.

        Args:
            beginning: what it is to begin with.
            own: the terms that the index makes of it.
        """
        word = beginning.word or beginning.stems[0]
        forms, compounds = self._family(beginning)
        for term in own:
            frequency = fetch_value(self._connection, self._sql["term_frequency"], (term,))
            if frequency:
                forms[term] = frequency
        if forms:
            yield Group(word, forms)
        if compounds:
            yield Group(word, compounds, NEAR_WEIGHT)
        if forms or compounds or not beginning.language:
            return
        found = list(self.likely_meant(plain(word))) or list(self._parts(beginning))
        yield from found or [Group(word, {})]

    def likely_meant(self, absent: str) -> Iterator[Group]:
        """Yield what a term, which is nowhere, may be a slip of."""
        if not may_be_misspelt(absent) or self._absent >= ABSENT_MAX:
            return
        self._absent += 1
        starts = beginnings(absent, letters=2 if self._passages <= PASSAGES_WIDE_MAX else 3)
        likely = dict(guesses(absent, [one for start in starts for one in self._begun(start)]))
        if likely:
            yield Group(absent, likely, GUESS_WEIGHT)

    def _family(self, beginning: Beginning) -> tuple[Frequencies, Frequencies]:
        """Return the terms that are forms of what begins so, and the compounds with it."""
        language = beginning.language
        forms: Frequencies = {}
        compounds: Frequencies = {}
        if language == ENGLISH:
            # The index stems English itself; only forms that no ending makes are named, as `own`.
            return forms, compounds
        for stem in beginning.stems:
            for term, frequency in self._begun(stem):
                rest = term[len(stem) :]
                if is_form(rest, language):
                    forms[term] = frequency
                elif is_compound(rest, stem, language):
                    compounds[term] = frequency
        if is_compounding(language) and self._passages <= PASSAGES_READ_MAX:
            compounds.update(self._ending(beginning.stems[0], language))
        return forms, {term: n for term, n in compounds.items() if term not in forms}

    def _parts(self, beginning: Beginning) -> Iterator[Group]:
        """Yield the terms for the last and for the first part of a compound."""
        word, language = beginning.stems[0], beginning.language
        if language == ENGLISH:
            return
        for tail in tails(word, language):
            forms, compounds = self._family(tail)
            if forms or compounds:
                yield Group(tail.word, forms | compounds, NEAR_WEIGHT)
                break
        begun = self._begun(word[:PART_MIN])
        heads = {term: frequency for term, frequency in begun if is_head(term, word, language)}
        kin = {term: frequency for term, frequency in begun if is_kin(term, word, language)}
        if heads or kin:
            yield Group(word, heads or kin, NEAR_WEIGHT)

    def _begun(self, prefix: str) -> list[tuple[str, int]]:
        """Return the terms that begin so, each with how many passages have it."""
        bound = {"prefix": prefix, "most": RANGE_MAX}
        return fetch(self._connection, self._sql["prefix_terms"], bound)

    def _ending(self, stem: str, language: str) -> Iterator[tuple[str, int]]:
        """Yield the compounds whose last part is a form of the stem."""
        if not self._lines:
            self._all = dict(self._begun(""))
            self._lines = "\n".join(["", *self._all, ""])
        at = self._lines.find(stem)
        while at >= 0:
            end = self._lines.index("\n", at)
            term = self._lines[self._lines.rindex("\n", 0, at + 1) + 1 : end]
            if is_tail(term, stem, language):
                yield term, self._all[term]
            at = self._lines.find(stem, end)
