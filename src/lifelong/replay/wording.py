"""Figures in words: numbers with separators, shares, money, and other people's text made visible.

Terminal and page say the same thing in the same way, so both take it from here.
"""

from __future__ import annotations

import math
import re

NOTHING = "–"
"""Where a figure would stand that there is not."""

NAME_MAX = 48
"""Characters of a name in a table or a legend, at most."""

TEXT_MAX = 400
"""Characters of a quotation or a problem, at most."""

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What is obeyed, or not seen: controls, what turns the direction, joiners, variation selectors,
fillers, tags, halves of surrogates, and what no character is."""

_SPACE = re.compile("[ \\t\\r\\n]+")

_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_STACKED = re.compile(f"({_MARKS}{{3}}){_MARKS}+")
"""More marks on one letter than any script has: they would be drawn over what stands around."""


def visible(text: str) -> str:
    """Return a text on one line, with what is hidden or obeyed spelt out: ``⟨U+202E⟩``."""
    one_line = _SPACE.sub(" ", text).strip(" ")
    return _STACKED.sub(r"\1", _HIDDEN.sub(_spelt, one_line))


def named(text: str, most: int = NAME_MAX) -> str:
    """Return a name, visible and at most `most` characters long: names differ at both ends."""
    shown = visible(text)
    ends = most // 3
    return shown if len(shown) <= most else f"{shown[: most - ends - 1]}…{shown[-ends:]}"


def told(text: str, most: int = TEXT_MAX) -> str:
    """Return words, visible and at most `most` characters long."""
    shown = visible(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def _spelt(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match[0]):04X}⟩"


def number(value: float | None) -> str:
    """Return a number with separators of thousands: ``1,204``, ``0.25``."""
    if isinstance(value, int):
        return f"{value:,}"
    if value is None or not math.isfinite(value):
        return NOTHING
    if value == round(value):
        return f"{round(value):,}"
    return f"{value:,.2f}" if abs(value) >= 0.1 else f"{value:.2g}"


def short(value: float) -> str:
    """Return a number for an axis, where a million is ``1M``."""
    for size, unit in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return f"{value / size:,.4g}{unit}" if value < 1e19 else f"{value:.2g}"
    return f"{round(value):,}" if value == round(value) else f"{value:.6g}"


def share(value: float | None) -> str:
    """Return a share of one in percent; all and nothing only when it is exactly that."""
    if value is None or not math.isfinite(value):
        return NOTHING
    if 0 < value < 1:
        value = min(max(value, 0.001), 0.999)
    return f"{value * 100:,.1f} %"


def percent(value: float) -> str:
    """Return a round share, such as a goal, without a decimal that says nothing."""
    return f"{value * 100:g} %"


def money(value: float | None, currency: str) -> str:
    """Return an amount: two decimals, and four below one, in its currency."""
    if value is None or not math.isfinite(value):
        return NOTHING
    amount = f"{value:,.2f}" if abs(value) >= 1 or value == 0 else f"{value:.4f}"
    return f"{amount} {named(currency, 12)}".strip()


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: ``1 request``, ``1,204 requests``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def way_name(policy: str, window_tokens: int) -> str:
    """Return the name of a way: ``clear+trim at 16,384``."""
    return f"{named(policy)} at {window_tokens:,}"
