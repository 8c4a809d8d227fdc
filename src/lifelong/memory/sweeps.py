"""Sweeps: questions that no single message answers, and what is ranked otherwise for them.

"Summarise how it went" wants the long answers of the agent that other questions are kept from;
"in which order did I bring it up" wants the same topic at several times, not ten messages of its
busiest hour. English, by patterns; in other languages such a question is ranked like any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

SUMMARY, ORDER = "summary", "order"

_SUMMARY = re.compile(
    r"\bsummar(?:y|ies|i[sz]e[ds]?|i[sz]ing)\b|\brecap\b|\boverview of (?:how|what|my|our|the)\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:the|what|which) order\b|\bin order\b|\bchronological(?:ly)?\b"
    r"|\b(?:sequence|timeline) of\b",
    re.IGNORECASE,
)
_SPAN_SHARE = 16
"""Of a topic that is swept, one message counts for a sixteenth of all that was said."""

_SPREAD_MAX = 10


def sweep_of(question: str) -> str:
    """Return `SUMMARY` or `ORDER` for a question that wants a sweep, or nothing."""
    if _ORDER.search(question):
        return ORDER
    return SUMMARY if _SUMMARY.search(question) else ""


def spread(seqs: Sequence[int], total: int) -> list[int]:
    """Return numbers in another order: first, best first, ten that are far from one another.

    Args:
        seqs: numbers of messages, best first.
        total: how many messages there are.
    """
    span = total // _SPAN_SHARE
    first: list[int] = []
    for seq in seqs:
        if all(abs(seq - other) > span for other in first):
            first.append(seq)
            if len(first) == _SPREAD_MAX:
                break
    chosen = set(first)
    return [*first, *(seq for seq in seqs if seq not in chosen)]
