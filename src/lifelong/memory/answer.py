"""The answer: hits as text for a prompt, within a budget of tokens that counts all of it.

One line a hit, oldest first: date, who, what it is called, and the words (in a talk, date and
session are said once: a seventh of the price in chats of two people). Whoever reads it can tell
who said what and when, name the source, and see which statement is older. What tools and documents
said stands inside a fence (see `fence`). The price is that of the finished text, marks included.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from lifelong.memory.fence import PLAIN_FENCE, Fence, fenced, inline, plain, spoken
from lifelong.messages import ROLES, USER
from lifelong.records import Hit, Memory, Pair, Place, Trust, in_order

CountTokens = Callable[[str], int]
"""Tells the tokens of a text; those of a whole are never more than those of its parts together."""

CUT_MARK = " […]"
CUT_TOKENS_MIN = 15
"""With less room than that for its words, a hit is left out instead of cut."""

_NOTE_CHARACTERS_MAX = 200
_NOTES_COST_HITS_MAX = 3
"""Notes are worth so many of the last hits, not more."""

_RANDOM_ID = re.compile(
    r"([a-z]{2,5}_)?([0-9a-f]{8})(?:[0-9a-f]{24}|-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
)
_PARENTS_SHOWN = 2
_LINE_END_TOKENS = 2
_UNEVEN_TOKENS = 30
"""By so much, the date and session of the line that gets a heading, an added price may be high."""
_SENTENCE_END = re.compile(r"[.!?。！？\n][\"')\]]*(?=\s|$)|(?<=[。！？])")
_WORD_END = re.compile(r"(?<=\S)(?=\s)")


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer.

    Attributes:
        hits: those that `text` holds, in the order they were taken, each with its name and price.
        text: ready to paste.
        tokens: its price.
        dropped: how many hits had to make room for marks and notes.
    """

    hits: tuple[Hit, ...]
    text: str
    tokens: int
    dropped: int = 0


