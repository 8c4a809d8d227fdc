"""Code of the caller's own, in a replay: what it raises is met here, and told in words."""

from __future__ import annotations

from types import TracebackType

from lifelong.errors import LifelongError

_WORDS = 160


class Met:
    """Meets what code of the caller's own raises, or what it made: it may be anything.

    One that breaks is a finding of the replay, and the rest goes on. What ends the process, such as
    an interrupt, comes through.
    """

    def __init__(self) -> None:
        self.error: Exception | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.error = error
        return True


def words_of(error: Exception) -> str:
    """Return in words what was raised, in one line."""
    if isinstance(error, LifelongError):
        return " ".join(error.detail.split()) or " ".join(str(error).split())
    said = " ".join(str(error).split())[:_WORDS]
    name = type(error).__name__
    return f"it raised {name}: {said}" if said else f"it raised {name}"
