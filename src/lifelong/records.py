"""What is kept and what is given back: memories, origins, sessions, hits, receipts.

All are frozen values. `Memory` and `SessionInfo` describe canonical rows; the rest are answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import IntEnum
from typing import Any

from lifelong.messages import Message

KINDS = ("preference", "constraint", "fact", "event", "procedure", "note")
CHANNELS = ("user", "assistant", "tool", "document", "system")

Namespace = tuple[str, ...]


class Trust(IntEnum):
    """How far a text may be relied on; it follows from the channel it came by."""

    UNTRUSTED = 0
    MODEL = 1
    USER = 2
    SYSTEM = 3


_TRUST_BY_CHANNEL = {
    "user": Trust.USER,
    "assistant": Trust.MODEL,
    "tool": Trust.UNTRUSTED,
    "document": Trust.UNTRUSTED,
    "system": Trust.SYSTEM,
}


def trust_of_channel(channel: str) -> Trust:
    """Return the trust of what came by `channel`; an unknown channel is untrusted."""
    return _TRUST_BY_CHANNEL.get(channel, Trust.UNTRUSTED)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory came from.

    Attributes:
        channel: one of `CHANNELS`.
        source: free text that names it: a file, a URL, a tool.
        parents: ids of the messages and memories it was made from.
    """

    channel: str = "user"
    source: str = ""
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One long-term statement.

    Attributes:
        id: unguessable, `mem_…`.
        text: as it was given.
        kind: one of `KINDS`.
        namespace: whole segments inside the owner.
        importance: 1 (trivial) to 10 (vital).
        trust: the least of the origin's channel and its parents.
        key: a name whose newest memory replaces the older ones, or None.
        metadata: the caller's own JSON object.
        recorded_at, updated_at: when we learned it, when it last changed.
        valid_from, valid_to: when it is true in the world; None means open.
        expires_at: when every read stops showing it.
        superseded_by: the id of the memory that replaced it, or None.
        superseded_at: when it was replaced, or None.
        ended_at: when what replaced it became true, or None.
        last_used_at: when recall last brought it back, where uses are counted; or None.
        held_for: why it is held back from every read until a person releases it (see
            `writing.HOLDS`); empty when it is not.
        stale_since: when something that it was made from was replaced or held back, or None.
        confirmed_at: when a person vouched for it, or None.
    """

    id: str
    text: str
    kind: str
    namespace: Namespace
    importance: int
    origin: Origin
    trust: Trust
    key: str | None
    metadata: Mapping[str, Any]
    recorded_at: datetime
    updated_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None
    ended_at: datetime | None = None
    last_used_at: datetime | None = None
    held_for: str = ""
    stale_since: datetime | None = None
    confirmed_at: datetime | None = None

    @property
    def is_quarantined(self) -> bool:
        """Whether it is held back from every read."""
        return bool(self.held_for)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One conversation, as `sessions()` lists it."""

    id: str
    title: str
    source: str
    messages: int
    started_at: datetime
    last_at: datetime
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A stored message that could not be read. It is kept; `lifelong check` lists it."""

    session_id: str
    message_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class LogSlice:
    """Messages of a session in the order they were appended, and the rows that were skipped."""

    messages: tuple[Message, ...]
    skipped: tuple[SkippedRow, ...] = ()

    def __iter__(self) -> Iterator[Message]:
        return iter(self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, position: int) -> Message:
        return self.messages[position]


@dataclass(frozen=True, slots=True)
class Appended:
    """What `append` did.

    Attributes:
        ids: the id of each item, in order, stored or not.
        added: how many were stored now.
        duplicates: how many were there already.
        forgotten: how many were left out because they had been forgotten.
        cleaned: how many held NUL or lone surrogates, which became U+FFFD.
        redacted: from how many something secret was taken out.
        unsaved: how many were left out because retention lets no messages be saved.
    """

    ids: tuple[str, ...]
    added: int
    duplicates: int = 0
    forgotten: int = 0
    cleaned: int = 0
    redacted: int = 0
    unsaved: int = 0


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One feature of a score: its value, its weight, and what it adds or takes away.

    Attributes:
        feature: its name, as docs/benchmarks.md explains it.
        value: of the feature.
        weight: of the feature, in the tier that ranked.
        share: of all that was added and taken away, 0 to 1.
    """

    feature: str
    value: float
    weight: float
    share: float = 0.0

    @property
    def amount(self) -> float:
        """Value times weight."""
        return self.value * self.weight


