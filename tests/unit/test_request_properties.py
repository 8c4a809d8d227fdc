"""What holds for every request, whatever the log holds: drawn histories in all four formats.

`lifelong.fit` goes the whole way: parse, repair, policies, render, mend. The judge is the validator
of the format, which shares no code with any of them. Each example is asked for everything, since
drawing it is what costs.
"""

import copy
import os

import pytest
from broken_histories import events, written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lifelong
from lifelong.errors import BudgetTooSmall, InvalidValue
from lifelong.formats import FORMATS, parse
from lifelong.formats.mending import PROFILES
from lifelong.messages import ToolResultPart
from lifelong.request import default_policies, target_of
from lifelong.working import Compact
from lifelong.working.history import STEP
from lifelong.working.repair import build

EXAMPLES = 2_000 if os.environ.get("CI") else 300

many = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
windows = st.sampled_from([300, 500, 800, 1200, 2000, 4000, 100_000])


def targets(format):
    return st.sampled_from(PROFILES[format]).map(
        lambda profile: target_of(format, {"profile": profile})
    )


def fitted(items, window, target, *, is_compacting):
    """Return the request, or None where there is nothing to send or it cannot fit."""
    policies = default_policies(target)
    try:
        return lifelong.fit(
            items,
            lifelong.Budget(window, reserve_tokens=0, margin=0),
            target.format,
            profile=target.profile,
            policies=(*policies, Compact()) if is_compacting else policies,
        )
    except (BudgetTooSmall, InvalidValue):
        return None


@pytest.mark.parametrize("format", FORMATS)
@many
@given(data=st.data(), history=events(), window=windows, is_compacting=st.booleans())
def test_every_request_keeps_its_promises(format, data, history, window, is_compacting):
    target = data.draw(targets(format))
    items = written(history, format)
    before = copy.deepcopy(items)
    messages = parse(items, format)
    request = fitted(messages, window, target, is_compacting=is_compacting)
    assert items == before
    if request is None:
        return
    a_provider_would_take_it(request, window)
    the_accounts_add_up(request, messages, target)
    what_came_keeps_its_order(request, messages)
    no_step_is_split(request, messages, target)
    what_was_made_to_fit_fits(request, window, target)
    longer = parse([*items, *written(data.draw(events()), format)], format)
    the_head_stays(request, fitted(longer, window, target, is_compacting=is_compacting))


def a_provider_would_take_it(request, window):
    assert request.problems == ()
    assert request.plan.tokens_after <= request.plan.available_tokens
    assert request.tokens <= window


def the_accounts_add_up(request, messages, target):
    plan = request.plan
    mended = sum(repair.tokens_after - repair.tokens_before for repair in plan.repairs)
    late = target.takes_late_system
    if late or not any(message.role == "system" for message in messages):
        assert sum(map(target.count, messages)) + mended == plan.tokens_before
    saved = sum(edit.tokens_before - edit.tokens_after for edit in plan.edits)
    assert plan.tokens_before - saved == plan.tokens_after
    assert sum(block.tokens for block in request.blocks) == plan.tokens_after
    assert sum(map(target.count, request.messages)) == plan.tokens_after
    assert sum(block.messages for block in request.blocks) == len(request.messages)


def as_they_came(request, messages):
    """Return the places of the messages of a request that are the very ones given."""
    place_of = {id(message.raw): place for place, message in enumerate(messages)}
    return [
        (place_of[id(message.raw)], message)
        for message in request.messages
        if message.raw is not None and id(message.raw) in place_of
    ]


def what_came_keeps_its_order(request, messages):
    moved = {repair.position for repair in request.plan.repairs if repair.action == "moved"}
    in_order = [
        place
        for place, message in as_they_came(request, messages)
        if place not in moved and not is_result(message)
    ]
    assert in_order == sorted(set(in_order))


def is_result(message):
    return any(isinstance(part, ToolResultPart) for part in message.parts)


def no_step_is_split(request, messages, target):
    shown = {place for place, _ in as_they_came(request, messages)}
    late = target.takes_late_system
    units = build(messages, target.format, count=target.count, takes_late_system=late).units
    left = {number for edit in request.plan.edits for number in edit.units}
    for unit in units:
        if unit.kind == STEP and unit.messages and unit.no not in left:
            assert {p for p in unit.positions if messages[p].role == "assistant"} <= shown


def what_was_made_to_fit_fits(request, window, target):
    again = lifelong.fit(
        request.payload if target.format in ("anthropic", "gemini") else request.items,
        lifelong.Budget(window + 200, reserve_tokens=0, margin=0),
        target.format,
        profile=target.profile,
    )
    assert again.payload == request.payload
    assert again.plan.edits == ()
    assert again.changes == ()


def the_head_stays(shorter, longer):
    if longer is None or any(each.action == "answered" for each in shorter.plan.repairs):
        return  # the result may have come
    if (shorter.plan.edits, shorter.plan.repairs) == (longer.plan.edits, longer.plan.repairs):
        assert longer.messages[: len(shorter.messages)] == shorter.messages
