"""Candidates: what the log and the memories hold for a question, ranked, before any row is read.

Words and vectors are asked apart and ranked together; without vectors, or with too few, words
alone rank. A filter on memories holds before any of them is a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from typing import NamedTuple

from lifelong.memory import generative
from lifelong.memory.bm25 import bm25
from lifelong.memory.generative import Aspects, generative_features
from lifelong.memory.likeness import Likeness
from lifelong.memory.ranking import (
    CANDIDATES_MAX,
    NEAREST_MAX,
    LogRanking,
    Scored,
    score_memory,
)
from lifelong.memory.scoring import neighbours
from lifelong.memory.terms import Query
from lifelong.memory.vectors import Question
from lifelong.memory.weights import MEMORY_WEIGHTS
from lifelong.ports import OwnerStore
from lifelong.records import Memory
from lifelong.rows import MemoryFilter, MemoryMatches, RowKind
from lifelong.vector_search import VectorSearch

LOG, MEMORY = "log", "memory"
SOURCES = (LOG, MEMORY)

MEMORIES_NEAREST = 30
"""So many memories that the filter lets through are candidates because of their vectors."""

_WIDENING = 4
_SECONDS_PER_HOUR = 3_600
_SECONDS_PER_DAY = 24 * _SECONDS_PER_HOUR


class Candidate(NamedTuple):
    """A row that recall may return, before it is read.

    Attributes:
        source: ``log`` or ``memory``.
        scored: its score and features.
        weights: of the features.
        memory: a memory is read already.
    """

    source: str
    scored: Scored
    weights: Mapping[str, float]
    memory: Memory | None = None


class Asked(NamedTuple):
    """A question in all the forms in which the store is asked.

    Attributes:
        words: as the index is asked.
        vectors: as vectors; None without a model, or when it gave none in time.
    """

    words: Query
    vectors: Question | None


class LogCandidates:
    """The messages that a question may mean.

    Args:
        store: the owner's.
        search: the owner's vectors; None to go by words alone.
        asked: the question.

    Attributes:
        matches: where the words of the question stand.
        first: the messages worth asking for first, best first.
        lacks_vectors: whether any of them had to do without a vector.
    """

    def __init__(self, store: OwnerStore, search: VectorSearch | None, asked: Asked) -> None:
        nearest: list[int] = []
        if search is not None and asked.vectors is not None:
            # Asked first: what is written meanwhile has a word in the index, and no vector.
            nearest = [seq for seq, _ in search.nearest_messages(asked.vectors, NEAREST_MAX)]
        self.matches = store.log.match(asked.words.words, asked.words.prefixes)
        self._ranking = LogRanking(asked.words, self.matches, nearest)
        self._chosen = self._ranking.candidates()
        likeness = None
        if search is not None and asked.vectors is not None and self._chosen:
            near = neighbours(self._chosen, self.matches.columns)
            likeness = search.likeness(RowKind.MESSAGE, asked.vectors, near)
        having = 0 if likeness is None else len(likeness.meaning)
        self.lacks_vectors = having < len(self._chosen) or not self._chosen
        self.first = self._ranking.order(self._chosen, likeness)
        self._likeness = likeness

    def rounds(self) -> Iterator[list[Candidate]]:
        """Yield the messages worth asking for first, then, if more are wanted, all the others."""
        weights = self._ranking.weights
        yield [Candidate(LOG, one, weights(one.seq, self._likeness)) for one in self.first]
        if len(self.first) < CANDIDATES_MAX:
            return
        rest = self._ranking.order(self._ranking.candidates(depth=None) - self._chosen)
        # They come after the first whatever their own tier says.
        most = self.first[-1].value
        for_words = [one._replace(value=min(one.value, most)) for one in rest]
        yield [Candidate(LOG, one, weights(one.seq)) for one in for_words]


def from_memories(
    store: OwnerStore,
    search: VectorSearch | None,
    *,
    asked: Asked,
    which: MemoryFilter,
    is_generative: bool = False,
) -> tuple[MemoryMatches, list[Candidate]]:
    """Return the memories that words or vectors find and the filter lets through, in no order.

    With them, where the words of the question stand in memories.

    Args:
        store: the owner's.
        search: the owner's vectors; None to go by words alone.
        asked: the question.
        which: the filter.
        is_generative: score them as in the Generative Agents paper (see `memory.generative`).
    """
    matches = store.memories.match(asked.words.words, asked.words.prefixes, which)
    weights = bm25(matches.terms, passages=matches.passages, passage_words=matches.passage_words)
    memories = dict(matches.memories)
    likeness: Likeness | None = None
    if search is not None and asked.vectors is not None:
        memories |= _nearest(store, search, asked.vectors, which)
    if search is not None and asked.vectors is not None and memories:
        likeness = search.likeness(RowKind.MEMORY, asked.vectors, dict.fromkeys(memories, ()))
    if is_generative:
        return matches, _generative(memories, weights.best, likeness, which)
    found = []
    for seq, memory in memories.items():
        age_days = (which.now - memory.recorded_at).total_seconds() / _SECONDS_PER_DAY
        scored = score_memory(
            seq,
            weights.best.get(seq, 0.0),
            posting=weights.posting.get(seq, 0),
            importance=memory.importance,
            age_days=age_days,
            likeness=likeness,
        )
        found.append(Candidate(MEMORY, scored, MEMORY_WEIGHTS, memory))
    return matches, found


def _generative(
    memories: Mapping[int, Memory],
    bm: Mapping[int, float],
    likeness: Likeness | None,
    which: MemoryFilter,
) -> list[Candidate]:
    """Return memories scored as in the Generative Agents paper."""
    relevance = bm if likeness is None else likeness.meaning
    aspects = [
        Aspects(
            (which.now - (memory.last_used_at or memory.recorded_at)).total_seconds()
            / _SECONDS_PER_HOUR,
            memory.importance,
            relevance.get(seq, 0.0),
        )
        for seq, memory in memories.items()
    ]
    amounts = tuple(generative.WEIGHTS.values())
    found = []
    for (seq, memory), features in zip(memories.items(), generative_features(aspects), strict=True):
        scored = Scored(seq, 0, sum(map(mul, features, amounts)), features)
        found.append(Candidate(MEMORY, scored, generative.WEIGHTS, memory))
    return found


def _nearest(
    store: OwnerStore, search: VectorSearch, question: Question, which: MemoryFilter
) -> dict[int, Memory]:
    """Return the nearest memories that the filter lets through: filtered first, then counted."""
    asked_for = MEMORIES_NEAREST
    while True:
        nearest = search.nearest_memories(question, asked_for)
        seqs: Sequence[int] = [seq for seq, _ in nearest]
        passing = store.memories.among(seqs, which)
        if len(passing) >= MEMORIES_NEAREST or len(nearest) < asked_for:
            chosen = [seq for seq in seqs if seq in passing][:MEMORIES_NEAREST]
            return {seq: passing[seq] for seq in chosen}
        asked_for *= _WIDENING
