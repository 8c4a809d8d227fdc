"""The appendix: what code, not a model, carries word for word beside a summary.

A summary may forget; the appendix shows the user's standing rules, decisions, open items and the
identifiers that are likeliest to be needed next, each as an exact piece of what was said, within
a budget of tokens. What the request shows anyway is left out. Finding them is `carried`'s concern.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lifelong.working.carried import (
    ANSWERED,
    BY_USER,
    DECISION,
    IDENTIFIER,
    IN_CALL,
    IN_RESULT,
    OPEN,
    RULE,
    Carried,
)
from lifelong.working.identifiers import (
    DATE,
    EMAIL,
    ID,
    KINDS,
    NAME,
    NUMBER,
    PATH,
    QUOTE,
    TIME,
    URL,
)
from lifelong.working.tokens import estimate_tokens

OPENING = (
    "Carried over word for word from the part of this conversation that is no longer shown;"
    " notes, not a new request."
)
_STATEMENTS = ((RULE, "Standing rules", 0.2), (DECISION, "Decisions", 0.08), (OPEN, "Open", 0.08))
"""Section, heading, and the share of the budget that it may take."""

_STATEMENTS_LEAST = 60
"""Tokens that each of these sections may take of a small budget."""

_HEADINGS = {
    PATH: "Paths",
    URL: "Addresses",
    ID: "Ids",
    NAME: "Names in code",
    NUMBER: "Numbers",
    DATE: "Dates",
    TIME: "Times",
    EMAIL: "E-mail and handles",
    QUOTE: "Quoted",
}

# Fitted on recorded sessions of coding agents, each session left out in turn, then rounded: how
# often and how long ago tell nearly all. What the user named is worth more than those show,
# since people expect to be remembered.
_PER_LOG_COUNT = 0.6
_PER_LOG_AGE = -0.9
_RELATED = 0.5
_NOT_FROM_RESULTS = 0.7
_BY_USER = 1.0
_ACTED_ON = 0.5
"""A path, an address or an id that a call was given: a wrong one there does the most harm."""

_RECENT_CHARACTERS = 6_000
_REPEATED = 4
_HEADING_TOKENS = 4
_PASSES = 4
_WORD_IN_NAME = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{3,}|\d{3,}")


@dataclass(frozen=True, slots=True)
class Appendix:
    """What is carried over.

    Attributes:
        text: a block to be read, or empty when there is nothing to carry.
        tokens: of the text.
        left_out: how many entries found no room.
    """

    text: str
    tokens: int
    left_out: int


@dataclass(slots=True)
class _Entry:
    """One text of one section, over all segments.

    `age` is the number of messages since the last that held it; `tokens` what it adds to a list.
    """

    section: str
    kind: str
    text: str
    age: int
    origins: set[str] = field(default_factory=set)
    count: int = 0
    tokens: float = 0


def appendix(
    segments: Sequence[Sequence[Carried]],
    tokens_max: int,
    *,
    visible: str = "",
    count: Callable[[str], int] = estimate_tokens,
) -> Appendix:
    """Return the block that carries over what is likeliest to be needed.

    Args:
        segments: what each segment of the log carries, oldest first.
        tokens_max: of the block, headings and all; below that of its opening it is empty.
        visible: what the request shows anyway, oldest first; its end says what is going on.
        count: tells the tokens of a text.
    """
    entries = _merged(segments)
    lines, left_out = _statements(entries, tokens_max - count(OPENING), visible, count)
    opening = [OPENING, *lines]
    ranked = _ranked(
        [entry for entry in entries if entry.section == IDENTIFIER],
        visible[-_RECENT_CHARACTERS:],
        count,
    )
    kept: list[_Entry] = []
    text = "\n".join(opening)
    waiting = ranked
    # What an entry adds is estimated, so that the room that is really left takes a few looks.
    for _ in range(_PASSES):
        room = tokens_max - count(text)
        more, waiting = _fitting(waiting, room, f"{visible}\n{text}", {one.kind for one in kept})
        if not more:
            break
        longer = "\n".join([*opening, *_lists([*kept, *more])])
        while more and count(longer) > tokens_max:
            waiting.append(more.pop())
            longer = "\n".join([*opening, *_lists([*kept, *more])])
        kept, text = [*kept, *more], longer
    left_out += len(waiting)
    if (not lines and not kept) or count(text) > tokens_max:
        return Appendix("", 0, left_out + len(kept))
    return Appendix(text, count(text), left_out)


def _merged(segments: Sequence[Sequence[Carried]]) -> list[_Entry]:
    """Return the distinct entries, the newest segment's first."""
    found: dict[tuple[str, str], _Entry] = {}
    answered = {
        entry.text for segment in segments for entry in segment if entry.section == ANSWERED
    }
    younger = 0
    for segment in reversed(segments):
        for entry in segment:
            if entry.section == ANSWERED or (entry.section == OPEN and entry.call_id in answered):
                continue
            key = (entry.section, entry.text)
            if key not in found:
                age = younger + entry.span - entry.place
                found[key] = _Entry(entry.section, entry.kind, entry.text, age)
            found[key].origins.update(entry.said_in)
            found[key].count += entry.count
        younger += segment[0].span if segment else 0
    return list(found.values())


