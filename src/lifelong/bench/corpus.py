"""Made-up conversations for measuring speed: as long, as skewed and as clustered as real ones.

Words follow Zipf's law with real function words in front; each session has a topic whose words
come again and again. There are two kinds: in `MIXED` a user writes short messages and an assistant
longer ones; in `SHORT` two people chat, one of whom is there in every session. The numbers were set
so that a question meets about as many places of its words as in real chats of its kind. One seed
makes one text on every machine, since it is drawn from a hash.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from math import exp, log

from lifelong.errors import InvalidValue
from lifelong.messages import ASSISTANT, USER, Message

_FUNCTION_WORDS = (
    "the to and a i you of it in that is for with my this on your have be can are as if at or so"
    " do but not me was they will from there what an their by about we how has when would which"
    " been had more who its our some just like know time last year today"
).split()
_ONSETS = "b br c ch d dr f fl g gr h j k l m n p pl qu r s st t tr v w".split()
_VOWELS = "a e i o u ai ea oo".split()
_CODAS = ("", "n", "r", "l", "ck", "m", "st", "t")
_WORDS = 20_000
_ZIPF_SHIFT, _ZIPF_POWER = 2.7, 1.15
_SLOTS = 1 << 18
"""Drawing a word is a look-up in a table where each word stands as often as it is used."""

_TOPIC_WORDS = 24
_TOPIC_RANKS = (60, 5_000)
_TOPIC_EVERY = 6
"""One word in so many is the topic's."""

_START = datetime(2024, 1, 1, 9, tzinfo=UTC)
_BETWEEN_SESSIONS = timedelta(hours=9)
_SENTENCE_WORDS = (6, 18)
_FACT_WORDS = (8, 24)
_COMMON_RANKS, _RARE_RANKS = (50, 250), (500, 15_000)
_BLOCK = 4_096

