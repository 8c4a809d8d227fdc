"""`lifelong scan` as a person and a program see it."""

import contextlib
import os
import pty
import select
import subprocess
import sys
import termios
import time

import pytest

import lifelong
from lifelong.scan import deployment

START = "from lifelong.apps.cli import main; main()"
WORD = "Quirkelvane"


@pytest.fixture(autouse=True)
def no_controls(monkeypatch):
    monkeypatch.setattr(deployment, "controls", lambda _make, _id: ())


def test_it_says_where_and_in_which_form_and_nothing_else(run, ana):
    ana.remember(f"{WORD} owes 4471")
    ran = run("scan", "--for", WORD)
    assert ran.code == 1
    assert "UTF-8: " in ran.out
    assert "read with a key" in ran.out
    assert WORD not in ran.out
    assert "4471" not in ran.out


def test_nothing_found_is_done(run, ana):
    ana.remember(WORD)
    ana.forget(match=WORD)
    ran = run("scan", "--for", WORD)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "NOT FOUND")


def test_json_names_the_verdict_of_each_file(run, ana, tmp_path):
    ana.remember("soup")
    (tmp_path / "a.log").write_text(f"met {WORD}")
    ran = run("scan", "--for", WORD, str(tmp_path / "a.log"), "--json")
    assert (ran.code, ran.json["verdict"]) == (1, "found")
    (found,) = [each for each in ran.json["files"] if each["verdict"] == "found"]
    assert found["path"].endswith("a.log")
    assert found["occurrences"] == [
        {"encoding": "UTF-8", "count": 1, "offset": 4, "page": None, "is_whole": True}
    ]


def test_the_text_may_come_from_standard_input(run, ana):
    ana.remember(WORD)
    assert run("scan", "--for-stdin", stdin=f"{WORD}\n").code == 1
    assert run("scan", "--for-stdin", stdin="Absentwort\n").code == 0
    assert run("scan", "--for-stdin", stdin=b"\xff\xfe").code == 2


def test_on_a_terminal_the_text_is_not_shown(ana):
    ana.remember(WORD)
    ours, theirs = pty.openpty()
    line = [sys.executable, "-c", START, "--owner", "ana", "scan", "--for-stdin"]
    # In a session of its own: whoever runs the tests at a terminal is not asked.
    running = subprocess.Popen(
        line, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    shown = b""
    while b"Look for" not in shown:
        assert select.select([ours], [], [], 60)[0], shown
        shown += os.read(ours, 1024)
    deadline = time.monotonic() + 60
    while termios.tcgetattr(ours)[3] & termios.ECHO:  # turning it off drops what was typed before
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.write(ours, f"{WORD}\n".encode())
    with contextlib.suppress(OSError):  # the other end of a terminal has gone
        while piece := os.read(ours, 65_536):
            shown += piece
    os.close(ours)
    assert running.wait(60) == 1
    assert b"FOUND" in shown
    assert WORD.encode() not in shown


def test_without_its_key_nothing_is_proven(run, ana):
    ana.remember(WORD)
    key = lifelong.engine.default_key_file()
    key.rename(key.with_name("elsewhere"))
    ran = run("scan", "--for", WORD)
    assert ran.code == 4
    assert "NOT PROVEN" in ran.out
    assert "no key is at hand" in ran.err


def test_a_store_is_not_made_by_looking_for_one(run, tmp_path):
    (tmp_path / "log").write_text("soup")
    ran = run("--store", str(tmp_path / "none"), "scan", "--for", WORD, str(tmp_path / "log"))
    assert not (tmp_path / "none").exists()
    assert "there is no store" in ran.out
    assert ran.code == 4


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--for", "x", "--for-stdin"),
        ("--for", ""),
        ("--for", "abc"),
        ("--for", WORD, "/nowhere/at/all"),
    ],
)
def test_what_cannot_be_looked_for_is_bad_input(run, arguments):
    assert run("scan", *arguments).code == 2


def test_a_name_that_a_terminal_would_obey_is_spelt_out(run, ana, tmp_path):
    ana.remember("soup")
    (tmp_path / "a\x1b[2Jb").write_text(WORD)
    ran = run("scan", "--for", WORD, str(tmp_path))
    assert "\x1b" not in ran.out
    assert "\\x1b[2J" in ran.out
