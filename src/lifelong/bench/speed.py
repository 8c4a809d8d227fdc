"""How fast lifelong is on this machine: beside plain SQLite, and as its log grows.

Both sides of a comparison take turns in one run, and medians are given, so that a busy machine
slows both. A goal that is missed is said and is no error. The files lie in a temporary folder; on
one that is kept in memory, a commit is cheaper than on a disk.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from lifelong import log
from lifelong.bench import planning
from lifelong.bench.corpus import Corpus
from lifelong.bench.metrics import latency_ms
from lifelong.bench.plain import PlainStore
from lifelong.clock import ManualClock
from lifelong.engine import Engine
from lifelong.engine import open as open_engine
from lifelong.messages import Raw
from lifelong.owner import Owner
from lifelong.rows import MessageRow

OnProgress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is done now."""

WRITE_GOAL = 0.5
"""At least so many of the writes per second of plain SQLite with full text."""
RECALL_GOALS_MS = {1_000: 3.0, 10_000: 8.0, 100_000: 30.0}
"""The median of recall is to be below this, by messages in the log."""
HELP_GOAL = 1.5
"""At most so many times what importing the command line's two packages takes."""

_BATCH = 500
_LIMIT = 10
_COLD_FROM = 10_000
_OWNER = "bench"
_KEY = bytes(range(32))
"""Of files that are gone when the run ends."""
_STEP_MESSAGES = 1_000
_HELP = "from lifelong.apps.cli import main; main()"
_IMPORTS = "import typer, rich"
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class _Plan:
    """How often each thing is done."""

    rounds: int
    memories: int
    batches: int
    sizes: tuple[int, ...]
    questions: int
    opens: int
    pairs: int
    plans: int
    plan_tokens: int = planning.SESSION_TOKENS

    @property
    def steps(self) -> int:
        filling = self.sizes[-1] // _STEP_MESSAGES
        return 2 * self.rounds + filling + len(self.sizes) + self.pairs + 1


_FULL = _Plan(5, 200, 2, (1_000, 10_000, 100_000), questions=100, opens=5, pairs=9, plans=9)
_QUICK = _Plan(3, 40, 1, (1_000, 10_000), questions=30, opens=3, pairs=3, plans=3)


class _Progress:
    def __init__(self, plan: _Plan, tell: OnProgress | None) -> None:
        self._tell = tell
        self._total = plan.steps
        self._done = 0

    def step(self, label: str) -> None:
        """Say what is done now; what was said before is done."""
        if self._tell:
            self._tell(min(self._done, self._total), self._total, label)
        self._done += 1

    def finish(self) -> None:
        """Say that all is done."""
        if self._tell:
            self._tell(self._total, self._total, "done")


