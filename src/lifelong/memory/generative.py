"""Recency, importance and relevance with equal weights: the score of the Generative Agents paper.

Park et al., "Generative Agents: Interactive Simulacra of Human Behavior" (UIST 2023), section 4.1:
recency decays by a factor of .995 an hour since a memory was last brought back, importance is the
writer's 1 to 10, relevance the cosine with the question (BM25 where there are no vectors); each is
brought into 0 to 1 by the least and the most among the candidates, and the three are added. An
option: it favours what was used lately over what answers, so it is not the default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

DECAY_PER_HOUR = 0.995
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {"recency": 1 / 3, "importance": 1 / 3, "relevance": 1 / 3}
)


class Aspects(NamedTuple):
    """What is scored of one memory.

    Attributes:
        hours: since it was last brought back, or recorded; below zero counts as zero.
        importance: 1 to 10.
        relevance: to the question, on any scale.
    """

    hours: float
    importance: float
    relevance: float


def generative_features(memories: Sequence[Aspects]) -> list[tuple[float, float, float]]:
    """Return recency, importance and relevance of each memory, 0 to 1 among these."""
    recency = _min_max([DECAY_PER_HOUR ** max(one.hours, 0.0) for one in memories])
    importance = _min_max([one.importance for one in memories])
    relevance = _min_max([one.relevance for one in memories])
    return list(zip(recency, importance, relevance, strict=True))


def _min_max(values: Sequence[float]) -> list[float]:
    """Return each value's place between the least and the most; the middle when all are one."""
    if not values:
        return []
    least, most = min(values), max(values)
    if most == least:
        return [0.5] * len(values)
    return [(value - least) / (most - least) for value in values]
