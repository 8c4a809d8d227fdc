"""How recall grows with the log: from a thousand messages to a million, drawn as a curve.

One owner's log grows from size to size. At each, a process of its own opens the store, so that
its first recall is a cold one and its memory is a reader's; then it asks questions, one by one.
Files are encrypted, as they are by default. A goal that is missed is said and is no error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import ceil, log10
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from lifelong.bench.corpus import SHORT, Corpus
from lifelong.bench.metrics import latency_ms
from lifelong.bench.speed import machine
from lifelong.engine import Engine
from lifelong.engine import open as open_engine
from lifelong.owner import Owner
from lifelong.ports import Embedder
from lifelong.rows import Embedding

OnProgress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is done now."""

SIZES = (1_000, 10_000, 100_000)
"""A million takes minutes to write and a gigabyte of disk: it is measured when asked for."""

GOALS_MS = {10_000: 10.0, 100_000: 40.0, 1_000_000: 80.0}
"""Median and 95th percentile of recall are to be below this, without encoding the question."""

QUESTIONS = 100

_LIMIT = 10
_OWNER = "bench"
_KEY = bytes(range(32))
"""Of made-up text."""
_STEP_MESSAGES = 1_000
_DIGITS = 3
_SESSION_MESSAGES_MAX = 60
_CURVE_COLUMNS = 60
_HEADS = (
    *("messages", "p50 ms", "p95 ms", "goal", "met", "encode", "open", "first"),
    *("append/s", "file MB", "memory MB"),
)


def run(
    sizes: Sequence[int] = SIZES,
    *,
    kind: str = SHORT,
    place: Path | None = None,
    embedder: Embedder | None = None,
    questions: int = QUESTIONS,
    on_progress: OnProgress | None = None,
) -> dict[str, Any]:
    """Measure recall, opening, writing and memory as one owner's log grows.

    Args:
        sizes: messages in the log; whole sessions are written, so there are a few more.
        kind: of conversation, one of `corpus.KINDS`.
        place: a folder to keep the store in; a later run goes on with it and leaves out sizes that
            it has grown beyond. None for one that is gone afterwards.
        embedder: also compute vectors and recall by them; it is sent to another process. None for
            words alone.
        questions: how many at each size, after the first.
        on_progress: told of each step.

    Returns:
        ``sizes``: for each size ``messages``, ``p50_ms`` and ``p95_ms`` of recall without encoding
        the question, ``encode_ms`` (median; None without an embedder), ``goal_ms`` and ``is_met``
        (None where there is no goal), ``appended_per_second`` (None when nothing was appended),
        ``file_bytes``, ``open_ms`` and ``first_recall_ms`` of a cold process, and its
        ``memory_bytes`` at most (None where the system does not say). Beside it ``kind``,
        ``machine`` and ``seconds``.

    Raises:
        InvalidValue: there is no such kind.
    """
    begun = perf_counter()
    corpus = Corpus(kind=kind)
    progress = _Progress(max(sizes, default=0), on_progress)
    with TemporaryDirectory(prefix="lifelong-bench-") as name:
        where = place or Path(name)
        growing = _Growing(corpus, progress)
        found = []
        for size in sorted(sizes):
            with _opened(where, embedder) as engine:
                owner = engine.owner(_OWNER)
                per_second = growing.grow(owner, size)
                if embedder:
                    owner.reindex(words=False)  # what the background has not reached yet
                described, file_bytes = machine(engine), owner.stats()["bytes"]
            if growing.is_beyond(size):
                continue
            asked = corpus.questions(questions + 1, growing.sessions)
            progress.tell(f"recall from {growing.messages:,} messages")
            measured = _in_process(partial(measure, where, asked, embedder))
            found.append(
                {
                    "messages": growing.messages,
                    **measured,
                    **_goal(size, measured),
                    "appended_per_second": per_second,
                    "file_bytes": file_bytes,
                }
            )
    progress.finish()
    return {
        "kind": kind,
        "machine": described if sizes else {},
        "sizes": found,
        "seconds": round(perf_counter() - begun, 1),
    }


def measure(place: Path, questions: Sequence[str], embedder: Embedder | None) -> dict[str, Any]:
    """Return what a process that has not opened the store yet measures of it.

    Args:
        place: of a store that `run` filled.
        questions: two or more; the first is the cold one.
        embedder: as for `run`.
    """
    timed = _TimedEmbedder(embedder) if embedder else None
    start = perf_counter()
    with _opened(place, timed) as engine:
        owner = engine.owner(_OWNER)
        opened = perf_counter() - start
        first, _ = _recall_seconds(owner, questions[0], timed)
        seconds = [_recall_seconds(owner, question, timed) for question in questions[1:]]
    times = latency_ms([recalled for recalled, _ in seconds])
    return {
        "p50_ms": times["p50"],
        "p95_ms": times["p95"],
        "encode_ms": _ms(median(encoded for _, encoded in seconds)) if timed else None,
        "open_ms": _ms(opened),
        "first_recall_ms": _ms(first),
        "memory_bytes": _memory_bytes(),
    }


def _opened(place: Path, embedder: Embedder | None) -> Engine:
    """Open the store: the one place that decides whether vectors are there."""
    return open_engine(place, key=_KEY, embedder=embedder or "off")


