"""How long one memory takes to write as an owner's memories grow."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from lifelong.engine import open as open_engine
from lifelong.owner import Owner

SIZES = (100, 10_000)
_MEASURED = 200
_NAMES = ("Ana", "Bo", "Chen", "Dara", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun")
_VERBS = ("likes", "works on", "asked about", "met", "visited", "ordered", "reads", "repaired")
_THINGS = ("tea", "the harbour", "a red bicycle", "the depot", "old maps", "the invoice", "a lamp")


def measure(_data: Path) -> dict[str, Any]:
    """Return milliseconds for one `remember` at each size, in files on this disk.

    The texts share many words, as the memories of one person do; the time includes the commit.
    """
    found: dict[str, Any] = {}
    for size in SIZES:
        with (
            tempfile.TemporaryDirectory() as folder,
            open_engine(folder, key=bytes(range(32)), embedder="off") as engine,
        ):
            owner = engine.owner("bench")
            texts = _texts(size + _MEASURED)
            _fill(owner, texts[:size])
            times = sorted(_timed(owner, text) for text in texts[size:])
        found[f"p50_ms_at_{size}"] = round(1_000 * median(times), 2)
        found[f"p95_ms_at_{size}"] = round(1_000 * times[int(0.95 * len(times))], 2)
    low, high = (found[f"p50_ms_at_{size}"] for size in SIZES)
    found["ratio"] = round(high / low, 2)
    return found


def _texts(count: int) -> list[str]:
    texts = []
    for number in range(count):
        mixed = number * 7_919 + 104_729  # primes, so that neighbours share little
        words = (_NAMES[mixed % 10], _VERBS[mixed // 10 % 8], _THINGS[mixed // 80 % 7])
        texts.append(f"{' '.join(words)} near stop {mixed % 100_003}")
    return texts


def _fill(owner: Owner, texts: list[str]) -> None:
    for text in texts:
        owner.remember(text, kind="event")


def _timed(owner: Owner, text: str) -> float:
    began = perf_counter()
    owner.remember(text, kind="event")
    return perf_counter() - began
