"""`make demo`: it holds what it says, in a temporary place, whatever the terminal."""

import os
import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo.py"


WITHOUT_RECALL = """
import runpy, sys
import lifelong
lifelong.Owner.recall = lambda *_, **__: lifelong.Found(())
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def demo(*options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *options, str(DEMO)],
        capture_output=True,
        encoding="utf-8",
        env=os.environ | variables,
        timeout=60,
        check=False,
    )


def test_the_demo_runs_and_leaves_nothing_behind(home_of_its_own: Path, tmp_path: Path):
    ran = demo("-W", "error", TMPDIR=str(tmp_path), PYTHONIOENCODING="ascii")

    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    for said in (
        "$ lifelong recall",
        "the first time: stored",
        "receipt rcp_",
        "nothing disagrees",
    ):
        assert said in ran.stdout
    assert list(home_of_its_own.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_the_demo_fails_when_a_step_does_not_hold(tmp_path: Path):
    ran = demo("-c", WITHOUT_RECALL, TMPDIR=str(tmp_path))

    assert ran.returncode == 1
    assert ran.stderr.startswith("demo: this does not hold: ")
    assert list(tmp_path.iterdir()) == []
