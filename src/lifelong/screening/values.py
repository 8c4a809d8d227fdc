"""Whether what was said beside a noun is a password, a key or a passphrase.

How sure the words before it are decides how much it must look like one.
"""

from __future__ import annotations

import re

from lifelong.screening import shapes
from lifelong.screening.rules import Rule, compiled, rule_set

SURE, WEAK, NONE = "sure", "weak", "none"
"""A plain "is" or a colon; a foreign "is", or "to"; no word between the noun and the value."""

ORDINARY_KEYS = frozenset(["key", "keys", "clave", "clé", "chave", "schlüssel", "ключ", "キー"])
"""Nouns that also name what opens a door or a row of a table."""

_BITS_MIN = 2.8
_TRAILING = ".,;:!?)]}>\"'`*’»"
_ADJECTIVE = re.compile(
    r".+(?:ed|ing|able|ible|ful|less|ous|ive|ly|ary|ory|ic|al|ant|ent|ish|ten|own|ier|est)$"
)
_MANNER = re.compile(r".+(?:ed|ing|ly)")
_UNIT = re.compile(
    r"\s?-?(?:char|digit|letter|number|symbol|word|bit|byte|day|week|month|year|hour|minute|time"
    r"|attempt|of\b|or\b|to\b|-\d)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"[v#]?\d+(?:[.,-]\d+)*(?:st|nd|rd|th|x|k|%|-?(?:char|digit|letter|word|bit|day|hour|min|factor|step)\w*)?"
    r"|\d\w{0,2}",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"[A-Z]+(?:_[A-Z0-9]+)+|[a-z]+(?:_[a-z]+)*_?(?:[Pp]assword|[Pp]asswd|[Hh]ash|[Kk]ey|[Tt]oken|[Ss]ecret)"
)
_SYMBOL = re.compile(r"[^\W_].*[!@#$%^&*+=?~|].*[^\W_]|[!@#$%^&*?~]{2}")
_INNER_CASE = re.compile(r"[a-z][A-Z]")
_PARTS = re.compile(r"[^\W\d_]+")
_KEY = re.compile(r"[A-Za-z0-9_+/=.~@!$%^&*:#-]{8,500}")
_CLOSES = re.compile(r"\s{0,2}(?:$|[^\w\s]|(?:and|but|for|so|please|now|if|you|thanks)\b)")
_SPEAKS_ON = re.compile(r"\s{0,3}(?:$|[.,;!?)\"'”\n])")


def trimmed(value: str) -> str:
    """Return the value without the punctuation of the sentence around it."""
    bare = value.rstrip(_TRAILING)
    # A closing mark that the value itself opens belongs to it.
    while len(bare) < len(value) and _opens(bare, value[len(bare)]):
        bare = value[: len(bare) + 1]
    # People end a password with "!" more often than they shout about one that they say.
    if shapes.has_letter_and_digit(bare):
        rest = value[len(bare) :]
        bare += rest[: len(rest) - len(rest.lstrip("!"))]
    return bare


def _opens(bare: str, mark: str) -> bool:
    pairs = {")": "(", "]": "[", "}": "{", ">": "<"}
    return mark in pairs and bare.count(pairs[mark]) > bare.count(mark)


def is_value(value: str) -> bool:
    """Whether a value can be one at all: no placeholder, no reference, no word for a password."""
    lower = value.lower()
    words = rule_set().words
    return not (
        len(value) < 3
        or lower in words.not_passwords
        or lower in words.techniques
        or lower in words.names
        or _IDENTIFIER.fullmatch(value) is not None
        or shapes.is_placeholder(value)
        or shapes.is_reference(value)
        or shapes.is_own_id(value)
        or compiled(rule_set().allow).search(value) is not None
    )


def is_password(value: str, said: str, *, rest: str = "", is_quoted: bool = False) -> bool:
    """Whether a value is a password.

    Args:
        value: without quotes and the punctuation around it.
        said: `SURE`, `WEAK` or `NONE`.
        rest: what stands behind it.
        is_quoted: whether it stood in quotes.
    """
    if not is_value(value) or rest.startswith(":"):
        return False
    if value.isdecimal():
        least = {SURE: 4, WEAK: 6}.get(said, len(value) + 1)
        return len(value) >= least and not _UNIT.match(rest)
    if _COUNTED.fullmatch(value):
        return False
    if said == NONE:
        return len(value) >= 6 and shapes.has_letter_and_digit(value)
    return _looks_chosen(value) or (said == SURE and (is_quoted or _is_a_word(value, rest)))


def _looks_chosen(value: str) -> bool:
    """Whether it has what people put into passwords: digits, signs, capitals inside, many parts."""
    if len(value) < 4 or " " in value:
        return False
    if shapes.has_letter_and_digit(value) or _SYMBOL.search(value) or _INNER_CASE.search(value):
        return True
    parts = _PARTS.findall(value)
    hidden = rule_set().words.not_passwords
    return len(parts) >= 3 and not any(part.lower() in hidden for part in parts)


def _is_a_word(value: str, rest: str) -> bool:
    """Whether it is one word that the sentence ends with, and no adjective: "is sunshine."."""
    return (
        len(value) >= 4
        and value.isalpha()
        and not _ADJECTIVE.fullmatch(value.lower())
        and _CLOSES.match(rest) is not None
    )


def phrase_size(words: str, rest: str) -> int:
    """Return how much of `words` is a passphrase, in characters; 0 when none is.

    Args:
        words: at least four words.
        rest: what stands behind them.
    """
    small = rule_set().words.small_words
    at, count = 0, 0
    for match in _PARTS.finditer(words):
        if match[0].lower() in small or _MANNER.fullmatch(match[0]):
            return at if count >= 4 else 0
        at, count = match.end(), count + 1
    return at if count >= 4 and (count >= 11 or _SPEAKS_ON.match(rest)) else 0


def may_be_key(value: str) -> bool:
    """Whether a machine could have made it: eight characters or more, letters and digits."""
    return _KEY.fullmatch(value) is not None and shapes.has_letter_and_digit(value)


def is_key(value: str, said: str, *, is_strong: bool) -> bool:
    """Whether a value is a key of a machine.

    Args:
        value: without quotes and the punctuation around it.
        said: `SURE`, `WEAK` or `NONE`.
        is_strong: whether the noun can mean nothing else ("API key"; a "key" may be a row's).
    """
    bits = shapes.entropy(value)
    if not may_be_key(value) or not is_value(value) or bits <= _BITS_MIN:
        return False
    if is_strong and said != NONE:
        is_long = len(value) >= 10 or (said == SURE and _SYMBOL.search(value) is not None)
        return is_long and not (_COUNTED.fullmatch(value) or _is_generic(value))
    return len(value) >= 16 and not _is_ordinary(value, is_strong=is_strong)


def _is_ordinary(value: str, *, is_strong: bool) -> bool:
    """Whether it is a hash, an id, a model or a version, which a key of a table may be."""
    is_named = is_strong and len(value) >= 32
    return (shapes.is_lookalike(value) and not is_named) or _is_wordy(value)


def _is_generic(value: str) -> bool:
    parts = {part.lower() for part in _PARTS.findall(value)}
    return any(len(part) > 3 for part in parts & rule_set().words.generic)


def _is_wordy(value: str) -> bool:
    """Whether it is words and numbers: a model, a version, a slug."""
    parts = _PARTS.findall(value)
    longest = max(map(len, parts))
    return (
        longest <= 12
        and all(
            len(part) <= 2 or part.islower() or part.isupper() or part.istitle() for part in parts
        )
        and sum(map(len, parts)) >= len(value) // 2
        and len(re.split(r"[^A-Za-z0-9]", value)) > 2
    )


def has_shape(value: str, rule: Rule) -> bool:
    """Whether a value has the shape and the entropy of a provider's secret."""
    return (
        compiled(rule.shape).fullmatch(value) is not None
        and any(map(str.isdigit, value))
        and shapes.entropy(value) > rule.entropy
        and is_value(value)
    )
