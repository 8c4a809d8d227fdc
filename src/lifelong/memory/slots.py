"""Slots: where two frames differ in one place, and whether that place holds one value at a time.

"Rent is due on day 3" and "Rent is due on day 13" differ after their verb, in a number: one of
them is out of date. "Invoice 12 is due" and "Invoice 13 is due" differ before it: two invoices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from lifelong.memory.attribute_words import (
    CHOSEN,
    CONNECTED_BY,
    FUNCTIONAL,
    FUNCTIONAL_HAN,
    HOLDING_AMOUNTS,
    HOLDING_ANY,
    LARGE_PLACES,
    ONE_OF_A_KIND,
    PLACES,
    RECURRENT,
    STATES,
    UNITS,
    UNKNOWN_WORDS,
)
from lifelong.memory.frames import IS, MY, Frame, Item, key_of
from lifelong.memory.wording import is_han

SURE, UNSURE, NO = 2, 1, 0
"""Whether one value excludes the other."""

_VALUE_WORDS_MAX = 6
_NAME_WORDS_MAX = 3
_OBJECT_WORDS_MAX = 4
_CHOOSING_MAX = 3
_PERIODS = frozenset("this last next today yesterday tonight q1 q2 q3 q4".split())
"""What holds in one week need not be over in the next."""

_PHRASE_MAX = 3
_AFTER_A_VALUE = frozenset(
    "last this next ago with since because for after before until who which where and but so due"
    " as mit seit weil und con desde porque y".split()
)
_CALENDAR = frozenset().union(*UNITS.values())


def _as_keys(phrases: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(map(key_of, phrase)) for phrase in phrases)


_HOLDING_ANY = _as_keys(HOLDING_ANY)
_PLACES = _as_keys(PLACES)
_FUNCTIONAL = frozenset(map(key_of, FUNCTIONAL))
_ONE_OF_A_KIND = frozenset(map(key_of, ONE_OF_A_KIND))
_RECURRENT = frozenset(map(key_of, RECURRENT))
_AMOUNT_VERBS = frozenset(map(key_of, HOLDING_AMOUNTS))
_CHOSEN = frozenset(map(key_of, CHOSEN))
_LARGE_PLACES = frozenset(map(key_of, LARGE_PLACES))


class Slot(NamedTuple):
    """What differs between two frames, and how sure one value excludes the other."""

    new: tuple[Item, ...]
    old: tuple[Item, ...]
    certainty: int
    attribute: str


@dataclass(frozen=True, slots=True)
class _Difference:
    """Two frames that are alike before and after one place."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    new: tuple[Item, ...]
    old: tuple[Item, ...]
    is_changed: bool
    is_past: bool

    @property
    def subject(self) -> tuple[str, ...]:
        """The words before "is", where there is one."""
        return self.before[: _last(self.before, IS)] if IS in self.before else self.before[:1]


def find_slot(new: Frame, old: Frame) -> Slot | None:
    """Return where two affirmed frames differ, or None if not in one value after a verb."""
    place = _place(new, old)
    if place is not None:
        return place
    found = _difference(new, old)
    if found is None or not found.before or found.before[0] in (IS, "?"):
        return None
    certainty, attribute = _judged(found)
    if certainty and not UNKNOWN_WORDS.isdisjoint(found.subject):
        certainty = UNSURE
    return Slot(found.new, found.old, certainty, attribute) if certainty else None


def _difference(new: Frame, old: Frame) -> _Difference | None:
    a, b = new.keys, old.keys
    most = min(len(a), len(b))
    start = next((at for at in range(most) if a[at] != b[at]), most)
    tail = 0
    while tail < most - start and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    newer = _value(new.items[start : len(a) - tail], a[start - 1 : start])
    older = _value(old.items[start : len(b) - tail], b[start - 1 : start])
    if not newer or not older or not start:
        return None
    return _Difference(
        a[:start],
        a[len(a) - tail :],
        newer,
        older,
        "changed" in new.marks,
        new.is_past or old.is_past,
    )


