"""What keys and backups are told by: values that hold no key and no content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

RESTORED = "restored"
SAME = "same"
KEPT = "kept"
UNREADABLE = "unreadable"
FORGOTTEN = "forgotten"
DAMAGED = "damaged"
GOOD = "good"
OUTCOMES = (RESTORED, SAME, KEPT, UNREADABLE, FORGOTTEN, DAMAGED, GOOD)
"""What became of one owner in a backup: put in place; in place already; left, because the store has
this owner and nothing said to replace it; not to be opened, because its key is in no place that was
looked at; not put back, because it was forgotten since, and its key destroyed; not as it was made;
or, in a drill, whole."""


@dataclass(frozen=True, slots=True)
class KeyStatus:
    """Where the master key of a store is, and whether it opens it.

    Attributes:
        place: in words: a file, the keyring, or that it was given.
        file: of the key; empty for the rest.
        mode: permissions of that file, as digits; empty without one.
        check: how the key of the store is recognised; empty when it has none.
        is_encrypted: whether the store is; None when there is no store.
        opens: whether the key opens the store.
        problem: why not, with the remedy; empty when it does.
        owners: how many there are; None when the store does not open.
        older: files beside it that hold keys of before, for other stores and older backups of keys.
    """

    place: str
    file: str
    mode: str
    check: str
    is_encrypted: bool | None
    opens: bool
    problem: str
    owners: int | None
    older: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BackedUp:
    """One owner's file in a backup.

    Attributes:
        name: of the file.
        size: in bytes.
        sha256: of its bytes.
        key_id: as receipts call the key that it is encrypted with; empty without encryption.
        digest: of its rows, made with that key.
        counts: rows by table.
        owner_id: whose; None in an encrypted backup, which tells it only to who has the keys.
    """

    name: str
    size: int
    sha256: str
    key_id: str
    digest: str
    counts: Mapping[str, int]
    owner_id: str | None = None


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made, or read.

    Attributes:
        path: where it lies.
        made_at: when it was begun; each owner's file is of one moment after that.
        is_encrypted: whether the files are, each with its owner's key, which is not in the backup.
        files: one for each owner.
        problems: owners whose file could not be copied, in words without their ids.
    """

    path: str
    made_at: datetime
    is_encrypted: bool
    files: tuple[BackedUp, ...]
    problems: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """All bytes."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, slots=True)
class RestoredOwner:
    """What became of one owner of a backup.

    Attributes:
        file: its name in the backup.
        owner_id: whose; None where no key tells it.
        outcome: one of `OUTCOMES`.
        detail: more about it; empty when there is nothing to say.
        counts: rows by table of what is in the backup.
        erased: how many memories and messages of it were forgotten since, and erased again.
    """

    file: str
    owner_id: str | None
    outcome: str
    detail: str = ""
    counts: Mapping[str, int] | None = None
    erased: int = 0


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore or a drill did.

    Attributes:
        backup: that was read.
        owners: one by one.
        is_drill: whether nothing was put in place.
    """

    backup: Backup
    owners: tuple[RestoredOwner, ...]
    is_drill: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether every owner whose key is left is in place, or would be; and the backup is."""
        bad = {DAMAGED, KEPT}
        return not self.backup.problems and not any(o.outcome in bad for o in self.owners)

    def count(self, outcome: str) -> int:
        """Return how many owners had this outcome."""
        return sum(owner.outcome == outcome for owner in self.owners)


@dataclass(frozen=True, slots=True)
class StillThere:
    """What a file out of a backup holds although it was forgotten since.

    Attributes:
        memories: ids.
        messages: of each the id of its session and its own.
        states: names of values.
        files: paths.
    """

    memories: tuple[str, ...] = ()
    messages: tuple[tuple[str, str], ...] = ()
    states: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
