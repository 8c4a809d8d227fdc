"""Questions in other languages, and on code: is one message with the answer among the first ten?

The sets are made up: a log of some sessions, and questions that mostly use other words and other
forms than the answer. Words only; no model is asked.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

import lifelong
from lifelong.messages import Message, TextPart

SETS = Path(__file__).parents[1] / "sets"
DEPTH = 10
SHARE_MIN = 0.9


def message(fields, date):
    return Message(
        role=fields["role"],
        parts=(TextPart(fields["text"]),),
        id=fields["id"],
        speaker=fields["speaker"] or None,
        sent_at=datetime.fromisoformat(date).replace(tzinfo=UTC),
    )


@pytest.mark.parametrize("name", ["german", "spanish", "chinese", "japanese", "code"])
def test_the_answer_is_among_the_first_ten(name):
    given = json.loads((SETS / f"{name}.json").read_text(encoding="utf-8"))
    missed = []
    with lifelong.open("memory:", embedder="off") as engine:
        owner = engine.owner("ana")
        for session in given["sessions"]:
            messages = [message(fields, session["date"]) for fields in session["messages"]]
            owner.session(session["id"]).append(messages)
        for question in given["questions"]:
            found = owner.recall(question["text"], limit=DEPTH, sources=["log"], tokens_max=10**6)
            if {hit.id for hit in found.hits}.isdisjoint(question["gold"]):
                missed.append(question["text"])
    asked = len(given["questions"])
    assert asked >= 30
    assert len(missed) <= (1 - SHARE_MIN) * asked + 1e-9, missed
