"""Summaries of a replayed session, made when they would be live: beside a request, for the next.

What is due, what may stand as a summary and what code carries is decided by the code that runs
live; only the store is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lifelong.compaction import SEGMENTS_MAX
from lifelong.errors import CompactionError, SummaryUnusable
from lifelong.working.budget import Budget
from lifelong.working.carried import carried
from lifelong.working.compact import LEAST_SHARE, SUMMARY_SHARE, Compact, Due, Segment, due
from lifelong.working.extractive import extractive_summary
from lifelong.working.history import History
from lifelong.working.plan import Policy
from lifelong.working.summary import (
    Summariser,
    SummaryTask,
    checked_summary,
    summary_task,
)
from lifelong.working.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class Summed:
    """What summing up took.

    Attributes:
        segments: that were summed up.
        tokens_before: what the messages of these segments cost.
        tokens_after: what their summaries cost.
        input_tokens, output_tokens: what a model read and wrote for it, also where its answer was
            of no use; none for the summariser that asks no model.
        problems: why a summary was not made, in words.
    """

    segments: int = 0
    tokens_before: int = 0
    tokens_after: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    problems: tuple[str, ...] = ()


class Summing:
    """The segments of one session, and what summing up took.

    Args:
        summariser: None for a session that is never summed up beforehand.
    """

    def __init__(self, summariser: Summariser | None) -> None:
        self.segments: tuple[Segment, ...] = ()
        self._summariser = summariser
        self._seen: tuple[History, Budget] | None = None
        self._failed_at: int | None = None
        self._summed = Summed()

    def look(self, history: History, budget: Budget) -> None:
        """Remember how a session stood at a request: beside it the next summary is begun."""
        self._seen = history, budget

    def catch_up(self) -> None:
        """Make the summaries that were due at the request before.

        Raises:
            Exception: what a summariser of the caller's own raises; it is not asked again before
                more has come.
        """
        if self._summariser is None or self._seen is None:
            return
        (history, budget), self._seen = self._seen, None
        if self._failed_at is not None:
            grown = history.tokens - self._failed_at
            if grown < budget.available_tokens * LEAST_SHARE:
                return
        # Until all that is due was made, it counts as failed: a summariser may raise anything.
        self._failed_at = history.tokens
        for _ in range(SEGMENTS_MAX):
            start = self.segments[-1].stop if self.segments else 0
            found = due(history, start, budget)
            if found.units and not self._add(
                self._summariser, found, history=history, budget=budget
            ):
                return
            if not found.units:
                break
        self._failed_at = None

    def count_segment(self) -> None:
        """Count a segment that is summed up by other means."""
        self._count(segments=1)

    def asked(self, summariser: Summariser, task: SummaryTask) -> str | None:
        """Ask a summariser, and count what a model reads and writes."""
        is_model = summariser is not extractive_summary
        if is_model:
            read = estimate_tokens(task.instructions) + estimate_tokens(task.transcript)
            self._count(input_tokens=read)
        answer = summariser(task)
        if is_model and isinstance(answer, str):
            self._count(output_tokens=estimate_tokens(answer))
        return answer

    def taken(self) -> Summed:
        """Return what summing up took since this was last asked."""
        summed, self._summed = self._summed, Summed()
        return summed

    def _add(self, summariser: Summariser, found: Due, *, history: History, budget: Budget) -> bool:
        messages = [message for unit in found.units for message in unit.said]
        tokens_max = int(budget.available_tokens * SUMMARY_SHARE)
        try:
            answer = self.asked(summariser, summary_task(messages, tokens_max))
            text = checked_summary(answer, messages, tokens_max).text
        except SummaryUnusable as error:
            if summariser is not extractive_summary:
                self._note(error)
                return False
            text = ""  # nothing worth a sentence was said; what code carries still stands
        except CompactionError as error:
            self._note(error)
            return False
        self.segments = (*self.segments, Segment(found.stop, text, carried(messages)))
        self._count(
            segments=1,
            tokens_before=sum(unit.tokens for unit in found.units),
            tokens_after=history.count_text(text) if text else 0,
        )
        return True

    def _note(self, error: CompactionError) -> None:
        problem = f"a summary was not made: {error.detail}"
        self._summed = replace(self._summed, problems=(*self._summed.problems, problem))

    def _count(self, **more: int) -> None:
        before = self._summed
        self._summed = replace(
            before, **{name: getattr(before, name) + amount for name, amount in more.items()}
        )


@dataclass(frozen=True)
class _Counted:
    """A summariser inside a policy, whose calls are counted."""

    summariser: Summariser
    summing: Summing

    def __call__(self, task: SummaryTask) -> str | None:
        self.summing.count_segment()
        return self.summing.asked(self.summariser, task)


def counted_inside(policies: Sequence[Policy], summing: Summing) -> tuple[Policy, ...]:
    """Return policies that compact at the edge with calls of a model that are counted."""
    return tuple(
        replace(policy, summariser=_Counted(policy.summariser, summing))
        if isinstance(policy, Compact) and policy.summariser not in (None, extractive_summary)
        else policy
        for policy in policies
    )
