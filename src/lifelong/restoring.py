"""Restoring: our own export read back, or another tool's memories, with all that is beside them.

Messages go the way of every import. The memories of a file are one transaction, so that what
replaced what, and what was made from what, is whole or not there at all; an import that was stopped
goes on when it is run again. What stands already is never changed, and what was forgotten does not
come back. How far a memory of a file is trusted is decided in `memory.restored`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

from lifelong.attested import MESSAGE, Attested, require_later
from lifelong.errors import InputError
from lifelong.log import Cleaned, SaidBy, append, clean_messages, message_rows, redacted_messages
from lifelong.memory.remember import Rules, as_write, screened
from lifelong.memory.restored import Believing, Judgement, contest, judge
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory, Origin, Trust
from lifelong.rows import (
    Admission,
    FileConflict,
    FileMemory,
    Ground,
    MessageRow,
    SessionFields,
    Whose,
)
from lifelong.screening.policy import Screening
from lifelong.screening.redact import is_only_marks
from lifelong.states import write_state
from lifelong.transcripts.events import (
    BrokenLine,
    Event,
    Ignored,
    KeptConflict,
    KeptFile,
    KeptHead,
    KeptMemory,
    KeptMessage,
    KeptRule,
    KeptSession,
    KeptState,
    KeptTombstone,
    SaidMessage,
    SessionStart,
)
from lifelong.transcripts.files import Reading, total_bytes
from lifelong.transcripts.importing import (
    BATCH_MESSAGES,
    ImportReport,
    MemoriesImported,
    OnProgress,
    Progress,
)
from lifelong.transcripts.own_export import SOURCE
from lifelong.writing import MemoryVersion

_OUTSIDE = "document"
_ONLY_SECRETS = "nothing is left of it once what is secret is taken out"
_TELLING_NAME = "a name in its namespace reads like a secret"


def restore(
    store: OwnerStore,
    clock: Clock,
    *,
    reading: Reading,
    rules: Rules,
    whose: Whose,
    is_vouched: bool = False,
    on_progress: OnProgress | None = None,
) -> ImportReport:
    """Read back what `export` wrote, of whichever owner; or what another tool remembers.

    Args:
        store: the owner's.
        clock: for the time of what falls, and for expiry.
        reading: of what source, and where.
        rules: what is screened, and how much there may be.
        whose: memory it is.
        is_vouched: whether a person vouches for what the files say. Without that only what this
            owner's key sealed is trusted.
        on_progress: told how far it is.

    Raises:
        OwnerForgotten: it is an export of this owner, made before all of it was forgotten.
        InputError: another of its kinds: there is nothing to be read, or it cannot be opened.
        StoreError: the store could not keep it; what was kept stays.
    """
    files = reading.files()
    progress = Progress(total_bytes(files), on_progress)
    is_ours = reading.source == SOURCE
    restoring = _Restoring(store, clock, rules, is_vouched=is_vouched, is_ours=is_ours)
    for file in files:
        restoring.begin(file)
        is_begun = not is_ours
        for event in reading.events(file, progress.of(file)):
            if isinstance(event, KeptHead):
                require_later(whose, file, event)
                is_begun = True
            elif not is_begun and not isinstance(event, BrokenLine | Ignored):
                require_later(whose, file, None)
                is_begun = True
            restoring.take(event)
        restoring.finish()
        progress.done(file)
    return restoring.report(len(files))


class _Restoring:
    """Takes what a file says, and stores it."""

    def __init__(
        self, store: OwnerStore, clock: Clock, rules: Rules, *, is_vouched: bool, is_ours: bool
    ) -> None:
        self._store = store
        self._clock = clock
        self._rules = rules
        self._is_vouched = is_vouched
        self._is_ours = is_ours
        self._attested = Attested(store, clock, rules=rules, is_vouched=is_vouched)
        self._counts: Counter[str] = Counter()
        self._memory_counts: Counter[str] = Counter()
        self._ignored: Counter[str] = Counter()
        self._broken: list[BrokenLine] = []
        self._session_ids: set[str] = set()
        self.begin(Path())

    def begin(self, file: Path) -> None:
        """Begin a file."""
        self._file = file
        self._broken_before = len(self._broken)
        self._sessions: dict[str, KeptSession] = {}
        self._forgotten_of: Counter[str] = Counter()
        self._waiting: list[KeptMessage] = []
        self._memories: list[FileMemory] = []
        self._conflicts: list[FileConflict] = []
        self._tombstones: list[KeptTombstone] = []

    def take(self, event: Event) -> None:
        """Count what a file says; store messages when enough are waiting."""
        if isinstance(event, KeptTombstone):
            self._tombstones.append(event)
            return
        self._note_forgotten()
        match event:
            case KeptSession() | SessionStart():
                self._take_session(event)
            case KeptMessage():
                self._take_message(event)
            case SaidMessage(session_id=session_id, message=message):
                named, at = str(message.id), message.sent_at
                self._take_message(KeptMessage(0, session_id, named, message, at, None))
            case KeptMemory():
                self._take_memory(event)
            case KeptRule():
                self._take_rule(event)
            case KeptFile():
                self._attested.take_file(event)
            case KeptConflict():
                self._conflicts.append(FileConflict(event.older_id, event.newer_id, event.at))
            case KeptState():
                self._add_state(event)
            case BrokenLine():
                self._broken.append(event)
            case Ignored():
                self._ignored[event.kind] += 1

    def finish(self) -> None:
        """Store what is waiting: the memories after all messages, which they were made from."""
        self._note_forgotten()
        self._flush()
        self._label_sessions()
        if self._memories:
            self._write_memories()
        added, set_aside = self._attested.put_back(self._clock.now())
        self._memory_counts["files"] += added
        for line, reason in set_aside:
            self._set_aside(line, reason)

    def _take_session(self, event: KeptSession | SessionStart) -> None:
        self._session_ids.add(event.session_id)
        old = self._sessions.get(event.session_id)
        # A title that becomes known later comes alone.
        metadata = event.metadata or (old.metadata if old else {})
        self._sessions[event.session_id] = KeptSession(
            event.session_id, event.title, event.source, metadata
        )

    def _take_message(self, event: KeptMessage) -> None:
        self._session_ids.add(event.session_id)
        self._counts["messages"] += 1
        if self._attested.was_forgotten(MESSAGE, event.id, event.session_id):
            self._counts["forgotten"] += 1
            self._forgotten_of[event.session_id] += 1
            return
        self._waiting.append(event)
        if len(self._waiting) >= BATCH_MESSAGES:
            self._flush()

    def _take_memory(self, event: KeptMemory) -> None:
        self._memory_counts["read"] += 1
        if not (self._is_ours or self._is_vouched):
            event = replace(event, memory=_from_outside(event.memory))
        row, is_redacted = file_memory(event, self._rules.screening)
        self._memories.append(row)
        self._counts["redacted"] += is_redacted

    def _take_rule(self, event: KeptRule) -> None:
        try:
            self._memory_counts["rules"] += self._attested.take_rule(event)
        except InputError as error:
            self._set_aside(event.line, f"rule: {error.detail}")

    def _note_forgotten(self) -> None:
        if self._tombstones:
            tombstones, self._tombstones = self._tombstones, []
            noted = self._attested.note_forgotten(tombstones, self._clock.now())
            self._memory_counts["tombstones"] += noted

    def _flush(self) -> None:
        """Store the messages that wait, a session at a time: the one said last in it comes last."""
        waiting, self._waiting = self._waiting, []
        of_session: dict[str, list[KeptMessage]] = {}
        for event in waiting:
            of_session[event.session_id] = [*of_session.pop(event.session_id, ()), event]
        for session_id, events in of_session.items():
            self._append(session_id, events)

    def _append(self, session_id: str, events: Sequence[KeptMessage]) -> None:
        try:
            rows, redacted = self._rows(events)
            done = self._store.log.append(session_id, rows, SessionFields())
        except InputError as error:
            if len(events) > 1:
                for event in events:
                    self._append(session_id, [event])
                return
            reason = f"message {events[0].id} of session {session_id}: {error.detail}"
            self._set_aside(events[0].line, reason)
            return
        self._counts["added"] += done.added
        self._counts["duplicates"] += done.duplicates
        self._counts["forgotten"] += done.forgotten
        self._counts["redacted"] += redacted
        self._forgotten_of[session_id] += done.forgotten

    def _rows(self, events: Iterable[KeptMessage]) -> tuple[list[MessageRow], int]:
        """Return the rows of messages, and from how many something was taken out."""
        rows: list[MessageRow] = []
        redacted = 0
        now = self._clock.now()
        for event in events:
            cleaned = clean_messages([event.message])
            kept, taken = redacted_messages(cleaned.messages, self._rules.screening)
            said = SaidBy([event.id], event.sent_at)
            [row] = message_rows(Cleaned(kept), self._clock, said)
            rows.append(replace(row, recorded_at=min(event.recorded_at or now, now)))
            redacted += taken
        return rows, redacted

    def _label_sessions(self) -> None:
        """Give sessions their titles where nothing stands, and nothing of them was forgotten.

        A title may repeat what was said and forgotten since.
        """
        for info in self._store.log.sessions():
            found = self._sessions.get(info.id)
            if found is None or self._forgotten_of[info.id]:
                continue
            fields = SessionFields(
                title=found.title if found.title and not info.title else None,
                source=found.source if found.source and not info.source else None,
                metadata=found.metadata if found.metadata and not info.metadata else None,
            )
            if fields != SessionFields():
                append(
                    self._store.log,
                    self._clock,
                    session_id=info.id,
                    cleaned=Cleaned(()),
                    fields=fields,
                    screening=self._rules.screening,
                )

    def _write_memories(self) -> None:
        now = self._clock.now()
        believing = Believing(
            now=now,
            is_vouched=self._is_vouched,
            is_whole=len(self._broken) == self._broken_before,
            quota=self._rules.quota,
        )
        judged: list[Judgement] = []

        def admit(ground: Ground) -> Admission:
            judged[:] = [judge(self._memories, ground, believing)]
            return judged[0].admission

        decide = partial(contest, now=now)
        self._store.memories.restore(
            self._memories, self._conflicts, admit=admit, decide=decide, at=now
        )
        self._count(judged[0])

    def _count(self, judgement: Judgement) -> None:
        if judgement.refusal:
            self._set_aside(0, f"its memories are too many: {judgement.refusal}")
        for line, reason in judgement.set_aside:
            self._set_aside(line, f"memory: {reason}")
        self._memory_counts.update(judgement.fates)
        kept = [restored.write.memory for restored in judgement.admission.memories]
        self._memory_counts["held"] += sum(memory.is_quarantined for memory in kept)
        self._memory_counts["untrusted"] += sum(m.trust == Trust.UNTRUSTED for m in kept)

    def _add_state(self, event: KeptState) -> None:
        if event.value is None or self._store.states.get(event.name) is not None:
            return
        if self._store.states.was_forgotten(event.name):
            self._counts["forgotten"] += 1
            return
        try:
            write_state(
                self._store.states,
                self._clock,
                name=event.name,
                value=event.value,
                screening=self._rules.screening,
            )
        except InputError as error:
            self._set_aside(event.line, f"state: {error.detail}")
            return
        self._memory_counts["states"] += 1

    def _set_aside(self, line: int, reason: str) -> None:
        self._broken.append(BrokenLine(str(self._file), line, reason))

    def report(self, files: int) -> ImportReport:
        """Return what was done."""
        counts = self._counts
        told = {field.name: self._memory_counts[field.name] for field in fields(MemoriesImported)}
        return ImportReport(
            files=files,
            sessions=len(self._session_ids),
            messages=counts["messages"],
            added=counts["added"],
            duplicates=counts["duplicates"],
            forgotten=counts["forgotten"],
            redacted=counts["redacted"],
            ignored=dict(sorted(self._ignored.items())),
            broken=tuple(self._broken),
            memories=MemoriesImported(**told),
        )


def _from_outside(memory: Memory) -> Memory:
    """Return a memory of another tool as it is while nobody vouches for it."""
    origin = Origin(_OUTSIDE, memory.origin.source, memory.origin.parents)
    return replace(memory, origin=origin, trust=Trust.UNTRUSTED)


def file_memory(event: KeptMemory, screening: Screening) -> tuple[FileMemory, bool]:
    """Return a memory of a file as it may be kept, and whether something was taken out of it.

    It is screened as what it says to be, and as what it is if nobody believes that.
    """
    kept, _, is_suspect = screened(event.memory, screening)
    is_redacted = kept != event.memory
    flaw = ""
    if is_redacted and is_only_marks(kept.text):
        flaw = _ONLY_SECRETS
    elif any(screening.find(segment) for segment in kept.namespace):
        flaw = _TELLING_NAME
    history = [_screened_version(each, kept, event.memory, screening) for each in event.history]
    row = FileMemory(
        line=event.line,
        write=as_write(kept, screening.version),
        digest=event.digest,
        seal=event.seal,
        history=tuple(history),
        parent_sessions=event.parent_sessions,
        is_suspect=is_suspect,
        is_suspect_outside=screening.text(event.memory.text, _OUTSIDE).is_suspect,
        flaw=flaw,
    )
    return row, is_redacted


def _screened_version(
    version: MemoryVersion, kept: Memory, given: Memory, screening: Screening
) -> MemoryVersion:
    text = kept.text if version.text == given.text else screening.text(version.text).text
    return replace(version, text=text, metadata=screening.value(dict(version.metadata))[0])
