"""Frames: a statement without what says how sure, how new or how it is denied.

"Sam no longer likes spicy food" and "Sam likes spicy food" have one frame; what was taken out is
kept beside it. Two frames that differ in one place differ in a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from lifelong.memory.attribute_words import (
    ADDED,
    AUXILIARIES,
    CHANGE_VERBS,
    CHANGED,
    COPULAS,
    DENIED,
    ENDED,
    ENDS_A_DENIAL,
    FUNCTIONAL,
    MY_WORDS,
    NOT_PAST,
    ONE_OF_A_KIND,
    PAST,
    RECURRENT,
    RENEWED,
    SAYING_LITTLE,
    SELF_WORDS,
    TURNED_INTO,
)
from lifelong.memory.wording import Word, without_articles

SELF, MY, IS = "\u0001self", "\u0001my", "is"
"""Keys that no word of a text has, and that of every form of "be"."""

_PHRASE_MAX = 4
_TO = frozenset(("to", "into", "until"))
_FROM = frozenset(("from",))
_FROM_MAX = 6
_MOVING = frozenset(("moved", "relocated"))
"""What may open a statement about the user, who is not named."""

_Phrases = AbstractSet[tuple[str, ...]]
_DROPPED: tuple[tuple[str, _Phrases], ...] = (
    ("ended", ENDED),
    ("added", ADDED),
    ("changed", CHANGED),
    ("denied", DENIED),
    ("", SAYING_LITTLE),
)
_MARK_OF = {phrase: mark for mark, phrases in reversed(_DROPPED) for phrase in phrases}


class Item(NamedTuple):
    """A word of a frame: as it is compared, and as it stands in the text."""

    key: str
    word: Word


@dataclass(frozen=True, slots=True)
class Frame:
    """What a statement says, apart from how.

    Attributes:
        items: its words.
        marks: what was taken out: ``ended``, ``denied``, ``changed``, ``added``.
    """

    items: tuple[Item, ...]
    marks: frozenset[str]

    @property
    def keys(self) -> tuple[str, ...]:
        """The words as they are compared."""
        return tuple(item.key for item in self.items)

    @property
    def is_past(self) -> bool:
        """Whether it tells of something that is over."""
        return any(is_past(item.word.plain) for item in self.items)


def read_frame(words: tuple[Word, ...]) -> Frame:
    """Return the frame of a statement's words."""
    kept = list(without_articles(words))
    marks: set[str] = set()
    items = list(_items(kept, marks))
    if "denied" in marks and _ends_a_denial(kept):
        marks.add("ended")
        items = [item for item in items if (item.word.plain,) not in ENDS_A_DENIAL]
    if marks & {"denied", "ended"}:
        items = [item for item in items if item.word.plain not in ("do", "does")]
    return Frame(tuple(_with_self(items)), frozenset(marks))


def is_past(word: str) -> bool:
    """Return whether a word is a verb in the past tense, as far as its form tells."""
    return word in PAST or (word.endswith("ed") and len(word) > 4 and word not in NOT_PAST)


def _ends_a_denial(words: Sequence[Word]) -> bool:
    plain = [word.plain for word in words]
    return any(
        tuple(plain[at : at + size]) in ENDS_A_DENIAL for at in range(len(plain)) for size in (1, 2)
    )


def _items(words: Sequence[Word], marks: set[str]) -> Iterator[Item]:
    at = 0
    while at < len(words):
        mark, size = _mark(words, at)
        if size:
            marks.add(mark)
        elif (size := _change(words, at)) > 0:
            marks.add("changed")
            yield Item(IS, words[at + size - 1])
        elif _is_renewed(words, at):
            marks.add("changed")
            size = 1
        else:
            size = 1
            yield Item(key_of(words[at].plain), words[at])
            if words[at].pause == ":" and at + 1 < len(words):
                yield Item(IS, words[at])
        at += size


def _mark(words: Sequence[Word], at: int) -> tuple[str, int]:
    """Return what the longest phrase that starts here marks, and its words; no words if none."""
    for size in range(min(_PHRASE_MAX, len(words) - at), 0, -1):
        mark = _MARK_OF.get(tuple(word.plain for word in words[at : at + size]))
        if mark is not None:
            return mark, size
    return "", 0


def _change(words: Sequence[Word], at: int) -> int:
    """Return how many words say "is now": "has been moved to", "increased from 40k to"."""
    for size in range(min(_PHRASE_MAX, len(words) - at), 1, -1):
        if tuple(word.plain for word in words[at : at + size]) in TURNED_INTO:
            return size
    verb = _after_auxiliaries(words, at)
    if not _is_in(words, verb, CHANGE_VERBS if at else _MOVING):
        return 0
    end = _after_auxiliaries(words, verb + 1)
    if _is_in(words, end, _FROM):
        rest = words[end : end + _FROM_MAX]
        end += next((to for to, word in enumerate(rest) if word.plain in _TO), 0)
    return end + 1 - at if _is_in(words[:-1], end, _TO) else 0


def _after_auxiliaries(words: Sequence[Word], at: int) -> int:
    while _is_in(words, at, AUXILIARIES):
        at += 1
    return at


def _is_in(words: Sequence[Word], at: int, listed: AbstractSet[str]) -> bool:
    return at < len(words) and words[at].plain in listed


def _is_renewed(words: Sequence[Word], at: int) -> bool:
    if words[at].plain not in RENEWED:
        return False
    following = [word.plain for word in words[at + 1 : at + 4]]
    return not (FUNCTIONAL | RECURRENT | ONE_OF_A_KIND).isdisjoint(following)


def key_of(plain: str) -> str:
    """Return a word as frames compare it."""
    if plain in COPULAS:
        return IS
    if plain in MY_WORDS:
        return MY
    is_plural = len(plain) > 3 and plain.endswith("s") and not plain.endswith(("ss", "us", "is"))
    return plain[:-1] if is_plural else plain


def _with_self(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items, the user who speaks or is spoken of as one."""
    for at, item in enumerate(items):
        yield Item(SELF, item.word) if not at and item.key in SELF_WORDS else item
