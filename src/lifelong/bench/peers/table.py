"""What `peers.run` measured, as a table of plain text for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from lifelong.bench.report import aligned

_GAP = "  "
_WIDTH = 100
_BYTES_PER_MB = 1_000_000
_FIGURES = {"fraction@10": "fraction", "all@10": "all", "any@10": "any", "ndcg@10": "nDCG"}
_HEAD = ("", *_FIGURES.values(), *("p50 ms", "p95 ms", "CPU ms", "turns/s", "disk", "peak"))
_NONE = "-"
_LEGEND = (
    "fraction, all, any, nDCG: of the evidence in the first ten, %",
    "p50, p95: of a question, its vector made before; CPU: its median, all threads together",
    "turns/s: written session by session, vectors made before",
    "disk: of all that is kept, peak: of the process's memory, both in MB",
)


def table(result: Mapping[str, Any]) -> str:
    """Return a row for each peer, then how each was used, and why some are not there."""
    measured = [each for each in result["peers"] if each["failed"] is None]
    head = (
        f"{result['dataset']}: {result['conversations']} conversations, {result['messages']:,}"
        f" turns, {result['questions']} questions\nvectors: {result['embedder'] or 'none'}"
    )
    rows = [_HEAD, *(_row(each["title"], each, each["overall"]) for each in measured)]
    for group in measured[0]["groups"] if measured else ():
        rows.append((group, *[""] * (len(_HEAD) - 1)))
        rows += [_group_row(each, group) for each in measured]
    return "\n".join([head, "", *aligned(rows), "", *_notes(result)])


def _row(title: str, peer: Mapping[str, Any], figures: Mapping[str, float]) -> tuple[str, ...]:
    times = peer["latency_ms"]
    return (
        title,
        *_percents(figures),
        f"{times['p50']:.1f}",
        f"{times['p95']:.1f}",
        f"{peer['cpu_ms']['p50']:.1f}",
        f"{peer['turns_per_second']:,.0f}",
        _megabytes(peer["disk_bytes"]),
        _megabytes(peer["peak_bytes"]),
    )


def _group_row(peer: Mapping[str, Any], group: str) -> tuple[str, ...]:
    cells = (f"  {peer['title']}", *_percents(peer["groups"][group]))
    return (*cells, *[""] * (len(_HEAD) - len(cells)))


def _percents(figures: Mapping[str, float]) -> list[str]:
    return [f"{figures[name] * 100:.1f}" for name in _FIGURES]


def _megabytes(size: int | None) -> str:
    """Return megabytes; nothing kept and nothing known look alike."""
    return f"{size / _BYTES_PER_MB:.1f}" if size else _NONE


def _notes(result: Mapping[str, Any]) -> Iterator[str]:
    for peer in result["peers"]:
        if peer["failed"] is None:
            versions = ", ".join(f"{name} {version}" for name, version in peer["versions"].items())
            yield from _wrapped(f"{peer['title']}: {peer['how']} ({versions})")
        else:
            yield from _wrapped(f"not measured: {peer['title']}: {peer['failed']}")
    yield from _LEGEND


def _wrapped(text: str) -> list[str]:
    return wrap(text, _WIDTH, subsequent_indent=_GAP)
