"""Cases of the kind tool-pairing: a call and its result are never apart, whatever is cut away."""

import pytest
from conversations import (
    FORMATS,
    answered,
    asked,
    assert_paired,
    call,
    calls,
    ids_of,
    outline,
    room,
    rows_of,
    small_talk,
    told,
    written,
)

import lifelong
from lifelong.errors import BudgetTooSmall
from lifelong.formats import parse
from lifelong.messages import ToolCallPart, ToolResultPart
from lifelong.working import pipeline
from lifelong.working.plan import Edit, Plan
from lifelong.working.repair import build

ROOMY = lifelong.Budget(100_000)
INTERRUPTED = "The tool call was interrupted before a result was produced."
every_format = pytest.mark.parametrize("format", FORMATS)


def kinds(messages):
    """The messages as an outline: what they call, answer and say."""
    shown = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                shown.append(("call", part.id))
            elif isinstance(part, ToolResultPart):
                shown.append(("result", part.call_id, part.text))
            else:
                shown.append((message.role, part.text))
    return shown


KETTLE = [
    asked("Does kettle K-3 boil?"),
    call("c1", "kettle_state", id="K-3"),
    answered("c1", "boils", "kettle_state"),
    told("It boils."),
]


@every_format
def test_d01_the_newest_items_are_whole_steps(place, format):
    session = place.owner.session("s")
    session.append(written(KETTLE, format), format)
    before = rows_of(session)
    expected = {0: 0, 1: 1, 2: 1, 3: 3, 4: 4, 5: 4, 10**9: 4}
    for limit, count in expected.items():
        found = session.messages(limit, whole_steps=True)
        shown = kinds(found)
        assert_paired(shown)
        assert len(found) == count
        assert not shown or shown[-1] == ("assistant", "It boils.")
    assert rows_of(session) == before


PARALLEL = [
    asked("Compare the stops."),
    calls(("a", "stop", {"n": 1}), ("b", "stop", {"n": 2}), ("c", "stop", {"n": 3})),
    answered("a", "one", "stop"),
    answered("b", "two", "stop"),
    answered("c", "three", "stop"),
    told("They differ."),
    asked("And the fourth?"),
    call("d", "stop", n=4),
    answered("d", "four", "stop"),
    call("a", "stop", n=1),
    answered("a", "one again", "stop"),
]
"""Parallel calls, steps that follow one another, and an id that is used twice."""


@every_format
def test_d01_variant_parallel_calls_and_ids_used_again(place, format):
    session = place.owner.session("s")
    session.append(written(PARALLEL, format), format)
    total = len(session.messages())
    for limit in range(total + 1):
        found = session.messages(limit, whole_steps=True)
        assert len(found) <= limit
        assert_paired(kinds(found))
        if limit >= 2:
            assert kinds(found)[-1] == ("result", "a", "one again")
    assert kinds(session.messages(total, whole_steps=True)) == kinds(session.messages())


def test_d01_variant_a_result_that_came_late_is_not_alone(place):
    session = place.owner.session("s")
    late = [KETTLE[0], KETTLE[1], asked("Still there?"), told("Yes."), KETTLE[2]]
    session.append(written(late, "chat"))
    for limit in range(6):
        found = session.messages(limit, whole_steps=True)
        ids = {kind: ids_of(kinds(found), kind) for kind in ("call", "result")}
        assert ids["call"] == ids["result"], limit


@every_format
def test_d01_variant_each_budget_of_a_request(format):
    # Whoever counts items, not tokens: a budget of so many items.
    history = build(parse(written(PARALLEL, format), format), format, count=lambda _: 1)
    for tokens in range(1, 14):
        try:
            fitted = pipeline.fit(history, room(tokens)).history
        except BudgetTooSmall:
            assert tokens < 3  # the question, and the newest step of two
            continue
        assert_paired(kinds(message for unit in fitted.units for message in unit.messages))


TWO_OF_ONE = [
    asked("Compare the depots."),
    calls(("p1", "depot", {"n": 1}), ("p2", "depot", {"n": 2})),
    answered("p1", "holds 31", "depot"),
    asked("carry on"),
]


@every_format
def test_d02_one_of_two_results_was_lost(place, format):
    session = place.owner.session("s")
    session.append(written(TWO_OF_ONE, format), format)
    before = rows_of(session)
    first = session.request(ROOMY, format)
    second = session.request(ROOMY, format)
    again = place.reopen().session("s").request(ROOMY, format)
    shown = outline(first)
    assert first.payload == second.payload == again.payload
    assert shown == [
        ("user", "Compare the depots."),
        ("call", "p1"),
        ("call", "p2"),
        ("result", "p1", "holds 31"),
        ("result", "p2", INTERRUPTED),
        ("user", "carry on"),
    ]
    assert first.problems == ()
    assert [repair.action for repair in first.plan.repairs] == ["answered"]
    assert rows_of(place.owner.session("s")) == before


