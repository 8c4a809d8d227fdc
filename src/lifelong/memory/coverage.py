"""Which words of a question a row has, and how much of the question that is.

A share is weighed by idf: a rare word says more of what is asked than a common one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from lifelong.memory.bm25 import idf
from lifelong.rows import SEQ_SHIFT, TermMatches

_LOOKED_UP_FROM = 8
"""With so many postings for each row, to look up each row is faster than to read all postings."""


def held_terms(terms: Sequence[TermMatches], seq: int) -> frozenset[str]:
    """Return the terms that the row `seq` has in any of its passages."""
    return frozenset(term.term for term in terms if _has(term.postings, seq))


def share_of_each(
    terms: Sequence[TermMatches], weights: Mapping[str, float], seqs: Iterable[int]
) -> dict[int, float]:
    """Return how much of what is asked each of many rows has in any of its passages, 0 to 1."""
    shares = dict.fromkeys(seqs, 0.0)
    total = sum(weights.values())
    having: dict[str, set[int]] = {}
    for term in terms:
        if term.term in weights:
            having.setdefault(term.term, set()).update(_among(term.postings, shares.keys()))
    for name, held in having.items():
        for seq in held:
            shares[seq] += weights[name] / total
    return shares


def _among(postings: Sequence[int], seqs: AbstractSet[int]) -> Iterable[int]:
    """Return those of some rows that have a posting."""
    if len(postings) > _LOOKED_UP_FROM * len(seqs):
        return [seq for seq in seqs if _has(postings, seq)]
    return seqs & {posting >> SEQ_SHIFT for posting in postings}


def _has(postings: Sequence[int], seq: int) -> bool:
    at = bisect_left(postings, seq << SEQ_SHIFT)
    return at < len(postings) and postings[at] >> SEQ_SHIFT == seq


def term_weights(terms: Sequence[TermMatches], passages: int) -> dict[str, float]:
    """Return the idf of each term among so many passages, less for what may not be meant.

    What was asked may stand in several forms under one name, then the weightiest counts.
    """
    weights: dict[str, float] = {}
    for term in terms:
        weight = term.weight * idf(term.frequency, passages)
        weights[term.term] = max(weight, weights.get(term.term, 0.0))
    return weights


def share(held: AbstractSet[str], weights: Mapping[str, float]) -> float:
    """Return how much of what is asked `held` has, 0 to 1."""
    total = sum(weights.values())
    return sum(weights.get(term, 0.0) for term in held) / total if total else 0.0
