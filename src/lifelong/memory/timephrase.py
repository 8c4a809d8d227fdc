"""Time in words: dates named in a question, questions that ask for a time, words of time.

English, by patterns; a question in another language simply has no date feature.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH_NUMBER = {name: number for number, name in enumerate(_MONTHS, 1)} | {
    name[:3]: number for number, name in enumerate(_MONTHS, 1)
}
_MONTH = r"(?:" + "|".join([*_MONTHS, *(m[:3] for m in _MONTHS), "sept"]) + r")\b\.?"
_MONTH_NUMBER["sept"] = 9

_ISO = re.compile(r"\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?\b")
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})(?:,? (\d{{4}}))?", re.IGNORECASE
)
_MONTH_DAY = re.compile(
    rf"\b({_MONTH})[ -](\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:(?:,|-)? ?(\d{{4}}))?", re.IGNORECASE
)
_MONTH_ALONE = re.compile(
    rf"(\b(?:in|of|since|during) )?\b({_MONTH})(?:,? (\d{{4}}))?", re.IGNORECASE
)
_YEAR = re.compile(r"\b(?:in|of|since|during|by|year) (\d{4})\b", re.IGNORECASE)

_ASKS_WHEN = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|year|time|day|month)\b"
    r"|\bhow (?:long|many (?:days|weeks|months|years|hours))\b",
    re.IGNORECASE,
)
_TEMPORAL_WORDS = frozenset(
    "yesterday today tonight tomorrow ago last next just recently since week weeks weekend month"
    " year monday tuesday wednesday thursday friday saturday sunday".split()
).union(_MONTHS)
_DIGIT = re.compile("[0-9]")
_COUNTED_OR_YEAR = re.compile(r"\b(?:[0-9]{4}|[0-9]+ (?:days?|weeks?|months?|years?|hours?))\b")
_AMBIGUOUS_MONTHS = ("may", "march", "mar")


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A date as far as a question names it; 0 for what it leaves open."""

    year: int = 0
    month: int = 0
    day: int = 0


def asks_when(question: str) -> bool:
    """Return whether the question wants a time or a length of time."""
    return _ASKS_WHEN.search(question) is not None


def has_temporal_word(folded: str, words: AbstractSet[str]) -> bool:
    """Return whether a text places something in time: "yesterday", "in 2023", "2 weeks ago".

    Args:
        folded: the text in lower case.
        words: the words of it.
    """
    if not _TEMPORAL_WORDS.isdisjoint(words):
        return True
    return _DIGIT.search(folded) is not None and _COUNTED_OR_YEAR.search(folded) is not None


def named_dates(question: str) -> list[NamedDate]:
    """Return the dates that the question names, most exact patterns first.

    "may" and "march" count as months only beside digits or after in, of, since, during.
    """
    found = [_from_groups(*match.groups()) for match in _ISO.finditer(question)]
    rest = _ISO.sub(" ", question)
    for match in _DAY_MONTH.finditer(rest):
        day, month, year = match.groups()
        found.append(_from_groups(year, month, day))
    rest = _DAY_MONTH.sub(" ", rest)
    for match in _MONTH_DAY.finditer(rest):
        month, day, year = match.groups()
        found.append(_from_groups(year, month, day))
    rest = _MONTH_DAY.sub(" ", rest)
    for match in _MONTH_ALONE.finditer(rest):
        before, month, year = match.groups()
        if before or year or month.casefold().rstrip(".") not in _AMBIGUOUS_MONTHS:
            found.append(_from_groups(year, month, None))
    rest = _MONTH_ALONE.sub(" ", rest)
    found.extend(_from_groups(match.group(1), None, None) for match in _YEAR.finditer(rest))
    return [named for named in found if named is not None]


def _from_groups(year: str | None, month: str | None, day: str | None) -> NamedDate | None:
    month_number = 0
    if month:
        name = month.casefold().rstrip(".")
        month_number = int(name) if name.isdigit() else _MONTH_NUMBER[name]
    day_number = int(day) if day else 0
    if month_number > len(_MONTHS) or day_number > 31:
        return None
    return NamedDate(int(year) if year else 0, month_number, day_number)


def date_match(named: Sequence[NamedDate], ordinal: int) -> float:
    """Return how well a day (`date.toordinal`, 0 when unknown) fits the dates, 0 to 1.

    Month (and year, if given) equal: .6, and up to .4 more by the distance in days, .1 a day;
    all of it if no day was named. Only the year named and equal: .4.
    """
    if not named or not ordinal:
        return 0.0
    day = date.fromordinal(ordinal)
    return max(_one_match(one, day) for one in named)


def _one_match(named: NamedDate, day: date) -> float:
    if named.year and named.year != day.year:
        return 0.0
    if not named.month:
        return 0.4
    if named.month != day.month:
        return 0.0
    if not named.day:
        return 1.0
    return 0.6 + max(0.0, 0.4 - 0.1 * abs(named.day - day.day))
