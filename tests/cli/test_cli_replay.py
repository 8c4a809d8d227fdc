"""`lifelong replay`: what it prints, what it refuses, and what its code says."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

START = "from lifelong.apps.cli import main; main()"
WAYS = ("--policy", "none", "--policy", "trim", "--window", "4k")


def steps(number, words):
    return f"Step {number}: " + " ".join(f"step {number} has part {part}" for part in range(words))


def session(name, turns, words=20):
    messages = [{"role": "user", "content": f"My order is A-7781, and this is {name}."}]
    for number in range(turns):
        messages.append({"role": "assistant", "content": steps(number, words)})
        messages.append({"role": "user", "content": f"And {number}?"})
    messages.append({"role": "assistant", "content": "The order A-7781 is in the depot."})
    return {"id": name, "messages": messages}


def write(file, *sessions):
    file.write_text("".join(json.dumps(each) + "\n" for each in sessions), encoding="utf-8")
    return str(file)


@pytest.fixture
def cases(tmp_path):
    return write(tmp_path / "cases.jsonl", session("short", 2), session("long", 60))


def test_the_table_has_a_row_for_each_way(run, cases):
    ran = run("replay", cases, *WAYS)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "2 sessions, 64 turns, 128 messages"
    heads = next(line for line in lines if line.startswith("policy"))
    assert all(head in heads for head in ("window", "requests", "invalid", "tokens", "shown"))
    rows = [line.split() for line in lines if line.startswith(("none ", "trim "))]
    assert [row[:3] for row in rows] == [["none", "4,096", "64"], ["trim", "4,096", "64"]]
    assert "cost" not in heads
    assert ran.err == ""


def test_a_program_gets_the_figures(run, cases):
    ran = run("replay", cases, *WAYS, "--json")
    assert ran.code == 0
    assert [(way["policy"], way["window_tokens"]) for way in ran.json["totals"]] == [
        *[("none", 4_096), ("trim", 4_096)],
    ]
    assert [case["id"] for case in ran.json["cases"]] == ["short", "long"]
    none, trim = ran.json["totals"]
    assert trim["requests"] == none["requests"] == 64
    assert trim["invalid"] == trim["not_fit"] == 0
    assert none["not_fit"] > 0
    assert ran.json["failures"] == []
    assert ran.json["policies"] == ["none", "trim"]
    assert ran.json["windows"] == [4_096]


def test_the_same_question_has_the_same_bytes_for_an_answer(run, process, tmp_path, cases):
    first = run("replay", cases, "--json", "--jobs", "1")
    other = tmp_path / "elsewhere"
    other.mkdir()
    moved = other / "cases.jsonl"
    moved.write_bytes(Path(cases).read_bytes())
    second = process("replay", str(moved), "--json", "--jobs", "2", PYTHONHASHSEED="7")
    assert first.code == second.code == 0
    assert first.out == second.out
    assert str(tmp_path) not in first.out


def test_without_policies_and_windows_the_usual_ones_are_compared(run, cases):
    found = run("replay", cases, "--json").json
    assert found["policies"] == ["none", "last-10", "trim", "clear", "clear+trim", "clear+compact"]
    assert found["windows"] == [8_192, 16_384, 32_768]
    assert len(found["totals"]) == 18


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("8k", 8_192), ("16K", 16_384), ("5000", 5_000), ("5_000", 5_000), ("5,000", 5_000)],
)
def test_a_window_is_said_in_tokens_or_thousands(run, cases, text, tokens):
    found = run("replay", cases, "--policy", "trim", "--window", text, "--json").json
    assert found["windows"] == [tokens]


@pytest.mark.usefixtures("said")
def test_without_files_the_sessions_of_the_store_are_replayed(run):
    found = run("replay", *WAYS, "--json").json
    assert {case["id"] for case in found["cases"]} == {"support-42", "support-43"}
    assert {case["source"] for case in found["cases"]} == {"store"}
    one = run("replay", *WAYS, "--session", "support-43", "--json").json
    assert [case["id"] for case in one["cases"]] == ["support-43"]


@pytest.mark.usefixtures("said")
def test_a_session_that_is_not_there_is_named(run):
    ran = run("replay", *WAYS, "--session", "nothing-such")
    assert ran.code == 1
    assert "nothing-such" in ran.err


def test_an_empty_store_has_nothing_to_replay(run):
    ran = run("replay", *WAYS)
    assert ran.code == 1
    assert "no session" in ran.err


def test_what_cannot_be_read_is_named_and_the_rest_is_replayed(run, tmp_path, cases):
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": "x", "messages": 5}\n')
    ran = run("replay", str(broken), cases, *WAYS)
    assert ran.code == 1
    assert "2 sessions" in ran.out
    assert "not replayed" in ran.err
    assert "broken" in ran.err
    found = run("replay", str(broken), cases, *WAYS, "--json")
    assert found.code == 1
    assert [bool(case["problem"]) for case in found.json["cases"]] == [True, False, False]


def test_a_condition_that_holds_is_silent(run, cases):
    ran = run("replay", cases, "--policy", "trim", "--window", "4k", "--assert", "invalid==0")
    assert (ran.code, ran.err) == (0, "")


def test_a_condition_that_does_not_hold_is_told_with_its_figures(run, cases):
    conditions = ("--assert", "invalid==0", "--assert", "not_fit==0")
    ran = run("replay", cases, *WAYS, *conditions)
    assert ran.code == 1
    assert "failed: " in ran.err
    assert "not_fit" in ran.err
    assert "none" in ran.err
    found = run("replay", cases, *WAYS, *conditions, "--json")
    assert found.code == 1
    assert len(found.json["failures"]) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--policy", "no-such-policy"), "no-such-policy"),
        (("--policy", "trim", "--policy", "trim"), "twice"),
        (("--window", "many"), "many"),
        (("--window", "0"), "0 tokens"),
        (("--window", "100"), "100"),
        (("--window", "8k", "--window", "8192"), "twice"),
        (("--assert", "survival"), "survival"),
        (("--assert", "luck>=0.97"), "luck"),
        (("--counter", "guess"), "guess"),
        (("--source", "nobody"), "nobody"),
        (("--session", "support-42"), "--session"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_done(run, cases, arguments, said):
    ran = run("replay", cases, *arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_path_that_is_not_there_is_refused(run, tmp_path):
    ran = run("replay", str(tmp_path / "nothing.jsonl"))
    assert ran.code == 2
    assert "nothing.jsonl is not there" in ran.err


def test_a_file_of_prices_that_is_not_there_is_named(run, tmp_path, cases):
    ran = run("replay", cases, "--prices", str(tmp_path / "prices.toml"))
    assert ran.code in {2, 3}
    assert "prices.toml" in ran.err


def test_the_page_is_for_one_pair_of_eyes_and_needs_nothing_else(run, tmp_path, cases):
    page = tmp_path / "page.html"
    before = os.umask(0)
    try:
        ran = run("replay", cases, *WAYS, "--html", str(page))
    finally:
        os.umask(before)
    assert ran.code == 0
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text(encoding="utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>")
    assert "A-7781" in text
    assert str(tmp_path) not in text


@pytest.mark.parametrize("option", ["--html", "--resume"])
def test_nothing_is_written_where_it_cannot_be_or_what_is_read_is(run, tmp_path, cases, option):
    folder = tmp_path / "traces"
    folder.mkdir()
    write(folder / "more.jsonl", session("more", 2))
    prices = tmp_path / "prices.toml"
    prices.write_text("input = 3\noutput = 15\n")
    link = tmp_path / "link"
    link.symlink_to(cases)
    before = Path(cases).read_bytes()
    for place in (folder, folder / "x", tmp_path / "no" / "x", cases, prices, link):
        given = (cases, str(folder), "--prices", str(prices), *WAYS, option, str(place))
        ran = run("replay", *given)
        assert ran.code == 2, place
        assert option in ran.err
    assert Path(cases).read_bytes() == before
    assert sorted(each.name for each in folder.iterdir()) == ["more.jsonl"]


def test_the_page_is_not_written_over_what_is_done(run, tmp_path, cases):
    both = str(tmp_path / "both")
    ran = run("replay", cases, *WAYS, "--html", both, "--resume", both)
    assert ran.code == 2
    assert not Path(both).exists()


def test_what_is_hidden_in_a_name_is_spelt_out(run, tmp_path):
    name = "evil\x1b[2J\u202e\nnone  4,096"
    file = write(tmp_path / "cases.jsonl", session(name, 40), {"id": name, "messages": 7})
    ran = run("replay", file, *WAYS, "--assert", "not_fit==0")
    for text in (ran.out, ran.err):
        assert not any(letter in text for letter in "\x1b\u202e")
    page = tmp_path / "page.html"
    run("replay", file, *WAYS, "--html", str(page))
    assert not any(letter in page.read_text(encoding="utf-8") for letter in "\x1b\u202e")


def test_a_second_run_takes_what_is_done_from_the_file(run, tmp_path, cases):
    done = tmp_path / "done"
    first = run("replay", cases, *WAYS, "--resume", str(done), "--json")
    size = done.stat().st_size
    assert stat.S_IMODE(done.stat().st_mode) == 0o600
    assert run("replay", cases, *WAYS, "--resume", str(done), "--json") == first
    assert done.stat().st_size == size


def test_somebody_elses_file_is_not_written_into(run, tmp_path, cases):
    diary = tmp_path / "diary"
    diary.write_text("Dear diary\n")
    ran = run("replay", cases, *WAYS, "--resume", str(diary))
    assert ran.code == 2
    assert "something else" in ran.err
    assert diary.read_text() == "Dear diary\n"


def test_a_policy_that_raises_is_told_and_the_rest_is_replayed(run, tmp_path, monkeypatch, cases):
    (tmp_path / "mypolicies.py").write_text(
        "def broken(history, budget):\n    raise KeyError('no idea')\n"
        "broken.starts_at = lambda budget: 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    given = ("--policy", "mypolicies:broken", "--policy", "trim", "--window", "4k")
    ran = run("replay", cases, *given)
    assert ran.code == 1
    assert "trouble: short: mypolicies:broken at 4,096: request 1: " in ran.err
    assert "no idea" in ran.err
    assert "Traceback" not in ran.err
    broken, trim = run("replay", cases, *given, "--json").json["totals"]
    assert (broken["failed"], broken["sent"]) == (64, 0)
    assert (trim["failed"], trim["sent"]) == (0, 64)


def test_a_suggestion_is_a_file_that_can_be_asked_for(run, tmp_path, cases):
    ran = run("replay", cases, "--suggest", "--window", "8k")
    assert ran.code == 0
    assert "Suggested: " in ran.out
    found = run("replay", cases, "--suggest", "--window", "8k", "--json").json["suggestion"]
    assert found["is_enough"]
    assert found["tried"] == 8
    file = tmp_path / "mine.toml"
    file.write_text(found["toml"], encoding="utf-8")
    again = run("replay", cases, "--policy", str(file), "--window", "8k", "--json")
    assert again.code == 0
    assert [each["tokens"] for each in again.json["totals"]] == [found["way"]["tokens"]]
    asked = run("replay", cases, "--suggest", "--policy", "none", "--window", "8k", "--json").json
    assert asked["policies"][0] == "none"
    assert asked["suggestion"]["tried"] == 9
    assert run("replay", cases, *WAYS, "--json").json["suggestion"] is None


MODEL = """
from dataclasses import replace
from lifelong.replay.policies import named_policies
from lifelong.working.extractive import extractive_summary

