"""The recorder and the rebuilt disk, against files written by hand."""

import os

import apsw
import pytest
from beneath import under
from recording_vfs import SECTOR, WAYS, Event, Recording, Replayed, lay_out, recorded

import lifelong
from lifelong.conformance import said

KEY = bytes(range(32))


def on_disk(top):
    """Return what is beneath `top`, as an image has it."""
    return {
        str(path.relative_to(top)): path.read_bytes() if path.is_file() else None
        for path in top.rglob("*")
        if not path.name.endswith("-shm")
    }


@pytest.mark.parametrize("encryption", ["on", "off"])
def test_all_kept_is_the_disk_as_it_is(tmp_path, encryption):
    with recorded(tmp_path) as (recording, recorder):
        with lifelong.open(tmp_path / "data", key=KEY, encryption=encryption) as engine:
            engine.owner("ana").session("s").append(said("tram"))
            engine.owner("bo").remember("Likes tea")
            engine.owner("bo").forget(everything=True)
        recorder.mark(1)
    replayed = Replayed(recording)
    replayed.advance(len(recording.events))
    assert replayed.marks == [1]
    assert replayed.image("all kept", 1) == on_disk(tmp_path)
    (tmp_path / "again").mkdir()
    lay_out(replayed.image("all kept", 1), tmp_path / "again")
    with lifelong.open(tmp_path / "again" / "data", key=KEY) as engine:
        assert engine.owners() == ["ana"]


def test_what_the_recorder_sees_is_what_the_cipher_writes(tmp_path):
    with recorded(tmp_path) as (recording, _), lifelong.open(tmp_path / "d", key=KEY) as engine:
        engine.owner("ana").remember("Likes quince")
    written = b"".join(event.data for event in recording.events)
    assert written
    assert b"quince" not in written


def test_python_s_files_are_recorded_too(tmp_path):
    (tmp_path / "old").write_bytes(b"old")
    with recorded(tmp_path) as (recording, recorder):
        descriptor = os.open(tmp_path / "a", os.O_CREAT | os.O_WRONLY)
        os.write(descriptor, b"synced")
        os.fsync(descriptor)
        os.close(descriptor)
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "c").write_bytes(b"unsynced")
        (tmp_path / "old").unlink()
        recorder.mark(1)
    replayed = Replayed(recording)
    replayed.advance(len(recording.events))
    assert replayed.image("all kept", 1) == {"b": b"synced", "c": b"unsynced"}
    # No directory was synced: no new name is certain, and the old one may still be there.
    assert replayed.image("none kept", 1) == {"old": b"old"}


def of(*events):
    return Recording(start=[(1, "f", b"0" * 1024)], events=[*events])


def contents(recording, way, seeds=60):
    replayed = Replayed(recording)
    replayed.advance(len(recording.events))
    return {replayed.image(way, seed)["f"] for seed in range(seeds)}


WRITE = Event("write", 1, offset=0, data=b"1" * 1024)


def test_a_torn_write_is_torn_at_sectors():
    halves = {first * SECTOR + second * SECTOR for first in (b"0", b"1") for second in (b"0", b"1")}
    assert contents(of(WRITE), "torn") == halves
    assert contents(of(WRITE), "some kept") == {b"0" * 1024, b"1" * 1024}


def test_what_was_synced_is_there_in_every_way():
    for way in WAYS:
        assert contents(of(WRITE, Event("sync", 1)), way, 8) == {b"1" * 1024}


def test_the_first_ones_kept_are_a_beginning():
    second = Event("write", 1, offset=0, data=b"2" * 1024)
    assert contents(of(WRITE, second), "first ones kept") == {b"0" * 1024, b"1" * 1024, b"2" * 1024}


def test_a_file_that_grew_or_shrank_has_either_size():
    cut = contents(of(Event("size", 1, offset=10)), "some kept")
    assert {len(content) for content in cut} == {10, 1024}
    grown = contents(of(Event("write", 1, offset=1024, data=b"3" * 512)), "some kept")
    assert {len(content) for content in grown} == {1024, 1536}


def test_a_name_is_certain_when_its_directory_was_synced():
    gone = Event("gone", name="f")
    assert [*Replayed(of()).image("none kept", 1)] == ["f"]
    for events, names in (((gone,), ["f"]), ((gone, Event("directory", 0)), [])):
        replayed = Replayed(of(*events))
        replayed.advance(len(events))
        assert [*replayed.image("none kept", 1)] == names


def test_nothing_stays_beneath_sqlite_afterwards(tmp_path):
    before = apsw.vfs_names()[0], os.link, os.fsync
    with pytest.raises(ValueError, match="on purpose"), recorded(tmp_path) as (recording, _):
        raise ValueError("on purpose")
    connection = apsw.Connection(str(tmp_path / "x.db"))
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    assert recording.events == []
    assert (os.link, os.fsync) == before[1:]
    assert under is not None
