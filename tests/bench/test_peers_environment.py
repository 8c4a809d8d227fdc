import subprocess
import sys
from pathlib import Path

import pytest

from lifelong.bench.peers import environment
from lifelong.bench.peers.exchange import PeerFailed
from lifelong.bench.peers.listing import Peer

PEER = Peer("some", "Some", "how", "some:open_peer", ("some==1.0", "other==2.0"))


class Commands:
    """Stands in for `subprocess.run`: notes commands, and makes the folder that venv makes."""

    def __init__(self, failing: str = "", error: Exception | None = None) -> None:
        self.seen: list[list[str]] = []
        self._failing = failing
        self._error = error

    def __call__(self, command, **_options):
        self.seen.append(list(command))
        is_failing = bool(self._failing) and self._failing in command
        if is_failing and self._error:
            raise self._error
        if "venv" in command:
            Path(command[-1]).mkdir(parents=True, exist_ok=True)
        said = b"Collecting\nERROR: No matching distribution found for some==1.0\n"
        return subprocess.CompletedProcess(command, int(is_failing), b"", said)


def test_an_environment_is_made_once_and_again_for_other_versions(tmp_path, monkeypatch):
    commands = Commands()
    monkeypatch.setattr(environment.subprocess, "run", commands)
    python = environment.interpreter(PEER, tmp_path)
    assert python.is_relative_to(tmp_path / "some")
    made, installed = commands.seen
    assert made == [sys.executable, "-m", "venv", "--clear", str(tmp_path / "some")]
    assert installed[:4] == [str(python), "-m", "pip", "install"]
    assert installed[-2:] == ["some==1.0", "other==2.0"]
    # It is there now
    assert environment.interpreter(PEER, tmp_path) == python
    assert len(commands.seen) == 2
    # And it is not what another version needs
    newer = Peer("some", "Some", "how", "some:open_peer", ("some==1.1",))
    environment.interpreter(newer, tmp_path)
    assert commands.seen[2:][0] == made


@pytest.mark.parametrize(
    ("failing", "error", "problem"),
    [
        ("venv", None, "cannot make an environment: ERROR"),
        ("pip", None, "cannot be installed: ERROR: No matching distribution found for some==1.0"),
        ("pip", subprocess.TimeoutExpired("pip", 1), "cannot be installed within 1800 s"),
        ("venv", OSError("no space"), "cannot be installed (no space)"),
    ],
)
def test_what_cannot_be_installed_says_why_and_is_tried_again(
    tmp_path, monkeypatch, failing: str, error, problem: str
):
    monkeypatch.setattr(environment.subprocess, "run", Commands(failing, error))
    with pytest.raises(PeerFailed) as raised:
        environment.interpreter(PEER, tmp_path)
    assert problem in str(raised.value)
    # Half an environment is none
    commands = Commands()
    monkeypatch.setattr(environment.subprocess, "run", commands)
    environment.interpreter(PEER, tmp_path)
    assert len(commands.seen) == 2


def test_an_environment_that_is_a_file_is_a_reason(tmp_path):
    (tmp_path / "some").write_text("a file", encoding="utf-8")
    with pytest.raises(PeerFailed, match="cannot be installed"):
        environment.interpreter(PEER, tmp_path)


def test_environments_are_kept_in_the_users_cache(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "a/cache")
    assert environment.default_environment() == Path("a/cache/lifelong/peers")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "a/home")
    assert environment.default_environment() == Path("a/home/.cache/lifelong/peers")
