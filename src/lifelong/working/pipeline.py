"""The pipeline: policies one after the other, and a plan that stays while the session grows.

A provider caches the head of a request. If each new message moved what is cut, nothing would ever
be cached; so what to cut is decided for a settled part of the history, with room to spare, and
holds until the room is used up. It follows from the history alone: whoever plans it anew, in
another process or in the replay lab, gets the same plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from lifelong.errors import BudgetTooSmall
from lifelong.working.budget import Budget
from lifelong.working.clear import ClearReasoning, ClearToolResults, result_count
from lifelong.working.history import STEP, SYSTEM_TEXT, History, Unit
from lifelong.working.plan import ANCHOR, Edit, Plan, Policy, Warned, apply
from lifelong.working.trim import ShrinkResults, TrimTurns, stays
from lifelong.working.trusted import looked_over

SLACK_SHARE = 0.12
"""How much of the budget beside the system text an edit leaves free: the next is not due at once.
 Of identifiers that recorded coding agents used later, .12 keeps 97.1 % in sight at 16k,
.15 keeps 96.8 %; the cache breaks in inverse proportion."""

WARNED_SHARE = 0.1
"""How near the next edit must be for a warning, as a share of the budget."""

DEFAULT: tuple[Policy, ...] = (
    ClearReasoning(),
    ClearToolResults(),
    TrimTurns(),
    ShrinkResults(),
)
"""The default order: what can be had again goes first, what was said goes last."""


@dataclass(frozen=True)
class Settled:
    """The edits that were decided for the beginning of a history, and hold while it grows."""

    units: tuple[Unit, ...]
    kept: frozenset[int]
    budget: Budget
    policies: tuple[Policy, ...]
    edits: tuple[Edit, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Fitted:
    """A history that fits, and how it was made to.

    Attributes:
        history: what would be sent.
        plan: the edits.
        settled: pass it to the next `fit` of the same session, to plan only what is new.
    """

    history: History
    plan: Plan
    settled: Settled | None = None


def fit(
    history: History,
    budget: Budget,
    *,
    policies: Sequence[Policy] = DEFAULT,
    settled: Settled | None = None,
) -> Fitted:
    """Return the history with as few edits as the budget allows.

    Args:
        history: of the session, repaired.
        budget: what it has to fit into.
        policies: in the order they are asked.
        settled: of the plan before this one, if there was one.

    Raises:
        BudgetTooSmall: what has to stay does not fit.
    """
    given = _anchored(history)
    anchored = _applied(history, given)
    room = budget.available_tokens
    tokens = anchored.tokens
    start = min([room, *(_starts_at(policy, budget) for policy in policies)])
    if tokens <= start:
        plan = _plan(history, anchored, given, budget)
        left = start - tokens
        return Fitted(anchored, replace(plan, warning=_warning(anchored, left, policies, room)))
    slack = _slack(room, anchored)
    # Whoever wants edits early, or by count, gets them as early: the step is a share of the start.
    step = _slack(start, anchored)
    epoch = (tokens - start - 1) // step
    made = _settled(anchored, start + epoch * step, budget.less(slack), tuple(policies), settled)
    fitted = _applied(anchored, made.edits)
    left = start + (epoch + 1) * step - tokens
    if fitted.tokens > room:
        # Something in the settled part must stay that need not stay in the whole.
        made = _decided(anchored, anchored.units, budget, tuple(policies))
        fitted = _applied(anchored, made.edits)
    if fitted.tokens > room:
        raise BudgetTooSmall(_shortfall(fitted, budget))
    plan = _plan(history, fitted, (*given, *made.edits), budget)
    warning = _warning(fitted, left, policies, room)
    return Fitted(fitted, replace(plan, warning=warning, notes=made.notes), made)


def _slack(tokens: int, history: History) -> int:
    return max(int((tokens - history.system_tokens) * SLACK_SHARE), 1)


def _starts_at(policy: Policy, budget: Budget) -> int:
    starts_at = getattr(policy, "starts_at", None)
    return budget.available_tokens if starts_at is None else max(int(starts_at(budget)), 0)


def _reserve(policy: Policy, history: History, budget: Budget) -> int:
    reserve = getattr(policy, "reserve_tokens", None)
    return 0 if reserve is None else max(int(reserve(history, budget)), 0)


def _applied(history: History, edits: Sequence[Edit]) -> History:
    return apply(history, edits) if edits else history


def _settled(
    history: History,
    tokens_from: int,
    budget: Budget,
    policies: tuple[Policy, ...],
    before: Settled | None,
) -> Settled:
    """Return what is decided for the units that first exceed so many tokens."""
    sums = accumulate(unit.tokens for unit in history.units)
    count = next(place for place, total in enumerate(sums, 1) if total > tokens_from)
    units = history.units[:count]
    if (
        before is not None
        and before.units == units
        and before.kept == history.kept
        and before.budget == budget
        and before.policies == policies
    ):
        return before
    return _decided(history, units, budget, policies)


def _decided(
    history: History, units: tuple[Unit, ...], budget: Budget, policies: tuple[Policy, ...]
) -> Settled:
    part = replace(history, units=units, repairs=())
    edits: list[Edit] = []
    notes: list[str] = []
    for place, policy in enumerate(policies):
        later = sum(_reserve(each, part, budget) for each in policies[place + 1 :])
        plan = looked_over(policy, policy(part, budget.less(later) if later else budget), part)
        part = _applied(part, plan.edits)
        edits.extend(plan.edits)
        notes.extend(plan.notes)
    return Settled(units, history.kept, budget, policies, tuple(edits), tuple(notes))


def _anchored(history: History) -> tuple[Edit, ...]:
    """Return the edit that drops what a provider's own compaction stands for."""
    anchors = [place for place, unit in enumerate(history.units) if unit.is_anchor]
    if not anchors:
        return ()
    gone = [
        unit
        for unit in history.units[: anchors[-1]]
        if unit.kind != SYSTEM_TEXT and unit.no not in history.kept
    ]
    if not gone:
        return ()
    tokens = sum(unit.tokens for unit in gone)
    reason = "the provider's own compaction stands for it"
    return (Edit(ANCHOR, reason, tuple(unit.no for unit in gone), (), tokens, 0),)


