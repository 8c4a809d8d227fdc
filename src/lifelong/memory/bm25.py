"""BM25 without a query language: scores added up from the postings of each word.

Each passage is scored on its own and a row is as good as its best passage; a session is scored as
one text. Both are given as a share of what the query could reach at most, so that they compare
between questions. Pure: postings in, shares out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lifelong.rows import SEQ_SHIFT, WORDS_MAX, LogColumns, LogMatches, TermMatches

K1 = 1.2
B = 0.75


def idf(having: int, total: int) -> float:
    """Return the inverse document frequency ln(1 + (N - n + .5) / (n + .5)); never negative."""
    return math.log(1 + (max(total, having) - having + 0.5) / (having + 0.5))


class SessionWeights(dict[int, float]):
    """BM25 of whole sessions, each worked out when it is first looked up as `weights[number]`.

    A question finds far more sessions than it has candidates. Only terms count whose postings are
    all there.

    Args:
        terms: the postings of each query term.
        columns: the log's.
    """

    def __init__(
        self, terms: Sequence[TermMatches] = (), columns: LogColumns | None = None
    ) -> None:
        self._counts: list[tuple[float, Mapping[int, int]]] = []
        if columns is None or not columns.passage_words:
            return
        self._words_of = columns.session_words.get
        total = len(columns.session_words)
        self._per_word = K1 * B * total / columns.passage_words
        session_of = columns.session
        whole = [term for term in terms if term.is_whole]
        counts = [Counter([session_of[p >> SEQ_SHIFT] for p in term.postings]) for term in whole]
        weights = [
            term.weight * idf(len(count), total) for term, count in zip(whole, counts, strict=True)
        ]
        ideal = sum(weights)
        self._counts = [
            (weight / ideal, count) for weight, count in zip(weights, counts, strict=True) if count
        ]

    def __missing__(self, number: int) -> float:
        found = 0.0
        if self._counts:
            norm = K1 * (1 - B) + self._per_word * self._words_of(number, 0)
            for share, count in self._counts:
                times = count.get(number)
                if times:
                    found += share * times / (times + norm)
        self[number] = found
        return found


@dataclass(frozen=True, slots=True)
class TermWeights:
    """BM25 of passages and, for a log, of whole sessions, as shares of the query's own ideal.

    Attributes:
        best: of rows, by their number.
        posting: of the passage that made a row so good.
        session: of sessions, by their number.
    """

    best: Mapping[int, float]
    posting: Mapping[int, int]
    session: SessionWeights


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
    weights = [term.weight * idf(term.frequency, passages) for term in terms]
    ideal = sum(weights)
    if not ideal:
        return TermWeights({}, {}, SessionWeights())
    norms = _norms(passages, passage_words)
    scores: dict[int, float] = {}
    for term, weight in zip(terms, weights, strict=True):
        _add_gains(scores, term.postings, weight / ideal, norms)
    where = {posting >> SEQ_SHIFT: posting for posting in scores}
    if len(where) < len(scores):  # rows of several passages: the best, or first, of each stays
        best_first = sorted(scores, key=scores.__getitem__, reverse=True)
        where = {posting >> SEQ_SHIFT: posting for posting in reversed(best_first)}
    best = {seq: scores[posting] for seq, posting in where.items()}
    return TermWeights(best, where, SessionWeights(terms, columns))


@lru_cache(maxsize=64)
def _norms(passages: int, passage_words: int) -> tuple[float, ...]:
    """Return BM25's part for the length of a passage, by its number of words."""
    average = passage_words / passages if passages else 1.0
    return tuple(K1 * (1 - B + B * words / average) for words in range(WORDS_MAX + 1))


def _add_gains(
    scores: dict[int, float], postings: Sequence[int], share: float, norms: Sequence[float]
) -> None:
    """Add what one term gives to each passage that it stands in, once or more often.

    Thousands of postings come by at each question, so a common case does nothing that it need not.
    """
    score_of = scores.get
    before = times = 0
    for posting in postings:
        if posting != before:
            before = posting
            times = 1
            scores[posting] = score_of(posting, 0.0) + share / (1 + norms[posting & WORDS_MAX])
        else:
            norm = norms[posting & WORDS_MAX]
            gained = times / (times + norm)
            times += 1
            scores[posting] += share * (times / (times + norm) - gained)


def term_gains(matches: LogMatches, wanted: Container[int]) -> list[dict[int, float]]:
    """Return for each term what it gives to the wanted messages, as a share of the ideal.

    The same sums as in `bm25`, not added up: of several passages of a message the best counts.
    """
    columns = matches.columns
    norms = _norms(columns.passages, columns.passage_words)
    weights = [term.weight * idf(term.frequency, columns.passages) for term in matches.terms]
    ideal = sum(weights)
    found: list[dict[int, float]] = []
    for term, weight in zip(matches.terms, weights, strict=True):
        times = Counter([p for p in term.postings if p >> SEQ_SHIFT in wanted])
        gains: dict[int, float] = {}
        for posting, count in times.items():
            seq = posting >> SEQ_SHIFT
            gain = weight / ideal * count / (count + norms[posting & WORDS_MAX])
            gains[seq] = max(gains.get(seq, 0.0), gain)
        found.append(gains)
    return found
