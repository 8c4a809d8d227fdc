"""Summaries that were recorded, and played without a model."""

import json
import os
import pickle
import stat

import pytest

from lifelong.conformance import in_processes
from lifelong.errors import SummariserFailed
from lifelong.replay.cassettes import Cassette, begin
from lifelong.replay.lab import Question, cases_of
from lifelong.replay.policies import NamedPolicy
from lifelong.working.compact import Compact
from lifelong.working.summary import SummaryTask
from lifelong.working.trim import TrimTurns


def task(text, tokens_max=100):
    return SummaryTask((), "Sum it up.", text, tokens_max)


def echo(asked):
    return f"summary of {asked.transcript}"


@pytest.fixture
def file(tmp_path):
    return tmp_path / "summaries.jsonl"


def test_what_was_recorded_is_played_without_asking(file):
    asked = []

    def summariser(each):
        asked.append(each.transcript)
        return echo(each)

    recording = Cassette(file, summariser)
    assert recording(task("a")) == recording(task("a")) == "summary of a"
    assert recording(task("b")) == "summary of b"
    assert asked == ["a", "b"]
    playing = pickle.loads(pickle.dumps(Cassette(file)))
    assert playing(task("a")) == "summary of a"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_another_length_or_text_is_another_task(file):
    Cassette(file, echo)(task("a"))
    for other in (task("a", 99), task("a ")):
        with pytest.raises(SummariserFailed, match="no summary"):
            Cassette(file)(other)


def test_a_cassette_that_is_not_there_plays_nothing(file):
    with pytest.raises(SummariserFailed, match="summaries"):
        Cassette(file)(task("a"))
    assert not file.exists()


def test_that_there_was_no_summary_is_recorded_too(file):
    assert Cassette(file, lambda _: None)(task("a")) is None
    assert Cassette(file)(task("a")) is None


def test_a_torn_line_is_recorded_again_and_harms_no_other(file):
    for text in ("a", "b"):
        Cassette(file, echo)(task(text))
    file.write_bytes(file.read_bytes()[:-20])
    assert Cassette(file)(task("a")) == "summary of a"
    with pytest.raises(SummariserFailed):
        Cassette(file)(task("b"))
    assert Cassette(file, echo)(task("b")) == "summary of b"
    assert Cassette(file)(task("a")) == "summary of a"
    assert Cassette(file)(task("b")) == "summary of b"


@pytest.mark.parametrize(
    "line",
    [
        "[" * 200_000,
        "",
        "no json",
        "[]",
        '"text"',
        "{}",
        '{"key": 3}',
        '{"key": "k", "summary": 3}',
    ],
)
def test_lines_of_others_are_passed_over(file, line):
    file.write_text(f"{line}\n")
    assert Cassette(file, echo)(task("a")) == "summary of a"
    assert json.loads(file.read_text().splitlines()[-1])["summary"] == "summary of a"


def test_many_record_at_once(file):
    in_processes(4, lambda number: [Cassette(file, echo)(task(f"{number} {n}")) for n in range(20)])
    assert len(file.read_text().splitlines()) == 80
    assert Cassette(file)(task("3 19")) == "summary of 3 19"


def test_nobody_is_asked_for_what_cannot_be_kept(tmp_path):
    asked = []
    with pytest.raises(FileNotFoundError):
        Cassette(tmp_path / "gone" / "summaries.jsonl", asked.append)(task("a"))
    assert asked == []


def test_a_write_that_is_done_in_parts_is_done_whole(file, monkeypatch):
    write = os.write
    monkeypatch.setattr("os.write", lambda descriptor, data: write(descriptor, bytes(data)[:7]))
    Cassette(file, echo)(task("a"))
    monkeypatch.undo()
    assert Cassette(file)(task("a")) == "summary of a"


WORK = [{"role": "user", "content": "Look at all of them."}]
for number in range(12):
    call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    WORK += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"B-{number}: " + "late, " * 200},
    ]
WORK.append({"role": "assistant", "content": "All are late."})


def test_no_model_is_asked_when_summaries_are_played_wherever_a_policy_asks(tmp_path, file):
    asked = []

    def model(each):
        asked.append(each)
        return "Some parcels are late."

    before = NamedPolicy("before", policies=(TrimTurns(), Compact()), summariser=model)
    inside = NamedPolicy("inside", policies=(TrimTurns(), Compact(summariser=model)))
    work = tmp_path / "work.json"
    work.write_text(json.dumps({"messages": WORK}))

    def totals(**fields):
        question = Question((before, inside), (4_096,), cassette=file, jobs=1, **fields)
        return question.asked_of(cases_of([work])).totals

    recorded = totals(is_recording=True)
    assert all(each.is_served and each.summary_output_tokens for each in recorded)
    asked.clear()
    assert totals() == recorded
    assert asked == []


def test_a_cassette_to_which_nothing_was_recorded_can_be_played(file):
    begin(file)
    begin(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(SummariserFailed):
        Cassette(file)(task("a"))
