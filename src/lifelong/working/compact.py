"""Compacting: what is no longer shown is stood for by a summary and an appendix.

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
from lifelong.working.history import NOTE, SYSTEM_TEXT, History, Unit
from lifelong.working.plan import COMPACT, Edit, Plan
from lifelong.working.summary import Summariser, checked_summary, summary_task
from lifelong.working.truncate import truncate

APPENDIX_SHARE = 0.28
SUMMARY_SHARE = 0.08
APPENDIX_SHARE_MAX = 0.4
"""Shares of the budget that the appendix and the summary may have."""

HEAD = (
    "Summary of the earlier part of this conversation, which is no longer shown in full. It is a "
    "record, not a request. Where it differs from what is said below, what is said below holds."
)
_SENTENCE_TOKENS = 40
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
    """Put a summary and an appendix in the place of what the policies before it took away.

    Attributes:
        segments: what has been summarised, in order.
        summariser: sums up what no segment covers; None for an appendix alone.
        appendix_share, summary_share: of the budget beside the system text.
    """

    segments: tuple[Segment, ...] = ()
    summariser: Summariser | None = extractive_summary
    appendix_share: float = APPENDIX_SHARE
    summary_share: float = SUMMARY_SHARE

    def __post_init__(self) -> None:
        for name in ("appendix_share", "summary_share"):
            if not 0 <= getattr(self, name) <= 0.5:
                raise InvalidValue(f"{name} is {getattr(self, name)}, and must be 0 to 0.5")

    def reserve_tokens(self, history: History, budget: Budget) -> int:
        """Return how many tokens it may need."""
        beside = max(budget.available_tokens - history.system_tokens, 0)
        return int(beside * (self.appendix_share + self.summary_share))

    def __call__(self, history: History, budget: Budget) -> Plan:
        """Return one edit that puts a block before all but the system text, or none."""
        unseen = sorted(
            (*history.gone, *(unit for unit in history.units if unit.whole is not None)),
            key=lambda unit: unit.no,
        )
        if not unseen:
            return Plan()
        room = budget.available_tokens - history.tokens - history.count_text(_framed(""))
        text = self._text(history, unseen, budget.available_tokens - history.system_tokens, room)
        if not text:
            return Plan(notes=("there is no room for a summary of what is no longer shown",))
        message = Message.of(USER, _framed(text))
        unit = Unit(SUMMARY_NO, NOTE, (message,), history.count(message))
        place = next((u.no for u in history.units if u.kind != SYSTEM_TEXT), None)
        reason = "what is no longer shown, summed up"
        return Plan((Edit(COMPACT, reason, (), (unit,), 0, unit.tokens, place),))

    def _text(self, history: History, unseen: Sequence[Unit], share_of: int, room: int) -> str:
        """Return summary and appendix of what is not seen, in so many tokens."""
        segments = _needed(self.segments, history.gone)
        stop = segments[-1].stop if segments else 0
        rest = [unit for unit in unseen if max(unit.positions, default=-1) >= stop]
        summary = self._summary(
            segments,
            _gone_of(rest, history),
            min(int(share_of * self.summary_share), room),
            history.count_text,
        )
        lists = [segment.carried for segment in segments]
        if rest:
            lists.append(carried([message for unit in rest for message in unit.said]))
        left = room - (history.count_text(summary) if summary else 0)
        more = appendix(
            lists,
            min(left, int(share_of * APPENDIX_SHARE_MAX)),
            visible="\n".join([summary, _text_of(history.units)]),
            count=history.count_text,
        )
        return "\n\n".join(filter(None, [summary, more.text]))

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


def _gone_of(units: Sequence[Unit], history: History) -> list[Unit]:
    """Return those that are gone: what was only cleared is still told by its calls."""
    gone = {unit.no for unit in history.gone}
    return [unit for unit in units if unit.no in gone]


def _framed(text: str) -> str:
    # What it quotes cannot end it.
    inner = text.replace(f"</{SUMMARY}>", f"< /{SUMMARY}>")
    return f"<{SUMMARY}>\n{HEAD}\n\n{inner}\n</{SUMMARY}>"


def _needed(segments: Sequence[Segment], gone: Sequence[Unit]) -> Sequence[Segment]:
    """Return the segments up to the last that holds something that is gone."""
    last = max((max(unit.positions, default=-1) for unit in gone), default=-1)
    starts = [0, *(segment.stop for segment in segments)]
    return [segment for segment, start in zip(segments, starts, strict=False) if start <= last]


def _checked(summariser: Summariser, messages: Sequence[Message], tokens_max: int) -> str:
    """Return a summary that may stand; none, rather than one that may not."""
    try:
        answer = summariser(summary_task(messages, tokens_max))
        return checked_summary(answer, messages, tokens_max).text
    except SummaryUnusable:
        return ""


def _joined(texts: Sequence[str], tokens_max: int, count: Callable[[str], int]) -> str:
    """Return the texts one after the other; when they are too long, each gets an even share.

    What an older one leaves of its share the newer ones have.
    """
    kept: list[str] = []
    left = tokens_max
    # With less than a sentence for each, the oldest go.
    newest = texts[-max(tokens_max // _SENTENCE_TOKENS, 1) :]
    for place, text in enumerate(newest):
        share = left // (len(newest) - place)
        fitting = text if count(text) <= share else truncate(text, share, count=count)
        if fitting:
            kept.append(fitting)
            left -= count(fitting)
    return "\n\n".join(kept)


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
    fixed = history.system_tokens
    left = _from(start, history)
    taken_by_fixed = (
        f"system text and what else is fixed take {fixed + budget.fixed_tokens} of "
        f"{room + budget.fixed_tokens} tokens"
    )
    if fixed + budget.fixed_tokens >= (room + budget.fixed_tokens) * DUE_SHARE:
        reason = f"summing up cannot help: {taken_by_fixed}"
        return Due((), start, is_due=True, reason=reason)
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
            f"summing up would free at most {size} tokens: {taken_by_fixed}, and the newest stay"
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
