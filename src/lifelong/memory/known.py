"""What is known: the block that opens a new conversation.

Standing preferences and constraints matter even when they share no word with the next question,
so they are not searched for but always told. Each line says how old it is and whether it is to be
confirmed first; that stands before the words, so that no words can say otherwise. What came from a
tool or a document is not in this block, because a model reads it as its user's word; who asks for
it gets it below, inside a fence (see `fence`).

Ages are whole days in UTC: within a day the block stays the same, and with it a provider's cache.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from lifelong.memory.fading import half_life_days
from lifelong.memory.fence import fence, inline, nonce_of, spoken
from lifelong.ports import Clock, MemoryStore
from lifelong.records import Known, Memory, Trust
from lifelong.rows import MemoryFilter
from lifelong.working.tokens import estimate_tokens

TOKENS_MAX_DEFAULT = 1_000
RULES_TOKENS_MAX_DEFAULT = 500

CONSTRAINT, PREFERENCE = "constraint", "preference"
_TIERS = (
    ((CONSTRAINT, "Constraints", 0.65), (PREFERENCE, "Preferences", 0.35)),
    (("procedure", "How things are done", 0.3), ("fact", "Facts", 0.4), ("event", "Events", 0.3)),
)
"""Kind, title, and the share of the room that the others of its tier leave it. A tier has what the
one before it did not need: no fact takes the place of a constraint."""

_KINDS = tuple(kind for tier in _TIERS for kind, _, _ in tier)

PREFERENCE_CONFIRMED_DAYS = 365
"""Preferences do not fade, but after a year it is polite to ask."""

_MISFITS_MAX = 20
"""After so many memories of a kind that do not fit, the rest is left out untried."""

_UNEVEN_TOKENS = 12
"""By so much the sum of the lines may cost more than the text."""


def known(
    store: MemoryStore, clock: Clock, *, tokens_max: int, include_untrusted: bool = False
) -> Known:
    """Return the standing memories as a block of text, within a budget of tokens.

    Constraints come first, then preferences, procedures, facts and events; in each the more
    important first, then the newer. Notes are left to recall.

    Args:
        store: of the owner's memories.
        clock: for ages, expiry and the letters that the fence bears.
        tokens_max: of the whole text, in estimated tokens.
        include_untrusted: show also what came from tools and documents, inside a fence.
    """
    least = Trust.UNTRUSTED if include_untrusted else Trust.MODEL
    which = MemoryFilter(clock.now(), kinds=_KINDS, trust_min=least)
    live = store.select(which)
    has_untrusted = any(memory.trust <= Trust.UNTRUSTED for memory in live)
    nonce = nonce_of(clock.new_id("fence")) if has_untrusted else ""
    return opening(live, which.now, tokens_max=tokens_max, nonce=nonce)


def standing_rules(
    store: MemoryStore, clock: Clock, tokens_max: int = RULES_TOKENS_MAX_DEFAULT
) -> Known:
    """Return the constraints alone, as lines without a heading, the most important first.

    Only what the user said, or vouched for, is a rule: a model may have been talked into the rest.
    """
    which = MemoryFilter(clock.now(), kinds=(CONSTRAINT,), trust_min=Trust.USER)
    section = _Section(_day(which.now), store.select(which))
    block = _Block((), [section], tokens_max)
    block.fill(section)
    return block.done()


def opening(
    memories: Sequence[Memory], now: datetime, *, tokens_max: int, nonce: str = ""
) -> Known:
    """Return memories as the block that opens a conversation; see `known`.

    Args:
        memories: live, in the order of recording.
        now: for ages; aware.
        tokens_max: of the whole text.
        nonce: letters of the fence for what is untrusted, which without them is left out.
    """
    today = _day(now)
    trusted, untrusted = _by_trust(memories)
    tiers = [
        [(_Section(today, _of(trusted, kind), (f"{title}:",)), share) for kind, title, share in row]
        for row in _TIERS
    ]
    if nonce:
        marks = fence(nonce)
        fenced = _Section(today, untrusted, (marks.note, marks.open), (marks.close,))
        tiers.append([(fenced, 1.0)])
    head = f"Known from earlier conversations, as of {today}. What the user says now wins."
    block = _Block((head,), [section for tier in tiers for section, _ in tier], tokens_max)
    for tier in tiers:
        room = max(tokens_max - block.tokens, 0)
        for section, share in tier:
            block.fill(section, room * share)
        for section, _ in tier:
            block.fill(section)
    return block.done()


def _by_trust(memories: Iterable[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Return what somebody vouches for, and what nobody does; without the kinds that recall has."""
    trusted: list[Memory] = []
    untrusted: list[Memory] = []
    for memory in memories:
        if memory.kind in _KINDS:
            (trusted if memory.trust > Trust.UNTRUSTED else untrusted).append(memory)
    return trusted, untrusted


def _of(memories: Iterable[Memory], kind: str) -> list[Memory]:
    return [memory for memory in memories if memory.kind == kind]


