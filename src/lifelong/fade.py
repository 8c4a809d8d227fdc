"""Letting fade: what is weak and was of no use for a time goes, the way all that is forgotten goes.

Which memories those are is decided in `memory.fading`.
"""

from __future__ import annotations

from dataclasses import dataclass

from lifelong.forgetting import Receipt
from lifelong.memory.fading import BELOW_DEFAULT, UNUSED_DAYS_DEFAULT, fading
from lifelong.memory.forget import Receipts, forget_memories
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory
from lifelong.rows import MemoryFilter


@dataclass(frozen=True, slots=True)
class Faded:
    """What fades.

    Attributes:
        sinking: memories that are weak, and ranked lower; they stay.
        gone: memories that were removed, or would be in a dry run; the weakest first.
        receipt: what the database removed.
    """

    sinking: tuple[Memory, ...]
    gone: tuple[Memory, ...]
    receipt: Receipt


def fade(
    store: OwnerStore,
    clock: Clock,
    *,
    receipts: Receipts,
    below: float = BELOW_DEFAULT,
    unused_days: float = UNUSED_DAYS_DEFAULT,
    is_dry_run: bool = True,
) -> Faded:
    """Remove what is weaker than `below` and was of no use for `unused_days`.

    Raises:
        InvalidValue: a limit cannot be one.
    """
    which = MemoryFilter(now=clock.now(), include_superseded=True)
    memories = [*store.memories.select(which), *store.review.held()]
    fades = fading(memories, which.now, below=below, unused_days=unused_days)
    ids = [memory.id for memory in fades.gone]
    receipt = forget_memories(store, receipts, ids=ids, scope="faded", is_dry_run=is_dry_run)
    return Faded(fades.sinking, fades.gone, receipt)
