"""What writing works with and answers: findings, proposals, outcomes, what waits for a person.

All are frozen values. `records` has the memory itself; what decides is in `screening` and `memory`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from lifelong.records import Memory

STORED, DUPLICATE, SUPERSEDES, QUARANTINED, REFUSED = OUTCOMES = (
    "stored",
    "duplicate_of",
    "supersedes",
    "quarantined",
    "refused",
)

SECRET, PERSONAL, INJECTION = FINDING_KINDS = ("secret", "personal", "injection")

PROPOSED, SUSPECT, REVOKED = HOLDS = ("proposed", "suspect", "revoked")
"""Why a memory is held back: nobody accepted it yet, it reads like an instruction that came from
outside, or its origin was revoked."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What screening found in a text. It never holds the text itself.

    Attributes:
        kind: one of `FINDING_KINDS`.
        rule: the name of the rule that found it.
        start, end: where, in characters of the text as it was given. What was found in a decoded
            form of the text spans the whole of it.
    """

    kind: str
    rule: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A memory that extraction suggests.

    Attributes:
        text: the statement.
        quote: the words of the message that say so; they stand in it, character for character.
        message_id: of that message.
        kind: one of `records.KINDS`.
        importance: 1 to 10.
        key: a name whose newest memory replaces the older ones, or None.
        valid_from, valid_to: when it is true, as far as the words say; aware, or None.
        made_by: the rule (``rule:en/preference``) or the model that proposes it.
    """

    text: str
    quote: str
    message_id: str
    kind: str
    importance: int = 5
    key: str | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    made_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What `remember` did.

    Attributes:
        outcome: one of `OUTCOMES`: ``stored``; ``duplicate_of`` (it was known already);
            ``supersedes`` (stored, and it replaced others); ``quarantined`` (stored, and held back
            from every read until a person releases it); ``refused`` (nothing was stored).
        memory: as it now stands; when it was refused, as it would have stood.
        duplicate_of: the id of the memory that said so already, or None.
        supersedes: ids of the memories that it replaced.
        conflicts: ids of live memories that say otherwise; both stay, and `review` shows them.
        findings: what screening found; secrets are redacted in `memory.text`.
        mend: how to have it stored after all, when it was refused.
    """

    outcome: str
    memory: Memory
    duplicate_of: str | None = None
    supersedes: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    mend: str = ""

    @property
    def id(self) -> str:
        """The id of the memory; nothing has it when the memory was refused."""
        return self.memory.id

    @property
    def is_kept(self) -> bool:
        """Whether what was said is in the store now, be it held back."""
        return self.outcome != REFUSED


@dataclass(frozen=True, slots=True)
class MemoryVersion:
    """One line of a memory's history: what changed, and what it said from then on."""

    memory_id: str
    at: datetime
    change: str
    text: str
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two live memories that say different things of one thing; nobody decided yet."""

    older: Memory
    newer: Memory
    at: datetime


CONFLICT = "conflict"


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One thing that waits for a person.

    Attributes:
        what: one of `HOLDS`, for a memory that is held back; or ``conflict``.
        memory: the memory; of a conflict, the newer one.
        other: of a conflict, the older one; None for a memory that is held back.
        at: since when it waits.
    """

    what: str
    memory: Memory
    other: Memory | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Revoked:
    """What `revoke` held back.

    Attributes:
        at: when.
        memories: ids of the memories of that origin, and of all that was made from them, which
            were not held back before.
        is_dry_run: True when nothing was changed.
    """

    at: datetime
    memories: tuple[str, ...]
    is_dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Confirmation:
    """What lets a person vouch for a memory, once.

    Attributes:
        token: unguessable; it works once, until `expires_at`, for the text as it was shown.
        memory_id: of the memory.
        text: what the person vouches for.
        expires_at: when it stops working.
    """

    token: str
    memory_id: str
    text: str
    expires_at: datetime


class Use(NamedTuple):
    """How often a memory was brought back since uses were written, and when last."""

    memory_id: str
    at: datetime
    times: int
