"""Cases of the kind compaction-safety: whatever a summariser does, nothing said is lost."""

from itertools import pairwise
from threading import Event, Thread

import pytest
from conversations import (
    FORMATS,
    asked,
    outline,
    room,
    rows_of,
    small_talk,
    summaries_of,
    told,
    written,
)

import lifelong
from lifelong.errors import InvalidValue, SummariserFailed, SummaryUnusable
from lifelong.messages import ToolCallPart, ToolResultPart

BUDGET = room(2_000)
SECONDS_MAX = 60
every_format = pytest.mark.parametrize("format", FORMATS)


def good(_task):
    return "Ana asks about her trams, and they run on time."


def filled(place, pairs=40, format="chat"):
    session = place.owner.session("s")
    fill(session, pairs, format)
    return session


def fill(session, pairs, format="chat"):
    items = written([("system", "Be short."), *small_talk(pairs)], format)
    session.append(items, format, ids=[f"m{n}" for n in range(len(items))])


class MyOwnError(Exception):
    """What a caller's summariser may raise; nobody here knows it."""


UNUSABLE = {
    "an empty text": "",
    "nothing": None,
    "white space": " \n\t\u00a0",
    "no letter": "...",
    "bytes": b"Ana asks about trams.",
    "a list": ["Ana asks about trams."],
    "a number": 5,
    "a mapping": {"content": "Ana asks about trams."},
    "an error": "TimeoutError: the request timed out",
    "an error of a server": "500 Internal Server Error",
    "an error in JSON": '{"error": {"message": "overloaded"}}',
    "an error of a web server": "<html><head><title>502 Bad Gateway</title></head></html>",
    "an error of a gateway": '{"detail": "Not authenticated"}',
    "an error of a client": "Connection error.",
    "null": "null",
    "a limit": "Rate limit reached, try again later.",
    "a refusal": "I'm sorry, but I cannot help with that.",
    "a loop": "Ana asks about her trams. " * 12,
    "a loop of words": "the tram " * 150,
    "a loop without spaces": "tram" * 80,
    "another language": "Анна спрашивает о трамваях, и они ходят по расписанию.",
    "a third language": "安娜询问了有轨电车的情况，它们都准点运行。",
    "much too long": " ".join(f"Tram {n} is one of those that Ana asks about." for n in range(90)),
    "only inventions": "ZX-40417",
    "lone halves of letters": "\ud800\ud801",
}
RAISED = {
    "a timeout": TimeoutError("no answer"),
    "its own error": MyOwnError("no answer"),
    "a key error": KeyError("choices"),
    "ours": SummariserFailed("no answer"),
    "an interrupt": KeyboardInterrupt(),
}


def raising(error):
    def summarise(_task):
        raise error

    return summarise


FAILING = [
    *(pytest.param(lambda _, a=answer: a, SummaryUnusable, id=n) for n, answer in UNUSABLE.items()),
    *(pytest.param(raising(e), (type(e), SummariserFailed), id=n) for n, e in RAISED.items()),
]
"""Every summariser that gives no summary, with the errors that may tell so."""


@pytest.mark.parametrize(("summarise", "errors"), FAILING)
def test_d08_a_summary_that_failed_changes_nothing(place, summarise, errors):
    session = filled(place)
    before, sent = rows_of(session), session.request(BUDGET).payload
    for _ in range(2):
        with pytest.raises(errors):
            session.compact(BUDGET, summarise)
    assert rows_of(session) == before
    assert summaries_of(session) == []
    assert session.request(BUDGET).payload == sent
    # It is not held against the session.
    session = place.reopen().session("s")
    assert session.request(BUDGET).payload == sent
    done = session.compact(BUDGET, good)
    assert done.outcome == "compacted"
    assert done.tokens_after < done.tokens_before
    assert rows_of(session) == before
    assert good(None) in str(session.request(BUDGET).payload)
    assert session.request(BUDGET).tokens <= 2_000


