"""Screening anew: what was kept under other rules is looked at with those of today.

It may be broken off at any time, and goes on where it stopped: a memory bears the version of the
rules that it passed, and of the log is noted how far it was read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lifelong.errors import FormatError
from lifelong.log import Cleaned, SaidBy, message_rows, read_message, redacted_messages
from lifelong.memory.remember import as_write, screened
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory, Trust
from lifelong.rows import StoredMessage
from lifelong.screening.policy import Screening
from lifelong.writing import SUSPECT

_PAGE_ROWS = 200


@dataclass(frozen=True, slots=True)
class Rescanned:
    """What was screened anew.

    Attributes:
        memories, messages: how many were looked at.
        redacted: from how many of both something was taken out.
        held: ids of memories that are held back now.
    """

    memories: int
    messages: int
    redacted: int
    held: tuple[str, ...]


def rescan(
    store: OwnerStore,
    clock: Clock,
    *,
    screening: Screening,
    on_progress: Callable[[int, int], None] | None = None,
) -> Rescanned:
    """Screen all that did not pass these rules yet.

    Args:
        store: the owner's.
        clock: for the time of what is held back.
        screening: the rules.
        on_progress: called with how many rows are done, of how many at most.
    """
    counts = store.upkeep.counts()
    total = counts["memory"] + counts["memory_hidden"] + counts["message"]
    tell = on_progress or (lambda _done, _total: None)
    memories = redacted = 0
    held: list[str] = []
    version = screening.version
    while page := store.review.unscreened(version, _PAGE_ROWS):
        for memory in page:
            kept = _screened_memory(memory, screening)
            redacted += (kept.text, kept.metadata) != (memory.text, memory.metadata)
            held += [memory.id] if kept.held_for != memory.held_for else []
            store.review.rewrite(as_write(kept, version), clock.now())
        memories += len(page)
        tell(memories, total)
    messages, changed = _rescan_log(store, clock, screening, lambda n: tell(memories + n, total))
    return Rescanned(memories, messages, redacted + changed, tuple(held))


def _screened_memory(memory: Memory, screening: Screening) -> Memory:
    kept, _, is_suspect = screened(memory, screening)
    # A person looked at what is live and confirmed; what is held back already stays so.
    is_judged = memory.held_for or memory.confirmed_at or memory.trust >= Trust.SYSTEM
    return replace(kept, held_for=SUSPECT) if is_suspect and not is_judged else kept


def _rescan_log(
    store: OwnerStore, clock: Clock, screening: Screening, tell: Callable[[int], None]
) -> tuple[int, int]:
    """Return how many messages were looked at, and from how many something was taken out."""
    version = screening.version
    begun = store.review.screened_to(version)
    read = changed = 0
    for row in store.log.everything():
        if row.seq <= begun:
            continue
        changed += _rescan_message(store, clock, row, screening)
        read += 1
        if read % _PAGE_ROWS == 0:
            store.review.note_screened(version, row.seq)
            tell(read)
        begun = row.seq
    if read:
        store.review.note_screened(version, begun)
    return read, changed


def _rescan_message(
    store: OwnerStore, clock: Clock, row: StoredMessage, screening: Screening
) -> bool:
    try:
        message = read_message(row)
    except FormatError:
        return False  # `check` names it
    kept, changed = redacted_messages([message], screening)
    if changed:
        said = SaidBy([row.id], row.sent_at)
        [new] = message_rows(Cleaned(kept), clock, said)
        store.review.rewrite_message(row.seq, new)
    return bool(changed)