@every_format
@pytest.mark.parametrize("other", FORMATS)
def test_d02_variant_in_another_providers_words(format, other):
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(TWO_OF_ONE, format), format)
        request = session.request(ROOMY, other)
    assert request.problems == ()
    assert_paired(outline(request))
    assert ("result", "p1", "holds 31") in outline(request)
    assert ("result", "p2", INTERRUPTED) in outline(request)


def test_d02_variant_it_is_flagged_where_a_format_has_a_flag():
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(TWO_OF_ONE, "chat"))
        blocks = session.request(ROOMY, "anthropic").payload["messages"][2]["content"]
        responses = session.request(ROOMY, "gemini").payload["contents"][2]["parts"]
    assert [block.get("is_error", False) for block in blocks] == [False, True]
    assert [[*part["functionResponse"]["response"]] for part in responses] == [
        ["output"],
        ["error"],
    ]


@every_format
def test_d02_variant_a_kill_after_each_item_of_a_turn(format):
    # Whatever was saved when the process died: the next request is taken, and so are later ones.
    items = written(PARALLEL, format)
    for saved in range(1, len(items) + 1):
        with lifelong.open("memory:") as engine:
            session = engine.owner("ana").session("s")
            session.append(items[:saved], format)
            for text in ("go on", "and on"):
                session.append(written([asked(text)], format), format)
                request = session.request(ROOMY, format)
                assert request.problems == (), saved
                assert_paired(outline(request))
                assert outline(request)[-1] == ("user", text)


@every_format
def test_d02_variant_the_real_result_comes_late_and_once_only(format):
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(TWO_OF_ONE, format), format)
        assert ("result", "p2", INTERRUPTED) in outline(session.request(ROOMY, format))
        for text in ("holds 32", "holds 99"):
            session.append(written([answered("p2", text, "depot")], format), format)
            session.append(written([asked("carry on")], format), format)
        request = session.request(ROOMY, format)
    shown = outline(request)
    assert request.problems == ()
    assert_paired(shown)
    assert [entry for entry in shown if entry[0] == "result"] == [
        ("result", "p1", "holds 31"),
        ("result", "p2", "holds 32"),
    ]
    assert {repair.action for repair in request.plan.repairs} == {"moved", "dropped"}


@every_format
def test_d02_variant_results_without_a_call(format):
    orphans = [answered("x", "lost"), asked("Hello?"), answered("y", "lost too"), told("Hi.")]
    request = lifelong.fit(written([*orphans, asked("So?")], format), ROOMY, format)
    assert request.problems == ()
    assert ids_of(outline(request), "result") == []
    assert [entry for entry in outline(request) if entry[0] == "user"][-1] == ("user", "So?")
    assert [repair.action for repair in request.plan.repairs] == ["dropped", "dropped"]


PENDING = [
    asked("Delete poster 7."),
    calls(("k1", "delete_poster", {"n": 7})),
]


@every_format
def test_d03_a_call_that_waits_is_not_summed_up(place, format):
    session = place.owner.session("s")
    session.append(written([*PENDING, *small_talk(30)], format), format)
    assert session.compact(room(1_500), format=format).outcome == "compacted"
    waiting = outline(session.request(room(1_500), format))
    assert_paired(waiting)
    assert ("result", "k1", INTERRUPTED) in waiting
    (summary,) = [entry[1] for entry in waiting if "<summary>" in entry[1]]
    assert "deleted" not in summary
    approval = answered("k1", "approved, deleted", "delete_poster")
    session.append(written([approval], format), format)
    request = place.reopen().session("s").request(room(1_500), format)
    shown = outline(request)
    assert request.problems == ()
    assert_paired(shown)
    at = shown.index(("call", "k1"))
    assert shown[at + 1] == ("result", "k1", "approved, deleted")
    assert request.tokens <= 1_500


@every_format
def test_d03_variant_the_summariser_is_told_that_it_waits(format):
    seen = []

    def summarise(task):
        seen.append(task)
        return "Ana asks about her trams."

    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written([*PENDING, *small_talk(30)], format), format)
        session.compact(room(1_500), summarise, format=format)
    transcripts = [task.transcript for task in seen if "delete_poster" in task.transcript]
    # It was neither done nor refused: nobody has said anything of it yet.
    assert [text.count("(not answered yet)") for text in transcripts] == [1]
    assert INTERRUPTED not in transcripts[0]


