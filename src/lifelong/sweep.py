"""A sweep: what expired, and what retention lets be kept no longer, goes as all that is forgotten.

What is due is read and erased in two transactions; whoever comes second finds it gone. So a sweep
may run in many processes at once, and be broken off at any time.
"""

from __future__ import annotations

from lifelong.forgetting import Swept
from lifelong.memory.forget import Receipts, forget_due
from lifelong.ports import Clock, OwnerStore


def sweep(
    store: OwnerStore,
    clock: Clock,
    *,
    receipts: Receipts,
    owner_id: str,
    is_dry_run: bool = False,
) -> Swept:
    """Sweep one owner; in a dry run only say what would go."""
    now = clock.now()
    due = store.forgetting.due(now)
    receipt = forget_due(store, receipts, due=due, is_dry_run=is_dry_run)
    counts = receipt.counts
    finished = None if is_dry_run else store.forgetting.finish(now)
    return Swept(
        owner_id=owner_id,
        expired=counts.get("memory", 0),
        aged=counts.get("message", 0),
        unread=counts.get("file", 0),
        completed=finished.completed if finished else 0,
        pending=finished.pending if finished else 0,
        on_hold=due.on_hold,
        receipt=receipt if counts else None,
    )
