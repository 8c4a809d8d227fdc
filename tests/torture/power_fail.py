"""Power failures: a recorded workload, broken off anywhere, with any of the unsynced writes.

Each image must open through the public API, hold all that was acknowledged, hold what was being
done wholly or not at all, be clean under `check`, and be writable.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
from recording_vfs import WAYS, Recording, Replayed, lay_out, recorded
from script import (
    ENCRYPTIONS,
    OWNERS,
    START,
    Operation,
    ScriptClock,
    State,
    difference,
    foreseen,
    opened,
    perform,
    problems_of,
    script,
    state_of,
)

import lifelong
from lifelong.log import stored_entry
from lifelong.rows import StoredMessage
from lifelong.stores.sqlite import migrations
from lifelong.stores.sqlite.connection import connect
from lifelong.stores.sqlite.log import insert_index

IMAGES_PER_RECORDING = 250
OPERATIONS_BEFORE, OPERATIONS = 18, 12
WRITES = ("append", "append_call", "remember", "set")
KINDS = ("script", "script", "script", "first", "migration", "everything")
"""What is recorded in turn: a script in a store that is there; a new directory with new owners; an
owner's file of an older schema; owners who are forgotten whole."""

REOPENED, DONE_AGAIN = 6, 3
"""Of so many images one is opened a second time; in one, what was not done is done again."""

_SENTENCE = re.compile(rb"[a-z]+ number \d+ in [A-Z][a-z]+")
"""What the texts of a script have in them, each another."""

OLD_MESSAGES = 12
_OLD_ROWS = """
INSERT INTO session (no, id, created_at) VALUES (1, 's0', 0);
INSERT INTO state VALUES ('v', '{"n": 1}', 0);
UPDATE session SET last_seq = 12;
"""

OPENING = Operation(0, "open", "", 0)


@dataclass(slots=True)
class Recorded:
    """A recording, and what must be found in its images.

    Attributes:
        states: of each owner after so many acknowledgements.
        steps: what was being done after so many.
    """

    kind: str
    encryption: str
    recording: Recording
    steps: list[Operation]
    states: list[dict[str, State]] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """What was found."""

    images: int = 0
    faults: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class Fault(AssertionError):
    """An image is not as it must be."""


def fast_folder() -> Path:
    """Return a new folder on a disk in memory, where there is one."""
    shared = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="lifelong-", dir=shared if shared.is_dir() else None))


