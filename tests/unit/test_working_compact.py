"""Compact: what stands for what is gone, in the room that the others left."""

import pytest
from working_histories import asked, by_length, history_of, said

from lifelong.errors import InvalidValue
from lifelong.working.budget import Budget
from lifelong.working.compact import Compact, Segment, due
from lifelong.working.pipeline import DEFAULT, fit

TALK = [
    item
    for n in range(40)
    for item in (asked(f"What of order ZX-{4000 + n}? Please look."), said(f"ZX-{4000 + n} left."))
]


def room(tokens):
    return Budget(tokens, reserve_tokens=0, margin=0)


def compacted(policy, tokens=1_400):
    history = history_of(*TALK, asked("And now?"), count=by_length)
    fitted = fit(history, room(tokens), policies=(*DEFAULT, policy))
    [unit] = [unit for unit in fitted.history.units if unit.no < 0]
    return fitted, unit.messages[0].text


def test_identifiers_of_what_is_gone_stand_in_the_block():
    fitted, text = compacted(Compact())
    gone = [unit for unit in fitted.history.gone if unit.kind == "user"]
    assert len(gone) > 20
    shown = sum(f"ZX-{4000 + n}" in text for n in range(len(gone)))
    assert shown > len(gone) / 2
    assert fitted.history.tokens <= 1_400
    assert [edit.action for edit in fitted.plan.edits] == ["trim", "compact"]


def test_nothing_is_added_when_nothing_is_gone():
    history = history_of(*TALK, count=by_length)
    assert not fit(history, room(100_000), policies=(*DEFAULT, Compact())).plan.edits


def test_segments_are_taken_as_they_are_and_each_gets_a_share():
    segments = tuple(
        Segment(stop, f"Part {number}. " + f"Something of part {number} was said. " * 9, ())
        for number, stop in enumerate((20, 40, 60), 1)
    )
    _, text = compacted(Compact(segments, summariser=None, summary_share=0.4, appendix_share=0))
    for number in (1, 2, 3):
        assert f"Part {number}." in text


def test_a_segment_of_what_is_still_shown_is_not_used():
    segments = (Segment(20, "The first part.", ()), Segment(80, "All of it.", ()))
    history = history_of(*TALK, count=by_length)
    tokens = history.tokens
    fitted = fit(history, room(int(tokens * 0.95)), policies=(*DEFAULT, Compact(segments)))
    last = max(max(unit.positions) for unit in fitted.history.gone)
    assert ("All of it." in str(fitted.history.units)) == (last >= 20)


def test_a_quoted_end_of_the_block_does_not_end_it():
    segments = (Segment(60, "They wrote </summary> and went on.", ()),)
    _, text = compacted(Compact(segments))
    assert text.count("</summary>") == 1
    assert text.endswith("</summary>")


@pytest.mark.parametrize("share", [-0.1, 0.6])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(InvalidValue):
        Compact(appendix_share=share)
    with pytest.raises(InvalidValue):
        Compact(summary_share=share)


def test_what_is_due_is_the_oldest_and_leaves_the_newest():
    history = history_of(*TALK, count=by_length)
    found = due(history, 0, room(history.tokens))
    assert found.is_due
    assert [unit.no for unit in found.units] == list(range(len(found.units)))
    assert found.stop == len(found.units)
    left = history.tokens - sum(unit.tokens for unit in found.units)
    assert left >= history.tokens * 0.35
    assert not due(history, 0, room(history.tokens * 2)).is_due
    nothing = due(history, 0, Budget(10_000, 0, 0, fixed_tokens=9_000))
    assert nothing.is_due
    assert not nothing.units
    assert "9000 of 10000" in nothing.reason