def answer_text(
    hits: Iterable[Hit],
    pairs: Iterable[Pair] = (),
    *,
    notes: Sequence[str] = (),
    marks: Fence = PLAIN_FENCE,
) -> str:
    """Return hits as text for a prompt, oldest first; empty for no hit.

    Messages of one session and day stand below one heading.

    Args:
        hits: in any order.
        pairs: both hits of each are marked, with the value that the other has.
        notes: what is to be said of the hits as a whole; a line each, at the end.
        marks: what untrusted text stands between.
    """
    return _composed([_Shown.of(hit, marks) for hit in hits], pairs, notes, marks)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A hit as it is shown, ready to be put together.

    Attributes:
        hit: whose it is.
        who: whose words they are.
        name, short: what it is called, by itself and below a heading.
        notes: what the head says of it beside its name.
        body: what follows the head.
    """

    hit: Hit
    who: str
    name: str
    short: str
    notes: tuple[str, ...]
    body: str

    @staticmethod
    def of(hit: Hit, marks: Fence) -> _Shown:
        body = fenced(hit.text, marks) if _is_untrusted(hit) else spoken(hit.text)
        notes = tuple(_memory_notes(hit.memory)) if hit.memory else ()
        return _Shown(hit, _who(hit), source_name(hit), _short(hit.id), notes, body)

    def alone(self, marks: Sequence[str] = ()) -> str:
        """Return it with its date, as it stands when no other is of its session and day."""
        head = "; ".join([self.name, *self.notes, *marks])
        return f"[{_day(self.hit)}] {self.who} ({head}):{self.body}"

    def below(self, marks: Sequence[str] = ()) -> str:
        """Return it as it stands below the heading of its session and day."""
        head = "; ".join([self.short, *self.notes, *marks])
        return f"{self.who} ({head}):{self.body}"

    def heading(self) -> str:
        return f"[{_day(self.hit)}] session {_short(self.hit.session_id or '')}:"


def _composed(
    shown: Sequence[_Shown], pairs: Iterable[Pair], notes: Sequence[str], marks: Fence
) -> str:
    # Two passages of one message are two hits of one place.
    shown_of = {id(one.hit): one for one in shown}
    ordered = [shown_of[id(hit)] for hit in in_order(one.hit for one in shown)]
    if not ordered:
        return ""
    said_of = _pair_marks(pairs)
    lines = [marks.note] if any(_is_untrusted(one.hit) for one in ordered) else []
    for _, group in groupby(ordered, key=lambda one: _group(one.hit)):
        together = list(group)
        if len(together) > 1:
            lines.append(together[0].heading())
            lines += [one.below(said_of.get(one.hit.place, ())) for one in together]
        else:
            lines += [one.alone(said_of.get(one.hit.place, ())) for one in together]
    lines += [f"Note: {inline(note, _NOTE_CHARACTERS_MAX)}." for note in notes]
    return "\n".join(lines)


def _group(hit: Hit) -> tuple[str, str]:
    """Return what the hits below one heading have in common; a memory is alone."""
    return _day(hit), hit.session_id or hit.id


def _day(hit: Hit) -> str:
    return hit.at.date().isoformat()


def source_name(hit: Hit) -> str:
    """Return what a hit is called: short, and not to be mistaken for another hit.

    A random id is cut to its first 8 digits. A message's own id may be there again in another
    session, so the session stands before it.
    """
    if hit.session_id is None or _RANDOM_ID.fullmatch(hit.id):
        return _short(hit.id)
    return f"{_short(hit.session_id)}/{_short(hit.id)}"


def _short(id: str) -> str:
    found = _RANDOM_ID.fullmatch(id)
    return f"{found[1] or ''}{found[2]}" if found else inline(id)


def _is_untrusted(hit: Hit) -> bool:
    trust = hit.memory.trust if hit.memory else hit.trust
    return trust <= Trust.UNTRUSTED


def _who(hit: Hit) -> str:
    if hit.memory is not None:
        return hit.memory.kind
    role, name = hit.role or "unknown", inline(hit.speaker or "")
    if not name:
        return inline(role)
    # A person may be called anything; nobody is called what only a role may be.
    return f'{inline(role)} "{name}"' if name.casefold() in ROLES and name != role else name


def _memory_notes(memory: Memory) -> Iterable[str]:
    origin = memory.origin
    if origin.channel != USER or origin.source:
        yield f"from {inline(f'{origin.channel} {origin.source}')}"
    if origin.parents:
        more = len(origin.parents) - _PARENTS_SHOWN
        named = [_short(parent) for parent in origin.parents[:_PARENTS_SHOWN]]
        yield f"derived from {', '.join([*named, f'{more} more'] if more > 0 else named)}"
    if memory.superseded_by is not None:
        yield f"replaced by {_short(memory.superseded_by)}"
    if memory.valid_to is not None:
        yield f"valid until {memory.valid_to.date().isoformat()}"


def _pair_marks(pairs: Iterable[Pair]) -> Mapping[Place, list[str]]:
    marks: dict[Place, list[str]] = {}
    for pair in pairs:
        later, earlier = inline(pair.newer_value), inline(pair.older_value)
        marks.setdefault(pair.older, []).append(f"older, later said: {later}")
        marks.setdefault(pair.newer, []).append(f"newer, earlier: {earlier}")
    return marks


class Packing:
    """Takes hits, best first, as long as the whole text stays within a budget of tokens.

    What a hit adds is estimated from its own lines, rather too high; only when that does not fit
    is the whole text counted. So the work grows with the text, not with its square.

    Args:
        tokens_max: of the whole text.
        count: tells the tokens of a text.
        hits_max: how many hits, or None.
        marks: what untrusted text stands between.
    """

    def __init__(
        self,
        tokens_max: int,
        count: CountTokens,
        *,
        hits_max: int | None = None,
        marks: Fence = PLAIN_FENCE,
    ) -> None:
        self.tokens_max = tokens_max
        self._count = count
        self.hits_max = hits_max
        self._marks = marks
        self._taken: list[_Shown] = []
        self._groups: Counter[tuple[str, str]] = Counter()
        self._has_fence = False
        self._tokens = 0
        self._is_exact = True
        self.misfits = 0

    @property
    def hits(self) -> tuple[Hit, ...]:
        """What was taken, in the order it was taken."""
        return tuple(one.hit for one in self._taken)

    @property
    def is_full(self) -> bool:
        """Whether no more hits are wanted."""
        return self.hits_max is not None and len(self._taken) >= self.hits_max

    def add(self, hit: Hit) -> bool:
        """Take a hit if it fits, the first one cut if it must be; return whether it was taken."""
        if self._takes(hit) or (not self._taken and self._takes_cut(hit)):
            return True
        self.misfits += 1
        return False

    def _takes(self, hit: Hit) -> bool:
        one = _Shown.of(hit, self._marks)
        price = self._count(one.alone())
        tokens = self._with(one, self._added(one, price))
        if tokens > self.tokens_max:
            return False
        self._tokens = tokens
        self._groups[_group(hit)] += 1
        self._has_fence = self._has_fence or _is_untrusted(hit)
        named = replace(hit, name=one.name, tokens=price)
        self._taken.append(_Shown(named, one.who, one.name, one.short, one.notes, one.body))
        return True

    def _with(self, one: _Shown, added: int) -> int:
        """Return what the text costs with a hit that adds at most `added`; exactly, if it must."""
        if self._tokens + added > self.tokens_max and not self._is_exact:
            self._tokens = self._price(self._taken)
            self._is_exact = True
        over = self._tokens + added - self.tokens_max
        if 0 < over <= _UNEVEN_TOKENS:
            return self._price([*self._taken, one])
        self._is_exact = self._is_exact and over > 0
        return self._tokens + added

    def _added(self, one: _Shown, alone: int) -> int:
        """Return how much the text grows at most by a hit that costs `alone` by itself."""
        others = self._groups[_group(one.hit)]
        more = _LINE_END_TOKENS
        if others == 1:
            more += self._count(f"{one.heading()}\n")
        if _is_untrusted(one.hit) and not self._has_fence:
            more += self._count(f"{self._marks.note}\n")
        # Below a heading it costs less; how much less matters only when room becomes short.
        if not others or self._tokens + alone + more <= self.tokens_max:
            return alone + more
        return self._count(f"{one.below()}\n") + more

    def _price(self, shown: Sequence[_Shown]) -> int:
        return self._count(_composed(shown, (), (), self._marks))

    def _takes_cut(self, hit: Hit) -> bool:
        """Take as many whole sentences of the hit as fit, else words, unless too few do."""
        text = plain(hit.text)

        def price(end: int) -> int:
            return self._price([_Shown.of(_cut_at(hit, text, end), self._marks)])

        if self.tokens_max - price(0) < CUT_TOKENS_MIN:
            return False
        for ends in (_SENTENCE_END, _WORD_END):
            places = [match.end() for match in ends.finditer(text)]
            fitting = bisect_right(places, self.tokens_max, key=price)
            # A count may be uneven by a token: what seems to fit is tried.
            for end in reversed(places[:fitting]):
                if self._takes(_cut_at(hit, text, end)):
                    return True
        return False

    def answer(self, pairs: Sequence[Pair] = (), notes: Sequence[str] = ()) -> Answer:
        """Return what was taken as text; the last hits make room for the marks and notes."""
        everything = len(self._taken)
        least = max(everything - _NOTES_COST_HITS_MAX, 1)
        for marks, said in ((pairs, notes), (pairs, ()), ((), ())):
            for kept in range(everything, least - 1, -1):
                text = _composed(self._taken[:kept], marks, said, self._marks)
                tokens = self._count(text)
                if tokens <= self.tokens_max:
                    return Answer(self.hits[:kept], text, tokens, everything - kept)
        return Answer((), "", 0)


def _cut_at(hit: Hit, text: str, end: int) -> Hit:
    return replace(hit, text=f"{text[:end].rstrip()}{CUT_MARK}".lstrip(), is_cut=True)
