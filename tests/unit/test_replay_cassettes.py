"""Summaries that were recorded, and played without a model."""

import json
import pickle
import stat

import pytest

from lifelong.conformance import in_processes
from lifelong.errors import SummariserFailed
from lifelong.replay.cassettes import Cassette
from lifelong.working.summary import SummaryTask


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
    "line", ["", "no json", "[]", '"text"', "{}", '{"key": 3}', '{"key": "k", "summary": 3}']
)
def test_lines_of_others_are_passed_over(file, line):
    file.write_text(f"{line}\n")
    assert Cassette(file, echo)(task("a")) == "summary of a"
    assert json.loads(file.read_text().splitlines()[-1])["summary"] == "summary of a"


def test_many_record_at_once(file):
    in_processes(4, lambda number: [Cassette(file, echo)(task(f"{number} {n}")) for n in range(20)])
    assert len(file.read_text().splitlines()) == 80
    assert Cassette(file)(task("3 19")) == "summary of 3 19"
