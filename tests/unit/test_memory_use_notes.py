"""Uses: noted in memory, written together, never in the way of a recall."""

from collections import Counter
from datetime import timedelta
from threading import Thread

import pytest
from kept import NOW

from lifelong.errors import StoreFull
from lifelong.memory.use_notes import IDS_MAX, OLDEST_MAX, RECALLS_MAX, Use, UseNotes


class Disk:
    """Takes uses, and counts its transactions."""

    def __init__(self):
        self.written = []
        self.is_full = False

    def __call__(self, owner_id, uses):
        if self.is_full:
            raise StoreFull
        self.written.append((owner_id, list(uses)))


@pytest.fixture
def disk():
    return Disk()


@pytest.fixture
def notes(disk):
    return UseNotes(disk)


def test_uses_are_written_together_the_latest_time_of_each(notes, disk):
    later = NOW + timedelta(seconds=5)
    notes.note("ana", ["a", "b"], NOW)
    notes.note("ana", ["a"], later)
    notes.note("ana", ["b"], NOW - timedelta(seconds=5))
    notes.note("ben", ["a"], NOW)
    notes.note("ben", [], NOW)
    assert disk.written == []
    assert len(notes) == 3
    assert notes.write() == 3
    assert disk.written == [
        ("ana", [Use("a", later, 2), Use("b", NOW, 2)]),
        ("ben", [Use("a", NOW, 1)]),
    ]
    assert notes.write() == len(notes) == 0
    assert len(disk.written) == 2


def test_they_are_written_after_a_number_of_recalls(notes, disk):
    for _ in range(RECALLS_MAX - 1):
        notes.note("ana", ["a"], NOW)
    assert disk.written == []
    notes.note("ana", ["b"], NOW)
    assert disk.written == [("ana", [Use("a", NOW, RECALLS_MAX - 1), Use("b", NOW, 1)])]
    notes.note("ana", ["a"], NOW)
    assert len(disk.written) == 1


def test_they_are_written_when_the_oldest_is_some_minutes_old(notes, disk):
    notes.note("ana", ["a"], NOW)
    notes.note("ana", ["b"], NOW + OLDEST_MAX - timedelta(seconds=1))
    assert disk.written == []
    notes.note("ana", ["c"], NOW + OLDEST_MAX)
    assert len(disk.written) == 1
    notes.note("ana", ["a"], NOW + OLDEST_MAX + timedelta(seconds=1))
    assert len(disk.written) == 1
    # A clock that is set back does no harm.
    notes.note("ana", ["b"], NOW - timedelta(days=900))
    assert len(notes) == 2


def test_they_are_bounded(notes, disk):
    notes.note("ana", map(str, range(IDS_MAX - 1)), NOW)
    assert len(notes) == IDS_MAX - 1
    notes.note("ben", ["x"], NOW)
    assert len(notes) == 0
    assert sum(len(uses) for _, uses in disk.written) == IDS_MAX


def test_a_full_disk_fails_no_recall_and_keeps_nothing(notes, disk):
    disk.is_full = True
    for number in range(3 * RECALLS_MAX):
        notes.note("ana", [str(number)], NOW)
    assert len(notes) == 0
    notes.note("ana", ["late"], NOW)
    disk.is_full = False
    assert notes.write() == 1
    assert disk.written == [("ana", [Use("late", NOW, 1)])]


def test_one_owner_that_cannot_be_written_leaves_the_others():
    written = []

    def write(owner_id, uses):
        if owner_id == "ana":
            raise StoreFull
        written.append((owner_id, len(uses)))

    notes = UseNotes(write)
    for owner_id in ("ana", "ben"):
        notes.note(owner_id, ["a"], NOW)
    assert notes.write() == 1
    assert written == [("ben", 1)]


def test_of_whom_something_was_forgotten_nothing_is_kept(notes, disk):
    notes.note("ana", ["a", "b"], NOW)
    notes.note("ben", ["c"], NOW)
    notes.drop("ana")
    notes.drop("nobody")
    assert len(notes) == 1
    notes.write()
    assert [owner_id for owner_id, _ in disk.written] == ["ben"]


def test_threads_lose_no_use_and_count_none_twice(notes, disk):
    def work(number):
        for turn in range(500):
            notes.note("ana", [f"{number}", "shared", f"{turn % 7}!"], NOW)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    notes.write()
    times = Counter()
    for _, uses in disk.written:
        for use in uses:
            times[use.memory_id] += use.times
    assert times["shared"] == 2_000
    assert [times[str(number)] for number in range(4)] == [500] * 4
    assert sum(times[f"{n}!"] for n in range(7)) == 2_000
    assert len(notes) == 0
