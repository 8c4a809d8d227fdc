"""Files as bytes: each as it lies on the disk, and with the keys at hand in clear.

Nothing is opened as a database here: no lock is taken, nothing is made and nothing is written.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw

from lifelong.memory.terms import index_text
from lifelong.rows.raw import Layout
from lifelong.stores.sqlite.open_files import OpenFiles
from lifelong.stores.sqlite.pages import PAGE_BYTES, ClearPages
from lifelong.stores.sqlite.words import terms_of

PIECE_BYTES = 256 * PAGE_BYTES

_HEADER_BYTES = 100
_PLAIN = b"SQLite format 3\0"
_FRACTIONS = bytes([64, 32, 32])
"""In every header, from byte 21: shares of a page that nobody may choose. The cipher leaves bytes
16 to 23 as they are."""
_WAL_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_WAL_HEADER = 32
_FRAME_HEADER = 24
_SMALLEST_PAGE, _LARGEST_PAGE = 512, 65_536
_WAL = "-wal"

_OPEN_FILES = OpenFiles()

FileKey = tuple[str, bytes]
"""The name of a file of the store, and its key."""


class SqliteRawFile:
    """One file that is open for reading.

    Args:
        path: of the file.
        keys: of the store's files.
    """

    def __init__(self, path: Path, keys: Sequence[FileKey]) -> None:
        self._path = path
        self._file = _OPEN_FILES.open(path)
        found = path.stat()
        self._inode = found.st_dev, found.st_ino
        self.size = found.st_size
        self.unreadable = 0
        head = self.read(_HEADER_BYTES, 0)
        self.layout = _layout(head)
        self._pages = self._opened(head, keys) if self.layout else None
        self.is_decrypted = self._pages is not None
        self.is_locked = not self.is_decrypted and _is_encrypted(head)

    def _opened(self, head: bytes, keys: Sequence[FileKey]) -> ClearPages | None:
        """Return what decrypts the file; None when it is plain, or no key opens it."""
        is_wal = head.startswith(_WAL_MAGIC)
        if not is_wal and not _is_encrypted(head):
            return None
        start = _WAL_HEADER + _FRAME_HEADER if is_wal else 0
        number = int.from_bytes(self.read(4, _WAL_HEADER), "big") if is_wal else 1
        page = self.read(PAGE_BYTES, start)
        for _, key in keys:
            pages = ClearPages(key)
            if len(page) == PAGE_BYTES and pages.read(number, page) is not None:
                return pages
            pages.close()
        return None

    def read(self, length: int, offset: int) -> bytes:
        """Return bytes as they are on the disk; fewer at the end of the file.

        Raises:
            OSError: they cannot be read.
        """
        try:
            return self._file.xRead(max(0, min(length, self.size - offset)), offset)
        except apsw.Error as error:
            raise OSError(errno.EIO, "it cannot be read", str(self._path)) from error

    def pieces(self) -> Iterator[bytes]:
        """Yield the whole file piece by piece, each page that the key opens in clear."""
        layout = self.layout or Layout(0, 0, PAGE_BYTES, PAGE_BYTES)
        stride = layout.before + layout.page
        if layout.start:
            yield self.read(layout.start, 0)
        length = max(1, PIECE_BYTES // stride) * stride
        for offset in range(layout.start, self.size, length):
            piece = self.read(length, offset)
            if self._pages is not None:
                first = (offset - layout.start) // stride + 1
                piece = b"".join(self._clear(self._pages, piece, first))
            yield piece

    def _clear(self, pages: ClearPages, piece: bytes, first: int) -> Iterator[bytes]:
        before = self.layout.before if self.layout else 0
        stride = before + PAGE_BYTES
        for at in range(0, len(piece), stride):
            header, page = piece[at : at + before], piece[at + before : at + stride]
            number = int.from_bytes(header[:4], "big") if before else first + at // stride
            clear = page if not any(page) else None
            if clear is None and len(page) == PAGE_BYTES:
                clear = pages.read(number, page)
            self.unreadable += clear is None
            yield header
            yield page if clear is None else clear

    def close(self) -> None:
        """Close it."""
        if self._pages is not None:
            self._pages.close()
        _OPEN_FILES.close(self._file, self._path, self._inode)


def _is_encrypted(head: bytes) -> bool:
    """Tell whether a file begins as an encrypted database of ours does."""
    return (
        not head.startswith(_PLAIN)
        and head[16:18] == PAGE_BYTES.to_bytes(2, "big")
        and head[21:24] == _FRACTIONS
    )


def _layout(head: bytes) -> Layout | None:
    """Return how pages lie in a file that begins so; None when it is no database and no WAL."""
    if head.startswith(_WAL_MAGIC):
        start, before, page, reserved = _WAL_HEADER, _FRAME_HEADER, head[8:12], 0
    elif head.startswith(_PLAIN) or _is_encrypted(head):
        start, before, page, reserved = 0, 0, head[16:18], head[20]
    else:
        return None
    size = int.from_bytes(page, "big")
    size = _LARGEST_PAGE if size == 1 else size
    if size < _SMALLEST_PAGE or size > _LARGEST_PAGE or size & size - 1:
        return None
    return Layout(start, before, size, size - reserved)


def let_go() -> None:
    """Close what stayed open only because this process had it open as a database too."""
    _OPEN_FILES.prune()


class SqliteRawFiles:
    """The files of a store, and whatever other file is named.

    Args:
        place: the directory of the store; None when it is in memory.
        keys: returns the keys of its files, as they are now.
    """

    def __init__(self, place: Path | None, keys: Callable[[], Sequence[FileKey]]) -> None:
        self.place = None if place is None else str(place)
        self._ask = keys
        self._keys: dict[str, bytes] = {}
        let_go()

    def open(self, path: str) -> SqliteRawFile:
        """Open a regular file for reading.

        Raises:
            OSError: it cannot be opened.
        """
        file = Path(path)
        own = file.name.removesuffix(_WAL)
        if own not in self._keys:
            self._keys = dict(self._ask())
        first = [(own, self._keys[own])] if own in self._keys else []
        return SqliteRawFile(file, [*first, *self._keys.items()])

    def terms(self, text: str) -> tuple[str, ...]:
        """Return the words of a text as the full-text index keeps them."""
        storable = text.encode("utf-8", "replace").decode()
        connection = apsw.Connection(":memory:")
        try:
            return tuple(terms_of(connection, [index_text(storable)]))
        finally:
            connection.close()


def locked_files(place: Path) -> SqliteRawFiles:
    """Return the files of a store whose keys are not at hand."""
    return SqliteRawFiles(place, tuple)
