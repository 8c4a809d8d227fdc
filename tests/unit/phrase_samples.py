"""What tests of phrases share: a message of the user, and what is proposed from it."""

from datetime import UTC, datetime

from lifelong.memory.phrases import propose
from lifelong.messages import USER, Message
from lifelong.writing import Proposal

SAID = datetime(2026, 2, 20, 9, 30, tzinfo=UTC)
"""A Friday."""


def proposed(text: str, **fields: object) -> tuple[Proposal, ...]:
    """Return what is proposed from one message of the user."""
    return propose([Message.of(USER, text, id="m1", sent_at=SAID, **fields)], now=SAID)


def the_only(text: str) -> Proposal:
    """Return the one proposal that a message yields, its quote checked."""
    found = proposed(text)
    assert len(found) == 1, [one.text for one in found]
    assert found[0].quote in text
    assert found[0].message_id == "m1"
    return found[0]
