"""Extraction by rules, measured: how much of what people say it proposes, and what it misses.

Two data sets of conversations: friends who chat (LoCoMo), where hardly anything is said for an
assistant to remember, and users of an assistant (BEAM), where some of it is. How many proposals a
thousand messages yield guards against junk; BEAM also names the messages that hold an instruction
or a preference, and so tells how many of them are found. Whether a proposal is worth keeping no
data set says: a person has to read it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lifelong.bench.datasets import Dataset, load
from lifelong.errors import InputError
from lifelong.memory.phrases import RULES_NAME, propose
from lifelong.messages import USER
from lifelong.writing import Proposal

DATASETS = ("locomo", "beam", "beam-500k")
RECALL_CATEGORIES = ("instruction_following", "preference_following")
_PER = 1_000
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""When messages without a time of their own count as said, so that a run repeats."""

Made = tuple[str, Proposal]
"""A conversation's id, and what is proposed from it."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What messages of users yield.

    Attributes:
        user_messages: how many were read.
        proposals: how many were made.
        per_1000: proposals for a thousand messages.
        by_rule, by_kind: how many of them each rule made, and of each kind.
        with_key: how many would replace an older memory.
        longest_characters: of their texts.
    """

    user_messages: int
    proposals: int
    per_1000: float
    by_rule: Mapping[str, int]
    by_kind: Mapping[str, int]
    with_key: int
    longest_characters: int


def measure(data: Path) -> dict[str, Any]:
    """Return the figures of every data set that is there."""
    figures: dict[str, Any] = {"rules": RULES_NAME}
    for name in DATASETS:
        try:
            dataset = load(name, data)
        except InputError as error:
            figures[name] = {"skipped": error.detail}
            continue
        made = _made(dataset)
        figures[name] = asdict(rate(dataset, made)) | _recall(dataset, made)
    return figures


def rate(dataset: Dataset, made: Collection[Made]) -> Rate:
    """Return how much the users' messages of a data set yield."""
    proposals = [proposal for _, proposal in made]
    count = sum(
        message.role == USER
        for conversation in dataset.conversations
        for session in conversation.sessions.values()
        for message in session
    )
    return Rate(
        user_messages=count,
        proposals=len(proposals),
        per_1000=round(_PER * len(proposals) / count, 1) if count else 0.0,
        by_rule=_counted(proposal.made_by for proposal in proposals),
        by_kind=_counted(proposal.kind for proposal in proposals),
        with_key=sum(proposal.key is not None for proposal in proposals),
        longest_characters=max((len(proposal.text) for proposal in proposals), default=0),
    )


def _made(dataset: Dataset) -> list[Made]:
    """Return every proposal, with its conversation; each session is read by itself."""
    return [
        (conversation.id, proposal)
        for conversation in dataset.conversations
        for session in conversation.sessions.values()
        for proposal in propose(session, now=_NOW)
    ]


def _recall(dataset: Dataset, made: Iterable[Made]) -> dict[str, Any]:
    """Return, by category, of how many questions something of the evidence is proposed.

    BEAM names as evidence also messages that only thank or ask; a question counts as found when
    any of its messages yields something.
    """
    yielding = {(conversation, proposal.message_id) for conversation, proposal in made}
    figures: dict[str, Any] = {}
    for category in RECALL_CATEGORIES:
        asked = [question for question in dataset.questions if question.category == category]
        if asked:
            found = sum(
                any((question.conversation, gold) in yielding for gold in question.gold)
                for question in asked
            )
            figures[category] = {
                "questions": len(asked),
                "found": found,
                "recall": round(found / len(asked), 3),
            }
    return {"recall": figures} if figures else {}


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
