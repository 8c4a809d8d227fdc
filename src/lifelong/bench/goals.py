"""What recall is to find on the two kinds of chat; a change must keep both.

Shares from 0 to 1, by data set, tier and path of the figure in what `recall.run` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lifelong.memory.weights import TOKENS, WORDS

_OVERALL = ("overall",)
_FIVE = ("groups", "five_fact_abilities")
_MULTI_HOP = ("by_category", "multi_hop")

GOALS: Mapping[str, Mapping[str, Mapping[tuple[str, ...], Mapping[str, float]]]] = {
    "locomo": {
        WORDS: {_OVERALL: {"fraction@10": 0.82, "all@10": 0.76, "ndcg@10": 0.66}},
        TOKENS: {
            _OVERALL: {"fraction@10": 0.87, "all@10": 0.80, "ndcg@10": 0.72},
            _MULTI_HOP: {"all@50": 0.75},
        },
    },
    "beam": {
        WORDS: {_FIVE: {"fraction@10": 0.77, "ndcg@10": 0.68}},
        TOKENS: {_FIVE: {"fraction@10": 0.81, "ndcg@10": 0.71}},
    },
}


class Goal(NamedTuple):
    """A figure, what it is to be at least, and what it is."""

    tier: str
    figure: str
    least: float
    found: float

    @property
    def is_met(self) -> bool:
        """Whether it is met."""
        return self.found >= self.least


def goals_of(result: Mapping[str, Any]) -> list[Goal]:
    """Return the goals of what `recall.run` measured; none for a data set without."""
    found = []
    for tier, paths in GOALS.get(result["dataset"], {}).items():
        side = result["tiers"].get(tier)
        for path, figures in paths.items() if side else ():
            values = side
            for name in path:
                values = values.get(name, {})
            label = "" if path == _OVERALL else f"{path[-1]} "
            found += [
                Goal(tier, f"{label}{figure}", least, values[figure])
                for figure, least in figures.items()
                if figure in values
            ]
    return found
