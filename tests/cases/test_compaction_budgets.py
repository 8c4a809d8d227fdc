"""Cases of the kind compaction-safety about budgets: too small, odd, or eaten by what is fixed."""

import pytest
from conversations import (
    FORMATS,
    asked,
    assert_paired,
    outline,
    room,
    rows_of,
    small_talk,
    told,
    written,
)

import lifelong
from lifelong.errors import BudgetTooSmall, InvalidValue, LifelongError
from lifelong.working import extractive_summary

BUDGET = room(2_000)
SECONDS_MAX = 60
every_format = pytest.mark.parametrize("format", FORMATS)


def good(_task):
    return "Ana asks about her trams, and they run on time."


def filled(place, format):
    session = place.owner.session("s")
    session.append(written([("system", "Be short."), *small_talk(40)], format), format)
    return session


def recording():
    seen = []

    def summarise(task):
        seen.append(task)
        return good(task)

    return seen, summarise


def five_turns(session, budget, summarise):
    """Say five short things, compact after each, and return the outcomes."""
    outcomes = []
    for number in range(5):
        session.append(written([asked(f"number {number} of a few words")], "chat"))
        outcomes.append(session.compact(budget, summarise))
    return outcomes


@pytest.mark.parametrize("fixed", [2_400, 2_500, 3_000, 10**9])
def test_d10_what_is_fixed_alone_is_over_the_budget(place, fixed):
    session = place.owner.session("s")
    session.append(written([asked("hi"), told("hello")], "chat"))
    budget = lifelong.Budget(2_500, 0, 0, fixed_tokens=fixed)
    seen, summarise = recording()
    outcomes = five_turns(session, budget, summarise)
    assert len(seen) <= 1
    told_so = [done for done in outcomes if done.outcome == "too_little"]
    if fixed >= 2_500:
        assert len(told_so) == 5
    assert all(f"{fixed}" in done.reason and "fixed" in done.reason for done in told_so)
    assert len(session.messages()) == 7
    if fixed >= 2_500:
        with pytest.raises(BudgetTooSmall, match=str(fixed)):
            session.request(budget, summariser=summarise)
    assert len(seen) <= 1


@pytest.mark.parametrize("words", [1_700, 1_800, 6_000])
def test_d10_variant_the_system_text_alone_is_over_the_budget(place, words):
    session = place.owner.session("s")
    session.append(written([("system", "rule " * words), asked("hi"), told("hello")], "chat"))
    seen, summarise = recording()
    outcomes = five_turns(session, BUDGET, summarise)
    assert len(seen) <= 1
    assert {done.outcome for done in outcomes} == {"too_little"}
    assert all("system text" in done.reason for done in outcomes)
    assert len(session.messages()) == 8
    if words > 2_000:
        with pytest.raises(BudgetTooSmall, match="system text"):
            session.request(BUDGET, summariser=summarise)
    else:
        assert session.request(BUDGET, summariser=summarise).tokens <= 2_000
        assert session.compaction.result(SECONDS_MAX).outcome == "too_little"
    assert seen == []


def test_d10_variant_the_tools_of_a_request_alone_are_over_the_budget(place):
    session = place.owner.session("s")
    session.append(written([asked("hi")], "chat"))
    tools = [{"name": "search", "description": "how to search " * 2_000}]
    seen, summarise = recording()
    with pytest.raises(BudgetTooSmall, match="tools"):
        session.request(BUDGET, tools=tools, summariser=summarise)
    assert seen == []


def test_d10_variant_the_background_counts_what_the_request_counts():
    # The tools take half of the window: what is trimmed for their sake is due to be summed up.
    tools = [{"name": "search", "description": "how to search " * 160}]
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(small_talk(13), "chat"))
        request = session.request(BUDGET, tools=tools, summariser=good)
        assert 800 < request.tools_tokens < 1_200
        assert [edit.action for edit in request.plan.edits] == ["trim"]
        assert session.compaction.result(SECONDS_MAX).outcome == "compacted"
        assert good(None) in str(session.request(BUDGET, tools=tools).payload)


@pytest.mark.parametrize("tokens", [1, 2, 3, 7, 20, 33, 60, 99, 150, 301])
@every_format
def test_d10_variant_odd_budgets(tokens, format):
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written([("system", "Be short."), *small_talk(20)], format), format)
        before = rows_of(session)
        for summarise in (extractive_summary, good):
            try:
                done = session.compact(room(tokens), summarise, format=format)
            except LifelongError:
                continue
            assert done.outcome in ("compacted", "too_little", "not_due")
        try:
            request = session.request(room(tokens), format)
        except BudgetTooSmall:
            assert tokens < 301
        else:
            assert request.problems == ()
            assert request.tokens <= tokens
            assert_paired(outline(request))
        assert rows_of(session) == before
        # Whatever came of it, a usual budget works afterwards.
        session.compact(room(900), good, format=format)
        request = session.request(room(900), format)
        assert request.problems == ()
        assert request.tokens <= 900


@pytest.mark.parametrize("wrong", [0, -1, -(10**9), 2_000.5, float("nan"), "2000", None, True])
def test_d10_variant_a_budget_that_is_none(wrong):
    with pytest.raises(InvalidValue):
        lifelong.Budget(wrong, reserve_tokens=0)


@every_format
def test_d10_variant_one_message_larger_than_the_window(place, format):
    session = filled(place, format)
    session.append(written([asked("word " * 4_000)], format), format)
    before = rows_of(session)
    with pytest.raises(BudgetTooSmall, match="largest message"):
        session.request(BUDGET, format)
    session.compact(BUDGET, good, format=format)
    with pytest.raises(BudgetTooSmall):
        session.request(BUDGET, format)
    # Once something else was said, it is as old as the rest.
    session.append(written([told("Noted."), asked("And now?")], format), format)
    assert session.request(BUDGET, format).problems == ()
    assert session.compact(BUDGET, good, format=format).outcome == "compacted"
    request = session.request(BUDGET, format)
    assert request.tokens <= 2_000
    assert outline(request)[-1] == ("user", "And now?")
    assert rows_of(session)[: len(before)] == before
