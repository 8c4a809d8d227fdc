"""A summary without a model: the sentences of the conversation that say most of it.

It picks whole sentences of the user and the assistant, in their order, and so invents nothing:
what was asked first, rules and decisions, what shares most words with the rest, and where things
stand at the end; then which calls were made on what. The same messages give the same summary.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from lifelong.messages import ASSISTANT, USER, Message, ToolCallPart
from lifelong.working.carried import (
    DECISION,
    OPEN,
    RULE,
    argument_text,
    call_text,
    is_followed_by_calls,
    sentences,
    stated,
    unanswered_calls,
)
from lifelong.working.identifiers import identifiers
from lifelong.working.summary import SummaryTask, shortened, speaker_of
from lifelong.working.tokens import estimate_tokens

_WORD = re.compile(r"[^\W\d_]{3,}|[\u2e80-\u9fff\uac00-\ud7af]{2}")
_CALL_CHARACTERS = 160
_OPENING_CHARACTERS = 300
_SOURCE_SHARE = 0.6
"""A summary takes no more of its source than this."""

_FIRST_REQUEST = 3.0
_LAST_STATE = 1.5
_STATED = {RULE: 1.5, DECISION: 1.2, OPEN: 0.5}
_BY_USER = 0.4
_LATER = 0.4
_ANNOUNCED = -0.8
"""For "let me look" before a call: it says what the call says, and the result says more."""

_ALIKE = 0.6
_SENTENCE_TOKENS = 8
"""With less room than for this no further sentence is looked for."""

_CALLS = "Calls made"
_NAMED_IN_CALL = 2


@dataclass(slots=True)
class _Sentence:
    place: int
    speaker: str
    text: str
    words: frozenset[str]
    bonus: float
    score: float = 0


def extractive_summary(task: SummaryTask) -> str:
    """Return a summary made of sentences of the task's messages, within its tokens.

    Empty when nobody said or called anything.
    """
    messages = task.messages
    waiting = unanswered_calls(messages)
    notes = [
        f"Not answered yet: {shortened(call_text(call), _CALL_CHARACTERS)}" for call in waiting
    ]
    found = list(_candidates(messages))
    _rate(found)
    source = estimate_tokens("\n".join(one.text for one in found))
    room = task.tokens_max - sum(map(estimate_tokens, notes))
    kept = _best(found, min(room, max(source * _SOURCE_SHARE, 1)))
    lines = list(_shown(kept))
    room -= estimate_tokens("\n".join(lines))
    done = _calls_made(messages, {call.id for call in waiting}, min(room, task.tokens_max // 4))
    return "\n".join([*lines, *done, *notes])


def _best(found: list[_Sentence], room: float) -> list[_Sentence]:
    """Return the best sentences that fit, at least one, and none that says what another says."""
    kept: list[_Sentence] = []
    for one in sorted(found, key=lambda one: (-one.score, one.place)):
        tokens = estimate_tokens(f"{one.speaker}: {one.text}")
        if (tokens > room and kept) or any(_alike(one, other) for other in kept):
            continue
        room -= tokens
        kept.append(one)
        if room < _SENTENCE_TOKENS:
            break
    return kept


def _calls_made(messages: tuple[Message, ...], waiting: set[str], room: float) -> list[str]:
    """Return a line that names the newest answered calls and what they were about."""
    calls = [
        part
        for message in messages
        for part in message.parts
        if isinstance(part, ToolCallPart) and part.id not in waiting
    ]
    shown: dict[str, None] = {}
    room -= estimate_tokens(f"{_CALLS}:.")
    for call in reversed(calls):
        named = [one.text for one in identifiers(argument_text(call.arguments))[:_NAMED_IN_CALL]]
        text = f"{call.name}({', '.join(named)})"
        if text in shown:
            continue
        room -= estimate_tokens(f" {text},")
        if room < 0:
            break
        shown[text] = None
    return [f"{_CALLS}: {', '.join(reversed(shown))}."] if shown else []


def _candidates(messages: tuple[Message, ...]) -> Iterator[_Sentence]:
    spoken = [
        at for at, one in enumerate(messages) if one.role in (USER, ASSISTANT) and one.text.strip()
    ]
    asked = [at for at in spoken if messages[at].role == USER][:1]
    place = 0
    for at in spoken:
        message = messages[at]
        whole = list(sentences(message.text)) or [_opening(message.text)]
        worth = {text: _STATED.get(section, 0) for section, _, text, _ in stated(messages, at)}
        is_announced = is_followed_by_calls(messages, at)
        first = _FIRST_REQUEST * (at in asked) + _LAST_STATE * (at == spoken[-1])
        base = _BY_USER * (message.role == USER) + _LATER * at / len(messages)
        for number, text in enumerate(whole):
            bonus = base + worth.get(text, 0) + first / (1 + number)
            if is_announced or text.endswith(":"):
                bonus += _ANNOUNCED
            words = frozenset(_WORD.findall(text.casefold()))
            yield _Sentence(place, speaker_of(message), text, words, bonus)
            place += 1


def _opening(text: str) -> str:
    """Return the beginning of a text that has no sentence, up to the end of a word."""
    start = text.strip()[: _OPENING_CHARACTERS + 1]
    return start if len(start) <= _OPENING_CHARACTERS else start.rsplit(None, 1)[0]


def _rate(found: list[_Sentence]) -> None:
    """Set the scores: how many of the conversation's words a sentence has, and its bonus."""
    frequency = Counter(word for one in found for word in one.words)
    weight = {word: math.log1p(times) for word, times in frequency.items()}
    central = [
        sum(weight[word] for word in sorted(one.words)) / (4 + len(one.words)) for one in found
    ]
    highest = max(central, default=0) or 1
    for one, centrality in zip(found, central, strict=True):
        one.score = one.bonus + centrality / highest


def _alike(one: _Sentence, other: _Sentence) -> bool:
    if one.text == other.text:
        return True
    both = len(one.words & other.words)
    return both > 0 and both >= _ALIKE * len(one.words | other.words)


def _shown(kept: list[_Sentence]) -> Iterator[str]:
    speaker, line = "", ""
    for one in sorted(kept, key=lambda one: one.place):
        if line and one.speaker == speaker:
            line = f"{line} {one.text}"
            continue
        if line:
            yield line
        speaker, line = one.speaker, f"{one.speaker}: {one.text}"
    if line:
        yield line
