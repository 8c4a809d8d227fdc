"""Likeness: how near the candidates' vectors are to a question, as features for ranking.

Each figure is relative to the candidates of this question, so that a model whose cosines all lie
close together needs no scale of its own. numpy is imported inside the functions: only who has
vectors has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

RARE_COSINE = 0.75
"""A text has a token of the question when one of its own is at least so near."""

NEAR_SHARE = 0.95
"""What a neighbour's token counts."""

PRESENT_MIN = 0.5
"""With vectors of fewer of the candidates, a question is answered by words alone."""

Numbers = Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Figures by number of the row; a row without a vector has the median of those with one.

    Attributes:
        meaning: cosine beyond the median, in standard deviations.
        meaning_near: the same of the best of the row and its neighbours; not worked out where
            there are vectors of tokens, which tell it better.
        tokens: mean over the question's tokens of the best cosine, beyond the median.
        tokens_near: the same, where neighbours may answer a token too.
        tokens_rare: as `tokens`, where tokens that few candidates have count more.
        has_tokens: whether the model gives vectors of tokens.
    """

    meaning: Numbers = field(default_factory=dict)
    meaning_near: Numbers = field(default_factory=dict)
    tokens: Numbers = field(default_factory=dict)
    tokens_near: Numbers = field(default_factory=dict)
    tokens_rare: Numbers = field(default_factory=dict)
    has_tokens: bool = False


def likeness(
    candidates: Mapping[int, Sequence[int]],
    cosines: Numbers,
    *,
    best: Any,
    rows: Mapping[int, int],
) -> Likeness | None:
    """Return the figures of candidates; None when too few of them have vectors.

    Args:
        candidates: numbers of rows, each with those of its neighbours that count; 0 is none.
        cosines: of rows and neighbours that have a vector.
        best: for each row that has token vectors, the best cosine with each of the question's
            tokens: an array, one line a row; None for a model without.
        rows: the line of `best` that belongs to a number.
    """
    present = [seq for seq in candidates if seq in cosines]
    if not present or len(present) < PRESENT_MIN * len(candidates):
        return None
    meaning = _standardised({seq: cosines[seq] for seq in present})
    if best is not None and len(best):
        tokens, tokens_near, tokens_rare = _token_figures(candidates, best, rows)
        return Likeness(meaning, {}, tokens, tokens_near, tokens_rare, has_tokens=True)
    near = {
        seq: max([cosines[seq], *(NEAR_SHARE * cosines.get(one, -1.0) for one in around if one)])
        for seq, around in candidates.items()
        if seq in cosines
    }
    return Likeness(meaning, _standardised(near))


def _token_figures(
    candidates: Mapping[int, Sequence[int]], best: Any, rows: Mapping[int, int]
) -> tuple[Numbers, Numbers, Numbers]:
    import numpy as np

    seqs = [seq for seq in candidates if seq in rows]
    if not seqs:
        return {}, {}, {}
    own = best[[rows[seq] for seq in seqs]]
    # A line of zeros stands for a neighbour that is not there.
    padded = np.concatenate([best, np.zeros_like(best[:1])])
    nothing = len(best)
    around = own
    for beside in zip_longest(*(candidates[seq] for seq in seqs), fillvalue=0):
        lines = [rows.get(one, nothing) for one in beside]
        around = np.maximum(around, NEAR_SHARE * padded[lines])
    having = (own >= RARE_COSINE).sum(axis=0)
    rarity = np.log1p((len(seqs) - having + 0.5) / (having + 0.5))
    figures = (own.mean(axis=1), around.mean(axis=1), own @ rarity / rarity.sum())
    tokens, near, rare = (
        dict(zip(seqs, (one - np.median(one)).tolist(), strict=True)) for one in figures
    )
    return tokens, near, rare


def _standardised(values: Numbers) -> Numbers:
    """Return how far each is from the median, in standard deviations."""
    ordered = sorted(values.values())
    middle = (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2
    mean = sum(ordered) / len(ordered)
    deviation = (sum((value - mean) ** 2 for value in ordered) / len(ordered)) ** 0.5
    if not deviation:
        return dict.fromkeys(values, 0.0)
    return {seq: (value - middle) / deviation for seq, value in values.items()}
