"""What a store does to show that nobody changed its rows behind the engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from lifelong.integrity import Verified


class ChainStore(Protocol):
    """The keyed chain over the rows of one owner."""

    def verify(self, anchor: str | None, on_progress: Callable[[int, int], None]) -> Verified:
        """Hold every row against the chain, and the chain against its head.

        Args:
            anchor: a head that was noted earlier; None for none.
            on_progress: called with how many entries and rows are done, of how many.

        Raises:
            InvalidValue: `anchor` is no head.
        """
        ...
