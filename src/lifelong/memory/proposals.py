"""What a model proposed, judged: a proposal stands only if its quote stands in its source.

A model may answer with prose, torn JSON, a hundred facts, facts of other people, its own prompt,
words that nobody said. Each proposal is judged by itself, and the reason why one falls is told. An
answer that is none at all is an error, never an empty success.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from lifelong.errors import ExtractionUnusable
from lifelong.memory.entry import IMPORTANCE_MAX
from lifelong.memory.extraction import (
    ABOUT,
    INSTRUCTIONS,
    PROPOSALS_MAX,
    SOMEBODY_ELSE,
    TEXT_MAX,
    THE_USER,
)
from lifelong.memory.languages import FIRST_PERSON, UNSPACED_FIRST_PERSON, language_of
from lifelong.memory.phrases import propose
from lifelong.memory.phrases.own_words import spoken_text
from lifelong.messages import ASSISTANT, USER, Message, TextPart
from lifelong.records import KINDS
from lifelong.writing import Proposal

ANSWER_CHARACTERS_MAX = 2_000_000
QUOTE_LETTERS_MIN = 3
OTHERS_IMPORTANCE_MAX = 4
_ECHO_WORDS = 6
_OWN_KINDS = ("preference", "constraint", "procedure")
_FENCED = re.compile(r"```[\w-]*\s*\n(.*?)```", re.DOTALL)
_CLUSTER = re.compile(
    "\\s+|.[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u0900-\u0903\u093a-\u094f\u1160-\u11ff\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    "\ufe20-\ufe2f]*",
    re.DOTALL,
)
"""A run of white space, or a character with the marks that belong to it."""

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"(?<=[a-z\u00df-\u00ff,;] )[A-Z\u00c0-\u00de][\w-]+")
_OTHERS = re.compile(
    r"\W*(?:he|she|they|his|her|their|er|seine?|ihre?|\u00e9l|ella|ellos|ellas|il|elle)\b"
    "|\\W*[\u4ed6\u5979]",
    re.IGNORECASE,
)
_NOT_SAID = frozenset(("user", "users"))
_CASTS_A_ROLE = re.compile(
    r"\b(?:you are|you're|act as) an? (?:\w+ ){0,3}(?:extractor|assistant|model|ai)\b|<transcript",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A proposal that does not stand: its place in the answer, from 0 on, and why."""

    place: int
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What stands of an answer, and what does not."""

    proposals: tuple[Proposal, ...]
    rejected: tuple[Rejected, ...]


class _Unfit(Exception):
    """A proposal cannot stand; its argument says why."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A message as quotes are looked for in it.

    Attributes:
        message: whose words they are.
        own: its text without what others wrote; see `phrases.own_words`.
        flat: `own` in normal form, each run of white space one blank.
        starts, ends: where each character of `flat` stands in the text.
    """

    message: Message
    own: str
    flat: str
    starts: Sequence[int]
    ends: Sequence[int]

    def find(self, flat_quote: str) -> str | None:
        """Return the words as they stand in the message, or None if they do not."""
        at = self.flat.find(flat_quote)
        if at < 0:
            return None
        start, end = self.starts[at], self.ends[at + len(flat_quote) - 1]
        found = self.message.text[start:end]
        # What others wrote was blanked: a quote must not reach over it.
        return found if found == self.own[start:end] else None


def checked(
    answer: object,
    messages: Sequence[Message],
    *,
    made_by: str,
    now: datetime,
    takes_assistant: bool = False,
) -> Checked:
    """Return what stands of an extractor's answer.

    A key and times never come from a model: they are what the rules find in the quote, so that a
    model cannot replace a memory by naming its key.

    Args:
        answer: JSON text, perhaps in a fence or after a model's thinking, or the value itself.
        messages: of the task, by number.
        made_by: the extractor's name.
        now: when messages without a time of their own were said; aware.
        takes_assistant: whether the words of the assistant may be quoted too.

    Raises:
        ExtractionUnusable: the answer holds no list of memories.
    """
    sources = [_source(message) for message in messages]
    seen: set[str] = set()
    stand: list[tuple[int, Proposal]] = []
    rejected: list[Rejected] = []
    for place, item in enumerate(_items(answer)):
        try:
            proposal = _proposal(item, sources, now, takes_assistant=takes_assistant)
        except _Unfit as unfit:
            rejected.append(Rejected(place, str(unfit)))
            continue
        if proposal.text.casefold() in seen:
            rejected.append(Rejected(place, "the answer has it already"))
            continue
        seen.add(proposal.text.casefold())
        stand.append((place, replace(proposal, made_by=made_by)))
    stand.sort(key=lambda one: (-one[1].importance, one[0]))
    over = f"the answer has more than {PROPOSALS_MAX}"
    rejected += [Rejected(place, over) for place, _ in stand[PROPOSALS_MAX:]]
    kept = sorted(stand[:PROPOSALS_MAX], key=lambda one: one[0])
    return Checked(tuple(proposal for _, proposal in kept), tuple(rejected))


def _items(answer: object) -> Sequence[object]:
    value = _parsed(answer) if isinstance(answer, str) else answer
    if isinstance(value, Mapping):
        value = value.get("memories")
    if not isinstance(value, list | tuple):
        raise ExtractionUnusable("the answer holds no list of memories")
    return value


def _parsed(answer: str) -> Any:
    if len(answer) > ANSWER_CHARACTERS_MAX:
        raise ExtractionUnusable(f"the answer has {len(answer)} characters")
    if not answer.strip():
        raise ExtractionUnusable("the answer is empty")
    for text in _candidates(answer):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if not isinstance(value, dict | list):
            break
        return value
    raise ExtractionUnusable("the answer is no JSON")


def _candidates(answer: str) -> Iterator[str]:
    """Yield what of an answer may be its JSON: all after the thinking, in a fence, in brackets."""
    said = answer.strip()
    if said.startswith("<think>"):
        said = said.partition("</think>")[2]
    yield said
    fenced = _FENCED.search(said)
    if fenced:
        yield fenced[1]
    starts = [at for at in (said.find("{"), said.find("[")) if at >= 0]
    end = max(said.rfind("}"), said.rfind("]"))
    if starts and end > min(starts):
        yield said[min(starts) : end + 1]


def _proposal(
    item: object, sources: Sequence[_Source], now: datetime, *, takes_assistant: bool
) -> Proposal:
    if not isinstance(item, Mapping):
        raise _Unfit("it is no object")
    text = _composed(" ".join(_text(item, "text").split()))
    kind, importance, about = _judgement(item)
    source, quote = _quoted(item, sources, takes_assistant=takes_assistant)
    _check_text(text, sources)
    is_others = about == SOMEBODY_ELSE or (kind in _OWN_KINDS and _is_of_others(quote))
    if is_others:
        kind = "fact" if kind in _OWN_KINDS else kind
        importance = min(importance, OTHERS_IMPORTANCE_MAX)
    proposal = Proposal(
        text=text,
        quote=quote,
        message_id=source.message.id or "",
        kind=kind,
        importance=importance,
    )
    if is_others or source.message.role != USER:
        return proposal
    return _with_key_and_times(proposal, source.message, now)


def _text(item: Mapping[Any, Any], name: str) -> str:
    value = item.get(name)
    if not isinstance(value, str):
        raise _Unfit(f"its {name} is no text")
    if not any(map(str.isalnum, value)):
        raise _Unfit(f"its {name} is empty")
    return value


def _judgement(item: Mapping[Any, Any]) -> tuple[str, int, str]:
    kind, importance, about = item.get("kind"), item.get("importance"), item.get("about", THE_USER)
    if not isinstance(kind, str) or kind not in KINDS:
        raise _Unfit("its kind is none")
    if type(importance) is not int or not 1 <= importance <= IMPORTANCE_MAX:
        raise _Unfit(f"its importance is no whole number from 1 to {IMPORTANCE_MAX}")
    if not isinstance(about, str) or about not in ABOUT:
        raise _Unfit("whom it is about is not said")
    return kind, importance, about


def _quoted(
    item: Mapping[Any, Any], sources: Sequence[_Source], *, takes_assistant: bool
) -> tuple[_Source, str]:
    """Return the message that holds the quote by its author's own words, and the quote there."""
    quote = _flat(_text(item, "quote"))[0].strip()
    if sum(map(str.isalnum, quote)) < QUOTE_LETTERS_MIN:
        raise _Unfit("its quote is too short to say anything")
    roles = (USER, ASSISTANT) if takes_assistant else (USER,)
    number = item.get("message")
    named = type(number) is int and 1 <= number <= len(sources)
    first = [sources[number - 1]] if named and isinstance(number, int) else []
    for source in (*first, *sources):
        if source.message.role in roles:
            found = source.find(quote)
            if found is not None:
                return source, found
    if any(quote in _flat(source.message.text)[0] for source in sources):
        raise _Unfit("its quote is not in the user's own words")
    raise _Unfit("its quote stands in no message")


