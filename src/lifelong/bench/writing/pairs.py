"""Sameness on SICK and supersession on BEAM: how often what the rules decide is so in the data.

SICK says of two sentences whether each implies the other. BEAM says which statement of a chat
updates which, and which contradict each other; every other pair of the same chat counts as
unrelated, true or not, so that precision is a lower bound. Loading only; `memory` decides.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from pathlib import Path
from typing import Any

from lifelong.memory.sameness import same_fact
from lifelong.memory.statements import Statement, parse_statement
from lifelong.memory.supersede import CONFLICT, REPLACES, UNRELATED, relation
from lifelong.memory.values import Value, sentences, stems, values

TUNED, SEEN = "100K", "500K"
"""The rules were tuned on the first. The second was held out until its first figures (2 of 6
replacements among the authors' statements right); its errors were then read, and rules for events
and for what holds "this week" mended, so that its figures are no longer those of unseen data."""

CANDIDATES_MAX = 30
WORDS_MIN, CHARACTERS_MAX = 5, 400
_SHARED_MIN = 2
_NEITHER = re.compile(r"(?:chat_id|session)s?[ :]", re.IGNORECASE)
_LABEL = re.compile(r"^(?:[A-Z][\w&]*(?: [\w&]+){0,4}:\s*)+")

Message = tuple[str, int]
"""A chat, and the number of a message in it."""


def measure(data: Path) -> dict[str, Any]:
    """Return the figures of both, by split; what was tuned on is named."""
    return {"sick": sick(data), "beam": beam(data)}


def sick(data: Path) -> dict[str, Any]:
    """Return how many pairs of SICK are merged, and how many of them imply each other.

    The rules were tuned on TRAIN; TRIAL was only measured.
    """
    path = data / "sentence_pairs" / "sick.jsonl"
    if not path.exists():
        return {"skipped": f"{path.name} is missing"}
    splits: dict[str, dict[str, int]] = {}
    with path.open(encoding="utf-8") as lines:
        for pair in map(json.loads, lines):
            counts = splits.setdefault(
                pair["set"],
                dict.fromkeys(("pairs", "equal", "merged", "merged_equal", "contradictions"), 0),
            )
            verdicts = pair["a_to_b"], pair["b_to_a"]
            is_equal = verdicts == ("A_entails_B", "B_entails_A")
            is_merged = same_fact(pair["a"], pair["b"])
            is_contradiction = any("contradicts" in verdict for verdict in verdicts)
            counts["pairs"] += 1
            counts["equal"] += is_equal
            counts["merged"] += is_merged
            counts["merged_equal"] += is_merged and is_equal
            counts["contradictions"] += is_merged and is_contradiction
    return {name: _with_shares(counts) for name, counts in sorted(splits.items())}


def _with_shares(counts: Mapping[str, int]) -> dict[str, Any]:
    return {
        **counts,
        "precision": _share(counts["merged_equal"], counts["merged"]),
        "recall": _share(counts["merged_equal"], counts["equal"]),
    }


def beam(data: Path) -> dict[str, Any]:
    """Return precision and recall of replacing and of flagging, per size."""
    folder = data / "beam"
    found: dict[str, Any] = {}
    for size, role in ((TUNED, "tuned"), (SEEN, "seen_later")):
        questions, turns = folder / f"questions_{size}.jsonl", folder / f"turns_{size}.jsonl.gz"
        missing = next((path.name for path in (questions, turns) if not path.exists()), None)
        found[role] = (
            {"skipped": f"{missing} is missing"} if missing else _measured(questions, turns)
        )
    return found


@dataclass(frozen=True)
class Labelled:
    """An update or a contradiction of a chat.

    Attributes:
        chat: which.
        asked: stems of the question.
        statements: the old and the new one as the data set's authors put them; none for some.
        before, after: the messages that hold them.
    """

    chat: str
    asked: frozenset[str]
    statements: tuple[str, ...]
    before: tuple[Message, ...]
    after: tuple[Message, ...]

    @cached_property
    def wanted(self) -> tuple[frozenset[tuple[str, str]], ...]:
        """The old and the new values, by kind and meaning."""
        pairs = self.value_pairs()
        return tuple(
            frozenset((pair[at].kind, pair[at].meaning) for pair in pairs) for at in (0, 1)
        )

    def value_pairs(self) -> list[tuple[Value, Value]]:
        """Return the values that the authors' two statements have of one kind."""
        if len(self.statements) != 2:
            return []
        old, new = (values(statement) for statement in self.statements)
        known = {(value.kind, value.meaning) for value in old}
        kept = {(value.kind, value.meaning) for value in new}
        return [
            (before, after)
            for after in new
            for before in old
            if before.kind == after.kind
            and (after.kind, after.meaning) not in known
            and (before.kind, before.meaning) not in kept
        ]


def _measured(questions: Path, turns: Path) -> dict[str, Any]:
    updates, contradictions = [], []
    with questions.open(encoding="utf-8") as lines:
        for question in map(json.loads, lines):
            if question["category"] == "knowledge_update":
                updates.append(_labelled(question, "original_info", "updated_info"))
            elif question["category"] == "contradiction_resolution":
                contradictions.append(_labelled(question, "first_statement", "second_statement"))
    said = _said(turns)
    return {
        "statements": _of_statements(updates, said),
        "turns": _of_turns(updates, said),
        "contradictions": _of_contradictions(contradictions, said),
    }


def _labelled(question: Mapping[str, Any], before: str, after: str) -> Labelled:
    chat = question["chat"]
    evidence = question["evidence_structured"] or {}
    references = (question["extra"] or {}).get("conversation_references") or ()
    stated = tuple(
        _LABEL.sub("", one)
        for one in references
        if not _NEITHER.match(one) and len(one.split()) >= WORDS_MIN
    )
    return Labelled(
        chat,
        frozenset(stems(question["question"])),
        stated,
        tuple((chat, number) for number in evidence.get(before, ())),
        tuple((chat, number) for number in evidence.get(after, ())),
    )


def _said(turns: Path) -> dict[Message, tuple[Statement, ...]]:
    """Return the sentences that users said, by message; too short or too long ones are left out."""
    found: dict[Message, tuple[Statement, ...]] = {}
    with gzip.open(turns, "rt", encoding="utf-8") as lines:
        for turn in map(json.loads, lines):
            if turn["role"] == "user":
                found[turn["chat"], turn["msg_id"]] = tuple(
                    parse_statement(one)
                    for one in sentences(turn["content"])
                    if len(one.split()) >= WORDS_MIN and len(one) <= CHARACTERS_MAX
                )
    return found


@dataclass(slots=True)
class Tally:
    """How pairs were judged, right and wrong."""

    pairs: int = 0
    replaced: int = 0
    replaced_rightly: int = 0
    flagged: int = 0
    flagged_rightly: int = 0

    def add(self, kind: str, *, is_right: bool) -> None:
        """Count one pair that was judged `kind`."""
        self.pairs += 1
        self.replaced += kind == REPLACES
        self.replaced_rightly += kind == REPLACES and is_right
        self.flagged += kind != UNRELATED
        self.flagged_rightly += kind != UNRELATED and is_right

    def figures(self) -> dict[str, Any]:
        """Return the counts and precisions."""
        return {
            "pairs": self.pairs,
            "replaced": self.replaced,
            "replaced_rightly": self.replaced_rightly,
            "flagged": self.flagged,
            "flagged_rightly": self.flagged_rightly,
            "replaces_precision": _share(self.replaced_rightly, self.replaced),
            "flagged_precision": _share(self.flagged_rightly, self.flagged),
        }


def _of_statements(
    updates: Sequence[Labelled], said: Mapping[Message, Sequence[Statement]]
) -> dict[str, Any]:
    """Judge the authors' own statements: against each other, and against what the chat says.

    What the chat says elsewhere of the same old value is an update too, and counts as right.
    """
    tally, in_chat, kinds = Tally(), Tally(), []
    for update in updates:
        if not update.value_pairs():
            continue
        old, new = map(parse_statement, update.statements)
        kind = relation(new, old).kind
        kinds.append(kind)
        tally.add(kind, is_right=True)
        for other in _other_statements(update, updates):
            tally.add(relation(new, other).kind, is_right=False)
            tally.add(relation(other, new).kind, is_right=False)
            tally.add(relation(other, old).kind, is_right=False)
        for other in _candidates(new, _said_otherwise(update, said)):
            in_chat.add(relation(new, other).kind, is_right=_tells(update, other, at=0))
    return {
        "updates": len(kinds),
        "updates_without_an_old_value": len(updates) - len(kinds),
        **tally.figures(),
        "replaces_recall": _share(kinds.count(REPLACES), len(kinds)),
        "flagged_recall": _share(len(kinds) - kinds.count(UNRELATED), len(kinds)),
        "against_what_the_chat_says": in_chat.figures(),
    }


def _other_statements(update: Labelled, updates: Sequence[Labelled]) -> Iterator[Statement]:
    """Yield the statements of all other updates, of this and of the other chats."""
    for one in updates:
        if one is not update:
            yield from map(parse_statement, one.statements)


def _said_otherwise(
    update: Labelled, said: Mapping[Message, Sequence[Statement]]
) -> list[Statement]:
    return [
        one
        for message, stated in said.items()
        if message[0] == update.chat and message not in update.after
        for one in stated
    ]


def _of_turns(
    updates: Sequence[Labelled], said: Mapping[Message, Sequence[Statement]]
) -> dict[str, Any]:
    """Judge each sentence of a chat against each that was said before it.

    An update is found when any sentence with its new value replaces any with its old one.
    """
    tally = Tally()
    best: dict[int, str] = {}
    for chat in sorted({message[0] for message in said}):
        own = [update for update in updates if update.chat == chat]
        for new, old in _told_in_turn(chat, said):
            kind = relation(new, old).kind
            right = [each for each in own if _is_update(each, new, old)]
            tally.add(kind, is_right=bool(right))
            for each in right:
                best[id(each)] = _stronger(best.get(id(each), UNRELATED), kind)
    kinds = [best[id(update)] for update in updates if id(update) in best]
    return {
        "updates": len(kinds),
        **tally.figures(),
        "replaces_recall": _share(kinds.count(REPLACES), len(kinds)),
        "flagged_recall": _share(len(kinds) - kinds.count(UNRELATED), len(kinds)),
    }


def _told_in_turn(
    chat: str, said: Mapping[Message, Sequence[Statement]]
) -> Iterator[tuple[Statement, Statement]]:
    """Yield each sentence of a chat with those before it that are most like it."""
    stated = [one for message in sorted(said) if message[0] == chat for one in said[message]]
    for at, new in enumerate(stated):
        for old in _candidates(new, stated[:at]):
            yield new, old


def _candidates(new: Statement, before: Sequence[Statement]) -> list[Statement]:
    """Return what the word index would offer: what has most of the words in common."""
    scored = ((len(new.content & old.content), at) for at, old in enumerate(before))
    best = nlargest(CANDIDATES_MAX, (pair for pair in scored if pair[0]))
    return [before[at] for _, at in best]


def _stronger(one: str, other: str) -> str:
    order = (UNRELATED, CONFLICT, REPLACES)
    return max(one, other, key=order.index)


def _is_update(update: Labelled, new: Statement, old: Statement) -> bool:
    return _tells(update, new, at=1) and _tells(update, old, at=0)


def _tells(update: Labelled, statement: Statement, *, at: int) -> bool:
    """Tell whether a sentence has the old (0) or the new (1) value, of what is asked about."""
    if len(update.asked & statement.content) < _SHARED_MIN:
        return False
    told = {(value.kind, value.meaning) for value in statement.values}
    return not told.isdisjoint(update.wanted[at])


def _of_contradictions(
    contradictions: Sequence[Labelled], said: Mapping[Message, Sequence[Statement]]
) -> dict[str, Any]:
    """Judge each two sentences of which the data says that they contradict each other."""
    kinds = []
    for one in contradictions:
        first = [each for message in one.before for each in said.get(message, ())]
        second = [each for message in one.after for each in said.get(message, ())]
        kind = UNRELATED
        for a in first:
            for b in second:
                kind = _stronger(kind, relation(b, a).kind)
        kinds.append(kind)
    return {
        "contradictions": len(kinds),
        "flagged": len(kinds) - kinds.count(UNRELATED),
        "replaced": kinds.count(REPLACES),
        "flagged_recall": _share(len(kinds) - kinds.count(UNRELATED), len(kinds)),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
