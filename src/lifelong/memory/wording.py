"""Wording: a text cut into words as `statements` compares them.

Contractions and amounts are taken apart, marks and case put aside where they cannot mean anything:
mW is not MW, and a key keeps its capitals. What a word means is left to others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lifelong.memory.statement_words import (
    ARTICLES,
    BRITISH,
    CONTRACTED,
    NUMBERS,
    PRONOUNS_OF_IS,
    SINGLE_LETTER_UNITS,
)

_HAN = "\u3005-\u3007\u3041-\u3096\u309d-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_PIECE = re.compile(f"[{_HAN}]|[^\\s{_HAN}]+")
_IS_HAN = re.compile(f"[{_HAN}]")
_OPENING = "\"'([{“”‘’«»„¿¡*_`「『（【"
_CLOSING = ".,;:!?\"')]}“”‘’«»*_`。、，；：！？」』）】…"
_PAUSES = frozenset(".,;:!。、，；：！…")
_QUOTES = frozenset("\"'”’")
_ASKING = frozenset("?？")
_COLONS = frozenset(":：")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*)([a-zA-Zµ°%]+)\.?")
_HALF_DAYS = {"a.m": "am", "p.m": "pm"}
_CAMEL = re.compile("[a-z][A-Z]")
_FOLLOWED_BY_IS = re.compile(r"(?:a|an|the|not|in|at|on|from|\w{2,}ing)")


class Word(NamedTuple):
    """A word of a statement.

    Attributes:
        plain: as it is compared.
        start, end: where it stands in the statement's text.
        pause: the mark that follows it before the next word, or nothing.
        is_capital: whether it is written with one.
    """

    plain: str
    start: int
    end: int
    pause: str = ""
    is_capital: bool = False


def is_han(word: str) -> bool:
    """Return whether a word is a character of Chinese or Japanese."""
    return _IS_HAN.match(word) is not None


def without_articles(words: tuple[Word, ...]) -> Iterator[Word]:
    """Yield the words that are no article; what is called "plan A" keeps its letter."""
    for at, word in enumerate(words):
        following = words[at + 1].plain if at + 1 < len(words) else ""
        is_article = (
            word.plain in ARTICLES
            and following[:1].isalnum()
            and following not in ARTICLES.union(("is", "are", "was", "of", "and", "or"))
            and not word.pause
        )
        if not is_article:
            yield word


def words_of(text: str) -> tuple[Word, ...]:
    """Return the words of a text in order; articles are among them."""
    return tuple(_expanded(list(_pieces(text))))


def _pieces(text: str) -> Iterator[Word]:
    """Yield what stands between spaces without the marks around it."""
    for found in _PIECE.finditer(text):
        piece = found[0]
        start = found.start() + len(piece) - len(piece.lstrip(_OPENING))
        body = _body(piece.lstrip(_OPENING))
        tail = piece[start - found.start() + len(body) :]
        pause = next((mark for mark in tail if mark in _PAUSES), "")
        if body:
            yield Word(body, start, start + len(body), ":" if pause in _COLONS else pause)
        if not _ASKING.isdisjoint(tail) or (not body and piece[0] in _ASKING):
            yield Word("?", found.end() - 1, found.end())


def _body(piece: str) -> str:
    """Return a piece without the marks after it; 5' and 5" are feet and inches."""
    body = piece.rstrip(_CLOSING)
    is_measure = body[-1:].isdigit() and piece[-1] in _QUOTES
    return piece.rstrip(".,;:!?") if is_measure else body


def _expanded(pieces: list[Word]) -> Iterator[Word]:
    is_after_number = False
    for at, piece in enumerate(pieces):
        following = pieces[at + 1].plain.lower() if at + 1 < len(pieces) else ""
        plains = _plains(piece.plain, following, is_after_number=is_after_number)
        for place, plain in enumerate(plains):
            pause = piece.pause if place == len(plains) - 1 else ""
            yield Word(plain, piece.start, piece.end, pause, piece.plain[:1].isupper())
        is_after_number = plains[-1][-1:].isdigit()


def _plains(shown: str, following: str, *, is_after_number: bool) -> tuple[str, ...]:
    """Return the words that one piece stands for."""
    amount = _AMOUNT.fullmatch(shown)
    if amount:
        return (amount[1], _unit(amount[2]))
    if is_after_number and len(shown) <= 3:
        return (_unit(shown),)
    if _is_code(shown):
        return (shown,)
    word = shown.casefold().replace("’", "'")
    if "'" in word:
        return _contracted(word, following)
    if word in CONTRACTED:
        return CONTRACTED[word]
    return (NUMBERS.get(word) or BRITISH.get(word) or word,)


def _contracted(word: str, following: str) -> tuple[str, ...]:
    if word in CONTRACTED:
        return CONTRACTED[word]
    head, _, tail = word.rpartition("'")
    if tail == "t" and head.endswith("n"):
        return (head[:-1], "not")
    if tail in ("m", "re", "ll", "ve"):
        return (head, {"m": "am", "re": "are", "ll": "will", "ve": "have"}[tail])
    if tail == "s" and head in PRONOUNS_OF_IS and _FOLLOWED_BY_IS.fullmatch(following):
        return (head, "is")
    return (word,)


def _unit(shown: str) -> str:
    """Return a unit: mW is not MW, but 40K is 40k and 3PM is 3 pm."""
    folded = _HALF_DAYS.get(shown.casefold(), shown.casefold())
    if len(shown) > 3 or folded in SINGLE_LETTER_UNITS:
        return BRITISH.get(folded, folded)
    return shown.rstrip(".") or shown


def _is_code(shown: str) -> bool:
    """Tell whether capitals may mean something: in a name of code, a key, a part number."""
    if _CAMEL.search(shown):
        return True
    letters = sum(map(str.isalpha, shown))
    return letters > 1 and letters < len(shown) and any(map(str.isdigit, shown))
