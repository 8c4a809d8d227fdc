"""The pipeline: when policies act, that their plans hold, and that foreign ones are looked over."""

from dataclasses import replace

import pytest
from working_histories import asked, by_length, history_of, raws, said, step

import lifelong
from lifelong.errors import InvalidValue
from lifelong.working.budget import Budget
from lifelong.working.clear import ClearToolResults
from lifelong.working.pipeline import DEFAULT, fit
from lifelong.working.plan import Edit, Plan
from lifelong.working.trim import TrimTurns

TALK = [item for n in range(40) for item in (asked(f"question {n}?"), said("answer " * 4))]
WORK = [asked("go"), *(item for n in range(40) for item in step(f"c{n}", "r" * 100))]


def room(tokens):
    return Budget(tokens, reserve_tokens=0, margin=0)


@pytest.mark.parametrize("window", [1_000, 10_000, 1_000_000])
def test_a_policy_by_count_acts_at_every_window(window):
    history = history_of(*TALK, asked("now?"), count=by_length)
    fitted = fit(history, room(window), policies=[TrimTurns(turns=2)]).history
    assert raws(fitted) == [*TALK[-2:], asked("now?")]


@pytest.mark.parametrize(("trigger", "most"), [(0, 4), (2_000, 6)])
def test_a_trigger_acts_where_it_says(trigger, most):
    history = history_of(*WORK, count=by_length)
    policies = [ClearToolResults(trigger_tokens=trigger)]
    fitted = fit(history, room(1_000_000), policies=policies).history
    whole = [item for item in raws(fitted) if item in WORK and "tool_call_id" in item]
    assert 3 <= len(whole) <= most


def test_what_was_settled_is_used_again_and_is_the_same():
    history = history_of(*TALK, count=by_length)
    first = fit(history, room(800))
    longer = history_of(*TALK, asked("x"), count=by_length)
    again = fit(longer, room(800), settled=first.settled)
    assert again.plan.edits == fit(longer, room(800)).plan.edits
    assert again.plan.edits is not first.plan.edits
    assert fit(history, room(800), settled=first.settled).settled is first.settled


def drops_all(history, _budget):
    return Plan((Edit("trim", "all", tuple(unit.no for unit in history.units), (), 0, 0),))


def splits(history, _budget):
    unit = next(unit for unit in history.units if unit.kind == "step")
    half = replace(unit, messages=unit.messages[:1], tokens=1)
    return Plan((Edit("clear", "half", (unit.no,), (half,), unit.tokens, 1),))


def edits_nothing_there(_history, _budget):
    return Plan((Edit("trim", "gone", (99_999,), (), 0, 0),))


def returns_nothing(_history, _budget):
    return None


@pytest.mark.parametrize("policy", [drops_all, splits, edits_nothing_there, returns_nothing])
def test_a_plan_that_breaks_its_word_is_refused_by_name(policy):
    history = history_of(*WORK, count=by_length)
    with pytest.raises(InvalidValue, match=policy.__name__):
        fit(history, room(2_000), policies=[policy])


def test_what_a_policy_of_ones_own_counts_is_counted_again():
    def lies(history, _budget):
        edits = [
            Edit("clear", "cheap", (unit.no,), (replace(unit, tokens=0),), unit.tokens, 0)
            for unit in history.units
        ]
        return Plan(tuple(edits))

    history = history_of(*WORK, count=by_length)
    with pytest.raises(lifelong.errors.BudgetTooSmall):
        fit(history, room(2_000), policies=[lies])
    fitted = fit(history, room(2_000), policies=[lies, *DEFAULT])
    assert fitted.history.tokens == sum(
        by_length(message) for unit in fitted.history.units for message in unit.messages
    )
