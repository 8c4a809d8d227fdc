"""Diagnosis: what there is to say of a place, also when its store cannot be opened.

Nothing is made and nothing is changed, apart from a nameless file for the writing test.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import lifelong
from lifelong.apps.cli.options import Place
from lifelong.apps.cli.output import counted

OK = "ok"
WARNING = "warning"
WRONG = "wrong"

_MARKS = ("lifelong.json", "catalogue.db")
_FREE_BYTES_MIN = 100 * 1024 * 1024
_OTHERS = 0o077
_MIB = 1024 * 1024


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: of the thing.
        value: what was found.
        state: `OK`, `WARNING` or `WRONG`.
        remedy: what to do about it; empty when it is ok.
    """

    name: str
    value: str
    state: str = OK
    remedy: str = ""


def version() -> str:
    """Return the version of lifelong, or that it runs without being installed."""
    from importlib import metadata

    try:
        return metadata.version("lifelong")
    except metadata.PackageNotFoundError:
        return "unknown (not installed)"


def examine(place: Place) -> Iterator[Finding]:
    """Yield what there is to say of the software, the place, its key, its disk and its store."""
    yield Finding("lifelong", version())
    yield Finding("Python", platform.python_version())
    yield from _sqlite()
    if place.store == lifelong.engine.IN_MEMORY:
        yield Finding("store", "in memory: it ends with each command")
        return
    path = Path(place.store or lifelong.engine.default_directory()).expanduser().absolute()
    is_there = any((path / name).exists() for name in _MARKS)
    yield Finding("store", str(path) if is_there else f"{path} (not made yet; the first use does)")
    yield from _key()
    yield from _disk(path)
    if is_there:
        yield from _mode("directory", path, 0o700)
        yield from _opened(place)


def _sqlite() -> Iterator[Finding]:
    try:
        with lifelong.open(lifelong.engine.IN_MEMORY) as engine:
            described = engine.describe()
        yield Finding("SQLite", f"{described['sqlite']} (apsw {described['apsw']})")
    except lifelong.LifelongError as error:
        yield _wrong("SQLite", error)


def _key() -> Iterator[Finding]:
    try:
        source = lifelong.engine.key_source(None)
    except lifelong.LifelongError as error:
        yield _wrong("key", error)
        return
    if source.file is None:
        yield Finding("key", "in the keyring" if source.key is None else "in LIFELONG_KEY")
    elif not source.file.exists():
        yield Finding("key", f"{source.file} (not made yet)")
    else:
        yield from _mode("key", source.file, 0o600)


def _mode(name: str, path: Path, wanted: int) -> Iterator[Finding]:
    """Say whether others than the owner may use a file or directory."""
    mode = path.stat().st_mode & 0o777
    value = f"{path} (mode {mode:o})"
    if os.name == "posix" and mode & _OTHERS:
        yield Finding(name, value, WRONG, f"others can read it; run: chmod {wanted:o} '{path}'")
    else:
        yield Finding(name, value)


def _disk(path: Path) -> Iterator[Finding]:
    there = next(each for each in (path, *path.parents) if each.exists())
    yield Finding("file system", _file_system(there))
    free = shutil.disk_usage(there).free
    space = Finding("free space", f"{free // _MIB:,} MiB")
    if free < _FREE_BYTES_MIN:
        space = Finding(space.name, space.value, WARNING, "little is left; free some")
    yield space
    yield _written(there)


def _file_system(path: Path) -> str:
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return "unknown"
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    rows = [line.split() for line in mounts]
    return next((row[row.index("-") + 1] for row in rows if row[2] == number), "unknown")


def _written(folder: Path) -> Finding:
    from tempfile import TemporaryFile

    try:
        with TemporaryFile(dir=folder) as stream:
            stream.write(b"lifelong")
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        remedy = f"give this user permission to write to {folder}, or pass --store"
        return Finding("writing", f"{folder}: {error.strerror}", WRONG, remedy)
    return Finding("writing", f"{folder} can be written")


def _opened(place: Place) -> Iterator[Finding]:
    try:
        with place.engine() as engine:
            described = engine.describe()
            owners = engine.owners()
            owner = engine.owner(place.owner_id())
            stats = owner.stats()
    except lifelong.LifelongError as error:
        yield _wrong("opening", error)
        return
    yield Finding("opening", f"it opens (schema {described['schema']})")
    if described["encryption"] == "on":
        yield Finding("encryption", f"on, key: {described['key_source']}")
    else:
        remedy = "whoever reads the disk reads it all; export, and import into a new store"
        yield Finding("encryption", "OFF", WARNING, remedy)
    yield Finding("owners", f"{len(owners):,}")
    held = (
        f"{counted(stats['message'], 'message')}, {counted(stats['memory'], 'memory', 'memories')}"
    )
    yield Finding("owner", f"{owner.id}: {held}, {stats['bytes'] / _MIB:,.1f} MiB")


def _wrong(name: str, error: lifelong.LifelongError) -> Finding:
    return Finding(
        name,
        error.detail or type(error).__name__,
        WRONG,
        " ".join((type(error).__doc__ or "").split()),
    )
