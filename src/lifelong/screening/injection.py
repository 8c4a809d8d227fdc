"""Whether a text gives orders to the model that will read it, and where.

Whoever writes a web page, a mail or a file that an agent reads can plant a sentence that is obeyed
now or, once remembered, months later. What is found here is a signal and never a boundary: a text
without findings is not safe, and one with findings is held back for a person, not dropped. The
boundary is the origin that every memory is sealed with.

Signals are looked for in every view of a text (`views`) and add up (``data/injection.toml``). A
user's own words are an instruction by right: they are flagged only for what nobody types by
accident, words spelt in characters that nobody sees and marks of a chat template.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lifelong.screening.decoding import hidden_text
from lifelong.screening.lookalikes import fold
from lifelong.screening.signals import Rule, RuleIndex, request_words, rules, version
from lifelong.screening.views import views
from lifelong.writing import INJECTION, Finding

OWN_CHANNELS = frozenset({"user", "system"})
"""Of `records.CHANNELS`, those whose texts may give orders. An unknown one is not among them."""

THRESHOLD = 1.0
"""What signals near one another add up to when a text reads like an instruction."""

NEAR_CHARACTERS = 600
"""Signals further apart than this do not add up: a long text has something of everything."""

HIDDEN_TEXT, REQUEST = "hidden_text", "action_request"
HIDDEN_LETTERS_MIN = 4

RULES_VERSION = version()

_WORD = re.compile(r"[a-z]+")
_OPENS = re.compile(
    r"(?:[.!?:;\n>\"'“”‘(\[|*]|\b(?:please|kindly|can you|could you|would you|you must"
    r"|you should|need you to|want you to|make sure to|be sure to))[\s,:!]*"
    r"(?:\b(?:please|kindly|now|then|also|first|next|and|so|just|hey|hi|hello|important|urgent)"
    r"[\s,:!]+){0,4}\Z"
)
_BEFORE_CHARACTERS = 40
_CLAUSE_END = re.compile(r"[.!?](?:\s|$)|[\n;]")
_CLAUSE_CHARACTERS = 200
_COURTESY = re.compile(r"\b(?:please|kindly|can you|could you|would you|you must|need you to)\b")
_MINE = re.compile(r"\b(?:my|mine|me|i'm|i am)\b")
_YOURS = re.compile(r"\b(?:your|yours|you)\b")
_PARTICULAR = re.compile(
    r"\bid\b|['\"“‘][^'\"“”‘’]{2,60}['\"”’]|[\w.]@\w|[$€£#]\w|\b\d[\d,.-]{3,}|['~]/"
)
_AMOUNT = re.compile(
    r"[$€£]\s?\d|\b\d[\d,.]*\s?(?:usd|eur|gbp|dollars?|euros?|bitcoins?|btc|eth|units)\b"
)
_WEIGHTS = {
    "risky": 0.5,
    "verb": 0.3,
    "object": 0.4,
    "please": 0.2,
    "mine": 0.3,
    "named": 0.2,
    "yours": -0.6,
}


@dataclass(frozen=True, slots=True)
class _Hit:
    """A signal where it was found in one view."""

    rule: str
    weight: float
    start: int
    end: int


def find_injection(text: str) -> tuple[Finding, ...]:
    """Return every signal in `text`, each once, in the order of the text; most texts have none.

    One signal alone may mean nothing: `reads_like_instruction` decides.
    """
    found: dict[str, Finding] = {}
    for view, hits in _hits(text, rules(), with_requests=True):
        for hit in hits:
            found.setdefault(hit.rule, _finding(text, view, hit))
    return _in_order(found.values())


def reads_like_instruction(text: str, *, channel: str) -> tuple[Finding, ...]:
    """Return the signals for which a text should be held back; () if it should not.

    Args:
        text: the text as it came.
        channel: how it came, one of `records.CHANNELS`. What a user or the system said is theirs
            to say, and is flagged only for hidden text and marks of a chat template.
    """
    is_own = channel in OWN_CHANNELS
    asked = rules(strong_only=is_own)
    found: dict[str, Finding] = {}
    for view, hits in _hits(text, asked, with_requests=not is_own):
        for hit in _adding_up(hits):
            found.setdefault(hit.rule, _finding(text, view, hit))
    return _in_order(found.values())


def _hits(text: str, asked: RuleIndex, *, with_requests: bool) -> Iterator[tuple[str, list[_Hit]]]:
    """Yield each view of `text` with what was found in it."""
    for view in views(text):
        candidates = list(asked.candidates(view))
        hits = [
            _Hit(rule.signal, rule.weight, *found.span())
            for rule in candidates
            if not rule.starts
            for found in _matches(rule, view)
        ]
        if with_requests:
            hits += _openings_searched(view, [rule for rule in candidates if rule.starts])
        yield view, hits
    if sum(character.isalpha() for character in hidden_text(text)) >= HIDDEN_LETTERS_MIN:
        yield "", [_Hit(HIDDEN_TEXT, THRESHOLD, 0, 0)]


def _matches(rule: Rule, view: str) -> Iterator[re.Match[str]]:
    """Yield where a rule matches: once if that is enough, else everywhere, since places count."""
    if rule.weight < THRESHOLD:
        yield from rule.pattern.finditer(view)
    elif found := rule.pattern.search(view):
        yield found


def _openings_searched(view: str, asked: Iterable[Rule]) -> Iterator[_Hit]:
    """Yield what stands where a sentence begins: requests, and signals that only count there."""
    words = request_words()
    for verb in _WORD.finditer(view):
        start = verb.start()
        if verb[0] not in words.openers:
            continue
        before = view[max(0, start - _BEFORE_CHARACTERS) : start]
        if start <= _BEFORE_CHARACTERS:
            before = f"\n{before}"
        if not _OPENS.search(before):
            continue
        end = _clause_end(view, start)
        weight = _request_weight(before, view[start:end], verb[0])
        if weight >= THRESHOLD:
            yield _Hit(REQUEST, weight, start, end)
        for rule in asked:
            if found := rule.pattern.match(view, start):
                yield _Hit(rule.signal, rule.weight, start, found.end())


def _clause_end(view: str, start: int) -> int:
    found = _CLAUSE_END.search(view, start, start + _CLAUSE_CHARACTERS)
    return found.start() if found else min(len(view), start + _CLAUSE_CHARACTERS)


def _request_weight(before: str, clause: str, verb: str) -> float:
    """Return how much a clause is an order to act on something that matters."""
    words = request_words()
    if verb not in words.verbs and verb not in words.risky_verbs:
        return 0.0
    is_asked, is_mine = bool(_COURTESY.search(before)), bool(_MINE.search(clause))
    # "Delete the file 'a.txt'" is a commit message; with a courtesy, it is asked of somebody.
    is_named = bool((_PARTICULAR if is_asked or is_mine else _AMOUNT).search(clause))
    has_object = bool(words.objects.search(clause))
    if not has_object and not _AMOUNT.search(clause):
        return 0.0
    parts = {
        "risky": verb in words.risky_verbs,
        "verb": verb in words.verbs,
        "object": has_object,
        "please": is_asked,
        "mine": is_mine,
        "named": is_named,
        "yours": bool(_YOURS.search(clause)),
    }
    return round(sum(_WEIGHTS[part] for part, is_there in parts.items() if is_there), 2)


def _adding_up(hits: list[_Hit]) -> list[_Hit]:
    """Return the hits that reach the threshold together with others near them."""
    by_place = sorted(hits, key=lambda hit: hit.start)
    held: dict[str, _Hit] = {}
    for index, first in enumerate(by_place):
        near: dict[str, _Hit] = {}
        for hit in by_place[index:]:
            if hit.start - first.start > NEAR_CHARACTERS:
                break
            near.setdefault(hit.rule, hit)
        if round(sum(hit.weight for hit in near.values()), 2) >= THRESHOLD:
            held = near | held
    return list(held.values())


def _finding(text: str, view: str, hit: _Hit) -> Finding:
    """Return a hit as a finding: where it stands if the view says so, else in the whole text."""
    matched = view[hit.start : hit.end]
    if matched and fold(text[hit.start : hit.end]) == matched:
        return Finding(INJECTION, hit.rule, hit.start, hit.end)
    return Finding(INJECTION, hit.rule, 0, len(text))


def _in_order(found: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(found, key=lambda finding: (finding.start, finding.end, finding.rule)))