@every_format
def test_d03_variant_more_compactions_while_it_waits_and_after(format):
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(PENDING, format), format)
        for round_number in range(4):
            more = small_talk(20, start=20 * round_number)
            session.append(written(more, format), format)
            session.compact(room(1_500), format=format)
            request = session.request(room(1_500), format)
            assert request.problems == ()
            assert ("result", "k1", INTERRUPTED) in outline(request)
        answer = answered("k1", "approved, deleted", "delete_poster")
        session.append(written([answer, asked("Is it gone?")], format), format)
        assert ("result", "k1", "approved, deleted") in outline(
            session.request(room(1_500), format)
        )
        # Once it is answered it is as old as its place in the talk, and may go with the rest.
        for round_number in range(4, 7):
            more = small_talk(20, start=20 * round_number)
            session.append(written(more, format), format)
            session.compact(room(1_500), format=format)
            request = session.request(room(1_500), format)
            assert request.problems == ()
            assert_paired(outline(request))
        assert len(session.messages()) == 2 + 7 * 40 + 2
    assert "Not answered yet" not in str(request.payload)


@every_format
def test_d03_variant_a_result_that_has_just_come_is_shown(format):
    # It is the newest there is, and nobody has seen it yet, however old its call.
    answer = answered("k1", "approved, deleted", "delete_poster")
    items = written([*PENDING, *small_talk(30), answer], format)
    request = lifelong.fit(items, room(1_500), format)
    shown = outline(request)
    assert request.problems == ()
    assert_paired(shown)
    assert ("result", "k1", "approved, deleted") in shown


def test_d03_variant_one_of_parallel_calls_waits():
    parallel = calls(("k1", "delete_poster", {"n": 7}), ("k2", "read_poster", {"n": 8}))
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written([PENDING[0], parallel, answered("k2", "blue")], "chat"))
        session.append(written(small_talk(30), "chat"))
        session.compact(room(1_500))
        shown = outline(session.request(room(1_500)))
    at = shown.index(("call", "k1"))
    assert shown[at : at + 4] == [
        ("call", "k1"),
        ("call", "k2"),
        ("result", "k2", "blue"),
        ("result", "k1", INTERRUPTED),
    ]


MIDDLE = [
    asked("one"),
    told("first"),
    asked("two"),
    call("c1", x=2),
    answered("c1", "4"),
    told("done"),
    asked("three"),
]


@every_format
def test_d43_budgets_of_items(format):
    messages = parse(written(MIDDLE, format), format)
    history = build(messages, format, count=lambda _: 1)
    place_of = {id(message.raw): place for place, message in enumerate(messages)}
    for tokens in range(1, 8):
        fitted = pipeline.fit(history, room(tokens)).history
        kept = [message for unit in fitted.units for message in unit.messages]
        places = [place_of[id(message.raw)] for message in kept]
        assert len(kept) <= tokens
        assert_paired(kinds(kept))
        assert places == sorted(places)
        assert kinds(kept)[-1] == ("user", "three")
    assert places == list(range(7))


@every_format
def test_d43_variant_a_policy_that_drops_from_the_middle(format):
    # A policy of the caller's own can name any unit, and still cannot part a call and its result.
    items = written([*PARALLEL, *MIDDLE], format)
    count = len(build(parse(items, format), format, count=lambda _: 1).units)
    total = lifelong.fit(items, ROOMY, format).plan.tokens_before
    for gone in range(count - 1):

        def dropping(history, _budget, gone=gone):
            (unit,) = [unit for unit in history.units if unit.no == gone]
            return Plan((Edit("trim", "of my own", (gone,), (), unit.tokens, 0),))

        dropping.starts_at = lambda _budget: total - 1
        request = lifelong.fit(items, ROOMY, format, policies=[dropping])
        assert len(request.plan.edits) == 1
        assert request.problems == (), gone
        assert_paired(outline(request))
        assert outline(request)[-1] == ("user", "three")


@every_format
def test_d43_variant_a_message_was_forgotten_out_of_the_middle(place, format):
    # Forgetting takes single messages, and leaves the log without a call or without its result.
    items = written(PARALLEL, format)
    for gone in range(len(items)):
        session = place.owner.session(f"s{gone}")
        session.append(items, format, ids=[f"m{n}" for n in range(len(items))])
        place.owner.forget(f"m{gone}", session=session.id)
        request = session.request(ROOMY, format)
        assert request.problems == (), gone
        assert_paired(outline(request))
    assert outline(request)[-1][::2] == ("result", INTERRUPTED)  # the last result is the one gone
