"""Where the master key of a data directory is, and whether it opens it: nothing is made."""

from __future__ import annotations

from pathlib import Path

from lifelong.errors import LifelongError
from lifelong.ports import Clock
from lifelong.rows.keeping import KeyStatus
from lifelong.stores.sqlite import keys
from lifelong.stores.sqlite.catalogue import actual_source
from lifelong.stores.sqlite.directory import mapped_os_errors, open_files
from lifelong.stores.sqlite.keys import KeySource
from lifelong.stores.sqlite.marker import Marker, read_marker

_NO_STORE = "there is no store; the first use makes one"


def key_status(path: Path, source: KeySource, *, clock: Clock) -> KeyStatus:
    """Return where the key is and whether it opens the store; what goes wrong is part of it.

    Args:
        path: the data directory.
        source: where the key is to be looked for.
        clock: for opening.
    """
    marker, problem, owners = None, "", None
    try:
        with mapped_os_errors(path):
            marker = read_marker(path) if path.exists() else None
        if marker is None:
            problem = _NO_STORE
        else:
            owners = _count_owners(path, source, clock)
    except LifelongError as error:
        problem = str(error)
    return _told(marker, source, problem=problem, owners=owners)


def _count_owners(path: Path, source: KeySource, clock: Clock) -> int:
    files = open_files(path, source, clock=clock)
    try:
        return len(files.owners())
    finally:
        files.close()


def _told(
    marker: Marker | None, source: KeySource, *, problem: str, owners: int | None
) -> KeyStatus:
    is_plain = marker is not None and not marker.is_encrypted
    actual = actual_source(marker, source) if marker else source
    file = None if is_plain else actual.file
    try:
        mode = f"{file.stat().st_mode & 0o777:o}" if file else ""
        older = sorted(file.parent.glob(f"{file.name}.*")) if file else []
    except OSError:  # it is not there, or not for us
        mode, older = "", []
    return KeyStatus(
        place="none: the store is not encrypted" if is_plain else keys.place_of(actual),
        file=str(file or ""),
        mode=mode,
        check=marker.key_check if marker else "",
        is_encrypted=marker.is_encrypted if marker else None,
        opens=not problem,
        problem=problem,
        owners=owners,
        older=tuple(str(each) for each in older),
    )
