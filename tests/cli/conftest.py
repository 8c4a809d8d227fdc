"""Running the command line: inside this process, in one of its own, or on a terminal."""

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

import lifelong
from lifelong.apps.cli import app

START = "from lifelong.apps.cli import main; main()"
SECONDS_MAX = 60


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str = ""

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def run():
    """Run a command in this process, as the owner ana; nothing may escape as an exception."""

    def call(*arguments: str, stdin: str | bytes | None = None, owner: str = "ana") -> Ran:
        result = CliRunner().invoke(app, ["--owner", owner, *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call


def command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-c", START, "--owner", "ana", *arguments]


@pytest.fixture
def process():
    """Run a command in a process of its own."""

    def call(*arguments: str, stdin: bytes | None = None, **variables: str) -> Ran:
        done = subprocess.run(
            command(arguments),
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env=os.environ | variables,
            timeout=SECONDS_MAX,
            check=False,
        )
        return Ran(
            done.returncode,
            done.stdout.decode(errors="surrogateescape"),
            done.stderr.decode(errors="surrogateescape"),
        )

    return call


@pytest.fixture
def terminal():
    """Run a command on a terminal of 80 columns, and type an answer."""

    def call(*arguments: str, typed: bytes = b"", **variables: str) -> Ran:
        ours, theirs = pty.openpty()
        size = {"COLUMNS": "80", "LINES": "40", "TERM": "xterm-256color"}
        running = subprocess.Popen(
            command(arguments),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=os.environ | size | variables,
            start_new_session=True,  # no terminal of whoever runs the tests is asked instead
        )
        os.close(theirs)
        os.write(ours, typed)
        shown = read_all(ours)
        os.close(ours)
        return Ran(running.wait(SECONDS_MAX), shown.decode().replace("\r\n", "\n"))

    return call


def read_all(descriptor: int) -> bytes:
    data = b""
    while select.select([descriptor], [], [], SECONDS_MAX)[0]:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:  # the other end of a terminal has gone
            return data
        if not chunk:
            return data
        data += chunk
    return data


@pytest.fixture
def ana():
    """The owner ana of the store that the command line uses when nothing else is said."""
    with lifelong.open(lifelong.engine.default_directory()) as engine:
        yield engine.owner("ana")


@pytest.fixture
def said(ana: lifelong.Owner) -> lifelong.Owner:
    """Ana with two sessions and three memories."""
    ana.session("support-42").append(
        [{"role": "user", "content": "My order A-7781 has not arrived."}],
        ids=["m1"],
        sent_at="2026-03-01T10:00:00+00:00",
    )
    ana.session("support-42").append(
        [{"role": "assistant", "content": "It is in the depot at Gate 4."}],
        ids=["m2"],
        sent_at="2026-03-01T10:05:00+00:00",
    )
    ana.session("support-43").append(
        [{"role": "user", "content": "Where can I park at the depot?"}],
        ids=["m1"],
        sent_at="2026-03-02T10:00:00+00:00",
    )
    ana.remember("Prefers short answers", kind="preference")
    ana.remember("Ana moves to Lisbon in May", kind="event", namespace=("home", "moves"))
    ana.remember("The gate code is 4471", key="gate")
    return ana
