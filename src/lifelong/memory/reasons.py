"""Reasons: why nothing was found, and why what was found may not answer the question.

A question that nothing answers is mostly about a topic that was discussed, so a low score says
nothing. What tells is *who* said the words of the question, and which word nobody said. Both are
said as what they are, a doubt, and decide nothing. Measured:

* who: on LoCoMo it is said of 38 % of the questions whose answer is another person's, of 10 % of
  those that can be answered;
* the word: 23 % against 14 % there, 35 % against 7 % on BEAM;
* few of the words: 7 % against 3 % there, never on BEAM.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from itertools import islice

from lifelong.memory.coverage import share_of_each, term_weights
from lifelong.memory.scoring import named_speaker
from lifelong.memory.terms import Query
from lifelong.rows import LogMatches, TermMatches

WHO_GAP = 0.15
"""By how much of the question another's best message must be nearer than the named person's."""

FEW_WORDS_SHARE = 0.2
"""Below it, the best hit is about something else that has a word in common."""

_WORDS_NAMED_MAX = 3
_LETTERS_MIN = 3
_LETTERS_MAX = 40
_ASKING = frozenset(
    "according average both besides bought buy called current currently describe described ever"
    " first kind kinds last likely long many mention mentioned much name names new next often"
    " participate participated potentially probably purchase purchased receive received recent"
    " recently regarding said say sort sorts tell told type types usual usually whose"
    " january february march april may june july august september october november december"
    " today yesterday tomorrow monday tuesday wednesday thursday friday saturday sunday".split()
)
"""Words that ask, or name a time: that nobody said them means nothing."""


def unsupported_words(words: Sequence[str], sources: Iterable[Sequence[TermMatches]]) -> list[str]:
    """Return the words of a question that stand nowhere, as they were written.

    Args:
        words: of the question.
        sources: the matches of all of them in each place that was searched.
    """
    supported: dict[str, bool] = {}
    for terms in sources:
        for term in terms:
            supported[term.term] = supported.get(term.term, False) or term.frequency > 0
    missing = {term for term, is_there in supported.items() if not is_there}
    telling = filter(_says_something, words)
    return [word for word in telling if _term_of(word, supported) in missing][:_WORDS_NAMED_MAX]


def _says_something(word: str) -> bool:
    return len(word) >= _LETTERS_MIN and word.isalpha() and word not in _ASKING


def _term_of(word: str, terms: Iterable[str]) -> str | None:
    """Return the term that the index made of a word: the longest beginning that both share.

    A stem may end in another letter than the word has there ("happi" of "happy").
    """
    letters = unicodedata.normalize("NFD", word)
    bare = "".join(each for each in letters if not unicodedata.combining(each))
    fitting = [
        term
        for term in terms
        if term in (word, bare) or (len(term) >= _LETTERS_MIN and bare.startswith(term[:-1]))
    ]
    return max(fitting, key=lambda term: (bare.startswith(term), len(term)), default=None)


RANKED_MAX = 60
"""So many of the best messages are looked through for who said it."""


def said_by_another(asked: Query, matches: LogMatches, ranked: Iterable[int]) -> str | None:
    """Return who said what comes closest, if the question names somebody else.

    Args:
        asked: the question.
        matches: where its words stand in the log.
        ranked: numbers of the messages that it may mean.
    """
    columns = matches.columns
    named = named_speaker(asked.text, columns.speakers)
    if not named:
        return None
    name = columns.speakers[named]
    weights = term_weights(matches.terms, columns.passages)
    for term in _terms_of_name(name, weights):
        weights.pop(term)
    nearest: dict[int, float] = {}
    best = islice(ranked, RANKED_MAX)
    for seq, near in share_of_each(matches.terms, weights, best).items():
        speaker = columns.speaker[seq]
        nearest[speaker] = max(nearest.get(speaker, 0.0), near)
    own = nearest.get(named)
    others = {who: near for who, near in nearest.items() if who not in (0, named)}
    if own is None or not others:
        return None
    other = max(others, key=others.__getitem__)
    if others[other] - own <= WHO_GAP:
        return None
    return f"the closest was said by {columns.speakers[other]}, not by {name}"


def _terms_of_name(name: str, terms: Iterable[str]) -> list[str]:
    """Return the terms of the speaker's first name: whoever says it does not speak for them."""
    first = name.split(maxsplit=1)[0].casefold()
    found = _term_of(first, list(terms))
    return [found] if found else []


def doubts(
    words: Sequence[str], who: str | None = None, *, are_few: bool = False
) -> tuple[str, ...]:
    """Return why hits may not answer, in words.

    Args:
        words: of the question, that stand nowhere.
        who: what `said_by_another` returned.
        are_few: whether no hit has `FEW_WORDS_SHARE` of the question.
    """
    found = [who] if who else []
    if words:
        found.append(_never_said(words))
    if are_few:
        found.append("even the best match has few of the question's words")
    return tuple(found)


def _never_said(words: Sequence[str]) -> str:
    """Say it of the word, not of what it means: that may have been said in another word."""
    quoted = [f"'{_shortened(word)}'" for word in words]
    if len(quoted) == 1:
        return f"{quoted[0]} was never said or remembered"
    return f"{', '.join(quoted[:-1])} and {quoted[-1]} were never said or remembered"


def _shortened(word: str) -> str:
    """Return a word as it can stand in a sentence; what is pasted may have one of a megabyte."""
    return word if len(word) <= _LETTERS_MAX else f"{word[:_LETTERS_MAX]}…"


def nothing_found(words: Sequence[str], hidden: int = 0) -> str:
    """Return why there is no candidate at all.

    Args:
        words: of the question, that stand nowhere.
        hidden: how many memories with its words the filter leaves out.
    """
    if hidden:
        memories = "1 memory" if hidden == 1 else f"{hidden} memories"
        return f"{memories} with such words: replaced, expired, held back or outside the filter"
    if words:
        return _never_said(words)
    return "no word of the question was ever said or remembered"


def budget(tokens_max: int, misfits: int, has_hits: bool) -> str | None:
    """Return what the budget left out, or None; `misfits` is how many hits did not fit."""
    if not misfits:
        return None
    if not has_hits:
        return f"nothing fits into {tokens_max} tokens"
    return f"some hits did not fit into {tokens_max} tokens"
