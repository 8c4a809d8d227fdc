"""A disk beneath SQLite and its cipher: every call that changes or reads a file passes through it.

It stands under the cipher, so what it sees is what a real disk would see. The calls that Python
itself makes (link, unlink, mkdir, fsync and the like) pass through it too. One VFS is registered
for the whole process and never taken away; which disk it asks is set for a time with `under`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

_NAME = "lifelong-torture"
_CIPHER_OVER = f"multipleciphers-{_NAME}"
_PLAIN = "unix"
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a file's method.

    Attributes:
        kind: open, read, write, sync, truncate, delete of SQLite; link, unlink, mkdir, rename,
            fsync, create of Python.
        path: of the file or directory; the new name, for link and rename.
        offset: of a write or read; the new size, for truncate.
        data: what is written.
        source: the old name, for link and rename.
        is_new: whether an open makes the file; whether a delete syncs the directory.
        file: of SQLite, the open file: it may have lost its name meanwhile.
    """

    kind: str
    path: str
    offset: int = 0
    data: bytes = b""
    source: str = ""
    is_new: bool = False
    file: Any = None

    @property
    def is_python(self) -> bool:
        return self.kind in PYTHON_CALLS


PYTHON_CALLS = frozenset(["link", "unlink", "mkdir", "rename", "fsync", "create"])


class Disk:
    """What is asked before and after each call; this one does nothing."""

    def before(self, call: Call) -> None:
        """Be told what is about to happen; whatever is raised happens instead."""

    def after(self, call: Call) -> None:
        """Be told what happened."""

    def write_instead(self, call: Call) -> bytes:
        """Return what is really written: less, for a short write (see `after_short`)."""
        return call.data

    def after_short(self, call: Call) -> None:
        """Be told that less was written; may raise, as SQLite's own VFS would."""


class _Current:
    disk: Disk = Disk()
    vfs: apsw.VFS | None = None


class _File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int]) -> None:
        self.node = 0  # a disk may number the files
        self.path = os.path.realpath(name.filename() if hasattr(name, "filename") else name)
        is_new = not Path(self.path).exists()
        call = Call("open", self.path, is_new=is_new, file=self)
        _Current.disk.before(call)
        super().__init__(_PLAIN, name, flags)
        _Current.disk.after(call)

    def xRead(self, amount, offset):  # noqa: N802 - SQLite's name
        _Current.disk.before(Call("read", self.path, offset=offset, file=self))
        return super().xRead(amount, offset)

    def xWrite(self, data, offset):  # noqa: N802
        call = Call("write", self.path, offset=offset, data=bytes(data), file=self)
        _Current.disk.before(call)
        really = _Current.disk.write_instead(call)
        if really:
            super().xWrite(really, offset)
        if len(really) < len(call.data):
            _Current.disk.after_short(call)
        _Current.disk.after(call)

    def xSync(self, flags):  # noqa: N802
        call = Call("sync", self.path, file=self)
        _Current.disk.before(call)
        super().xSync(flags)
        _Current.disk.after(call)

    def xTruncate(self, size):  # noqa: N802
        call = Call("truncate", self.path, offset=size, file=self)
        _Current.disk.before(call)
        super().xTruncate(size)
        _Current.disk.after(call)


class _Vfs(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(_NAME, _PLAIN)

    def xOpen(self, name, flags):  # noqa: N802
        return _File(name, flags)

    def xDelete(self, name, syncdir):  # noqa: N802
        call = Call("delete", os.path.realpath(name), is_new=bool(syncdir))
        _Current.disk.before(call)
        super().xDelete(name, syncdir)
        _Current.disk.after(call)


def _register() -> None:
    if _Current.vfs is None:
        _Current.vfs = _Vfs()
        # The cipher puts itself over a VFS when a connection first asks for it by this name.
        apsw.Connection(":memory:", vfs=_CIPHER_OVER).close()


@contextmanager
def under(disk: Disk) -> Iterator[None]:
    """Put a disk beneath all that is opened from now on in this process."""
    _register()
    apsw.set_default_vfs(_CIPHER_OVER)
    _Current.disk = disk
    try:
        with _python_calls():
            yield
    finally:
        _Current.disk = Disk()
        apsw.set_default_vfs(f"multipleciphers-{_PLAIN}")


@contextmanager
def _python_calls() -> Iterator[None]:
    originals = {name: getattr(os, name) for name in _PATCHED}
    for name, patched in _PATCHED.items():
        setattr(os, name, patched(originals[name]))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(os, name, original)


def _where(path: Any, dir_fd: int | None) -> str:
    """Return the whole path; the last name is kept, even of a link."""
    text = os.fsdecode(path)
    if dir_fd is not None:
        text = f"{Path(f'/proc/self/fd/{dir_fd}').readlink()}/{text}"
    folder, name = os.path.split(os.path.abspath(text))  # noqa: PTH100 - of a name, not a file
    return f"{os.path.realpath(folder)}/{name}"


def _asked(call: Call, act: Any) -> Any:
    disk = _Current.disk
    disk.before(call)
    done = act()
    disk.after(call)
    return done


def _one_path(kind: str) -> Any:
    def patch(original: Any) -> Any:
        def patched(path: Any, *args: Any, dir_fd: int | None = None, **rest: Any) -> Any:
            more = rest if dir_fd is None else {**rest, "dir_fd": dir_fd}
            call = Call(kind, _where(path, dir_fd))
            return _asked(call, lambda: original(path, *args, **more))

        return patched

    return patch


def _two_paths(kind: str) -> Any:
    def patch(original: Any) -> Any:
        def patched(source: Any, target: Any, **rest: Any) -> Any:
            call = Call(
                kind,
                _where(target, rest.get("dst_dir_fd")),
                source=_where(source, rest.get("src_dir_fd")),
            )
            return _asked(call, lambda: original(source, target, **rest))

        return patched

    return patch


def _fsync(original: Any) -> Any:
    def patched(descriptor: Any) -> Any:
        number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
        call = Call("fsync", str(Path(f"/proc/self/fd/{number}").readlink()))
        return _asked(call, lambda: original(descriptor))

    return patched


def _open(original: Any) -> Any:
    def patched(path: Any, flags: int, *args: Any, dir_fd: int | None = None, **rest: Any) -> Any:
        more = rest if dir_fd is None else {**rest, "dir_fd": dir_fd}
        if not flags & (os.O_CREAT | _WRITE_FLAGS):
            return original(path, flags, *args, **more)
        call = Call("create", _where(path, dir_fd))
        return _asked(call, lambda: original(path, flags, *args, **more))

    return patched


_PATCHED = {
    "link": _two_paths("link"),
    "rename": _two_paths("rename"),
    "replace": _two_paths("rename"),
    "unlink": _one_path("unlink"),
    "remove": _one_path("unlink"),
    "mkdir": _one_path("mkdir"),
    "rmdir": _one_path("unlink"),
    "fsync": _fsync,
    "open": _open,
}
