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
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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


def sealer(key: bytes | None) -> Callable[..., bytes]:
    """Return a function that seals values with an owner's key: none can be changed without it.

    Without encryption there is no key to hold back, and the seal tells only of mistakes.
    """
    own = hmac.digest(key or bytes(KEY_BYTES), b"lifelong seal", hashlib.sha256)

    def seal(*values: object) -> bytes:
        return hmac.digest(own, json.dumps(values, default=repr).encode(), hashlib.sha256)

    return seal


def load_key(source: KeySource, *, may_create: bool) -> bytes:
    """Return the master key; make and keep a new one when there is none and that is allowed.

    Raises:
        KeyMissing: there is none.
        MasterKeyError: it could not be read or kept.
        MissingExtra: the keyring package is not installed.
    """
    if source.kind == GIVEN and source.key is not None:
        return source.key
    if source.kind == KEYRING:
        return _from_keyring(may_create=may_create)
    if source.file is None:
        raise KeyMissing(source.kind)
    return _from_file(source.file, may_create=may_create)


def _from_file(file: Path, *, may_create: bool) -> bytes:
    try:
        if may_create and not file.exists():
            _create_file(file)
        return parse_key(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        raise KeyMissing(str(file)) from None
    except InvalidValue as error:
        raise MasterKeyError(f"{file}: {error.detail}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise MasterKeyError(f"{file} ({error})") from error


def _create_file(file: Path) -> None:
    """Write a new key beside `file` and link it into place: of two processes, one wins whole."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write(new_key().hex() + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return
    finally:
        draft.unlink()


def _from_keyring(*, may_create: bool) -> bytes:
    try:
        import keyring
        import keyring.errors
    except ImportError as error:
        raise MissingExtra("keyring", "keyring") from error
    try:
        kept = keyring.get_password(_KEYRING_SERVICE, _KEYRING_USER)
        if kept is None and may_create:
            kept = new_key().hex()
            keyring.set_password(_KEYRING_SERVICE, _KEYRING_USER, kept)
    except keyring.errors.KeyringError as error:
        raise MasterKeyError(f"the keyring of this system ({error})") from error
    if kept is None:
        raise KeyMissing("the keyring of this system")
    return parse_key(kept)