def _check_text(text: str, sources: Sequence[_Source]) -> None:
    if len(text) > TEXT_MAX:
        raise _Unfit(f"its text is over {TEXT_MAX} characters")
    if _CASTS_A_ROLE.search(text) or not _ECHOES.isdisjoint(_runs(text)):
        raise _Unfit("it repeats the instructions")
    _check_said(text, sources)


def _check_said(text: str, sources: Sequence[_Source]) -> None:
    """Refuse a number or name that none of the messages holds: the model made it up."""
    said = _composed("\n".join(source.message.text for source in sources))
    if not set(_NUMBER.findall(text)) <= set(_NUMBER.findall(said)):
        raise _Unfit("it has a number that nobody said")
    # German writes every noun like a name.
    words = text.casefold().split()
    names = [] if language_of(words, text) == "de" else _NAME.findall(text)
    folded = said.casefold()
    speakers = {source.message.speaker.casefold() for source in sources if source.message.speaker}
    known = _NOT_SAID.union(*(speaker.split() for speaker in speakers))
    if any(name.casefold() not in folded and name.casefold() not in known for name in names):
        raise _Unfit("it has a name that nobody said")


def _is_of_others(quote: str) -> bool:
    if not _OTHERS.match(quote):
        return False
    words = re.split(r"\W+", quote.casefold())
    return FIRST_PERSON.isdisjoint(words) and UNSPACED_FIRST_PERSON.isdisjoint(quote)


def _with_key_and_times(proposal: Proposal, message: Message, now: datetime) -> Proposal:
    alone = replace(message, parts=(TextPart(proposal.quote),))
    found = propose([alone], now=now)
    if len(found) != 1:
        return proposal
    rule = found[0]
    return replace(proposal, key=rule.key, valid_from=rule.valid_from, valid_to=rule.valid_to)


def _source(message: Message) -> _Source:
    own = spoken_text(message)
    return _Source(message, own, *_flat(own))


def _flat(text: str) -> tuple[str, list[int], list[int]]:
    shown: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTER.finditer(text):
        piece = " " if match[0].isspace() else _composed(match[0])
        for character in piece:
            shown.append(character)
            starts.append(match.start())
            ends.append(match.end())
    return "".join(shown), starts, ends


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _runs(text: str) -> Iterable[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return zip(*(words[shift:] for shift in range(_ECHO_WORDS)), strict=False)


_ECHOES = frozenset(_runs(INSTRUCTIONS))
