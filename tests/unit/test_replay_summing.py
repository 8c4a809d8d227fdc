"""Summaries in a replay: made when they would be live, counted, and never the end of it."""

import pytest

import lifelong
from lifelong.errors import SummariserFailed
from lifelong.formats import parse
from lifelong.replay.cases import Case
from lifelong.replay.policies import NamedPolicy
from lifelong.replay.run_case import replay_case
from lifelong.replay.ways import ways_of
from lifelong.working.budget import Budget
from lifelong.working.compact import Compact
from lifelong.working.extractive import extractive_summary
from lifelong.working.tokens import estimate_tokens
from lifelong.working.trim import TrimTurns

WINDOW = 3_000
POLICIES = (TrimTurns(), Compact())
SAID = "The parcel with the number ZX-{} goes by way of the old depot in the north. "


def talk(turns, times):
    items = []
    for number in range(turns):
        items += [
            {"role": "user", "content": SAID.format(4000 + number) * times},
            {"role": "assistant", "content": "Noted, and I shall look after it."},
        ]
    return items


class Model:
    """A summariser that remembers what it was asked; it may raise or answer oddly."""

    def __init__(self, answer="The user sends parcels through the old depot in the north."):
        self.answer = answer
        self.tasks = []

    def __call__(self, task):
        self.tasks.append(task)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    @property
    def transcripts(self):
        return [task.transcript for task in self.tasks]


def replayed(model, policies=POLICIES, turns=30, times=4):
    case = Case("one", "made", "chat", tuple(parse(talk(turns, times), "chat")))
    policy = NamedPolicy("compact", policies=policies, summariser=model)
    [way] = replay_case(case, ways_of([policy], [WINDOW]), recall=False).ways
    return way


def test_each_segment_is_counted_with_what_the_model_read_and_wrote():
    model = Model()
    way = replayed(model)
    assert len(model.tasks) >= 2
    assert sum(asked.summaries for asked in way.asked) == len(model.tasks)
    read = [estimate_tokens(each.instructions) for each in model.tasks]
    read += [estimate_tokens(each.transcript) for each in model.tasks]
    assert sum(asked.summary_input_tokens for asked in way.asked) == sum(read)
    wrote = estimate_tokens(model.answer) * len(model.tasks)
    assert sum(asked.summary_output_tokens for asked in way.asked) == wrote
    assert way.problems == ()


def test_no_message_is_summed_up_twice():
    model = Model()
    replayed(model)
    said = [message for task in model.tasks for message in task.messages]
    assert len(said) == len({id(message) for message in said})


def test_what_was_summed_up_is_shown_when_it_is_gone():
    way = replayed(Model())
    states = {state for shown in way.shown for state, _ in shown.states}
    assert "summarised" in states
    assert "dropped" not in states


def live_session(model):
    """Return the requests of a real session that compacts beside them, and what it summed up."""
    requests, done = [], {}
    items = talk(30, 4)
    with lifelong.open("memory:", clock=lifelong.ManualClock()) as engine:
        session = engine.owner("ana").session("one")
        for asked, answered in zip(items[::2], items[1::2], strict=True):
            session.append([asked])
            requests.append(session.request(Budget(WINDOW), policies=POLICIES, summariser=model))
            if session.compaction is not None:
                done[session.compaction] = session.compaction.result(timeout=30)
            session.append([answered])
    return requests, [made for made in done.values() if made.segments]


def test_a_replay_sends_and_sums_up_what_a_session_would():
    model, live = Model(), Model()
    way = replayed(model)
    requests, made = live_session(live)
    assert [asked.tokens for asked in way.asked] == [request.tokens for request in requests]
    # Beside the last request one more may have been begun, which no request would have shown.
    count = len(model.tasks)
    assert len(live.tasks) - count in (0, 1)
    assert model.transcripts == live.transcripts[:count]
    summed = [asked for asked in way.asked if asked.summaries]
    assert [(asked.summaries, asked.summed_tokens, asked.summary_tokens) for asked in summed] == [
        (each.segments, each.tokens_before, each.tokens_after) for each in made[:count]
    ]


def test_without_a_model_nothing_is_read_or_written():
    way = replayed(extractive_summary)
    assert sum(asked.summaries for asked in way.asked) >= 2
    assert {asked.summary_input_tokens for asked in way.asked} == {0}
    assert {asked.summary_output_tokens for asked in way.asked} == {0}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (None, "the summariser returned no text"),
        ("", "the summariser returned an empty text"),
        ("Error: 500", "the summariser returned an error or a refusal"),
        (SummariserFailed("the server is gone"), "the server is gone"),
        (ZeroDivisionError("odd"), "it raised ZeroDivisionError: odd"),
    ],
)
def test_a_summary_that_fails_is_told_and_the_request_is_made_without(answer, problem):
    model = Model(answer)
    way = replayed(model, turns=100, times=1)
    assert {asked.outcome for asked in way.asked} == {"sent"}
    assert sum(asked.summaries for asked in way.asked) == 0
    [told] = way.problems
    assert told.endswith(f"a summary was not made: {problem}")
    # It was asked again only when more had come, and each call is counted.
    began = int(told.split()[1].rstrip(":"))
    assert 1 < len(model.tasks) < (len(way.asked) - began) * 0.6
    assert sum(asked.summary_input_tokens for asked in way.asked) > 0


def test_a_model_that_is_asked_at_the_edge_is_counted_too():
    model = Model()
    way = replayed(None, policies=(TrimTurns(), Compact(summariser=model)))
    assert len(model.tasks) >= 1
    assert sum(asked.summaries for asked in way.asked) == len(model.tasks)
    assert sum(asked.summary_input_tokens for asked in way.asked) > 0


def test_a_model_that_raises_at_the_edge_fails_the_request():
    way = replayed(None, policies=(TrimTurns(), Compact(summariser=Model(OSError("gone")))))
    outcomes = [asked.outcome for asked in way.asked]
    assert outcomes[0] == "sent"
    assert outcomes[-1] == "failed"
    assert way.problems[0].endswith("it raised OSError: gone")


def test_the_default_of_the_format_shows_its_summaries():
    way = replayed(extractive_summary, policies=())
    assert sum(asked.summaries for asked in way.asked) >= 1
    assert "summarised" in {state for shown in way.shown for state, _ in shown.states}
