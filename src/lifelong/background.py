"""One piece of work at a time, beside the caller.

A compaction waits for a model; the request that found it due must not. What it raises is kept for
whoever asks for the result.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock, Thread
from types import TracebackType
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Background(Generic[Result]):
    """Runs work in a thread of its own; while some runs, no other is begun."""

    def __init__(self) -> None:
        self.last: Future[Result] | None = None
        self._lock = Lock()

    def run(self, work: Callable[[], Result]) -> Future[Result]:
        """Begin the work, unless some is running, and return the future of what is running now."""
        with self._lock:
            if self.last is None or self.last.done():
                self.last = begin(work)
            return self.last


def begin(work: Callable[[], Result]) -> Future[Result]:
    """Begin the work in a thread of its own, and return the future of its result."""
    future: Future[Result] = Future()
    future.set_running_or_notify_cancel()

    def carry_out() -> None:
        with _HandedOn(future):
            future.set_result(work())

    # A daemon: a summariser that never answers must not keep the process from ending.
    Thread(target=carry_out, name="lifelong-background", daemon=True).start()
    return future


class _HandedOn(Generic[Result]):
    """Hands what is raised inside on to whoever asks the future for its result."""

    def __init__(self, future: Future[Result]) -> None:
        self._future = future

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            self._future.set_exception(error)
        return True
