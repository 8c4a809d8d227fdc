"""What lies in directories: every name, links not followed, and why something cannot be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Stamp = tuple[int, ...]
"""Changes when a file changes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One name.

    Attributes:
        path: of the file.
        name: from the path on that the scan began with; it is searched too.
        stamp: of the file as it was listed.
        size: in bytes.
        target: of a link.
        reason: why it cannot be read; empty when it can.
    """

    path: Path
    name: str
    stamp: Stamp
    size: int = 0
    target: str = ""
    reason: str = ""


def walk(paths: Sequence[Path]) -> Iterator[Entry]:
    """Yield every file below the paths, each once; a path that is a link itself is followed."""
    roots = [path.resolve() for path in paths]
    seen: set[Path] = set()
    for root in roots:
        for entry in _below(root, root, roots):
            if entry.path not in seen:
                seen.add(entry.path)
                yield entry


def _below(path: Path, root: Path, roots: Sequence[Path]) -> Iterator[Entry]:
    name = str(path.relative_to(root)) if path != root else path.name
    try:
        found = path.lstat()
    except OSError:
        return  # it went between being listed and being looked at
    stamp = (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    if stat.S_ISDIR(found.st_mode):
        yield from _inside(path, root, roots, stamp)
    elif stat.S_ISLNK(found.st_mode):
        yield _link(path, name, stamp, roots)
    elif stat.S_ISREG(found.st_mode):
        yield Entry(path, name, stamp, found.st_size)
    elif stat.S_ISCHR(found.st_mode) or stat.S_ISBLK(found.st_mode):
        yield Entry(path, name, stamp, reason="it is a device, which is not read")
    else:
        yield Entry(path, name, stamp)  # a pipe or a socket keeps nothing


def _inside(path: Path, root: Path, roots: Sequence[Path], stamp: Stamp) -> Iterator[Entry]:
    name = str(path.relative_to(root)) if path != root else ""
    try:
        below = sorted(path.iterdir())
    except FileNotFoundError:
        return
    except OSError as error:
        yield Entry(path, name, stamp[:1], reason=f"the directory cannot be read: {error.strerror}")
        return
    if not below:
        yield Entry(path, name, stamp[:1])  # the name of one that is not empty is in those below
    for each in below:
        yield from _below(each, root, roots)


def _link(path: Path, name: str, stamp: Stamp, roots: Sequence[Path]) -> Entry:
    """Return a link; what it leads to is scanned only where that lies below a path of the scan."""
    try:
        target = os.readlink(path)  # noqa: PTH115 - the text as it is kept
        leads_to = path.resolve(strict=True)
    except FileNotFoundError:
        return Entry(path, name, stamp)
    except (OSError, RuntimeError):
        return Entry(path, name, stamp, reason="it is a link that leads nowhere")
    if any(leads_to.is_relative_to(root) for root in roots):
        return Entry(path, name, stamp, target=target)
    reason = "it is a link, which is not followed; name what it leads to"
    return Entry(path, name, stamp, target=target, reason=reason)
