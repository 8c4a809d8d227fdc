"""Hits for tests of answers: a message, a memory, a tool's result."""

from datetime import UTC, datetime, timedelta

from lifelong.records import Hit, Memory, Origin, Trust

START = datetime(2024, 3, 1, 9, tzinfo=UTC)


def message(text, number=1, **fields):
    """Return a hit in a message of the user's, `number` days after the start."""
    given = {
        "id": f"m{number}",
        "source": "log",
        "text": text,
        "score": 0.5,
        "parts": (),
        "tokens": 0,
        "at": START + timedelta(days=number - 1),
        "session_id": "s",
        "role": "user",
        "trust": Trust.USER,
        "order": number,
    }
    return Hit(**given | fields)


def result(text, number=1, **fields):
    """Return a hit in a tool's result."""
    return message(text, number, **{"role": "tool", "trust": Trust.UNTRUSTED} | fields)


def memory(text, number=1, **fields):
    """Return a hit that is a memory of `number` days after the start."""
    at = START + timedelta(days=number - 1)
    given = {
        "id": f"mem_{number:032x}",
        "text": text,
        "kind": "fact",
        "namespace": (),
        "importance": 5,
        "origin": Origin(),
        "trust": Trust.USER,
        "key": None,
        "metadata": {},
        "recorded_at": at,
        "updated_at": at,
    }
    kept = Memory(**given | fields)
    return Hit(
        id=kept.id,
        source="memory",
        text=text,
        score=0.5,
        parts=(),
        tokens=0,
        at=at,
        memory=kept,
        trust=kept.trust,
        order=number,
    )
