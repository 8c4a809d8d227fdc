"""Every call to the disk that a standard workload makes, failed once in each way that fits it.

Whatever fails: the error is one of ours, what was acknowledged is there, the operation was done
wholly or not at all, the other owner is as before, the engine that met the fault goes on, and
doing it again does it.
"""

from __future__ import annotations

import errno
import random
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
from beneath import Call, Disk, under
from power_fail import fast_folder
from script import (
    LONG,
    OWNERS,
    VERBS,
    Operation,
    ScriptClock,
    State,
    difference,
    foreseen,
    opened,
    perform,
    problems_of,
    state_of,
)

import lifelong
from lifelong.conformance import said
from lifelong.errors import StoreFull

FILLING = ("append", "append_call", "remember", "set", "file_write", "remember") * 4
OPERATIONS_BEFORE = len(FILLING)
CHOICES = {"set": 121, "supersede": 122}
NUMBERS = {"sweep": 90}
CHOICE = 120
"""Decide when each operation of the workload is done and what it is about, so that it finds any."""

EIO, FULL, LASTING, SHORT, SHORT_FULL = (
    "EIO",
    "ENOSPC",
    "ENOSPC from then on",
    "short",
    "short full",
)
FAULTS: dict[str, tuple[str, ...]] = {
    "open": (EIO,),
    "read": (EIO,),
    "write": (EIO, FULL, LASTING, SHORT, SHORT_FULL),
    "sync": (EIO,),
    "truncate": (EIO,),
    "delete": (EIO,),
    "link": (EIO, LASTING),
    "rename": (EIO, LASTING),
    "unlink": (EIO,),
    "mkdir": (EIO, LASTING),
    "fsync": (EIO, LASTING),
    "create": (EIO, LASTING),
}
"""How each kind of call may fail."""

ONE_FAULT_A_SITE = frozenset("reindex import forget_session rotate sweep fade".split())
"""Hundreds of calls, as the making of a file is: each is failed in one way, in turn; a call of the
rest with EIO, and in one other way."""

_NEEDS_SPACE = frozenset(["write", "link", "rename", "mkdir", "fsync", "create"])


