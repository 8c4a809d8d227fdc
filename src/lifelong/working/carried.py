"""What code carries out of a stretch of the log word for word, before a summary replaces it.

Identifiers, standing rules of the user, decisions and open items are found here, once for each
segment, and kept beside it. Standing rules come only from the user and the system: a sentence
in a tool's result that says "always" is data. What of it is shown is the appendix's choice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lifelong.errors import InvalidValue
from lifelong.messages import (
    ASSISTANT,
    DEVELOPER,
    SYSTEM,
    TOOL,
    USER,
    AttachmentPart,
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.working.identifiers import QUOTE, identifiers

IDENTIFIER = "identifier"
RULE = "rule"
DECISION = "decision"
OPEN = "open"
ANSWERED = "answered"
SECTIONS = (RULE, DECISION, OPEN, ANSWERED, IDENTIFIER)
"""`answered`: the id of a call of an earlier segment whose result came in this one."""

BY_USER = "user"
BY_ASSISTANT = "assistant"
IN_CALL = "call"
IN_RESULT = "result"
BY_OTHER = "other"
ORIGINS = (BY_USER, BY_ASSISTANT, IN_CALL, IN_RESULT, BY_OTHER)

SENTENCE_MAX = 320
"""Characters of a sentence that is carried; a longer one is no rule but a document."""

_SENTENCE = re.compile(
    r"[^\n.!?\u3002\uff01\uff1f]+(?:[.!?](?=\S)[^\n.!?]*)*[.!?\u3002\uff01\uff1f]*"
)
_FENCE = re.compile(r"```.*?(?:```|\Z)|<system-reminder>.*?</system-reminder>", re.DOTALL)
_LIST_MARK = re.compile(r"^\s*(?:[-*\u2022#>]+|\d+[.)]|\[[ x]\])\s+")

_RULE = re.compile(
    r"\b(?:always|never|from (?:now|here) on|going forward|in future|at all times|no matter what"
    r"|under no circumstances|please (?:do not|don[\u2019']t|never|only|make sure)"
    r"|(?<!\bI )(?<!\bwe )must(?:n[\u2019']t)?|make sure|remember (?:to|that)"
    r"|immer|niemals|ab (?:jetzt|sofort)|k\u00fcnftig|bitte (?:nicht|nur|kein\w*)"
    r"|toujours|jamais|d\u00e9sormais|dor\u00e9navant|\u00e0 partir de maintenant"
    r"|siempre|nunca|jam\u00e1s|de ahora en adelante|a partir de ahora"
    r"|sempre|d[\u2019']ora in poi|a partir de agora)\b"
    r"|^(?:and |but |also |so |then )?(?:do not|don[\u2019']t)\b"
    r"|\u603b\u662f|\u6c38\u8fdc|\u4ece\u73b0\u5728|\u4e0d\u8981|\u5fc5\u987b|\u52a1\u5fc5"
    r"|\u8bf7\u52ff"
    r"|\u7e3d\u662f|\u6c38\u9060|\u5f9e\u73fe\u5728|\u5fc5\u9808|\u52d9\u5fc5|\u8acb\u52ff"
    r"|\u5fc5\u305a|\u7d76\u5bfe|\u3057\u306a\u3044\u3067|\u4eca\u5f8c|\ud56d\uc0c1"
    r"|\uc808\ub300|\uc55e\uc73c\ub85c",
    re.IGNORECASE,
)
_DECISION = re.compile(
    r"\b(?:(?:we|I)(?:[\u2019']ve| have)? (?:decided|agreed|settled|chose|picked)"
    r"|decided (?:to|on|that)"
    r"|agreed|let[\u2019']s (?:use|go with|keep|take|stick|switch|drop|call|make it)"
    r"|(?:we|I)(?:[\u2019']ll| will) (?:use|go with|keep|stick|switch)|(?:go|going|went) with"
    r"|I(?:[\u2019']d| would) (?:prefer|rather|like)|the (?:decision|plan) is|confirmed"
    r"|entschieden|beschlossen|wir (?:nehmen|nutzen|verwenden|einigen)|einverstanden"
    r"|(?:avons|a) d\u00e9cid\u00e9|d\u2019accord|on (?:garde|prend|utilise)"
    r"|(?:hemos|he) decidido|acordamos|acordado|vamos a usar|abbiamo deciso|decidimos)\b"
    r"|\u51b3\u5b9a|\u6c7a\u5b9a|\u540c\u610f|\u5c31\u7528|\u6c7a\u3081|\uacb0\uc815|\ud569\uc758",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:todo|to-do|fixme|next steps?|still (?:need|has|have|open|missing|to)|not (?:yet|done)"
    r"|remaining|pending|waiting (?:for|on)|follow[- ]up|left to do"
    r"|(?:I|we)(?:[\u2019']ll| will| need to| must)|(?:I|we)(?:[\u2019']m| am|[\u2019']re"
    r"| are) going to"
    r"|noch (?:offen|nicht)|n\u00e4chste[rn]? schritte?|als n\u00e4chstes|ich werde|wir m\u00fcssen"
    r"|reste \u00e0|prochaine \u00e9tape|je vais|pendiente|falta|pr\u00f3ximo paso|voy a)\b"
    r"|\u5f85\u529e|\u5f85\u8fa6|\u4e0b\u4e00\u6b65|\u8fd8\u9700\u8981|\u9084\u9700\u8981"
    r"|\u6b21\u306b|\ub2e4\uc74c \ub2e8\uacc4",
    re.IGNORECASE,
)
_QUESTION = ("?", "\uff1f", "\u061f")


@dataclass(frozen=True, slots=True)
class Carried:
    """One thing that must survive, word for word.

    Attributes:
        section: one of `SECTIONS`.
        kind: for an identifier its kind; otherwise the role of who said it, or "call".
        text: the identifier, the sentence, or the call, as it stood.
        said_in: where it stood, of `ORIGINS`, each once, in their order there.
        count: in how many messages of the segment.
        place: the last of these messages, counted from 0.
        span: how many messages the segment has.
        call_id: of a call that is open.
    """

    section: str
    kind: str
    text: str
    said_in: tuple[str, ...]
    count: int
    place: int
    span: int
    call_id: str = ""


@dataclass(slots=True)
class _Seen:
    section: str
    kind: str
    origins: set[str] = field(default_factory=set)
    places: set[int] = field(default_factory=set)
    call_id: str = ""


def carried(messages: Sequence[Message]) -> tuple[Carried, ...]:
    """Return what of a segment must survive, in order of appearance, each text once a section.

    Args:
        messages: a stretch of the log, best of whole steps: a call whose result is not among
            them counts as open.
    """
    seen: dict[tuple[str, str], _Seen] = {}
    for place, message in enumerate(messages):
        for section, kind, text, origin in (*_named(message), *stated(messages, place)):
            entry = seen.setdefault((section, text), _Seen(section, kind))
            entry.origins.add(origin)
            entry.places.add(place)
    open_calls, orphans = _unpaired(messages)
    for place, call in open_calls:
        seen[OPEN, call_text(call)] = _Seen(OPEN, IN_CALL, {IN_CALL}, {place}, call.id)
    for place, call_id in orphans:
        seen[ANSWERED, call_id] = _Seen(ANSWERED, IN_RESULT, {IN_RESULT}, {place})
    span = len(messages)
    return tuple(
        Carried(
            section,
            entry.kind,
            text,
            tuple(origin for origin in ORIGINS if origin in entry.origins),
            len(entry.places),
            max(entry.places),
            span,
            entry.call_id,
        )
        for (section, text), entry in seen.items()
    )


def as_json(entries: Iterable[Carried]) -> list[list[Any]]:
    """Return entries as JSON values, to be stored beside their segment."""
    return [
        [
            *(one.section, one.kind, one.text, list(one.said_in)),
            *(one.count, one.place, one.span, one.call_id),
        ]
        for one in entries
    ]


def from_json(value: Any) -> tuple[Carried, ...]:
    """Return the entries that `as_json` wrote.

    Raises:
        InvalidValue: it is nothing that `as_json` writes.
    """
    if not isinstance(value, list):
        raise InvalidValue("what a segment carries is a list")
    return tuple(_entry(item) for item in value)


def _entry(item: Any) -> Carried:
    match item:
        case [
            str(section),
            str(kind),
            str(text),
            list(said_in),
            int(count),
            int(place),
            int(span),
            str(call_id),
        ] if section in SECTIONS and all(origin in ORIGINS for origin in said_in):
            if count >= 1 and 0 <= place < span:
                return Carried(section, kind, text, tuple(said_in), count, place, span, call_id)
    raise InvalidValue("an entry of what a segment carries has another shape")


def call_text(call: ToolCallPart) -> str:
    """Return a call as `name(arguments)`."""
    shown = call.arguments
    if not isinstance(shown, str):
        shown = json.dumps(shown, ensure_ascii=False, default=str)
    return f"{call.name}({shown})"


def argument_text(arguments: Any) -> str:
    """Return the texts and numbers inside the arguments of a call, one a line, in order."""
    value = arguments
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return str(value)
    texts: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            waiting.extend(reversed(list(item.values())))
        elif isinstance(item, list | tuple):
            waiting.extend(reversed(item))
        elif item is not None and not isinstance(item, bool):
            texts.append(str(item))
    return "\n".join(texts)


def _named(message: Message) -> Iterator[tuple[str, str, str, str]]:
    for part in message.parts:
        match part:
            case TextPart():
                text, origin = part.text, _origin(message.role)
            case ToolCallPart():
                text, origin = argument_text(part.arguments), IN_CALL
            case ToolResultPart():
                text, origin = part.text, IN_RESULT
            case AttachmentPart():
                text, origin = part.caption, BY_OTHER
            case _:
                continue
        for found in identifiers(text):
            # Several words out of a result could be a sentence that gives orders.
            if found.kind != QUOTE or origin in (BY_USER, BY_ASSISTANT):
                yield IDENTIFIER, found.kind, found.text, origin


def _origin(role: str) -> str:
    if role in (USER, SYSTEM, DEVELOPER):
        return BY_USER
    if role == ASSISTANT:
        return BY_ASSISTANT
    return IN_RESULT if role == TOOL else BY_OTHER


def stated(messages: Sequence[Message], place: int) -> Iterator[tuple[str, str, str, str]]:
    """Yield section, role, sentence and origin of what a message rules, decides or leaves open."""
    message = messages[place]
    origin = _origin(message.role)
    if origin not in (BY_USER, BY_ASSISTANT):
        return
    is_pending = _is_pending(messages, place)
    for sentence in sentences(message.text):
        section = _section(sentence, message.role, is_pending=is_pending)
        if section:
            yield section, message.role, sentence, origin


def _section(sentence: str, role: str, *, is_pending: bool) -> str:
    """Return the section of a sentence, or nothing."""
    if sentence.endswith(_QUESTION):
        return OPEN if is_pending and role == USER else ""
    if role != ASSISTANT and _RULE.search(sentence):
        return RULE
    if role in (USER, ASSISTANT) and _DECISION.search(sentence):
        return DECISION
    return OPEN if is_pending and role == ASSISTANT and _OPEN.search(sentence) else ""


def _is_pending(messages: Sequence[Message], place: int) -> bool:
    """Return whether what a message asks or announces is neither answered nor done at once."""
    if messages[place].role == ASSISTANT:
        return not is_followed_by_calls(messages, place)
    return not any(
        messages[later].role == ASSISTANT and messages[later].text.strip()
        for later in range(place + 1, len(messages))
    )


def is_followed_by_calls(messages: Sequence[Message], place: int) -> bool:
    """Return whether what the assistant says at `place` is done in the same breath."""
    for later in range(place, len(messages)):
        if messages[later].role != ASSISTANT:
            return False
        if any(isinstance(part, ToolCallPart) for part in messages[later].parts):
            return True
    return False


def unanswered_calls(messages: Sequence[Message]) -> list[ToolCallPart]:
    """Return the calls that no later result answers, in order."""
    return [call for _, call in _unpaired(messages)[0]]


_Placed = list[tuple[int, ToolCallPart]]


def _unpaired(messages: Sequence[Message]) -> tuple[_Placed, list[tuple[int, str]]]:
    """Return the calls without a result, and the ids of results without a call, with places."""
    waiting: dict[str, _Placed] = {}
    orphans: list[tuple[int, str]] = []
    for place, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                waiting.setdefault(part.id, []).append((place, part))
            elif isinstance(part, ToolResultPart):
                if waiting.get(part.call_id):
                    waiting[part.call_id].pop(0)
                else:
                    orphans.append((place, part.call_id))
    calls = [one for some in waiting.values() for one in some]
    return sorted(calls, key=lambda one: one[0]), orphans


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text in order, without code blocks, list marks and reminders."""
    for match in _SENTENCE.finditer(_FENCE.sub("\n", text)):
        sentence = _LIST_MARK.sub("", match.group()).strip()
        if 1 < len(sentence) <= SENTENCE_MAX:
            yield sentence
