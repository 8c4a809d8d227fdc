"""Sameness: whether two statements surely say the same, so that the second need not be stored.

Precision first: a merged difference is a lost fact, a missed sameness a line too many. Both
statements are brought to one form by steps of which each keeps the meaning; only equal forms are
the same. So no list has to know what tells facts apart: a digit, a name, a "not", another order
of words does, in any language, because nothing here puts it aside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from lifelong.memory.irregular import FORMS
from lifelong.memory.statements import Statement, parse_statement
from lifelong.memory.wording import Word, without_articles

_BE = frozenset(("is", "was"))
_AGREEING = {"are": "is", "am": "is", "were": "was"}
_EITHER_NUMBER = frozenset(
    "aircraft all any deer fish most none salmon series sheep shrimp some species that trout"
    " which who you".split()
)
"""After these, "is" and "are" tell one from many."""

_PREPOSITIONS = frozenset(
    "about above across after against along among around as at before behind below beside between"
    " by down during for from in inside into near off on onto out outside over past through to"
    " toward towards under until up upon using with without".split()
)
_CONNECTING = frozenset("and or but who which that while because if when then so nor".split())
_LINKS = _PREPOSITIONS | _CONNECTING | {"is", "was", "has", "have", "not", "no", "?", ","}
_RELATIVE = frozenset(("which", "who", "that"))
_FREE_ADVERBS = frozenset(
    "quickly slowly carefully carelessly happily cheerfully loudly quietly gently rapidly angrily"
    " recklessly passionately intensely cautiously gracefully skillfully hungrily tiredly strongly"
    " vigorously energetically aggressively playfully thoroughly silently attentively".split()
)
"""Adverbs of manner, which mean the same before and after their verb; "only" does not."""

_UNCHANGED = {
    "put": "putting",
    "cut": "cutting",
    "hit": "hitting",
    "run": "running",
    "set": "setting",
    "shut": "shutting",
    "spread": "spreading",
    "read": "reading",
    "beaten": "beating",
    "begun": "beginning",
    "forgotten": "forgetting",
    "gotten": "getting",
}
_SUBJECT_MAX = 6
"""Words that may stand before the verb of a statement that "One" opens."""

_FORMS_MIN = 2


def same_fact(one: str | Statement, other: str | Statement) -> bool:
    """Return whether two short statements surely say the same thing, each implying the other.

    Case, white space, marks, articles, contractions, two ways to write a number and the passive
    may differ. Names, numbers, units, negation, quantifiers, tense and order may not.
    """
    first = parse_statement(one) if isinstance(one, str) else one
    second = parse_statement(other) if isinstance(other, str) else other
    if first.text == second.text:
        return True
    if not first.is_short or not second.is_short:
        return first.plain == second.plain and bool(first.plain)
    if not _may_be_same(first, second):
        return False
    return bool(first.plain) and canonical(first) == canonical(second)


def _may_be_same(first: Statement, second: Statement) -> bool:
    """Tell by what no step changes much whether the forms are worth making."""
    a, b = len(first.plain), len(second.plain)
    is_near = abs(a - b) <= 4 and first.is_denying == second.is_denying
    return is_near and first.numbers == second.numbers


def canonical(statement: Statement) -> tuple[str, ...]:
    """Return the form that statements which say the same have in common."""
    words = list(_with_pauses(statement))
    words = [words[0], *_agreeing(words)] if words else words
    if words[:2] == ["there", "is"] and any(word.endswith("ing") for word in words[3:]):
        words = _without_there(words)
    words = list(_adjectives_first(words))
    is_going_on = any(a in _BE and b.endswith("ing") for a, b in pairwise(words))
    if is_going_on:
        words = list(_without_repeated_be([word for word in words if word != "some"]))
    return tuple(_active(list(_adverbs_first(words))))


def _with_pauses(statement: Statement) -> Iterator[str]:
    """Yield the words, and the pauses where a pause can change what is denied or left out."""
    words = tuple(without_articles(_without_first_one(statement.words)))
    for at, word in enumerate(words):
        yield word.plain
        if statement.is_denying and word.pause and at < len(words) - 1:
            yield word.pause


def _without_first_one(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Leave out "One" that opens a statement as "a" does: "One man is dancing"."""
    subject = list(takewhile(lambda word: word.plain not in _BE, words[1:_SUBJECT_MAX]))
    is_article = (
        len(words) > len(subject) + 2
        and bool(subject)
        and words[0].plain == "one"
        and all(word.plain.isalpha() and word.plain not in _LINKS for word in subject)
        and not any(word.pause for word in words[: len(subject)])
    )
    return words[1:] if is_article else words


def _agreeing(words: Sequence[str]) -> Iterator[str]:
    """Yield all but the first word, with "are" as "is" where the noun tells the number."""
    for before, word in pairwise(words):
        yield word if before in _EITHER_NUMBER else _AGREEING.get(word, word)


