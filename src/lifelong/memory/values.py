"""Values in a text: amounts, dates, times, versions, counted things, and what each is a value of.

Two statements about one thing that differ do so in a value. A value is compared by what it means
("thirty" is 30, "3 PM" is 15:00), shown as it was written, and knows the words around it, so that
a budget is not held against a price. English words, by patterns; quoted code holds no statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile

from lifelong.memory.languages import STOP_WORDS

MONEY, PERCENT, CLOCK, DATE, WEEKDAY, VERSION, COUNT = KINDS = (
    "money",
    "percent",
    "clock",
    "date",
    "weekday",
    "version",
    "count",
)

CONTEXT_WORDS = 9
"""How many words on each side of a value, in its sentence, tell what it is a value of."""

_MONTHS = (
    "january february march april may june july august september october november december".split()
)
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH_NUMBER = {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty".split()
)
_NUMBER_WORDS = {name: number for number, name in enumerate(_SMALL)} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_TIMES = {"k": 3, "thousand": 3, "m": 6, "million": 6, "bn": 9, "billion": 9}
"""Powers of ten."""

_MONTH = rf"(?:{'|'.join([*_MONTHS, *_MONTH_NUMBER, 'sept'])})\b\.?"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_WORD_NUMBER = rf"(?:{'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))})"
_POWER = rf"(?:{'|'.join(_TIMES)})"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_VALUE = re.compile(
    rf"""
    (?P<money> [$€£¥]\s?{_NUMBER}(?:\s?{_POWER}\b)?
             | \b{_NUMBER}\s?(?:{_POWER}\s)?(?:dollars?|euros?|pounds?|usd|eur|gbp)\b )
  | (?P<percent> (?<![\w.]){_NUMBER}\s?(?:%|percent\b|per\ cent\b) )
  | (?P<clock> \b\d{{1,2}}(?::\d\d)?\s?(?:am|pm|a\.m\.|p\.m\.)(?!\w) | \b\d{{1,2}}:\d\d\b(?!:) )
  | (?P<date> \b\d{{4}}-\d\d?-\d\d?\b
            | \b{_MONTH}\ {_DAY}\b(?:,?\ \d{{4}}\b)?
            | \b{_DAY}(?:\ of)?\ {_MONTH}(?:,?\ \d{{4}}\b)? )
  | (?P<weekday> \b(?:{"|".join(_WEEKDAYS)})s?\b )
  | (?P<version> \bv\d+(?:\.\d+)*\b | \b\d+\.\d+\.\d+(?:\.\d+)*\b )
  | (?P<count> (?<![\w.]){_NUMBER}(?:\s?-\s?{_NUMBER})?(?=[\s-]?[a-z])
             | \b{_WORD_NUMBER}(?:[-\ ]{_WORD_NUMBER})?\b(?=[\s-][a-z]) )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_WITHOUT_DIGITS = frozenset([*_NUMBER_WORDS, *_WEEKDAYS, *(f"{day}s" for day in _WEEKDAYS)])
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_WORD = re.compile(r"[a-z0-9][a-z0-9'+#-]*", re.IGNORECASE)
_AGE = re.compile(r"[\s-]?(?:(?:year|month|week|day|hour)s?)?[\s-]?(?:ago|old)\b", re.IGNORECASE)
"""How old a thing is grows by itself, and two ages are mostly those of two beings."""

_NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[,.!?;:]|\b(?:so|but|and i|which|because|although|though|can you|how can)\b", re.IGNORECASE
)
_DENIED_WORDS, _DENIED_WORDS_SHOWN = 14, 6
_UNIT = re.compile(r"[\s-]?[a-z][^\s]*(?: [a-z][^\s]*){0,3}", re.IGNORECASE)
_MARK = re.compile(r"[,.;:!?()]")
_NUMBERS = re.compile(_NUMBER)
_AMOUNT = re.compile(rf"(?P<number>{_NUMBER})(?:\s?(?P<times>{_POWER})\b)?")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)")
_NOON = 12
_SUFFIXES = ("ations", "ation", "ings", "ing", "ies", "ied", "edly", "ed", "es", "s", "ly", "e")
_STEM_LETTERS_MIN = 3
_SAYING_NOTHING = STOP_WORDS.union(
    "about around over under per more less than up been being just only some any also can could"
    " should would might must so then now got get make making planning plan next last ago help sure"
    " want need trying am pm im ive i'm i've i'd i'll don't can't it's that's".split(),
    _MONTHS,
    _WEEKDAYS,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value in a text.

    Attributes:
        kind: one of `KINDS`.
        meaning: equal for two ways to write one value.
        shown: as it was written, with its unit.
        unit: stems of what is counted; empty for other kinds.
        context: stems of the words around it.
        named: the stem of the word before it, which says what has that version.
    """

    kind: str
    meaning: str
    shown: str
    unit: frozenset[str]
    context: frozenset[str]
    named: str


@dataclass(frozen=True, slots=True)
class Denial:
    """That something never was.

    Attributes:
        shown: "never" and the words after it.
        context: stems of the words after it, in its clause.
    """

    shown: str
    context: frozenset[str]


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text, without its blocks of code."""
    return [one for one in _SENTENCE_END.split(_CODE.sub(" \n ", text)) if one.strip()]


def stems(text: str) -> list[str]:
    """Return what is left of the words that say something, without their endings."""
    return [_stem(word) for word in _words(text) if word not in _SAYING_NOTHING]


def values(text: str) -> list[Value]:
    """Return the values that a text states, in order."""
    if not _may_have_values(text):
        return []
    return [value for sentence in sentences(text) for value in _in_sentence(sentence)]


def denials(text: str) -> list[Denial]:
    """Return what a text says never to have been, in order."""
    found: list[Denial] = []
    if not _NEVER.search(text):
        return found
    for sentence in sentences(text):
        for match in _NEVER.finditer(sentence):
            clause = _CLAUSE_END.split(sentence[match.end() :], maxsplit=1)[0].split()
            shown = " ".join(["never", *clause[:_DENIED_WORDS_SHOWN]])
            found.append(Denial(shown, frozenset(stems(" ".join(clause[:_DENIED_WORDS])))))
    return found


def _in_sentence(sentence: str) -> Iterator[Value]:
    if not _may_have_values(sentence):
        return
    for match in _VALUE.finditer(sentence):
        kind = match.lastgroup or COUNT
        unit = _unit(sentence[match.end() :]) if kind == COUNT else ""
        if kind == COUNT and not _counts(sentence, match, unit):
            continue
        before = _words(sentence[: match.start()])[-CONTEXT_WORDS:]
        after = _words(sentence[match.end() :])[:CONTEXT_WORDS]
        around = [word for word in before + after if not word[0].isdigit()]
        yield Value(
            kind,
            _MEANING[kind](match[0].lower().strip()),
            f"{match[0]}{unit}".strip(),
            frozenset(stems(unit)),
            frozenset(stems(" ".join(around))),
            _stem(before[-1]) if before else "",
        )


def _may_have_values(text: str) -> bool:
    """Tell whether a look for values is worth it: most texts have neither digit nor such a word."""
    return _DIGIT.search(text) is not None or not _WITHOUT_DIGITS.isdisjoint(
        _words(text.replace("-", " "))
    )


def _counts(sentence: str, match: re.Match[str], unit: str) -> bool:
    """Tell whether a number counts something: "one" may be a pronoun, and ages do not."""
    is_pronoun = match[0].lower() == "one"
    return not is_pronoun and bool(stems(unit)) and not _AGE.match(sentence, match.end())


def _unit(rest: str) -> str:
    """Return the words right after a number that name what it counts."""
    found = _UNIT.match(rest)
    phrase = _MARK.split(found[0], maxsplit=1)[0] if found else ""
    return " ".join(takewhile(_names_something, phrase.split(" ")))


def _names_something(word: str) -> bool:
    return word.strip("-").lower() not in _SAYING_NOTHING


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _stem(word: str) -> str:
    """Return a word without its ending, so that two forms of it are mostly one."""
    word = word.replace("'s", "").strip("'-")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _STEM_LETTERS_MIN:
            word = word[: -len(suffix)]
            break
    if len(word) > _STEM_LETTERS_MIN and word[-1] == word[-2]:
        word = word[:-1]
    return word[:-1] if len(word) > _STEM_LETTERS_MIN and word.endswith("y") else word


def _amount(text: str) -> str:
    found = _AMOUNT.search(text)
    if found is None:
        return text
    power = _TIMES.get(found["times"] or "", 0)
    return f"{float(found['number'].replace(',', '')) * 10**power:.15g}"


def _counted(text: str) -> str:
    if text[0].isdigit():
        return "-".join(_amount(number) for number in _NUMBERS.findall(text))
    return str(sum(_NUMBER_WORDS[word] for word in re.split(r"[-\s]", text)))


def _time_of_day(text: str) -> str:
    hour, minute = ([int(number) for number in re.findall(r"\d+", text)] + [0])[:2]
    if "p" in text and hour < _NOON:
        hour += _NOON
    elif "a" in text and hour == _NOON:
        hour = 0
    return f"{hour}:{minute:02d}"


def _day(text: str) -> str:
    """Return month and day; the year is mostly left out, and then the same."""
    numbers = re.findall(r"\d+", text)
    month = re.search("[a-z]{3}", _ORDINAL.sub("", text))
    if month is None:
        return f"{int(numbers[1])}/{int(numbers[2])}"
    return f"{_MONTH_NUMBER[month[0]]}/{int(min(numbers, key=len))}"


_MEANING: Mapping[str, Callable[[str], str]] = {
    MONEY: _amount,
    PERCENT: _amount,
    CLOCK: _time_of_day,
    DATE: _day,
    WEEKDAY: lambda text: text.rstrip("s"),
    VERSION: lambda text: text.lstrip("v"),
    COUNT: _counted,
}
