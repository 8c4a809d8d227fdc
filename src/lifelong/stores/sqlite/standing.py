"""What a new memory meets, and what is done about it: inside the transaction that writes it.

The same steps serve a memory that is stored and one that is released from being held back; what
they lead to is decided by the caller's `Decide`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw

from lifelong.errors import NotFound
from lifelong.records import Memory
from lifelong.rows import Decide, MemoryCounts, Standing, Verdict
from lifelong.stores.sqlite.barred import is_barred
from lifelong.stores.sqlite.connection import to_micros
from lifelong.stores.sqlite.memory_rows import SQL, memories_by_id
from lifelong.stores.sqlite.queries import fetch, fetch_value
from lifelong.stores.sqlite.words import as_json, quoted, terms_of

SIMILAR_MAX = 10
"""So many memories are compared with a new one: those that share its rarest words, the newest
first."""

_WORDS_MAX = 6


def judged(
    connection: apsw.Connection,
    memory: Memory,
    *,
    values: dict[str, Any],
    words: Sequence[str],
    supersedes: Sequence[str],
    decide: Decide,
    is_by_person: bool = False,
) -> Verdict:
    """Return what a memory does to what stands already.

    A person may have kept what was forgotten before; nothing else may.

    Raises:
        NotFound: an id in `supersedes` is not there, or nothing live stands at its chain's end.
    """
    standing = Standing(
        same=_same(connection, values),
        keyed=_keyed(connection, memory, values),
        named=tuple(_require_end(connection, each) for each in dict.fromkeys(supersedes)),
        similar=_similar(connection, values, words),
        counts=MemoryCounts(*fetch(connection, SQL["counts"], values)[0]),
        was_forgotten=not is_by_person
        and is_barred(connection, values["namespace"], [values["text_hash"]]),
        is_kept=fetch_value(connection, SQL["saves_none_of_kind"], values) is None,
    )
    verdict = decide(memory, standing)
    if verdict.refusal:
        # What expired still counts until it is swept, and must keep nobody out.
        exact = MemoryCounts(*fetch(connection, SQL["exact_counts"], values)[0])
        return decide(memory, replace(standing, counts=exact))
    if verdict.superseded_by is not None and not verdict.supersedes:
        told = fetch_value(connection, SQL["told_before"], values)
        return Verdict(duplicate_of=told) if told else verdict
    return verdict


def retire_all(
    connection: apsw.Connection, memory: Memory, *, replaced: Sequence[str], at: int
) -> None:
    """Note of each of these that a memory replaced it, and since when it is true no more."""
    until = to_micros(memory.valid_from)
    for old in replaced:
        retire(connection, old, by=memory.id, at=at, until=until)


def note_effects(connection: apsw.Connection, memory: Memory, *, verdict: Verdict, at: int) -> None:
    """Mark what was made from what fell, and note what replaced or contradicts the memory."""
    mark_derived(connection, verdict.supersedes, at=at, spare=memory.id)
    if verdict.superseded_by is not None:
        found = memories_by_id(connection, [verdict.superseded_by])
        until = to_micros(found[0][1].valid_from or found[0][1].recorded_at) if found else None
        retire(connection, memory.id, by=verdict.superseded_by, at=at, until=until)
    for other in verdict.conflicts:
        connection.execute(SQL["add_conflict"], {"older": other, "newer": memory.id, "at": at})


def retire(
    connection: apsw.Connection,
    memory_id: str,
    *,
    by: str,
    at: int,
    until: int | None = None,
    change: str = "superseded",
) -> None:
    """Note that a memory was replaced, by which, and until when it was true."""
    add_history(connection, memory_id, change=change, at=at)
    bound = {"id": memory_id, "by": by, "at": at, "until": until}
    connection.execute(SQL["retire"], bound)


def retire_expired(connection: apsw.Connection, values: dict[str, Any], at: int) -> None:
    """Make room: what is hidden holds its text's place in the unique index."""
    for memory_id, is_held in fetch(connection, SQL["hidden_duplicates"], values):
        change = "superseded" if is_held else "expired"
        retire(connection, memory_id, by=values["id"], at=at, change=change)


def mark_derived(
    connection: apsw.Connection, fallen: Sequence[str], *, at: int, spare: str = ""
) -> None:
    """Mark what was made from memories that fell, directly or through others; not `spare`."""
    if fallen:
        bound = {"memories": as_json(fallen), "messages": "[]", "spare": spare}
        derived = [row[0] for row in fetch(connection, SQL["derived"], bound)]
        connection.execute(SQL["mark_stale"], {"ids": as_json(derived), "at": at})


def add_history(connection: apsw.Connection, memory_id: str, *, change: str, at: int) -> None:
    """Add what a memory says now to its history."""
    connection.execute(SQL["add_history"], {"id": memory_id, "change": change, "at": at})


def _same(connection: apsw.Connection, values: dict[str, Any]) -> Memory | None:
    found = fetch_value(connection, SQL["standing_duplicates"], values)
    memories = memories_by_id(connection, [found], "every") if found else []
    return memories[0][1] if memories else None


def _keyed(
    connection: apsw.Connection, memory: Memory, values: dict[str, Any]
) -> tuple[Memory, ...]:
    if memory.key is None:
        return ()
    ids = [row[0] for row in fetch(connection, SQL["live_with_key"], values)]
    return tuple(found for _, found in memories_by_id(connection, ids) if found.id != memory.id)


def chain_end(connection: apsw.Connection, memory_id: str) -> Memory | None:
    """Return what replaced a memory last, or itself; None when that is not live."""
    end = fetch_value(connection, SQL["chain_end"], (memory_id,))
    found = memories_by_id(connection, [end] if end else [])
    return found[0][1] if found else None


def _require_end(connection: apsw.Connection, memory_id: str) -> Memory:
    found = chain_end(connection, memory_id)
    if found is None:
        raise NotFound(memory_id)
    return found


def _similar(
    connection: apsw.Connection, values: dict[str, Any], words: Sequence[str]
) -> tuple[Memory, ...]:
    word_of = terms_of(connection, words)
    counts = {term: fetch_value(connection, SQL["term_frequency"], (term,)) for term in word_of}
    rarest = sorted(filter(counts.get, counts), key=lambda term: (counts[term], term))
    ids: dict[str, None] = {}
    for term in rarest[:_WORDS_MAX]:
        bound = {
            "words": quoted(word_of[term]),
            "namespace": values["namespace"],
            "id": values["id"],
            "most": SIMILAR_MAX,
        }
        ids.update(dict.fromkeys(row[0] for row in fetch(connection, SQL["similar"], bound)))
        if len(ids) >= SIMILAR_MAX:
            break
    found = memories_by_id(connection, list(ids)[:SIMILAR_MAX])
    return tuple(memory for _, memory in found)
