"""Exports taken apart and put together again, and memories that are lost without a trace."""

import json

FIRST = "mem_" + "0" * 32
SECOND = "mem_" + "1" * 32


def items(owner):
    """Return the lines of an export as JSON objects."""
    return [json.loads(line) for line in owner.export()]


def edit(line, **changes):
    """Return a line that says something else."""
    return {**line, **changes}


def from_parents(line, *parents):
    """Return a line with other parents."""
    return edit(line, origin={**line["origin"], "parents": list(parents)})


def without_seals(lines):
    """Return what two stores should share: the head names the owner, and a seal is its owner's."""
    return [{k: v for k, v in line.items() if k != "seal"} for line in lines[1:]]


def without_tombstones(owner):
    """Return the lines of an export that say anything of what stands."""
    return [line for line in owner.export() if '"what": "tombstone"' not in line]


def tombstones(owner):
    """Return the ids of what an export says to be forgotten."""
    return [line["id"] for line in items(owner) if line["what"] == "tombstone"]


def trusts(owner):
    """Return the trust of each memory that is not held back, by its text."""
    return {m.text: m.trust.name for m in owner.memories(include_superseded=True)}


def lose(place, *memory_ids):
    """Lose memories without a trace, as when an older copy of the file was put back."""
    with place.owner._store.memories._access.write() as connection:
        for memory_id in memory_ids:
            connection.execute("DELETE FROM memory WHERE id = ?", (memory_id,))
            for table in ("memory_history", "memory_parent"):
                connection.execute(f"DELETE FROM {table} WHERE memory_id = ?", (memory_id,))
    place.owner.reindex()