def _value(items: tuple[Item, ...], before: Sequence[str]) -> tuple[Item, ...]:
    """Return the words of a value without what only leads to it; nothing if it is no value."""
    if tuple(before) == (IS,):
        while len(items) > 1 and items[0].key in CONNECTED_BY:
            items = items[1:]
    ends = (at for at, item in enumerate(items) if at and _ends(items[at - 1], item))
    end = next(ends, len(items))
    value = items[:end]
    if len(value) > _VALUE_WORDS_MAX or any(item.key in (IS, "?") for item in value):
        return ()
    return value


def _ends(before: Item, item: Item) -> bool:
    return bool(before.word.pause) or item.key in _AFTER_A_VALUE


def _judged(found: _Difference) -> tuple[int, str]:
    """Return how sure it is that one value excludes the other, and why."""
    if _is_amount(found.new) and _is_amount(found.old):
        if _units(found.new) != _units(found.old) or _numbers(found.new) == _numbers(found.old):
            return NO, ""
        return _judged_amounts(found)
    if found.before[-1] == IS or _is_placed(found.before):
        named = _judged_names(found)
        if named[0]:
            return named
    if found.is_past and not found.is_changed:
        return NO, ""
    return _judged_objects(found)


def _judged_objects(found: _Difference) -> tuple[int, str]:
    """Judge what somebody does something with: by the verb right before it."""
    phrase = _phrase_at_end(found.before, _HOLDING_ANY)
    if phrase:
        is_place = phrase in _PLACES
        return (_sure_of_places(found.new, found.old) if is_place else SURE), " ".join(phrase)
    if found.is_changed and len(found.before) <= _CHOOSING_MAX and found.before[-1] in _CHOSEN:
        return SURE, found.before[-1]
    return NO, ""


def _is_placed(before: Sequence[str]) -> bool:
    return len(before) > 1 and before[-2] == IS and before[-1] in CONNECTED_BY


def _judged_amounts(found: _Difference) -> tuple[int, str]:
    """Judge two amounts of one unit: by the last verb before them, if it is near."""
    verb = _amount_verb(found.before)
    if found.is_past and not (found.is_changed and verb):
        return NO, ""
    if verb and len(found.before) - verb <= _OBJECT_WORDS_MAX:
        if not _PERIODS.isdisjoint(found.before + found.after):
            return UNSURE, "of a period"
        if not found.is_changed and _is_date_of_one_of_many(found, verb):
            return UNSURE, "date"
        return SURE, "amount" if found.before[verb] == IS else found.before[verb]
    if _is_functional(found.before):
        return SURE, "amount"
    return (UNSURE, "amount") if len(found.before) > 1 else (NO, "")


def _amount_verb(before: Sequence[str]) -> int:
    """Return where the last verb is whose amount is one at a time; 0 for none."""
    verbs = (at for at, key in enumerate(before) if key == IS or key in _AMOUNT_VERBS)
    return max(verbs, default=0)


def _is_date_of_one_of_many(found: _Difference, verb: int) -> bool:
    is_dated = any(item.key in _CALENDAR for item in found.new)
    return is_dated and not _RECURRENT.isdisjoint(found.before[:verb])


def _judged_names(found: _Difference) -> tuple[int, str]:
    """Judge what something is: its attribute, its state, its place."""
    subject = found.before[: _last(found.before, IS)]
    if any(not {item.key for item in found.new}.isdisjoint(group) for group in _groups(found.old)):
        return SURE, "state"
    if _is_functional(subject) or (found.is_changed and _is_thing(subject)):
        is_short = max(len(found.new), len(found.old)) <= _NAME_WORDS_MAX
        return (SURE if is_short else UNSURE), subject[-1]
    if found.before[-1] in ("in", "at", "en", "在"):
        return _sure_of_places(found.new, found.old), "place"
    return NO, ""


def _groups(items: Sequence[Item]) -> list[frozenset[str]]:
    """Return the states that exclude what a value says."""
    if len(items) != 1:
        return []
    return [group - {items[0].key} for group in STATES if items[0].word.plain in group]


