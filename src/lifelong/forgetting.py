"""What forgetting works with and answers: receipts, what a dry run shows, holds, retention.

All are frozen values. What is removed is decided in `memory.forget`, and counted by the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

EVERYTHING, RECENT, STATE, NOTHING = SAVES = ("everything", "recent", "state", "nothing")
"""What retention lets be saved: all; all, of whose messages a sweep leaves the newest; all but
messages; nothing at all."""

SCOPE_EVERYTHING = "everything"
"""The scope of the receipt that says an owner was forgotten whole."""

OWNER, SESSION, KIND, FILES = RULED = ("owner", "session", "kind", "files")
"""What a retention rule is about."""


@dataclass(frozen=True, slots=True)
class Forgettable:
    """One thing that a dry run of `forget` would remove.

    Attributes:
        what: ``memory``, ``message``, ``state`` or ``file``.
        id: of the memory or the message; the name of the state, the path of the file.
        text: what it says, or the beginning of it.
        session_id: of a message; empty for the rest.
    """

    what: str
    id: str
    text: str
    session_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What `forget` did, as the database counted it. It holds no content.

    Attributes:
        id: of this receipt.
        at: when the rows were removed.
        scope: what was asked for, in words without content.
        counts: rows removed, by table.
        completed_at: when the old bytes were overwritten too; None while that is pending, because
            a reader of an old state keeps them. The next sweep, forgetting or opening completes it.
        is_dry_run: True when nothing was changed.
        owner: whose data it was: the SHA-256 of the receipt's id, a line end and the owner's id, so
            that only who knows the owner's id can tell.
        keys_destroyed: ids of the keys that are gone with it, so that no backup can be read.
        public_key: Ed25519, 32 bytes as hexadecimal digits: that of the store.
        signature: of all the rest; see `lifelong.verify_receipt`. Empty in a dry run.
        preview: what a dry run would remove; empty otherwise. It is content, and never signed.
    """

    id: str
    at: datetime
    scope: str
    counts: Mapping[str, int]
    completed_at: datetime | None = None
    is_dry_run: bool = False
    owner: str = ""
    keys_destroyed: tuple[str, ...] = ()
    public_key: str = ""
    signature: str = ""
    preview: tuple[Forgettable, ...] = field(default=(), repr=False)

    @property
    def forgotten(self) -> int:
        """Memories and messages removed."""
        return self.counts.get("memory", 0) + self.counts.get("message", 0)

    @property
    def is_pending(self) -> bool:
        """Whether a reader of an old state still keeps bytes from being overwritten."""
        return self.completed_at is None and not self.is_dry_run


@dataclass(frozen=True, slots=True)
class LegalHold:
    """Why something may not be forgotten for now.

    Attributes:
        id: to end it with.
        reason: for people.
        session_id: the one session that it is about; empty for all of the owner.
        placed_at: since when.
    """

    id: str
    reason: str
    session_id: str
    placed_at: datetime


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """What is saved, and for how long.

    Attributes:
        what: one of `RULED`. A rule for a session goes before the owner's.
        name: the id of the session, or the kind of memory; empty for the rest.
        saves: one of `SAVES`; of a kind, ``everything`` or ``nothing``.
        newest: how many messages of each session stay, where `saves` is ``recent``.
        days: after so many days what was saved goes; None for never. Of owner and session it counts
            for messages, from their recording; of files, from when they were last read or written.
    """

    what: str
    name: str = ""
    saves: str = EVERYTHING
    newest: int | None = None
    days: float | None = None


class Due(NamedTuple):
    """What is due to go by retention.

    Attributes:
        memories: ids.
        messages: numbers.
        files: paths.
        on_hold: how many more there are that a legal hold keeps.
    """

    memories: tuple[str, ...] = ()
    messages: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    on_hold: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a sweep did for one owner.

    Attributes:
        owner_id: whose.
        expired: memories whose time was over.
        aged: messages that retention lets be kept no longer.
        unread: files that nobody read or wrote for too long.
        completed: receipts that were pending and are complete now.
        pending: receipts that are still pending.
        on_hold: how much a legal hold kept from going.
        receipt: of what was removed; None when nothing was.
    """

    owner_id: str
    expired: int = 0
    aged: int = 0
    unread: int = 0
    completed: int = 0
    pending: int = 0
    on_hold: int = 0
    receipt: Receipt | None = None
