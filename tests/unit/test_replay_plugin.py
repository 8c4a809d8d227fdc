"""The fixture `replay` in a user's own tests, run by a pytest of its own."""

import json
import os
import subprocess
import sys

import pytest

TURNS = 60


def messages():
    yield {"role": "user", "content": "My order is A-7781."}
    for number in range(TURNS):
        parts = " ".join(f"step {number} has part {part}" for part in range(20))
        yield {"role": "assistant", "content": parts}
        yield {"role": "user", "content": f"And {number}?"}
    yield {"role": "assistant", "content": "The order A-7781 is in the depot."}


@pytest.fixture
def project(tmp_path):
    """A user's project with recorded sessions."""
    traces = tmp_path / "traces"
    traces.mkdir()
    (traces / "orders.jsonl").write_text(json.dumps({"id": "orders", "messages": [*messages()]}))
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    return tmp_path


def user_runs(project, test, *options):
    """Run a test of the user's, and return the code and what was printed."""
    (project / "test_mine.py").write_text(test)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "lifelong.replay.plugin", *options],
        cwd=project,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


def test_conditions_that_hold_let_the_test_pass(project):
    test = """
def test_nothing_is_refused(replay):
    report = replay("traces/", policies=["default"], windows=[4_096])
    report.require("invalid==0", "not_fit==0")
    assert [case.id for case in report.report.cases] == ["orders"]
"""
    code, printed = user_runs(project, test)
    assert code == 0, printed


def test_a_condition_that_does_not_hold_fails_with_the_figures(project):
    test = """
def test_all_fits(replay):
    replay("traces/", policies=["none", "trim"], windows=[4_096]).require("not_fit==0")
"""
    code, printed = user_runs(project, test)
    assert code == 1
    assert "not_fit" in printed
    assert "none" in printed
    assert "4,096" in printed or "4096" in printed
    assert "AssertionError" in printed
    assert "plugin.py" not in printed  # the user's own line is shown, and not ours


def test_a_case_that_cannot_be_replayed_fails_what_is_required(project):
    (project / "traces" / "torn.jsonl").write_text('{"id": "torn", "messages": 7}')
    test = """
def test_all_is_read(replay):
    replay("traces/", policies=["trim"], windows=[4_096]).require("invalid==0")
"""
    code, printed = user_runs(project, test)
    assert code == 1
    assert "torn" in printed


def test_no_case_at_all_fails_what_is_required(project):
    (project / "empty").mkdir()
    test = """
def test_nothing(replay):
    replay("empty/", policies=["trim"], windows=[4_096]).require("invalid==0")
"""
    code, printed = user_runs(project, test)
    assert code == 1
    assert "AssertionError: empty: " in printed


def test_a_question_that_cannot_be_asked_is_an_error_of_its_kind(project):
    test = """
import lifelong, pytest
def test_mistakes(replay):
    for policies, windows in ((["no-such"], [4_096]), (["trim"], [0]), ([], [4_096])):
        with pytest.raises(lifelong.errors.InputError):
            replay("traces/", policies=policies, windows=windows)
    with pytest.raises(lifelong.errors.InputError):
        replay("traces/", windows=[4_096]).require("luck>=1")
    with pytest.raises(lifelong.errors.InputError):
        replay("nowhere/", windows=[4_096])
"""
    code, printed = user_runs(project, test)
    assert code == 0, printed


def test_who_does_not_use_it_pays_nothing(project):
    test = """
import sys
def test_the_lab_is_not_there():
    loaded = {name for name in sys.modules if name.startswith("lifelong")}
    assert loaded <= {
        "lifelong", "lifelong.errors", "lifelong.replay", "lifelong.replay.plugin"
    }, loaded
"""
    code, printed = user_runs(project, test)
    assert code == 0, printed


def test_a_fixture_of_the_users_own_with_this_name_wins(project):
    test = """
import pytest
@pytest.fixture
def replay():
    return "mine"
def test_mine(replay):
    assert replay == "mine"
"""
    code, printed = user_runs(project, test)
    assert code == 0, printed


MODEL = """
from dataclasses import replace
from lifelong.replay.policies import named_policies
from lifelong.working.extractive import extractive_summary

def model(task):
    return extractive_summary(task)

policy = replace(named_policies(["clear+compact"])[0], name="with a model", summariser=model)
"""

PLAYING = """
def test_summed_up(replay):
    report = replay("traces/", policies="our_model:policy", windows="4k")
    report.require("summaries>0", "failed==0")
    assert not any(way.problems for case in report.report.cases for way in case.ways)
"""


def test_summaries_are_recorded_once_and_played_from_then_on(project):
    (project / "our_model.py").write_text(MODEL)
    (project / "pytest.ini").write_text("[pytest]\nlifelong_cassette = tape.jsonl\n")
    code, printed = user_runs(project, PLAYING)
    assert code == 1
    assert "the cassette" in printed
    assert "is not there; record it first" in printed
    code, printed = user_runs(project, PLAYING, "--lifelong-record")
    assert code == 0, printed
    tape = (project / "tape.jsonl").read_bytes()
    code, printed = user_runs(project, PLAYING)
    assert code == 0, printed
    assert (project / "tape.jsonl").read_bytes() == tape
    (project / "tape.jsonl").rename(project / "other.jsonl")
    code, printed = user_runs(project, PLAYING, "--lifelong-cassette", "other.jsonl")
    assert code == 0, printed


def test_its_options_and_fixture_are_listed(project):
    _, printed = user_runs(project, "", "--help")
    assert "--lifelong-record" in printed
    assert "lifelong_cassette" in printed
    _, printed = user_runs(project, "", "--fixtures")
    assert "Put recorded sessions through memory policies" in printed
