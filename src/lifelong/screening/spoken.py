"""Secrets that people say: "the wifi password is …", "PIN: …", "set the API key to …".

A noun is looked for; what stands after it ("for the router", "is", ":") leads to the value; what
the value looks like decides. How sure the words are (a plain "is" or a colon, a foreign "is", or
no word at all) says how much the value must look like a password. Each noun looks at a bounded
stretch of text, so the whole is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lifelong.screening import values
from lifelong.screening.rules import Noun, rule_set
from lifelong.screening.values import NONE, SURE, WEAK

Span = tuple[int, int, str]

_MARK = "[redacted: "
_BEFORE = 80
_REACH = 320
_WORDS_BEFORE = 8

_NAME = r"[^\s:=?!;,()\"“”{}\[\]：，。]{0,29}[^\s:=?!;,.()\"“”{}\[\]：，。]"
_FOR = (
    r"(?:for|to|of|on|at|in|from|über|für|fürs|zum|zur|von|vom|im|beim|de|del|du|des|para|pour|per"
    r"|di|do|da|van|voor|til|för|для|от|к)"
)
_ABOUT = (
    rf"(?:\s{{1,3}}{_FOR}(?:\s{{1,3}}{_NAME}){{1,6}}?"
    r"|\s?\((?:[^()\s]{1,15}(?:\s|(?=\)))){1,6}\))?"
)
_STILL = (
    r"(?:\s(?:now|still|just|currently|simply|literally|actually|really|always"
    r"|set\sto|changed\sto))?"
)
_SIGN = r"\s{0,3}[\"'`*_]{0,3}\s{0,3}(?::=|=>|[:=：＝]|->|→|\|\|)[\s*]{0,4}"
_SURELY = rf"{_SIGN}|\s{{1,3}}(?:is|was|will\sbe|would\sbe|'s|’s|=){_STILL}:?\s{{1,3}}|['’]s\s"
_MAYBE = (
    r"\s{1,3}(?:to|as|are|ist|war|lautet|heißt|es|era|será|est|était|é|è|er|är|on|jest|je|это|là)\s{1,3}"
    r"(?:now\s|jetzt\s|ahora\s)?|\s{0,2}(?:是|为|為|设为|改为|は|が|는|은|이)[:：]?\s{0,2}"
    r"|\s{1,3}[-–—]{1,2}\s{1,3}|[\"'`]?\s?,\s?(?=[\"'`])|\s?\(\s?"
)
_VALUE = (
    r"(?:[\"'`“«„‘](?P<quoted>[^\"'`“”«»„‘’\n]{2,100})[\"'`“”»’]"
    r"|[\"'`“‘*]{0,3}(?P<plain>[^\s\"“”«»，。、；：！？）」…\u2190-\u2bff\u3000\ufe0f\U0001f000-\U0001faff]{1,200}))"
)
_TAIL = re.compile(
    rf"s?\d?(?![A-Za-z_À-ɏ])(?:{_ABOUT}(?:(?P<sure>{_SURELY})|(?P<weak>{_MAYBE}))|\s{{1,2}}){_VALUE}",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"(?:set|setting|chang|reset|rotat|updat|switch|renew|make|made)\w{0,5}\b", re.IGNORECASE
)
_ENDS = re.compile(r"\s{0,2}(?:$|[^\w\s]|(?:for|of|on|in|at|and|now|please|so|but)\b)")
_NAME_BEFORE = re.compile(r"([A-Z]?[a-z0-9]+|[A-Z0-9]+)[ _-]{0,2}$")
_WORD = re.compile(r"[a-z]+")
_RUN = re.compile(r"\S+")
_LINKS = {"is", "as", "was", "ist", "als", "es", "como", "est", "comme"}
_SHORT = r"(?P<after>(?:\s?[#:=：]{1,2}\s?|\s(?:is|was|are|ist|lautet|es|est)\s(?:now\s)?|\s))"
_DIGITS = {
    "pin": re.compile(rf"{_ABOUT}{_SHORT}[\"'*]?(?P<value>\d{{4,8}})(?![\w-]|\.\d)", re.IGNORECASE),
    "cvv": re.compile(rf"{_ABOUT}{_SHORT}[\"'*]?(?P<value>\d{{3,4}})(?![\w-]|\.\d)", re.IGNORECASE),
    "code": re.compile(
        rf"{_ABOUT}{_SHORT}[\"'*]?(?P<value>(?=[A-Za-z-]{{0,20}}\d)[A-Za-z0-9]{{4,10}}(?:-[A-Za-z0-9]{{3,10}}){{0,5}}"
        rf"(?:(?:,\s?|\s(?:and\s)?)(?=[A-Za-z-]{{0,20}}\d)[A-Za-z0-9]{{4,10}}(?:-[A-Za-z0-9]{{3,10}}){{0,5}}){{0,15}})"
        r"(?![\w-])",
        re.IGNORECASE,
    ),
}
_PHRASE = re.compile(
    rf"{_ABOUT}(?:{_SURELY}|{_MAYBE})[\"'“]?"
    r"(?P<value>[^\W\d_]{3,12}(?:[ ,-]{1,2}[^\W\d_]{3,12}){3,23})",
    re.IGNORECASE,
)
_PAIR = re.compile(
    rf"s?{_ABOUT}(?:{_SURELY}|{_MAYBE})[\"'`]?[^\s:/\"'`]{{1,60}}\s?[:/]\s?(?P<value>[^\s\"'`]{{4,100}})",
    re.IGNORECASE,
)


def nouns_in(lower: str) -> tuple[Noun, ...]:
    """Return the nouns that may stand in a text, which is given in lower case."""
    near, far = rule_set().nouns
    found = [nouns for hint, nouns in near if hint in lower]
    if not lower.isascii():
        found += [nouns for hint, nouns in far if hint in lower]
    return tuple(noun for nouns in found for noun in nouns)


def spoken(text: str, lower: str, nouns: tuple[Noun, ...]) -> Iterator[Span]:
    """Find what is said beside a noun.

    Args:
        text: as it was written.
        lower: the same in lower case, character for character.
        nouns: what to listen for.

    Yields:
        start, end and the name of the rule; spans may overlap.
    """
    for noun in nouns:
        end = 0
        while (at := lower.find(noun.word, end)) >= 0:
            end = at + len(noun.word)
            if not _stands_alone(text, at, noun):
                continue
            if span := _FINDERS[noun.like](text, at, end, noun):
                yield span


def _stands_alone(text: str, at: int, noun: Noun) -> bool:
    """Whether a word begins at `at`: "apiKey" and "db_key" have a key, "monkey" has none."""
    if _is_in_mark(text, at):
        return False
    left, first = text[at - 1 : at], text[at]
    if not left.isalnum() or not first.isascii():
        return True
    if noun.like == "password" and len(noun.word) > 5:
        return True
    return not left.isascii() or (not left.isupper() and first.isupper())


def _is_in_mark(text: str, at: int) -> bool:
    begun = text.rfind(_MARK, max(0, at - _BEFORE), at)
    return begun >= 0 and "]" not in text[begun:at]


def _name_before(text: str, at: int) -> str:
    match = _NAME_BEFORE.search(text[max(0, at - 24) : at])
    return match[1].lower() if match else ""


def _said(match: re.Match[str], text: str, at: int) -> str:
    if match["sure"]:
        return SURE
    weak = match["weak"]
    if weak is None:
        return NONE
    if weak.strip().lower().split(maxsplit=1)[:1] in (["to"], ["as"]):
        changes = _CHANGED.search(text[max(0, at - _BEFORE) : match.start("weak")])
        return WEAK if changes else NONE
    return WEAK


def _password(text: str, at: int, end: int, noun: Noun) -> Span | None:
    if noun.word == "pass" and text[end : end + 2].lstrip()[:1] not in (":", "="):
        return None  # one boards and skis with the others
    match = _TAIL.match(text, end, end + _REACH)
    if not match:
        return _before(text, at, end, noun)
    said = _said(match, text, at)
    group = "quoted" if match["quoted"] else "plain"
    start, value = match.start(group), match[group]
    if group == "plain":
        value = values.trimmed(value)
    rest = text[start + len(value) : start + len(value) + 40]
    if values.is_password(value, said, rest=rest, is_quoted=group == "quoted"):
        return (start, start + len(value), noun.rule)
    return _phrase(text, at, end, noun) or _before(text, at, end, noun)


def _phrase(text: str, _at: int, end: int, noun: Noun) -> Span | None:
    match = _PHRASE.match(text, end, end + _REACH)
    if match:
        size = values.phrase_size(match["value"], text[match.end() : match.end() + 2])
        if size:
            return (match.start("value"), match.start("value") + size, noun.rule)
    return None


def _passphrase(text: str, at: int, end: int, noun: Noun) -> Span | None:
    return _phrase(text, at, end, noun) or _password(text, at, end, noun)


def _key(text: str, at: int, end: int, noun: Noun) -> Span | None:
    name = _name_before(text, at)
    words = rule_set().words
    if name in words.ordinary:
        return None
    match = _TAIL.match(text, end, end + _REACH)
    if not match:
        return _before(text, at, end, noun)
    group = "quoted" if match["quoted"] else "plain"
    value = values.trimmed(match[group])
    start = match.start(group)
    is_strong = noun.word not in values.ORDINARY_KEYS or name in words.strong
    if values.is_key(value, _said(match, text, at), is_strong=is_strong):
        return (start, start + len(value), noun.rule)
    if rule := _provider(text[max(0, at - _BEFORE) : start], value):
        return (start, start + len(value), rule)
    return _before(text, at, end, noun)


def _provider(around: str, value: str) -> str:
    """Return the rule of the provider that is named around a value of its shape, or ""."""
    if not values.may_be_key(value):
        return ""
    lower = around.lower()
    for rule in rule_set().named:
        if any(keyword in lower for keyword in rule.keywords) and values.has_shape(value, rule):
            return rule.name
    return ""


def _pair(text: str, _at: int, end: int, noun: Noun) -> Span | None:
    match = _PAIR.match(text, end, end + _REACH)
    if match:
        value = values.trimmed(match["value"])
        if values.is_password(value, WEAK):
            return (match.start("value"), match.start("value") + len(value), noun.rule)
    return None


def _digits(text: str, at: int, end: int, noun: Noun) -> Span | None:
    match = _DIGITS[noun.like].match(text, end, end + _REACH)
    if not match or set(_WORD.findall(text[max(0, at - 24) : at].lower())) & rule_set().words.doors:
        return None
    is_postal = noun.word == "pin code" and len(match["value"]) == 6
    is_year = not match["after"].strip() and match["value"][:2] in ("19", "20")
    return None if is_postal or is_year else (*match.span("value"), noun.rule)


def _before(text: str, at: int, end: int, noun: Noun) -> Span | None:
    """Find what stands before the noun: "use plum-88 as the password"."""
    if not _ENDS.match(text, end):
        return None
    begin = max(0, at - _REACH // 2)
    words = list(_RUN.finditer(text, begin, at))[-_WORDS_BEFORE:]
    for place in range(len(words) - 1, 0, -1):
        if words[place][0].lower() in _LINKS:
            found = words[place - 1]
            value = values.trimmed(found[0].lstrip("\"'`(“‘"))
            start = found.start() + found[0].index(value) if value else 0
            is_name = noun.like == "random" and not values.is_key(value, NONE, is_strong=True)
            if is_name or not values.is_password(value, NONE):
                return None
            return (start, start + len(value), noun.rule)
    return None


_FINDERS = {
    "password": _password,
    "phrase": _passphrase,
    "random": _key,
    "pair": _pair,
    "pin": _digits,
    "cvv": _digits,
    "code": _digits,
}