class FailingDisk(Disk):
    """Counts the calls for files beneath `top`, and fails one of them.

    Attributes:
        seen: the kind of each call since it was armed.
    """

    def __init__(self, top: Path) -> None:
        self._top = f"{top.resolve()}/"
        self.seen: list[str] = []
        self.is_counting = False
        self._fails_at = 0
        self._fault = ""

    def arm(self, fails_at: int = 0, fault: str = "") -> None:
        """Count from here; fail call number `fails_at`, from 1; 0 fails none."""
        self.seen, self.is_counting = [], True
        self._fails_at, self._fault = fails_at, fault

    def mend(self) -> None:
        """Fail and count no more."""
        self.is_counting = False

    def before(self, call: Call) -> None:
        """Count, and fail."""
        if not self.is_counting or not call.path.startswith(self._top):
            return
        self.seen.append(call.kind)
        if self._is_short:
            return
        number = len(self.seen)
        is_still_full = self._fault == LASTING and call.kind in _NEEDS_SPACE
        if self._fails_at and (
            number == self._fails_at or (number > self._fails_at and is_still_full)
        ):
            raise _error(call, self._fault)

    @property
    def _is_short(self) -> bool:
        return self._fault in (SHORT, SHORT_FULL)

    def write_instead(self, call: Call) -> bytes:
        """Write a half, when that is the fault."""
        is_now = self.is_counting and len(self.seen) == self._fails_at and self._is_short
        return call.data[: len(call.data) // 2] if is_now else call.data

    def after_short(self, call: Call) -> None:
        """Say that the half was written."""
        raise _error(call, self._fault)


def _error(call: Call, fault: str) -> Exception:
    is_full = fault in (FULL, LASTING, SHORT_FULL)
    if call.is_python:
        number = errno.ENOSPC if is_full else errno.EIO
        return OSError(number, "the disk said no", call.path)
    if is_full:
        return apsw.FullError("the disk is full")
    return apsw.CantOpenError("no") if call.kind == "open" else apsw.IOError("the disk said no")


@dataclass(frozen=True, slots=True)
class Work:
    """One thing of the standard workload.

    Attributes:
        name: of it.
        verb: of `script.VERBS`, or what else is done.
        is_cold: whether the faults begin before anything was opened.
        is_new: whether there is no store yet.
    """

    name: str
    verb: str
    is_cold: bool = False
    is_new: bool = False
    encryption: str = "on"

    @property
    def operation(self) -> Operation:
        """What is done."""
        number = NUMBERS.get(self.verb, OPERATIONS_BEFORE + 1)
        return Operation(number, self.verb, "ana", CHOICES.get(self.verb, CHOICE))

    @property
    def is_long(self) -> bool:
        """Whether it makes hundreds of calls."""
        return self.is_new or self.is_cold or self.verb in ONE_FAULT_A_SITE

    def faults_at(self, number: int, kind: str) -> tuple[str, ...]:
        """Return the ways in which call number `number` is to fail."""
        found = FAULTS[kind]
        if self.is_long:
            return (found[number % len(found)],)
        others = found[1:]
        return (found[0], others[number % len(others)]) if others else found


_READS: dict[str, Callable[[Any], Any]] = {
    "messages": lambda owner: [owner.session(f"s{n}").messages() for n in range(3)],
    "recall": lambda owner: owner.recall("when does the tram leave in Halden?"),
    "known": lambda owner: owner.known(),
    "check": lambda owner: owner.check(),
    "export": lambda owner: list(owner.export()),
}


def workload() -> list[Work]:
    """Return the standard workload: each verb, and the first use of a store in several ways."""
    warm = [Work(verb, verb) for verb in [*VERBS, *_READS]]
    plain = [
        Work(f"{verb}, plain", verb, encryption="off")
        for verb in ("append", "remember", "forget_match", "forget_everything")
    ]
    cold = [
        Work(f"opening, and {verb}", verb, is_cold=True)
        for verb in ("append", "messages", "forget_session", "forget_everything")
    ]
    new = [
        Work("a new store, and append", "append", is_cold=True, is_new=True),
        Work("a new owner, and remember", "remember", is_new=True),
        Work("a new plain store, and set", "set", is_cold=True, is_new=True, encryption="off"),
    ]
    return [*warm, *plain, *cold, *new]


def _do(engine: Any, clock: ScriptClock, work: Work) -> None:
    if work.verb in _READS:
        _READS[work.verb](engine.owner("ana"))
    else:
        perform(engine, clock, work.operation)


@dataclass(slots=True)
class Tally:
    """What was found."""

    sites: int = 0
    cases: int = 0
    faults: list[str] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)


