"""The engine: opens a store and hands out owners. The only file that names adapters."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from lifelong.clock import SystemClock
from lifelong.errors import InvalidValue
from lifelong.memory.entry import clean_name
from lifelong.owner import Owner
from lifelong.ports import Clock, Store
from lifelong.stores.sqlite import KeySource, open_directory, open_in_memory
from lifelong.stores.sqlite.keys import FILE, GIVEN, KEY_BYTES, KEYRING, parse_key

IN_MEMORY = "memory:"
KEY_VARIABLE = "LIFELONG_KEY"
KEY_FILE_VARIABLE = "LIFELONG_KEY_FILE"


class Engine:
    """All owners of one store. Use it as a context manager, or close it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def owner(self, owner_id: str) -> Owner:
        """Return the handle of one owner: the only way to that owner's data.

        Raises:
            InvalidName: the id cannot be one.
        """
        clean_name(owner_id, "owner id")
        return Owner(
            self._store.owner(owner_id),
            self._clock,
            owner_id=owner_id,
            forget_owner=lambda: self._store.forget_owner(owner_id),
        )

    def owners(self) -> list[str]:
        """Return the ids of owners that have data, sorted."""
        return self._store.owners()

    def describe(self) -> dict[str, Any]:
        """Return where the store is, whether it is encrypted, and the versions at work."""
        return self._store.describe()

    def close(self) -> None:
        """Close every file. Using the engine afterwards raises StoreClosed."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def open(  # noqa: A001 - the public face says lifelong.open()
    where: str | os.PathLike[str],
    *,
    key: str | bytes | None = None,
    encryption: str | None = None,
    clock: Clock | None = None,
) -> Engine:
    """Open a store; make it when there is none.

    Args:
        where: a directory, or ``memory:`` for one that ends with the engine.
        key: the master key: 32 bytes, 64 hexadecimal digits, ``keyring`` for the operating
            system's, or ``file:PATH``. Without it: the variable LIFELONG_KEY, then the file
            named by LIFELONG_KEY_FILE, then ``~/.config/lifelong/master.key``, made on first use.
        encryption: ``off`` makes a new store that is not encrypted.
        clock: for tests and replays.

    Raises:
        StoreError: one of its kinds, with its remedy.
        InvalidValue: a key or a word that cannot be one.
    """
    clock = clock or SystemClock()
    place = os.fspath(where)
    if place == IN_MEMORY:
        return Engine(open_in_memory(clock), clock)
    if not isinstance(place, str) or not _is_path(place):
        raise InvalidValue(f"{place!r} is neither a directory nor 'memory:'")
    path = _expanded(place).absolute()
    return Engine(open_directory(path, key_source(key), clock=clock, encryption=encryption), clock)


def _expanded(place: str) -> Path:
    try:
        return Path(place).expanduser()
    except RuntimeError as error:
        raise InvalidValue(f"{place!r} ({error})") from error


def _is_path(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return bool(text) and "://" not in text and "\0" not in text


def key_source(key: str | bytes | None) -> KeySource:
    """Return where the master key is, by what was passed or by the environment.

    Raises:
        InvalidValue: it is no key.
    """
    if key is not None and not isinstance(key, str | bytes):
        raise InvalidValue(f"a master key is text or bytes, not {type(key).__name__}")
    key = key or os.environ.get(KEY_VARIABLE) or None
    if isinstance(key, bytes):
        if len(key) != KEY_BYTES:
            raise InvalidValue(f"a master key has {KEY_BYTES} bytes, this has {len(key)}")
        return KeySource(GIVEN, key=key)
    if key is None:
        named = os.environ.get(KEY_FILE_VARIABLE)
        return KeySource(FILE, file=_expanded(named) if named else default_key_file())
    if key == KEYRING:
        return KeySource(KEYRING)
    if key.startswith("file:"):
        return KeySource(FILE, file=_expanded(key.removeprefix("file:")))
    return KeySource(GIVEN, key=parse_key(key))


def default_key_file() -> Path:
    """Return where the master key is kept when nothing else is said."""
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "lifelong" / "master.key"


def default_directory() -> Path:
    """Return the data directory of this user."""
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "lifelong"
