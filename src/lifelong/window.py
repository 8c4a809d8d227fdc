"""A session as it is being planned: read once, and then only what is new.

What was read, parsed and counted stays in memory. Each look asks the store for the messages after
the last one, and reads all again when messages were removed.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from dataclasses import dataclass
from threading import Lock

from lifelong.errors import FormatError
from lifelong.log import read_message, read_newest
from lifelong.messages import Message
from lifelong.ports import LogStore
from lifelong.records import LogSlice
from lifelong.rows import StoredMessage, SummaryRow
from lifelong.working.carried import Carried, from_json
from lifelong.working.compact import Segment
from lifelong.working.history import CountMessage, History
from lifelong.working.repair import HistoryBuilder, build

_BUILDERS_MAX = 4
"""So many formats or counters at once keep what they have counted."""

_BESIDE = 32
"""How many more messages are read at first, to see where a step begins."""


@dataclass(frozen=True, slots=True)
class Look:
    """A session at one moment.

    Attributes:
        session_id: of the session.
        history: repaired.
        seqs: the number of the message at each position.
        segments: its summaries, in order.
        generation: of the store's file.
    """

    session_id: str
    history: History
    seqs: tuple[int, ...]
    segments: tuple[Segment, ...]
    generation: int


class Window:
    """The window onto one session; it may be looked through from several threads."""

    def __init__(self, store: LogStore, session_id: str) -> None:
        self._store = store
        self._session_id = session_id
        self._lock = Lock()
        self._generation = 0
        self._messages: list[Message] = []
        self._seqs: list[int] = []
        self._last_seq = 0
        self._builders: dict[tuple[str, bool, CountMessage], tuple[HistoryBuilder, int]] = {}
        self._rows: list[SummaryRow] = []
        self._carried: dict[SummaryRow, tuple[Carried, ...]] = {}
        self._segments: tuple[Segment, ...] = ()

    def look(self, format: str, count: CountMessage, *, takes_late_system: bool) -> Look:
        """Return the session as it is now.

        Args:
            format: in which it will be sent.
            count: what a message costs; pass the same one each time, so that counts are kept.
            takes_late_system: whether the provider takes a system message after others.
        """
        with self._lock:
            # In this order: a summary that is seen is one of messages that are read then.
            rows = self._store.summaries(self._session_id)
            self._read_newer()
            self._place(rows)
            key = (format, takes_late_system, count)
            builder, built = self._builders.get(key) or (
                HistoryBuilder(format, count, takes_late_system=takes_late_system),
                0,
            )
            builder.extend(self._messages[built:])
            self._builders.pop(key, None)
            self._builders[key] = (builder, len(self._messages))
            if len(self._builders) > _BUILDERS_MAX:
                del self._builders[next(iter(self._builders))]
            return Look(
                self._session_id,
                builder.history(),
                tuple(self._seqs),
                self._segments,
                self._generation,
            )

    def _read_newer(self) -> None:
        newer = self._store.newer(self._session_id, self._last_seq)
        if newer.generation != self._generation and self._last_seq:
            self._messages, self._seqs, self._last_seq = [], [], 0
            self._builders.clear()
            self._segments = ()
            newer = self._store.newer(self._session_id, 0)
        self._generation = newer.generation
        for row in newer.messages:
            self._keep(row)

    def _keep(self, row: StoredMessage) -> None:
        self._last_seq = row.seq
        try:
            message = read_message(row)
        except FormatError:
            # It stays in the log, and `lifelong check` names it.
            return
        self._messages.append(message)
        self._seqs.append(row.seq)

    def _place(self, rows: list[SummaryRow]) -> None:
        if rows == self._rows and len(self._segments) == len(rows):
            return
        self._rows = rows
        self._carried = {row: self._carried.get(row) or _carried_of(row) for row in rows}
        self._segments = tuple(
            Segment(bisect_right(self._seqs, row.last_seq), row.text, self._carried[row])
            for row in rows
        )


def _carried_of(row: SummaryRow) -> tuple[Carried, ...]:
    return from_json(json.loads(row.carried))


def newest_whole_steps(store: LogStore, session_id: str, items_max: int) -> LogSlice:
    """Return the newest messages of a session that are whole steps, at most so many.

    Rather fewer than a call without its result, or a result without its call.
    """
    read = items_max + _BESIDE
    while True:
        found = read_newest(store, session_id, read)
        history = build(found.messages, "chat", count=lambda _: 0)
        positions = history.newest_positions(items_max)
        first = history.units[0].positions if history.units else ()
        # What begins where the slice begins may have begun before it.
        if len(found) < read or not set(first) & set(positions):
            return LogSlice(tuple(found.messages[each] for each in positions), found.skipped)
        read *= 2
