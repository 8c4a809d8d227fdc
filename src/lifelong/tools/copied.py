"""Copies: whether a fact that a model wants to keep stands in a text that nobody vouches for.

A model that obeys a web page stores the page's sentence as if it were its own. Letters and digits
alone are compared, folded, so that marks, spaces and case make no difference; three quarters of
them in one piece are enough. A short phrase may stand anywhere, so it counts only as a whole text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lifelong.memory.features import message_trust
from lifelong.memory.passages import leaf_texts, searchable_text
from lifelong.memory.terms import fold, unspaced_characters
from lifelong.messages import Message, ToolResultPart
from lifelong.records import Trust, trust_of_channel

TELLING_CHARACTERS = 40
TELLING_WORDS = 6
SHARE = 0.75
PIECE_LETTERS_MIN = 24
"""Of a fact with fewer letters, all have to be there."""

READ_CHARACTERS_MAX = 1_000_000
"""So much of one text is read."""

_NO_LETTERS = re.compile("[\\W_\u115f\u1160]+")
"""What has no sound: marks, spaces, what nobody sees, and the fillers that count as letters."""


def letters(text: str) -> str:
    """Return the letters and digits of a text, folded."""
    return _NO_LETTERS.sub("", fold(text[:READ_CHARACTERS_MAX]))


class Copy:
    """A fact, ready to be looked for in many texts."""

    def __init__(self, fact: str) -> None:
        self._letters = letters(fact)
        words = len(fact.split()) + unspaced_characters(fact) // 2
        self._is_telling = len(fact) >= TELLING_CHARACTERS or words >= TELLING_WORDS
        whole = len(self._letters)
        self._piece = max(int(whole * SHARE), min(whole, PIECE_LETTERS_MIN))

    def is_in(self, text: str) -> bool:
        """Return whether the fact stands in `text`, nearly word for word."""
        return any(self._is_in(form) for form in _forms(text))

    def _is_in(self, text: str) -> bool:
        there = letters(text)
        if not self._letters or not self._is_telling:
            return bool(there) and there == self._letters
        starts = range(len(self._letters) - self._piece + 1)
        return any(self._letters[start : start + self._piece] in there for start in starts)


def _forms(text: str) -> Iterator[str]:
    """Yield a text, and each text inside it when it is JSON, where escapes stand for letters."""
    yield text
    if text.lstrip()[:1] in ("{", "["):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return
        yield from leaf_texts(value)


def untrusted_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message that nobody vouches for: results of tools, above all."""
    if message_trust(message) > Trust.UNTRUSTED:
        return
    results = [part.text for part in message.parts if isinstance(part, ToolResultPart)]
    yield from results
    if trust_of_channel(message.role) == Trust.UNTRUSTED and not results:
        yield searchable_text(message)
