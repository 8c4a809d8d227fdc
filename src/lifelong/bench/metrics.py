"""What a ranking is worth, and how long it took: pure arithmetic.

For one question: any@k is 1 when at least one piece of evidence is among the first k, all@k when
every piece is, fraction@k is the share that is. nDCG@10 also asks for a good order: evidence at
rank r counts 1 / log2(r + 1), divided by the best that the question allows.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

DEPTHS = (5, 10, 20, 50)
DEPTH_MAX = max(DEPTHS)
_NDCG_DEPTH = 10
_DIGITS = 4
_NORMAL_95 = 1.96


def question_figures(gold: Collection[str], ranked: Sequence[str]) -> dict[str, float]:
    """Return all figures of one question.

    Args:
        gold: ids of the evidence; at least one.
        ranked: ids as they were ranked, best first; one that comes again counts once.
    """
    ranks = {each: rank for rank, each in reversed(list(enumerate(ranked, 1)))}
    found = sorted(ranks[each] for each in set(gold) if each in ranks)
    wanted = len(set(gold))
    within = {depth: sum(rank <= depth for rank in found) for depth in DEPTHS}
    return {
        **{f"any@{depth}": float(within[depth] > 0) for depth in DEPTHS},
        **{f"all@{depth}": float(within[depth] == wanted) for depth in DEPTHS},
        **{f"fraction@{depth}": within[depth] / wanted for depth in DEPTHS},
        f"ndcg@{_NDCG_DEPTH}": _ndcg(found, wanted),
    }


def _ndcg(ranks: Iterable[int], wanted: int) -> float:
    gained = sum(_gain(rank) for rank in ranks if rank <= _NDCG_DEPTH)
    return gained / sum(_gain(rank) for rank in range(1, min(wanted, _NDCG_DEPTH) + 1))


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def mean_figures(of_questions: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each figure over questions, of which there is at least one."""
    return {
        name: round(math.fsum(each[name] for each in of_questions) / len(of_questions), _DIGITS)
        for name in of_questions[0]
    }


def margins(of_questions: Sequence[tuple[str, dict[str, float]]]) -> dict[str, float]:
    """Return how far each mean may be off: half of its 95 % interval.

    Questions of one conversation are not independent, so whole conversations are left out in turn
    (the jackknife: Efron and Stein, "The Jackknife Estimate of Variance", 1981).

    Args:
        of_questions: conversation and figures of each question.

    Returns:
        1.96 standard errors of each figure; none for a single conversation.
    """
    conversations = sorted({conversation for conversation, _ in of_questions})
    count = len(conversations)
    if count < 2:
        return {}
    without = [
        mean_figures([figures for name, figures in of_questions if name != left_out])
        for left_out in conversations
    ]
    found = {}
    for name in without[0]:
        values = [figures[name] for figures in without]
        mean = math.fsum(values) / count
        squares = math.fsum((value - mean) ** 2 for value in values)
        found[name] = round(_NORMAL_95 * math.sqrt((count - 1) / count * squares), _DIGITS)
    return found


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the value that `percent` % of the values do not exceed (nearest rank).

    Args:
        values: at least one.
        percent: over 0, at most 100.
    """
    ordered = sorted(values)
    return ordered[max(math.ceil(len(ordered) * percent / 100), 1) - 1]


def latency_ms(seconds: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile of at least one time, in milliseconds."""
    return {f"p{p}": round(percentile(seconds, p) * 1_000, 3) for p in (50, 95)}
