"""The patterns of each language, read from the TOML file beside this one and compiled once.

A file has `[words]`, pieces of patterns that others name as ``<<piece>>``; guards, which keep a
sentence from being taken; `[dates]`; and `[[rule]]`, each with what it makes of a match. Another
language is another file, and its name in `LANGUAGES`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = ("en", "de", "es", "fr", "zh")

_PIECE = re.compile(r"<<(\w+)>>")
_NOWHERE = "(?!)"

_Pattern = str | Sequence[str]
"""Of a file: one pattern, or a list of which any may match."""

_Compile = Callable[[_Pattern], re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of sentence that is worth keeping.

    Attributes:
        name: what proposals are made by, with the language.
        patterns: one of them matches at the beginning of a clause.
        kind, importance, key: of the memory; see `lifelong.writing.Proposal`.
        is_standing: whether it must hold beyond this one request, and say of what by itself.
        takes_condition: whether a clause with a condition before it belongs to it.
        is_explicit: whether the rest of the clause is kept whatever it says.
        dates: ``from`` or ``to`` if it must name a day, which is when it begins or ends.
    """

    name: str
    patterns: tuple[re.Pattern[str], ...]
    kind: str
    importance: int
    key: str | None = None
    is_standing: bool = False
    takes_condition: bool = False
    is_explicit: bool = False
    dates: str = ""

    def match(self, text: str, start: int, end: int) -> re.Match[str] | None:
        """Return how the first pattern that fits matches `text` from `start` on, before `end`."""
        tried = (pattern.match(text, start, end) for pattern in self.patterns)
        return next((match for match in tried if match), None)


@dataclass(frozen=True, slots=True)
class Dates:
    """How a language names days.

    Attributes:
        absolute: with the groups ``month``, ``day`` and perhaps ``year``; None where
            `memory.timephrase` reads the language.
        months: the number of each name in lower case.
        ahead: words, with how many days ahead of the message they are.
        ahead_words: matches any of them.
        weekdays: 0 for each name of Monday, and so on.
        weekday: with the group ``weekday``, where it is the next one.
    """

    absolute: re.Pattern[str] | None
    months: Mapping[str, int]
    ahead: Mapping[str, int]
    ahead_words: re.Pattern[str]
    weekdays: Mapping[str, int]
    weekday: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of one language.

    Attributes:
        code: of the language.
        speaks: found in every sentence that a rule may match.
        boundary: ends one clause and begins the next.
        opener: at the beginning of a clause, says nothing.
        corrects: an opener that says that something was wrong.
        asks: how a question begins.
        condition: how a condition begins.
        unreal: a condition or a wish that is not so.
        reported: before a clause, says that somebody else said it.
        one_off: says that it holds for this once.
        trailing: at the end of a clause, says nothing.
        dangling: an object that only another sentence explains.
        fiction: makes all of a message a game or a tale.
        play_starts, play_ends: between them, everything is a game.
        pasted: ends where something pasted begins.
        abbreviation: ends with a full stop that ends no sentence.
        dates: how days are named.
        rules: in the order in which they are tried.
    """

    code: str
    speaks: re.Pattern[str]
    boundary: re.Pattern[str]
    opener: re.Pattern[str]
    corrects: re.Pattern[str]
    asks: re.Pattern[str]
    condition: re.Pattern[str]
    unreal: re.Pattern[str]
    reported: re.Pattern[str]
    one_off: re.Pattern[str]
    trailing: re.Pattern[str]
    dangling: re.Pattern[str]
    fiction: re.Pattern[str]
    play_starts: re.Pattern[str]
    play_ends: re.Pattern[str]
    pasted: re.Pattern[str]
    abbreviation: re.Pattern[str]
    dates: Dates
    rules: tuple[Rule, ...]


@cache
def languages() -> tuple[Language, ...]:
    """Return every language that there are patterns for."""
    return tuple(map(_read, LANGUAGES))


def _read(code: str) -> Language:
    text = files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")
    return parsed(code, tomllib.loads(text))


def parsed(code: str, given: Mapping[str, Any]) -> Language:
    """Return the language that a file describes; a guard that it lacks never matches."""
    words: dict[str, str] = {}
    for name, pattern in given["words"].items():
        words[name] = _filled(pattern, words)

    def compiled(pattern: _Pattern) -> re.Pattern[str]:
        return re.compile(_filled(pattern, words), re.IGNORECASE)

    guards = {
        name: compiled(given["guards"].get(name, _NOWHERE))
        for name in Language.__slots__
        if name not in ("code", "dates", "rules")
    }
    return Language(
        code=code,
        dates=_dates(given["dates"], compiled),
        rules=tuple(_rule(code, rule, compiled) for rule in given["rule"]),
        **guards,
    )


def _filled(pattern: _Pattern, words: Mapping[str, str]) -> str:
    if not isinstance(pattern, str):
        pattern = "|".join(pattern)
    return _PIECE.sub(lambda match: f"(?:{words[match[1]]})", pattern)


def _rule(code: str, given: Mapping[str, Any], compiled: _Compile) -> Rule:
    return Rule(
        name=f"rule:{code}/{given['name']}",
        patterns=tuple(map(compiled, given["patterns"])),
        kind=given["kind"],
        importance=given["importance"],
        key=given.get("key"),
        is_standing=given.get("is_standing", False),
        takes_condition=given.get("takes_condition", False),
        is_explicit=given.get("is_explicit", False),
        dates=given.get("dates", ""),
    )


def _dates(given: Mapping[str, Any], compiled: _Compile) -> Dates:
    months = {
        name: number for number, names in enumerate(given["months"], 1) for name in names.split()
    }
    weekdays = {
        name: number for number, names in enumerate(given["weekdays"]) for name in names.split()
    }
    absolute = given.get("absolute")
    return Dates(
        absolute=absolute and compiled(_with_names(absolute, months, weekdays)),
        months=months,
        ahead=given["ahead"],
        ahead_words=compiled(given["around"].replace("<<names>>", _any_of(given["ahead"]))),
        weekdays=weekdays,
        weekday=compiled(_with_names(given["weekday"], months, weekdays)),
    )


def _with_names(pattern: str, months: Mapping[str, int], weekdays: Mapping[str, int]) -> str:
    return pattern.replace("<<months>>", _any_of(months)).replace("<<weekdays>>", _any_of(weekdays))


def _any_of(names: Mapping[str, int]) -> str:
    # The longest first, since "may" begins "mayo".
    return "(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + ")"
