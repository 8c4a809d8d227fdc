"""What a user says that is worth keeping, found by phrases alone, without a model.

Most messages yield nothing. A phrase counts only at the beginning of a clause that the user says
in earnest: no question, no condition that is not so, nothing that somebody else said or wrote,
nothing that holds for this once. What is proposed are the user's own words, cut and not rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lifelong.memory.phrases.clauses import Span, clauses, sentences
from lifelong.memory.phrases.dates import day_ahead, start_of
from lifelong.memory.phrases.own_words import spoken_text, without_pasted, without_quotations
from lifelong.memory.phrases.patterns import Language, Rule, languages
from lifelong.messages import USER, Message
from lifelong.writing import Proposal

RULES_NAME = "rules/1"
"""Under which name a message counts as read by these rules; another number reads it again."""

SPOKEN_CHARACTERS_MAX = 6_000
"""A message with more words of its author's own is a document, and nothing is taken from it."""

QUOTE_MAX = 320
EXPLICIT_IMPORTANCE = 8
_IMPORTANCE_MAX = 10
_ONE_DAY = timedelta(days=1)
_OPENERS_MAX = 4
_TRAILING_CHARACTERS = 20
_LIKE_ASCII = str.maketrans("\u2019\u2018\u02bc\uff07\u00a0\u202f", "''''  ")


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause that may be kept, in the sentence that it is part of.

    Attributes:
        text: of the message, to be matched; every character stands where it does in the message.
        start, end: of the clause, without its openers.
        joined: where the condition before it starts, or -1.
        widened: where the sentence starts, if the clause is not its first, or -1.
        corrects: whether it says that something was wrong.
    """

    text: str
    start: int
    end: int
    joined: int
    widened: int
    corrects: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A clause that a rule matches: where its quote and its text begin, and when it is true."""

    rule: Rule
    start: int
    text_start: int
    end: int
    day: datetime | None = None


def propose(messages: Sequence[Message], *, now: datetime) -> tuple[Proposal, ...]:
    """Return what the user says of themselves, wants, rules, decides and plans, in order.

    Args:
        messages: of one conversation, in order; only those of the user are read. A game of roles
            that one of them begins lasts until one ends it.
        now: when a message without a time of its own was said; aware.
    """
    found: dict[str, Proposal] = {}
    is_play = False
    for message in messages:
        if message.role != USER:
            continue
        spoken = spoken_text(message).translate(_LIKE_ASCII)
        if not 0 < len(spoken.replace("\n", "")) <= SPOKEN_CHARACTERS_MAX:
            continue
        is_play = _is_play(spoken, is_play)
        if not is_play:
            for proposal in _of_message(message, spoken, message.sent_at or now):
                found.setdefault(proposal.text.casefold(), proposal)
    return tuple(found.values())


def _is_play(spoken: str, was_play: bool) -> bool:
    if was_play:
        return not any(language.play_ends.search(spoken) for language in languages())
    return any(language.play_starts.search(spoken) for language in languages())


def _of_message(message: Message, spoken: str, said: datetime) -> Iterator[Proposal]:
    taken: list[tuple[int, int]] = []
    for language in languages():
        if not language.speaks.search(spoken) or language.fiction.search(spoken):
            continue
        text = without_quotations(without_pasted(spoken, language.pasted))
        for sentence in sentences(text, language):
            for clause in _tellings(text, sentence, language):
                found = _match(clause, language, said)
                # One clause says one thing, in one language.
                if found and not any(a < found.end and found.start < b for a, b in taken):
                    taken.append((found.start, found.end))
                    yield _proposal(message, found, clause, language)


