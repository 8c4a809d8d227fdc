"""Many at once: the same work in processes, or in threads, begun at the same moment.

Processes are forked, so that work may be any function and need not be imported again. A child that
fails prints its own traceback; here it is known by what it did not answer.
"""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, TypeVar

T = TypeVar("T")

SECONDS_MAX = 120.0


def in_processes(count: int, work: Callable[[int], T], *, seconds: float = SECONDS_MAX) -> list[T]:
    """Call `work` with 0, 1, … in as many processes, and return what each call returned.

    Raises:
        AssertionError: a process failed, or took longer than `seconds`; none is left running.
    """
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(count)

    def run(number: int, answer: Connection) -> None:
        barrier.wait(SECONDS_MAX)
        answer.send(work(number))

    pipes = [fork.Pipe(duplex=False) for _ in range(count)]
    processes = [
        fork.Process(target=run, args=(number, sender), daemon=True)
        for number, (_, sender) in enumerate(pipes)
    ]
    for process in processes:
        process.start()
    try:
        for _, sender in pipes:
            sender.close()  # each child has its own copy: without ours, its end is heard
        return [_answer(receiver, seconds) for receiver, _ in pipes]
    finally:
        for process in processes:
            process.join(1)
            process.kill()
            process.join()
            process.close()


def _answer(receiver: Connection, seconds: float) -> Any:
    with receiver:
        try:
            if receiver.poll(seconds):
                return receiver.recv()
        except EOFError:
            raise AssertionError("a process failed; it printed why") from None
    raise AssertionError(f"a process did not answer within {seconds:.0f} seconds")


def in_threads(count: int, work: Callable[[int], T]) -> list[T]:
    """Call `work` with 0, 1, … in as many threads, and return what each call returned."""
    barrier = threading.Barrier(count)

    def run(number: int) -> T:
        barrier.wait(SECONDS_MAX)
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))
