"""Time and ids: the only place they come from, so that a test or a replay can set both.

Nothing else in lifelong reads a clock, makes an id or draws a random number.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
from datetime import UTC, datetime, timedelta

ID_BYTES = 16


class SystemClock:
    """The clock of this machine, with ids from the operating system's randomness."""

    def now(self) -> datetime:
        """Return the present time, aware, in UTC."""
        return datetime.now(UTC)

    def new_id(self, prefix: str) -> str:
        """Return an unguessable id of 128 random bits, such as ``mem_5f0c…``."""
        return f"{prefix}_{secrets.token_hex(ID_BYTES)}"


class ManualClock:
    """A clock that stands still until it is told to move, with ids made from a seed.

    Args:
        start: the first time it shows; aware.
        seed: two clocks with one seed make the same ids in the same order.
    """

    def __init__(self, start: datetime | None = None, seed: int = 0) -> None:
        self._now = (start or datetime(2026, 1, 1, tzinfo=UTC)).astimezone(UTC)
        self._seed = seed
        self._made = itertools.count(1)  # counts rightly from several threads

    def now(self) -> datetime:
        """Return the time that was set last."""
        return self._now

    def new_id(self, prefix: str) -> str:
        """Return the next id of this seed."""
        digest = hashlib.blake2b(f"{self._seed}/{next(self._made)}".encode(), digest_size=ID_BYTES)
        return f"{prefix}_{digest.hexdigest()}"

    def advance(self, **amount: float) -> datetime:
        """Move by a `timedelta`, given by its keywords, and return the new time."""
        self._now += timedelta(**amount)
        return self._now

    def set(self, moment: datetime) -> None:
        """Jump to `moment` (aware), forward or back."""
        self._now = moment.astimezone(UTC)
