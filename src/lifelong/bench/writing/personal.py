"""How well personal data with a checkable form are found in Presidio's synthetic sentences.

By kind: precision and recall of exact spans, and of spans that overlap; all kinds together; and how
often sentences of SICK, which have no such data, raise a false alarm.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from lifelong.bench.lines import Line, read_lines
from lifelong.screening.personal import find_personal

_KINDS = {
    "EMAIL_ADDRESS": "email",
    "CREDIT_CARD": "card",
    "IBAN_CODE": "iban",
    "US_SSN": "ssn",
    "IP_ADDRESS": "ip",
    "PHONE_NUMBER": "phone",
}
_WITHOUT_PHONES = tuple(kind for kind in _KINDS.values() if kind != "phone")
_LISTED_MAX = 20

Span = tuple[int, int, str]


def measure(data: Path) -> dict[str, Any]:
    """Measure the finding of personal data.

    Args:
        data: the folder with the folders of the data sets.

    Returns:
        Rates with the counts behind them; or what is missing, under ``skipped``.
    """
    folder = data / "secrets_pii"
    if not any(folder.glob("presidio_synth_v2.jsonl*")):
        return {"skipped": "secrets_pii/presidio_synth_v2.jsonl is missing"}
    counts: Counter[tuple[str, str]] = Counter()
    wrong: list[str] = []
    lines = list(read_lines(folder, "presidio_synth_v2"))
    for line in lines:
        _count(line, counts, wrong)
    kinds = tuple(_KINDS.values())
    return {
        "sentences": len(lines),
        "by_kind": {kind: _figures(counts, (kind,)) for kind in kinds},
        "all": _figures(counts, kinds),
        "without_phones": _figures(counts, _WITHOUT_PHONES),
        "wrong": wrong[:_LISTED_MAX],
        "plain": _plain(data),
    }


def _count(line: Line, counts: Counter[tuple[str, str]], wrong: list[str]) -> None:
    text = line.text("text")
    labelled: list[Span] = [
        (span["start"], span["end"], _KINDS[span["type"]])
        for span in line.fields["spans"]
        if span["type"] in _KINDS
    ]
    found: list[Span] = [
        (each.start, each.end, each.rule)
        for each in find_personal(text, kinds=tuple(_KINDS.values()))
    ]
    for span in labelled:
        counts["labelled", span[2]] += 1
        counts["exact", span[2]] += span in found
        counts["reached", span[2]] += _overlaps(span, found)
        if span not in found:
            wrong.append(f"missed {span[2]}: {text[max(0, span[0] - 40) : span[1]]}")
    for span in found:
        counts["found", span[2]] += 1
        counts["true", span[2]] += _overlaps(span, labelled)
        if not _overlaps(span, labelled):
            wrong.append(f"false {span[2]}: {text[max(0, span[0] - 40) : span[1]]}")


def _overlaps(span: Span, others: list[Span]) -> bool:
    start, end, kind = span
    return any(kind == other[2] and start < other[1] and other[0] < end for other in others)


def _figures(counts: Counter[tuple[str, str]], kinds: tuple[str, ...]) -> dict[str, Any]:
    names = ("labelled", "found", "exact", "reached", "true")
    total = {name: sum(counts[name, kind] for kind in kinds) for name in names}
    return {
        **total,
        "precision_exact": _share(total["exact"], total["found"]),
        "recall_exact": _share(total["exact"], total["labelled"]),
        "precision_overlap": _share(total["true"], total["found"]),
        "recall_overlap": _share(total["reached"], total["labelled"]),
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _plain(data: Path) -> dict[str, Any]:
    folder = data / "sentence_pairs"
    if not any(folder.glob("sick.jsonl*")):
        return {"skipped": "sentence_pairs/sick.jsonl is missing"}
    texts = {line.text(side) for line in read_lines(folder, "sick") for side in ("a", "b")}
    alarms = sum(bool(find_personal(text)) for text in texts)
    return {"texts": len(texts), "false_alarms": alarms, "rate": _share(alarms, len(texts))}
