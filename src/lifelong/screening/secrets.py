"""Find secrets in prose, code and settings: keys of machines, and passwords that people say.

What is found is redacted before anything durable is written (`redact`). The rules are data
(`rules`); here they are tried, and what they found is put in order. Text without a hint of a
secret costs a few microseconds; work is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lifelong.screening import rules, shapes, spoken, values
from lifelong.screening.redact import MARK, mark
from lifelong.screening.rules import RULES_VERSION, Rule
from lifelong.writing import SECRET, Finding

__all__ = ["RULES_VERSION", "find_secrets"]

_LONG_MIN = 10
_LONG = re.compile(rf"[A-Za-z0-9_+/=.~:@%-]{{{_LONG_MIN},}}")
_WORDS = re.compile(r"[A-Z]?[a-z]{1,20}(?:[-./:_]+[A-Z]?[a-z]{1,20})*[-./:_]*")
_CHAIN = re.compile(r"[\w-]*", re.ASCII)
_ARMOUR = re.compile(
    r"-----(BEGIN|END)[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----", re.IGNORECASE | re.ASCII
)
_ARMOURED = re.compile(r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*")
_ARMOUR_MIN = 32
_PASSES_MAX = 20


class Span(NamedTuple):
    """Where a rule found a secret."""

    start: int
    end: int
    rule: str


def find_secrets(text: str) -> tuple[Finding, ...]:
    """Return where secrets stand in `text`, in order; no two overlap.

    Once they are redacted, nothing more is found: what a mark brings to light is found with them.
    """
    spans = list(_scan(text))
    if not spans:
        return ()
    found = _merged(spans)
    for _ in range(_PASSES_MAX):
        more = list(_brought_to_light(text, found))
        if not more:
            break
        found = _merged([*found, *more])
    return tuple(Finding(SECRET, rule, start, end) for start, end, rule in found)


def _brought_to_light(text: str, found: list[Span]) -> Iterator[Span]:
    """Find in the redacted text, and say where that stands in `text`."""
    pieces, shifts, at, size = [], [], 0, 0
    for start, end, rule in found:
        stands_there = mark(rule)
        pieces += [text[at:start], stands_there]
        size += start - at + len(stands_there)
        shifts.append((size, end - size))
        at = end
    redacted = "".join([*pieces, text[at:]])
    shift, rest = 0, iter([*shifts, (len(redacted) + 1, 0)])
    until, following = next(rest)
    for span in sorted(_scan(redacted)):
        while span.start >= until:
            shift = following
            until, following = next(rest)
        yield Span(span.start + shift, span.end + shift, span.rule)


def _merged(spans: list[Span]) -> list[Span]:
    """Join what overlaps; the first rule, which is the more special one, gives the name."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda each: each.start):
        last = merged[-1] if merged else None
        if last and span.start < last.end:
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _scan(text: str) -> Iterator[Span]:
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose lower case is two characters
        lower = "".join(low if len(low := each.lower()) == 1 else each for each in text)
    nouns, has_shape = spoken.nouns_in(lower), _has_shape(text)
    if not (nouns or has_shape):
        return
    marks = [match.span() for match in MARK.finditer(text)]
    if has_shape:
        yield from _outside(marks, _armoured(text))
        yield from _outside(marks, _shaped(text, lower))
    if nouns:
        yield from _outside(marks, (Span(*each) for each in spoken.spoken(text, lower, nouns)))


def _has_shape(text: str) -> bool:
    """Whether something stands in the text that is long, and not made of words alone."""
    for run in text.split():
        if len(run) >= _LONG_MIN and not _WORDS.fullmatch(run):
            for each in _LONG.finditer(run):
                if not _WORDS.fullmatch(each[0]):
                    return True
    return False


def _outside(marks: list[tuple[int, int]], spans: Iterator[Span]) -> Iterator[Span]:
    if not marks:
        yield from spans
        return
    at = 0
    for span in sorted(spans):
        while at < len(marks) and marks[at][1] <= span.start:
            at += 1
        if at == len(marks) or marks[at][0] >= span.end:
            yield span


def _armoured(text: str) -> Iterator[Span]:
    """Find private keys as PEM and PGP write them: from mark to mark, or as far as one goes."""
    begun: re.Match[str] | None = None
    for match in _ARMOUR.finditer(text):
        if match[1].upper() == "END":
            if begun and match.start() - begun.end() >= _ARMOUR_MIN:
                yield Span(begun.start(), match.end(), "private-key")
            begun = None
            continue
        yield from _broken_off(text, begun)
        begun = match
    yield from _broken_off(text, begun)


def _broken_off(text: str, begun: re.Match[str] | None) -> Iterator[Span]:
    if begun and (body := _ARMOURED.match(text, begun.end())) and len(body[0]) >= _ARMOUR_MIN:
        yield Span(begun.start(), body.end(), "private-key")


def _shaped(text: str, lower: str) -> Iterator[Span]:
    wanted = dict.fromkeys(
        rule
        for keyword, called in rules.rule_set().by_keyword
        if keyword in lower
        for rule in called
    )
    for rule in wanted:
        for match in rules.compiled(rule.regex).finditer(text):
            start, end = match.span(1 if match.re.groups and match[1] else 0)
            secret = text[start:end].rstrip(".")
            if _is_secret(secret, rule):
                chain = _CHAIN.match(text, start + len(secret))
                whole = chain.end() if chain and not rule.is_password else end
                yield Span(start, whole, rule.name)


def _is_secret(secret: str, rule: Rule) -> bool:
    if shapes.is_own_id(secret) or shapes.is_placeholder(secret):
        return False
    if rule.shape and secret.isalpha():
        return False
    if rule.entropy and shapes.entropy(secret) <= rule.entropy:
        return False
    if rule.is_password:
        return values.is_value(secret)
    known = rules.rule_set()
    if "example" in secret.lower() or any(word in secret for word in known.stopwords):
        return False
    return not any(rules.compiled(regex).search(secret) for regex in (known.allow, *rule.allow))