class _TimedEmbedder:
    """An embedder that counts the seconds that questions took, so that they can be left out."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.seconds = 0.0

    @property
    def name(self) -> str:
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Sequence[Embedding]:
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Embedding:
        start = perf_counter()
        try:
            return self._embedder.embed_query(text)
        finally:
            self.seconds += perf_counter() - start


def _recall_seconds(
    owner: Owner, question: str, timed: _TimedEmbedder | None
) -> tuple[float, float]:
    """Return how long a recall took without encoding its question, and how long that took."""
    encoded_before = timed.seconds if timed else 0.0
    start = perf_counter()
    owner.recall(question, limit=_LIMIT)
    seconds = perf_counter() - start
    encoded = timed.seconds - encoded_before if timed else 0.0
    return max(seconds - encoded, 0.0), encoded


def _in_process(action: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what `action` returns in a new process."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as pool:
        return pool.submit(action).result()


def _memory_bytes() -> int | None:
    """Return the most memory that this process has held, if the system says so."""
    if sys.platform == "win32":
        return None
    from resource import RUSAGE_SELF, getrusage

    return getrusage(RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1_024)


def _goal(size: int, measured: Mapping[str, Any]) -> dict[str, Any]:
    goal = GOALS_MS.get(size)
    is_met = None if goal is None else measured["p95_ms"] < goal
    return {"goal_ms": goal, "is_met": is_met}


def _ms(seconds: float) -> float:
    return round(seconds * 1_000, _DIGITS)


class _Progress:
    def __init__(self, total: int, tell: OnProgress | None) -> None:
        self._tell = tell
        self._total = total
        self.done = 0

    def tell(self, label: str) -> None:
        if self._tell:
            self._tell(min(self.done, self._total), self._total, label)

    def finish(self) -> None:
        if self._tell:
            self._tell(self._total, self._total, "done")


class _Growing:
    """Appends session after session, going on where an earlier run stopped."""

    def __init__(self, corpus: Corpus, progress: _Progress) -> None:
        self._corpus_sessions = corpus.sessions()
        self._progress = progress
        self._found: int | None = None
        self.messages = 0
        self.sessions = 0

    def grow(self, owner: Owner, size: int) -> float | None:
        """Append whole sessions until there are `size` messages or more.

        Returns:
            Messages appended per second, or None when none were.
        """
        if self._found is None:
            self._found = owner.stats()["message"]
        appended, seconds = 0, 0.0
        while self.messages < max(size, self._found):
            session, messages = next(self._corpus_sessions)
            self.messages += len(messages)
            self.sessions += 1
            if self.messages <= self._found:
                continue
            start = perf_counter()
            owner.session(session).append(messages)
            seconds += perf_counter() - start
            appended += len(messages)
            if self.messages // _STEP_MESSAGES > self._progress.done // _STEP_MESSAGES:
                self._progress.done = self.messages
                self._progress.tell(f"append up to {size:,} messages")
        return round(appended / seconds, 1) if appended else None

    def is_beyond(self, size: int) -> bool:
        """Return whether an earlier run left a longer log than this size asks for."""
        return self.messages - size > _SESSION_MESSAGES_MAX


def table(result: Mapping[str, Any]) -> str:
    """Return what `run` measured: a line for each size, and the curve."""
    rows: list[tuple[str, ...]] = [_HEADS]
    rows += [_row(found) for found in result["sizes"]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    facts = ", ".join(f"{name} {value}" for name, value in result["machine"].items())
    head = f"{result['kind']} messages, {result['seconds']} s"
    return "\n".join([head, facts, "", *lines, "", *_curve(result["sizes"])])


def _row(found: Mapping[str, Any]) -> tuple[str, ...]:
    def shown(name: str, form: str, divisor: float = 1.0) -> str:
        value = found[name]
        return "-" if value is None else format(value / divisor, form)

    met = {None: "-", True: "yes", False: "no"}[found["is_met"]]
    return (
        shown("messages", ",.0f"),
        shown("p50_ms", ".1f"),
        shown("p95_ms", ".1f"),
        shown("goal_ms", ".0f"),
        met,
        shown("encode_ms", ".1f"),
        shown("open_ms", ".0f"),
        shown("first_recall_ms", ".0f"),
        shown("appended_per_second", ",.0f"),
        shown("file_bytes", ",.1f", 1e6),
        shown("memory_bytes", ",.0f", 1e6),
    )


def _curve(sizes: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield recall by size on a logarithmic axis: the median as `o`, the 95th percentile as `x`."""
    if not sizes:
        return
    decades = max(ceil(log10(max(found["p95_ms"] for found in sizes))), 1)

    def column(milliseconds: float) -> int:
        return round(log10(max(milliseconds, 1.0)) / decades * _CURVE_COLUMNS)

    for found in sizes:
        p50, p95 = column(found["p50_ms"]), column(found["p95_ms"])
        line = " " * p50 + "o" + "-" * (p95 - p50 - 1) + ("x" if p95 > p50 else "")
        yield f"{found['messages']:>12,} |{line}"
    axis = [" "] * (_CURVE_COLUMNS + len(str(10**decades)))
    for decade in range(decades + 1):
        label = str(10**decade)
        axis[column(10**decade) : column(10**decade) + len(label)] = label
    yield f"{'ms':>12} |{''.join(axis)}".rstrip()
    yield f"{'':>12}  o median, x 95th percentile"
