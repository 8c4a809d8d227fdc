"""What holds for every request, whatever the log holds: drawn histories in all four formats.

`lifelong.fit` goes the whole way: parse, repair, policies, render, mend. The judge is the validator
of the format, which shares no code with any of them.
"""

import copy

import pytest
from broken_histories import events, written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lifelong
from lifelong.errors import BudgetTooSmall, InvalidValue
from lifelong.formats import parse
from lifelong.formats.mending import PROFILES
from lifelong.request import target_of
from lifelong.working.history import STEP
from lifelong.working.repair import build

EXAMPLES = 150
TARGETS = [(format, profile) for format, profiles in PROFILES.items() for profile in profiles]

many = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
windows = st.sampled_from([300, 500, 800, 1200, 2000, 4000, 100_000])


def fitted(items, window, format, profile):
    """Return the request, or None where there is nothing to send or it cannot fit."""
    budget = lifelong.Budget(window, reserve_tokens=0, margin=0)
    try:
        return lifelong.fit(items, budget, format, profile=profile)
    except (BudgetTooSmall, InvalidValue):
        return None


def as_they_came(request, messages):
    """Return the places of the messages of a request that are the very ones given."""
    place_of = {id(message.raw): place for place, message in enumerate(messages)}
    return [
        (place_of[id(message.raw)], message)
        for message in request.messages
        if message.raw is not None and id(message.raw) in place_of
    ]


@pytest.mark.parametrize(("format", "profile"), TARGETS)
@many
@given(history=events(), window=windows)
def test_a_provider_would_take_it(format, profile, history, window):
    items = written(history, format)
    before = copy.deepcopy(items)
    request = fitted(items, window, format, profile)
    assert items == before
    if request is None:
        return
    assert request.problems == ()
    assert request.plan.tokens_after <= request.plan.available_tokens
    assert request.tokens <= window


@pytest.mark.parametrize(("format", "profile"), TARGETS)
@many
@given(history=events(), window=windows)
def test_the_accounts_add_up(format, profile, history, window):
    items = written(history, format)
    request = fitted(items, window, format, profile)
    if request is None:
        return
    target = target_of(format, {"profile": profile})
    plan = request.plan
    saved = sum(edit.tokens_before - edit.tokens_after for edit in plan.edits)
    assert plan.tokens_before - saved == plan.tokens_after
    assert sum(block.tokens for block in request.blocks) == plan.tokens_after
    assert sum(map(target.count, request.messages)) == plan.tokens_after
    assert sum(block.messages for block in request.blocks) == len(request.messages)


@pytest.mark.parametrize(("format", "profile"), TARGETS)
@many
@given(history=events(), window=windows)
def test_what_came_keeps_its_order_and_no_step_is_split(format, profile, history, window):
    messages = parse(written(history, format), format)
    request = fitted(messages, window, format, profile)
    if request is None:
        return
    kept = as_they_came(request, messages)
    moved = {repair.position for repair in request.plan.repairs if repair.action == "moved"}
    in_order = [place for place, message in kept if place not in moved and not _result(message)]
    assert in_order == sorted(set(in_order))
    shown = {place for place, _ in kept}
    for replies in replies_of_whole_steps(
        messages, request, target_of(format, {"profile": profile})
    ):
        assert replies <= shown


def replies_of_whole_steps(messages, request, target):
    """Yield where the replies stand of each step that no edit touched."""
    late = target.takes_late_system
    units = build(messages, target.format, count=target.count, takes_late_system=late).units
    left = {number for edit in request.plan.edits for number in edit.units}
    for unit in units:
        if unit.kind == STEP and unit.messages and unit.no not in left:
            yield {p for p in unit.positions if messages[p].role == "assistant"}


def _result(message):
    return any(isinstance(part, lifelong.ToolResultPart) for part in message.parts)


@pytest.mark.parametrize(("format", "profile"), TARGETS)
@many
@given(history=events(), window=windows)
def test_what_was_made_to_fit_fits(format, profile, history, window):
    items = written(history, format)
    request = fitted(items, window, format, profile)
    if request is None:
        return
    again = lifelong.fit(
        request.payload if format in ("anthropic", "gemini") else request.items,
        lifelong.Budget(window + 200, reserve_tokens=0, margin=0),
        format,
        profile=profile,
    )
    assert again.payload == request.payload
    assert again.plan.edits == ()
    assert again.changes == ()


@pytest.mark.parametrize(("format", "profile"), TARGETS)
@many
@given(history=events(), more=events(), window=windows)
def test_the_head_stays_unless_the_plan_says_so(format, profile, history, more, window):
    shorter, longer = written(history, format), written((*history, *more), format)
    one, other = (fitted(items, window, format, profile) for items in (shorter, longer))
    if one is None or other is None:
        return
    if (one.plan.edits, one.plan.repairs) != (other.plan.edits, other.plan.repairs):
        return
    if any(repair.action == "answered" for repair in one.plan.repairs):
        return  # the result may have come
    assert other.messages[: len(one.messages)] == one.messages
