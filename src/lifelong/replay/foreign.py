"""Code of the caller's own, in a replay: what it raises is met here, and told in words."""

from __future__ import annotations

import re
from types import TracebackType

from lifelong.errors import LifelongError

_WORDS = 160
_ADDRESS = re.compile("0x[0-9a-f]{4,}")
"""An object's place in memory differs from run to run."""


class Met:
    """Meets what code of the caller's own raises, or what it made: it may be anything.

    One that breaks, or that ends the program as a script does, is a finding of the replay, and the
    rest goes on. A person's interrupt comes through.
    """

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception | SystemExit):
            return False
        self.error = error
        return True


def words_of(error: BaseException) -> str:
    """Return in words what was raised, in one line."""
    if isinstance(error, LifelongError):
        return " ".join(error.detail.split()) or " ".join(str(error).split())
    said = _ADDRESS.sub("0x…", " ".join(str(error).split()))[:_WORDS]
    is_exit = isinstance(error, SystemExit)
    told = (
        "it ends the program, as a script does" if is_exit else f"it raised {type(error).__name__}"
    )
    return f"{told}: {said}" if said else told
