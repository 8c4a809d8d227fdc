"""Supersession: whether a new statement replaces an old one, contradicts it, or neither.

A wrong replacement costs more than a missed one, so that REPLACES needs one subject, one attribute
that holds one value at a time, and two values; or words that say of the old value that it is over.
What is about one thing and differs, but not surely so, is a CONFLICT, which a person may decide.
The older of two statements is whatever the caller says; only their words are judged here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final, Literal, NamedTuple

from lifelong.memory.attribute_words import CHANGE_VERBS, CHOSEN, FUNCTIONAL
from lifelong.memory.changes import changed_value, conflicting_values, told_otherwise
from lifelong.memory.frames import Frame, Item, key_of
from lifelong.memory.sameness import same_fact
from lifelong.memory.slots import SURE, find_slot
from lifelong.memory.statements import Statement, parse_statement
from lifelong.memory.terms import parse_query
from lifelong.memory.values import stems
from lifelong.memory.wording import Word

Kind = Literal["unrelated", "conflict", "replaces"]
UNRELATED: Final = "unrelated"
CONFLICT: Final = "conflict"
REPLACES: Final = "replaces"
KINDS: tuple[Kind, ...] = (UNRELATED, CONFLICT, REPLACES)

SEARCH_WORDS_MAX = 12
_GONE_BEFORE = frozenset(("of", "than"))
_GONE_ENDS = frozenset("to and but for in since because".split())
_SWITCHED = frozenset("switched changed moved migrated converted switching went".split())
_ANY_VERB = frozenset(map(key_of, CHOSEN))
_DENYING = frozenset(("denied", "ended"))
_CHANGE_WORDS = CHANGE_VERBS.union("now new no longer instead current currently anymore".split())
_PLACE_WORDS = ("live", "lives", "based", "moved", "located")
_PLACE_VERBS = frozenset((*_PLACE_WORDS, "relocated", "living", "reside", "resides"))


class Relation(NamedTuple):
    """What a new statement does to an old one.

    Attributes:
        kind: one of `KINDS`.
        older_value, newer_value: what differs, in their own words; empty when unrelated.
        reason: in a few words, for a person who reviews it.
    """

    kind: Kind
    older_value: str = ""
    newer_value: str = ""
    reason: str = ""


_NOTHING = Relation(UNRELATED)


def relation(new: str | Statement, old: str | Statement) -> Relation:
    """Return what `new` does to `old`; a statement that says the same is unrelated to it.

    REPLACES goes from the new to the old; CONFLICT is the same both ways.
    """
    newer = parse_statement(new) if isinstance(new, str) else new
    older = parse_statement(old) if isinstance(old, str) else old
    if not newer.is_short or not older.is_short or same_fact(newer, older):
        return _NOTHING
    for judge in (_by_denial, _by_slot, _by_naming_the_old, _by_change, _by_values):
        found = judge(newer, older)
        if found is not None:
            return _only_flagged(found) if _is_open(newer, older) else found
    return _NOTHING


def _is_open(new: Statement, old: Statement) -> bool:
    """Tell whether a question is among them, or more is told of than what would be over."""
    return not old.is_one_fact or "?" in new.plain or "?" in old.plain


def _only_flagged(found: Relation) -> Relation:
    return found._replace(kind=CONFLICT)


def search_words(text: str | Statement) -> tuple[str, ...]:
    """Return words of which any memory that `text` could repeat or contradict has at least one.

    Names first, then words of attributes, then the rest; values and words of change come last,
    since the older statement has another value. Where somebody lives is said in several words.
    """
    statement = parse_statement(text) if isinstance(text, str) else text
    query = parse_query(statement.text)
    words = [*query.words, *(form for each in query.prefixes for form in each.stems[:1])]
    names = _names(statement)
    ordered = sorted(
        dict.fromkeys(words),
        key=lambda word: (
            word in _CHANGE_WORDS or any(map(str.isdigit, word)),
            word not in names,
            word not in FUNCTIONAL,
        ),
    )
    found = dict.fromkeys(ordered[:SEARCH_WORDS_MAX])
    if statement.frame.marks and not _PLACE_VERBS.isdisjoint(words):
        found.update(dict.fromkeys(_PLACE_WORDS))
    return tuple(found)


def _names(statement: Statement) -> frozenset[str]:
    """Return the words that a capital marks, the first of the text included."""
    return frozenset(
        word.plain
        for word in statement.words
        if statement.text[word.start].isupper() and len(word.plain) > 1
    )


def _by_denial(new: Statement, old: Statement) -> Relation | None:
    """Judge two statements of which one denies just what the other says."""
    marks, others = new.frame.marks, old.frame.marks
    if _DENYING.isdisjoint(marks) == _DENYING.isdisjoint(others):
        return None
    if not _is_same_gist(new.frame, old.frame):
        return None
    if "ended" in marks:
        return Relation(REPLACES, old.text, new.text, "the new one says that it ended")
    if "changed" in marks and _DENYING.isdisjoint(marks):
        return Relation(REPLACES, old.text, new.text, "the new one says that it began")
    return Relation(CONFLICT, old.text, new.text, "one denies what the other says")


def _is_same_gist(one: Frame, other: Frame) -> bool:
    if one.keys == other.keys:
        return bool(one.keys)
    a, b = _gist(one), _gist(other)
    return a == b and len(a) > 1


def _gist(frame: Frame) -> list[str]:
    keys = frame.keys
    return stems(" ".join(keys)) if all(key.isascii() for key in keys) else list(keys)


def _by_slot(new: Statement, old: Statement) -> Relation | None:
    """Judge two statements that differ in one value, or by where somebody lives."""
    frame, other = new.frame, old.frame
    if not _DENYING.isdisjoint(frame.marks | other.marks) or "added" in frame.marks | other.marks:
        return None
    slot = find_slot(frame, other)
    if slot is None:
        return None
    older, newer = old.shown(_words(slot.old)), new.shown(_words(slot.new))
    if slot.certainty == SURE:
        return Relation(REPLACES, older, newer, f"one value at a time: {slot.attribute}")
    return Relation(CONFLICT, older, newer, f"may both hold: {slot.attribute}")


def _words(items: Sequence[Item]) -> tuple[Word, ...]:
    return tuple(item.word for item in items)


def _by_naming_the_old(new: Statement, old: Statement) -> Relation | None:
    """Judge a statement that says what its value was before: "tea instead of coffee"."""
    frame, other = new.frame, old.frame
    gone = _gone(new)
    is_affirmed = _DENYING.isdisjoint(other.marks) and "added" not in frame.marks
    if not gone or not is_affirmed or other.is_past or other.keys[:1] != frame.keys[:1]:
        return None
    kept = set(other.keys) - gone - _ANY_VERB
    if gone.isdisjoint(other.keys) or not kept <= set(frame.keys):
        return None
    over = tuple(item.word for item in other.items if item.key in gone)
    return Relation(REPLACES, old.shown(over), new.text, "the new one names the old value as over")


def _gone(new: Statement) -> frozenset[str]:
    """Return what a statement says to be over: after "instead of", or between "from" and "to"."""
    words = [word.plain for word in new.words]
    found: set[str] = set()
    for at, word in enumerate(words):
        is_instead = word in _GONE_BEFORE and words[at - 1 : at] in (["instead"], ["rather"])
        is_from = word == "from" and at and words[at - 1] in _SWITCHED
        if is_instead or is_from:
            until = takewhile(lambda each: each not in _GONE_ENDS, words[at + 1 : at + 6])
            found.update(map(key_of, until))
    return frozenset(found)


def _by_change(new: Statement, old: Statement) -> Relation | None:
    """Judge a statement in free words that tells of another value."""
    if "added" in new.frame.marks:
        return None
    found = changed_value(new, old)
    if found is None:
        return None
    return Relation(REPLACES, found.old.shown, found.new.shown, f"changed: {found.new.kind}")


def _by_values(new: Statement, old: Statement) -> Relation | None:
    """Judge two statements about much the same that differ in a value, or by a "never"."""
    denied = told_otherwise(new, old) or told_otherwise(old, new)
    if denied:
        return Relation(CONFLICT, old.text, new.text, f"one says {denied}")
    if _are_events(new.frame, old.frame):
        return None
    found = conflicting_values(new, old) or conflicting_values(old, new)
    if found is None:
        return None
    older = found.old if found.old in old.values else found.new
    newer = found.new if older is found.old else found.old
    return Relation(CONFLICT, older.shown, newer.shown, f"two values: {newer.kind}")


def _are_events(new: Frame, old: Frame) -> bool:
    """Tell whether both tell of what was done: it may have been done twice."""
    return new.is_past and old.is_past and "changed" not in new.marks
