"""Slack: what SQLite leaves between the rows of a page, though it overwrites what is deleted.

When rows are shared out anew among pages, a page may keep bytes of one that went to another page,
in the gap between its list of rows and the rows. There they are no row's, so that no deletion
overwrites them: of some thousand rows that were deleted one by one, about one left a part. Only
VACUUM, which makes every page anew, takes them away; so it is worth knowing whether one has to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lifelong.needles import word_needles
from lifelong.stores.sqlite.pages import PAGE_BYTES
from lifelong.stores.sqlite.raw import SqliteRawFile

SHARED_MIN = 8
"""So many bytes in a row of what was deleted are too many for chance."""

_FILE_HEADER = 100
_HEADER_OF = {2: 12, 5: 12, 10: 8, 13: 8}
"""How long the header of a page is that holds rows or keys, by the page's first byte."""


def slack_of(path: Path, key: bytes | None) -> bytes:
    """Return all that stands in gaps of a database, as far as it is in the file and not in a WAL.

    Raises:
        OSError: the file cannot be read.
    """
    file = SqliteRawFile(path, [(path.name, key)] if key else [])
    try:
        found: list[bytes] = []
        number = 0
        for piece in file.pieces():
            for start in range(0, len(piece), PAGE_BYTES):
                found += gaps(piece[start : start + PAGE_BYTES], is_first=number == 0)
                number += 1
        return b"\0".join(found)
    finally:
        file.close()


def gaps(page: bytes, *, is_first: bool = False) -> Iterator[bytes]:
    """Yield what stands between the list of rows of a page and its rows, if anything does."""
    header = _FILE_HEADER if is_first else 0
    length = _HEADER_OF.get(page[header]) if len(page) > header else None
    if length is None:
        return
    rows = int.from_bytes(page[header + 3 : header + 5], "big")
    content = int.from_bytes(page[header + 5 : header + 7], "big") or len(page)
    gap = page[header + length + 2 * rows : content].strip(b"\0")
    if gap:
        yield gap


def is_in_slack(
    slack: bytes, *, texts: Iterable[str], terms: Iterable[str], blobs: Iterable[bytes]
) -> bool:
    """Tell whether anything of what was deleted stands in gaps.

    Args:
        slack: as `slack_of` returns it.
        texts: that were deleted, from any column.
        terms: of those that a full-text index held, as its tokenizer makes them.
        blobs: vectors and hashes that were deleted.
    """
    lowered = slack.lower()
    windows = {lowered[at : at + SHARED_MIN] for at in range(len(lowered) - SHARED_MIN + 1)}
    deleted = [*(text.encode("utf-8", "surrogatepass") for text in texts), *blobs]
    return any(
        data[at : at + SHARED_MIN] in windows
        for data in map(bytes.lower, deleted)
        for at in range(len(data) - SHARED_MIN + 1)
    ) or any(form.data in lowered for term in terms for form in word_needles([term]))