def record(seed: int, folder: Path) -> Recorded:
    """Make and run the workload of a seed."""
    kind, encryption = KINDS[seed % len(KINDS)], ENCRYPTIONS[seed // len(KINDS) % 2]
    top, clock = folder / "recorded", ScriptClock()
    top.mkdir()
    with foreseen(seed):
        operations = _prepare(kind, seed, top / "data", encryption)
        # What is there at first is read from a copy: reading may bring the schema up to date.
        start = _state_of_copy(top, encryption)
        with recorded(top) as (recording, recorder):
            found = Recorded(kind, encryption, recording, [OPENING, *operations], [start])
            with opened(top / "data", clock, encryption) as engine:
                _acknowledge(found, recorder, engine, clock)
                for operation in operations:
                    perform(engine, clock, operation)
                    _acknowledge(found, recorder, engine, clock)
    shutil.rmtree(top)
    return found


def _acknowledge(found: Recorded, recorder: Any, engine: Any, clock: ScriptClock) -> None:
    recorder.mark(len(found.states))
    found.states.append({owner: state_of(engine, owner, clock) for owner in OWNERS})


def _prepare(kind: str, seed: int, where: Path, encryption: str) -> list[Operation]:
    """Make the store that the workload begins with, and return the operations to record."""
    first = OPERATIONS_BEFORE + 1
    if kind == "first":
        return script(seed, OPERATIONS // 2, first=first, verbs=WRITES)
    if kind == "migration":
        _make_old(where, seed, encryption)
        return script(seed, OPERATIONS // 2, first=first)
    with opened(where, clock := ScriptClock(), encryption) as engine:
        for operation in script(f"before {seed}", OPERATIONS_BEFORE):
            perform(engine, clock, operation)
    if kind == "everything":
        verbs = ("forget_everything", "append", "remember", "forget_everything")
        return script(seed, OPERATIONS // 2, first=first, verbs=verbs)
    return script(seed, OPERATIONS, first=first)


def _make_old(where: Path, seed: int, encryption: str) -> None:
    """Make a store as an older lifelong left it: what its schema knew is filled."""
    newest = migrations.steps
    version = 1 + seed // len(KINDS) % (len(newest()) - 1)
    old = tuple(step for step in newest() if step[0] <= version)
    migrations.steps = lambda: old
    try:
        with opened(where, ScriptClock(), encryption) as engine:
            made = [engine._store._files.find_or_make(owner) for owner in OWNERS]
    finally:
        migrations.steps = newest
    for file in made:
        connection = connect(file.path, file.key, now=lambda: START)
        with connection:
            connection.execute(_OLD_ROWS)
            for seq in range(1, OLD_MESSAGES + 1):
                _add_message(connection, seq)
        connection.close()


def _add_message(connection: apsw.Connection, seq: int) -> None:
    """Store a message as the first schema has it, by hand."""
    id, text = f"old {seq}", f"tram number {seq} in Oslo is late"
    payload = json.dumps({"role": "user", "content": text})
    connection.execute(
        "INSERT INTO message VALUES (?, 1, ?, 'user', 2, NULL, 0, 0, 'chat', ?)", (seq, id, payload)
    )
    stored = StoredMessage(seq, "s0", id, "user", None, START, START, "chat", payload)
    insert_index(connection, [(seq, 1, stored_entry(stored))])


def _state_of_copy(top: Path, encryption: str) -> dict[str, State]:
    if not (top / "data").exists():
        with opened("memory:", ScriptClock()) as engine:
            return {owner: state_of(engine, owner, ScriptClock()) for owner in OWNERS}
    copy = top.with_name("copy")
    shutil.copytree(top / "data", copy)
    try:
        with opened(copy, clock := ScriptClock(), encryption) as engine:
            return {owner: state_of(engine, owner, clock) for owner in OWNERS}
    finally:
        shutil.rmtree(copy)


@dataclass(frozen=True, slots=True)
class Point:
    """Where an image is cut, and how."""

    number: int
    at: int
    way: str


def points(seed: int, events: int, images: int) -> list[Point]:
    """Return where the images of a recording are cut, in the order of the recording."""
    chance = random.Random(f"points {seed}")
    found = [
        Point(number, chance.randrange(events + 1), chance.choice(WAYS)) for number in range(images)
    ]
    return sorted(found, key=lambda point: point.at)


def torture(seed: int, images: int, only: int | None = None) -> Tally:
    """Judge images of the recording of a seed; with `only`, the one of this number."""
    tally = Tally()
    folder = fast_folder()
    try:
        found = record(seed, folder)
        replayed = Replayed(found.recording)
        for point in points(seed, len(found.recording.events), images):
            if only in (None, point.number):
                replayed.advance(point.at)
                top = folder / f"image {point.number}"
                top.mkdir()
                lay_out(replayed.image(point.way, f"{seed} {point.number}"), top)
                _judged(found, len(replayed.marks), top, point, seed, tally)
                shutil.rmtree(top)
    finally:
        shutil.rmtree(folder)
    return tally


def _judged(
    found: Recorded, acknowledged: int, top: Path, point: Point, seed: int, tally: Tally
) -> None:
    tally.images += 1
    tally.counts[found.kind] += 1
    try:
        tally.counts[judge(found, acknowledged, top)] += 1
    except (AssertionError, lifelong.LifelongError, OSError) as error:
        replay = f"python tests/torture power-fail --seed {seed} --image {point.number}"
        done = found.steps[acknowledged - 1].verb if acknowledged else "nothing"
        tally.faults.append(
            f"{found.kind}, encryption {found.encryption}, event {point.at}, {point.way}, after"
            f" {done}: {type(error).__name__}: {error}\n  replay: {replay}"
        )


def judge(found: Recorded, acknowledged: int, top: Path) -> str:
    """Hold an image against what must be there; return what became of what was being done.

    Raises:
        Fault: it is not as it must be.
    """
    doing = found.steps[acknowledged] if acknowledged < len(found.steps) else None
    clock = ScriptClock()
    _require_erased(found, acknowledged, top)
    with foreseen(top), _engine(found, top, clock) as engine:
        outcome = _outcome(found, acknowledged, engine, clock)
        number = int(top.name.rpartition(" ")[2])
        if doing and doing is not OPENING and outcome == "not done" and number % DONE_AGAIN == 0:
            perform(engine, clock, doing)
            state, wanted = state_of(engine, doing.owner, clock), found.states[acknowledged + 1]
            if state != wanted[doing.owner]:
                lines = difference(state, wanted[doing.owner])
                raise Fault(f"{doing.verb} was done again, and {doing.owner} is not right: {lines}")
            _require_clean(engine.owner(doing.owner))
        engine.owner("ana").set("probe", str(top))
        engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
    if number % REOPENED == 0:
        with _engine(found, top, clock) as engine:
            if engine.owner("ana").get("probe") != str(top):
                raise Fault("what was written afterwards is not there")
    if outcome == "done" or number % DONE_AGAIN == 0:
        _require_erased(found, acknowledged + 1, top)
    return outcome if doing else "all done"


def _outcome(found: Recorded, acknowledged: int, engine: Any, clock: ScriptClock) -> str:
    """Return whether what was being done is there; refuse a half, and any other difference."""
    before, (after, *_) = found.states[acknowledged], found.states[acknowledged + 1 :] or [{}]
    doing = found.steps[acknowledged] if after else None
    outcome = "done"
    for owner in OWNERS:
        state = state_of(engine, owner, clock)
        if state != (after or before)[owner]:
            outcome = "not done"
            may_be_in_part = doing is not None and not doing.is_atomic and owner == doing.owner
            if state != before[owner] and not may_be_in_part:
                raise Fault(f"{owner}: {difference(state, before[owner])}")
        _require_clean(engine.owner(owner))
    return outcome


def _require_erased(found: Recorded, acknowledged: int, top: Path) -> None:
    """Refuse an image that still holds what an acknowledged operation took away."""
    if found.encryption == "on":
        return
    acknowledged = min(acknowledged, len(found.states) - 1)
    gone = _sentences(found.states[:acknowledged]) - _sentences([found.states[acknowledged]])
    for path in sorted(top.rglob("*")):
        left = gone & set(_SENTENCE.findall(path.read_bytes())) if path.is_file() else set()
        if left:
            shown = b", ".join(sorted(left)[:3]).decode()
            raise Fault(f"{path.relative_to(top)} still holds {len(left)} texts: {shown}")


def _sentences(states: list[dict[str, State]]) -> set[bytes]:
    return {
        sentence
        for state in states
        for lines in state.values()
        for line in lines
        for sentence in _SENTENCE.findall(line.encode())
    }


@contextmanager
def _engine(found: Recorded, top: Path, clock: ScriptClock) -> Iterator[Any]:
    with opened(top / "data", clock, found.encryption) as engine:
        yield engine


def _require_clean(owner: Any) -> None:
    problems = problems_of(owner)
    if problems:
        raise Fault(f"check: {problems}")
