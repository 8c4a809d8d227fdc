"""A virtual environment for each peer, made once, outside of the project, with pinned versions.

What a peer needs never meets what lifelong needs, nor what another peer needs. This is the one
place of the comparison that reaches a package index; an environment that cannot be made is a
reason to be told, not an error of the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from lifelong.bench.peers.exchange import PeerFailed, last_words
from lifelong.bench.peers.listing import Peer

INSTALL_SECONDS_MAX = 1_800.0
_MADE_OF = "lifelong-made-of.txt"
"""Written last: an environment without it, or with other versions in it, is made anew."""


def default_environment() -> Path:
    """Return where environments are kept when nothing else is said: in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "lifelong" / "peers"


def interpreter(peer: Peer, environment: Path) -> Path:
    """Return a Python that has what the peer needs, installed when it is not there yet.

    Args:
        peer: which.
        environment: the folder of all environments.

    Raises:
        PeerFailed: it cannot be installed; the reason is in its text.
    """
    if not peer.packages:
        return Path(sys.executable)
    folder = environment / peer.name
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    made_of = "\n".join([sys.version, *peer.packages])
    try:
        if _read(folder / _MADE_OF) == made_of:
            return python
        _do("cannot make an environment", [sys.executable, "-m", "venv", "--clear", str(folder)])
        install = [*f"{python} -m pip install --quiet --no-input".split(" "), *peer.packages]
        _do("cannot be installed", install)
        (folder / _MADE_OF).write_text(made_of, encoding="utf-8")
    except OSError as error:
        raise PeerFailed(f"cannot be installed ({error})") from error
    return python


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _do(what_failed: str, command: Sequence[str]) -> None:
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter, and pinned packages
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
            check=False,
            timeout=INSTALL_SECONDS_MAX,
        )
    except subprocess.TimeoutExpired as error:
        raise PeerFailed(f"{what_failed} within {INSTALL_SECONDS_MAX:g} s") from error
    if done.returncode:
        raise PeerFailed(f"{what_failed}: {last_words(done.stderr or done.stdout)}")
