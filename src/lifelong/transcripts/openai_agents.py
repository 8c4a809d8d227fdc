"""The stores of the OpenAI Agents SDK: `SQLiteSession`, and `AdvancedSQLiteSession` above it.

One row is one item of the Responses format. The tables may have any names, so they are known by
their columns. Of a conversation with branches each branch becomes a session, with what only it has.
What `EncryptedSession` wrote cannot be read without its key, and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError
from lifelong.transcripts.content import OnBytes, decoded
from lifelong.transcripts.databases import Database, holds_table, moment_of, opened_database
from lifelong.transcripts.events import BrokenLine, Event, SaidMessage
from lifelong.transcripts.fields import derived_id, session_name, title_of
from lifelong.transcripts.sessions import Sessions, first_words, message_of

SOURCE = "openai-agents"

_COLUMNS = ("id", "session_id", "message_data", "created_at")
_BRANCHES = "message_structure"
_BRANCH_COLUMNS = ("message_id", "branch_id")
_MAIN = "main"
_FORMAT = "responses"


def is_store(file: Path) -> bool:
    """Return whether a file is such a store."""
    return holds_table(file, *_COLUMNS)


def read(file: Path, on_bytes: OnBytes | None = None) -> Iterator[Event]:
    """Yield the conversations of a store, row by row.

    Args:
        file: an SQLite file.
        on_bytes: told how many bytes of the file have been read so far.
    """
    try:
        with opened_database(file, on_bytes) as database:
            tables = [
                table for table in database.tables() if database.columns(table) >= set(_COLUMNS)
            ]
            if not tables:
                yield BrokenLine(str(file), 0, "there is no table of messages in it")
            for table in tables:
                reading = _Reading(file, _branches(database))
                for row in database.rows(table, _COLUMNS, order=("id",)):
                    yield from reading.take(*row)
                yield from reading.unread()
    except FormatError as error:
        yield BrokenLine(str(file), 0, error.detail)


def _branches(database: Database) -> Mapping[int, str]:
    """Return the branch of each message that is in one other than the first."""
    if not database.columns(_BRANCHES) >= set(_BRANCH_COLUMNS):
        return {}
    found: dict[int, str] = {}
    for message_id, branch in database.rows(_BRANCHES, _BRANCH_COLUMNS, order=("id",)):
        # A branch repeats what it begins with: a message belongs to the one that it was said in.
        found.setdefault(message_id, branch)
    return {id: branch for id, branch in found.items() if branch != _MAIN}


@dataclass(slots=True)
class _Reading:
    """Takes the rows of a table, one after another.

    Attributes:
        file: for what is reported.
        branches: of the messages that are not in the first one.
    """

    file: Path
    branches: Mapping[int, str]
    sessions: Sessions = field(default_factory=lambda: Sessions(SOURCE))
    encrypted: Counter[str] = field(default_factory=Counter)

    def take(self, row_id: int, session: object, data: object, at: object) -> Iterator[Event]:
        """Yield what a row says."""
        branch = self.branches.get(row_id)
        try:
            name = session_name([session if branch is None else f"{session}/{branch}"], "")
            item = _item(data)
            if "__enc__" in item:
                self.encrypted[name] += 1
                return
            message = replace(
                message_of(item, _FORMAT),
                id=derived_id(name, row_id, item),
                sent_at=moment_of(at),
            )
        except FormatError as error:
            yield BrokenLine(str(self.file), 0, f"row {row_id}: {error.detail}")
            return
        title = "" if self.sessions.is_titled(name) else first_words([message])
        yield from self.sessions.begin(name, title, {})
        yield SaidMessage(name, message)

    def unread(self) -> Iterator[BrokenLine]:
        """Yield how much of each session was encrypted."""
        for name, count in self.encrypted.items():
            reason = f"{count} rows of session {title_of(name)} are encrypted by EncryptedSession"
            yield BrokenLine(str(self.file), 0, reason)


def _item(data: object) -> dict[str, Any]:
    """Return the item that a row holds.

    Raises:
        FormatError: it holds none.
    """
    if not isinstance(data, str | bytes):
        raise FormatError("it holds no JSON")
    try:
        item = decoded(data.encode() if isinstance(data, str) else data)
    except ValueError as error:
        raise FormatError(str(error)) from error
    if not isinstance(item, dict):
        raise FormatError("it holds no JSON object")
    return item
