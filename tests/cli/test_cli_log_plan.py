"""`lifelong log plan`: what would be sent, and why the rest would not."""

import json

import pytest

LINES = "\n".join(
    json.dumps(item)
    for number in range(30)
    for item in (
        {"role": "user", "content": f"Question {number}? " + "word " * 60},
        {"role": "assistant", "content": f"Answer {number}."},
    )
)


@pytest.fixture
def talk(run, tmp_path):
    file = tmp_path / "talk.jsonl"
    file.write_text(LINES, encoding="utf-8")
    assert run("import", "chat", str(file)).code == 0
    return "talk"


def test_a_session_that_fits_is_drawn_whole(run, talk):
    ran = run("log", "plan", talk, "--window", "100000")
    assert ran.code == 0
    assert "chat (openai), window 100,000" in ran.out
    assert "history" in ran.out
    assert "present" in ran.out
    assert "trim" not in ran.out


def test_edits_are_shown_with_reason_and_cost(run, talk):
    ran = run(*("log", "plan", talk, "--window", "3000", "--price", "3", "--cached-price", "0.3"))
    assert ran.code == 0
    assert "the oldest turns, to fit the budget" in ran.out
    assert "% less" in ran.out
    assert "cost" in ran.out


def test_a_program_gets_the_plan(run, talk):
    ran = run("log", "plan", talk, "--window", "3000", "--format", "anthropic", "--json")
    plan = json.loads(ran.out)
    assert plan["format"] == "anthropic"
    assert plan["profile"] == "prefill"
    assert plan["tokens_after"] <= plan["available_tokens"] < plan["tokens_before"]
    assert [edit["action"] for edit in plan["edits"]] == ["trim"]
    assert sum(block["tokens"] for block in plan["blocks"]) == plan["tokens_after"]
    assert plan["problems"] == []
    assert plan["cost"] is None


def test_what_cannot_fit_says_by_how_much(run, talk):
    ran = run("log", "plan", talk, "--window", "1540", "--margin", "0")
    assert ran.code == 2
    assert "Raise window_tokens" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "wrong",
    [
        ("--window", "0"),
        ("--window", "1000"),  # below what is kept for the answer
        ("--window", "9000", "--format", "morse"),
        ("--window", "9000", "--profile", "nobody"),
        ("--window", "9000", "--margin", "1.5"),
    ],
)
def test_what_is_no_budget_or_format_is_refused(run, talk, wrong):
    ran = run("log", "plan", talk, *wrong)
    assert ran.code == 2
    assert ran.err
    assert "Traceback" not in ran.err


def test_a_session_that_is_not_there(run, talk):
    del talk
    ran = run("log", "plan", "nobody", "--window", "9000")
    assert ran.code == 1
    assert "nobody" in ran.err


def test_the_short_forms_still_work(run, talk):
    assert "60 messages" in run("log").out
    assert run("log", talk).out == run("log", "show", talk).out
    assert run("log", "--limit", "0").code == 0
    assert "plan" in run("log", "--help").out
