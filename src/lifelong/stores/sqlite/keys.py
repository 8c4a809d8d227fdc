"""The master key: where it is kept, how it is made, how a wrong one is told from a right one.

It encrypts the catalogue, and the catalogue holds one random key for each owner's file. So the
master key wraps the owners' keys, and an owner's data dies with one row.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import string
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from lifelong.errors import InvalidValue, KeyMissing, MasterKeyError, MissingExtra

KEY_BYTES = 32
_KEYRING_SERVICE = "lifelong"
_KEYRING_USER = "master key"
_CHECK_BYTES = 8

GIVEN = "given"
FILE = "file"
KEYRING = "keyring"


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where the master key is.

    Attributes:
        kind: `GIVEN` (in `key`), `FILE` (at `file`) or `KEYRING` (the operating system's).
        key: 32 bytes, when given.
        file: of 64 hexadecimal digits, mode 0600, outside the data directory.
    """

    kind: str
    key: bytes | None = None
    file: Path | None = None


def new_key() -> bytes:
    """Return 32 random bytes."""
    return secrets.token_bytes(KEY_BYTES)


def parse_key(text: str) -> bytes:
    """Return the key that 64 hexadecimal digits stand for.

    Raises:
        InvalidValue: it is something else.
    """
    digits = text.strip()
    if len(digits) != 2 * KEY_BYTES or not set(digits) <= set(string.hexdigits):
        raise InvalidValue("a master key is 64 hexadecimal digits")
    return bytes.fromhex(digits)


def key_check(key: bytes) -> str:
    """Return what is kept beside a store to recognise its key; it does not give the key away."""
    return hmac.digest(key, b"lifelong master key", hashlib.sha256)[:_CHECK_BYTES].hex()


def key_id(key: bytes) -> str:
    """Return what a receipt calls a key; it does not give the key away."""
    return hmac.digest(key, b"lifelong key id", hashlib.sha256)[:_CHECK_BYTES].hex()


def seal_key(key: bytes | None) -> bytes:
    """Return what seals are made with in a file of this key; it does not give the key away.

    It stays the file's when the key is changed, so that what was sealed stays so.
    """
    return hmac.digest(key or bytes(KEY_BYTES), b"lifelong seal", hashlib.sha256)


def sealer(own: bytes) -> Callable[..., bytes]:
    """Return a function that seals values with an owner's key: none can be changed without it.

    Without encryption there is no key to hold back, and the seal tells only of mistakes.

    Args:
        own: as `seal_key` gives it.
    """

    def seal(*values: object) -> bytes:
        return hmac.digest(own, json.dumps(values, default=repr).encode(), hashlib.sha256)

    return seal


def load_key(source: KeySource, *, check: str) -> bytes:
    """Return the master key that `check` recognises, or the one that is in its place instead.

    Of the keys of one place one has the plain name, and others that of their check: the newest,
    while a rotation runs, and older ones, which other stores may need. So each finds its own.

    Raises:
        KeyMissing: there is none.
        MasterKeyError: it could not be read.
        MissingExtra: the keyring package is not installed.
    """
    if source.kind == GIVEN and source.key is not None:
        return source.key
    if source.kind != KEYRING and source.file is None:
        raise KeyMissing(source.kind)
    try:
        key = _read(source)
    except MasterKeyError:
        with suppress(MasterKeyError):
            return _read(source, check)
        raise
    if key_check(key) != check:
        with suppress(MasterKeyError):
            return _read(source, check)
    return key


def find_key(source: KeySource) -> bytes | None:
    """Return the key that lies at the plain name of a source; None when there is none.

    Raises:
        MasterKeyError: it could not be read.
        MissingExtra: the keyring package is not installed.
    """
    try:
        return _read(source)
    except KeyMissing:
        return None


