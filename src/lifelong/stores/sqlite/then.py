"""What memories said at an earlier time: their history in the place of what they say now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import apsw

from lifelong.memory.passages import as_passage
from lifelong.records import Memory
from lifelong.rows import SEQ_SHIFT, MemoryFilter, TermMatches, pack_posting
from lifelong.stores.sqlite.connection import to_micros
from lifelong.stores.sqlite.memory_rows import SQL, select_memories
from lifelong.stores.sqlite.queries import fetch, read_object
from lifelong.stores.sqlite.words import terms_of


@dataclass(frozen=True, slots=True)
class Version:
    """What a memory said at a time."""

    text: str
    metadata: Mapping[str, Any]


def versions_at(connection: apsw.Connection, at: datetime) -> dict[int, Version]:
    """Return, for each memory that was changed after `at`, what it said then."""
    rows = fetch(connection, SQL["changed_since"], {"at": to_micros(at)})
    return {
        seq: Version(text, read_object(metadata))
        for seq, text, metadata in rows
        if isinstance(text, str)
    }


def memories_then(
    connection: apsw.Connection, which: MemoryFilter | None, *, seqs: Sequence[int] | None = None
) -> list[tuple[int, Memory]]:
    """Return (seq, memory) as `select_memories` does, each saying what it said at `known_at`."""
    if which is None or which.known_at is None:
        return select_memories(connection, which, seqs=seqs)
    versions = versions_at(connection, which.known_at)
    # What is asked of the metadata is asked of what it was then.
    found = select_memories(connection, replace(which, metadata=None), seqs=seqs)
    then = [
        (
            seq,
            replace(memory, text=versions[seq].text, metadata=versions[seq].metadata)
            if seq in versions
            else memory,
        )
        for seq, memory in found
    ]
    return [(seq, memory) for seq, memory in then if which.has_metadata(memory)]


def matches_then(
    connection: apsw.Connection, terms: Sequence[TermMatches], at: datetime
) -> tuple[TermMatches, ...]:
    """Return the matches of terms with the words that changed memories held at `at`."""
    versions = versions_at(connection, at)
    if not versions:
        return tuple(terms)
    words = {
        seq: (set(terms_of(connection, [passage.text])), passage.words)
        for seq, version in versions.items()
        for passage in [as_passage(version.text)]
    }
    changed = []
    for term in terms:
        postings = [one for one in term.postings if one >> SEQ_SHIFT not in versions]
        postings += [pack_posting(seq, 0, n) for seq, (own, n) in words.items() if term.term in own]
        postings.sort()
        frequency = len(set(postings)) if term.is_whole else term.frequency
        changed.append(replace(term, postings=postings, frequency=frequency))
    return tuple(changed)
