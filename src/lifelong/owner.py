"""The handle of an owner. It holds no data and decides nothing.

A handle is the only way to an owner's data; there is no filter that could be forgotten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from os import PathLike
from typing import Any, Unpack

from lifelong import log
from lifelong.errors import NotFound, ScopeRequired, StoreCorrupt
from lifelong.memory import remember as remembering
from lifelong.memory.entry import (
    clean_limit,
    clean_name,
    clean_text,
    json_text,
)
from lifelong.memory.export import export
from lifelong.memory.forget import Scope, forget
from lifelong.memory.known import TOKENS_MAX_DEFAULT as KNOWN_TOKENS_MAX_DEFAULT
from lifelong.memory.known import known
from lifelong.memory.recall import TOKENS_MAX_DEFAULT, RecallFields, memory_filter, recall
from lifelong.memory.remember import MemoryFields
from lifelong.ports import Clock, OwnerStore
from lifelong.records import (
    CheckReport,
    Found,
    Known,
    Memory,
    MemoryVersion,
    Namespace,
    Receipt,
    Remembered,
    SessionInfo,
)
from lifelong.rows import Erased
from lifelong.session import Session
from lifelong.transcripts.importing import ImportReport, OnProgress, import_transcripts
from lifelong.vector_search import VectorSearch

_PROBLEMS_MAX = 100


class Owner:
    """One owner's log, memories and named values.

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
    ) -> None:
        self.id = owner_id
        self._vectors = vectors
        self._store = store
        self._clock = clock
        self._forget_owner = forget_owner

    def session(self, session_id: str | None = None) -> Session:
        """Return the session with this id; without one, a new session with an unguessable id.

        Raises:
            InvalidName: the id cannot be one.
        """
        if session_id is None:
            session_id = self._clock.new_id("ses")
        return Session(
            self._store,
            self._clock,
            session_id=clean_name(session_id, "session id"),
            vectors=self._vectors,
        )

    def sessions(self) -> list[SessionInfo]:
        """Return the sessions that hold messages, the one last appended to first."""
        return self._store.log.sessions()

    def import_transcripts(
        self, source: str, path: str | PathLike[str], on_progress: OnProgress | None = None
    ) -> ImportReport:
        """Read a file or a folder of another tool's transcripts into the log.

        A second import of the same files adds nothing, and nothing that was forgotten comes back.

        Args:
            source: one of `lifelong.SOURCES`.
            path: a file or a folder.
            on_progress: called with bytes read, bytes in all, and the file's name.

        Raises:
            InvalidValue: there is no such source.
            TranscriptError: there is nothing at `path`.
        """
        report = import_transcripts(
            self._store.log, self._clock, source=source, path=path, on_progress=on_progress
        )
        self._vectors.wake()
        return report

    def remember(self, text: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store one memory; see `MemoryFields` for what can be said of it.

        The same text in the same namespace is stored once, case and white space put aside.

        Raises:
            InputError: one of its kinds, before anything is written.
            NotFound: a parent, or a memory to be superseded, is not there.
        """
        done = remembering.remember(self._store.memories, self._clock, text=text, fields=fields)
        self._vectors.wake()
        return done

    def update(
        self, memory_id: str, text: str | None = None, **fields: Unpack[MemoryFields]
    ) -> Memory:
        """Change a live memory; what is not named stays, and metadata is merged key by key.

        Only `kind`, `importance`, `metadata`, `valid_from`, `valid_to` and `expires_at` change.

        Raises:
            InputError: one of its kinds, before anything is written.
            NotFound: it is not there, or not live.
        """
        changed = remembering.update(
            self._store.memories, self._clock, memory_id=memory_id, text=text, fields=fields
        )
        self._vectors.wake()
        return changed

    def memory(self, memory_id: str, *, include_superseded: bool = False) -> Memory:
        """Return one memory.

        Raises:
            NotFound: it is not there, or not live.
        """
        which = memory_filter(self._clock, {"include_superseded": include_superseded})
        found = self._store.memories.get(clean_name(memory_id, "memory id"), which)
        if found is None:
            raise NotFound(memory_id)
        return found

    def memories(self, limit: int | None = None, **fields: Unpack[RecallFields]) -> list[Memory]:
        """Return memories in the order of recording; with a limit, the newest so many."""
        which = memory_filter(self._clock, fields)
        return self._store.memories.select(which, clean_limit(limit))

    def namespaces(self) -> list[Namespace]:
        """Return the namespaces that hold live memories, sorted."""
        return sorted({memory.namespace for memory in self.memories()})

    def history(self, memory_id: str) -> list[MemoryVersion]:
        """Return what a memory was, change by change, oldest first; [] when it is not there."""
        which = memory_filter(self._clock, {"include_superseded": True})
        if self._store.memories.get(clean_name(memory_id, "memory id"), which) is None:
            return []
        return self._store.memories.history(memory_id)

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        tokens_max: int = TOKENS_MAX_DEFAULT,
        **fields: Unpack[RecallFields],
    ) -> Found:
        """Return what the question may mean, from log and memories; see `RecallFields`.

        Args:
            query: in the user's words; no query language.
            limit: hits at most; None for as many as fit.
            tokens_max: the budget for `Found.text`, in estimated tokens.
            **fields: what narrows it.

        Raises:
            InputError: a limit or field cannot be one.
        """
        return recall(
            self._store,
            self._clock,
            query=query,
            limits=(limit, tokens_max),
            fields=fields,
            vectors=self._vectors,
        )

    def known(self, tokens_max: int = KNOWN_TOKENS_MAX_DEFAULT) -> Known:
        """Return the standing memories as a block that opens a new conversation."""
        clean_limit(tokens_max, "tokens_max")
        return known(self._store.memories, self._clock, tokens_max)

    def forget(
        self,
        id: str | None = None,
        *,
        session: str | None = None,
        match: str | None = None,
        everything: bool = False,
        dry_run: bool = False,
    ) -> Receipt:
        """Remove memories and messages, and what was made from them.

        Args:
            id: of a memory or a message; with `session`, of a message in it.
            session: all messages of this session.
            match: all memories and messages whose text holds this text.
            everything: all of this owner: the file goes, and its key.
            dry_run: count, and change nothing.

        Raises:
            ScopeRequired: nothing says what to forget.
            AmbiguousId: messages of several sessions have the id.
        """
        scope = Scope(
            None if id is None else clean_name(id, "id"),
            None if session is None else clean_name(session, "session id"),
            None if match is None else clean_text(match, "match"),
        )
        if not everything:
            receipt = forget(self._store, self._clock, scope=scope, is_dry_run=dry_run)
            self._vectors.forgotten()
            return receipt
        if scope != Scope():
            raise ScopeRequired("everything=True goes with no other scope")
        receipt_id, now = self._clock.new_id("rcp"), self._clock.now()
        if dry_run:
            counts = {name: n for name, n in self.stats().items() if name != "bytes"}
            return Receipt(receipt_id, now, "everything", counts, is_dry_run=True)
        erased = self._forget_owner()
        self._vectors.forgotten(everything=True)
        return Receipt(receipt_id, now, "everything", erased.counts, is_pending=erased.is_pending)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value kept under `name`, or `default`.

        Raises:
            InvalidName: the name cannot be one.
            StoreCorrupt: what is kept there was damaged.
        """
        text = self._store.states.get(clean_name(name, "state name"))
        if text is None:
            return default
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise StoreCorrupt(f"state {name!r} ({error})") from error

    def set(self, name: str, value: Any) -> None:
        """Keep a JSON value under `name`; None removes it.

        Raises:
            InvalidName: the name cannot be one.
            InvalidValue: it is no JSON value.
            TextTooLarge: over 32 MiB.
        """
        clean_name(name, "state name")
        text = None if value is None else json_text(value, f"state {name!r}")
        self._store.states.set(name, text, self._clock.now())

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
