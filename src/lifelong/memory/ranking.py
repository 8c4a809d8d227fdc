"""Ranking: which messages a question may mean, best first, by a weighted sum of features.

With a model or without one the same features count, with the weights of their tier
(`memory.weights`). Only messages that are worth it get all features: those that a rough sum of the
features that weigh most puts first, their neighbours, and those whose vectors are nearest. Pure:
postings, columns and likeness in, scores out.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from operator import mul
from typing import NamedTuple

from lifelong.memory.bm25 import TermWeights, bm25
from lifelong.memory.likeness import Likeness
from lifelong.memory.scoring import AGENTS, Features, named_speaker, speaker_match
from lifelong.memory.sweeps import ORDER, SUMMARY, spread, sweep_of
from lifelong.memory.terms import Query
from lifelong.memory.weights import (
    HALF_LIFE_DAYS,
    LOG_WEIGHTS,
    MEAN,
    MEMORY_WEIGHTS,
    SUMMARY_WEIGHTS,
    TOKENS,
    WORDS,
)
from lifelong.records import ScorePart
from lifelong.rows import OTHER_ROLE, LogColumns, LogMatches

CANDIDATES_MAX = 60
"""How many messages get all features, by a rough sum of the features that weigh most."""

NEIGHBOURS_OF_MAX = 40
"""Of so many, by BM25 alone, the message before and the two after are candidates too. Measured
against scoring every message: .2 points less of the evidence in the top ten in chats of two people,
the same in chats with an agent."""

LEADING_MAX = 1_000
"""Of so many by BM25 the rough sum is made; the evidence found is the same as with all of them."""

NEAREST_MAX = 100
"""So many messages are candidates because of their vectors. With 50, .1 points less of the evidence
in the top ten; of questions with several pieces of it, 3 points less in the top 50."""

_ROUGH = {"session": 0.3, "assistant": -0.2, "speaker": 0.1}
"""What counts in the rough sum beside BM25; only these are to be had for every message."""

_SCORE_STEEPNESS = 1.5


class Scored(NamedTuple):
    """A row with its score, the weighted sum of its features, before it is brought into 0 to 1.

    Attributes:
        seq: number of the row.
        posting: of its best passage; 0 when only its neighbours or its vector matched.
        value: the sum; where times are spread (see `memory.sweeps`), that of its new place.
        features: values, in the order of the table of weights that they belong to.
    """

    seq: int
    posting: int
    value: float
    features: tuple[float, ...]


def explain(scored: Scored, weights: Mapping[str, float]) -> tuple[ScorePart, ...]:
    """Return the features that count as parts of the score, the largest first."""
    parts = [
        (name, value, weight)
        for (name, weight), value in zip(weights.items(), scored.features, strict=True)
        if value and weight
    ]
    whole = sum(abs(value * weight) for _, value, weight in parts)
    explained = [
        ScorePart(name, value, weight, abs(value * weight) / whole if whole else 0.0)
        for name, value, weight in parts
    ]
    return tuple(sorted(explained, key=lambda part: -abs(part.amount)))


def public_score(value: float) -> float:
    """Return a sum of features as a score from 0 to 1 that keeps the order: 1 - e^(-1.5 value)."""
    return 1.0 - math.exp(-_SCORE_STEEPNESS * max(value, 0.0))


class LogRanking:
    """One question to the log: its candidates first, then their order.

    The two are apart because the vectors of the candidates are read in between.

    Args:
        query: what is asked.
        matches: where its words stand.
        nearest: messages whose vectors are near.
    """

    def __init__(self, query: Query, matches: LogMatches, nearest: Iterable[int] = ()) -> None:
        self._query = query
        self._matches = matches
        self._nearest = list(nearest)
        self.columns = matches.columns
        self.bm = bm25(
            matches.terms,
            passages=self.columns.passages,
            passage_words=self.columns.passage_words,
            columns=self.columns,
        )
        self._speaker = named_speaker(query.text, self.columns.speakers)
        self._sweep = sweep_of(query.text)
        self._table = SUMMARY_WEIGHTS if self._sweep == SUMMARY else LOG_WEIGHTS

    def candidates(self, depth: int | None = CANDIDATES_MAX) -> set[int]:
        """Return the messages that are worth all features.

        Args:
            depth: how many with a word of the query; None for all of them.
        """
        found = _candidates(self.bm, self.columns, self._speaker, depth)
        session = self.columns.session
        # A message that was written or erased since the columns were read is not ranked.
        found.update(s for s in self._nearest if 0 < s < len(session) and session[s])
        return found

    def weights(self, seq: int, likeness: Likeness | None = None) -> Mapping[str, float]:
        """Return the weights of a message's features, which go with the question as well.

        One without a vector is ranked by its words, also among others that have theirs: with their
        weights a word that only it has, just written, would count next to nothing.
        """
        has_vector = likeness is not None and seq in likeness.meaning
        return self._table[tier_of(likeness) if has_vector else WORDS]

    def order(self, candidates: Iterable[int], likeness: Likeness | None = None) -> list[Scored]:
        """Return the candidates with their scores, best first."""
        seqs = list(candidates)
        features = Features(
            self._query, self._matches, bm=self.bm, candidates=seqs, likeness=likeness
        )
        by_words = tuple(self._table[WORDS].values())
        with_vector = tuple(self._table[tier_of(likeness)].values())
        having: Container[int] = () if likeness is None else likeness.meaning
        posting = self.bm.posting.get
        scored = []
        for seq, values in zip(seqs, features.of_each(seqs), strict=True):
            value = sum(map(mul, values, with_vector if seq in having else by_words))
            scored.append(Scored(seq, posting(seq, 0), value, values))
        scored.sort(key=lambda one: (-one.value, one.seq))
        return self._spread(scored) if self._sweep == ORDER else scored

    def _spread(self, scored: Sequence[Scored]) -> list[Scored]:
        """Return the same messages so that the first are from different times.

        Their values are handed out anew, since hits are shown by score.
        """
        of_seq = {one.seq: one for one in scored}
        order = spread([one.seq for one in scored], len(self.columns.session) - 1)
        return [
            of_seq[seq]._replace(value=ranked.value)
            for seq, ranked in zip(order, scored, strict=True)
        ]


def tier_of(likeness: Likeness | None) -> str:
    """Return the tier whose weights go with what is known of the vectors."""
    if likeness is None:
        return WORDS
    return TOKENS if likeness.has_tokens else MEAN


def _candidates(bm: TermWeights, columns: LogColumns, speaker: int, depth: int | None) -> set[int]:
    own = bm.best
    if depth is None or len(own) <= depth:
        return _with_neighbours(own, own, columns)
    leading = sorted(own, key=own.__getitem__, reverse=True)[:LEADING_MAX]
    session_of, role, speaker_of = columns.session, columns.role, columns.speaker
    session, share = bm.session, _ROUGH["session"]
    by_agent = [_ROUGH["assistant"] if code in AGENTS else 0.0 for code in range(OTHER_ROLE + 1)]
    by_speaker = [
        _ROUGH["speaker"] * speaker_match(speaker, code) for code in range(len(columns.speakers))
    ]
    # Numbers in a dictionary, not pairs in a list: thousands of pairs at each question make the
    # garbage collector walk through the whole process.
    rough = {
        seq: own[seq]
        + share * session[session_of[seq]]
        + by_agent[role[seq]]
        + by_speaker[speaker_of[seq]]
        for seq in leading
    }
    best = sorted(rough, key=rough.__getitem__, reverse=True)[:depth]
    return _with_neighbours(best, leading[:NEIGHBOURS_OF_MAX], columns)


def _with_neighbours(seqs: Iterable[int], near: Iterable[int], columns: LogColumns) -> set[int]:
    """Return `seqs`, and the message before and the two after each of `near`."""
    found = set(seqs)
    previous, following = columns.previous, columns.following
    for seq in near:
        after = following[seq]
        found.update((previous[seq], after, following[after]))
    found.discard(0)
    return found


def score_memory(
    seq: int,
    own: float,
    *,
    posting: int,
    importance: int,
    age_days: float,
    likeness: Likeness | None = None,
) -> Scored:
    """Return a memory with its score; an age below zero counts as zero."""
    recency = 0.5 ** (max(age_days, 0.0) / HALF_LIFE_DAYS)
    meaning = tokens = 0.0
    if likeness is not None and likeness.has_tokens:
        tokens = likeness.tokens.get(seq, 0.0)
    elif likeness is not None:
        meaning = likeness.meaning.get(seq, 0.0)
    # What only a vector brought up is as good as a message of which that is so.
    curated = 1.0 if own else 0.0
    features = (own, curated, importance / 10, recency, meaning, tokens)
    return Scored(seq, posting, sum(map(mul, features, MEMORY_WEIGHTS.values())), features)
