"""What encryption costs: the same work in an encrypted and a plain store, taking turns in one run.

Which side goes first changes from round to round, and the ratio is the median of the rounds' own
ratios, so that a busy machine slows both sides alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from lifelong.bench.corpus import Corpus
from lifelong.bench.report import aligned
from lifelong.engine import Engine
from lifelong.engine import open as open_engine
from lifelong.messages import Raw
from lifelong.owner import Owner

OnProgress = Callable[[int, int, str], None]
"""Called with how much is done, how much there is, and what is done now."""

GOAL = 1.3
"""Encrypted work is to take at most so many times as long."""

_ROUNDS = 9
_MESSAGES = 2_000
_MEMORIES = 60
_QUESTIONS = 40
_OPENS = 5
_KEY = bytes(range(32))
"""Of files that are gone when the run ends."""
_OWNER = "bench"
_SIDES = {"encrypted": "on", "plain": "off"}
_DIGITS = 3
_LABELS = {
    "append": "append 2,000 messages at once",
    "remember": "remember, durable, one by one",
    "recall": "recall from all that is there",
    "open": "open and recall, cold",
}


def run(*, rounds: int = _ROUNDS, on_progress: OnProgress | None = None) -> dict[str, Any]:
    """Measure both sides and return medians in milliseconds, with their ratio.

    Args:
        rounds: how often each thing is done on each side.
        on_progress: called before each step.
    """
    tell = on_progress or (lambda _done, _total, _what: None)
    corpus = Corpus()
    with TemporaryDirectory(prefix="lifelong-bench-") as name:
        places = {side: Path(name) / side for side in _SIDES}
        seconds: dict[str, dict[str, list[float]]] = {
            work: {side: [] for side in _SIDES} for work in _LABELS
        }
        _take_turns(places, seconds, list(_rounds(corpus, rounds)), tell)
        tell(rounds, rounds + 1, "cold opens")
        question = corpus.questions(1, rounds)[0]
        for turn in range(rounds):
            for side in _in_turn(turn):
                opening = partial(_open, places[side], _SIDES[side], question)
                seconds["open"][side].append(_seconds(opening))
    tell(rounds + 1, rounds + 1, "done")
    return {
        "rounds": rounds,
        "messages": rounds * _MESSAGES,
        "goal": GOAL,
        "work": {each: _compared(both) for each, both in seconds.items()},
    }


def _take_turns(
    places: Mapping[str, Path],
    seconds: Mapping[str, Mapping[str, list[float]]],
    rounds: list[_Given],
    tell: OnProgress,
) -> None:
    """Do the work of each round on each side, and note how long it took."""
    engines = {side: _opened(places[side], mode) for side, mode in _SIDES.items()}
    try:
        for turn, given in enumerate(rounds):
            tell(turn, len(rounds) + 1, f"round {turn + 1}")
            for side in _in_turn(turn):
                for work, act in _work(engines[side].owner(_OWNER), turn, given).items():
                    seconds[work][side].append(_seconds(act))
    finally:
        for engine in engines.values():
            engine.close()


def _opened(place: Path, encryption: str) -> Engine:
    return open_engine(place, key=_KEY, encryption=encryption, embedder="off")


class _Given(NamedTuple):
    """What one round works on, the same on each side."""

    items: list[Raw]
    texts: list[str]
    questions: list[str]


def _rounds(corpus: Corpus, rounds: int) -> Iterator[_Given]:
    said, facts = _messages(corpus), iter(corpus.facts(rounds * _MEMORIES))
    for turn in range(rounds):
        items, texts = list(islice(said, _MESSAGES)), list(islice(facts, _MEMORIES))
        yield _Given(items, texts, list(corpus.questions(_QUESTIONS, turn + 1)))


def _work(owner: Owner, turn: int, given: _Given) -> dict[str, Callable[[], object]]:
    return {
        "append": partial(owner.session(f"s{turn}").append, given.items),
        "remember": partial(_remember, owner, given.texts),
        "recall": partial(_recall, owner, given.questions),
    }


def _messages(corpus: Corpus) -> Iterator[Raw]:
    return (
        {"role": message.role, "content": message.text}
        for _, messages in corpus.sessions()
        for message in messages
    )


def _in_turn(turn: int) -> tuple[str, ...]:
    sides = tuple(_SIDES)
    return sides if turn % 2 else sides[::-1]


def _seconds(action: Callable[[], object]) -> float:
    start = perf_counter()
    action()
    return perf_counter() - start


def _remember(owner: Owner, texts: list[str]) -> None:
    for text in texts:
        owner.remember(text)


def _recall(owner: Owner, questions: list[str]) -> None:
    for question in questions:
        owner.recall(question)


def _open(place: Path, encryption: str, question: str) -> None:
    for _ in range(_OPENS):
        with _opened(place, encryption) as engine:
            engine.owner(_OWNER).recall(question)


def _compared(both: Mapping[str, list[float]]) -> dict[str, Any]:
    """Return the medians of both sides and of their ratio, round by round."""
    ratio = median(a / b for a, b in zip(both["encrypted"], both["plain"], strict=True))
    return {
        "encrypted_ms": round(median(both["encrypted"]) * 1_000, _DIGITS),
        "plain_ms": round(median(both["plain"]) * 1_000, _DIGITS),
        "ratio": round(ratio, _DIGITS),
        "is_met": ratio <= GOAL,
    }


def table(result: Mapping[str, Any]) -> str:
    """Return what `run` measured, a line for each kind of work."""
    rows = [("", "encrypted", "plain", "ratio", "goal", "met")]
    for work, found in result["work"].items():
        rows.append(
            (
                _LABELS[work],
                f"{found['encrypted_ms']:,.1f} ms",
                f"{found['plain_ms']:,.1f} ms",
                f"{found['ratio']:.2f}",
                f"<= {result['goal']:g}",
                "yes" if found["is_met"] else "no",
            )
        )
    head = f"{result['rounds']} rounds in turn, {result['messages']:,} messages in the end"
    return "\n".join([head, "", *aligned(rows)])
