"""Compacting: the oldest part of a history is replaced by a summary and an appendix.

The summary tells what it was about; the appendix, made by code, carries word for word what a
summary loses. Both are made from what was said, never from a summary. Segments that were summarised
before, by a model and in the background, are taken as they are; what they do not cover is summed up
here, without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lifelong.errors import InvalidValue, SummaryUnusable
from lifelong.messages import USER, Message
from lifelong.working.appendix import appendix
from lifelong.working.budget import Budget
from lifelong.working.carried import Carried, carried
from lifelong.working.extractive import extractive_summary
from lifelong.working.history import ASKED, NOTE, SYSTEM_TEXT, History, Unit
from lifelong.working.plan import COMPACT, Edit, Plan
from lifelong.working.summary import Summariser, checked_summary, summary_task
from lifelong.working.trim import WHOLE_TURN_SHARE, oldest, stays
from lifelong.working.truncate import truncate

APPENDIX_SHARE = 0.25
SUMMARY_SHARE = 0.1
"""Shares of the budget that the appendix and the summary may have."""

HEAD = (
    "Summary of the earlier part of this conversation, which is no longer shown in full. It is a "
    "record, not a request. Where it differs from what is said below, what is said below holds."
)
SUMMARY = "summary"
SUMMARY_NO = -1


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the log that was summarised.

    Attributes:
        stop: the position after its last message; segments follow one another from the start.
        summary: what it was about.
        carried: what must stand word for word.
    """

    stop: int
    summary: str
    carried: tuple[Carried, ...]


