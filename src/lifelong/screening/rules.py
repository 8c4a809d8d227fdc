"""The rules for secrets, read from the package's data once and compiled when first needed.

`data/gitleaks.toml` has gitleaks' rules, `data/secrets.toml` ours and the words with which people
say passwords. A rule is tried only where one of its keywords stands in the text. What the rules
find is put together in `secrets`; spoken passwords are `spoken`'s.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_FILES = ("gitleaks.toml", "secrets.toml")

# What stands between a provider's name and its secret in code and in settings: gitleaks' own.
_GAP = r"(?:[ \t\w.-]{0,20})"
_SIGN = r"""[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}"""

# A secret may stand behind the "\\n" of a text in a text, whose "n" is no letter of a word.
_AT_A_WORD = re.compile(r"^((?:\(\?i\))?)\\b")
_WORD_BEGINS = r"\1(?:\\b|(?<=\\\\[nrt]))"


def _read(name: str) -> bytes:
    return files(__package__).joinpath("data", name).read_bytes()


RULES_VERSION: str = hashlib.sha256(b"".join(map(_read, _FILES))).hexdigest()[:12]
"""Changes with the rules: what was screened under another one must be screened again."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of secret.

    Attributes:
        name: what a finding is called.
        keywords: lower case; one of them must stand in the text.
        regex: the expression; group 1, or else the whole match, is the secret.
        shape: the secret alone, where a provider's name must stand beside it; else "".
        entropy: the least, in bits per character.
        allow: expressions for what is no secret after all.
        is_password: whether a person chose it, so that it need not look random.
    """

    name: str
    keywords: tuple[str, ...]
    regex: str
    shape: str = ""
    entropy: float = 0.0
    allow: tuple[str, ...] = ()
    is_password: bool = False


@dataclass(frozen=True, slots=True)
class Noun:
    """A word that people say beside a secret, and what the secret then looks like."""

    word: str
    rule: str
    like: str


Hints = tuple[tuple[str, tuple[Noun, ...]], ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The lists of words that decide what is a spoken password. Each is lower case."""

    doors: frozenset[str]
    ordinary: frozenset[str]
    strong: frozenset[str]
    not_passwords: frozenset[str]
    small_words: frozenset[str]
    techniques: frozenset[str]
    names: frozenset[str]
    generic: frozenset[str]


@dataclass(frozen=True, slots=True)
class RuleSet:
    """All rules.

    Attributes:
        by_keyword: which rules a keyword calls for.
        named: the rules with a `shape`.
        allow: an expression for what is no secret, whatever rule found it.
        stopwords: what a secret never contains.
        nouns: the words to listen for, under the hints that stand in them: those in ASCII, and
            those that only a text with other letters can have.
        words: the lists behind them.
    """

    by_keyword: tuple[tuple[str, tuple[Rule, ...]], ...]
    named: tuple[Rule, ...]
    allow: str
    stopwords: tuple[str, ...]
    nouns: tuple[Hints, Hints]
    words: Words


@cache
def rule_set() -> RuleSet:
    """Return the rules; they are read at the first call."""
    theirs, ours = (tomllib.loads(_read(name).decode()) for name in _FILES)
    rules = [_rule(fields) for fields in theirs["rules"] + ours["rules"]]
    spoken = ours["spoken"]
    return RuleSet(
        by_keyword=_by_keyword(rules),
        named=tuple(rule for rule in rules if rule.shape),
        allow="|".join(f"(?:{regex})" for regex in theirs["allow"]),
        stopwords=tuple(theirs["stopwords"]),
        nouns=_nouns(ours["nouns"], spoken.pop("hints"), spoken.pop("far_hints")),
        words=Words(
            **{name: frozenset(spoken[name]) for name in spoken},
            names=frozenset(word for group in ours["nouns"] for word in group["words"]),
            generic=frozenset(theirs["generic_stopwords"]),
        ),
    )


def _by_keyword(rules: list[Rule]) -> tuple[tuple[str, tuple[Rule, ...]], ...]:
    called: dict[str, list[Rule]] = {}
    for rule in rules:
        for keyword in rule.keywords:
            called.setdefault(keyword, []).append(rule)
    return tuple((keyword, tuple(of_it)) for keyword, of_it in called.items())


def _nouns(groups: list[dict[str, Any]], near: list[str], far: list[str]) -> tuple[Hints, Hints]:
    nouns = [
        Noun(word, group["rule"], group["like"]) for group in groups for word in group["words"]
    ]
    of_hint: dict[str, list[Noun]] = {hint: [] for hint in [*near, *far]}
    for noun in nouns:
        of_hint[next(hint for hint in of_hint if hint in noun.word)].append(noun)
    first, second = (tuple((hint, tuple(of_hint[hint])) for hint in each) for each in (near, far))
    return first, second


def _rule(fields: dict[str, Any]) -> Rule:
    shape = fields.get("shape", "")
    regex = fields.get("regex") or f"{fields['beside']}{_GAP}{_SIGN}({shape})(?![\\w-])"
    return Rule(
        name=fields["id"],
        keywords=tuple(fields["keywords"]),
        regex=_AT_A_WORD.sub(_WORD_BEGINS, regex),
        shape=shape,
        entropy=float(fields.get("entropy", 0)),
        allow=tuple(fields.get("allow", ())),
        is_password=fields.get("kind") == "password",
    )


@cache
def compiled(regex: str) -> re.Pattern[str]:
    """Return the expression, compiled once; letters and digits are those of ASCII."""
    return re.compile(regex, re.ASCII)
