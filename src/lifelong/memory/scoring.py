"""Scoring: the features of candidate messages under one question, in the order of the table.

Each feature has a meaning and a reason (`memory.weights`); which message is a candidate, and how
features add up, is decided in `memory.ranking`. Pure: postings, columns and likeness in, numbers
out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lifelong.memory.bm25 import TermWeights, term_gains
from lifelong.memory.likeness import Likeness
from lifelong.memory.terms import Query
from lifelong.memory.timephrase import asks_when, date_match, named_dates
from lifelong.rows import (
    ASSISTANT_CODE,
    FLAG_FIRST_PERSON,
    FLAG_TEMPORAL,
    OTHER_ROLE,
    TOOL_CODE,
    LogColumns,
    LogMatches,
)

AGENTS = (ASSISTANT_CODE, TOOL_CODE)
_IS_AGENT = tuple(1.0 if code in AGENTS else 0.0 for code in range(OTHER_ROLE + 1))
NEAR_IN_WINDOW = (0.6, 0.5, 0.35)
"""What a word counts in the message before (when a person said it), after, and two before."""

NEAR_IN_SESSION = 0.4
"""What the better neighbour of a message adds to it, as the best of its session."""

_LENGTH_MAX = 3.0
_LONG_FROM = 4.0
"""ln(1 + words): 20 and 55 words."""
_LONG_MAX = 3.0
"""As long as a thousand words; a whole book must not lose to what stands beside it."""


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


def neighbours(seqs: Iterable[int], columns: LogColumns) -> dict[int, tuple[int, int]]:
    """Return for each message those around it that may answer for it, 0 where there is none.

    The one before when a person said it, and the one after: an agent's message before a user's is
    about what was asked before.
    """
    previous, following, role = columns.previous, columns.following, columns.role
    return {
        seq: (0 if role[previous[seq]] in AGENTS else previous[seq], following[seq]) for seq in seqs
    }


class Features:
    """The features of candidates under one question, in the order of `LOG_FEATURES`.

    Args:
        query: what is asked.
        matches: where its words stand.
        bm: BM25 of what has a word of it.
        candidates: numbers of the messages that will be asked for.
        likeness: of their vectors; None without.
    """

    def __init__(
        self,
        query: Query,
        matches: LogMatches,
        *,
        bm: TermWeights,
        candidates: Iterable[int],
        likeness: Likeness | None = None,
    ) -> None:
        self._columns = matches.columns
        self._own = bm.best
        self._sessions = bm.session
        self._likeness = likeness or Likeness()
        named = named_speaker(query.text, self._columns.speakers)
        self._by_speaker = [
            speaker_match(named, code) for code in range(len(self._columns.speakers))
        ]
        self._dates = named_dates(query.text)
        self._telling_time = FLAG_TEMPORAL if asks_when(query.text) else 0
        seqs = list(candidates)
        self._window = self._windows(term_gains(matches, self._with_neighbours(seqs)))
        self._session_best = self._best_by_session(seqs)

    def of(self, seq: int) -> tuple[float, ...]:
        """Return the features of one candidate."""
        return next(self.of_each((seq,)))

    def of_each(self, seqs: Iterable[int]) -> Iterator[tuple[float, ...]]:
        """Yield the features of each of these candidates."""
        # Some hundred are asked for at each question, so nothing is looked up twice.
        c, own, like = self._columns, self._own.get, self._likeness
        window, session_best, sessions = self._window.get, self._session_best, self._sessions
        meaning, meaning_near = like.meaning.get, like.meaning_near.get
        tokens_near, tokens_rare = like.tokens_near.get, like.tokens_rare.get
        session_of, role, flags_of, words = c.session, c.role, c.flags, c.words
        previous, following = c.previous, c.following
        for seq in seqs:
            before, after = previous[seq], following[seq]
            session, flags = session_of[seq], flags_of[seq]
            own_before, own_after = own(before, 0.0), own(after, 0.0)
            own_before_2 = own(previous[before], 0.0)
            from_agent = _IS_AGENT[role[before]]
            length = math.log1p(words[seq])
            yield (
                own(seq, 0.0),
                window(seq, 0.0),
                0.0 if from_agent else own_before,
                own_before if from_agent else 0.0,
                0.0 if from_agent else own_before_2,
                own_after if _IS_AGENT[role[after]] else 0.0,
                session_best[session],
                sessions[session],
                self._by_speaker[c.speaker[seq]],
                c.question[seq],
                _IS_AGENT[role[seq]],
                min(length, _LENGTH_MAX),
                min(length - _LONG_FROM, _LONG_MAX) if length > _LONG_FROM else 0.0,
                1.0 if flags & self._telling_time else 0.0,
                date_match(self._dates, c.day[seq]) if self._dates else 0.0,
                1.0 if flags & FLAG_FIRST_PERSON else 0.0,
                meaning(seq, 0.0),
                meaning_near(seq, 0.0),
                tokens_near(seq, 0.0),
                tokens_rare(seq, 0.0),
            )

    def _with_neighbours(self, seqs: Sequence[int]) -> set[int]:
        previous, following = self._columns.previous, self._columns.following
        wanted = set(seqs)
        for seq in seqs:
            before = previous[seq]
            wanted.update((before, previous[before], following[seq]))
        wanted.discard(0)
        return wanted

    def _windows(self, gains_of_terms: Iterable[Mapping[int, float]]) -> Mapping[int, float]:
        """Return BM25 over each message and those around it, each word where it stands best."""
        c = self._columns
        previous, following, role = c.previous, c.following, c.role
        near, next_, far = NEAR_IN_WINDOW
        windows: dict[int, float] = {}
        for gains in gains_of_terms:
            best: dict[int, float] = {}
            best_of = best.get
            for seq, gain in gains.items():
                after = following[seq]
                if gain > best_of(seq, 0.0):
                    best[seq] = gain
                if next_ * gain > best_of(previous[seq], 0.0):
                    best[previous[seq]] = next_ * gain
                if near * gain > best_of(after, 0.0) and role[seq] not in AGENTS:
                    best[after] = near * gain
                if far * gain > best_of(following[after], 0.0):
                    best[following[after]] = far * gain
            for seq, gain in best.items():
                windows[seq] = windows.get(seq, 0.0) + gain
        return windows

    def _best_by_session(self, seqs: Sequence[int]) -> Mapping[int, float]:
        c, own = self._columns, self._own.get
        best: dict[int, float] = {}
        for seq in seqs:
            beside = max(own(c.previous[seq], 0.0), own(c.following[seq], 0.0))
            value = own(seq, 0.0) + NEAR_IN_SESSION * beside
            session = c.session[seq]
            if value > best.get(session, -1.0):
                best[session] = value
        return best
