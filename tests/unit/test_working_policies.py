"""Each policy by hand: what it takes, what it leaves, and what it says."""

import pytest
from working_histories import asked, by_length, called, history_of, raws, result, said, step

from lifelong.errors import BudgetTooSmall, InvalidValue
from lifelong.working.budget import Budget
from lifelong.working.clear import CLEARED, ClearReasoning, ClearToolResults
from lifelong.working.pipeline import fit
from lifelong.working.plan import apply
from lifelong.working.trim import ShrinkResults, TrimTurns


def room(tokens):
    return Budget(tokens, reserve_tokens=0, margin=0)


def done(policy, history, tokens):
    return apply(history, policy(history, room(tokens)).edits)


def test_the_budget_of_a_window():
    assert Budget(8_192).available_tokens == 5_688
    assert Budget(128_000, 1_500, 0.15).available_tokens == 107_525
    assert Budget(8_192).less(688).available_tokens == 5_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"window_tokens": 0},
        {"window_tokens": -1},
        {"window_tokens": 1_500},
        {"window_tokens": 8_192.0},
        {"window_tokens": True},
        {"window_tokens": 8_192, "margin": 1},
        {"window_tokens": 8_192, "margin": -0.1},
        {"window_tokens": 8_192, "margin": float("nan")},
        {"window_tokens": 8_192, "reserve_tokens": -1},
    ],
)
def test_a_budget_that_is_none_is_refused(wrong):
    with pytest.raises(InvalidValue):
        Budget(**wrong)


LONG = "r" * 100
WORK = [asked(), *step("a", LONG), *step("b", LONG), *step("c", LONG), *step("d", LONG), said()]


def test_old_results_are_cleared_and_the_newest_stay():
    history = history_of(*WORK, count=by_length)
    cleared = done(ClearToolResults(), history, 300)
    assert raws(cleared)[2] == ("tool", CLEARED)
    assert raws(cleared)[3:] == WORK[3:]
    assert raws(history) == WORK
    assert cleared.units[1].said[1].parts[0].text == LONG


def test_nothing_is_cleared_while_it_fits_unless_a_trigger_says_so():
    history = history_of(*WORK, count=by_length)
    assert not ClearToolResults()(history, room(1_000)).edits
    plan = ClearToolResults(trigger_tokens=200, keep=1)(history, room(1_000))
    assert [edit.units for edit in plan.edits] == [(1,), (2,), (3,)]
    assert ClearToolResults(trigger_tokens=200).starts_at(room(1_000)) == 200


def test_the_results_of_excluded_tools_stay():
    work = [asked(), *step("a", LONG, name="memory"), *step("b", LONG), *step("c", LONG)]
    history = history_of(*work, count=by_length)
    cleared = done(ClearToolResults(keep=1, exclude_tools=["memory"]), history, 100)
    assert [r[1] for r in raws(cleared) if isinstance(r, tuple)] == [CLEARED]
    assert raws(cleared)[2] == work[2]
    with pytest.raises(InvalidValue):
        ClearToolResults(exclude_tools="memory")


def test_less_than_the_least_is_not_cleared_at_all():
    history = history_of(*WORK, count=by_length)
    assert not ClearToolResults(at_least_tokens=100)(history, room(300)).edits
    assert ClearToolResults(keep=0, at_least_tokens=40)(history, room(300)).edits


def test_inputs_are_cleared_when_asked():
    history = history_of(
        asked(), called("a", arguments='{"q": "x"}'), result("a", LONG), said(), count=by_length
    )
    cleared = done(ClearToolResults(keep=0, clear_inputs=True), history, 50)
    call = cleared.units[1].messages[0].parts[0]
    assert (call.id, call.name, call.arguments) == ("a", "lookup", {})


