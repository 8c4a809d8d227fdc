"""What a store does to let go: erasing, receipts, legal holds, retention."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from lifelong.forgetting import Due, LegalHold, RetentionRule
from lifelong.rows import Finished, Note, ReceiptRow, Selection


class ForgettingStore(Protocol):
    """How the data of one owner goes, and what keeps it from going."""

    def erase(self, what: Selection, note: Note) -> ReceiptRow:
        """Remove rows, index entries and history; leave tombstones; overwrite the bytes.

        Removing, counting and noting are one transaction.

        Raises:
            OnLegalHold: something of it may not go.
        """
        ...

    def receipts(self) -> list[ReceiptRow]:
        """Return what was noted of each erasure, oldest first."""
        ...

    def finish(self, at: datetime) -> Finished:
        """Overwrite the bytes of erasures that are pending, as far as readers let it."""
        ...

    def place_hold(self, hold: LegalHold) -> None:
        """Let nothing that a hold is about be erased from now on."""
        ...

    def holds(self) -> list[LegalHold]:
        """Return the holds that are in force, oldest first."""
        ...

    def end_hold(self, hold_id: str) -> bool:
        """End a hold; return whether there was one."""
        ...

    def set_rule(self, rule: RetentionRule) -> None:
        """Keep a rule, in the place of one for the same thing; what is there expires by it."""
        ...

    def remove_rule(self, what: str, name: str) -> bool:
        """Remove a rule; return whether there was one. Times that it set stay."""
        ...

    def rules(self) -> list[RetentionRule]:
        """Return the rules, sorted."""
        ...

    def due(self, now: datetime) -> Due:
        """Return what expired, and what no rule lets be kept any longer."""
        ...
