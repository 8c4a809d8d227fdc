"""The verbs that keep an owner's data true and small, and give it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from os import PathLike
from typing import IO, Any

from lifelong import log
from lifelong.export_files import write_export
from lifelong.fade import Faded, fade
from lifelong.files import Files
from lifelong.forgetting import Receipt, Swept
from lifelong.integrity import Verified
from lifelong.memory import remember as remembering
from lifelong.memory.export import export
from lifelong.memory.fading import BELOW_DEFAULT, UNUSED_DAYS_DEFAULT
from lifelong.memory.remember import Rules
from lifelong.memory.use_notes import UseNotes
from lifelong.ports import Clock, OwnerStore
from lifelong.receipts import SignedReceipts
from lifelong.records import CheckReport
from lifelong.rescan import Rescanned, rescan
from lifelong.retention import Retention
from lifelong.states import read_state, write_state
from lifelong.sweep import sweep
from lifelong.vector_search import VectorSearch

_PROBLEMS_MAX = 100


class OwnerUpkeep:
    """What an `Owner` is made of, and the verbs that are not about one memory or session.

    Attributes:
        id: of the owner.
    """

    def __init__(
        self,
        store: OwnerStore,
        clock: Clock,
        *,
        owner_id: str,
        receipts: SignedReceipts,
        vectors: VectorSearch,
        rules: Rules,
        uses: UseNotes,
    ) -> None:
        self.id = owner_id
        self._uses = uses
        self._rules = rules
        self._vectors = vectors
        self._store = store
        self._clock = clock
        self._receipts = receipts

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value kept under `name`, or `default`.

        Raises:
            InvalidName: the name cannot be one.
            StoreCorrupt: what is kept there was damaged.
        """
        return read_state(self._store.states, name, default)

    def set(self, name: str, value: Any) -> None:
        """Keep a JSON value under `name`, secrets redacted; None removes it.

        Raises:
            InvalidName: the name cannot be one.
            InvalidValue: it is no JSON value.
            TextTooLarge: over 32 MiB.
        """
        screening = self._rules.screening
        write_state(self._store.states, self._clock, name=name, value=value, screening=screening)

    def states(self) -> list[str]:
        """Return the names that hold a value, sorted."""
        return self._store.states.names()

    @property
    def files(self) -> Files:
        """File memory: what stands below ``/memories``."""
        return Files(self._store, self._clock, self._rules)

    def export(self) -> Iterator[str]:
        """Yield everything of this owner as lines of JSON."""
        return export(self._store, self._clock, self.id)

    def export_to(
        self,
        target: str | PathLike[str] | IO[bytes],
        *,
        recipients: Sequence[str] = (),
        passphrase: str | None = None,
    ) -> int:
        """Write everything of this owner into a file; return the number of lines.

        Args:
            target: a path, where the file appears whole or not at all, mode 0600; or a stream.
            recipients: who can read it, each a recipient of age (``age1…``) or an SSH key; it is
                not encrypted when there is none.
            passphrase: that opens it, in place of recipients.

        Raises:
            InvalidValue: a recipient cannot be one; or both are given.
            MissingExtra: it is to be encrypted, and pyrage is not installed.
            OSError: the file could not be written; what was there before still is.
        """
        return write_export(target, self.export(), recipients=recipients, passphrase=passphrase)

    def stats(self) -> dict[str, int]:
        """Return the number of rows by table, and ``bytes`` on disk."""
        return self._store.upkeep.counts()

    def check(self) -> CheckReport:
        """Compare what is canonical with what is derived from it; nothing is changed."""
        report = self._store.upkeep.check()
        problems = (*report.problems, *islice(log.unreadable(self._store.log), _PROBLEMS_MAX))
        return CheckReport(report.counts, problems)

    def verify(
        self,
        anchor: str | None = None,
        *,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Verified:
        """Find what was changed behind the engine: edits, deletions, reordering, rows put in.

        Args:
            anchor: the `Verified.head` of an earlier time, noted outside of the store: then it is
                also found when the whole file was put back to an older state.
            on_progress: called with how many entries and rows are done, of how many.

        Raises:
            InvalidValue: the anchor is no head.
        """
        tell = on_progress or (lambda _done, _total: None)
        return self._store.chain.verify(anchor, tell)

    def reindex(
        self, on_progress: Callable[[int, int], None] | None = None, *, words: bool = True
    ) -> int:
        """Make every derived row again, and give every text that has none its vector.

        Vectors that are of no use go: of other models, or of messages that read differently now.
        Making vectors may be broken off at any time; what was done stays done, and the background
        goes on with it.

        Args:
            on_progress: called with how many rows are done, and how many there are to do in all;
                first for the words, then for the vectors.
            words: False for the vectors alone.

        Returns:
            How many messages and memories were read; of vectors alone, how many were made.

        Raises:
            EmbedderError: the model does not answer rightly. All else is done.
        """
        tell = on_progress or (lambda _done, _total: None)
        rows = 0
        if words:
            counts = self.stats()
            total = counts["message"] + counts["memory"] + counts["memory_hidden"]
            rows = self._store.upkeep.rebuild_index(
                log.stored_entry, remembering.memory_passages, lambda done: tell(done, total)
            )
            self._vectors.drop_unfit()
        made = self._vectors.embed_pending(tell)
        return rows if words else made

    def fade(
        self,
        *,
        below: float = BELOW_DEFAULT,
        unused_days: float = UNUSED_DAYS_DEFAULT,
        dry_run: bool = True,
    ) -> Faded:
        """Let go of what is weak and was of no use for a time; at first only say what that is.

        Args:
            below: the strength under which a memory is weak, 0 to 1 (see `memory.fading`).
            unused_days: for how long it must not have been of use.
            dry_run: False removes it, as `forget` does.

        Raises:
            InvalidValue: a limit cannot be one.
        """
        self._uses.write()  # a use that was not written yet counts
        done = fade(
            self._store,
            self._clock,
            receipts=self._receipts,
            below=below,
            unused_days=unused_days,
            is_dry_run=dry_run,
        )
        if not dry_run:
            self._vectors.forgotten()
        return done

    def receipts(self) -> list[Receipt]:
        """Return what was forgotten, oldest first, also of what it was before it began anew."""
        return self._receipts.every(self._store)

    @property
    def retention(self) -> Retention:
        """What is saved, for how long, and what may not be forgotten for now."""
        return Retention(self._store, self._clock)

    def sweep(self, *, dry_run: bool = False) -> Swept:
        """Remove what expired and what retention lets be kept no longer, as `forget` does.

        It may run in many processes at once.
        """
        done = sweep(
            self._store,
            self._clock,
            receipts=self._receipts,
            owner_id=self.id,
            is_dry_run=dry_run,
        )
        if done.receipt is not None and not dry_run:
            self._vectors.forgotten()
        return done

    def rescan(self, on_progress: Callable[[int, int], None] | None = None) -> Rescanned:
        """Screen anew what was kept under other rules, log and memories; it may be broken off.

        Args:
            on_progress: called with how many rows are done, of how many at most.
        """
        done = rescan(
            self._store, self._clock, screening=self._rules.screening, on_progress=on_progress
        )
        self._vectors.wake()
        return done
