"""Controls: things whose verdict is known beforehand, scanned beside what a scan is about.

A scanner that finds nothing looks the same as one that cannot find anything. So each scan plants a
made-up word in stores of its own, encrypted and plain, and has to find it, then to find it gone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lifelong.errors import StoreError
from lifelong.needles import Needle, needles, word_needles
from lifelong.ports.raw import RawFiles
from lifelong.scan import scan_paths
from lifelong.scanned import Control, Verdict

_LETTERS = str.maketrans("0123456789abcdef", "bcdfghjklmnpqrst")
_WORD_LETTERS = 16
_FORMS = "a file with every form of the word"
_BEFORE = 1024 * 1024 - 3
"""So much stands before the first form: it goes across the border of two pieces."""

_EXPECTED = {
    "an encrypted store that holds the word": Verdict.FOUND,
    "an encrypted store without its key": Verdict.NOT_PROVEN,
    "an encrypted store that forgot the word": Verdict.NOT_FOUND,
    "a plain store that holds the word": Verdict.FOUND,
    _FORMS: Verdict.FOUND,
    "a plain store that forgot the word": Verdict.NOT_FOUND,
}


@dataclass(frozen=True, slots=True)
class Scratch:
    """A store that holds nothing of anybody.

    Attributes:
        plant: keeps a text in it, as a message, a memory and a named value.
        forget: forgets the text.
        files: its files, as a scan reads them.
        locked: the same without any key.
        close: closes it.
    """

    plant: Callable[[str], None]
    forget: Callable[[str], None]
    files: Callable[[], RawFiles]
    locked: Callable[[], RawFiles]
    close: Callable[[], None]


MakeScratch = Callable[[Path, bool], Scratch]
"""Makes one in a directory that is not there yet, encrypted or not."""


def controls(make: MakeScratch, random_id: str) -> tuple[Control, ...]:
    """Scan what is known, and return what was found beside what had to be.

    Args:
        make: makes a store.
        random_id: hexadecimal digits, from which the word is made that is planted.
    """
    word = random_id.translate(_LETTERS)[-_WORD_LETTERS:]
    found: list[Verdict] = []
    with tempfile.TemporaryDirectory(prefix="lifelong-scan-") as folder:
        for is_encrypted in (True, False):
            place = Path(folder) / str(is_encrypted)
            with suppress(OSError, StoreError):  # what is left out below shows it
                found += _of_store(make, place, word, is_encrypted=is_encrypted)
    found += [Verdict.NOT_PROVEN] * (len(_EXPECTED) - len(found))
    return tuple(
        Control(name, expected, verdict)
        for (name, expected), verdict in zip(_EXPECTED.items(), found, strict=True)
    )


def _of_store(
    make: MakeScratch, place: Path, word: str, *, is_encrypted: bool
) -> Iterator[Verdict]:
    scratch = make(place, is_encrypted)
    try:
        forms = (*needles(word), *word_needles(scratch.files().terms(word)))

        def verdict(files: RawFiles) -> Verdict:
            return max(each.verdict for each in scan_paths(files, [place], needles=forms))

        scratch.plant(word)
        yield verdict(scratch.files())
        if is_encrypted:
            yield verdict(scratch.locked())
        else:
            yield _of_forms(scratch.files(), place.with_name("forms"), word)
        scratch.forget(word)
        yield verdict(scratch.files())
    finally:
        scratch.close()


def _of_forms(files: RawFiles, file: Path, word: str) -> Verdict:
    """Scan a file that holds one form after another; each has to be found."""
    forms: tuple[Needle, ...] = (*needles(f"{word} Éclair"), *word_needles([word]))
    file.write_bytes(bytes(_BEFORE) + bytes(99).join(each.data for each in forms))
    (scanned,) = scan_paths(files, [file], needles=forms)
    seen = {each.encoding for each in scanned.occurrences}
    is_whole = seen >= {each.encoding for each in forms}
    return Verdict.FOUND if is_whole else Verdict.NOT_PROVEN
