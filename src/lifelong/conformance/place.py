"""A place with a store in it, as the suites use it: opened, closed, opened again, opened twice.

The suites say what an engine does; how its store is reached is the business of whoever runs them.
The engines of a place have one clock, which stands still until a test moves it. Only a crowd uses
the system's: ids made from one seed in many processes would be the same ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lifelong.clock import ManualClock, SystemClock
from lifelong.conformance.crowd import T, in_processes, in_threads
from lifelong.engine import Engine
from lifelong.memory.deciding import Quota
from lifelong.memory.remember import Rules
from lifelong.messages import Message
from lifelong.owner import Owner
from lifelong.ports import Clock, Embedder
from lifelong.records import Found, Memory

OpenEngine = Callable[[Clock, Embedder | str], Engine]
"""Opens an engine on the place of the running test, with the model it is given; each call opens
one more."""

OWNER = "ana"


class Place:
    """The place of one test.

    Args:
        open_engine: opens an engine on it.
        is_durable: whether a later or second engine finds what the first one wrote. Where it is
            not so, the first engine stands in for those, so that every test still runs.

    Attributes:
        is_durable: as it was given.
        clock: of every engine that is opened.
        engine: the one that tests go on with.
        embedder: the model of engines that are opened from now on; none at first.
    """

    def __init__(self, open_engine: OpenEngine, *, is_durable: bool) -> None:
        self.clock = ManualClock()
        self.embedder: Embedder | str = "off"
        self._open_engine = open_engine
        self.is_durable = is_durable
        self._opened: list[Engine] = []
        self._is_crowded = False
        self.engine = self.open()

    @property
    def owner(self) -> Owner:
        """The owner that most tests are about."""
        return self.engine.owner(OWNER)

    def open(self, clock: Clock | None = None) -> Engine:
        """Open one more engine; it is closed with the place."""
        engine = self._open_engine(clock or self.clock, self.embedder)
        self._opened.append(engine)
        return engine

    def open_with(self, embedder: Embedder) -> Owner:
        """Go on with an engine that has a model, and return the owner as that one sees it."""
        self.embedder = embedder
        self.engine = self.open()
        return self.owner

    def reopen(self) -> Owner:
        """Close every engine, open one, and return the owner as that one sees it."""
        if self.is_durable:
            self.close()
            self.engine = self.open()
        return self.owner

    def beside(self) -> Owner:
        """Return the owner as a second engine sees it, while the first one stays open."""
        return self.open().owner(OWNER) if self.is_durable else self.owner

    def limited(self, quota: Quota) -> Owner:
        """Return the owner as an engine on the same store sees it that allows no more than this."""
        store = self.engine._store  # noqa: SLF001 - a second store would not do where it is memory
        return Engine(store, self.clock, embedder="off", rules=Rules(quota=quota)).owner(OWNER)

    def crowd(self, count: int, work: Callable[[Engine, int], T]) -> list[T]:
        """Do `work` many times at once, each with its number and an engine of its own.

        They are processes; where the store ends with its engine, threads that share one. Return
        what each call of `work` returned.
        """
        if self.is_durable:

            def alone(number: int) -> T:
                engine = self._open_engine(SystemClock(), self.embedder)
                answer = work(engine, number)
                engine.close()
                return answer

            return in_processes(count, alone)
        if not self._is_crowded:
            self.engine = self.open(SystemClock())
            self._is_crowded = True
        return in_threads(count, lambda number: work(self.engine, number))

    def problems(self) -> list[str]:
        """Return what `check` and `verify` find wrong in any owner's data."""
        owners = [self.engine.owner(owner_id) for owner_id in self.engine.owners()]
        return [
            f"{owner.id}: {problem}"
            for owner in owners
            for problem in (*owner.check().problems, *owner.verify().problems)
        ]

    def close(self) -> None:
        """Close every engine."""
        while self._opened:
            self._opened.pop().close()


def said(*contents: str, role: str = "user") -> list[dict[str, Any]]:
    """Return chat items, one for each text."""
    return [{"role": role, "content": content} for content in contents]


def texts(found: Iterable[Message | Memory] | Found) -> list[str]:
    """Return the text of each message, memory or hit."""
    return [each.text for each in (found.hits if isinstance(found, Found) else found)]
