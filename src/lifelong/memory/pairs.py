"""Pairs: an older and a newer statement about one thing whose values differ.

Ranking is left alone and nothing is hidden: a model that sees "30 minutes" and "45 minutes" with
their dates and with a mark on each knows which holds now. A wrong mark costs more than a missing
one, so a pair needs much: the words of one person (or memories of equal trust), both about a good
part of the question, one kind of value with words around it in common, or a plain "never".

Measured on BEAM: of the pairs that are both among the ten best hits, 9 of 17 updates and 8 of 12
contradictions are marked as in the data; questions that ask for no change get one pair in 20
answers (LoCoMo: one in 250). Without a shared part of the question there are four times as many.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

from lifelong.memory.coverage import share
from lifelong.memory.values import (
    COUNT,
    DATE,
    VERSION,
    WEEKDAY,
    Denial,
    Value,
    denials,
    sentences,
    stems,
    values,
)
from lifelong.messages import USER
from lifelong.records import Hit, Pair, Place, Trust

DEPTH = 10
"""How many of the best hits are looked at."""

SHARE_MIN = 0.3
_IN_COMMON = {DATE: (3, 2), WEEKDAY: (3, 2)}
_IN_COMMON_ELSE = (2, 1)
"""Words around both values, and how many of them the question must have; events have dates of
their own, so a date needs more."""

_DENIED_IN_COMMON = 2
_TOLD_OTHERWISE = "otherwise"


@dataclass(frozen=True, slots=True)
class Topic:
    """What the pairs of an answer are about.

    Attributes:
        question: as it was asked.
        weights: idf of each term of the question.
        held: of each hit, by its place, the terms of the question that it has.
    """

    question: str
    weights: Mapping[str, float]
    held: Mapping[Place, AbstractSet[str]]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A hit with what it states."""

    hit: Hit
    values: tuple[Value, ...]
    denials: tuple[Denial, ...]
    sentences: tuple[frozenset[str], ...]
    """Stems of each sentence that denies nothing; empty where nobody denies anything."""


def _statements(hits: Mapping[Place, Hit]) -> dict[Place, _Statement]:
    denied = {place: tuple(denials(hit.text)) for place, hit in hits.items()}
    is_any_denied = any(denied.values())
    return {
        place: _Statement(
            hit,
            tuple(values(hit.text)),
            denied[place],
            tuple(_told(hit.text)) if is_any_denied else (),
        )
        for place, hit in hits.items()
    }


def _told(text: str) -> Iterator[frozenset[str]]:
    for sentence in sentences(text):
        if not denials(sentence):
            yield frozenset(stems(sentence))


class _Candidate(NamedTuple):
    """A pair, and how sure it is."""

    strength: float
    pair: Pair


_CERTAIN = math.inf


def find_pairs(hits: Sequence[Hit], topic: Topic) -> tuple[Pair, ...]:
    """Return the pairs among the best hits; a hit is the older, or the newer, of one at most.

    Args:
        hits: best first.
        topic: the question, and what each hit has of it.
    """
    related = list(_related([hit for hit in hits[:DEPTH] if _may_pair(hit)], topic))
    if not related:
        return ()
    asked = frozenset(stems(topic.question))
    stated = _statements({hit.place: hit for pair in related for hit in pair})
    found: list[_Candidate] = []
    for older, newer in related:
        both = stated[older.place], stated[newer.place]
        candidates = [*_replaced(*both), *_differing(*both, asked), *_denied(*both, asked)]
        if candidates:
            found.append(max(candidates, key=lambda candidate: candidate.strength))
    return tuple(_each_once(found))


def _related(hits: Sequence[Hit], topic: Topic) -> Iterator[tuple[Hit, Hit]]:
    """Yield the older and the newer of each two hits that may be about one thing."""
    nothing: frozenset[str] = frozenset()
    # The same terms come by again and again, and few of the pairs have enough.
    is_enough = cache(lambda both: share(both, topic.weights) >= SHARE_MIN)
    holding = [(hit, topic.held.get(hit.place, nothing)) for hit in hits]
    for (one, held), (other, held_too) in combinations(holding, 2):
        in_time = _in_time(one, other)
        if in_time and (_is_replaced(*in_time) or is_enough(held & held_too)):
            yield in_time


def _may_pair(hit: Hit) -> bool:
    if hit.memory is not None:
        return hit.memory.trust > Trust.UNTRUSTED
    return hit.role == USER and hit.trust >= Trust.USER


