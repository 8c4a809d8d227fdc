"""What is known: the block that opens a new conversation.

Standing preferences and constraints matter even when they share no word with the next question,
so they are not searched for but always told. What came from a tool or a document is never in this
block, because a model reads it as its user's word.
"""

from __future__ import annotations

from collections.abc import Sequence

from lifelong.ports import Clock, MemoryStore
from lifelong.records import Known, Memory, Trust
from lifelong.rows import MemoryFilter
from lifelong.working.tokens import estimate_tokens

TOKENS_MAX_DEFAULT = 1_000
_HEAD = "Known from earlier conversations. What the user says now wins."
_SECTIONS = (
    ("constraint", "Constraints"),
    ("preference", "Preferences"),
    ("procedure", "How things are done"),
    ("fact", "Facts"),
    ("event", "Events"),
)


def known(store: MemoryStore, clock: Clock, tokens_max: int) -> Known:
    """Return the standing memories as a block of text, within a budget of tokens.

    Constraints come first, then preferences, procedures, facts and events; in each the more
    important first, then the newer. Notes are left to recall.
    """
    which = MemoryFilter(clock.now(), trust_min=Trust.MODEL)
    live = store.select(which)
    ordered = [(title, _ordered(live, kind)) for kind, title in _SECTIONS]
    taken: list[Memory] = []
    lines: list[str] = []
    tokens = estimate_tokens(_HEAD) + 1
    left_out = 0
    for title, memories in ordered:
        heading = [f"{title}:"]
        for memory in memories:
            line = f"- {' '.join(memory.text.split())} ({memory.recorded_at:%Y-%m-%d})"
            more = estimate_tokens("\n".join([*heading, line])) + 1
            if tokens + more > tokens_max:
                left_out += 1
                continue
            lines += [*heading, line]
            heading = []
            tokens += more
            taken.append(memory)
    if not taken:
        return Known("", (), 0, left_out)
    return Known("\n".join([_HEAD, *lines]), tuple(taken), tokens, left_out)


def _ordered(memories: Sequence[Memory], kind: str) -> list[Memory]:
    newest_first = [memory for memory in reversed(memories) if memory.kind == kind]
    return sorted(newest_first, key=lambda memory: -memory.importance)
