"""The scan of one file: in clear where that can be had, and what keeps anything from being proven.

What looks neither like text nor like a database may be encrypted or compressed by anybody; then
not finding a text in it proves nothing.
"""

from __future__ import annotations

import math
import os
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from lifelong.needles import Match, Needle, Search
from lifelong.ports.raw import RawFile, RawFiles
from lifelong.rows.raw import Layout
from lifelong.scan.packed import Damaged, is_packed, sealed, unpacked
from lifelong.scan.walk import Entry
from lifelong.scanned import Occurrence, ScannedFile, Verdict

SAMPLE_BYTES = 16 * 1024
"""Of each piece, so many bytes are looked at to tell whether it is random."""

_SAMPLE_MIN = 1024
_BITS_BELOW_RANDOM = 0.06
"""Random bytes have that much less than 8 bits each at most, beyond what the size explains; text
has 4 to 5, machine code 6, and pictures and music are as dense as what is encrypted."""

_NO_KEY = "it is encrypted, and no key here opens it"
_DENSE = "part of it looks encrypted or compressed"


def scan_file(files: RawFiles, entry: Entry, needles: Sequence[Needle]) -> ScannedFile | None:
    """Return what is in one file; None when it is not there any more.

    Args:
        files: opens it.
        entry: as it was listed.
        needles: what to look for, in it and in its name.
    """
    named = list(_in_names(entry, needles))
    reasons = [entry.reason] if entry.reason else []
    found: list[Occurrence] = []
    is_decrypted = False
    if not reasons and not entry.target and entry.size:
        try:
            if not stat.S_ISREG(entry.path.lstat().st_mode):
                return None
            file = files.open(str(entry.path))
        except FileNotFoundError:
            return None
        except OSError as error:
            reasons.append(f"it cannot be read: {error.strerror}")
        else:
            try:
                found, reasons = _read(file, needles)
                is_decrypted = file.is_decrypted
            except OSError as error:
                reasons.append(f"it cannot be read: {error.strerror}")
            finally:
                file.close()
    occurrences = _joined([*named, *found])
    verdict = Verdict.NOT_PROVEN if reasons else Verdict.NOT_FOUND
    if any(each.is_whole for each in occurrences):
        verdict = Verdict.FOUND
    return ScannedFile(
        str(entry.path), entry.size, verdict, occurrences, tuple(reasons), is_decrypted
    )


def _joined(occurrences: Iterable[Occurrence]) -> tuple[Occurrence, ...]:
    """Return one for each encoding, with the place of the first."""
    joined: dict[str, Occurrence] = {}
    for each in occurrences:
        there = joined.get(each.encoding)
        if there is None:
            joined[each.encoding] = each
        else:
            first = min(there, each, key=lambda one: one.offset or 0)
            joined[each.encoding] = replace(first, count=there.count + each.count)
    return tuple(joined.values())


def _in_names(entry: Entry, needles: Sequence[Needle]) -> Iterator[Occurrence]:
    """Yield what the names themselves give away: of the file, and of what a link leads to."""
    for name, where in ((entry.name, "in its name"), (entry.target, "in what it leads to")):
        search = Search(needles)
        search.feed(os.fsencode(name))
        for match in search.finish():
            encoding = f"{match.needle.encoding}, {where}"
            yield Occurrence(encoding, match.count, is_whole=match.needle.is_whole)


def _read(file: RawFile, needles: Sequence[Needle]) -> tuple[list[Occurrence], list[str]]:
    """Return what is in an open file, and why that may not be all."""
    search, size, is_dense = Search(needles, file.layout), 0, False
    is_text = file.layout is None or file.layout.before > 0  # a WAL has nothing to know it by
    for piece in file.pieces():
        search.feed(piece)
        size += len(piece)
        is_dense |= is_text and not file.is_decrypted and looks_random(piece[:SAMPLE_BYTES])
    found = [_occurrence(match, file.layout) for match in search.finish()]
    head = file.read(SAMPLE_BYTES, 0)
    reasons = []
    if is_packed(head):
        is_dense = False
        reasons += _unpack(file, needles, found)
    if file.is_locked:
        reasons.append(_NO_KEY)
    elif way := sealed(head):
        reasons.append(f"it is {way}")
    elif is_dense:
        reasons.append(_DENSE)
    if file.unreadable:
        reasons.append(f"its key does not open {file.unreadable} of its pages")
    if size < file.size:
        reasons.append("it became shorter while it was read")
    return found, reasons


def _unpack(file: RawFile, needles: Sequence[Needle], found: list[Occurrence]) -> list[str]:
    """Add what is packed in a file to what was found; return why that may not be all."""
    search, reasons, is_dense = Search(needles), [], False
    try:
        for piece in unpacked(file):
            search.feed(piece)
            is_dense |= looks_random(piece[:SAMPLE_BYTES])
    except Damaged as error:
        reasons.append(str(error))
    for match in search.finish():
        encoding = f"{match.needle.encoding}, unpacked"
        found.append(Occurrence(encoding, match.count, is_whole=match.needle.is_whole))
    return [*reasons, f"what is packed in it: {_DENSE}"] if is_dense else reasons


def _occurrence(match: Match, layout: Layout | None) -> Occurrence:
    place = layout.place(match.offset) if layout else None
    encoding = f"{match.needle.encoding}, cut by the end of a page"
    return Occurrence(
        encoding if match.is_cut else match.needle.encoding,
        match.count,
        match.offset,
        place[0] if place else None,
        is_whole=match.needle.is_whole,
    )


def looks_random(sample: bytes) -> bool:
    """Tell whether bytes are as even as those of a cipher; False for too few to tell."""
    size = len(sample)
    if size < _SAMPLE_MIN:
        return False
    bits = -sum(n / size * math.log2(n / size) for n in Counter(sample).values())
    explained = 255 / (2 * size * math.log(2))  # so much less has a sample of random bytes
    return bits > 8 - explained - _BITS_BELOW_RANDOM
