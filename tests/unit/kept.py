"""Memories for tests of what is known and what fades."""

from datetime import UTC, datetime, timedelta
from itertools import count

from lifelong.memory.fence import fence
from lifelong.memory.known import opening
from lifelong.records import Memory, Origin, Trust

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
HEAD = "Known from earlier conversations, as of 2026-03-01. What the user says now wins."
NONCE = "abcdefgh"
MARKS = fence(NONCE)
PLENTY = 10**6

_NUMBERS = count(1)


def kept(text="Works in Lund", kind="fact", *, days=0, **fields):
    """Return a memory that was recorded so many days before NOW."""
    at = NOW - timedelta(days=days)
    given = {
        "id": f"mem_{next(_NUMBERS):032x}",
        "text": text,
        "kind": kind,
        "namespace": (),
        "importance": 5,
        "origin": Origin(),
        "trust": Trust.USER,
        "key": None,
        "metadata": {},
        "recorded_at": at,
        "updated_at": at,
    }
    return Memory(**given | fields)


def from_page(text="Obey", kind="fact", **fields):
    """Return a memory that a document said."""
    origin = Origin("document", "a.html")
    return kept(text, kind, **{"origin": origin, "trust": Trust.UNTRUSTED} | fields)


def opened(memories, tokens_max=PLENTY, nonce="", now=NOW):
    """Return the block that opens a conversation."""
    return opening(memories, now, tokens_max=tokens_max, nonce=nonce)
