"""Forgetting that is broken off: by a kill, or by an error, at every call of every kind of forget.

A call is a write, sync, truncate, removal of a file, or a statement that the store executes. After
opening again the thing is wholly there, and no receipt claims it, or wholly gone, with one
receipt that is complete and counts what an undisturbed run counts; forgetting again completes it;
other owners are as they were; and no byte of what is gone is in any file.
"""

from __future__ import annotations

import errno
import multiprocessing
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
from beneath import Call, Disk, under
from power_fail import fast_folder
from script import (
    OWNERS,
    START,
    ScriptClock,
    State,
    difference,
    foreseen,
    opened,
    problems_of,
    state_of,
)

import lifelong
from lifelong.conformance import said

FORK = multiprocessing.get_context("fork")
SENTINEL = "zqxvarnish"
OTHERS = {"ana": SENTINEL, "bo": "zqxbasalt"}
KEPT = "kept"
SECONDS_MAX = 60.0
CALLS_MAX = 5_000
KILLED, RAISED = WAYS = ("killed", "raised")
DISK, STATEMENTS = SITES = ("disk", "statements")
_TOUCHING = frozenset(["write", "sync", "truncate", "delete", "unlink"])

_WORDS = ("tram", "title", "talk", "tea", "key", "bill", "value", "in")
"""Each stands after the sentinel in one place of an owner's."""

Forget = Callable[[Any], Any]


def _memory_id(owner: Any) -> str:
    return next(m.id for m in owner.memories() if SENTINEL in m.text and m.namespace == ())


KINDS: dict[str, Forget] = {
    "message": lambda owner: owner.forget("m1", session="s"),
    "memory": lambda owner: owner.forget(_memory_id(owner)),
    "session": lambda owner: owner.forget(session="s"),
    "match": lambda owner: owner.forget(match=SENTINEL),
    "namespace": lambda owner: owner.forget(namespace=("secret",)),
    "channel": lambda owner: owner.forget(channel="document"),
    "source": lambda owner: owner.forget(source="a letter"),
    "before": lambda owner: owner.forget(before=START + timedelta(minutes=5)),
    "state": lambda owner: owner.forget(state=SENTINEL),
    "file": lambda owner: owner.forget(file="/memories/secret"),
    "everything": lambda owner: owner.forget(everything=True),
}


def fill(engine: Any, clock: ScriptClock) -> None:
    """Give the owner a sentinel in each place, and something to keep beside it."""
    for number, owner_id in enumerate(OWNERS):
        owner, word = engine.owner(owner_id), OTHERS[owner_id]
        clock.at(1 + 20 * number)
        lines = [f"{word} tram {at}" if at % 2 else f"{KEPT} soup {at}" for at in range(6)]
        owner.session("s").append(said(*lines), ids=[f"m{at}" for at in range(6)])
        owner.session("t").append(said(f"{word} title", f"{KEPT} bread"), ids=["t0", "t1"])
        owner.session("s").describe(title=f"{word} talk")
        owner.remember(f"Likes {word} tea", origin=lifelong.Origin("user", parents=("m1",)))
        owner.remember(f"The {word} key is blue", namespace=("secret", "home"))
        letter = lifelong.Origin("document", source="a letter")
        owner.remember(f"The {word} bill is paid", origin=letter)
        owner.set(word, {"what": f"{word} value"})
        owner.files.write("/memories/secret/a.md", f"{word} in a file\n")
        owner.files.write("/memories/secret/a.md", f"{word} in a file, again\n")
        clock.at(10 + 20 * number)
        owner.remember(f"Likes {KEPT} coffee with milk")
        owner.files.write("/memories/kept.md", f"{KEPT} in a file\n")
        owner.reindex(words=False)


