"""The backlog: whose texts wait for their vectors, worked off by one thread beside the callers.

Only ids of owners are held here; which rows wait is known to the store. So a process may end at
any moment, and whoever writes or asks next goes on. A model that fails is tried again after a
pause that grows; nobody who appends waits for it or hears of it.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from lifelong.embedding import STOP_SECONDS_MAX, IsStopped, Stopped, Sweep, TextsLeft
from lifelong.errors import LifelongError, StoreClosed, StoreError

OWNERS_MAX = 1_024
"""More owners than that wait at once: the one that waits longest is left for its next write."""

GRACE_SECONDS = 0.25
"""A process that writes one thing and ends does not begin with a model."""
PAUSES_SECONDS = 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0, 300.0
"""After one failure, two, and so on."""

Work = Callable[[str, Sweep, IsStopped], Sweep | None]
"""Gives some rows of an owner their vectors; None when no row is left."""


@dataclass(frozen=True, slots=True)
class _Task:
    """Where the work on an owner's rows stands, when it goes on, and how often it failed."""

    sweep: Sweep
    due: float
    failures: int = 0


class Backlog:
    """Owners whose texts wait for their vectors.

    Args:
        work: does some of the work on one owner.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._tasks: OrderedDict[str, _Task] = OrderedDict()
        self._problems: OrderedDict[str, str] = OrderedDict()
        self._problem = ""
        self._thread: threading.Thread | None = None
        self._failures = 0
        self._not_before = 0.0
        self._is_closed = False

    def add(self, owner_id: str) -> None:
        """Note that an owner has new texts; they are the next to be worked on."""
        if self._process != os.getpid():  # a forked child has no thread, and maybe a locked lock
            self._begin_anew()
        with self._changed:
            if self._is_closed:
                return
            before = self._tasks.pop(owner_id, None)
            failures = before.failures if before else 0
            due = monotonic() + GRACE_SECONDS
            # Whoever writes all the time must not put it off for ever.
            due = min(due, before.due) if before else due
            self._tasks[owner_id] = _Task(Sweep(), due, failures)
            if len(self._tasks) > OWNERS_MAX:
                self._tasks.popitem(last=False)
            if self._thread is None or not self._thread.is_alive():
                # A daemon: a model that never answers must not keep the process from ending.
                self._thread = threading.Thread(
                    target=self._run, name="lifelong-embedding", daemon=True
                )
                self._thread.start()
            self._changed.notify()

    def problem_of(self, owner_id: str) -> str:
        """Return what failed last, of the model or of this owner; nothing if all goes well."""
        return self._problem or self._problems.get(owner_id, "")

    def _note(self, owner_id: str, problem: str) -> None:
        self._problems[owner_id] = problem
        if len(self._problems) > OWNERS_MAX:
            self._problems.popitem(last=False)

    def close(self) -> None:
        """Stop; what waits is left for another time."""
        if self._process != os.getpid():
            return
        with self._changed:
            self._is_closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(2 * STOP_SECONDS_MAX)

    def _is_stopped(self) -> bool:
        return self._is_closed

    def _run(self) -> None:
        while (taken := self._next()) is not None:
            owner_id, task = taken
            try:
                sweep = self._work(owner_id, task.sweep, self._is_stopped)
            except (Stopped, StoreClosed):
                return
            except (TextsLeft, StoreError) as error:
                self._note(owner_id, str(error))
                due = monotonic() + _pause(task.failures)
                self._later(owner_id, _Task(Sweep(), due, task.failures + 1))
            except LifelongError as error:  # of the model, and so the next owner waits as well
                self._problem = str(error)
                self._not_before = monotonic() + _pause(self._failures)
                self._failures += 1
                self._later(owner_id, _Task(Sweep(), self._not_before, task.failures))
            else:
                self._failures, self._problem = 0, ""
                if sweep is None:
                    self._problems.pop(owner_id, None)
                else:
                    self._later(owner_id, _Task(sweep, monotonic(), task.failures))

    def _next(self) -> tuple[str, _Task] | None:
        """Wait for the task that is due first, and take it; None when there is nothing to do.

        An idle process has no thread: one more would be in the way of whoever forks.
        """
        with self._changed:
            while self._tasks and not self._is_closed:
                owner_id = min(self._tasks, key=lambda each: self._tasks[each].due)
                seconds = max(self._tasks[owner_id].due, self._not_before) - monotonic()
                if seconds <= 0:
                    return owner_id, self._tasks.pop(owner_id)
                self._changed.wait(seconds)
            self._thread = None
        return None

    def _later(self, owner_id: str, task: _Task) -> None:
        """Go on with an owner later, unless it has new texts and begins anew anyway."""
        with self._changed:
            self._tasks.setdefault(owner_id, task)


def _pause(failures: int) -> float:
    return PAUSES_SECONDS[min(failures, len(PAUSES_SECONDS) - 1)]