def first_key(source: KeySource) -> bytes:
    """Return the key for a new store; make and keep one when there is none.

    Raises:
        MasterKeyError: it could not be read or kept.
        MissingExtra: the keyring package is not installed.
    """
    if source.kind == GIVEN and source.key is not None:
        return source.key
    if source.kind == KEYRING:
        try:
            return _read(source)
        except KeyMissing:
            _write_keyring(_KEYRING_USER, new_key())
    elif source.file is not None:
        with _told(source.file):
            source.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not source.file.exists():
                _write_file(source.file, new_key(), may_replace=False)
    return _read(source)


def keep_beside(source: KeySource, key: bytes) -> None:
    """Keep a key under the name of its check, for the store that will have it.

    Raises:
        MasterKeyError: it could not be kept.
        MissingExtra: the keyring package is not installed.
    """
    if source.kind == KEYRING:
        _write_keyring(_named(_KEYRING_USER, key_check(key)), key)
    elif source.file is not None:
        with _told(source.file):
            source.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_file(beside(source.file, key_check(key)), key)


def give_plain_name(source: KeySource, key: bytes) -> None:
    """Put a key where its source says; what was there is kept under the name of its check.

    Raises:
        MasterKeyError: it could not be kept.
        MissingExtra: the keyring package is not installed.
    """
    with suppress(KeyMissing):
        keep_beside(source, _read(source))
    if source.kind == KEYRING:
        _write_keyring(_KEYRING_USER, key)
    elif source.file is not None:
        with _told(source.file):
            _write_file(source.file, key)
            beside(source.file, key_check(key)).unlink(missing_ok=True)


def place_of(source: KeySource) -> str:
    """Return where a key is, in words for people."""
    if source.file is not None:
        return str(source.file)
    return "the keyring of this system" if source.kind == KEYRING else "given by you"


def beside(file: Path, check: str) -> Path:
    """Return where a key that is not the newest is kept."""
    return file.with_name(_named(file.name, check))


def _named(name: str, check: str) -> str:
    return f"{name}.{check}"


def _read(source: KeySource, check: str = "") -> bytes:
    if source.kind == KEYRING:
        return _from_keyring(_named(_KEYRING_USER, check) if check else _KEYRING_USER)
    if source.file is None:
        raise KeyMissing(source.kind)
    return _from_file(beside(source.file, check) if check else source.file)


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """Name the key file in errors of the operating system."""
    try:
        yield
    except OSError as error:
        raise MasterKeyError(f"{file} ({error})") from error


def _from_file(file: Path) -> bytes:
    try:
        return parse_key(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        raise KeyMissing(str(file)) from None
    except InvalidValue as error:
        raise MasterKeyError(f"{file}: {error.detail}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise MasterKeyError(f"{file} ({error})") from error


def _write_file(file: Path, key: bytes, *, may_replace: bool = True) -> None:
    """Write a key under another name and link or rename it: whole, and for its owner only."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(key.hex() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        if may_replace:
            draft.replace(file)
        else:
            with suppress(FileExistsError):  # of two processes, one wins whole
                os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    _sync(file.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _keyring() -> Iterator[ModuleType]:
    """Lend the keyring package; its errors become ours."""
    try:
        import keyring
        import keyring.errors
    except ImportError as error:
        raise MissingExtra("keyring", "keyring") from error
    try:
        yield keyring
    except keyring.errors.KeyringError as error:
        raise MasterKeyError(f"the keyring of this system ({error})") from error


def _from_keyring(name: str) -> bytes:
    with _keyring() as keyring:
        kept = keyring.get_password(_KEYRING_SERVICE, name)
    if kept is None:
        raise KeyMissing("the keyring of this system")
    try:
        return parse_key(kept)
    except InvalidValue as error:
        raise MasterKeyError(f"the keyring of this system: {error.detail}") from error


def _write_keyring(name: str, key: bytes) -> None:
    with _keyring() as keyring:
        keyring.set_password(_KEYRING_SERVICE, name, key.hex())
        if keyring.get_password(_KEYRING_SERVICE, name) != key.hex():
            raise MasterKeyError("the keyring of this system did not keep the key")