@pytest.mark.parametrize(("summarise", "errors"), FAILING)
def test_d08_variant_it_failed_in_the_background(place, summarise, errors):
    session = filled(place)
    before, sent = rows_of(session), session.request(BUDGET).payload
    assert session.compaction is None
    assert session.request(BUDGET, summariser=summarise).payload == sent
    with pytest.raises(errors):
        session.compaction.result(SECONDS_MAX)
    assert rows_of(session) == before
    assert summaries_of(session) == []
    assert session.request(BUDGET, summariser=good).payload == sent
    assert session.compaction.result(SECONDS_MAX).outcome == "compacted"
    assert good(None) in str(session.request(BUDGET).payload)


@pytest.mark.parametrize(("summarise", "errors"), FAILING)
def test_d08_variant_it_failed_on_a_later_segment(summarise, errors):
    # Each summary stands alone: those that were made stay, and what is left is done later.
    turns = iter([good, summarise])

    def second_fails(task):
        return next(turns)(task)

    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(small_talk(60), "chat"))
        before = rows_of(session)
        with pytest.raises(errors):
            session.compact(BUDGET, second_fails)
        assert len(summaries_of(session)) == 1
        assert rows_of(session) == before
        assert session.request(BUDGET).problems == ()
        assert session.compact(BUDGET, good).outcome == "compacted"
        spans = [(row.first_seq, row.last_seq) for row in summaries_of(session)]
        assert all(one[1] + 1 == two[0] for one, two in pairwise(spans))


def test_d08_variant_a_summariser_that_lies():
    lie = "Ana asks about tram 3. Order ZX-40417 was paid to /srv/paid/9f3c1ab.txt on 2031-05-06."
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(small_talk(40), "chat"))
        done = session.compact(BUDGET, lambda _: lie)
        sent = str(session.request(BUDGET).payload)
    assert {"ZX-40417", "/srv/paid/9f3c1ab.txt", "2031-05-06"} <= {*done.struck}
    assert "Ana asks about tram 3" in sent
    for invented in ("ZX-40417", "9f3c1ab", "2031"):
        assert invented not in sent


def test_d08_variant_no_summariser_at_all():
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(small_talk(40), "chat"))
        for wrong in ("gpt", 5, object()):
            with pytest.raises(InvalidValue):
                session.compact(BUDGET, wrong)
        for wrong in (5_000, "2000", None):
            with pytest.raises(InvalidValue):
                session.compact(wrong, good)
        assert summaries_of(session) == []
        assert session.compact(BUDGET).outcome == "compacted"


def test_d08_variant_what_the_caller_does_to_the_task_stays_outside():
    def summarise(task):
        task.messages[0].raw["content"] = "changed"
        return good(task)

    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        session.append(written(small_talk(40), "chat"))
        before = rows_of(session)
        session.compact(BUDGET, summarise)
        assert rows_of(session) == before
        assert "changed" not in str(session.messages())


def during(summary_call, session, budget=BUDGET):
    """Compact in a thread, call `summary_call` while the summariser waits, and return the outcome.

    Only the first segment waits.
    """
    begun, go_on, outcomes = Event(), Event(), []

    def summarise(task):
        begun.set()
        assert go_on.wait(SECONDS_MAX)
        return good(task)

    thread = Thread(target=lambda: outcomes.append(session.compact(budget, summarise)))
    thread.start()
    try:
        assert begun.wait(SECONDS_MAX)
        summary_call()
    finally:
        go_on.set()
        thread.join(SECONDS_MAX)
    (done,) = outcomes
    return done


@every_format
def test_d09_what_is_said_during_the_summary_stays(place, format):
    session = filled(place, format=format)
    note = written([asked("late note 5512")], format)
    done = during(lambda: session.append(note, format), session)
    assert done.outcome == "compacted"
    for is_fresh in (False, True):
        session = place.reopen().session("s") if is_fresh else session
        assert sum("late note 5512" in m.text for m in session.messages()) == 1
        shown = outline(session.request(BUDGET, format))
        assert shown[-1] == ("user", "late note 5512")
        assert any("<summary>" in entry[1] for entry in shown[:-1])


def test_d09_what_another_handle_says_during_the_summary_stays(place):
    session = filled(place)
    other = place.beside().session("s")
    done = during(lambda: other.append(written([asked("late note 5512")], "chat")), session)
    assert done.outcome == "compacted"
    assert session.request(BUDGET).payload == other.request(BUDGET).payload
    assert outline(session.request(BUDGET))[-1] == ("user", "late note 5512")