class Trial:
    """One work, to be failed at each of its calls."""

    def __init__(self, work: Work, folder: Path) -> None:
        self.work = work
        self._base = folder / "base"
        self._at = folder / "at"
        self._at.mkdir()
        self._disk = FailingDisk(self._at)
        if not work.is_new:
            with self._open(self._base / "data") as engine:
                chance = random.Random("io-sites")
                for number, verb in enumerate(FILLING, 1):
                    owner, choice = OWNERS[number % 3 % 2], chance.randrange(1 << 30)
                    perform(engine, self._clock, Operation(number, verb, owner, choice))
                engine.owner("ana").session("s0").append(said(*[LONG] * 4))  # to be compacted
        elif not work.is_cold:
            self._open(self._base / "data").close()
        self.before, self.after, self.calls = self._without_fault()

    def _open(self, where: Path) -> Any:
        self._clock = ScriptClock()
        return opened(where, self._clock, self.work.encryption)

    def _copied(self) -> Path:
        shutil.rmtree(self._at)
        if self._base.exists():
            shutil.copytree(self._base, self._at)
        else:
            self._at.mkdir()
        return self._at / "data"

    def _warm(self, engine: Any) -> None:
        for owner in OWNERS:
            engine.owner(owner).stats()

    def _states(self, engine: Any) -> dict[str, State]:
        return {owner: self._state(engine, owner) for owner in OWNERS}

    def _state(self, engine: Any, owner: str) -> State:
        return state_of(engine, owner, self._clock)

    def _without_fault(self) -> tuple[dict[str, State], dict[str, State], list[str]]:
        with self._open(self._copied()) as engine:
            before = self._states(engine)
        where = self._copied()
        with under(self._disk):
            if self.work.is_cold:
                self._disk.arm()
            engine = self._open(where)
            if not self.work.is_cold:
                self._warm(engine)
                self._disk.arm()
            _do(engine, self._clock, self.work)
            self._disk.mend()
            calls = list(self._disk.seen)
            after = self._states(engine)
            engine.close()
        return before, after, calls

    def fail(self, number: int, fault: str) -> str:
        """Fail call number `number` in this way; return what was raised, or nothing.

        Raises:
            AssertionError: something does not hold.
        """
        where = self._copied()
        with under(self._disk):
            engine, raised = self._attempt(where, number, fault)
            try:
                self._judge(engine, raised)
            finally:
                engine.close()
        with self._open(where) as engine:
            # The other owner was looked at in the engine that met the fault.
            self._require({"ana": self._state(engine, "ana")}, self.after, "reopened")
            self._require_clean(engine, "ana")
        return type(raised).__name__ if raised else ""

    def _attempt(self, where: Path, number: int, fault: str) -> tuple[Any, Exception | None]:
        engine, raised = None, None
        if self.work.is_cold:
            self._disk.arm(number, fault)
        try:
            engine = self._open(where)
            if not self.work.is_cold:
                self._warm(engine)
                self._disk.arm(number, fault)
            _do(engine, self._clock, self.work)
        except lifelong.LifelongError as error:
            raised = error
        finally:
            self._disk.mend()
        return engine or self._open(where), raised

    def _judge(self, engine: Any, raised: Exception | None) -> None:
        states = self._states(engine)
        self._require_clean(engine, "ana")
        is_done = states["ana"] == self.after["ana"]
        is_undone = states["ana"] == self.before["ana"]
        self._require({"bo": states["bo"]}, self.before, "the other owner")
        if raised is None:
            self._require(states, self.after, "no error")
            return
        if self.work.operation.is_atomic and not (is_done or is_undone):
            lines = difference(states["ana"], self.before["ana"])
            raise AssertionError(f"half done after {raised!r}: {lines}")
        if isinstance(raised, StoreFull) and self.work.operation.is_atomic and not is_undone:
            raise AssertionError(f"done, and yet {raised!r}")
        if not is_done or self.work.verb in _READS:
            _do(engine, self._clock, self.work)
            self._require({"ana": self._state(engine, "ana")}, self.after, "done again")

    def _require(self, found: dict[str, State], wanted: dict[str, State], when: str) -> None:
        for owner, state in found.items():
            if state != wanted[owner]:
                raise AssertionError(f"{when}: {owner}: {difference(state, wanted[owner])}")

    def _require_clean(self, engine: Any, *owners: str) -> None:
        for owner in owners:
            problems = problems_of(engine.owner(owner))
            if problems:
                raise AssertionError(f"check of {owner}: {problems}")


def torture(
    name: str, *, every: int = 1, first: int = 0, only: tuple[int, str] | None = None
) -> Tally:
    """Fail the calls of a work.

    Args:
        name: of the work.
        every: of so many calls one.
        first: of so many, which.
        only: the number of the one call, and how it fails.
    """
    tally = Tally()
    (work,) = [work for work in workload() if work.name == name]
    folder = fast_folder()
    try:
        with foreseen(name):
            _tortured(Trial(work, folder), tally, first=first, every=every, only=only)
    finally:
        shutil.rmtree(folder)
    return tally


def _tortured(
    trial: Trial, tally: Tally, *, first: int, every: int, only: tuple[int, str] | None
) -> None:
    if only is not None:
        tally.sites, tally.cases = 1, 1
        _judged(trial, tally, *only)
        return
    for number, kind in enumerate(trial.calls, 1):
        if number % every == first:
            tally.sites += 1
            for fault in trial.work.faults_at(number, kind):
                tally.cases += 1
                _judged(trial, tally, number, fault)


def _judged(trial: Trial, tally: Tally, number: int, fault: str) -> None:
    try:
        tally.errors[trial.fail(number, fault)] += 1
    except (AssertionError, apsw.Error, OSError, lifelong.LifelongError) as error:
        name, kind = trial.work.name, trial.calls[number - 1]
        tally.faults.append(
            f"{name}, call {number} ({kind}), {fault}: {type(error).__name__}: {error}\n  replay:"
            f" python tests/torture io-sites --work '{name}' --site {number} --fault '{fault}'"
        )