def _is_functional(subject: Sequence[str]) -> bool:
    """Tell whether a noun phrase names an attribute: "phone number", "favorite color"."""
    if not subject:
        return False
    if is_han(subject[-1]):
        joined = "".join(subject)
        return any(name in joined for name in FUNCTIONAL_HAN)
    heads = [at for at, key in enumerate(subject) if key in _FUNCTIONAL]
    is_head = any(at == len(subject) - 1 or subject[at + 1] in CONNECTED_BY for at in heads)
    return is_head or not _ONE_OF_A_KIND.isdisjoint(subject)


def _is_thing(subject: Sequence[str]) -> bool:
    """Tell whether a subject is somebody's or something's attribute rather than a person."""
    return len(subject) > 1 and (subject[0] == MY or any("'s" in key for key in subject))


def _sure_of_places(new: Sequence[Item], old: Sequence[Item]) -> int:
    """Return whether two places exclude each other: two names, neither of them around the other."""
    keys, others = {item.key for item in new}, {item.key for item in old}
    if not keys.isdisjoint(others):
        return NO
    if _LARGE_PLACES.isdisjoint(keys) != _LARGE_PLACES.isdisjoint(others):
        return NO
    return SURE if _is_name(new) and _is_name(old) else UNSURE


def _is_name(items: Sequence[Item]) -> bool:
    return all(is_han(item.key) or item.word.is_capital for item in items)


def _place(new: Frame, old: Frame) -> Slot | None:
    """Return where somebody lives by two different verbs: "lives in", "moved to"."""
    if "changed" not in new.marks | old.marks:
        return None
    newer, older = _placed(new), _placed(old)
    if newer is None or older is None or newer[0] != older[0] or newer[2] == older[2]:
        return None
    certainty = _sure_of_places(newer[1], older[1])
    if _is_amount(newer[1]) or _is_amount(older[1]) or not certainty:
        return None
    if not UNKNOWN_WORDS.isdisjoint(newer[0]):
        certainty = UNSURE
    return Slot(newer[1], older[1], certainty, "place")


def _placed(frame: Frame) -> tuple[tuple[str, ...], tuple[Item, ...], bool] | None:
    """Return who is placed, where, and whether by a move."""
    keys = frame.keys
    for at in range(len(keys)):
        for size in range(_PHRASE_MAX, 0, -1):
            if keys[at : at + size] in _PLACES:
                value = _value(frame.items[at + size :], ())
                return (keys[:at], value, False) if value else None
    if IS in keys and "changed" in frame.marks:
        at = keys.index(IS)
        value = _value(frame.items[at + 1 :], (IS,))
        return (keys[:at], value, True) if value else None
    return None


def _phrase_at_end(keys: Sequence[str], phrases: AbstractSet[tuple[str, ...]]) -> tuple[str, ...]:
    for size in range(_PHRASE_MAX, 0, -1):
        if len(keys) > size - (keys[0] != IS) and tuple(keys[-size:]) in phrases:
            return tuple(keys[-size:])
    return ()


def _is_amount(items: Sequence[Item]) -> bool:
    """Tell whether a value has a number or a day in it."""
    return any(_is_number(item.key) or item.key in _CALENDAR for item in items)


def _is_number(key: str) -> bool:
    return any(map(str.isdigit, key)) or key in _HAN_NUMBERS or key in _POWERS


_HAN_NUMBERS = frozenset("一二两三四五六七八九十百千万")


def _numbers(items: Sequence[Item]) -> list[str]:
    return [item.key.lstrip("v") for item in items if _is_number(item.key)] + [
        item.key for item in items if item.key in _CALENDAR
    ]


def _units(items: Sequence[Item]) -> list[str]:
    """Return the words of an amount that are no number; days and months are alike."""
    return [
        item.key
        for item in items
        if not _is_number(item.key) and item.key not in _CALENDAR and item.key not in CONNECTED_BY
    ]


_POWERS = frozenset(("k", "m", "million", "thousand"))


def _last(keys: Sequence[str], key: str) -> int:
    return max(at for at, each in enumerate(keys) if each == key)
