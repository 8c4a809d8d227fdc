"""What a scan of bytes found: where, in which encoding, and how far it can be relied on.

Nothing here holds the text that was looked for, nor what stands around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Verdict(IntEnum):
    """What can be said of a file; the worst of all files is that of a scan."""

    NOT_FOUND = 0
    NOT_PROVEN = 1
    FOUND = 2

    @property
    def words(self) -> str:
        """The verdict as a person reads it."""
        return self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One form of the text in one file.

    Attributes:
        encoding: the form.
        count: how often it is there.
        offset: of the first, in bytes from the beginning of the file; None where it stands in no
            place of its own, as in a file's name.
        page: that it is on, in a database; in a WAL, its frame; None in other files.
        is_whole: False for one word of a text of several, which other texts may hold as well: it
            does not decide.
    """

    encoding: str
    count: int
    offset: int | None = None
    page: int | None = None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """What a scan says of one file.

    Attributes:
        path: of the file.
        size: in bytes.
        verdict: of this file.
        occurrences: what was found in it.
        reasons: why nothing is proven; empty when all of it was read in clear.
        is_decrypted: whether it is encrypted and was read with its key.
    """

    path: str
    size: int
    verdict: Verdict
    occurrences: tuple[Occurrence, ...] = ()
    reasons: tuple[str, ...] = ()
    is_decrypted: bool = False


@dataclass(frozen=True, slots=True)
class Control:
    """A thing whose verdict is known beforehand: it shows that the scanner works.

    Attributes:
        name: what was scanned.
        expected: what it has to say.
        found: what it said.
    """

    name: str
    expected: Verdict
    found: Verdict

    @property
    def has_passed(self) -> bool:
        """Whether it said what it has to."""
        return self.expected == self.found


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan says of a deployment.

    Attributes:
        files: every file that was looked at, by path.
        controls: what the scanner said of things that are known.
        encodings: the forms that were looked for.
        reasons: why nothing is proven, where no single file is to blame.
    """

    files: tuple[ScannedFile, ...]
    controls: tuple[Control, ...]
    encodings: tuple[str, ...]
    reasons: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst of all; NOT_PROVEN also when a control failed."""
        verdicts = [each.verdict for each in self.files]
        if self.reasons or not all(each.has_passed for each in self.controls):
            verdicts.append(Verdict.NOT_PROVEN)
        return max(verdicts, default=Verdict.NOT_PROVEN)

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(each.size for each in self.files)