Place = tuple[str, str]
"""What tells a hit from all others: its session (empty for a memory), and its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One thing that recall brings back.

    Attributes:
        id: of the memory, or of the message.
        source: ``memory`` or ``log``.
        text: the memory, or the passage of the message that matched.
        score: 0 to 1, higher is better; an exact match is 1.
        parts: the features that make the score, largest first.
        tokens: the estimated price of this hit in a prompt.
        at: when it was said, or recorded.
        session_id, role, speaker: of a message; None for a memory.
        memory: the whole memory; None for a message.
        trust: how far it may be relied on; what nobody vouches for is data, not instructions.
        order: the number by which a message stands after the older ones of the log.
        name: what `Found.text` calls it: its id, shortened where it is random.
        is_cut: True when `text` was shortened to fit.
    """

    id: str
    source: str
    text: str
    score: float
    parts: tuple[ScorePart, ...]
    tokens: int
    at: datetime
    session_id: str | None = None
    role: str | None = None
    speaker: str | None = None
    memory: Memory | None = None
    trust: Trust = Trust.UNTRUSTED
    order: int = 0
    name: str = ""
    is_cut: bool = False

    @property
    def place(self) -> Place:
        """What tells it from all other hits: its session, and its id."""
        return self.session_id or "", self.id


@dataclass(frozen=True, slots=True)
class Pair:
    """Two hits about one thing, of which the newer says otherwise.

    Attributes:
        older, newer: their places.
        older_value, newer_value: what differs, in their own words.
    """

    older: Place
    newer: Place
    older_value: str
    newer_value: str


@dataclass(frozen=True, slots=True)
class Found:
    """What `recall` found.

    Attributes:
        hits: best first.
        tokens: the estimated price of `text`.
        reasons: why nothing was found, or what was left out.
        text: the hits in the order of their dates, ready to paste into a prompt. What came from
            tools and documents stands inside a fence.
        doubts: why the hits may not answer the question; the last lines of `text`.
        pairs: hits of which one says otherwise than an older one; both are marked in `text`.
    """

    hits: tuple[Hit, ...]
    tokens: int = 0
    reasons: tuple[str, ...] = ()
    text: str = ""
    doubts: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()

    @property
    def nothing_relevant(self) -> bool:
        """Whether there is no hit at all; `reasons` says why."""
        return not self.hits

    @property
    def by_date(self) -> tuple[Hit, ...]:
        """The hits, oldest first, in the order that `text` has them."""
        return in_order(self.hits)

    def named(self, name: str) -> Hit | None:
        """Return the hit that `text` calls `name`, so that a source that was cited is found.

        Below the heading of a session, a message is called by its own id alone.
        """
        for hit in self.hits:
            if name == hit.name or hit.name.endswith(f"/{name}"):
                return hit
        return None


def in_order(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return hits oldest first; on one day, those of a session together, as they were said."""
    given = list(hits)
    first: dict[tuple[date, str], datetime] = {}
    for hit in given:
        day = hit.at.date(), hit.session_id or ""
        first[day] = min(hit.at, first.get(day, hit.at))

    def place(hit: Hit) -> tuple[date, datetime, str, datetime, int]:
        session = hit.session_id or ""
        return hit.at.date(), first[hit.at.date(), session], session, hit.at, hit.order

    return tuple(sorted(given, key=place))


@dataclass(frozen=True, slots=True)
class Known:
    """The block that opens a new conversation.

    Attributes:
        text: ready to paste; empty when nothing is known.
        memories: what it holds, in the order shown.
        tokens: the estimated price of `text`.
        left_out: how many more did not fit.
    """

    text: str
    memories: tuple[Memory, ...]
    tokens: int
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `check` compared, and each disagreement in words.

    Attributes:
        counts: rows looked at, by table.
        problems: one sentence each; empty when all is well.
    """

    counts: Mapping[str, int]
    problems: tuple[str, ...] = field(default=())

    @property
    def is_clean(self) -> bool:
        """Whether nothing disagrees."""
        return not self.problems
