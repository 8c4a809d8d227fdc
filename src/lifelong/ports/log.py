"""What a store does for the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from lifelong.records import SessionInfo
from lifelong.rows import (
    AppendCounts,
    Beginning,
    LogMatches,
    MessageRow,
    Newer,
    SessionFields,
    SessionTurns,
    StoredMessage,
    SummaryRow,
)


class LogStore(Protocol):
    """The log of one owner."""

    def append(
        self, session_id: str, rows: Sequence[MessageRow], fields: SessionFields
    ) -> AppendCounts:
        """Store the rows at the end of the session, all or none; known ids are not stored again.

        Raises:
            MessageConflict: a stored message has the id and another payload.
        """
        ...

    def read(
        self, session_id: str, *, newest: int | None = None, before: int | None = None
    ) -> list[StoredMessage]:
        """Return messages of a session in order: all, or the `newest` ones before seq `before`."""
        ...

    def newer(self, session_id: str, seq: int) -> Newer:
        """Return the messages of a session after number `seq`, and the present generation."""
        ...

    def summaries(self, session_id: str) -> list[SummaryRow]:
        """Return the summaries of a session's beginning, in order."""
        ...

    def add_summary(self, session_id: str, summary: SummaryRow, generation: int) -> bool:
        """Store a summary that follows on the last one; all or nothing.

        Returns:
            False, and nothing is stored, if messages were removed since `generation`, or if what
            it sums up has been summed up already.
        """
        ...

    def turns(self) -> list[SessionTurns]:
        """Return how many turns each session has."""
        ...

    def messages(self, seqs: Sequence[int]) -> dict[int, StoredMessage]:
        """Return the messages with these numbers, those that are still there."""
        ...

    def everything(self) -> Iterator[StoredMessage]:
        """Yield every message in the order of its number."""
        ...

    def find(self, message_id: str, session_id: str | None) -> list[StoredMessage]:
        """Return each message with this id, in one session or in all."""
        ...

    def sessions(self) -> list[SessionInfo]:
        """Return the sessions that hold messages, the one last appended to first."""
        ...

    def match(self, words: Sequence[str], prefixes: Sequence[Beginning]) -> LogMatches:
        """Return where each word stands in the log; and what a prefix may mean."""
        ...

    def extracted(self, extractor: str, session_id: str) -> set[int]:
        """Return the numbers of the messages of a session that an extractor has read."""
        ...

    def note_extracted(self, extractor: str, seqs: Sequence[int]) -> None:
        """Note that an extractor has read these messages, those that are still there."""
        ...
