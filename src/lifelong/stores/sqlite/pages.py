# ruff: noqa: N802 - the names are those that SQLite calls
"""Pages in clear: what the cipher makes of bytes that were read from a file by anybody else.

SQLite's cipher decrypts what it reads through its own file system layer. Here that layer stands
on a file of one page, held in memory, in which each page is put before it is read. So pages of a
database, of its free list and of its WAL can be read with no lock, without opening any of them as
a database, and with no chance of writing to them.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Self

import apsw

PAGE_BYTES = 4096
"""Of every file that lifelong makes."""

_BELOW = "lifelong-page"
_CIPHER = f"multipleciphers-{_BELOW}"
_ABOVE = "lifelong-clear"


class _Slot:
    """The file of one page. What SQLite asks of every file is answered with nothing."""

    def __init__(self) -> None:
        self.page = b""
        self.offset = 0

    def xRead(self, amount: int, offset: int) -> bytes:
        return self.page[:amount] if offset == self.offset else b""

    def xFileSize(self) -> int:
        return self.offset + len(self.page)

    def xClose(self) -> None:
        self.page = b""

    def xLock(self, _level: int) -> None:
        pass

    def xUnlock(self, _level: int) -> None:
        pass

    def xCheckReservedLock(self) -> bool:
        return False

    def xFileControl(self, _operation: int, _pointer: int) -> bool:
        return False

    def xSectorSize(self) -> int:
        return PAGE_BYTES

    def xDeviceCharacteristics(self) -> int:
        return 0


class _Below(apsw.VFS):
    """The layer below the cipher: every file is a slot."""

    def __init__(self) -> None:
        super().__init__(_BELOW, "")
        self.slot = _Slot()

    def xOpen(self, _name: object, _flags: list[int]) -> Any:
        self.slot = _Slot()
        return self.slot

    def xAccess(self, _name: str, _flags: int) -> bool:
        return False

    def xFullPathname(self, name: str) -> str:
        return name


class _Above(apsw.VFS):
    """The layer above the cipher: it hands out the file that the cipher reads."""

    def __init__(self) -> None:
        super().__init__(_ABOVE, _CIPHER)
        self.file: apsw.VFSFile | None = None

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        self.file = apsw.VFSFile(_CIPHER, name, flags)
        return self.file


class _Layers:
    """Both layers; they are made when they are first needed, and stay."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self._made: tuple[_Below, _Above] | None = None

    def made(self) -> tuple[_Below, _Above]:
        """Return the layers; whoever calls this has the turn."""
        if self._made is None:
            below = _Below()
            apsw.Connection("none", flags=apsw.SQLITE_OPEN_READONLY, vfs=_CIPHER).close()
            self._made = below, _Above()
        return self._made


_LAYERS = _Layers()


class ClearPages:
    """Reads pages that are encrypted with one key. Close it, or use it as a context manager.

    Args:
        key: 32 bytes.
    """

    def __init__(self, key: bytes) -> None:
        with _LAYERS.turn:
            below, above = _LAYERS.made()
            flags = apsw.SQLITE_OPEN_READONLY
            self._connection = apsw.Connection("page", flags=flags, vfs=_ABOVE)
            self._slot, self._file = below.slot, above.file
            above.file = None
        self._connection.pragma("key", f"raw:{key.hex()}")

    def read(self, number: int, page: bytes) -> bytes | None:
        """Return a page in clear; None when the key does not open it.

        Args:
            number: of the page in its database, from 1.
            page: as it is on the disk.
        """
        if self._file is None or number < 1:
            return None
        self._slot.page, self._slot.offset = page, (number - 1) * PAGE_BYTES
        try:
            return self._file.xRead(PAGE_BYTES, self._slot.offset)
        except apsw.Error:
            return None

    def close(self) -> None:
        """Let go of the key."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
