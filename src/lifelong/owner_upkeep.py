"""The verbs that keep an owner's data true and small, and give it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from lifelong import log
from lifelong.fade import Faded, fade
from lifelong.memory import remember as remembering
from lifelong.memory.export import export
from lifelong.memory.fading import BELOW_DEFAULT, UNUSED_DAYS_DEFAULT
from lifelong.memory.remember import Rules
from lifelong.memory.use_notes import UseNotes
from lifelong.ports import Clock, OwnerStore
from lifelong.records import CheckReport
from lifelong.rescan import Rescanned, rescan
from lifelong.rows import Erased
from lifelong.states import read_state, write_state
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
        forget_owner: Callable[[], Erased],
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
        self._forget_owner = forget_owner

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

    def export(self) -> Iterator[str]:
        """Yield everything of this owner as lines of JSON."""
        return export(self._store, self._clock, self.id)

    def stats(self) -> dict[str, int]:
        """Return the number of rows by table, and ``bytes`` on disk."""
        return self._store.upkeep.counts()

    def check(self) -> CheckReport:
        """Compare what is canonical with what is derived from it; nothing is changed."""
        report = self._store.upkeep.check()
        problems = (*report.problems, *islice(log.unreadable(self._store.log), _PROBLEMS_MAX))
        return CheckReport(report.counts, problems)

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
            self._store, self._clock, below=below, unused_days=unused_days, is_dry_run=dry_run
        )
        if not dry_run:
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