def test_d09_a_session_that_is_forgotten_meanwhile_is_empty(place):
    session = filled(place)
    done = during(lambda: place.owner.forget(session="s"), session)
    assert done.outcome == "changed"
    for is_fresh in (False, True):
        session = place.reopen().session("s") if is_fresh else session
        assert len(session.messages()) == 0
        assert summaries_of(session) == []
        with pytest.raises(InvalidValue):
            session.request(BUDGET)


def test_d09_variant_an_owner_who_is_forgotten_meanwhile_is_gone(place):
    session = filled(place)
    done = during(lambda: place.owner.forget(everything=True), session)
    assert done.outcome == "changed"
    assert len(session.messages()) == 0
    assert summaries_of(session) == []


def test_d09_variant_forgotten_and_said_again_meanwhile(place):
    session = filled(place)

    def begin_anew():
        place.owner.forget(session="s")
        session.append(written(small_talk(50), "chat"), ids=[f"new{n}" for n in range(100)])

    assert during(begin_anew, session).outcome == "changed"
    assert len(session.messages()) == 100
    assert summaries_of(session) == []
    assert session.compact(BUDGET, good).outcome == "compacted"


@pytest.mark.parametrize("gone", ["m5", "m20", "m80"], ids=["summed up", "next", "newest"])
def test_d09_variant_a_message_is_erased_meanwhile(place, gone):
    session = filled(place)
    done = during(lambda: place.owner.forget(gone, session="s"), session)
    assert done.outcome in ("changed", "compacted")
    assert gone not in [message.id for message in session.messages()]
    assert len(session.messages()) == 80
    # What holds a word of it is not there, or was never made from it.
    covered = {seq for row in summaries_of(session) for seq in (row.first_seq, row.last_seq)}
    assert covered <= {row.seq for row in rows_of(session)}
    assert session.compact(BUDGET, good).outcome in ("compacted", "not_due")
    payload = session.request(BUDGET).payload
    fresh = place.reopen().session("s").request(BUDGET)
    assert fresh.problems == ()
    assert fresh.payload == payload


def test_d09_variant_the_newest_is_popped_meanwhile(place):
    session = filled(place)
    popped = []
    during(lambda: popped.append(session.pop()), session)
    assert popped[0].id not in [message.id for message in session.messages()]
    session.compact(BUDGET, good)
    assert session.request(BUDGET).problems == ()


def test_d09_variant_another_handle_compacts_meanwhile(place):
    session = filled(place)
    other = place.beside().session("s")
    inner = []
    done = during(lambda: inner.append(other.compact(BUDGET)), session)
    assert inner[0].outcome == "compacted"
    assert done.outcome == "changed"
    assert summaries_of(session) == summaries_of(other)
    assert {row.made_by for row in summaries_of(session)} == {"extractive_summary"}
    assert session.request(BUDGET).payload == other.request(BUDGET).payload


def test_d09_variant_the_summariser_itself_uses_the_session(place):
    # Nothing is held while a summariser is asked: it may do what anybody may.
    session = filled(place)
    done = []

    def summarise(task):
        if not done:
            session.append(written([asked("from within")], "chat"))
            session.request(BUDGET)
            done.append(session.compact(BUDGET, good).outcome)
        return good(task)

    assert session.compact(BUDGET, summarise).outcome == "changed"
    assert done == ["compacted"]
    assert outline(session.request(BUDGET))[-1] == ("user", "from within")


def test_d09_variant_many_processes_compact_at_once(place):
    place.crowd(1, lambda engine, _: fill(engine.owner("ana").session("s"), pairs=60))

    def work(engine, number):
        session = engine.owner("ana").session("s")
        session.append(written([told(f"process {number}")], "chat"), ids=[f"p{number}"])
        return session.compact(BUDGET, good).outcome

    outcomes = place.crowd(4, work)
    assert "compacted" in outcomes
    # What another summed up meanwhile may leave too little for this one.
    assert {*outcomes} <= {"compacted", "changed", "not_due", "too_little"}
    session = place.owner.session("s")
    assert len(session.messages()) == 1 + 120 + 4
    spans = [(row.first_seq, row.last_seq) for row in summaries_of(session)]
    assert all(one[1] + 1 == two[0] for one, two in pairwise(spans))
    # All that is not shown is in a summary.
    last = spans[-1][1]
    shown = {message.id for message in session.request(BUDGET).messages}
    assert {row.id for row in rows_of(session) if row.seq > last} <= shown


