"""The signals that a text gives orders to a model, as they stand in ``data/injection.toml``.

What to look for is data, so that a rule can be read, added or doubted without reading code; this
module reads it once into compiled patterns. What the signals add up to is decided in `injection`.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from lifelong.screening.lookalikes import fold

CODE_VERSION = 1
"""Raised when the code reads the same patterns differently: views, weighing, decision."""

_DATA = files("lifelong.screening") / "data" / "injection.toml"
_BY_FREQUENCY = " etaoinsrhldcumfpgwybvkxjqz"
_WORD = re.compile(r"\{([a-z_]+)\}")
_BLANK = re.compile(r"(\\.|\[(?:\\.|[^\]\\])*\])| \??")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of a signal.

    Attributes:
        signal: the name of what it is a sign of.
        weight: what the signal adds; at 1.0 a text reads like an instruction.
        strong: whether it counts in a user's own words too.
        starts: whether it must open a sentence.
        near: parts of words; each match has one of each group.
        pattern: finds it in a folded text.
    """

    signal: str
    weight: float
    strong: bool
    starts: bool
    near: tuple[tuple[str, ...], ...]
    pattern: re.Pattern[str]


class RuleIndex:
    """Rules by the parts of words that they need, so that a text is searched by few of them.

    There are hundreds of rules and most texts match none: asking each of them costs more than the
    searches do. Here the triples of letters in a text say which parts it may have.
    """

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._always = 0
        self._by_part: dict[str, int] = {}
        for place, rule in enumerate(self._rules):
            if not rule.near:
                self._always |= 1 << place
            for part in rule.near[0] if rule.near else ():
                self._by_part[part] = self._by_part.get(part, 0) | 1 << place
        self._short_parts = tuple(part for part in self._by_part if len(part) < 3)
        self._by_triple: dict[str, list[str]] = {}
        for part in self._by_part:
            if len(part) >= 3:
                self._by_triple.setdefault(_rarest_triple(part), []).append(part)
        self._triples = frozenset(self._by_triple)

    def candidates(self, view: str) -> Iterator[Rule]:
        """Yield the rules that may match, in their order."""
        # No part has a blank: each word once is enough to look through.
        words = " ".join(set(view.split()))
        left = self._always
        for part in self._parts_in(words):
            left |= self._by_part[part]
        while left:
            lowest = left & -left
            left ^= lowest
            rule = self._rules[lowest.bit_length() - 1]
            if all(any(map(words.__contains__, group)) for group in rule.near[1:]):
                yield rule

    def _parts_in(self, words: str) -> Iterator[str]:
        yield from filter(words.__contains__, self._short_parts)
        triples = map("".join, zip(words, words[1:], words[2:], strict=False))
        for triple in self._triples.intersection(triples):
            yield from filter(words.__contains__, self._by_triple[triple])


def _rarest_triple(part: str) -> str:
    """Return the three letters of `part` that other words are least likely to have."""
    triples = (part[start : start + 3] for start in range(len(part) - 2))
    return max(triples, key=lambda triple: sum(map(_BY_FREQUENCY.find, triple)))


@dataclass(frozen=True, slots=True)
class RequestWords:
    """What a request is made of: verbs that open it, and what it is dangerous to act on."""

    openers: frozenset[str]
    verbs: frozenset[str]
    risky_verbs: frozenset[str]
    objects: re.Pattern[str]


@cache
def rules(*, strong_only: bool = False) -> RuleIndex:
    """Return all rules, or those that count in a user's own words too."""
    data = _read()
    every = (rule for entry in data["signals"] for rule in _rules(entry, data["words"]))
    return RuleIndex(rule for rule in every if rule.strong or not strong_only)


@cache
def request_words() -> RequestWords:
    """Return the words that a request for an action is recognised by."""
    words = _read()["request"]
    objects = "|".join(words["objects"])
    verbs, risky = frozenset(words["verbs"]), frozenset(words["verbs_risky"])
    return RequestWords(
        verbs | risky | frozenset(words["work"]),
        verbs,
        risky,
        re.compile(rf"(?<!\w)(?:{objects})\b"),
    )


def version() -> str:
    """Return a short name of the patterns and of how they are read."""
    return f"{CODE_VERSION}-{hashlib.sha256(_DATA.read_bytes()).hexdigest()[:12]}"


def _read() -> dict[str, Any]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))


def _rules(entry: Mapping[str, Any], words: Mapping[str, str]) -> Iterator[Rule]:
    for pattern in entry["patterns"]:
        yield Rule(
            entry["name"],
            entry["weight"],
            entry.get("strong", False),
            entry.get("starts", False),
            tuple(tuple(group.split()) for group in pattern.get("near", ())),
            re.compile(_ready(pattern["find"], words)),
        )


def _ready(source: str, words: Mapping[str, str]) -> str:
    """Return a pattern of the file as `re` reads it: words put in, marks off, blanks loosened."""
    while _WORD.search(source):
        source = _WORD.sub(lambda found: words[found[1]], source)
    bare = _NOT_ASCII.sub(lambda found: fold(found[0]), source)
    return _BLANK.sub(lambda found: found[1] or r"\s*+", bare)