def _tellings(text: str, sentence: Span, language: Language) -> Iterator[_Clause]:
    """Yield the clauses of a sentence that tell something in earnest."""
    condition = -1
    opened, is_correction = _after_openers(text, sentence, language)
    for part in clauses(text, replace(sentence, start=opened), language):
        start, corrects = _after_openers(text, part, language)
        corrects = corrects or (is_correction and part.start == opened)
        end = _before_trailing(text, start, part.end, language)
        if part.is_question or language.asks.match(text, start, part.end):
            return
        if language.unreal.search(text, sentence.start, part.end):
            return
        if language.reported.search(text, sentence.start, part.start):
            return
        widened = opened if part.start > opened else -1
        yield _Clause(text, start, end, condition, widened, corrects)
        if not language.condition.match(text, start, part.end):
            condition = -1
        elif condition < 0:
            condition = start


def _after_openers(text: str, part: Span, language: Language) -> tuple[int, bool]:
    start, corrects = part.start, False
    for _ in range(_OPENERS_MAX):
        opener = language.opener.match(text, start, part.end)
        if not opener or not opener.end() > start:
            break
        corrects = corrects or language.corrects.match(text, start, opener.end()) is not None
        start = opener.end()
    return start, corrects


def _before_trailing(text: str, start: int, end: int, language: Language) -> int:
    # A pattern that may begin anywhere is only tried on the few words where it can end.
    at = max(start, end - _TRAILING_CHARACTERS)
    found = language.trailing.search(text, at, end)
    return found.start() if found else end


def _match(clause: _Clause, language: Language, said: datetime) -> _Found | None:
    """Return what the first rule that matches makes of a clause, if it may be kept."""
    for rule in language.rules:
        match = rule.match(clause.text, clause.start, clause.end)
        if match is None:
            continue
        found = _Found(rule, clause.start, clause.start, clause.end)
        if rule.is_explicit:
            return _explicit(found, match.start("rest"), clause, language, said)
        if rule.dates:
            day = day_ahead(clause.text[clause.start : clause.end], language.dates, said.date())
            if day is None:
                continue
            found = replace(found, day=start_of(day, said))
        if rule.is_standing:
            return _standing(found, match.end(), clause, language)
        if clause.joined >= 0 and not rule.takes_condition:
            return None
        return _short(found)
    return None


def _explicit(
    found: _Found, rest: int, clause: _Clause, language: Language, said: datetime
) -> _Found | None:
    """Return what somebody asks to remember, as the kind of thing that it is."""
    is_cut = rest > clause.start
    told = replace(clause, start=rest, joined=-1, widened=-1)
    inner = _match(told, language, said) if is_cut else None
    if inner is None:
        return _short(replace(found, text_start=rest))
    importance = max(inner.rule.importance, EXPLICIT_IMPORTANCE)
    return replace(inner, start=found.start, rule=replace(inner.rule, importance=importance))


def _standing(found: _Found, said_to: int, clause: _Clause, language: Language) -> _Found | None:
    """Return what holds beyond this request, with the words that it needs to be understood."""
    start = clause.joined if clause.joined >= 0 else clause.start
    if language.one_off.search(clause.text, start, clause.end):
        return None
    if clause.joined >= 0:
        if not found.rule.takes_condition:
            return None
        found = replace(found, start=clause.joined, text_start=clause.joined)
    if language.dangling.match(clause.text, said_to, clause.end):
        if clause.widened < 0:
            return None
        found = replace(found, start=clause.widened, text_start=clause.widened)
    return _short(found)


def _short(found: _Found) -> _Found | None:
    return found if found.end - found.start <= QUOTE_MAX else None


def _proposal(message: Message, found: _Found, clause: _Clause, language: Language) -> Proposal:
    rule, said = found.rule, message.text
    text = " ".join(said[found.text_start : found.end].split())
    text = text[:1].upper() + text[1:]
    if found.day:
        text = f"{text} ({found.day.date().isoformat()})"
    return Proposal(
        text=text,
        quote=said[found.start : found.end],
        message_id=message.id or "",
        kind=rule.kind,
        importance=min(rule.importance + clause.corrects, _IMPORTANCE_MAX),
        key=rule.key,
        valid_from=found.day if rule.dates == "from" else None,
        valid_to=found.day + _ONE_DAY if found.day and rule.dates == "to" else None,
        made_by=f"rule:{language.code}/correction" if clause.corrects else rule.name,
    )
