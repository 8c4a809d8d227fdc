"""The short form of the power failures, and controls that show that they would be noticed."""

import shutil

import pytest
from power_fail import (
    IMAGES_PER_RECORDING,
    KINDS,
    Fault,
    Point,
    fast_folder,
    judge,
    points,
    record,
    torture,
)
from recording_vfs import WAYS, Replayed, lay_out

import lifelong

SEEDS = (0, 1, 3, 4, 5, 6, 8, 9, 10, 11)
IMAGES = 15


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_acknowledged_is_lost(seed):
    tally = torture(seed, IMAGES)
    assert tally.faults == []
    assert tally.images == IMAGES


def test_each_kind_of_workload_is_in_the_short_form_with_and_without_encryption():
    found = {(KINDS[seed % len(KINDS)], seed // len(KINDS) % 2) for seed in SEEDS}
    assert found == {(kind, plain) for kind in KINDS for plain in (0, 1)}


@pytest.fixture
def folder():
    folder = fast_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("lost", ["sync", "directory"])
def test_a_disk_that_does_not_sync_is_noticed(folder, lost):
    # As if the engine had synced no file, or no directory: it is a new store, so much is lost.
    found = record(3, folder)
    events = found.recording.events
    events[:] = [event for event in events if event.kind != lost]
    replayed = Replayed(found.recording)
    replayed.advance(len(events))
    top = folder / "image 1"
    top.mkdir()
    lay_out(replayed.image("none kept", 1), top)
    with pytest.raises((Fault, OSError, lifelong.LifelongError)):
        judge(found, len(replayed.marks), top)


def test_a_lost_write_and_a_half_operation_are_noticed(folder):
    found = record(0, folder)
    replayed = Replayed(found.recording)
    replayed.advance(len(found.recording.events))
    for top in (folder / "image 1", folder / "image 2"):
        top.mkdir()
        lay_out(replayed.image("all kept", 1), top)
    assert judge(found, len(replayed.marks), folder / "image 1") == "all done"
    found.states[-1] = {
        owner: (*state, "one more line") for owner, state in found.states[-1].items()
    }
    with pytest.raises(Fault, match="1 lines missing, 0 more"):
        judge(found, len(replayed.marks), folder / "image 2")


def test_points_are_the_same_again_and_go_forward():
    assert points(7, 500, 40) == points(7, 500, 40)
    cut = points(7, 500, IMAGES_PER_RECORDING)
    assert [point.at for point in cut] == sorted(point.at for point in cut)
    assert {point.way for point in cut} == {*WAYS}
    assert sorted(point.number for point in cut) == [*range(IMAGES_PER_RECORDING)]
    assert points(7, 0, 1) in ([Point(0, 0, way)] for way in WAYS)
