"""Sentences and clauses of a text, with their places in it.

People ask and tell in one breath: "I prefer tea, can you find a shop?" A clause is what of a
sentence stands by itself, so that the question can be left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lifelong.memory.phrases.patterns import Language

SENTENCE_MAX = 600
"""Characters of a sentence that is looked at; a longer one is a document."""

_END = re.compile(
    "(?<![.!?\u2026])[.!?\u2026]++(?=[\\s\"')\\]\u201d\u00bb*]|$)|[\u3002\uff01\uff1f]+|\n"
)
_QUESTION = frozenset("?\uff1f")
_ABBREVIATION_CHARACTERS = 12
_START = re.compile(r"[\s*_#\u2022\"')\]]*(?:(?:[-+*\u2022]|\d{1,3}[.)]|\[[ x]\])\s+)?[\s*_]*")
_TRAILING = " \t.!?\u2026,;:*_\u3002\uff01\uff1f\uff0c\uff1b\u3001-\u2013\u2014)"


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence or clause: where it stands, and whether it ends in a question mark."""

    start: int
    end: int
    is_question: bool


def sentences(text: str, language: Language) -> Iterator[Span]:
    """Yield the sentences of a text that are short enough to be one."""
    start = 0
    for mark in _END.finditer(text):
        if mark[0] == "." and _is_abbreviated(text, mark.end(), language):
            continue
        is_question = not _QUESTION.isdisjoint(mark[0])
        yield from _span(text, start, mark.start(), is_question=is_question)
        start = mark.end()
    yield from _span(text, start, len(text), is_question=False)


def clauses(text: str, sentence: Span, language: Language) -> list[Span]:
    """Return the clauses of a sentence in order; only the last can end in its question mark."""
    found: list[Span] = []
    start = sentence.start
    for mark in language.boundary.finditer(text, sentence.start, sentence.end):
        if mark.start() > start:
            found += _span(text, start, mark.start(), is_question=False)
            start = mark.end()
    return [*found, *_span(text, start, sentence.end, is_question=sentence.is_question)]


def _span(text: str, start: int, end: int, *, is_question: bool) -> Iterator[Span]:
    if end - start > SENTENCE_MAX:
        return
    opening = _START.match(text, start, end)
    start = opening.end() if opening else start
    while end > start and text[end - 1] in _TRAILING:
        end -= 1
    if end - start > 1:
        yield Span(start, end, is_question)


def _is_abbreviated(text: str, end: int, language: Language) -> bool:
    before = text[max(end - _ABBREVIATION_CHARACTERS, 0) : end]
    return language.abbreviation.search(before) is not None