@dataclass(slots=True)
class _Section:
    """Memories of one kind, and the lines of those that were taken.

    Attributes:
        today: for ages.
        waiting: what was not tried yet, the more important first, then the newer.
        before, after: lines that stand around its lines.
        tokens: what it costs, at most.
    """

    today: date
    memories: Sequence[Memory]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    tokens: int = 0
    lines: list[str] = field(default_factory=list)
    taken: list[Memory] = field(default_factory=list)
    waiting: deque[Memory] = field(init=False)

    def __post_init__(self) -> None:
        newest_first = list(reversed(self.memories))
        self.waiting = deque(sorted(newest_first, key=lambda one: -one.importance))

    def shown(self, more: Sequence[str] = ()) -> list[str]:
        """Return its lines, with `more` at their end."""
        lines = [*self.lines, *more]
        return [*self.before, *lines, *self.after] if lines else []

    def added(self, line: str) -> int:
        """Return what a line adds to the price, at most."""
        parts = (line,) if self.lines else (*self.before, line, *self.after)
        return sum(map(estimate_tokens, parts))


class _Block:
    """Takes lines into sections as long as the whole text stays within a budget.

    What a line adds is estimated, rather too high; only when that does not fit is the text counted.
    """

    def __init__(
        self, head: tuple[str, ...], sections: Sequence[_Section], tokens_max: int
    ) -> None:
        self._head = head
        self._sections = sections
        self._tokens_max = tokens_max
        self._is_exact = True
        self.tokens = sum(map(estimate_tokens, head))

    def fill(self, section: _Section, share: float | None = None) -> None:
        """Take memories of a section in their order.

        Args:
            section: one of the block's.
            share: the section's cost at most, and the first memory beyond it ends it; None to take
                whatever fits.
        """
        misfits = 0
        while section.waiting and misfits < _MISFITS_MAX:
            line = _line(section.waiting[0], section.today)
            added = section.added(line)
            if share is not None and section.tokens + added > share:
                return
            memory = section.waiting.popleft()
            if not self._has_room(section, line, added):
                misfits += 1
                continue
            section.tokens += added
            section.lines.append(line)
            section.taken.append(memory)

    def _has_room(self, section: _Section, line: str, added: int) -> bool:
        """Return whether a line fits, and count it if it does."""
        if self.tokens + added > self._tokens_max and not self._is_exact:
            self.tokens = estimate_tokens(self._text())
            self._is_exact = True
        over = self.tokens + added - self._tokens_max
        if over > _UNEVEN_TOKENS:
            return False
        tokens = self.tokens + added
        if over > 0:
            tokens = estimate_tokens(self._text(section, line))
            if tokens > self._tokens_max:
                return False
        self._is_exact = over > 0
        self.tokens = tokens
        return True

    def _text(self, section: _Section | None = None, line: str = "") -> str:
        lines = [*self._head]
        for one in self._sections:
            lines += one.shown((line,) if one is section else ())
        return "\n".join(lines)

    def done(self) -> Known:
        """Return what was taken; nothing at all is an empty text."""
        taken = tuple(memory for section in self._sections for memory in section.taken)
        left_out = sum(len(section.memories) for section in self._sections) - len(taken)
        text = self._text() if taken else ""
        return Known(text, taken, estimate_tokens(text), left_out)


def _line(memory: Memory, today: date) -> str:
    """Return a memory as a line; what of it goes on begins with ``| ``."""
    return f"- [{'; '.join(_notes(memory, today))}]{spoken(memory.text)}".rstrip()


def _notes(memory: Memory, today: date) -> Iterator[str]:
    """Yield what is to be known before the words are read."""
    yield age(_day(memory.recorded_at), today)
    if memory.trust <= Trust.UNTRUSTED:
        yield f"from {inline(f'{memory.origin.channel} {memory.origin.source}')}"
    elif memory.trust < Trust.USER:
        yield "inferred"
    if memory.valid_from is not None and _day(memory.valid_from) > today:
        yield f"holds from {_day(memory.valid_from)}"
    ends = [_day(end) for end in (memory.valid_to, memory.expires_at) if end is not None]
    if ends:
        yield f"until {min(ends)}"
    if memory.stale_since is not None:
        yield "what it was made from fell"
    if memory.trust < Trust.USER or memory.stale_since is not None or _is_old(memory, today):
        yield "confirm before acting"


def _is_old(memory: Memory, today: date) -> bool:
    # A constraint never is: a rule kept too long costs little, one that is doubted may do harm.
    days = PREFERENCE_CONFIRMED_DAYS if memory.kind == PREFERENCE else half_life_days(memory.kind)
    vouched = max(memory.recorded_at, memory.confirmed_at or memory.recorded_at)
    return days is not None and (today - _day(vouched)).days > days


def _day(moment: datetime) -> date:
    return moment.astimezone(UTC).date()


def age(then: date, today: date) -> str:
    """Return how long ago a day was, in words, coarser the longer; a day to come is today."""
    days = (today - then).days
    if days < 1:
        return "today"
    if days == 1:
        return "yesterday"
    for unit, days_each, days_max in _UNITS:
        if days < days_max:
            return f"{int(days / days_each)} {unit} ago"
    return f"{int(days / _YEAR_DAYS)} years ago"


_YEAR_DAYS = 365.2425
_UNITS = (("days", 1.0, 14), ("weeks", 7.0, 63), ("months", _YEAR_DAYS / 12, 731))
"""Unit, its days, and under how many days it is used: always two of a unit at least."""