def _in_time(one: Hit, other: Hit) -> tuple[Hit, Hit] | None:
    """Return the older and the newer, or None if nobody knows or they are of two people."""
    if one.speaker and other.speaker and one.speaker != other.speaker:
        return None
    if one.session_id is not None and one.session_id == other.session_id:
        before, after = float(one.order), float(other.order)
    else:
        before, after = one.at.timestamp(), other.at.timestamp()
    if before == after:
        return None
    older, newer = (one, other) if before < after else (other, one)
    # What is less trusted never says of what is trusted more that it is out of date.
    return (older, newer) if _trust(newer) >= _trust(older) else None


def _trust(hit: Hit) -> Trust:
    return hit.trust if hit.memory is None else hit.memory.trust


def _is_replaced(older: Hit, newer: Hit) -> bool:
    """Tell whether one memory replaced the other, by a call or by its key."""
    first, second = older.memory, newer.memory
    if first is None or second is None:
        return False
    is_same_key = first.key is not None and first.key == second.key
    return first.superseded_by == second.id or (is_same_key and first.namespace == second.namespace)


def _replaced(older: _Statement, newer: _Statement) -> Iterator[_Candidate]:
    if _is_replaced(older.hit, newer.hit):
        pairs = _value_pairs(older, newer)
        best = max(pairs, key=lambda each: len(each[2]), default=None)
        before, after = (best[0].shown, best[1].shown) if best else (older.hit.text, newer.hit.text)
        yield _Candidate(_CERTAIN, Pair(older.hit.place, newer.hit.place, before, after))


def _differing(
    older: _Statement, newer: _Statement, asked: AbstractSet[str]
) -> Iterator[_Candidate]:
    """Yield the pairs of values of one kind, with enough words around both in common."""
    for before, after, common in _value_pairs(older, newer):
        enough, enough_asked = _IN_COMMON.get(before.kind, _IN_COMMON_ELSE)
        if len(common) >= enough and len(common & asked) >= enough_asked:
            strength = len(common & asked) + len(common) / 2
            places = older.hit.place, newer.hit.place
            yield _Candidate(strength, Pair(*places, before.shown, after.shown))


def _value_pairs(
    older: _Statement, newer: _Statement
) -> Iterator[tuple[Value, Value, frozenset[str]]]:
    """Yield values that may be of one thing, each missing in the other text."""
    known_before = {(value.kind, value.meaning) for value in older.values}
    known_after = {(value.kind, value.meaning) for value in newer.values}
    for before in older.values:
        if (before.kind, before.meaning) in known_after:
            continue
        for after in newer.values:
            if (after.kind, after.meaning) not in known_before and _is_comparable(before, after):
                yield before, after, before.context & after.context


def _is_comparable(before: Value, after: Value) -> bool:
    if before.kind != after.kind:
        return False
    if before.kind == COUNT:
        return not before.unit.isdisjoint(after.unit)
    return before.kind != VERSION or before.named == after.named


def _denied(older: _Statement, newer: _Statement, asked: AbstractSet[str]) -> Iterator[_Candidate]:
    """Yield the pairs of which one says "never" and the other tells that it was so."""
    places = older.hit.place, newer.hit.place
    for denial, told in _contradictions(older, newer):
        strength = len(denial.context & told & asked)
        if strength >= _DENIED_IN_COMMON:
            yield _Candidate(strength, Pair(*places, denial.shown, _TOLD_OTHERWISE))
    for denial, told in _contradictions(newer, older):
        strength = len(denial.context & told & asked)
        if strength >= _DENIED_IN_COMMON:
            yield _Candidate(strength, Pair(*places, _TOLD_OTHERWISE, denial.shown))


def _contradictions(
    denying: _Statement, telling: _Statement
) -> Iterator[tuple[Denial, frozenset[str]]]:
    for denial in denying.denials:
        if not any(len(denial.context & too.context) > 1 for too in telling.denials):
            yield from ((denial, told) for told in telling.sentences)


def _each_once(found: list[_Candidate]) -> Iterator[Pair]:
    """Yield pairs, the certain ones and then those of better hits first, no hit in one role twice.

    By strength instead, six and not nine of the updates were marked.
    """
    older: set[Place] = set()
    newer: set[Place] = set()
    for _, pair in sorted(found, key=lambda candidate: candidate.strength < _CERTAIN):
        if pair.older not in older and pair.newer not in newer:
            older.add(pair.older)
            newer.add(pair.newer)
            yield pair
