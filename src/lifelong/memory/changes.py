"""Changes: what a statement in free words says to have another value than before.

"The meeting with Danielle was moved to 4:30 PM" replaces "Scheduled a meeting with Danielle at
3 PM": the words that tell what was changed are in the older one too, beside a value of that kind.
English, since values are read in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lifelong.memory.attribute_words import CHANGE_VERBS, UNITS
from lifelong.memory.statements import Statement
from lifelong.memory.values import CLOCK, COUNT, DATE, VERSION, WEEKDAY, Value, stems, values

_VERBS = "|".join(sorted(CHANGE_VERBS - {"went", "cut", "set", "corrected"}))
_CHANGE = re.compile(
    rf"\b(?:(?:{_VERBS})\b(?P<object>[^.;!?,]{{0,80}}?)\b(?:to|until)\b"
    r"|now\b(?:\s+(?:includes?|contains?|has|have|is|are|at|averaging|averages|totals?|for|a|of"
    r"|stands|total|around|about)\b){1,3}"
    r"|(?:has|have)\s+(?:now\s+)?reached\b)\s+(?P<value>[^;!?]{1,40})",
    re.IGNORECASE,
)
_RENEWED = re.compile(
    r"\b(?:increased|updated|revised|new|extended|reduced|raised|lowered)\s+(?P<object>[^.;!?,]{3,60}?)"
    r"\s(?:of|is)\s+(?P<value>[^;!?]{1,40})",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;!?]|,|\b(?:and|but|so|because|considering|since|although|while)\b")
_VERB_STEMS = frozenset(stems(" ".join(CHANGE_VERBS))) | frozenset(
    stems("recently slightly upcoming scheduled information update further additional improved")
)
_CALENDAR_STEMS = frozenset(stems(" ".join(UNITS["calendar"])))
_WORD = re.compile("[a-z]+")
_PERIOD = re.compile(r"\b(?:this|last|next) (?:day|week|month|quarter|year)\b", re.IGNORECASE)
_HEDGE = re.compile(
    r"^(?:(?:about|around|roughly|approximately|over|a total of|the) ){0,2}", re.IGNORECASE
)
_VALUES_AT_ONCE_MAX = 2
_BESIDE = 2
_PER_STEMS = frozenset(stems("daily weekly monthly yearly annual week month year"))
_SUBJECT_MIN, _SHARE_MIN = 2, 0.6
_IN_COMMON = {DATE: 4, WEEKDAY: 4}
_IN_COMMON_ELSE = 3
_CONFLICT_SHARE_MIN = 0.5
_DENIED_MIN, _DENIED_SHARE_MIN = 2, 0.5
_VALUES_MAX = 12


class Changed(NamedTuple):
    """Two values of one thing."""

    new: Value
    old: Value


def changed_value(new: Statement, old: Statement) -> Changed | None:
    """Return the value that `new` says to have been changed, and the one that `old` has for it.

    None where `old` has two values that it could be.
    """
    if not old.values or _is_of_a_period(new, old) or len(new.content & old.content) < _SUBJECT_MIN:
        return None
    for subject, months, value in _changes(new.text):
        if months and _months(old.text) and months.isdisjoint(_months(old.text)):
            continue
        before = _most_about(subject, list(_replaceable(new, old, value)), old)
        if before is not None and _is_about(subject, value, before, old):
            return Changed(value, before)
    return None


def _is_of_a_period(new: Statement, old: Statement) -> bool:
    """Tell whether both speak of "this week": of what holds in one, and need not be over."""
    return bool(_PERIOD.search(new.text) and _PERIOD.search(old.text))


def _months(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if word in UNITS["calendar"])


def _changes(text: str) -> Iterator[tuple[frozenset[str], frozenset[str], Value]]:
    """Yield stems for what was changed, the days and months in its name, and its new value."""
    for found in [*_CHANGE.finditer(text), *_RENEWED.finditer(text)]:
        clauses = [clause for clause in _CLAUSE.split(text[: found.start()]) if clause.strip()]
        named = [found.groupdict().get("object") or ""]
        subject = frozenset(stems(named[0])) - _VERB_STEMS
        for clause in reversed(clauses):
            if len(subject) >= _SUBJECT_MIN:
                break
            named.append(clause)
            subject |= frozenset(stems(clause)) - _VERB_STEMS
        stated = values(found["value"])[:_VALUES_AT_ONCE_MAX]
        if stated and _HEDGE.sub("", found["value"]).startswith(stated[0].shown):
            for value in stated:
                yield subject, _months(" ".join(named)), value


def _most_about(subject: frozenset[str], found: list[Value], old: Statement) -> Value | None:
    """Return the value with most of the subject around it; None when two are equally near."""
    if len(found) > 1 and found[0].kind in (DATE, WEEKDAY):
        return None
    scored = sorted(
        ((_nearness(subject, value, old.text), at) for at, value in enumerate(found)), reverse=True
    )
    if not scored or (len(scored) > 1 and scored[0][0] == scored[1][0]):
        return None
    return found[scored[0][1]]


def _nearness(subject: frozenset[str], value: Value, text: str) -> tuple[int, int]:
    """Return how much of the subject is around a value, and how much right beside it."""
    at = text.find(value.shown)
    before = " ".join(text[:at].split()[-_BESIDE:])
    after = " ".join(text[at + len(value.shown) :].split()[:_BESIDE])
    beside = frozenset(stems(f"{before} {value.shown} {after}"))
    return len(subject & (value.context | value.unit)), len(subject & beside)


def _replaceable(new: Statement, old: Statement, value: Value) -> Iterator[Value]:
    there = {(each.kind, each.meaning) for each in old.values}
    kept = {(each.kind, each.meaning) for each in new.values}
    if (value.kind, value.meaning) not in there:
        for each in old.values:
            if _is_comparable(each, value) and (each.kind, each.meaning) not in kept:
                yield each


def _is_comparable(one: Value, other: Value) -> bool:
    if one.kind != other.kind:
        return False
    if one.kind == COUNT:
        return bool((one.unit & other.unit) - _PER_STEMS)
    return one.kind != VERSION or one.named == other.named


def _is_about(subject: frozenset[str], value: Value, before: Value, old: Statement) -> bool:
    """Tell whether enough of what was changed is what the older value is of."""
    if not subject:
        return False
    near = subject & (before.context | before.unit)
    shared = len(subject & old.content) / len(subject)
    is_counted = value.kind == COUNT and bool((value.unit & before.unit) - _PER_STEMS)
    least = 1 if value.kind in (DATE, WEEKDAY, CLOCK) else _SHARE_MIN
    return shared >= least and len(near) >= _SUBJECT_MIN - is_counted


def conflicting_values(one: Statement, other: Statement) -> Changed | None:
    """Return two values of one kind in much the same words, or None."""
    own, others = ({(v.kind, v.meaning) for v in each.values} for each in (one, other))
    found: Changed | None = None
    most = 0
    for value in one.values[:_VALUES_MAX]:
        for before in other.values[:_VALUES_MAX]:
            is_shared = (value.kind, value.meaning) in others or (
                before.kind,
                before.meaning,
            ) in own
            common = 0 if is_shared else _in_common(value, before)
            if common > most:
                found, most = Changed(value, before), common
    return found


def _in_common(value: Value, before: Value) -> int:
    """Return how many words around two values are the same; none where too few are."""
    if not _is_comparable(value, before):
        return 0
    common = len((value.context & before.context) - _CALENDAR_STEMS)
    least = min(len(value.context), len(before.context)) * _CONFLICT_SHARE_MIN
    return common if common >= max(least, _IN_COMMON.get(value.kind, _IN_COMMON_ELSE)) else 0


def told_otherwise(denying: Statement, telling: Statement) -> str:
    """Return what the one says never to have been, if the other tells that it was; or nothing."""
    for denial in denying.denials:
        told = denial.context & telling.content
        enough = max(_DENIED_MIN, len(denial.context) * _DENIED_SHARE_MIN)
        if len(told) >= enough and not _denies_too(telling, denial.context):
            return denial.shown
    return ""


def _denies_too(statement: Statement, context: frozenset[str]) -> bool:
    return any(len(denial.context & context) > 1 for denial in statement.denials)
