"""A mirror of file memory in a real directory: one way, and safe while somebody else moves things.

Whoever may write there can swap a directory for a link between any two of our calls. So every step
goes through a descriptor: each directory is opened by its one name inside the directory that is
open already and never through a link, a file is written under a name that nobody can guess and then
renamed over what stands there, and what is read is asked of the descriptor itself, a plain file
with one name. A path is never resolved as a whole.

What was mirrored stands in a list beside it, so that a file of somebody else's is never removed.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from lifelong.errors import FileError, MirrorError
from lifelong.file_paths import canonical_file
from lifelong.file_records import Mirrored

LIST_NAME = ".lifelong-mirror"
_DRAFT = ".lifelong-draft-"
_LIST_BYTES_MAX = 64 << 20
_TRIES = 3
"""How often something in the way is taken away before a file is skipped."""


class _InTheWay(Exception):
    """Something else stands where a file or a directory belongs."""


def mirror(
    directory: str | os.PathLike[str], texts: Mapping[str, str], new_id: Callable[[], str]
) -> Mirrored:
    """Make a directory hold these files and no other that was mirrored into it.

    Args:
        directory: made when it is not there.
        texts: by canonical path.
        new_id: makes names that nobody can guess.

    Raises:
        MirrorError: it holds something else, another mirror is at work, or it cannot be written.
    """
    try:
        with _root(directory) as root:
            return _Mirror(root, new_id).make(texts)
    except _InTheWay as error:
        raise MirrorError(f"something is in the place of {LIST_NAME}") from error
    except OSError as error:
        raise MirrorError(error.strerror or "the directory cannot be used") from error


@contextmanager
def _root(directory: str | os.PathLike[str]) -> Iterator[int]:
    """Open the directory for one mirror at a time."""
    if os.open not in os.supports_dir_fd:
        raise MirrorError("this system opens no file by its directory's descriptor")
    import fcntl

    try:
        with suppress(FileExistsError):
            Path(directory).mkdir(0o700)
        root = _open_directory(directory)
    except (TypeError, ValueError) as error:  # no path, or a NUL in it
        raise MirrorError("that is no name of a directory") from error
    try:
        fcntl.flock(root, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield root
    except BlockingIOError as error:
        raise MirrorError("another mirror into it is at work") from error
    finally:
        os.close(root)


class _Mirror:
    """One run. `root` is the descriptor of the directory; every name is relative to one."""

    def __init__(self, root: int, new_id: Callable[[], str]) -> None:
        self._root = root
        self._new_id = new_id

    def make(self, texts: Mapping[str, str]) -> Mirrored:
        listed = self._listed()
        self._drop_drafts()
        # Both lists at first: whatever the power leaves of this run, the next one knows it as ours.
        self._write_list({*listed, *texts})
        removed, written, skipped = [], [], []
        for path in sorted(listed - texts.keys()):  # first: a directory may become a file
            try:
                if self._remove(path):
                    removed.append(path)
            except _InTheWay:
                skipped.append(path)
        for path, text in texts.items():
            try:
                if self._put(path, text.encode()):
                    written.append(path)
            except (_InTheWay, FileNotFoundError):  # or its directory was taken away meanwhile
                skipped.append(path)
        self._write_list({*texts, *(path for path in skipped if path in listed)})
        unchanged = len(texts) - len(written) - len(texts.keys() & skipped)
        return Mirrored(tuple(written), tuple(removed), unchanged, tuple(skipped))

    def _listed(self) -> set[str]:
        """Return the paths that were mirrored before.

        Raises:
            MirrorError: the directory is somebody else's.
        """
        data = _read_plain(self._root, LIST_NAME, _LIST_BYTES_MAX)
        if data is None:
            if len(self._drafts()) < len(self._names()):
                raise MirrorError("the directory is not empty, and no mirror")
            return set()
        try:
            listed = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise MirrorError(f"its {LIST_NAME} is damaged") from error
        paths = listed if isinstance(listed, list) else []
        return {path for path in paths if _is_canonical(path)}

    def _write_list(self, paths: set[str]) -> None:
        self._write(self._root, LIST_NAME, json.dumps(sorted(paths), indent=0).encode())

    def _drop_drafts(self) -> None:
        """Remove what a mirror that was killed left behind."""
        for name in self._drafts():
            with suppress(OSError):
                os.unlink(name, dir_fd=self._root)

    def _drafts(self) -> list[str]:
        return [name for name in self._names() if name.startswith(_DRAFT)]

    def _names(self) -> list[str]:
        with os.scandir(self._root) as entries:
            return [entry.name for entry in entries]

    def _put(self, path: str, data: bytes) -> bool:
        """Write one file; return False when it stood there so already."""
        *directories, name = path.split("/")[1:]
        with self._below(directories, may_make=True) as parent:
            if _read_plain(parent, name, len(data)) == data:
                return False
            self._write(parent, name, data)
        return True

    def _remove(self, path: str) -> bool:
        """Remove one file and the directories that it leaves empty; return whether it was there."""
        *directories, name = path.split("/")[1:]
        try:
            with self._below(directories) as parent:
                os.unlink(name, dir_fd=parent)
                os.fsync(parent)
        except FileNotFoundError:
            return False
        except (IsADirectoryError, PermissionError) as error:
            raise _InTheWay from error
        while directories:
            last = directories.pop()
            try:
                with self._below(directories) as parent:
                    os.rmdir(last, dir_fd=parent)
            except OSError:  # it holds something, or is gone
                break
        return True

    @contextmanager
    def _below(self, names: list[str], *, may_make: bool = False) -> Iterator[int]:
        """Lend the descriptor of a directory, each step opened inside the one before."""
        opened = os.dup(self._root)
        try:
            for name in names:
                inner = _step(opened, name, may_make=may_make)
                os.close(opened)
                opened = inner
            yield opened
        finally:
            os.close(opened)

    def _write(self, parent: int, name: str, data: bytes) -> None:
        """Put a file in the place of whatever has its name, whole or not at all."""
        draft = f"{_DRAFT}{self._new_id()}"
        descriptor = _open_new(draft, self._root)
        try:
            with os.fdopen(descriptor, "wb", closefd=False) as stream:
                stream.write(data)
            os.fchmod(descriptor, 0o600)
            os.fsync(descriptor)
            os.rename(draft, name, src_dir_fd=self._root, dst_dir_fd=parent)
            _require_same(descriptor, parent, name)
            os.fsync(parent)
        except (IsADirectoryError, FileNotFoundError) as error:  # a directory there, or moved away
            raise _InTheWay from error
        finally:
            os.close(descriptor)
            with suppress(OSError):
                os.unlink(draft, dir_fd=self._root)


def _open_directory(name: str | os.PathLike[str], parent: int | None = None) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def _open_new(name: str, parent: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    return os.open(name, flags, 0o600, dir_fd=parent)


def _step(parent: int, name: str, *, may_make: bool) -> int:
    """Open a directory inside another; where it may be made, a link or file in its place goes."""
    for _ in range(_TRIES):
        try:
            return _open_directory(name, parent)
        except FileNotFoundError:
            if not may_make:
                raise
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=parent)
                os.fsync(parent)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR):
                raise
            if not may_make:
                raise FileNotFoundError(errno.ENOENT, "a directory is gone") from error
            with suppress(FileNotFoundError, IsADirectoryError, PermissionError):
                os.unlink(name, dir_fd=parent)
    raise _InTheWay


def _require_same(descriptor: int, parent: int, name: str) -> None:
    """Make sure that what has the name now is what was written, and no link put there since."""
    ours, there = os.fstat(descriptor), os.stat(name, dir_fd=parent, follow_symlinks=False)
    if (ours.st_dev, ours.st_ino) != (there.st_dev, there.st_ino):
        raise _InTheWay


def _read_plain(parent: int, name: str, bytes_max: int) -> bytes | None:
    """Return the bytes of a plain file with one name, if it is one and not larger than that."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    except OSError:  # a link, a device that nobody answers, no right, or nothing
        return None
    try:
        state = os.fstat(descriptor)
        if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1 or state.st_size > bytes_max:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            return stream.read(bytes_max + 1)
    finally:
        os.close(descriptor)


def _is_canonical(path: object) -> bool:
    try:
        return canonical_file(path) == path
    except FileError:
        return False
