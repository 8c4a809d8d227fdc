"""The forms of a text that a search for instructions reads: what it says once nothing is disguised.

Somebody who plants a text can spell it so that a reader (or a model) understands it and a search
does not: with characters that nobody sees, letters of other scripts, spaced or reversed letters, or
in an encoding. `views` undoes each of these, one after the other. Views are for matching alone: the
text that is stored and shown stays as it was. What is looked for in them is in `injection`.

Everything is bounded: the time grows with the length, an encoding is undone at most `LEVELS_MAX`
times, and no step makes a text longer than a small multiple of what it was.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from lifelong.screening.decoding import decoded
from lifelong.screening.lookalikes import HIDDEN, fold, plain_letters, turned

LEVELS_MAX = 3

_BETWEEN_WORDS = re.compile(rf"(?<=\w)[{HIDDEN}]+(?=\w)")
_LETTER = r"[^\W_]"
_MAY_BE_SPELT = re.compile(rf"[\W_]{_LETTER}[\W_]{{1,3}}{_LETTER}[\W_]")
_SPELT_OUT = re.compile(rf"(?<!{_LETTER}){_LETTER}(?:[\W_]{{1,3}}{_LETTER}(?!{_LETTER})){{5,}}+")
_SEPARATOR = re.compile(r"[\W_]+")
_MAY_BE_FILLED = re.compile(r"[^a-zA-Z0-9\s](?<=[^\W\d_].)[^\W\d_]")
_FILLED = re.compile(r"(?<![^\W\d_])[^\W\d_]++(([^\w\s]|_)\2?)[^\W\d_]++(?:\1[^\W\d_]++)++")
_FILLED_MIN = 2
_ODD_FILLER = re.compile(r"[*~^+|·•¦`#$%](?<=[^\W\d_].)(?=[^\W\d_])")
_ODD_FILLERS_MIN = 3
_LEET = re.compile(r"[0134578@$][a-z]")
_LEET_MIN = 2
_LEET_I = str.maketrans("0134578@$", "oieastbas")
_LEET_L = str.maketrans("0134578@$", "oleastbas")
_TURNED_LETTERS = re.compile("[ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ]")
_TURNED_MIN = 6
_SHIFTED_LETTERS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_COMMON = "the you your all for with from this that ignore previous instructions".split()
_REVERSED = frozenset(word[::-1] for word in _COMMON)
_SHIFTED = frozenset(word.translate(_SHIFTED_LETTERS) for word in _COMMON)
_COMMON_MIN = 2
_WORD = re.compile(r"\w+")


def views(text: str) -> tuple[str, ...]:
    """Return the canonical forms of `text`, each once; the first is the text itself, folded."""
    return tuple(dict.fromkeys(form for layer in _layers(text) for form in _forms(layer)))


def _layers(text: str) -> Iterator[str]:
    """Yield the text, and what it is with its encodings undone, level by level."""
    yield text
    for _ in range(LEVELS_MAX):
        inner = decoded(text)
        if inner == text:
            return
        yield inner
        text = inner


def _forms(text: str) -> Iterator[str]:
    folded = fold(text)
    yield folded
    plain = folded
    if not text.isascii():
        plain = plain_letters(text)
        yield plain
        if _BETWEEN_WORDS.search(text):
            yield plain_letters(_BETWEEN_WORDS.sub(" ", text))
        if len(_TURNED_LETTERS.findall(text)) >= _TURNED_MIN:
            yield fold(turned(text))
    closed = _closed(plain)
    yield closed
    yield from _leet(closed)
    yield from _backwards(plain)


def _closed(text: str) -> str:
    """Return `text` with words that were spelt letter by letter, or filled up, in one piece."""
    if _MAY_BE_SPELT.search(text):
        text = _SPELT_OUT.sub(_spelt_together, text)
    if len(_MAY_BE_FILLED.findall(text)) >= _FILLED_MIN:
        text = _FILLED.sub(lambda found: _SEPARATOR.sub("", found[0]), text)
        if len(_ODD_FILLER.findall(text)) >= _ODD_FILLERS_MIN:
            text = _ODD_FILLER.sub("", text)
    return text


def _spelt_together(match: re.Match[str]) -> str:
    separators = _SEPARATOR.findall(match[0])
    usual = Counter(separators).most_common(1)[0][0]
    return _SEPARATOR.sub(lambda found: "" if found[0] == usual else " ", match[0])


def _leet(text: str) -> Iterator[str]:
    if len(_LEET.findall(text)) >= _LEET_MIN:
        yield text.translate(_LEET_I)
        yield text.translate(_LEET_L)


def _backwards(text: str) -> Iterator[str]:
    """Yield what a text says from right to left, or thirteen letters on, if that is English."""
    if _has_words(text, _REVERSED):
        yield text[::-1]
        yield _WORD.sub(lambda found: found[0][::-1], text)
    if _has_words(text, _SHIFTED):
        yield text.translate(_SHIFTED_LETTERS)


def _has_words(text: str, words: frozenset[str]) -> bool:
    if sum(map(text.__contains__, words)) < _COMMON_MIN:
        return False
    return len(words.intersection(_WORD.findall(text))) >= _COMMON_MIN
