"""From the hits that were taken to what is found: pairs, doubts, reasons, and the text with them.

The last step of a recall. It asks no store: everything is in the matches that ranking had.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lifelong.memory.answer import Packing
from lifelong.memory.coverage import held_terms, share, term_weights
from lifelong.memory.pairs import DEPTH, Topic, find_pairs
from lifelong.memory.reasons import (
    FEW_WORDS_SHARE,
    budget,
    doubts,
    nothing_found,
    said_by_another,
    unsupported_words,
)
from lifelong.memory.terms import Query
from lifelong.records import Found, Hit
from lifelong.rows import SEQ_SHIFT, LogMatches, MemoryMatches, TermMatches


@dataclass(frozen=True, slots=True)
class Searched:
    """What a question was looked for in.

    Attributes:
        asked: the question.
        log: where its words stand in the log; None when the log was not searched.
        memories: where they stand in memories; None when these were not searched.
        ranked: numbers of the messages that it may mean.
        by_words: whether hits are there for their words; with vectors they may have none of them.
    """

    asked: Query
    log: LogMatches | None = None
    memories: MemoryMatches | None = None
    ranked: Sequence[int] = ()
    by_words: bool = True

    @property
    def terms(self) -> list[Sequence[TermMatches]]:
        """The matches in each place that was searched."""
        return [matches.terms for matches in (self.log, self.memories) if matches is not None]

    def weights(self) -> dict[str, float]:
        """Return the idf of each term, the larger where both places know it."""
        weights: dict[str, float] = {}
        if self.memories is not None:
            weights |= term_weights(self.memories.terms, self.memories.passages)
        if self.log is not None:
            for term, weight in term_weights(self.log.terms, self.log.columns.passages).items():
                weights[term] = max(weight, weights.get(term, 0.0))
        return weights

    def held(self, hit: Hit) -> frozenset[str]:
        """Return the terms that a hit has."""
        matches = self.log if hit.memory is None else self.memories
        return held_terms(matches.terms, hit.order) if matches is not None else frozenset()

    @property
    def hidden(self) -> int:
        """How many memories have a word of the question and are held back by the filter."""
        if self.memories is None:
            return 0
        having = {p >> SEQ_SHIFT for term in self.memories.terms for p in term.postings}
        return len(having - self.memories.memories.keys())


def finished(packing: Packing, searched: Searched, reasons: Sequence[str] = ()) -> Found:
    """Return what was found.

    Args:
        packing: with the hits that were taken.
        searched: what the question was looked for in.
        reasons: why hits were not offered to `packing`.
    """
    missing = unsupported_words(searched.asked.words, searched.terms)
    if not packing.hits and not packing.misfits:
        return Found((), reasons=(*reasons,) or (nothing_found(missing, searched.hidden),))
    hits = sorted(packing.hits, key=lambda hit: -hit.score)
    best = hits[:DEPTH]
    topic = Topic(
        searched.asked.text, searched.weights(), {hit.place: searched.held(hit) for hit in best}
    )
    doubted = (
        doubts(missing, _who(searched, best), are_few=_are_few(searched, topic)) if best else ()
    )
    pairs = find_pairs(best, topic)
    answer = packing.answer(pairs, doubted)
    left_out = budget(packing.tokens_max, packing.misfits + answer.dropped, bool(answer.hits))
    shown = {hit.place for hit in answer.hits}
    return Found(
        tuple(sorted(answer.hits, key=lambda hit: -hit.score)),
        answer.tokens,
        (*reasons, left_out) if left_out else tuple(reasons),
        answer.text,
        doubted,
        tuple(pair for pair in pairs if pair.older in shown and pair.newer in shown),
    )


def _are_few(searched: Searched, topic: Topic) -> bool:
    """Return whether no hit has more than a few of the words that brought it up."""
    return searched.by_words and all(
        share(held, topic.weights) < FEW_WORDS_SHARE for held in topic.held.values()
    )


def _who(searched: Searched, best: Sequence[Hit]) -> str | None:
    """Return who said it instead; a memory that is nearer than any message has no speaker."""
    if searched.log is None or best[0].memory is not None:
        return None
    return said_by_another(searched.asked, searched.log, searched.ranked)
