"""Files that are read as bytes, opened without harm to whoever has them open as a database.

Closing a file drops all locks that its process has on it, those of SQLite included, whoever opened
it. So files are opened through SQLite, which puts off the closing of a database that it holds a
lock on; and what this process has open by other ways stays open here too.
"""

from __future__ import annotations

import errno
import os
import threading
from dataclasses import dataclass
from pathlib import Path

import apsw

KEPT_MAX = 32
"""With more that must not be closed yet, it is looked which may be closed by now."""

_SHM = "-shm"
_DESCRIPTORS = (Path("/proc/self/fd"), Path("/dev/fd"))

Inode = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Kept:
    file: apsw.VFSFile
    path: Path


class OpenFiles:
    """Files that this process reads as bytes, and those of them that it must not close yet."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._kept: dict[Inode, _Kept] = {}

    def open(self, path: Path) -> apsw.VFSFile:
        """Open a file for reading.

        Raises:
            OSError: it is none, or cannot be opened.
        """
        with self._turn:
            kept = self._kept.pop(_inode(path), None)
        if kept:
            return kept.file
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        try:
            flags = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY
            return apsw.VFSFile("unix", str(path), [flags, 0])
        except (apsw.Error, UnicodeEncodeError) as error:
            raise OSError(errno.EIO, "it cannot be opened", str(path)) from error

    def close(self, file: apsw.VFSFile, path: Path, inode: Inode) -> None:
        """Close a file, unless a lock on it may be this process's."""
        with self._turn:
            # An index of a WAL is locked by whoever begins to use the database at this moment.
            if inode not in self._kept and (path.name.endswith(_SHM) or _times_open(inode) > 1):
                self._kept[inode] = _Kept(file, path)
                if len(self._kept) > KEPT_MAX:
                    self._prune()
                return
        file.xClose()

    def prune(self) -> None:
        """Close what has no name any more, and what nobody else in this process has open."""
        with self._turn:
            self._prune()

    def _prune(self) -> None:
        for inode, kept in list(self._kept.items()):
            is_index = kept.path.name.endswith(_SHM)
            if _is_gone(kept.path, inode) or (not is_index and _times_open(inode) <= 1):
                self._kept.pop(inode).file.xClose()


def _inode(path: Path) -> Inode:
    found = path.stat()
    return found.st_dev, found.st_ino


def _is_gone(path: Path, inode: Inode) -> bool:
    try:
        return _inode(path) != inode
    except OSError:
        return True


def _times_open(inode: Inode) -> int:
    """Return how often this process has a file open; 1 where that cannot be asked."""
    folder = next((each for each in _DESCRIPTORS if each.is_dir()), None)
    count = 0
    for descriptor in folder.iterdir() if folder else ():
        try:
            found = os.fstat(int(descriptor.name))
        except (OSError, ValueError):
            continue
        count += (found.st_dev, found.st_ino) == inode
    return max(count, 1)