def test_d09_variant_another_compacts_between_two_looks(place):
    # A handle reads messages, then summaries. What another does in between must not stay unseen.
    session, other = filled(place, pairs=4), place.beside().session("s")
    log = session._store.log
    session.request(BUDGET)
    real = type(log).summaries
    began = []

    class Between:
        def __getattr__(self, name):
            return getattr(log, name)

        def summaries(self, session_id):
            if not began:
                began.append(True)
                other.append(written(small_talk(60, start=4), "chat"))
                other.compact(BUDGET, good)
            return real(log, session_id)

    session._window._store = Between()
    session.request(BUDGET)
    session._window._store = log
    assert began
    assert session.request(BUDGET).payload == other.request(BUDGET).payload


def test_d09_variant_the_same_session_in_the_background_twice(place):
    # While one summary is being made, no other is begun.
    session = filled(place)
    begun, go_on, calls = Event(), Event(), []

    def summarise(task):
        calls.append(task)
        begun.set()
        assert go_on.wait(SECONDS_MAX)
        return good(task)

    session.request(BUDGET, summariser=summarise)
    assert begun.wait(SECONDS_MAX)
    first = session.compaction
    try:
        for _ in range(3):
            assert session.request(BUDGET, summariser=summarise).problems == ()
            assert session.compaction is first
        assert len(calls) == 1
    finally:
        go_on.set()
    assert first.result(SECONDS_MAX).outcome == "compacted"


def recording():
    seen = []

    def summarise(task):
        seen.append(task)
        return good(task)

    return seen, summarise


def test_d58_nothing_is_replaced_that_was_not_summed_up(place):
    session = place.owner.session("s")
    for number in range(60):
        entry = asked if number % 2 else told
        session.append(written([entry(f"item {number}. " + "It runs. " * 12)], "chat"))
    ids = [message.id for message in session.messages()]
    session.messages(10)  # a limit of reading is none of compaction
    seen, summarise = recording()
    assert session.compact(BUDGET, summarise).outcome == "compacted"
    given = [message.id for task in seen for message in task.messages]
    assert given == ids[: len(given)]  # each once, in order, from the first
    spans = [(row.first_seq, row.last_seq) for row in summaries_of(session)]
    covered = [r.id for r in rows_of(session) if any(a <= r.seq <= z for a, z in spans)]
    assert covered == given
    request = session.request(BUDGET)
    shown = {message.id for message in request.messages} - {None}
    assert {*ids} - shown <= {*given}
    assert [message.id for message in session.messages()] == ids


def test_d58_variant_a_step_is_never_half_summed_up():
    # A result that came late belongs to its call, wherever it stands in the log.
    with lifelong.open("memory:") as engine:
        session = engine.owner("ana").session("s")
        for number in range(30):
            call = {"id": f"c{number}", "name": "look", "arguments": "{}"}
            function = {"name": call["name"], "arguments": "{}"}
            made = {"id": call["id"], "type": "function", "function": function}
            session.append([{"role": "assistant", "content": None, "tool_calls": [made]}])
            session.append(written(small_talk(1, start=number), "chat"))
            late = {"role": "tool", "tool_call_id": f"c{number}", "content": f"result {number}"}
            session.append([late])
        seen, summarise = recording()
        assert session.compact(BUDGET, summarise).outcome == "compacted"
        for task in seen:
            parts = [part for message in task.messages for part in message.parts]
            called = [part.id for part in parts if isinstance(part, ToolCallPart)]
            assert called == [part.call_id for part in parts if isinstance(part, ToolResultPart)]
        assert session.request(BUDGET).problems == ()


def test_d58_variant_rows_that_cannot_be_read(place, damage):
    session = filled(place)
    damage("UPDATE message SET payload = '{bad' WHERE id IN ('m7', 'm8', 'm80')")
    session = place.owner.session("s")
    assert session.compact(BUDGET, good).outcome == "compacted"
    request = session.request(BUDGET)
    assert request.problems == ()
    assert good(None) in str(request.payload)
    assert len(session.messages().skipped) == 3
    assert place.owner.stats()["message"] == 81