def model(task):
    return extractive_summary(task)

policy = replace(named_policies(["clear+compact"])[0], name="with a model", summariser=model)
"""


def test_summaries_are_recorded_and_played(run, tmp_path, cases, monkeypatch):
    (tmp_path / "a_model_to_record.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    tape = tmp_path / "tape.jsonl"
    ways = (
        "--policy",
        "a_model_to_record:policy",
        "--policy",
        "clear+compact",
        "--window",
        "4k",
        "--json",
        "--cassette",
        str(tape),
    )
    missing = run("replay", cases, *ways)
    assert missing.code == 2
    assert "tape.jsonl" in missing.json["error"]["message"]
    recorded = run("replay", cases, *ways, "--record")
    assert recorded.code == 0
    assert recorded.json["totals"][0]["summaries"] > 0
    assert stat.S_IMODE(tape.stat().st_mode) == 0o600
    before = tape.read_bytes()
    played = run("replay", cases, *ways)
    assert played.code == 0
    assert tape.read_bytes() == before
    names = ("requests", "tokens", "needed", "in_history", "in_summary")
    for name in names:
        assert played.json["totals"][0][name] == recorded.json["totals"][0][name]
    assert run("replay", cases, *WAYS, "--record").code == 2


def test_after_an_interrupt_the_same_command_goes_on(run, tmp_path):
    many = [session(f"s{number}", 30 + number) for number in range(30)]
    file = write(tmp_path / "cases.jsonl", *many)
    done = tmp_path / "done"
    given = ["replay", file, "--jobs", "2", "--resume", str(done)]
    running = subprocess.Popen(
        [sys.executable, "-c", START, "--owner", "ana", *given],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and (not done.exists() or done.read_bytes().count(b"\n") < 3):
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does it: to all of its processes
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130, err
    assert out == b""
    assert err.decode().strip() == (
        f"stopped: what was done is in {done}; run the same command again to go on"
    )
    before = done.read_bytes()
    assert before.endswith(b"\n")
    assert before.count(b"\n") < 31
    again = run(*given, "--json")
    assert again.code == 0
    assert done.read_bytes().startswith(before)
    assert again.out == run(*given[:2], "--json", "--jobs", "1").out


def test_on_a_narrow_terminal_every_part_of_the_table_begins_with_its_names(terminal, cases):
    ran = terminal("replay", cases, "--policy", "trim", "--window", "4k")
    assert ran.code == 0
    plain = re.sub(r"\x1b\[[0-9;]*m", "", ran.out)
    lines = plain[plain.index("2 sessions") :].splitlines()  # what stands before is the bar
    assert max(map(len, lines)) <= 80
    parts = [number for number, line in enumerate(lines) if line.startswith("policy")]
    assert len(parts) >= 2
    assert all(lines[number + 1].startswith("trim") for number in parts)
