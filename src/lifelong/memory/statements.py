"""Statements: a memory's text as `sameness` and `supersede` compare it.

Read once and lazily: of thirty candidates most are set aside by their words alone. Nothing here
knows what a difference means; `same_fact` and `relation` judge that.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cached_property

from lifelong.memory.frames import Frame, read_frame
from lifelong.memory.statement_words import NEGATIONS
from lifelong.memory.values import Denial, Value, denials, sentences, stems, values
from lifelong.memory.wording import Word, is_han, without_articles, words_of

CHARACTERS_MAX = 600
"""A longer text is no single statement: it is compared as a whole, and replaces nothing."""

ONE_FACT_MAX = 200
"""A longer text says more than one thing."""


@dataclass(frozen=True)
class Statement:
    """One short text, read when first asked.

    Attributes:
        text: as it was given, accents composed.
    """

    text: str

    @property
    def is_short(self) -> bool:
        """Whether this can be one statement."""
        return len(self.text) <= CHARACTERS_MAX

    @cached_property
    def words(self) -> tuple[Word, ...]:
        """The words in order, contractions and amounts apart; articles are among them."""
        return words_of(self.text)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """The words without articles."""
        return tuple(word.plain for word in without_articles(self.words))

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The words with a digit, sorted: no way to say the same thing changes them."""
        return tuple(sorted(word for word in self.plain if any(map(str.isdigit, word))))

    @cached_property
    def frame(self) -> Frame:
        """What it says, apart from how."""
        return read_frame(self.words)

    @cached_property
    def content(self) -> frozenset[str]:
        """Stems of the words that say something, and each character of a script without spaces."""
        han = {word.plain for word in self.words if is_han(word.plain)}
        return frozenset(stems(self.text)) | han

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """Amounts, dates, times, versions and counts, in order."""
        return tuple(values(self.text)) if self.is_short else ()

    @cached_property
    def denials(self) -> tuple[Denial, ...]:
        """What it says never to have been, in order."""
        return tuple(denials(self.text))

    @cached_property
    def is_one_fact(self) -> bool:
        """Whether it says one thing, so that all of it is over when its value is."""
        return len(self.text) <= ONE_FACT_MAX and len(sentences(self.text)) == 1

    @cached_property
    def is_denying(self) -> bool:
        """Whether any word of it denies something."""
        return any(word.plain in NEGATIONS for word in self.words)

    def shown(self, words: tuple[Word, ...]) -> str:
        """Return words as they stand in the text, from the first to the last."""
        return self.text[words[0].start : words[-1].end] if words else ""


def parse_statement(text: str) -> Statement:
    """Return `text` as a statement."""
    return Statement(unicodedata.normalize("NFC", text))