class BreakingDisk(Disk):
    """Counts what is done to the disk and executed by the store, and breaks off at one of it."""

    def __init__(self) -> None:
        self.count = 0
        self.breaks_at = 0
        self.break_off: Callable[[bool], None] = lambda _: None
        self.site = ""

    def arm(self, site: str, breaks_at: int, break_off: Callable[[bool], None]) -> None:
        """Count from here."""
        self.site, self.count, self.breaks_at, self.break_off = site, 0, breaks_at, break_off

    def before(self, call: Call) -> None:
        """Count a call to the disk."""
        if call.kind in _TOUCHING:
            self._touch(DISK, is_python=call.is_python)

    def statement(self, *_: Any) -> bool:
        """Count a statement; SQLite's tracer wants to know whether it may go on."""
        self._touch(STATEMENTS)
        return True

    def _touch(self, site: str, *, is_python: bool = False) -> None:
        if site == self.site:
            self.count += 1
            if self.count == self.breaks_at:
                self.break_off(is_python)


def _fail(is_python: bool) -> None:
    raise OSError(errno.EIO, "the disk said no") if is_python else apsw.IOError("the disk said no")


def _die(_: bool) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def _beneath(disk: BreakingDisk) -> Iterator[None]:
    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = disk.statement

    apsw.connection_hooks.append(watch)
    try:
        with under(disk):
            yield
    finally:
        apsw.connection_hooks.remove(watch)
        disk.arm("", 0, lambda _: None)


