"""`from lifelong.working import …` gives every name that it lists, and loads it late."""

import subprocess
import sys

import lifelong.working as face


def test_every_listed_name_is_there_and_at_home():
    assert sorted(face._HOME_OF) == sorted(face.__all__)
    for name in face.__all__:
        value = getattr(face, name)
        home = sys.modules[f"lifelong.working.{face._HOME_OF[name]}"]
        assert getattr(home, name) is value
    assert dir(face) == sorted(face.__all__)


def test_a_name_that_is_not_there_is_an_error():
    assert not hasattr(face, "TrimEverything")


def test_importing_it_loads_none_of_its_parts():
    code = (
        "import sys, lifelong.working\n"
        "print(*[name for name in sys.modules if name.startswith('lifelong.working.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
