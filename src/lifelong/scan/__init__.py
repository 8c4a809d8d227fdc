"""The scan: every file of a deployment is read as bytes, and its verdict is the worst of all.

Files come, change and go while they are read. So rounds are made until one finds every file as it
was when it was scanned; what never stays the same is not proven.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lifelong.needles import Needle
from lifelong.ports.raw import RawFiles
from lifelong.scan.file import scan_file
from lifelong.scan.walk import Entry, Stamp, walk
from lifelong.scanned import ScannedFile, Verdict

__all__ = ["OnProgress", "scan_paths"]

ROUNDS_MAX = 4
_WAL_INDEX = "-shm"
"""Readers write into it all the time: numbers of pages, and nothing else."""

OnProgress = Callable[[int, int, str], None]
"""Called with how many bytes are done, of how many, and with the file that is read."""


Known = dict[Path, tuple[Stamp, ScannedFile]]


def scan_paths(
    files: RawFiles,
    paths: Sequence[Path],
    *,
    needles: Sequence[Needle],
    on_progress: OnProgress | None = None,
) -> tuple[ScannedFile, ...]:
    """Scan files, and all that lies in directories; return the verdict of each, by path."""
    known: Known = {}
    for _ in range(ROUNDS_MAX):
        entries = list(walk(paths))
        fresh = [entry for entry in entries if not _is_known(entry, known)]
        known = {entry.path: known[entry.path] for entry in entries if entry.path in known}
        if not fresh:
            break
        known.update(_scanned(files, fresh, needles, on_progress=on_progress))
    else:
        changed = [entry for entry in walk(paths) if not _is_known(entry, known)]
        known.update({entry.path: (entry.stamp, _changed(entry, known)) for entry in changed})
    return tuple(scanned for _, scanned in sorted(known.values(), key=lambda each: each[1].path))


def _scanned(
    files: RawFiles,
    entries: Sequence[Entry],
    needles: Sequence[Needle],
    *,
    on_progress: OnProgress | None,
) -> Known:
    """Return what is in files as they were listed; what is not there any more is left out."""
    tell = on_progress or (lambda _done, _total, _name: None)
    done, total, found = 0, sum(entry.size for entry in entries), {}
    for entry in entries:
        tell(done, total, str(entry.path))
        scanned = scan_file(files, entry, needles)
        if scanned:
            found[entry.path] = entry.stamp, scanned
        done += entry.size
        tell(done, total, str(entry.path))
    return found


def _is_known(entry: Entry, known: Known) -> bool:
    if entry.path not in known:
        return False
    return known[entry.path][0] == entry.stamp or entry.path.name.endswith(_WAL_INDEX)


def _changed(entry: Entry, known: Known) -> ScannedFile:
    reason = "it changes while it is read; scan again when nobody writes"
    there = known.get(entry.path)
    if there is None:
        return ScannedFile(str(entry.path), entry.size, Verdict.NOT_PROVEN, reasons=(reason,))
    scanned = there[1]
    verdict = max(scanned.verdict, Verdict.NOT_PROVEN)
    return replace(scanned, verdict=verdict, reasons=(*scanned.reasons, reason))