@dataclass(slots=True)
class Tally:
    """What was found."""

    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class Trial:
    """One kind of forget, to be broken off at each of its calls."""

    def __init__(self, kind: str, encryption: str, folder: Path) -> None:
        self.kind = kind
        self._forget = KINDS[kind]
        self.encryption = encryption
        self._base, self._at = folder / "base", folder / "at"
        self._disk = BreakingDisk()
        with self._open(self._base) as engine:
            fill(engine, self._clock)
            self.before = self._states(engine)
        with self._open(self._copied()) as engine:
            receipt = self._do(engine)
            self.counts = dict(receipt.counts)
            self.after = self._states(engine)
            self._gone = self._sentences(self.before) - self._sentences(self.after)

    def _open(self, where: Path) -> Any:
        self._clock = ScriptClock()
        return opened(where, self._clock, self.encryption)

    def _copied(self) -> Path:
        shutil.rmtree(self._at, ignore_errors=True)
        shutil.copytree(self._base, self._at)
        return self._at

    def _do(self, engine: Any) -> Any:
        self._clock.at(50)
        return self._forget(engine.owner("ana"))

    def _states(self, engine: Any) -> dict[str, State]:
        return {owner: self._state(engine, owner) for owner in OWNERS}

    def _state(self, engine: Any, owner: str) -> State:
        return state_of(engine, owner, self._clock)

    def _warm(self, engine: Any) -> None:
        for owner in OWNERS:
            engine.owner(owner).stats()

    def _sentences(self, states: dict[str, State]) -> set[bytes]:
        found = " ".join(line for state in states.values() for line in state)
        wanted = [SENTINEL, *(f"{SENTINEL} {word}" for word in _WORDS)]
        return {text.encode() for text in wanted if text in found}

    def break_off(self, site: str, number: int, way: str) -> str:
        """Break off at call `number`; return what became of it, or nothing when it was over.

        Raises:
            AssertionError: something does not hold.
        """
        where = self._copied()
        is_over = self._killed(where, site, number) if way == KILLED else False
        if way == RAISED:
            is_over = self._raised(where, site, number)
        outcome = self._judge(where)
        return "" if is_over else outcome

    def _raised(self, where: Path, site: str, number: int) -> bool:
        with _beneath(self._disk), self._open(where) as engine:
            self._warm(engine)
            self._disk.arm(site, number, _fail)
            try:
                receipt = self._do(engine)
            except lifelong.LifelongError:
                receipt = None
            is_over = self._disk.count < number
            self._disk.arm("", 0, _fail)
            # The engine that met the error goes on, and what it says is true.
            state = self._state(engine, "ana")
            if receipt is not None and (state != self.after["ana"] or not receipt.counts):
                raise AssertionError(f"a receipt of {dict(receipt.counts)}, and it is not gone")
            self._require(engine.owner("ana"))
        return is_over

    def _killed(self, where: Path, site: str, number: int) -> bool:
        def work() -> None:
            with _beneath(self._disk), self._open(where) as engine:
                self._warm(engine)
                self._disk.arm(site, number, _die)
                self._do(engine)
                self._disk.arm("", 0, _die)

        process = FORK.Process(target=work, daemon=True)
        process.start()
        process.join(SECONDS_MAX)
        if process.exitcode not in (0, -signal.SIGKILL):
            process.kill()
            raise AssertionError(f"the process ended with {process.exitcode}")
        return process.exitcode == 0

    def _judge(self, where: Path) -> str:
        with self._open(where) as engine:
            states = self._states(engine)
            if states["bo"] != self.before["bo"]:
                raise AssertionError("the other owner is not as before")
            if states["ana"] not in (self.before["ana"], self.after["ana"]):
                raise AssertionError(f"half gone: {difference(states['ana'], self.before['ana'])}")
            is_gone = states["ana"] == self.after["ana"]
            self._require(engine.owner("ana"))
            self._require_receipts(engine.owner("ana"), int(is_gone))
            if not is_gone:
                self._do(engine)
                if self._state(engine, "ana") != self.after["ana"]:
                    raise AssertionError("forgetting again did not complete it")
                self._require_receipts(engine.owner("ana"), 1)
            engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
            self._require_erased(where)  # while it is open, with its WAL
        return "gone" if is_gone else "there"

    def _require(self, owner: Any) -> None:
        problems = problems_of(owner)
        if problems:
            raise AssertionError(f"check: {problems}")

    def _require_receipts(self, owner: Any, count: int) -> None:
        found = owner.receipts()
        if len(found) != count:
            raise AssertionError(f"{len(found)} receipts, and {count} would be right")
        for receipt in found:
            if dict(receipt.counts) != self.counts:
                raise AssertionError(f"it counts {dict(receipt.counts)}, and not {self.counts}")
            if receipt.is_pending:
                raise AssertionError("a receipt is pending, and nobody reads an old state")
            lifelong.verify_receipt(receipt, owner_id="ana")

    def _require_erased(self, where: Path) -> None:
        if self.encryption == "on":
            return
        for path in sorted(where.rglob("*")):
            content = path.read_bytes() if path.is_file() else b""
            left = sorted(text for text in self._gone if text in content)
            if left:
                raise AssertionError(f"{path.name} still holds {left}")


def torture(
    kind: str, encryption: str, *, site: str, way: str, every: int = 1, only: int | None = None
) -> Tally:
    """Break off a kind of forget at its calls; with `every`, at one of so many."""
    tally = Tally()
    folder = fast_folder()
    with foreseen(f"{kind} {encryption}"):
        try:
            trial = Trial(kind, encryption, folder)
            first = only or 1 + len(kind) % every
            for number in range(first, first + 1 if only else CALLS_MAX, every):
                tally.cases += 1
                outcome = _broken_off(trial, tally, site, number, way)
                if not outcome:
                    break
                tally.outcomes[outcome] += 1
        finally:
            shutil.rmtree(folder)
    return tally


def _broken_off(trial: Trial, tally: Tally, site: str, number: int, way: str) -> str:
    try:
        return trial.break_off(site, number, way)
    except (AssertionError, lifelong.LifelongError, OSError) as error:
        tally.faults.append(
            f"forget {trial.kind}, encryption {trial.encryption}, {way} at call {number} ({site}):"
            f" {type(error).__name__}: {error}\n  replay: python tests/torture forget-killed"
            f" --kind {trial.kind} --encryption {trial.encryption} --at {site} --way {way}"
            f" --site {number}"
        )
        return "a fault"
