"""How much of the evidence recall finds, beside the floor: plain full-text search.

Both sides get the same messages of the same conversations and the same questions. The engine is
asked as a user asks it, so what is measured is the product, and its latency is the whole call's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from lifelong import log
from lifelong.bench.datasets import SESSION, Conversation, Dataset, Question, load, spoken_line
from lifelong.bench.metrics import DEPTH_MAX, latency_ms, mean_figures, question_figures
from lifelong.bench.plain import PlainIndex
from lifelong.clock import ManualClock
from lifelong.engine import IN_MEMORY, Engine
from lifelong.engine import open as open_engine
from lifelong.errors import InputError
from lifelong.owner import Owner
from lifelong.records import Hit

OnProgress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is done now."""

_NO_TOKEN_LIMIT = 1 << 40


def run(dataset: str, data: Path, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """Measure recall on a data set, and the floor beside it.

    Args:
        dataset: one of `datasets.DATASETS`.
        data: the folder that holds it.
        on_progress: told of each conversation.

    Returns:
        ``engine`` and ``floor``: figures from 0 to 1 (see `metrics`) ``overall``, in
        ``by_category`` and in ``groups``; their latencies; how many questions, conversations and
        messages there were; and how many questions were left out, by reason.

    Raises:
        InvalidValue: there is no such data set.
        InputError: a file is not there, a line cannot be read, or there is no question.
    """
    found = load(dataset, data)
    if not found.questions:
        raise InputError(f"data set {dataset!r} in {data} has no question with evidence")
    engine_side, floor_side = _Side(), _Side()
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in found.questions:
        asked[question.conversation].append(question)
    clock = ManualClock()
    with open_engine(IN_MEMORY, clock=clock) as engine:
        for done, conversation in enumerate(found.conversations):
            if on_progress:
                on_progress(done, len(found.conversations), conversation.id)
            questions = asked[conversation.id]
            _ask_engine(_filled(engine, clock, conversation), questions, found.unit, engine_side)
            _ask_floor(conversation, questions, found.unit, floor_side)
    if on_progress:
        on_progress(len(found.conversations), len(found.conversations), "done")
    return _result(found, engine_side, floor_side)


class _Side:
    """What the engine or the floor answered: figures by category, and seconds of each question."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._figures: dict[str, list[dict[str, float]]] = defaultdict(list)

    def note(self, question: Question, ranked: Sequence[str], seconds: float) -> None:
        self.seconds.append(seconds)
        self._figures[question.category].append(question_figures(question.gold, ranked))

    def report(self, groups: Mapping[str, frozenset[str]]) -> dict[str, Any]:
        return {
            "overall": self._mean(frozenset(self._figures)),
            "by_category": {name: self._mean(frozenset([name])) for name in sorted(self._figures)},
            "groups": {name: self._mean(categories) for name, categories in groups.items()},
        }

    def _mean(self, categories: frozenset[str]) -> dict[str, float]:
        return mean_figures(
            [each for name in sorted(categories) for each in self._figures.get(name, ())]
        )


def _filled(engine: Engine, clock: ManualClock, conversation: Conversation) -> Owner:
    """Return an owner whose log is the conversation.

    `Session.append` dates what has no date as said now; here the unknown has to stay unknown.
    """
    owner = engine.owner(conversation.id)
    for session_id, messages in conversation.sessions.items():
        log.append(
            owner._store.log,  # noqa: SLF001 - see above
            clock,
            session_id=session_id,
            cleaned=log.Cleaned(messages),
        )
    return owner


def _ask_engine(owner: Owner, questions: Sequence[Question], unit: str, side: _Side) -> None:
    for question in questions:
        start = perf_counter()
        found = owner.recall(
            question.text, limit=DEPTH_MAX, tokens_max=_NO_TOKEN_LIMIT, sources=["log"]
        )
        seconds = perf_counter() - start
        side.note(question, [_unit_id(hit, unit) for hit in found.hits], seconds)


def _unit_id(hit: Hit, unit: str) -> str:
    return hit.session_id or "" if unit == SESSION else hit.id


def _ask_floor(
    conversation: Conversation, questions: Sequence[Question], unit: str, side: _Side
) -> None:
    said = [
        (session_id if unit == SESSION else message.id or "", spoken_line(message))
        for session_id, messages in conversation.sessions.items()
        for message in messages
    ]
    index = PlainIndex([line for _, line in said])
    for question in questions:
        start = perf_counter()
        numbers = index.rank(question.text, DEPTH_MAX)
        seconds = perf_counter() - start
        side.note(question, [said[number][0] for number in numbers], seconds)


def _result(found: Dataset, engine_side: _Side, floor_side: _Side) -> dict[str, Any]:
    counted = Counter(question.category for question in found.questions)
    groups = {
        name: sum(counted[category] for category in categories)
        for name, categories in found.groups.items()
    }
    present = {name: found.groups[name] for name, count in groups.items() if count}
    return {
        "dataset": found.name,
        "unit": found.unit,
        "conversations": len(found.conversations),
        "messages": sum(
            len(messages) for each in found.conversations for messages in each.sessions.values()
        ),
        "questions": len(found.questions),
        "questions_by_category": dict(sorted(counted.items())),
        "questions_by_group": {name: groups[name] for name in present},
        "excluded": dict(found.excluded),
        "floor": floor_side.report(present),
        "engine": engine_side.report(present),
        "latency_ms": latency_ms(engine_side.seconds),
        "floor_latency_ms": latency_ms(floor_side.seconds),
    }
