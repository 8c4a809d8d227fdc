"""Marks and links, which the chain of an owner's file is made of: both need the owner's key.

A mark commits to a row: random bytes, and a keyed hash of those and of the row. When the row goes,
the random bytes go; what is left of the mark then tells nothing of the row, not even to who has
the key. A link is a keyed hash of one or more entries and of the link before them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

NONCE_BYTES = 16
_HEAD_BYTES = 16


def marker(own: bytes) -> Callable[..., bytes]:
    """Return a function that marks rows.

    It takes random bytes, or a mark that begins with them; the row's longest text as bytes; and all
    its other values: numbers, bytes, None, and words of SQL's own.

    Args:
        own: as `keys.seal_key` gives it.
    """
    begun = hashlib.blake2b(key=own, person=b"lifelong mark", digest_size=32)

    def mark(nonce: bytes, text: bytes | None, *row: object) -> bytes:
        nonce = nonce[:NONCE_BYTES]
        digest = begun.copy()
        digest.update(nonce + _encoded(row))
        digest.update(text or b"")
        return nonce + digest.digest()

    return mark


def linker(own: bytes) -> Callable[..., bytes]:
    """Return a function that takes a link, and the entries after it in words, and links them.

    Args:
        own: as `keys.seal_key` gives it.
    """

    def link(before: bytes | None, entries: str | None) -> bytes:
        said = (before or b"") + (entries or "").encode()
        return hashlib.blake2b(said, key=own, person=b"lifelong link", digest_size=32).digest()

    return link


def _encoded(values: tuple[object, ...]) -> bytes:
    """Return values as bytes that no other values give, the same with every Python."""
    return repr(values).encode("utf-8", "surrogatepass")


def head_of(own: bytes, entries: int, link: bytes) -> str:
    """Return what a person may note of a chain: it tells no link, so it helps nobody to forge one.

    Args:
        own: as `keys.seal_key` gives it.
        entries: how many there are.
        link: of the last one.
    """
    digest = hashlib.blake2b(
        b"%d:%b" % (entries, link), key=own, person=b"lifelong head", digest_size=_HEAD_BYTES
    )
    return f"{entries}:{digest.hexdigest()}"
