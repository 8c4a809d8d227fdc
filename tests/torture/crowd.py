"""Eight processes that write and read one store, while others sweep, back up and forget.

Nothing that was acknowledged is lost, each one's order is kept, every read sees an unbroken
beginning of what another writes, nobody is told that something is locked, and the last backup
restores to one moment of it.
"""

from __future__ import annotations

import multiprocessing
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from power_fail import fast_folder
from script import KEY, problems_of

import lifelong
from lifelong.conformance import in_processes, said, texts

FORK = multiprocessing.get_context("fork")
WRITERS = 8
SWEEPER, BACKER = WRITERS, WRITERS + 1
OWNERS = ("ana", "bo")
FORGOTTEN_EVERY = 5
KEYED_EVERY = 7


@dataclass(slots=True)
class Done:
    """What one process did.

    Attributes:
        rounds: of a writer, all acknowledged; of the others, how often they did their work.
        reads: of others' sessions.
        facts: the texts remembered for good.
        backup: the last one.
    """

    rounds: int = 0
    reads: int = 0
    facts: list[str] = field(default_factory=list)
    backup: str = ""


def crowd(where: Path, *, seconds: float = 0.0, rounds: int = 0) -> list[Done]:
    """Let all work, for so many seconds or so many rounds, and return what each did.

    Raises:
        AssertionError: something does not hold, or a process failed; it printed why.
    """
    with _opened(where) as engine:
        for owner in OWNERS:
            engine.owner(owner).remember("Likes tea")
    writing = FORK.Value("i", WRITERS)

    def work(number: int) -> Done:
        with _opened(where) as engine:
            if number == SWEEPER:
                return _until_nobody_writes(writing, lambda _: engine.sweep())
            if number == BACKER:
                return _backed_up(engine, where, writing)
            try:
                return _Writer(engine, number).work(seconds, rounds)
            finally:
                with writing.get_lock():
                    writing.value -= 1

    done = in_processes(WRITERS + 2, work, seconds=seconds + 300)
    _require_all(where, done)
    return done


def _opened(where: Path) -> Any:
    return lifelong.open(where, key=KEY, embedder="off")


def _until_nobody_writes(writing: Any, act: Callable[[int], object]) -> Done:
    done = Done()
    while done.rounds == 0 or writing.value > 0:
        act(done.rounds)
        done.rounds += 1
        time.sleep(0.01)
    return done


def _backed_up(engine: Any, where: Path, writing: Any) -> Done:
    def back_up(round_: int) -> None:
        engine.backup(where.with_name(f"backup {round_}"))
        if round_:
            shutil.rmtree(where.with_name(f"backup {round_ - 1}"))

    done = _until_nobody_writes(writing, back_up)
    done.backup = str(where.with_name(f"backup {done.rounds - 1}"))
    return done


class _Writer:
    """One process that writes what nobody else does, and reads what the others write."""

    def __init__(self, engine: Any, number: int) -> None:
        self._owner = engine.owner(OWNERS[number % len(OWNERS)])
        self._number = number
        self._done = Done()
        self._seen: dict[int, int] = {}

    def work(self, seconds: float, rounds: int) -> Done:
        deadline = time.monotonic() + seconds
        while self._done.rounds < rounds or time.monotonic() < deadline:
            self._write(self._done.rounds)
            self._done.rounds += 1
            self._read((self._number + len(OWNERS) * (1 + self._done.rounds % 3)) % WRITERS)
        return self._done

    def _write(self, at: int) -> None:
        name = f"{self._number}/{at}"
        owner = self._owner
        owner.session(f"w{self._number}").append(said(name), ids=[name])
        owner.set(f"n{self._number}", at)
        if at % KEYED_EVERY == 0:
            text = f"The lamp {name} is lit"
            owner.remember(text)
            self._done.facts.append(text)
            soon = datetime.now(UTC) + timedelta(seconds=0.2)
            owner.remember(f"The bell {name} rings", expires_at=soon)
            owner.files.write(f"/memories/{self._number}.md", f"round {at}\n")
        if at % FORGOTTEN_EVERY == 0:
            owner.session(f"f{self._number}").append(said(f"gone {name}"), ids=[f"g{name}"])
            if not owner.forget(f"g{name}", session=f"f{self._number}").counts.get("message"):
                raise AssertionError(f"g{name} was not counted as forgotten")

    def _read(self, other: int) -> None:
        found = texts(self._owner.session(f"w{other}").messages())
        if found != [f"{other}/{at}" for at in range(len(found))]:
            raise AssertionError(f"{self._number} sees no beginning of {other}: {found[-5:]}")
        if len(found) < self._seen.get(other, 0):
            raise AssertionError(f"{self._number} sees less of {other} than before")
        self._seen[other] = len(found)
        self._owner.recall(f"is the lamp {other}/0 lit?", limit=2)
        self._done.reads += 1


def _require_all(where: Path, done: list[Done]) -> None:
    with _opened(where) as engine:
        for number, each in enumerate(done[:WRITERS]):
            owner = engine.owner(OWNERS[number % len(OWNERS)])
            found = texts(owner.session(f"w{number}").messages())
            if found != [f"{number}/{at}" for at in range(each.rounds)]:
                raise AssertionError(f"{number} acknowledged {each.rounds}, {len(found)} are there")
            missing = {*each.facts} - {*texts(owner.memories(include_superseded=True))}
            if missing or owner.get(f"n{number}") != each.rounds - 1:
                raise AssertionError(f"of {number}: {missing}, {owner.get(f'n{number}')}")
            if texts(owner.session(f"f{number}").messages()):
                raise AssertionError(f"what {number} forgot is there")
        for owner_id in OWNERS:
            problems = problems_of(engine.owner(owner_id))
            if problems:
                raise AssertionError(f"check of {owner_id}: {problems}")
        _require_backup(engine, where, done)


def _require_backup(engine: Any, where: Path, done: list[Done]) -> None:
    with _opened(where.with_name("restored")) as other:
        other.restore(done[BACKER].backup, keys=engine)
        for number, each in enumerate(done[:WRITERS]):
            owner = other.owner(OWNERS[number % len(OWNERS)])
            found = texts(owner.session(f"w{number}").messages())
            is_beginning = found == [f"{number}/{at}" for at in range(len(found))]
            if not is_beginning or len(found) > each.rounds:
                raise AssertionError(f"the backup holds no beginning of {number}")
        for owner_id in OWNERS:
            problems = problems_of(other.owner(owner_id))
            if problems:
                raise AssertionError(f"check of {owner_id} in the backup: {problems}")


def torture(seconds: float) -> tuple[list[Done], list[str]]:
    """Let them work for so many seconds; return what was done, and what went wrong."""
    folder = fast_folder()
    try:
        return crowd(folder / "data", seconds=seconds), []
    except (AssertionError, lifelong.LifelongError) as error:
        return [], [f"{type(error).__name__}: {error}\n  replay: python tests/torture crowd"]
    finally:
        shutil.rmtree(folder)