def _without_repeated_be(words: list[str]) -> Iterator[str]:
    """Yield "is smiling and is dancing" as "is smiling and dancing"."""
    for at, word in enumerate(words):
        is_repeated = (
            word == "is"
            and words[at - 1 : at] == ["and"]
            and words[at + 1 : at + 2] != ["being"]
            and "".join(words[at + 1 : at + 2]).endswith("ing")
        )
        if not is_repeated:
            yield word


def _without_there(words: list[str]) -> list[str]:
    """Return "there is a man dancing" as "a man is dancing"."""
    at = next(at for at in range(3, len(words)) if words[at].endswith("ing"))
    if not _LINKS.isdisjoint(words[2:at]):
        return words
    return [*words[2:at], "is", *words[at:]]


def _adjectives_first(words: list[str]) -> Iterator[str]:
    """Yield "a dog, which is brown," as "a brown dog": one word after "is", then an end or "is"."""
    skip = 0
    for at, word in enumerate(words):
        if skip:
            skip -= 1
        elif _is_described(words, at):
            yield words[at + 3]
            yield word
            skip = 3
        else:
            yield word


def _is_described(words: list[str], at: int) -> bool:
    if at + 3 >= len(words) or words[at + 1] not in _RELATIVE or words[at + 2] != "is":
        return False
    adjective = words[at + 3]
    after = words[at + 4] if at + 4 < len(words) else "is"
    return (
        words[at] not in _LINKS
        and adjective.isalpha()
        and adjective not in _LINKS
        and not adjective.endswith(("ing", "ed", "ly"))
        and (after in ("is", ",") or words[at + 4 : at + 6] == ["and", "is"])
    )


def _adverbs_first(words: Sequence[str]) -> Iterator[str]:
    """Yield an adverb of manner before the verb that it follows."""
    at = 0
    while at < len(words):
        is_after = at + 1 < len(words) and words[at + 1] in _FREE_ADVERBS
        if is_after and words[at].endswith("ing") and words[at - 1] not in _FREE_ADVERBS:
            yield words[at + 1]
            yield words[at]
            at += 2
        else:
            yield words[at]
            at += 1


def _active(words: list[str]) -> list[str]:
    """Return "a potato is being peeled by a woman" as "a woman is peeling a potato".

    Only where there is one verb, and what "by" names is plainly one thing that acts.
    """
    by = words.index("by") if words.count("by") == 1 else 0
    be = next((at for at in range(1, by) if words[at] in _BE), 0)
    if not be or len(words) < by + 2 or not _CONNECTING.isdisjoint(words):
        return words
    acting, rest = _acting(words[by + 1 :])
    done = _done(words[be], words[be + 1 : by])
    if not acting or not done or (done.between and rest):
        return words
    return [*acting, *done.verb, *words[:be], *done.between, *rest]


class _Done(NamedTuple):
    """The verb of a passive in its active form, and what follows it."""

    verb: list[str]
    between: list[str]


def _done(be: str, words: list[str]) -> _Done | None:
    """Return what is said to be done between "is" or "was" and "by", if it is one verb."""
    is_going_on = words[:1] == ["being"]
    rest = words[is_going_on:]
    adverbs = [word for word in rest if word in _FREE_ADVERBS][:1]
    verb, *between = [word for word in rest if word not in adverbs] or [""]
    active = _going_on(verb) if is_going_on else _past(be, verb)
    if not active or not _is_adjunct(between):
        return None
    return _Done([*([be] if is_going_on else []), *adverbs, active], between)


def _is_adjunct(words: Sequence[str]) -> bool:
    return not words or words[0] in _PREPOSITIONS


def _acting(words: list[str]) -> tuple[list[str], list[str]]:
    """Return who acts and what follows; nobody where what follows may belong to him."""
    at = next((at for at, word in enumerate(words) if word in _PREPOSITIONS), len(words))
    acting, rest = words[:at], words[at:]
    is_plain = len(acting) <= 5 and _LINKS.isdisjoint(acting) and all(map(str.isalpha, acting))
    return (acting, rest) if is_plain and rest[:1] != ["with"] else ([], rest)


def _going_on(participle: str) -> str:
    """Return the form in -ing of a participle, or nothing."""
    if participle in _UNCHANGED:
        return _UNCHANGED[participle]
    if participle.endswith("ied"):
        return f"{participle[:-3]}ying"
    if participle.endswith("ed") and len(participle) > 4:
        return f"{participle[:-2]}ing"
    forms = FORMS.get(participle, ())
    base = forms[1] if len(forms) >= _FORMS_MIN else ""
    if not base:
        return ""
    return f"{base[:-1]}ing" if base.endswith("e") and not base.endswith("ee") else f"{base}ing"


def _past(be: str, verb: str) -> str:
    """Return a participle that is the past tense as well, after "was"."""
    return verb if be == "was" and verb.endswith("ed") and len(verb) > 4 else ""
