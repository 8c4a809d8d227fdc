"""BM25 without a query language: scores added up from the postings of each word.

Each passage is scored on its own and a row is as good as its best passage; a session is scored as
one text. Both are given as a share of what the query could reach at most, so that they compare
between questions. Pure: postings in, shares out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lifelong.rows import SEQ_SHIFT, WORDS_MAX, LogColumns, TermMatches

K1 = 1.2
B = 0.75
_GAIN_MAX = K1 + 1
"""What one term can add at most, as a multiple of its idf, when it fills a passage."""


def idf(having: int, total: int) -> float:
    """Return the inverse document frequency ln(1 + (N - n + .5) / (n + .5)); never negative."""
    return math.log(1 + (max(total, having) - having + 0.5) / (having + 0.5))


@dataclass(frozen=True, slots=True)
class TermWeights:
    """BM25 of passages and, for a log, of whole sessions, as shares of the query's own ideal."""

    best: Mapping[int, float]
    posting: Mapping[int, int]
    session: Mapping[int, float]


def bm25(
    terms: Sequence[TermMatches],
    *,
    passages: int,
    passage_words: int,
    columns: LogColumns | None = None,
) -> TermWeights:
    """Return BM25 per row (its best passage) and per session.

    Args:
        terms: the postings of each query term.
        passages: how many passages there are.
        passage_words: their words, together.
        columns: the log's columns; None for memories, which have no sessions.
    """
    norms = _norms(passages, passage_words)
    scores: defaultdict[int, float] = defaultdict(float)
    ideal = 0.0
    sessions = _SessionScores(columns) if columns else None
    for term in terms:
        weight = idf(term.frequency, passages)
        ideal += weight
        _add_gains(scores, term, weight * _GAIN_MAX, norms)
        if sessions and term.is_whole:
            sessions.add(term.postings)
    scale = 1.0 / (ideal * _GAIN_MAX) if ideal else 0.0
    best: dict[int, float] = {}
    where: dict[int, int] = {}
    for posting, score in scores.items():
        seq = posting >> SEQ_SHIFT
        if seq not in best or score * scale > best[seq]:
            best[seq] = score * scale
            where[seq] = posting
    return TermWeights(best, where, sessions.shares() if sessions else {})


@lru_cache(maxsize=64)
def _norms(passages: int, passage_words: int) -> tuple[float, ...]:
    """Return BM25's part for the length of a passage, by its number of words."""
    average = passage_words / passages if passages else 1.0
    return tuple(K1 * (1 - B + B * words / average) for words in range(WORDS_MAX + 1))


def _add_gains(
    scores: defaultdict[int, float], term: TermMatches, top: float, norms: Sequence[float]
) -> None:
    """Add what one term gives to each passage that it stands in."""
    if not term.is_whole or len(term.postings) == term.frequency:
        for posting in term.postings:
            scores[posting] += top / (1 + norms[posting & WORDS_MAX])
        return
    for posting, times in Counter(term.postings).items():
        scores[posting] += top * times / (times + norms[posting & WORDS_MAX])


class _SessionScores:
    """BM25 of sessions, added up from the postings of their passages."""

    def __init__(self, columns: LogColumns) -> None:
        self._session = columns.session
        self._words = columns.session_words
        self._average = sum(self._words.values()) / len(self._words) if self._words else 1.0
        self._scores: dict[int, float] = {}
        self._ideal = 0.0

    def add(self, postings: Sequence[int]) -> None:
        session_of = self._session
        times = Counter([session_of[posting >> SEQ_SHIFT] for posting in postings])
        weight = idf(len(times), len(self._words))
        self._ideal += weight
        for number, count in times.items():
            norm = K1 * (1 - B + B * self._words.get(number, 0) / self._average)
            gain = weight * _GAIN_MAX * count / (count + norm)
            self._scores[number] = self._scores.get(number, 0.0) + gain

    def shares(self) -> dict[int, float]:
        ideal = self._ideal * _GAIN_MAX
        return {number: score / ideal for number, score in self._scores.items()} if ideal else {}
