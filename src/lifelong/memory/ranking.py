"""Ranking without a model: BM25 of the own text, smoothed over neighbours, with hand weights.

The features are those that helped both a chat of two people and a chat with an agent; each has
its reason beside its weight in `LOG_WEIGHTS`. Measured there: the floor (plain BM25) puts 60 % of
the evidence in the top ten, these weights 80 %. Pure: postings and columns in, scores out.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from operator import mul
from typing import NamedTuple

from lifelong.memory.bm25 import TermWeights, bm25
from lifelong.memory.terms import Query
from lifelong.memory.timephrase import NamedDate, asks_when, date_match, named_dates
from lifelong.records import ScorePart
from lifelong.rows import (
    ASSISTANT_CODE,
    FLAG_TEMPORAL,
    OTHER_ROLE,
    TOOL_CODE,
    LogColumns,
    LogMatches,
)

CANDIDATES_MAX = 60
"""How many messages get all features, by a rough sum of the features that weigh most."""

NEIGHBOURS_OF_MAX = 40
"""Of so many, by BM25 alone, the message before and the two after are candidates too. Measured
against scoring every message: .2 points less of the evidence in the top ten in chats of two people,
the same in chats with an agent."""

LOG_WEIGHTS: Mapping[str, float] = {
    "own": 1.0,  # BM25 of the best passage, as a share of the best that the query allows
    "previous": 0.5,  # the message before: the answer follows the question that names the topic
    "next": 0.3,  # the message after, when it is another person's
    "previous_2": 0.2,  # two before
    "next_2": 0.1,  # two after
    "reply": 0.3,  # the assistant's reply repeats the topic of the user's message
    "session": 0.3,  # BM25 of the whole session: one talk, one topic
    "speaker": 0.1,  # the question names a speaker: +1 for theirs, -1 for the others'
    "date": 0.1,  # the question names a date, and it was said then
    "when": 0.04,  # a when-question, and a word of time
    "length": 0.02,  # longer messages say more, up to about 20 words
    "question": -0.05,  # a bare question holds no answer
    "assistant": -0.2,  # what users ask for is mostly what they said themselves
}

MEMORY_WEIGHTS: Mapping[str, float] = {
    "own": 1.0,  # BM25 of the text
    "curated": 0.15,  # somebody decided to keep it
    "importance": 0.05,  # 1 to 10, as a share of 10
    "recency": 0.05,  # halves every HALF_LIFE_DAYS since it was recorded
}
HALF_LIFE_DAYS = 90.0

_SCORE_STEEPNESS = 1.5
_LENGTH_MAX = 3.0
_AGENTS = (ASSISTANT_CODE, TOOL_CODE)


class Scored(NamedTuple):
    """A row with its score, the weighted sum of its features, before it is brought into 0 to 1.

    Attributes:
        seq: number of the row.
        posting: of its best passage; 0 when only its neighbours matched.
        value: the sum.
        features: values, in the order of the table of weights that they belong to.
    """

    seq: int
    posting: int
    value: float
    features: tuple[float, ...]


def explain(scored: Scored, weights: Mapping[str, float]) -> tuple[ScorePart, ...]:
    """Return the features that are not zero as parts of the score, the largest first."""
    parts = [
        ScorePart(name, value, weight)
        for (name, weight), value in zip(weights.items(), scored.features, strict=True)
        if value
    ]
    return tuple(sorted(parts, key=lambda part: -abs(part.amount)))


def public_score(value: float) -> float:
    """Return a sum of features as a score from 0 to 1 that keeps the order: 1 - e^(-1.5 value)."""
    return 1.0 - math.exp(-_SCORE_STEEPNESS * max(value, 0.0))


def rank_log(
    query: Query,
    matches: LogMatches,
    *,
    weights: Mapping[str, float] = LOG_WEIGHTS,
    depth: int | None = CANDIDATES_MAX,
) -> list[Scored]:
    """Return the messages that a query may mean, best first.

    Args:
        query: what is asked.
        matches: where its words stand.
        weights: of the features.
        depth: how many messages with a word of the query get all features; None for all.
    """
    columns = matches.columns
    bm = bm25(
        matches.terms,
        passages=columns.passages,
        passage_words=columns.passage_words,
        columns=columns,
    )
    speaker = named_speaker(query.text, columns.speakers)
    features_of = _LogFeatures(query, columns, bm, speaker).of
    amounts = tuple(weights[name] for name in LOG_WEIGHTS)
    scored = []
    for seq in _candidates(bm, columns, weights=weights, speaker=speaker, depth=depth):
        features = features_of(seq)
        value = sum(map(mul, features, amounts))
        scored.append(Scored(seq, bm.posting.get(seq, 0), value, features))
    scored.sort(key=lambda one: (-one.value, one.seq))
    return scored


def _candidates(
    bm: TermWeights,
    columns: LogColumns,
    *,
    weights: Mapping[str, float],
    speaker: int,
    depth: int | None,
) -> set[int]:
    """Return the messages that are worth all features."""
    if depth is None or len(bm.best) <= depth:
        return _with_neighbours(bm.best, bm.best, columns)
    session_of, role, speaker_of = columns.session, columns.role, columns.speaker
    share, agent, match = weights["session"], weights["assistant"], weights["speaker"]
    session = {number: share * score for number, score in bm.session.items()}
    by_agent = [agent if code in _AGENTS else 0.0 for code in range(OTHER_ROLE + 1)]
    # Numbers in dictionaries, not pairs in lists: thousands of pairs at each question make the
    # garbage collector walk through the whole process.
    rough = {
        seq: own + session.get(session_of[seq], 0.0) + by_agent[role[seq]]
        for seq, own in bm.best.items()
    }
    if speaker:
        rough = {s: v + match * speaker_match(speaker, speaker_of[s]) for s, v in rough.items()}
    return _with_neighbours(
        heapq.nlargest(depth, rough, key=rough.__getitem__),
        heapq.nlargest(NEIGHBOURS_OF_MAX, bm.best, key=bm.best.__getitem__),
        columns,
    )


def _with_neighbours(seqs: Iterable[int], near: Iterable[int], columns: LogColumns) -> set[int]:
    """Return `seqs`, and the message before and the two after each of `near`."""
    found = set(seqs)
    previous, following = columns.previous, columns.following
    for seq in near:
        after = following[seq]
        found.update((previous[seq], after, following[after]))
    found.discard(0)
    return found


class _LogFeatures:
    """The features of one message under one query, in the order of `LOG_WEIGHTS`."""

    def __init__(self, query: Query, columns: LogColumns, bm: TermWeights, speaker: int) -> None:
        self._columns = columns
        self._bm = bm
        self._speaker = speaker
        self._dates: list[NamedDate] = named_dates(query.text)
        self._asks_when = asks_when(query.text)

    def of(self, seq: int) -> tuple[float, ...]:
        c, own = self._columns, self._bm.best.get
        before, after = c.previous[seq], c.following[seq]
        is_agent, own_before, own_after = c.role[seq] in _AGENTS, own(before, 0.0), own(after, 0.0)
        before_is_agent, after_is_agent = c.role[before] in _AGENTS, c.role[after] in _AGENTS
        return (
            own(seq, 0.0),
            0.0 if before_is_agent else own_before,
            0.0 if after_is_agent else own_after,
            own(c.previous[before], 0.0),
            own(c.following[after], 0.0),
            own_after if after_is_agent else 0.0,
            self._bm.session.get(c.session[seq], 0.0),
            speaker_match(self._speaker, c.speaker[seq]),
            date_match(self._dates, c.day[seq]) if self._dates else 0.0,
            1.0 if self._asks_when and c.flags[seq] & FLAG_TEMPORAL else 0.0,
            min(math.log1p(c.words[seq]), _LENGTH_MAX),
            c.question[seq],
            1.0 if is_agent else 0.0,
        )


def speaker_match(named: int, speaker: int) -> float:
    """Return 1 for the speaker that a question names, -1 for another, 0 when none is known."""
    if not named or not speaker:
        return 0.0
    return 1.0 if speaker == named else -1.0


def named_speaker(question: str, speakers: Sequence[str]) -> int:
    """Return the number of the one speaker whose first name the question has, or 0."""
    words = set(question.replace("'", " ").replace("\u2019", " ").split())
    words = {word.strip('.,;:!?"()') for word in words}
    named = [
        number
        for number, name in enumerate(speakers)
        if (names := name.split()) and names[0].casefold() in words
    ]
    return named[0] if len(named) == 1 else 0


def score_memory(seq: int, own: float, *, posting: int, importance: int, age_days: float) -> Scored:
    """Return a memory with its score; an age below zero counts as zero."""
    recency = 0.5 ** (max(age_days, 0.0) / HALF_LIFE_DAYS)
    features = (own, 1.0, importance / 10, recency)
    return Scored(seq, posting, sum(map(mul, features, MEMORY_WEIGHTS.values())), features)
