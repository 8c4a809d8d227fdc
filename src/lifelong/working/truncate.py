"""Shorten a text to a limit, keeping its head and its tail.

A cut is made between code points, so the result is always valid text, and outside of what a
reader sees as one character: an accent stays on its letter, a family emoji stays a family, a flag
stays a flag. The marker that stands for what was left out is part of the limit.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal

from lifelong.errors import InvalidValue
from lifelong.working.tokens import TokenCounter, estimate_tokens

Unit = Literal["tokens", "characters", "bytes"]

_JOINER = "\u200d"
_VIRAMA = 9
_LOOK_BACK_MAX = 64
"""No character that people read is made of more code points; a longer one is cut."""


def truncate(
    text: str,
    limit: int,
    *,
    unit: Unit = "tokens",
    count: TokenCounter = estimate_tokens,
    marker: str = "…",
) -> str:
    """Return the text, or its head and tail around the marker when it is over the limit.

    The result is never over the limit, marker included. It is empty when not even the marker
    fits, and when the limit is 0 or less.

    Args:
        text: what to shorten.
        limit: how large the result may be, in `unit`.
        unit: tokens by `count`, code points, or bytes of UTF-8.
        count: tells the tokens of a text; for the unit "tokens" alone.
        marker: stands where text was left out.

    Raises:
        InvalidValue: there is no such unit.
    """
    size = _measure(unit, count)
    if limit <= 0:
        return ""
    if size(text) <= limit:
        return text
    # What is kept grows with the number of code points, so the number that fits is searched for,
    # from small ones up: only a few texts much longer than the limit are ever measured.
    # A counter may be uneven by a token or two: what is found is measured, never assumed.
    most = len(text) - 1
    high = min(limit, most)
    while high < most and size(_kept(text, high, marker)) <= limit:
        high = min(2 * high, most)
    best, low = "", 0
    while low <= high:
        middle = (low + high) // 2
        candidate = _kept(text, middle, marker)
        if size(candidate) <= limit:
            best, low = candidate, middle + 1
        else:
            high = middle - 1
    return best


def _measure(unit: str, count: TokenCounter) -> Callable[[str], int]:
    if unit == "tokens":
        return count
    if unit == "characters":
        return len
    if unit == "bytes":
        return _bytes_of
    raise InvalidValue(f"unit {unit!r} is not tokens, characters or bytes")


def _bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _kept(text: str, characters: int, marker: str) -> str:
    head = _boundary(text, characters - characters // 2)
    tail = _boundary_after(text, len(text) - characters // 2)
    return text[:head] + marker + text[tail:]


def _boundary(text: str, at: int) -> int:
    """Return the last place up to `at` where a cut splits no character."""
    least = max(0, at - _LOOK_BACK_MAX)
    for place in range(at, least, -1):
        if not _is_inside(text, place):
            return place
    return at if least else 0


def _boundary_after(text: str, at: int) -> int:
    """Return the first place from `at` where a cut splits no character."""
    most = min(len(text), at + _LOOK_BACK_MAX)
    for place in range(at, most):
        if not _is_inside(text, place):
            return place
    return at if most < len(text) else len(text)


def _is_inside(text: str, place: int) -> bool:
    """Tell whether a cut at `place` splits what is read as one character."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    if before == "\r" and after == "\n":
        return True
    if before < "\u0300" and after < "\u0300":
        return False
    if _JOINER in (before, after) or _extends(after) or _joins_next(before):
        return True
    return _is_flag_letter(after) and _flag_letters_before(text, place) % 2 == 1


def _extends(character: str) -> bool:
    # Marks (accents, vowel signs, variation selectors, keycaps), skin tones, tags of flags.
    return (
        unicodedata.category(character)[0] == "M"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or "\u1160" <= character <= "\u11ff"  # the later letters of a Korean syllable
    )


def _joins_next(character: str) -> bool:
    # The sign that makes one letter of two in the scripts of India.
    return unicodedata.combining(character) == _VIRAMA


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flag_letters_before(text: str, place: int) -> int:
    start = place
    while start and _is_flag_letter(text[start - 1]):
        start -= 1
    return place - start
