"""Axes: round ticks, and from figures to places in a drawing."""

from __future__ import annotations

import math
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 5.0, 10.0)
_LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Axis:
    """One direction of a plot.

    Attributes:
        low, high: the figures at its ends, both round.
        ticks: round figures from `low` to `high`.
        start, end: where the ends are in the drawing; `end` may be the smaller.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return where a figure is, to a tenth; one beyond the ends is at the end."""
        part = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)


def axis(low: float, high: float, *, start: float, end: float, ticks: int = 5) -> Axis:
    """Return an axis with round ends that holds all from `low` to `high`.

    Args:
        low: the least figure; what is not finite counts as 0.
        high: the greatest, likewise.
        start: where the lower end is in the drawing.
        end: where the upper end is.
        ticks: about how many steps between ticks.
    """
    low = min(max(low, -_LARGEST), _LARGEST) if math.isfinite(low) else 0.0
    high = min(max(high, -_LARGEST), _LARGEST) if math.isfinite(high) else 0.0
    if high <= low:
        high = low + (abs(low) or 1.0)
    step = _step((high - low) / ticks)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    values = tuple(_clean(each * step) for each in range(first, last + 1))
    return Axis(values[0], values[-1], values, start, end)


def counting_axis(low: int, high: int, *, start: float, end: float) -> Axis:
    """Return an axis of whole numbers that ends where the figures end, with round ticks within."""
    high = max(high, low + 1)
    step = max(1, round(_step((high - low) / 5)))
    inside = range(-(-low // step) * step, high + 1, step)
    return Axis(low, high, tuple(float(each) for each in inside), start, end)


def _step(rough: float) -> float:
    """Return the round step next to a rough one, from 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return power * min(_STEPS, key=lambda each: abs(math.log(each * power / rough)))


def _clean(value: float) -> float:
    return float(f"{value:.12g}")
