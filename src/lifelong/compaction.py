"""Compaction: the oldest part of a session is summed up, once, and kept beside the log.

The log is not touched. A summary is written in one transaction, after it was made and judged, and
only if its messages are still what they were: whoever is killed on the way leaves the session as
it was, and so does a summariser that fails.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from inspect import iscoroutinefunction

from lifelong.errors import InvalidValue, SummaryUnusable
from lifelong.messages import Message
from lifelong.ports import Clock, LogStore
from lifelong.request import Target
from lifelong.rows import SummaryRow
from lifelong.window import Look, Window
from lifelong.working.budget import Budget
from lifelong.working.carried import as_json, carried
from lifelong.working.compact import SUMMARY_SHARE, Due, due
from lifelong.working.cost import (
    Prices,
    SessionLength,
    Worth,
    remaining_turns,
    worth_compacting,
)
from lifelong.working.extractive import extractive_summary
from lifelong.working.history import ASKED, STEP
from lifelong.working.summary import (
    CheckedSummary,
    Summariser,
    checked_summary,
    summary_task,
)

COMPACTED, NOT_DUE, TOO_LITTLE, NOT_WORTH, CHANGED = (
    "compacted",
    "not_due",
    "too_little",
    "not_worth",
    "changed",
)
ENDED_AFTER = timedelta(hours=12)
"""A session that is silent for so long is taken as ended when the turns left are estimated."""

SEGMENTS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction did.

    Attributes:
        outcome: ``compacted``; ``not_due`` (there is room), ``too_little`` (it would free too
            little), ``not_worth`` (it costs more than it saves) or ``changed`` (messages were
            removed meanwhile, or another process was first): then nothing changed.
        reason: in words.
        segments: how many summaries were made.
        messages: how many messages they stand for.
        tokens_before, tokens_after: of those messages, and of the summaries.
        struck: identifiers that the summariser had invented, and that were struck out.
    """

    outcome: str
    reason: str
    segments: int = 0
    messages: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    struck: tuple[str, ...] = ()


def compact(
    store: LogStore,
    clock: Clock,
    *,
    window: Window,
    target: Target,
    budget: Budget,
    summariser: Summariser,
    prices: Prices | None = None,
) -> Compacted:
    """Sum up the oldest part of a session, segment by segment, until there is room.

    Raises:
        SummaryUnusable: what the summariser gave is no summary; nothing changed.
        SummariserFailed: it could not give any; nothing changed.
    """
    done = Compacted(NOT_DUE, "")
    for _ in range(SEGMENTS_MAX):
        made = _next(
            store,
            clock,
            window=window,
            target=target,
            budget=budget,
            summariser=summariser,
            prices=None if done.segments else prices,
        )
        if made.outcome != COMPACTED:
            return done if done.segments else made
        done = _joined(done, made)
    return done


def next_due(look: Look, budget: Budget) -> Due:
    """Return the segment of a session that would be summed up next."""
    start = look.segments[-1].stop if look.segments else 0
    return due(look.history, start, budget)


def require_summariser(summariser: object) -> None:
    """Refuse what cannot be called to sum up.

    Raises:
        InvalidValue: it is no function, or one that has to be awaited.
    """
    if summariser is None:
        return
    if not callable(summariser):
        raise InvalidValue(f"summariser is a {type(summariser).__name__}, and must be callable")
    if iscoroutinefunction(summariser):
        raise InvalidValue("summariser has to be awaited; it is called in a thread, so wrap it")


def _next(
    store: LogStore,
    clock: Clock,
    *,
    window: Window,
    target: Target,
    budget: Budget,
    summariser: Summariser,
    prices: Prices | None,
) -> Compacted:
    """Sum up the next segment, if it is due and pays."""
    look = window.look(target.format, target.count, takes_late_system=target.takes_late_system)
    found = next_due(look, budget)
    if not found.units:
        return Compacted(TOO_LITTLE if found.is_due else NOT_DUE, found.reason)
    tokens_max = int(budget.available_tokens * SUMMARY_SHARE)
    if prices is not None and look.history.tokens <= budget.available_tokens:
        by = Prices(0) if summariser is extractive_summary else prices
        lengths = _lengths(store, clock)
        worth = _worth(look, found, prices=prices, by=by, tokens_after=tokens_max, lengths=lengths)
        if not worth.pays:
            reason = f"it would save {worth.saving:.6g} and cost {worth.cost:.6g}"
            return Compacted(NOT_WORTH, reason)
    return _segment(
        store, clock, look=look, found=found, tokens_max=tokens_max, summariser=summariser
    )


def _segment(
    store: LogStore,
    clock: Clock,
    *,
    look: Look,
    found: Due,
    tokens_max: int,
    summariser: Summariser,
) -> Compacted:
    """Sum up one segment and store it, if the session is still what it was."""
    messages = [message for unit in found.units for message in unit.said]
    checked = _checked(summariser, messages, tokens_max)
    start = look.segments[-1].stop if look.segments else 0
    row = SummaryRow(
        first_seq=look.seqs[start],
        last_seq=look.seqs[found.stop - 1],
        text=checked.text,
        carried=json.dumps(as_json(carried(messages)), ensure_ascii=False),
        made_by=_name(summariser),
        made_at=clock.now(),
    )
    if not store.add_summary(look.session_id, row, look.generation):
        return Compacted(CHANGED, "messages were removed meanwhile, or another was first")
    before = sum(unit.tokens for unit in found.units)
    after = look.history.count_text(checked.text)
    return Compacted(COMPACTED, found.reason, 1, found.stop - start, before, after, checked.struck)


def _checked(
    summariser: Summariser, messages: Sequence[Message], tokens_max: int
) -> CheckedSummary:
    answer = summariser(summary_task(messages, tokens_max))
    try:
        return checked_summary(answer, messages, tokens_max)
    except SummaryUnusable:
        if summariser is not extractive_summary:
            raise
        # Nothing worth a sentence was said; what code carries still stands.
        return CheckedSummary("", ())


def _joined(one: Compacted, other: Compacted) -> Compacted:
    return Compacted(
        COMPACTED,
        f"{one.tokens_before + other.tokens_before} tokens of the oldest part",
        one.segments + other.segments,
        one.messages + other.messages,
        one.tokens_before + other.tokens_before,
        one.tokens_after + other.tokens_after,
        (*one.struck, *other.struck),
    )


def _lengths(store: LogStore, clock: Clock) -> list[SessionLength]:
    now = clock.now()
    return [
        SessionLength(each.turns, is_ended=now - each.last_at > ENDED_AFTER)
        for each in store.turns()
    ]


def _worth(
    look: Look,
    found: Due,
    *,
    prices: Prices,
    by: Prices,
    tokens_after: int,
    lengths: Sequence[SessionLength],
) -> Worth:
    """Weigh a compaction by how many turns the sessions of this owner had."""
    asked = sum(unit.kind == ASKED for unit in look.history.units)
    steps = sum(unit.kind == STEP for unit in look.history.units)
    # The request that is about to be sent is one more.
    left = remaining_turns(lengths, asked).expected + 1
    before = sum(unit.tokens for unit in found.units)
    return worth_compacting(
        tokens_before=before,
        tokens_after=min(tokens_after, before),
        turns_left=left * max(steps / max(asked, 1), 1),
        prices=prices,
        summariser=by,
        tokens_behind=look.history.tokens - before,
    )


def _name(summariser: Summariser) -> str:
    named = getattr(summariser, "name", None) or getattr(summariser, "__name__", None)
    return str(named or type(summariser).__name__)
