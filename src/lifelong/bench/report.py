"""Results as tables of plain text, for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lifelong.bench.goals import goals_of

_FIGURES = ("all@10", "fraction@10", "fraction@50", "ndcg@10")
_COUNTS = {"groups": "questions_by_group", "by_category": "questions_by_category"}
_GAP = "  "


def recall_table(result: Mapping[str, Any]) -> str:
    """Return what `recall.run` measured: a line for the floor and each tier, in percent."""
    sides = {"floor": result["floor"], **result["tiers"]}
    rows: list[Sequence[str]] = [("%", "questions", "", *_FIGURES)]
    rows += _recall_rows("all", result["questions"], {n: s["overall"] for n, s in sides.items()})
    for name, side in result["tiers"].items():
        if side["margins"]:
            margins = [f"± {side['margins'][figure] * 100:.1f}" for figure in _FIGURES]
            rows.append(("", "", f"{name}, 95 %", *margins))
    for kind, counts in _COUNTS.items():
        for name, count in result[counts].items():
            figures = {side: found[kind][name] for side, found in sides.items()}
            rows += _recall_rows(name, count, figures)
    head = (
        f"{result['dataset']}: {result['conversations']} conversations, {result['messages']}"
        f" messages; evidence is counted by {result['unit']}"
    )
    return "\n".join([head, "", *aligned(rows), "", *_recall_notes(result)])


def _recall_rows(
    name: str, count: int, sides: Mapping[str, Mapping[str, float]]
) -> Iterator[tuple[str, ...]]:
    for at, (side, figures) in enumerate(sides.items()):
        label = (name, f"{count}") if not at else ("", "")
        yield (*label, side, *(f"{figures[figure] * 100:.1f}" for figure in _FIGURES))


def _recall_notes(result: Mapping[str, Any]) -> Iterator[str]:
    yield "floor: plain SQLite full text, BM25, stop words left out; the others: Owner.recall"
    for name, side in {"floor": result["floor"], **result["tiers"]}.items():
        latency = side["latency_ms"]
        yield f"{name}: median {latency['p50']:.1f} ms, 95th percentile {latency['p95']:.1f} ms"
    for name, side in result["tiers"].items():
        for budget, found in side["budgets"].items():
            yield (
                f"{name}, in {budget} tokens: all evidence of {found['all']:.1%} of the questions,"
                f" {found['fraction']:.1%} of it on the average"
            )
    for reason, count in result["excluded"].items():
        yield f"left out: {count} questions, {reason}"
    for goal in goals_of(result):
        verdict = "met" if goal.is_met else "MISSED"
        found = f"{goal.least:.2f}, found {goal.found:.3f}: {verdict}"
        yield f"goal, {goal.tier} {goal.figure}: {found}"


def speed_table(result: Mapping[str, Any]) -> str:
    """Return what `speed.run` measured, each figure with its goal."""
    machine = result["machine"]
    rows: list[Sequence[str]] = [
        ("", "lifelong", "plain SQLite", "rows alone", "ratio", "goal", "met")
    ]
    for name, label in (
        ("remember", "remember, durable, per second"),
        ("append", "append in batches, per second"),
    ):
        rows.append(_writing_row(label, result[name]))
    rows.append(("", "median", "95th percentile", "", "", "goal", "met"))
    rows += [_recall_row(each) for each in result["recall"]]
    rows.append(("", "open", "first recall", "", "", "", ""))
    rows += [_open_row(each) for each in result["open"]]
    rows.append(("", "cold", "one message more", "", "ratio", "goal", "met"))
    rows.append(_planning_row(result["planning"]))
    rows.append(("", "lifelong", "its imports", "", "ratio", "goal", "met"))
    rows.append(_help_row(result["help"]))
    head = ", ".join(f"{name} {value}" for name, value in machine.items() if name != "system")
    how = "quick run" if result["quick"] else "full run"
    return "\n".join(
        [f"{how}, {result['seconds']} s on {machine['system']}", head, "", *aligned(rows)]
    )


def window_table(result: Mapping[str, Any]) -> str:
    """Return what `window.run` measured: a line for each window."""
    rows: list[Sequence[str]] = [
        (
            *("window", "requests", "cut", "not fit", "invalid", "split", "tokens kept"),
            *("needed, trimmed / summary", "of cut ones"),
        )
    ]
    for found in result["windows"]:
        kept = found["tokens_after"] / found["tokens_before"] if found["tokens_before"] else 1
        rows.append(
            (
                f"{found['window']:,}",
                *(f"{found[name]:,}" for name in ("requests", "cut", "not_fit")),
                *(f"{found[name]:,}" for name in ("invalid", "split")),
                f"{kept:.1%}",
                f"{_share(found['survival_trimmed'])} / {_share(found['survival'])}",
                f"{_share(found['survival_cut_trimmed'])} / {_share(found['survival_cut'])}",
            )
        )
    head = f"{result['source']}: {result['sessions']} sessions, each request replayed"
    notes = [
        "needed: identifiers that the model wrote next and that came from earlier in the session,",
        "as a share that the request still shows: trimmed alone / with summary and appendix",
    ]
    return "\n".join([head, "", *aligned(rows), "", *notes])


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def _planning_row(found: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"plan a request of {found['tokens']:,} tokens",
        f"{found['cold_ms']:.0f} ms",
        f"{found['warm_ms']:.2f} ms",
        "",
        f"{found['ratio']:.0f}",
        f"< {found['cold_goal_ms']:g} ms, >= {found['ratio_goal']:g}",
        _met(found["is_met"]),
    )


def _writing_row(label: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        label,
        f"{found['per_second']:,.0f}",
        f"{found['plain_per_second']:,.0f}",
        f"{found['rows_only_per_second']:,.0f}",
        f"{found['ratio']:.2f}",
        f">= {found['goal']:g}",
        _met(found["is_met"]),
    )


def _recall_row(found: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"recall from {found['messages']:,} messages",
        f"{found['p50_ms']:.1f} ms",
        f"{found['p95_ms']:.1f} ms",
        "",
        "",
        f"< {found['goal_ms']:g} ms",
        _met(found["is_met"]),
    )


def _open_row(found: Mapping[str, Any]) -> tuple[str, ...]:
    label = f"cold, {found['messages']:,} messages"
    return (label, f"{found['open_ms']:.1f} ms", f"{found['first_recall_ms']:.1f} ms", *[""] * 4)


def _help_row(found: Mapping[str, Any]) -> tuple[str, ...]:
    goal = f"<= {found['goal']:g}"
    if found["ratio"] is None:
        return ("lifelong --help", "does not start", "", "", "", goal, _met(found["is_met"]))
    return (
        "lifelong --help",
        f"{found['ms']:.0f} ms",
        f"{found['imports_ms']:.0f} ms",
        "",
        f"{found['ratio']:.2f}",
        goal,
        _met(found["is_met"]),
    )


def _met(is_met: bool | None) -> str:
    """Return whether a goal is met, in a word."""
    return "unknown" if is_met is None else "yes" if is_met else "no"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines: the first column to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        _GAP.join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
