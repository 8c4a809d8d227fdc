"""What holds for every test: a home of its own, no network, the same run every time in CI."""

import ipaddress
import os
import socket

import pytest
from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("here", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")

FROM_OUTSIDE = ("LIFELONG_", "XDG_")
"""Variables that would let the machine of whoever runs the tests decide what they do."""

COLOUR_SWITCHES = ("FORCE_COLOR", "PY_COLORS", "CLICOLOR_FORCE", "GITHUB_ACTIONS")


class NetworkUsed(AssertionError):
    """A test reached for an address that is not this machine's own."""


@pytest.fixture(autouse=True)
def home_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch):
    """Nobody's real memories, keys or settings are ever read or written."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(FROM_OUTSIDE) or name in COLOUR_SWITCHES:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    monkeypatch.setenv("LIFELONG_EMBEDDER", "off")  # a test says itself when it wants a model
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    return home


def is_local(address: object) -> bool:
    """Tell whether `address` is a path of a Unix socket or on this machine's loopback."""
    if not isinstance(address, tuple):
        return True
    host = address[0]
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch):
    """Fail at once, with the address, instead of waiting for a network that CI has not."""

    def guarded(name, address_at):
        original = getattr(socket.socket, name)

        def call(self, *args):
            if not is_local(args[address_at]):
                raise NetworkUsed(args[address_at])
            return original(self, *args)

        monkeypatch.setattr(socket.socket, name, call)

    guarded("connect", 0)
    guarded("connect_ex", 0)
    guarded("sendto", -1)
    look_up = socket.getaddrinfo

    def guarded_look_up(host, *args, **options):
        if host is not None and not is_local((host,)):
            raise NetworkUsed(host)
        return look_up(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", guarded_look_up)