def run(quick: bool, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """Measure the speed of this installation.

    Args:
        quick: under 20 seconds, with a log of up to 10,000 messages instead of 100,000.
        on_progress: told of each step.

    Returns:
        ``remember`` and ``append`` (writes per second beside plain SQLite), ``recall`` (latency
        ``remember`` and ``append`` (writes per second beside plain SQLite), ``recall`` (latency
        by messages in the log), ``open`` (cold opens), ``planning`` (of requests of a long
        session), ``help`` (start of the command line), each
        with its goal and whether it is met; and what it ran on.
    """
    plan = _QUICK if quick else _FULL
    progress = _Progress(plan, on_progress)
    corpus = Corpus()
    begun = perf_counter()
    with TemporaryDirectory(prefix="lifelong-bench-") as name:
        place = Path(name)
        with open_engine(place / "write", key=_KEY, embedder="off") as engine:
            described = machine(engine)
            written = _writing(engine, place, corpus, plan=plan, progress=progress)
            progress.step("plan requests")
            planned = planning.measure(
                engine.owner(_OWNER), corpus, tokens=plan.plan_tokens, rounds=plan.plans
            )
        recall, cold = _reading(place / "read", corpus, plan, progress)
    started = _help(plan, progress)
    progress.finish()
    return {
        "quick": quick,
        "machine": described,
        **written,
        "recall": recall,
        "open": cold,
        "planning": planned,
        "help": started,
        "seconds": round(perf_counter() - begun, 1),
    }


def machine(engine: Engine) -> dict[str, str]:
    """Return what is measured on: the system, and what the engine says of itself."""
    return {
        "system": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        **{name: str(value) for name, value in engine.describe().items() if name != "place"},
    }


def _seconds(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def _writing(
    engine: Engine, place: Path, corpus: Corpus, *, plan: _Plan, progress: _Progress
) -> dict[str, Any]:
    """Compare writing: memories one by one, each durable before the next; messages in batches."""
    owner = engine.owner(_OWNER)
    owner.remember("The first write makes the file.")
    facts = iter(corpus.facts(plan.rounds * plan.memories))
    said = (
        {"role": message.role, "content": message.text}
        for _, messages in corpus.sessions()
        for message in messages
    )
    remember, append = [], []
    with (
        PlainStore(place / "plain.db", has_text=True) as plain,
        PlainStore(place / "rows.db", has_text=False) as rows_only,
    ):
        for turn in range(plan.rounds):
            progress.step("remember")
            texts = list(islice(facts, plan.memories))
            sides = [
                partial(_remember, owner, texts),
                partial(_add_memories, plain, texts, turn),
                partial(_add_memories, rows_only, texts, turn),
            ]
            remember.append([_seconds(side) for side in sides])
        for turn in range(plan.rounds):
            progress.step("append")
            batches = {
                f"{turn}/{number}": list(islice(said, _BATCH)) for number in range(plan.batches)
            }
            rows = {session: _rows(items) for session, items in batches.items()}
            sides = [
                partial(_append, owner, batches),
                partial(_add_messages, plain, rows),
                partial(_add_messages, rows_only, rows),
            ]
            append.append([_seconds(side) for side in sides])
    return {
        "remember": _rates(plan.memories, remember),
        "append": _rates(plan.batches * _BATCH, append),
    }


def _remember(owner: Owner, texts: Sequence[str]) -> None:
    for text in texts:
        owner.remember(text)


def _add_memories(store: PlainStore, texts: Sequence[str], turn: int) -> None:
    for number, text in enumerate(texts):
        store.add_memory(f"mem_{turn:016x}{number:016x}", text, float(turn))


def _append(owner: Owner, batches: Mapping[str, Sequence[Raw]]) -> None:
    for session, items in batches.items():
        owner.session(session).append(items)


def _add_messages(store: PlainStore, batches: Mapping[str, Sequence[MessageRow]]) -> None:
    for session, rows in batches.items():
        store.add_messages(session, rows)


def _rows(items: Sequence[Raw]) -> list[MessageRow]:
    """Return the rows of items, made before the clock starts: plain SQLite only inserts."""
    return log.message_rows(log.parse_items(items, "chat"), ManualClock())


def _rates(amount: int, rounds: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return writes per second from the seconds of each round: ours, plain, rows only."""
    ours, plain, rows_only = (
        round(median(amount / seconds for seconds in side), 1) for side in zip(*rounds, strict=True)
    )
    ratio = median(plain_took / ours_took for ours_took, plain_took, _ in rounds)
    rows_ratio = median(rows_took / ours_took for ours_took, _, rows_took in rounds)
    return {
        "per_second": ours,
        "plain_per_second": plain,
        "rows_only_per_second": rows_only,
        "ratio": round(ratio, _DIGITS),
        "rows_only_ratio": round(rows_ratio, _DIGITS),
        "goal": WRITE_GOAL,
        "is_met": ratio >= WRITE_GOAL,
    }


def _reading(
    place: Path, corpus: Corpus, plan: _Plan, progress: _Progress
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Measure recall and cold opens of one owner's log as it grows to each size."""
    recall, cold = [], []
    filling = _Filling(corpus, progress)
    for size in plan.sizes:
        with open_engine(place, key=_KEY, embedder="off") as engine:
            filling.fill(engine.owner(_OWNER), size)
        questions = corpus.questions(plan.questions + plan.opens, filling.sessions)
        progress.step(f"recall from {size:,} messages")
        if size >= _COLD_FROM:
            cold.append({"messages": size, **_opens(place, questions[: plan.opens])})
        with open_engine(place, key=_KEY, embedder="off") as engine:
            owner = engine.owner(_OWNER)
            owner.recall(questions[0], limit=_LIMIT)
            seconds = [
                _seconds(partial(owner.recall, question, limit=_LIMIT))
                for question in questions[plan.opens :]
            ]
        times = latency_ms(seconds)
        goal = RECALL_GOALS_MS[size]
        recall.append(
            {
                "messages": size,
                "p50_ms": times["p50"],
                "p95_ms": times["p95"],
                "goal_ms": goal,
                "is_met": times["p50"] < goal,
            }
        )
    return recall, cold


class _Filling:
    """Appends session after session until a log is as long as it shall be."""

    def __init__(self, corpus: Corpus, progress: _Progress) -> None:
        self._sessions = corpus.sessions()
        self._progress = progress
        self._messages = 0
        self.sessions = 0

    def fill(self, owner: Owner, size: int) -> None:
        """Append until the log has `size` messages; the last session is cut to fit."""
        while self._messages < size:
            session, messages = next(self._sessions)
            fitting = messages[: size - self._messages]
            owner.session(session).append(fitting)
            before = self._messages // _STEP_MESSAGES
            self._messages += len(fitting)
            self.sessions += 1
            if self._messages // _STEP_MESSAGES > before:
                self._progress.step(f"append up to {size:,} messages")


def _opens(place: Path, questions: Sequence[str]) -> dict[str, float]:
    """Return medians of opening a store anew and of its first recall."""
    opened, first = [], []
    for question in questions:
        start = perf_counter()
        with open_engine(place, key=_KEY, embedder="off") as engine:
            owner = engine.owner(_OWNER)
            opened.append(perf_counter() - start)
            first.append(_seconds(partial(owner.recall, question, limit=_LIMIT)))
    return {
        "open_ms": round(median(opened) * 1_000, _DIGITS),
        "first_recall_ms": round(median(first) * 1_000, _DIGITS),
    }


def _help(plan: _Plan, progress: _Progress) -> dict[str, Any]:
    """Compare the start of the command line with importing the two packages it is made of.

    Where it does not start at all, there is no figure.
    """
    ours, plain = [], []
    # The first start compiles what was never imported; it is not counted.
    if _starts(_HELP, "--help") and _starts(_IMPORTS):
        for _ in range(plan.pairs):
            progress.step("lifelong --help")
            ours.append(_seconds(partial(_starts, _HELP, "--help")))
            plain.append(_seconds(partial(_starts, _IMPORTS)))
    ratio = median(a / b for a, b in zip(ours, plain, strict=True)) if ours else None
    return {
        "ms": round(median(ours) * 1_000, 1) if ours else None,
        "imports_ms": round(median(plain) * 1_000, 1) if plain else None,
        "ratio": None if ratio is None else round(ratio, _DIGITS),
        "goal": HELP_GOAL,
        "is_met": None if ratio is None else ratio <= HELP_GOAL,
    }


def _starts(code: str, *arguments: str) -> bool:
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - code of above
    return done.returncode == 0
