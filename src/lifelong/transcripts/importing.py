"""Importing: transcripts into the log, a batch at a time.

Each batch is one transaction, and ids are stable over runs; so an import that was stopped goes on
where it stopped, and one that is run again adds nothing. What cannot be stored is set aside and
reported, and nothing else stops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lifelong.errors import InputError
from lifelong.log import append, clean_messages
from lifelong.messages import Message
from lifelong.ports import Clock, LogStore
from lifelong.rows import SessionFields
from lifelong.screening.policy import DEFAULT, Screening
from lifelong.transcripts.events import BrokenLine, Ignored, SaidMessage, SessionStart
from lifelong.transcripts.files import Reading, total_bytes

BATCH_MESSAGES = 500

OnProgress = Callable[[int, int, str], None]
"""Called with the bytes read so far, the bytes in all, and the name of the present file."""


@dataclass(frozen=True, slots=True)
class MemoriesImported:
    """What an import did with the memories of an export; other tools' transcripts have none.

    Attributes:
        read: how many were in the files.
        added: how many of those are new.
        duplicates: how many were there before.
        forgotten: how many were left out because they, or what they were made from, had been
            forgotten.
        expired: how many were left out because they have expired.
        conflicts: how many were left out because their id stands for another text by now.
        held: how many of the new ones are held back, for review.
        untrusted: how many of the new ones are not trusted.
        states: how many named values are new.
        files: how many files of file memory got a text.
        rules: how many rules of retention and legal holds are new.
        tombstones: how many are new of the ids that were forgotten where it comes from.
    """

    read: int = 0
    added: int = 0
    duplicates: int = 0
    forgotten: int = 0
    expired: int = 0
    conflicts: int = 0
    held: int = 0
    untrusted: int = 0
    states: int = 0
    files: int = 0
    rules: int = 0
    tombstones: int = 0


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import read and stored.

    Attributes:
        files: how many files were read.
        sessions: how many conversations were in them.
        messages: how many messages were in them.
        added: how many of those are new.
        duplicates: how many were stored before.
        forgotten: how many were left out because they had been forgotten.
        redacted: from how many something secret was taken out.
        ignored: lines without conversation, by kind.
        broken: what was set aside, with file and line.
        memories: what became of the memories of an export.
    """

    files: int
    sessions: int
    messages: int
    added: int
    duplicates: int
    forgotten: int
    redacted: int
    ignored: Mapping[str, int]
    broken: tuple[BrokenLine, ...]
    memories: MemoriesImported = MemoriesImported()


def import_transcripts(
    store: LogStore,
    clock: Clock,
    *,
    reading: Reading,
    on_progress: OnProgress | None = None,
    screening: Screening = DEFAULT,
) -> ImportReport:
    """Read a file or a folder of transcripts into the log.

    Args:
        store: the owner's log.
        clock: for the time of recording.
        reading: of what source, and where.
        on_progress: told how far it is.
        screening: what is taken out before anything is stored.

    Raises:
        InvalidValue: there is no such source.
        TranscriptError: there is nothing to be read.
        StoreError: the store could not keep it; what was kept stays.
    """
    files = reading.files()
    importing = _Importing(store, clock, screening)
    progress = Progress(total_bytes(files), on_progress)
    for file in files:
        for event in reading.events(file, progress.of(file)):
            importing.take(event, file)
        importing.flush(file)
        progress.done(file)
    return importing.report(len(files))


class Progress:
    """Adds up bytes over files, and tells."""

    def __init__(self, total: int, tell: OnProgress | None) -> None:
        self._total = total
        self._tell = tell
        self._before = 0

    def of(self, file: Path) -> Callable[[int], None]:
        """Return what is to be called with the bytes read of `file`."""

        def on_bytes(count: int) -> None:
            if self._tell:
                self._tell(min(self._before + count, self._total), self._total, file.name)

        return on_bytes

    def done(self, file: Path) -> None:
        """Count a whole file."""
        self._before += total_bytes([file])
        self.of(file)(0)


class _Importing:
    """Takes events, and stores what was said in batches."""

    def __init__(self, store: LogStore, clock: Clock, screening: Screening) -> None:
        self._screening = screening
        self._store = store
        self._clock = clock
        self._waiting: dict[str, list[Message]] = {}
        self._fields: dict[str, SessionFields] = {}
        self._sessions: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._ignored: Counter[str] = Counter()
        self._broken: list[BrokenLine] = []

    def take(self, event: object, file: Path) -> None:
        """Count an event; store a batch when enough is waiting."""
        match event:
            case SessionStart():
                title = event.title or None
                first = event.session_id not in self._sessions
                metadata = event.metadata if first else None
                self._fields[event.session_id] = SessionFields(title, event.source, metadata)
                self._sessions.add(event.session_id)
            case SaidMessage():
                self._waiting.setdefault(event.session_id, []).append(event.message)
                self._counts["messages"] += 1
                if sum(map(len, self._waiting.values())) >= BATCH_MESSAGES:
                    self.flush(file)
            case BrokenLine():
                self._broken.append(event)
            case Ignored():
                self._ignored[event.kind] += 1

    def flush(self, file: Path) -> None:
        """Store what is waiting."""
        waiting, self._waiting = self._waiting, {}
        for session_id in [*waiting, *(i for i in self._fields if i not in waiting)]:
            fields = self._fields.pop(session_id, None)
            self._append(session_id, waiting.get(session_id, []), fields, file)

    def _append(
        self, session_id: str, messages: Sequence[Message], fields: SessionFields | None, file: Path
    ) -> None:
        try:
            done = append(
                self._store,
                self._clock,
                session_id=session_id,
                cleaned=clean_messages(messages),
                fields=fields,
                screening=self._screening,
            )
        except InputError as error:
            if len(messages) > 1:
                for message in messages:
                    self._append(session_id, [message], fields, file)
                return
            named = f" {messages[0].id}" if messages else ""
            reason = f"message{named} of session {session_id}: {error.detail}"
            self._broken.append(BrokenLine(str(file), 0, reason))
            return
        self._counts["added"] += done.added
        self._counts["duplicates"] += done.duplicates
        self._counts["forgotten"] += done.forgotten
        self._counts["redacted"] += done.redacted

    def report(self, files: int) -> ImportReport:
        """Return what was done."""
        counts = self._counts
        return ImportReport(
            files=files,
            sessions=len(self._sessions),
            messages=counts["messages"],
            added=counts["added"],
            duplicates=counts["duplicates"],
            forgotten=counts["forgotten"],
            redacted=counts["redacted"],
            ignored=dict(sorted(self._ignored.items())),
            broken=tuple(self._broken),
        )