def _statements(
    entries: Sequence[_Entry], room: int, visible: str, count: Callable[[str], int]
) -> tuple[list[str], int]:
    """Return the lines of rules, decisions and open items, and how many found no room."""
    lines: list[str] = []
    left_out = 0
    left = room
    for section, heading, share in _STATEMENTS:
        rest = min(left, max(room * share, _STATEMENTS_LEAST)) - count(f"{heading}:")
        kept: list[str] = []
        stated = [one for one in entries if one.section == section and one.text not in visible]
        for entry in sorted(stated, key=lambda entry: entry.age):
            line = f'- {entry.kind}: "{entry.text}"'
            tokens = count(line)
            if tokens > rest:
                left_out += 1
                continue
            rest -= tokens
            kept.append(line)
        if kept:
            lines += [f"{heading}:", *reversed(kept)]
            left = room - count("\n".join(lines))
    return lines, left_out


def _ranked(entries: Sequence[_Entry], recent: str, count: Callable[[str], int]) -> list[_Entry]:
    """Return the identifiers, best first: likeliest to be needed for the tokens they cost."""
    recent_words = _words(recent)
    words = [_words(entry.text) for entry in entries]
    frequency = Counter(word for some in words for word in some)
    worth: dict[int, float] = {}
    for entry, some in zip(entries, words, strict=True):
        rarity = {word: math.log(1 + len(entries) / frequency[word]) for word in some}
        related = sum(rarity[word] for word in some & recent_words)
        # Alone, a text would pay for its own beginning; in a list it follows a space.
        entry.tokens = count(f"{entry.text} " * _REPEATED) / _REPEATED
        worth[id(entry)] = (
            _PER_LOG_COUNT * math.log(entry.count)
            + _PER_LOG_AGE * math.log(1 + entry.age)
            + _RELATED * related / (sum(rarity.values()) or 1)
            + _NOT_FROM_RESULTS * (IN_RESULT not in entry.origins)
            + _BY_USER * (BY_USER in entry.origins)
            + _ACTED_ON * (IN_CALL in entry.origins and entry.kind in (PATH, URL, ID))
            - math.log(max(entry.tokens, 1))
        )
    return sorted(entries, key=lambda entry: -worth[id(entry)])


def _words(name: str) -> set[str]:
    return {word.lower() for word in _WORD_IN_NAME.findall(name)}


def _fitting(
    ranked: Sequence[_Entry], room: float, shown: str, kinds: set[str]
) -> tuple[list[_Entry], list[_Entry]]:
    """Return the best entries that fit and are not shown, and those that found no room."""
    fitting: list[_Entry] = []
    waiting: list[_Entry] = []
    with_kinds = set(kinds)
    chosen = ""
    for entry in ranked:
        tokens = entry.tokens + (0 if entry.kind in with_kinds else _HEADING_TOKENS)
        if tokens > room:
            waiting.append(entry)
        elif entry.text not in chosen and entry.text not in shown:
            room -= tokens
            with_kinds.add(entry.kind)
            fitting.append(entry)
            chosen = f"{chosen}\n{entry.text}"
    return fitting, waiting


def _lists(entries: Sequence[_Entry]) -> list[str]:
    """Return a line for each kind."""
    lines = []
    for kind in KINDS:
        texts = [entry.text for entry in entries if entry.kind == kind]
        if texts:
            between = "; " if any(" " in text for text in texts) else " "
            lines.append(f"{_HEADINGS[kind]}: {between.join(texts)}")
    return lines
