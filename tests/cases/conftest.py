"""The three stores that every case runs on, and a way to damage what one of them holds."""

import json

import pytest

import lifelong
from lifelong.clock import ManualClock
from lifelong.conformance import OWNER, Place

PLACES = ("encrypted", "plain", "memory")


@pytest.fixture(params=PLACES)
def place(request, tmp_path):
    """A place of its own for each test, with no problem in it afterwards."""
    options = {"encryption": "off"} if request.param == "plain" else {}
    where = "memory:" if request.param == "memory" else tmp_path / "data"
    place = Place(
        lambda clock, embedder: lifelong.open(where, clock=clock, embedder=embedder, **options),
        is_durable=request.param != "memory",
    )
    place.directory = None if request.param == "memory" else where
    place.is_encrypted = request.param == "encrypted"
    place.may_have_problems = False
    yield place
    problems = place.problems()
    place.close()
    assert place.may_have_problems or problems == []


@pytest.fixture
def damage(place):
    """A function that runs SQL in the owner's file, as a fault of the disk or a stranger might."""

    def execute(sql, *bound):
        place.may_have_problems = True
        opened = place.engine._store.open_owner(OWNER, may_make=False)
        with opened.pool.write() as connection:
            connection.execute(sql, bound)
            assert connection.changes() > 0

    return execute


@pytest.fixture
def exported(tmp_path):
    """A function that writes lines of an export, changed or not, and returns the file."""

    def write(lines, name="export.jsonl"):
        file = tmp_path / name
        kept = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        file.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        return file

    return write


@pytest.fixture
def copy(tmp_path):
    """A function that opens a new store with a clock of its own, and returns its owner."""
    engines = []

    def open_new(place, **options):
        clock = ManualClock(place.clock.now(), seed=len(engines) + 7)
        where = tmp_path / f"copy{len(engines)}"
        engines.append(lifelong.open(where, clock=clock, embedder="off", **options))
        return engines[-1].owner("bo")

    yield open_new
    problems = [engine.owner("bo").check().problems for engine in engines]
    for engine in engines:
        engine.close()
    assert problems == [()] * len(engines)