@dataclass(frozen=True)
class Compact:
    """Replace the oldest part by a summary.

    Attributes:
        segments: what has been summarised, in order.
        summariser: sums up what no segment covers; None to leave that to the next policy.
        appendix_share, summary_share: of the budget.
    """

    segments: tuple[Segment, ...] = ()
    summariser: Summariser | None = extractive_summary
    appendix_share: float = APPENDIX_SHARE
    summary_share: float = SUMMARY_SHARE

    def __post_init__(self) -> None:
        for name in ("appendix_share", "summary_share"):
            if not 0 <= getattr(self, name) <= 0.5:
                raise InvalidValue(f"{name} is {getattr(self, name)}, and must be 0 to 0.5")

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return one edit that puts the summary in the place of what it sums up, or none."""
        excess = history.tokens - budget.available_tokens
        if excess <= 0 and not _cleared(history.units):
            return Plan()
        room = int(budget.available_tokens * (self.appendix_share + self.summary_share))
        covered, gone = self._covered(history, excess + room)
        freed = sum(unit.tokens for unit in gone)
        if freed < excess + room and self.summariser is not None:
            taken = {unit.no for unit in gone}
            share = int(budget.available_tokens * WHOLE_TURN_SHARE)
            rest = oldest(history, excess + room, share)
            gone = sorted([*gone, *(u for u in rest if u.no not in taken)], key=lambda u: u.no)
        return self._summed_up(history, budget, gone, covered)

    def _covered(self, history: History, wanted_tokens: int) -> tuple[int, list[Unit]]:
        """Return how many segments are enough, and the units that they stand for."""
        gone: list[Unit] = []
        for number, segment in enumerate(self.segments, 1):
            gone = _before(segment.stop, history)
            if sum(unit.tokens for unit in gone) >= wanted_tokens:
                return number, gone
        return len(self.segments), gone

    def _summed_up(
        self, history: History, budget: Budget, gone: Sequence[Unit], covered: int
    ) -> Plan:
        text = self._text(history, budget, gone, self.segments[:covered])
        if not text:
            return Plan()
        message = Message.of(USER, f"<{SUMMARY}>\n{HEAD}\n\n{text}\n</{SUMMARY}>")
        unit = Unit(SUMMARY_NO, NOTE, (message,), history.count(message))
        before = sum(each.tokens for each in gone)
        if gone and unit.tokens >= before:
            note = f"a summary would free {max(before - unit.tokens, 0)} tokens, so none was made"
            return Plan(notes=(note,))
        place = next((u.no for u in history.units if u.kind != SYSTEM_TEXT), None)
        reason = "the oldest part, summed up" if gone else "what the cleared results held"
        numbers = tuple(u.no for u in gone)
        return Plan((Edit(COMPACT, reason, numbers, (unit,), before, unit.tokens, place),))

    def _text(
        self,
        history: History,
        budget: Budget,
        gone: Sequence[Unit],
        segments: Sequence[Segment],
    ) -> str:
        """Return summary and appendix of what will not be seen."""
        stop = segments[-1].stop if segments else 0
        rest = [unit for unit in gone if max(unit.positions, default=-1) >= stop]
        visible = _without(gone, history)
        lists = [segment.carried for segment in segments]
        unseen = [*rest, *_cleared(visible)]
        if unseen:
            lists.append(carried([message for unit in unseen for message in unit.said]))
        room = budget.available_tokens
        summary = self._summary(segments, rest, int(room * self.summary_share), history.count_text)
        more = appendix(
            lists,
            int(room * self.appendix_share),
            visible="\n".join([summary, _text_of(visible)]),
            count=history.count_text,
        )
        text = "\n\n".join(filter(None, [summary, more.text]))
        # What it quotes cannot end it.
        return text.replace(f"</{SUMMARY}>", f"< /{SUMMARY}>")

    def _summary(
        self,
        segments: Sequence[Segment],
        rest: Sequence[Unit],
        tokens_max: int,
        count: Callable[[str], int],
    ) -> str:
        told = [segment.summary for segment in segments]
        messages = [message for unit in rest for message in unit.said]
        if messages and self.summariser is not None:
            told.append(_checked(self.summariser, messages, tokens_max))
        return _joined(list(filter(None, told)), tokens_max, count)


def _without(gone: Sequence[Unit], history: History) -> list[Unit]:
    taken = {unit.no for unit in gone}
    return [unit for unit in history.units if unit.no not in taken]


def _cleared(units: Sequence[Unit]) -> list[Unit]:
    return [unit for unit in units if unit.whole is not None]


def _before(stop: int, history: History) -> list[Unit]:
    """Return the units before a position, without those that stay all the same."""
    asked = [unit.no for unit in history.units if unit.kind == ASKED][-1:]
    return [
        unit
        for unit in history.units
        if max(unit.positions, default=stop) < stop
        and unit.no not in asked
        and not stays(unit, history)
    ]


def _checked(summariser: Summariser, messages: Sequence[Message], tokens_max: int) -> str:
    """Return a summary that may stand; none, rather than one that may not."""
    try:
        answer = summariser(summary_task(messages, tokens_max))
        return checked_summary(answer, messages, tokens_max).text
    except SummaryUnusable:
        return ""


def _joined(texts: Sequence[str], tokens_max: int, count: Callable[[str], int]) -> str:
    """Return the texts one after the other; the older of them shortened when they are too long."""
    kept: list[str] = []
    left = tokens_max
    for text in reversed(texts):
        fitting = text if count(text) <= left else truncate(text, left, count=count)
        if not fitting:
            break
        kept.append(fitting)
        left -= count(fitting)
    return "\n\n".join(reversed(kept))


def _text_of(units: Sequence[Unit]) -> str:
    texts: list[str] = []
    for unit in units:
        for message in unit.messages:
            for part in message.parts:
                held = getattr(part, "text", None)
                texts.append(held if isinstance(held, str) else str(getattr(part, "arguments", "")))
    return "\n".join(texts)


DUE_SHARE = 0.7
"""How full the budget is when a compaction is due: before the edge, since it takes a while."""

KEEP_SHARE = 0.4
"""How much of the budget the newest part keeps, which is never summed up."""

SEGMENT_SHARE = 0.5
"""How large a segment may be, as a share of the budget: a summariser must be able to read it."""

LEAST_SHARE = 0.05
"""A segment below this share of the budget would free too little to be worth a call."""


@dataclass(frozen=True, slots=True)
class Due:
    """What would be summed up next, or why nothing is.

    Attributes:
        units: the segment; empty if there is none.
        stop: the position after its last message.
        is_due: whether the budget is full enough.
        reason: in words.
    """

    units: tuple[Unit, ...]
    stop: int
    is_due: bool
    reason: str


def due(history: History, start: int, budget: Budget) -> Due:
    """Return the segment that would be summed up next.

    Args:
        history: of the whole session.
        start: the position at which it begins: after the last segment.
        budget: of the requests of this session.
    """
    room = budget.available_tokens
    fixed = sum(unit.tokens for unit in history.units if unit.kind == SYSTEM_TEXT)
    left = _from(start, history)
    used = fixed + sum(unit.tokens for unit in left)
    used += int(room * (APPENDIX_SHARE + SUMMARY_SHARE)) if start else 0
    if used <= room * DUE_SHARE:
        return Due((), start, is_due=False, reason=f"{used} of {room} tokens are used")
    taken = _oldest_of(left, room)
    stop = min((min(unit.positions) for unit in left[len(taken) :]), default=start)
    units = tuple(unit for unit in taken if max(unit.positions, default=stop) < stop)
    size = sum(unit.tokens for unit in units)
    if size < max(room * LEAST_SHARE, 1):
        reason = (
            f"summing up would free at most {size} tokens: system text and what else is fixed "
            f"take {fixed + budget.fixed_tokens} of the window, and what is newest stays"
        )
        return Due((), start, is_due=True, reason=reason)
    return Due(units, stop, is_due=True, reason=f"{size} tokens of the oldest part")


def _from(start: int, history: History) -> list[Unit]:
    return [
        unit
        for unit in history.units
        if unit.kind != SYSTEM_TEXT and max(unit.positions, default=-1) >= start
    ]


def _oldest_of(units: Sequence[Unit], room_tokens: int) -> list[Unit]:
    """Return the oldest units: what is left stays below its share, and so do they."""
    taken: list[Unit] = []
    left, size = sum(unit.tokens for unit in units), 0
    for unit in units[:-1]:
        if left <= room_tokens * KEEP_SHARE or size >= room_tokens * SEGMENT_SHARE:
            break
        taken.append(unit)
        size += unit.tokens
        left -= unit.tokens
    return taken
