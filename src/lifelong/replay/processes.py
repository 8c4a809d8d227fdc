"""Work that is spread over processes, one task at a time each; a task that fails stops no other.

A process is started anew, never forked, so that it is the same on every system. When one dies, the
task that it had is named, and another process goes on with the rest. What the work is, and what
becomes of a result, is left to others.
"""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from lifelong.replay.foreign import Met, words_of

Task = TypeVar("Task")
Result = TypeVar("Result")
Work = Callable[[Task], Result]

_SECONDS_TO_END = 5.0


@dataclass(frozen=True, slots=True)
class Failure:
    """What became of a task that gave no result.

    Attributes:
        reason: why, in words.
    """

    reason: str


def work_through(
    tasks: Sequence[Task], make_work: Callable[[], Work[Task, Result]], *, jobs: int = 1
) -> Generator[tuple[int, Result | Failure], None, None]:
    """Yield the place of each task and its result, in the order in which they are done.

    Args:
        tasks: begun in this order.
        make_work: called once in each process for what does a task.
        jobs: processes beside this one; with one, or where the work or a task cannot be sent to
            another process, all is done in this one.
    """
    jobs = min(jobs, len(tasks))
    if jobs > 1 and all(map(_can_be_sent, (make_work, *tasks))):
        with _Crew[Task, Result](make_work).at_work(jobs) as crew:
            if crew.is_ready:
                yield from crew.results(tasks)
                return
    work = make_work()
    for place, task in enumerate(tasks):
        yield place, _done(work, task)


def _done(work: Work[Task, Result], task: Task) -> Result | Failure:
    with (met := Met()):
        return work(task)
    return Failure(words_of(met.error) if met.error else "")


def _can_be_sent(value: object) -> bool:
    try:
        pickle.dumps(value)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError):
        return False
    return True


@dataclass(eq=False)
class _Hand:
    """A process, the way to it, and the place of the task that it has."""

    process: BaseProcess
    connection: Connection
    place: int = 0

    def hears(self) -> bool:
        """Wait until the process can take a task; False when it could not begin."""
        with suppress(EOFError, ConnectionError):
            return bool(self.connection.recv())
        return False

    def give(self, place: int, task: object) -> None:
        """Hand a task over."""
        self.place = place
        with suppress(ConnectionError):  # it died: that is seen when the result is read
            self.connection.send(task)

    def end(self) -> None:
        """End the process."""
        self.connection.close()
        self.process.terminate()
        self.process.join(_SECONDS_TO_END)


class _Crew(Generic[Task, Result]):
    """The processes: begins them, gives each a task, and ends them.

    Attributes:
        is_ready: whether all of them could begin. What was defined in a notebook, say, is not there
            in another process.
    """

    def __init__(self, make_work: Callable[[], Work[Task, Result]]) -> None:
        self.is_ready = False
        self._make_work = make_work
        self._context = get_context("spawn")
        self._hands: list[_Hand] = []

    @contextmanager
    def at_work(self, jobs: int) -> Iterator[_Crew[Task, Result]]:
        """Lend the crew with its processes begun, and end them whatever happens."""
        try:
            for _ in range(jobs):
                self._begin()
            self.is_ready = all(hand.hears() for hand in self._hands)
            yield self
        finally:
            for hand in self._hands:
                hand.end()

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result | Failure]]:
        """Yield the place of each task and its result, as they come."""
        waiting = iter(enumerate(tasks))
        busy = []
        for hand, (place, task) in zip(self._hands, waiting, strict=False):
            hand.give(place, task)
            busy.append(hand)
        while busy:
            ready = wait([hand.connection for hand in busy])
            for hand in [each for each in busy if each.connection in ready]:
                yield hand.place, self._result(hand)
                busy.remove(hand)
                following = next(waiting, None)
                if following is not None:
                    there = hand if hand.process.is_alive() else self._another(hand)
                    there.give(*following)
                    busy.append(there)

    def _begin(self) -> _Hand:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs, self._make_work), daemon=True)
        with _no_interrupt():
            process.start()
        theirs.close()
        self._hands.append(_Hand(process, ours))
        return self._hands[-1]

    def _another(self, dead: _Hand) -> _Hand:
        """Return a new process in the place of one that died."""
        self._hands.remove(dead)
        dead.end()
        hand = self._begin()
        hand.hears()
        return hand

    def _result(self, hand: _Hand) -> Result | Failure:
        try:
            done: Result | Failure = hand.connection.recv()
        except (EOFError, ConnectionError):
            hand.process.join(_SECONDS_TO_END)
            return Failure(_last_words(hand.process.exitcode))
        return done


def _last_words(code: int | None) -> str:
    if code is not None and code < 0:
        return f"the process that did it was ended by signal {-code}; is there memory enough?"
    return f"the process that did it ended by itself, with the code {code}"


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Keep Ctrl-C from the processes begun inside: whoever began them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(connection: Connection, make_work: Callable[[], Work[Any, Any]]) -> None:
    """Do task after task, until whoever gives them is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work = make_work()
    with suppress(EOFError, ConnectionError):
        connection.send(True)
        while True:
            connection.send(_done(work, connection.recv()))
