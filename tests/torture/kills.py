"""Real kills: a process writes and acknowledges, and is killed at a random moment.

It works through a script on a store that lives through all cycles. A witness in memory does the
same operations undisturbed; after each kill the store must be as the witness was before the
operation that was not acknowledged, or as it is after it.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from power_fail import fast_folder
from script import (
    ENCRYPTIONS,
    OWNERS,
    Operation,
    ScriptClock,
    difference,
    foreseen,
    opened,
    perform,
    problems_of,
    script,
    state_of,
)

import lifelong

FORK = multiprocessing.get_context("fork")
CYCLES_PER_STORE = 25
"""Then another store is begun, so that it does not grow without end."""

OPERATIONS_PER_CYCLE = 60
SECONDS_MAX = 60.0
LATEST_SECONDS = 0.1


@dataclass(slots=True)
class Tally:
    """What was found."""

    cycles: int = 0
    acknowledged: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def killed(work: Callable[[Connection], None], *, after: int, seconds: float) -> list[Any]:
    """Run `work` in a process; kill it some seconds after so many answers; return all answers."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=work, args=(sender,), daemon=True)
    process.start()
    sender.close()
    answers: list[Any] = []
    try:
        while len(answers) < after and receiver.poll(SECONDS_MAX):
            answers.append(receiver.recv())
        time.sleep(seconds)
        os.kill(process.pid or 0, signal.SIGKILL)
        while receiver.poll(SECONDS_MAX):
            answers.append(receiver.recv())
    except (EOFError, ProcessLookupError):
        pass
    process.join(SECONDS_MAX)
    if process.exitcode not in (0, -signal.SIGKILL):
        answers.append(None)
    return answers


class Store:
    """One store, its witness, and how far both are."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed = seed
        self.encryption = ENCRYPTIONS[seed % 2]
        self._where = folder / "data"
        self._witness_clock = ScriptClock()
        self._witness = opened("memory:", self._witness_clock)
        self._number = 0

    def cycle(self, cycle: int, tally: Tally) -> None:
        """Let a process write, kill it, and judge.

        Raises:
            AssertionError: something does not hold.
        """
        chance = random.Random(f"kill {self.seed} {cycle}")
        operations = script(f"{self.seed} {cycle}", OPERATIONS_PER_CYCLE, first=self._number + 1)

        def work(sender: Connection) -> None:
            clock, names = ScriptClock(), foreseen(f"child {self.seed} {cycle}")
            with names, opened(self._where, clock, self.encryption) as engine:
                for operation in operations:
                    perform(engine, clock, operation)
                    sender.send(operation.number)

        answers = killed(
            work, after=chance.randrange(4), seconds=chance.random() ** 2 * LATEST_SECONDS
        )
        if None in answers:
            raise AssertionError("the process failed by itself; it printed why")
        tally.acknowledged += len(answers)
        for operation in operations[: len(answers)]:
            perform(self._witness, self._witness_clock, operation)
        self._number += len(answers)
        rest = operations[len(answers) :]
        tally.outcomes[self._judge(rest[0] if rest else None)] += 1

    def _judge(self, doing: Operation | None) -> str:
        """Open the store again, and bring it and its witness to one state."""
        clock = ScriptClock()
        with opened(self._where, clock, self.encryption) as engine:
            found = {owner: state_of(engine, owner, clock) for owner in OWNERS}
            self._require_clean(engine)
            outcome = self._outcome(found, doing)
            if doing is not None and outcome != "not done":
                perform(self._witness, self._witness_clock, doing)
                self._number += 1
                if outcome == "in part":
                    perform(engine, clock, doing)
                    self._require_clean(engine)
                state, wanted = state_of(engine, doing.owner, clock), self._wanted(doing.owner)
                if state != wanted:
                    raise AssertionError(f"{doing.verb}, {outcome}: {difference(state, wanted)}")
        return outcome

    def _outcome(self, found: dict[str, Any], doing: Operation | None) -> str:
        differing = [owner for owner in OWNERS if found[owner] != self._wanted(owner)]
        if not differing:
            return "not done"
        if doing is None or differing != [doing.owner]:
            lines = difference(found[differing[0]], self._wanted(differing[0]))
            raise AssertionError(f"what was acknowledged is not there: {lines}")
        return "done" if doing.is_atomic else "in part"

    def _wanted(self, owner: str) -> Any:
        return state_of(self._witness, owner, self._witness_clock)

    def _require_clean(self, engine: Any) -> None:
        for owner in OWNERS:
            problems = problems_of(engine.owner(owner))
            if problems:
                raise AssertionError(f"check of {owner}: {problems}")

    def close(self) -> None:
        """Let go of the witness."""
        self._witness.close()


def torture(seed: int, cycles: int = CYCLES_PER_STORE) -> Tally:
    """Kill so many processes that write into one store."""
    tally = Tally()
    folder = fast_folder()
    with foreseen(seed):
        store = Store(seed, folder)
        try:
            for cycle in range(cycles):
                tally.cycles += 1
                store.cycle(cycle, tally)
        except (AssertionError, lifelong.LifelongError) as error:
            tally.faults.append(
                f"encryption {store.encryption}, cycle {tally.cycles}: {type(error).__name__}:"
                f" {error}\n  replay: python tests/torture kills --seed {seed} (a moment of chance)"
            )
        finally:
            store.close()
            shutil.rmtree(folder)
    return tally
