"""What a store gives to a scan of bytes: its files, read as who holds their keys reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from lifelong.rows.raw import Layout


class RawFile(Protocol):
    """A file that is open for reading; nothing is ever written to it."""

    @property
    def size(self) -> int:
        """How many bytes it had when it was opened."""
        ...

    @property
    def layout(self) -> Layout | None:
        """How pages lie in it; None when it is no database and no WAL."""
        ...

    @property
    def is_locked(self) -> bool:
        """Whether it is encrypted, and no key is here that opens it."""
        ...

    @property
    def is_decrypted(self) -> bool:
        """Whether it is encrypted, and read with its key."""
        ...

    @property
    def unreadable(self) -> int:
        """How many pages, of those that were read so far, the key did not open."""
        ...

    def read(self, length: int, offset: int) -> bytes:
        """Return bytes as they are on the disk; fewer at the end of the file."""
        ...

    def pieces(self) -> Iterator[bytes]:
        """Yield the whole file piece by piece, each page that a key opens in clear.

        A byte is at the same place as in the file.
        """
        ...

    def close(self) -> None:
        """Close it."""
        ...


class RawFiles(Protocol):
    """The files of a store, and whatever other file is named."""

    @property
    def place(self) -> str | None:
        """The directory of the store; None when it is in memory."""
        ...

    def open(self, path: str) -> RawFile:
        """Open a regular file for reading.

        Raises:
            OSError: it cannot be opened.
        """
        ...

    def terms(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as the full-text index keeps them."""
        ...
