"""The day that a plan names, counted from the day on which it was told.

A plan lies ahead: "March 3" is the next one. A day that was over when it was told is none.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from lifelong.memory.phrases.patterns import Dates
from lifelong.memory.timephrase import NamedDate, named_dates

_YEARS_AHEAD_MAX = 8
"""February 29 comes again after eight years at the latest."""


def day_ahead(text: str, dates: Dates, said: date) -> date | None:
    """Return the first day that `text` names, if it is `said` or later."""
    for named in _named(text, dates):
        day = _resolved(named, said)
        if day is not None:
            return day
    ahead = dates.ahead_words.search(text)
    if ahead:
        return _later(said, dates.ahead[ahead[1].casefold()])
    weekday = dates.weekday.search(text)
    if weekday:
        number = dates.weekdays[weekday["weekday"].casefold()]
        return _later(said, (number - said.weekday() - 1) % 7 + 1)
    return None


def start_of(day: date, said: datetime) -> datetime:
    """Return when a day begins where the message was sent."""
    return datetime.combine(day, time.min, said.tzinfo)


def _named(text: str, dates: Dates) -> list[NamedDate]:
    found = named_dates(text)
    if dates.absolute is not None:
        found += [_of_groups(match, dates) for match in dates.absolute.finditer(text)]
    return [named for named in found if named.month and named.day]


def _of_groups(match: re.Match[str], dates: Dates) -> NamedDate:
    month = match["month"].casefold()
    number = int(month) if month.isdigit() else dates.months[month]
    return NamedDate(int(match["year"] or 0), number, int(match["day"]))


def _resolved(named: NamedDate, said: date) -> date | None:
    years = [named.year] if named.year else range(said.year, said.year + _YEARS_AHEAD_MAX + 1)
    for year in years:
        try:
            day = date(year, named.month, named.day)
        except ValueError:
            continue
        if day >= said:
            return day
    return None


def _later(said: date, days: int) -> date | None:
    try:
        return said + timedelta(days=days)
    except OverflowError:
        return None