def _plan(before: History, after: History, edits: tuple[Edit, ...], budget: Budget) -> Plan:
    return Plan(
        edits,
        before.repairs,
        before.tokens,
        after.tokens,
        budget.available_tokens,
        prefix_tokens=_prefix_tokens(before, after) if edits else after.tokens,
    )


def _prefix_tokens(before: History, after: History) -> int:
    tokens = 0
    for old, new in zip(before.units, after.units, strict=False):
        if old is not new:
            break
        tokens += old.tokens
    return tokens


def _warning(
    history: History, left: int, policies: Sequence[Policy], room_tokens: int
) -> Warned | None:
    clear = next((policy for policy in policies if isinstance(policy, ClearToolResults)), None)
    if clear is None or left > room_tokens * WARNED_SHARE:
        return None
    counts = [result_count(unit) for unit in history.units if unit.whole is None]
    results = sum(counts) - clear.keep
    return Warned(max(left, 0), results) if results > 0 else None


def _shortfall(history: History, budget: Budget) -> str:
    room_tokens = budget.available_tokens
    system = history.system_tokens
    others = [unit for unit in history.units if unit.kind != SYSTEM_TEXT]
    pinned = sum(unit.tokens for unit in others if stays(unit, history))
    largest = max(others, key=lambda unit: unit.tokens, default=None)
    told = [f"{history.tokens - room_tokens} tokens too many for {room_tokens}"]
    told.append(f"system text has {system}")
    if budget.fixed_tokens:
        told.append(f"tools and what else is fixed have {budget.fixed_tokens}")
    if pinned:
        told.append(f"what is pinned or waits for a result has {pinned}")
    if largest is not None:
        kind = "step" if largest.kind == STEP else "message"
        told.append(f"the largest {kind} has {largest.tokens}")
    return ", ".join(told)
