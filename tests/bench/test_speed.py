import json
from dataclasses import replace

import pytest

from lifelong.bench import speed
from lifelong.bench.report import speed_table

WRITING = {
    "per_second",
    "plain_per_second",
    "rows_only_per_second",
    "ratio",
    "rows_only_ratio",
    "goal",
    "is_met",
}


@pytest.fixture
def tiny(monkeypatch):
    plan = replace(
        speed._QUICK,
        rounds=2,
        memories=3,
        sizes=(1_000,),
        questions=4,
        opens=1,
        pairs=1,
        plans=1,
        plan_tokens=3_000,
    )
    monkeypatch.setattr(speed, "_QUICK", plan)
    monkeypatch.setattr(speed, "_COLD_FROM", 1_000)


@pytest.mark.usefixtures("tiny")
def test_a_quick_run_measures_everything():
    told = []
    result = speed.run(True, lambda *step: told.append(step))
    assert set(result) == {
        "quick",
        "machine",
        "remember",
        "append",
        "recall",
        "open",
        "planning",
        "help",
        "seconds",
    }
    assert result["quick"] is True
    assert set(result["remember"]) == WRITING
    assert set(result["append"]) == WRITING
    assert [set(each) for each in result["recall"]] == [
        {"messages", "p50_ms", "p95_ms", "goal_ms", "is_met"}
    ]
    assert [set(each) for each in result["open"]] == [{"messages", "open_ms", "first_recall_ms"}]
    assert set(result["help"]) == {"ms", "imports_ms", "ratio", "goal", "is_met"}
    assert json.loads(json.dumps(result)) == result
    # Progress only moves on, and ends where it said it would
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[-1] == (told[0][1], told[0][1], "done")
    assert "recall from 1,000 messages" in speed_table(result)


def test_both_plans_measure_sizes_that_have_a_goal():
    for plan in (speed._QUICK, speed._FULL):
        assert set(plan.sizes) <= set(speed.RECALL_GOALS_MS)
        assert list(plan.sizes) == sorted(plan.sizes)
    assert set(speed._FULL.sizes) == set(speed.RECALL_GOALS_MS)


def test_rates_are_medians_and_the_ratio_is_taken_round_by_round():
    # Given 10 writes a round, in a slow, a fast and a slow round
    rounds = [(2.0, 1.0, 0.5), (0.5, 0.25, 0.125), (4.0, 3.0, 1.0)]
    found = speed._rates(10, rounds)
    assert found["per_second"] == 5.0
    assert found["plain_per_second"] == 10.0
    assert found["rows_only_per_second"] == 20.0
    assert found["ratio"] == 0.5
    assert found["rows_only_ratio"] == 0.25
    assert found["is_met"]


def test_a_missed_goal_is_said_and_is_no_error():
    found = speed._rates(10, [(3.0, 1.0, 1.0)])
    assert found["is_met"] is False


def test_a_command_line_that_does_not_start_has_no_figure(monkeypatch):
    monkeypatch.setattr(speed, "_HELP", "raise SystemExit(1)")
    found = speed._help(speed._QUICK, speed._Progress(speed._QUICK, None))
    assert found == {"ms": None, "imports_ms": None, "ratio": None, "goal": 1.5, "is_met": None}


def test_the_table_says_of_each_goal_whether_it_is_met():
    writing = {
        "per_second": 1_200.0,
        "plain_per_second": 2_000.0,
        "rows_only_per_second": 3_000.0,
        "ratio": 0.6,
        "rows_only_ratio": 0.4,
        "goal": 0.5,
        "is_met": True,
    }
    result = {
        "quick": False,
        "machine": {"system": "Linux", "python": "3.11"},
        "seconds": 60.0,
        "remember": writing,
        "append": writing | {"ratio": 0.4, "is_met": False},
        "planning": {
            "tokens": 200_000,
            "cold_ms": 100.0,
            "warm_ms": 2.0,
            "ratio": 50.0,
            "cold_goal_ms": 150.0,
            "ratio_goal": 20.0,
            "is_met": True,
        },
        "recall": [
            {"messages": 10_000, "p50_ms": 9.04, "p95_ms": 12.0, "goal_ms": 8.0, "is_met": False}
        ],
        "open": [{"messages": 10_000, "open_ms": 2.0, "first_recall_ms": 60.0}],
        "help": {"ms": None, "imports_ms": None, "ratio": None, "goal": 1.5, "is_met": None},
    }
    rows = [" ".join(line.split()) for line in speed_table(result).splitlines()]
    assert rows[0] == "full run, 60.0 s on Linux"
    assert "remember, durable, per second 1,200 2,000 3,000 0.60 >= 0.5 yes" in rows
    assert "append in batches, per second 1,200 2,000 3,000 0.40 >= 0.5 no" in rows
    assert "recall from 10,000 messages 9.0 ms 12.0 ms < 8 ms no" in rows
    assert "cold, 10,000 messages 2.0 ms 60.0 ms" in rows
    assert "lifelong --help does not start <= 1.5 unknown" in rows