_OWNER = "Maria"
_FRIENDS = "Ben Chloe Dmitri Esra Felix Grace Hiro Ines Jonas Kavya Liam Noor".split()


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a kind of conversation looks like.

    Attributes:
        messages: of a session, least and most.
        turns: role of the first speaker and of the second, each with the words of a message.
        has_names: whether both have names, and a question names one of them.
        asked: how questions begin.
        common: how many common words a question has, least and most.
    """

    messages: tuple[int, int]
    turns: tuple[tuple[str, tuple[int, int]], tuple[str, tuple[int, int]]]
    has_names: bool
    asked: tuple[str, ...]
    common: tuple[int, int]

    def names(self, session: int) -> tuple[str | None, str | None]:
        """Return who speaks first and who speaks second in a session."""
        if not self.has_names:
            return None, None
        return _OWNER, _FRIENDS[session % len(_FRIENDS)]


MIXED, SHORT = "mixed", "short"
_KINDS = {
    MIXED: _Kind(
        messages=(20, 60),
        turns=((USER, (6, 60)), (ASSISTANT, (25, 300))),
        has_names=False,
        asked=(
            "What did I say about",
            "When did we talk about",
            "Which of these did you recommend:",
        ),
        common=(3, 5),
    ),
    SHORT: _Kind(
        messages=(12, 32),
        turns=((USER, (7, 64)), (USER, (7, 64))),
        has_names=True,
        asked=("What does {} like about", "When was {} at", "What did {} know of"),
        common=(2, 3),
    ),
}
KINDS = tuple(_KINDS)


class _Draws:
    """Whole numbers below 2^32, the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self._numbers = _numbers(seed)

    def take(self, amount: int) -> list[int]:
        return list(islice(self._numbers, amount))

    def between(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`, each as likely."""
        return least + next(self._numbers) % (most - least + 1)

    def skewed(self, least: int, most: int) -> int:
        """Return a whole number from `least` to `most`; twice as large is half as likely."""
        share = next(self._numbers) / (1 << 32)
        return int(least * exp(share * log((most + 1) / least)))


def _numbers(seed: str) -> Iterator[int]:
    for block in count():
        drawn = hashlib.shake_128(f"{seed}/{block}".encode()).digest(4 * _BLOCK)
        yield from struct.unpack(f"<{_BLOCK}I", drawn)


def _vocabulary() -> list[str]:
    """Return distinct words, the most used first and the rarer ones longer."""
    syllables = [onset + vowel + coda for coda in _CODAS for vowel in _VOWELS for onset in _ONSETS]
    # A step without a common divisor walks through all syllables, far from one to the next.
    mixed = [syllables[at * 997 % len(syllables)] for at in range(len(syllables))]
    longer = (second + first for first in mixed for second in mixed)
    return list(islice(dict.fromkeys([*_FUNCTION_WORDS, *mixed, *islice(longer, _WORDS)]), _WORDS))


def _slots(words: Sequence[str]) -> list[str]:
    shares = [(rank + _ZIPF_SHIFT) ** -_ZIPF_POWER for rank in range(len(words))]
    scale = (_SLOTS - len(words)) / sum(shares)
    times = [1 + int(share * scale) for share in shares]
    times[0] += _SLOTS - sum(times)
    return [word for word, often in zip(words, times, strict=True) for _ in range(often)]


class Corpus:
    """Sessions, questions and facts of one made-up owner.

    Args:
        seed: another one makes another text.
        kind: of conversation, one of `KINDS`.

    Raises:
        InvalidValue: there is no such kind.
    """

    def __init__(self, seed: int = 0, kind: str = MIXED) -> None:
        if kind not in _KINDS:
            raise InvalidValue(f"kind {kind!r} is none of {', '.join(KINDS)}")
        self._seed = seed
        self._kind = _KINDS[kind]
        self._words = _vocabulary()
        self._slots = _slots(self._words)

    def sessions(self) -> Iterator[tuple[str, list[Message]]]:
        """Yield sessions without end: an id, and the messages of two speakers in turn."""
        for number in count():
            draws = _Draws(f"{self._seed}/session/{number}")
            topic = self._topic(number)
            begun = _START + number * _BETWEEN_SESSIONS
            names = self._kind.names(number)
            messages = []
            for at in range(draws.between(*self._kind.messages)):
                role, words = self._kind.turns[at % 2]
                text = self._text(draws, draws.skewed(*words), topic)
                sent_at = begun + timedelta(minutes=at)
                messages.append(Message.of(role, text, speaker=names[at % 2], sent_at=sent_at))
            yield f"session-{number}", messages

    def questions(self, amount: int, sessions: int) -> list[str]:
        """Return questions about the first so many sessions, of rare and of common words."""
        draws = _Draws(f"{self._seed}/questions/{sessions}")
        asked, common = self._kind.asked, self._kind.common
        questions = []
        for number in range(amount):
            session = draws.between(0, sessions - 1)
            topic = self._topic(session)
            start = draws.between(0, len(topic) - 2)
            words = [
                *topic[start : start + 2],
                *(self._words[draws.skewed(*_COMMON_RANKS)] for _ in range(draws.between(*common))),
                self._words[draws.skewed(*_RARE_RANKS)],
            ]
            begun = asked[number % len(asked)].format(self._kind.names(session)[number % 2])
            questions.append(f"{begun} {' '.join(words)}?")
        return questions

    def facts(self, amount: int) -> list[str]:
        """Return so many short statements, as `remember` takes them."""
        draws = _Draws(f"{self._seed}/facts")
        return [
            self._text(draws, draws.between(*_FACT_WORDS), self._topic(number))
            for number in range(amount)
        ]

    def _topic(self, session: int) -> list[str]:
        draws = _Draws(f"{self._seed}/topic/{session}")
        return [self._words[draws.skewed(*_TOPIC_RANKS)] for _ in range(_TOPIC_WORDS)]

    def _text(self, draws: _Draws, words: int, topic: Sequence[str]) -> str:
        slots = self._slots
        drawn = [
            slots[number >> 14] if number % _TOPIC_EVERY else topic[number % len(topic)]
            for number in draws.take(words)
        ]
        sentences = []
        start = 0
        while start < words:
            end = start + draws.between(*_SENTENCE_WORDS)
            sentences.append(" ".join(drawn[start:end]).capitalize() + ".")
            start = end
        return " ".join(sentences)