def test_a_call_that_waits_and_what_is_kept_are_not_cleared():
    history = history_of(asked(), called("a", "b"), result("a", LONG), asked(), *step("c", LONG))
    assert not ClearToolResults(keep=0, trigger_tokens=0)(history, room(900)).edits[1:]
    kept = history.keeping(frozenset(), frozenset({"lookup"}))
    assert not ClearToolResults(keep=0, trigger_tokens=0)(kept, room(900)).edits


def reasoned(text):
    return {"role": "assistant", "content": text, "reasoning_content": "hm " * 20}


def test_reasoning_of_older_turns_is_cleared():
    items = [asked(), reasoned("one"), asked(), reasoned("two"), asked(), reasoned("three")]
    history = history_of(*items, count=by_length)
    cleared = done(ClearReasoning(), history, 50)
    assert [len(unit.messages[0].parts) for unit in cleared.units if unit.kind == "step"] == [
        1,
        1,
        2,
    ]
    assert done(ClearReasoning(keep_turns=2), history, 50).units[3].messages[0].raw == items[3]
    with pytest.raises(InvalidValue):
        ClearReasoning(keep_turns=0)


def test_openais_items_stand_without_ids_when_their_reasoning_goes():
    items = [
        {"role": "user", "content": "a?"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "x"},
        {"role": "user", "content": "b?"},
    ]
    cleared = done(ClearReasoning(trigger_tokens=0), history_of(*items, format="responses"), 9)
    assert raws(cleared) == [
        items[0],
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        items[3],
        items[4],
    ]


TALK = [asked("1"), said("a"), asked("2"), said("b"), asked("3"), said("c"), asked("4")]


def test_the_oldest_turns_go_first():
    assert raws(done(TrimTurns(), history_of(*TALK), 5)) == TALK[2:]
    assert raws(done(TrimTurns(turns=2), history_of(*TALK), 99)) == TALK[4:]
    with pytest.raises(InvalidValue):
        TrimTurns(turns=0)


def test_system_text_what_is_pinned_and_what_waits_stay():
    items = [{"role": "system", "content": "s"}, asked("0"), called("k"), *TALK]
    history = history_of(*items)
    trimmed = raws(done(TrimTurns(), history, 4))
    assert trimmed[0] == items[0]
    assert trimmed[1] == called("k")
    assert trimmed[-1] == TALK[-1]
    pinned = [{**item, "id": f"m{place}"} for place, item in enumerate(TALK)]
    history = history_of(*pinned).keeping(frozenset({"m1"}), frozenset())
    assert raws(done(TrimTurns(), history, 2)) == [pinned[1], pinned[6]]


def test_a_large_turn_loses_its_oldest_steps_and_keeps_what_was_asked():
    turn = [asked("go"), *step("a"), *step("b"), *step("c"), said()]
    trimmed = raws(done(TrimTurns(), history_of(*turn, asked("and?")), 5))
    assert trimmed == [asked("go"), *step("c"), said(), asked("and?")]
    running = turn[:-1]
    assert raws(done(TrimTurns(), history_of(*running), 3)) == [asked("go"), *step("c")]
    assert raws(done(TrimTurns(), history_of(*running), 1)) == [asked("go"), *step("c")]


def test_a_result_that_is_too_large_is_cut_in_the_middle():
    text = "head " + "x " * 2_000 + " tail"
    history = history_of(asked("go"), called("a"), result("a", text), count=by_length)
    shrunk = done(ShrinkResults(), history, 500)
    cut = shrunk.units[1].messages[1].parts[0]
    assert cut.call_id == "a"
    assert cut.text.startswith("head")
    assert cut.text.endswith("tail")
    assert len(cut.text) < len(text)


def test_what_must_stay_and_does_not_fit_is_an_error_that_says_what():
    history = history_of({"role": "system", "content": "s" * 90}, asked("u" * 50), count=by_length)
    with pytest.raises(BudgetTooSmall) as caught:
        fit(history, room(100))
    assert "40 tokens too many for 100" in str(caught.value)
    assert "system text has 90" in str(caught.value)
    assert "largest message has 50" in str(caught.value)
