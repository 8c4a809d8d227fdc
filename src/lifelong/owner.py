"""The handle of an owner. It holds no data and decides nothing.

A handle is the only way to an owner's data; there is no filter that could be forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import Unpack

from lifelong.errors import NotFound
from lifelong.extracting import Extracted, Keeping, extract_sessions
from lifelong.forgetting import Receipt
from lifelong.memory import remember as remembering
from lifelong.memory.entry import (
    clean_limit,
    clean_name,
    clean_namespace,
)
from lifelong.memory.extraction import Extractor
from lifelong.memory.forget import forget, forget_everything
from lifelong.memory.forget_scope import ForgetFields, clean_scope
from lifelong.memory.known import TOKENS_MAX_DEFAULT as KNOWN_TOKENS_MAX_DEFAULT
from lifelong.memory.known import known
from lifelong.memory.recall import TOKENS_MAX_DEFAULT, RecallFields, memory_filter, recall
from lifelong.memory.remember import MemoryFields
from lifelong.owner_upkeep import OwnerUpkeep
from lifelong.records import (
    Found,
    Known,
    Memory,
    Namespace,
    SessionInfo,
)
from lifelong.restoring import restore
from lifelong.review import Review
from lifelong.session import Session
from lifelong.transcripts.files import WITH_MEMORIES, Reading, ReadingFields
from lifelong.transcripts.importing import ImportReport, OnProgress, import_transcripts
from lifelong.writing import MemoryVersion, Remembered


class Owner(OwnerUpkeep):
    """One owner's log, memories and named values.

    Attributes:
        id: of the owner.
    """

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
            screening=self._rules.screening,
            on_recall=self._note_used,
        )

    @property
    def review(self) -> Review:
        """What waits for a person: held memories, conflicts, origins, confirmations."""
        return Review(self._store, self._clock, rules=self._rules, receipts=self._receipts)

    def sessions(self) -> list[SessionInfo]:
        """Return the sessions that hold messages, the one last appended to first."""
        return self._store.log.sessions()

    def import_transcripts(
        self,
        source: str,
        path: str | PathLike[str],
        on_progress: OnProgress | None = None,
        **fields: Unpack[ReadingFields],
    ) -> ImportReport:
        """Read a file or a folder of another tool's transcripts or memories.

        A second import of the same files adds nothing, and nothing that was forgotten comes back.
        An export of our own, "lifelong", brings back all that it has. Memories are trusted only
        under a seal of this owner's key; where a person vouches for them, see `Review.restore`.

        Args:
            source: one of `lifelong.SOURCES`.
            path: a file or a folder.
            on_progress: called with bytes read, bytes in all, and the file's name.
            **fields: what opens it, and whose memories are wanted; see `ReadingFields`.

        Raises:
            InvalidValue: there is no such source.
            TranscriptError: there is nothing at `path`, or it is encrypted and cannot be opened.
            ManyUsers: the store of another tool has several users' memories, and none is named.
            MissingExtra: a package that reading it needs is not installed.
        """
        reading = Reading.of(source, path, fields)
        if source in WITH_MEMORIES:
            report = restore(
                self._store,
                self._clock,
                reading=reading,
                rules=self._rules,
                whose=self._receipts.whose(),
                on_progress=on_progress,
            )
        else:
            report = import_transcripts(
                self._store.log,
                self._clock,
                reading=reading,
                on_progress=on_progress,
                screening=self._rules.screening,
            )
        self._vectors.wake()
        return report

    def remember(self, text: str, **fields: Unpack[MemoryFields]) -> Remembered:
        """Store one memory; see `MemoryFields` for what can be said of it.

        Secrets are redacted, what reads like an instruction from outside is held back for review,
        what is known already is not stored again, and what it surely replaces is superseded. The
        result names what happened.

        Raises:
            InputError: one of its kinds, before anything is written.
            NotFound: a parent, or a memory to be superseded, is not there.
        """
        done = remembering.remember(
            self._store, self._clock, text=text, fields=fields, rules=self._rules
        )
        self._vectors.wake()
        return done

    def update(
        self, memory_id: str, text: str | None = None, **fields: Unpack[MemoryFields]
    ) -> Memory:
        """Change a live memory; what is not named stays, and metadata is merged key by key.

        Only `kind`, `importance`, `metadata`, `valid_from`, `valid_to` and `expires_at` change. An
        `origin` says whose words the change is: the memory is trusted no more than they are.

        Raises:
            InputError: one of its kinds, before anything is written.
            NotFound: it is not there, or not live.
            MemoryConflict: another live memory in its namespace has the text.
        """
        changed = remembering.update(
            self._store,
            self._clock,
            memory_id=memory_id,
            text=text,
            fields=fields,
            rules=self._rules,
        )
        self._vectors.wake()
        return changed

    def supersede(self, older_id: str, newer_id: str) -> Memory:
        """Let one memory replace another; both are there already. Returns the one that stays.

        Raises:
            NotFound: the older is not live, or nothing live stands at the newer one's end.
            SupersedeCycle: the older one replaced the newer one before.
        """
        ids = clean_name(older_id, "memory id"), clean_name(newer_id, "memory id")
        self._store.review.supersede(*ids, self._clock.now())
        return self.memory(newer_id, include_superseded=True)

    def latest(self, memory_id: str) -> Memory:
        """Return what stands today in the place of a memory: itself, or what replaced it last.

        Raises:
            NotFound: it is not there, or what replaced it is not live.
        """
        found = self._store.memories.latest(clean_name(memory_id, "memory id"))
        if found is None:
            raise NotFound(memory_id)
        return found

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

    def extract(
        self,
        session_id: str | None = None,
        *,
        extractor: Extractor | None = None,
        accept: bool = False,
        namespace: Iterable[str] = (),
        takes_assistant: bool = False,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Extracted:
        """Find what is worth keeping in what was said, each message once.

        Args:
            session_id: of one session; None for all.
            extractor: asks a model (see `lifelong.providers.extractors`); None for the rules,
                which need none.
            accept: keep what is found at once; otherwise it waits in `review` as a proposal.
            namespace: where it is kept.
            takes_assistant: whether a model may take the assistant's words too; never as the
                user's own.
            on_progress: called with how many sessions are done, and how many there are.

        Raises:
            InputError: the session's id or the namespace cannot be one.
        """
        wanted = [clean_name(session_id, "session id")] if session_id is not None else []
        done = extract_sessions(
            self._store,
            self._clock,
            sessions=wanted or [session.id for session in reversed(self.sessions())],
            extractor=extractor,
            rules=self._rules,
            keeping=Keeping(clean_namespace(namespace), accept, takes_assistant),
            on_progress=on_progress,
        )
        self._vectors.wake()
        return done

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
        found = recall(
            self._store,
            self._clock,
            query=query,
            limits=(limit, tokens_max),
            fields=fields,
            vectors=self._vectors,
        )
        self._note_used(found)
        if fields.get("generative"):
            self._uses.write()  # its score counts from the last use
        return found

    def _note_used(self, found: Found) -> None:
        """Note which memories a recall brought back, for what fades is what is of no use."""
        brought_back = [hit.id for hit in found.hits if hit.memory is not None]
        self._uses.note(self.id, brought_back, self._clock.now())

    def known(
        self, tokens_max: int = KNOWN_TOKENS_MAX_DEFAULT, *, include_untrusted: bool = False
    ) -> Known:
        """Return the standing memories as a block that opens a new conversation.

        Args:
            tokens_max: the budget for `Known.text`, in estimated tokens.
            include_untrusted: show also what came from tools and documents, inside a fence.
        """
        clean_limit(tokens_max, "tokens_max")
        return known(
            self._store.memories,
            self._clock,
            tokens_max=tokens_max,
            include_untrusted=include_untrusted,
        )

    def forget(
        self, id: str | None = None, *, dry_run: bool = False, **fields: Unpack[ForgetFields]
    ) -> Receipt:
        """Remove memories, messages and all else that is named, and what was made from it.

        Args:
            id: of a memory or a message.
            dry_run: show what would go (`Receipt.preview`), and change nothing.
            **fields: what else says what goes; see `ForgetFields`.

        Raises:
            ScopeRequired: nothing says what to forget, or things that contradict each other.
            AmbiguousId: messages of several sessions have the id.
            OnLegalHold: something of it may not go.
        """
        scope = clean_scope(id, fields)
        everything = bool(fields.get("everything"))
        if everything:
            receipt = forget_everything(self._store, self._receipts, is_dry_run=dry_run)
        else:
            receipt = forget(self._store, self._receipts, scope=scope, is_dry_run=dry_run)
        if not dry_run:
            self._vectors.forgotten(everything=everything)
            if everything:
                self._uses.drop(self.id)
        return receipt
