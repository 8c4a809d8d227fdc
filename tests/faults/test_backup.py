"""Backups and the way back: whole or not there, no use without keys, nothing forgotten returns."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import pytest
from backed_up import KEY, NEW, OPTIONS, SECRET, Stored, assert_ana, outcomes
from killed import Steps, killed_at_each_step, telling

import lifelong
from lifelong.conformance import in_processes, said, texts
from lifelong.errors import (
    BackupUnusable,
    InvalidValue,
    LifelongError,
    StoreCorrupt,
    StoreFull,
)
from lifelong.keeping import read_backup
from lifelong.records import Origin


@pytest.fixture(params=OPTIONS)
def stored(request, tmp_path):
    return Stored(tmp_path, OPTIONS[request.param])


@pytest.fixture
def locked(tmp_path):
    """An encrypted store."""
    return Stored(tmp_path, {})


@pytest.fixture
def steps(put_beneath_sqlite):
    steps = put_beneath_sqlite(Steps())
    yield steps
    steps.ends_at = 0


def files_below(place):
    return [path for path in place.rglob("*") if path.is_file()]


def test_a_backup_holds_every_owner_and_comes_back_in_a_new_place(stored):
    steps = []
    with stored.open() as engine:
        made = engine.backup(stored.backup, on_progress=lambda *step: steps.append(step))
        assert outcomes(engine.verify_backup(stored.backup)) == dict.fromkeys(
            ("ana", "bo", "cy"), "good"
        )
        assert engine.verify_backup(stored.backup).is_whole
        if not stored.options:
            engine.export_keys(stored.keys, passphrase="horse")
    assert len(made.files) == 3
    assert made.problems == ()
    assert made.size == sum(path.stat().st_size for path in files_below(stored.backup / "owners"))
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1] > 0
    keys = {} if stored.options else {"keys": stored.keys, "passphrase": "horse"}
    with stored.open(stored.other, key=NEW) as engine:
        done = engine.restore(stored.backup, **keys)
        assert outcomes(done) == dict.fromkeys(("ana", "bo", "cy"), "restored")
        assert done.is_whole
        assert_ana(engine)
        assert engine.owners() == ["ana", "bo", "cy"]
        engine.owner("ana").remember("Written after")
        assert outcomes(engine.restore(stored.backup, **keys))["bo"] == "same"
    assert read_backup(stored.backup) == made


def test_only_its_maker_may_read_a_backup(stored):
    with stored.open() as engine:
        engine.backup(stored.backup)
    for path in (stored.backup, *stored.backup.rglob("*")):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077


def test_a_backup_holds_no_key_no_id_and_no_text(locked):
    with locked.open() as engine:
        keys = [each.key for each in engine.keeping.owner_keys().values()]
        engine.backup(locked.backup)
    raw = b"".join(path.read_bytes() for path in files_below(locked.backup))
    for secret in (KEY, *keys):
        assert secret not in raw
        assert secret.hex().encode() not in raw
    names = " ".join(path.name for path in files_below(locked.backup))
    for text in ("Halden", "Likes", "ana", '"bo"', '"cy"'):
        assert text.encode() not in raw.replace(b"manifest", b"")
        assert text not in names


def test_who_is_forgotten_is_unreadable_in_every_backup(locked):
    with locked.open() as engine:
        engine.backup(locked.backup)
        old = {o: engine._store.open_owner(o, may_make=False).file for o in engine.owners()}
        engine.owner("ana").forget(everything=True)
        drill = engine.verify_backup(locked.backup)
        assert sorted(owner.outcome for owner in drill.owners) == ["forgotten", "good", "good"]
        assert drill.is_whole
        # Every key that is left: of the other owners, the master key, and what is in any file.
        left = [KEY, *(each.key for each in engine.keeping.owner_keys().values())]
        assert outcomes(engine.restore(locked.backup)) == {
            None: "forgotten",
            "bo": "same",
            "cy": "same",
        }
        assert engine.owners() == ["bo", "cy"]
    copy = locked.backup / "owners" / old["ana"].path.name
    for key in (*left, None):
        connection = apsw.Connection(str(copy))
        if key:
            connection.pragma("key", f"raw:{key.hex()}")
        with pytest.raises(apsw.NotADBError):
            connection.execute("SELECT count(*) FROM sqlite_schema")
        connection.close()
    raw = b"".join(path.read_bytes() for path in files_below(locked.where.parent))
    assert old["ana"].key not in raw
    for text in (SECRET, "tram"):
        assert text.encode() not in raw
    # The control: the other owner's key opens the other owner's copy.
    connection = apsw.Connection(str(locked.backup / "owners" / old["bo"].path.name))
    connection.pragma("key", f"raw:{old['bo'].key.hex()}")
    assert connection.execute("SELECT text FROM memory").fetchall() == [("Likes soup",)]


def test_an_older_backup_of_keys_does_not_bring_back_who_was_forgotten(stored):
    keys = {}
    with stored.open() as engine:
        engine.backup(stored.backup)
        if not stored.options:
            engine.export_keys(stored.keys)
            keys = {"keys": stored.keys}
        engine.owner("ana").forget(everything=True)
        engine.owner("ana").remember("Begun anew")
        done = engine.restore(stored.backup, replace=True, **keys)
        assert outcomes(done) == {"ana": "forgotten", "bo": "same", "cy": "same"}
        assert texts(engine.owner("ana").memories()) == ["Begun anew"]


def test_what_was_forgotten_since_is_erased_again(stored):
    with stored.open() as engine:
        ana = engine.owner("ana")
        coffee = ana.remember("Likes coffee")
        derived = ana.remember("Drinks coffee at night", origin=Origin(parents=(coffee.id,)))
        engine.backup(stored.backup)
        receipt = ana.forget("2", session="s")
        ana.forget(coffee.id)
        ana.remember("Written after")
        assert outcomes(engine.restore(stored.backup))["ana"] == "kept"
        assert "Written after" in texts(ana.memories())
        done = engine.restore(stored.backup, replace=True)
        (restored,) = [owner for owner in done.owners if owner.owner_id == "ana"]
        assert (restored.outcome, restored.erased) == ("restored", 3)
        assert derived.id
        assert texts(ana.session("s").messages()) == ["the tram is late"]
        assert texts(ana.memories()) == ["Likes tea"]
        assert ana.recall("Halden river").nothing_relevant
        assert ana.recall("coffee").nothing_relevant
        assert ana.check().problems == ()
        assert receipt.id in [each.id for each in ana.receipts()]
        # And an import does not bring it back either.
        ana.session("s").append(said(SECRET), ids=["2"])
        assert texts(ana.session("s").messages()) == ["the tram is late"]
        if stored.options:
            engine.close()
            raw = b"".join(path.read_bytes() for path in files_below(stored.where))
            assert b"Halden" not in raw


def test_values_and_files_that_were_forgotten_since_are_erased_again(stored):
    with stored.open() as engine:
        ana = engine.owner("ana")
        for name in ("a", "b"):
            ana.set(name, f"{SECRET} {name}")
            ana.files.write(f"/memories/box/{name}.md", f"{SECRET} {name}\n")
        engine.backup(stored.backup)
        ana.forget(state="a")
        ana.forget(file="/memories/box/a.md")
        ana.forget(state="b")
        ana.set("b", "written anew")
        done = engine.restore(stored.backup, replace=True)
        (restored,) = [owner for owner in done.owners if owner.owner_id == "ana"]
        assert (restored.outcome, restored.erased) == ("restored", 2)
        assert ana.get("a") is None
        assert ana.get("b") == f"{SECRET} b"  # somebody wants a value of this name
        assert [each.path for each in ana.files.list()] == ["/memories/box/b.md"]
        assert ana.check().problems == ()
        assert ana.verify().problems == ()
        if stored.options:
            engine.close()
            raw = b"".join(path.read_bytes() for path in files_below(stored.where))
            assert f"{SECRET} a".encode() not in raw


def test_other_handles_see_what_was_restored(stored):
    with stored.open() as engine, stored.open() as other:
        engine.backup(stored.backup)
        ana = other.owner("ana")
        ana.session("s").append(said("gone again"))
        assert ana.recall("gone again").hits
        engine.restore(stored.backup, replace=True)
        assert_ana(other)
        assert ana.recall("gone again").nothing_relevant
        ana.session("s").append(said("after"))
        assert texts(engine.owner("ana").session("s").messages())[-1] == "after"


def test_a_legal_hold_keeps_an_owner_from_being_replaced(stored):
    with stored.open() as engine:
        engine.backup(stored.backup)
        ana = engine.owner("ana")
        ana.remember("Evidence")
        ana.retention.hold("court order")
        done = engine.restore(stored.backup, replace=True)
        (owner,) = [each for each in done.owners if each.owner_id == "ana"]
        assert (owner.outcome, "court order" in owner.detail) == ("kept", True)
        assert "Evidence" in texts(ana.memories())


@pytest.mark.parametrize("damage", ["cut", "zeros", "gone", "swapped", "empty"])
def test_a_damaged_file_is_found_and_never_put_in_place(stored, damage):
    with stored.open() as engine:
        made = engine.backup(stored.backup)
        files = {
            engine._store.open_owner(o, may_make=False).file.path.name: o for o in "ana bo".split()
        }
        (name,) = [each for each, owner in files.items() if owner == "ana"]
        (other,) = [each for each, owner in files.items() if owner == "bo"]
        file = stored.backup / "owners" / name
        content = file.read_bytes()
        middle = len(content) // 2
        changed = {
            "cut": content[:-4096],
            "zeros": content[:middle] + bytes(64) + content[middle + 64 :],
            "swapped": (stored.backup / "owners" / other).read_bytes(),
            "empty": b"",
        }
        if damage == "gone":
            file.unlink()
        else:
            file.write_bytes(changed[damage])
        drill = engine.verify_backup(stored.backup)
        assert outcomes(drill) == {"ana": "damaged", "bo": "good", "cy": "good"}
        assert not drill.is_whole
        engine.owner("ana").remember("Written after")
        done = engine.restore(stored.backup, replace=True)
        assert outcomes(done)["ana"] == "damaged"
        assert "Written after" in texts(engine.owner("ana").memories())
        assert len(list((stored.where / "owners").glob("*.db"))) == 3
        assert len(made.files) == 3


def test_rows_that_were_exchanged_with_their_hash_are_found_too(tmp_path):
    plain = Stored(tmp_path, {"encryption": "off"})
    with plain.open() as engine:
        made = engine.backup(plain.backup)
        (entry,) = [each for each in made.files if each.owner_id == "bo"]
        file = plain.backup / "owners" / entry.name
        connection = apsw.Connection(str(file))
        connection.create_scalar_function("lifelong_seal", lambda *_: b"x")
        connection.create_scalar_function("lifelong_mark", lambda *_: b"x")
        connection.create_scalar_function("lifelong_link", lambda *_: b"x")
        connection.execute("UPDATE state SET value = '2'; DELETE FROM memory_history")
        connection.close()
        manifest = plain.backup / "manifest.json"
        said_there = json.loads(manifest.read_text())
        for each in said_there["files"]:
            if each["name"] == entry.name:
                each["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
                each["size"] = file.stat().st_size
        manifest.write_text(json.dumps(said_there))
        assert outcomes(engine.verify_backup(plain.backup))["bo"] == "damaged"


@pytest.mark.parametrize(
    "change",
    [
        lambda _: "",
        lambda _: "no json",
        lambda _: "[]",
        lambda m: json.dumps({**m, "format": 2}),
        lambda m: json.dumps({**m, "made_at": "yesterday"}),
        lambda m: json.dumps({**m, "made_at": "2026-01-01T00:00:00"}),
        lambda m: json.dumps({**m, "files": [*m["files"], m["files"][0]]}),
        lambda m: json.dumps({**m, "files": [{**m["files"][0], "name": "../../x.db"}]}),
        lambda m: json.dumps({**m, "files": [{**m["files"][0], "sha256": "x"}]}),
        lambda m: json.dumps({**m, "files": [{**m["files"][0], "size": "big"}]}),
        lambda m: json.dumps({**m, "files": 5}),
        lambda _: "[" * 100_000,
    ],
)
def test_a_manifest_that_is_none_is_refused(locked, change):
    with locked.open() as engine:
        engine.backup(locked.backup)
        manifest = locked.backup / "manifest.json"
        manifest.write_text(change(json.loads(manifest.read_text())))
        for read in (engine.restore, engine.verify_backup):
            with pytest.raises(BackupUnusable):
                read(locked.backup)
        manifest.unlink()
        with pytest.raises(BackupUnusable):
            engine.restore(locked.backup)
        with pytest.raises(BackupUnusable):
            engine.restore(locked.other)


def test_where_no_backup_can_be(stored, tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with stored.open() as engine:
        for place in (stored.where / "b", stored.where, tmp_path / "file", tmp_path / "link"):
            with pytest.raises(InvalidValue):
                engine.backup(place)
        with pytest.raises(LifelongError):
            engine.backup(tmp_path / "file" / "b")
        assert engine.owners() == ["ana", "bo", "cy"]
    with lifelong.open("memory:") as engine, pytest.raises(InvalidValue):
        engine.backup(tmp_path / "b")
    assert not list(tmp_path.glob(".*draft*"))


def test_a_backup_of_the_other_kind_is_refused(tmp_path):
    plain = Stored(tmp_path / "plain", {"encryption": "off"})
    locked = Stored(tmp_path / "locked", {})
    for ours, theirs in ((plain, locked), (locked, plain)):
        with theirs.open() as engine:
            engine.backup(theirs.backup)
        with ours.open() as engine, pytest.raises(InvalidValue, match="encrypted"):
            engine.restore(theirs.backup)


def test_killed_at_every_step_of_a_backup(stored, steps):
    def prepare():
        for path in stored.backup.parent.glob("*backup*"):
            shutil.rmtree(path)
        return stored.backup

    def back_up(to):
        with stored.open() as engine:
            engine.backup(to)

    def check(to, is_done):
        if is_done or to.exists():  # what has the name is whole
            with stored.open() as engine:
                assert engine.verify_backup(to).is_whole
        else:
            with pytest.raises(BackupUnusable):
                read_backup(to)

    killed_at_each_step(steps, prepare, back_up, check)
    with stored.open() as engine:
        assert_ana(engine)


def test_killed_at_every_step_of_a_restore_over_what_is_there(stored, steps, tmp_path):
    with stored.open() as engine:
        engine.backup(stored.backup)
        engine.owner("ana").forget("2", session="s")
        engine.owner("ana").remember("Written after")

    def prepare():
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(stored.where, tmp_path / "copy")
        return tmp_path / "copy"

    def restore(where):
        with stored.open(where) as engine:
            engine.restore(stored.backup, replace=True)

    seen = []

    def check(where, is_done):
        with stored.open(where) as engine:
            ana = engine.owner("ana")
            seen.append("Written after" in texts(ana.memories()))
            assert texts(ana.session("s").messages()) == ["the tram is late"]
            assert ana.check().problems == ()
            assert not (is_done and seen[-1])
            engine.restore(stored.backup, replace=True)
            assert texts(ana.memories()) == ["Likes tea"]
            assert texts(ana.session("s").messages()) == ["the tram is late"]
            engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
            assert len(list((where / "owners").glob("*.db"))) == 3

    killed_at_each_step(steps, prepare, restore, check)
    assert set(seen[1:]) == {True, False}


def test_others_write_meanwhile_and_each_owner_is_of_one_moment(stored, tmp_path):
    def work(number):
        with stored.open() as engine:
            if number == 0:
                for count in range(4):
                    engine.backup(tmp_path / f"b{count}")
                return 0
            owner = engine.owner(f"owner {number}")
            for count in range(120):
                owner.session("s").append(said(f"a {count}"))
                owner.remember(f"fact {count}")
            return 120

    assert in_processes(3, work) == [0, 120, 120]
    if not stored.options:
        with stored.open() as engine:
            engine.export_keys(stored.keys)
    for count in range(4):
        with stored.open(tmp_path / f"r{count}") as engine:
            keys = {} if stored.options else {"keys": stored.keys}
            assert engine.restore(tmp_path / f"b{count}", **keys).is_whole
            for owner_id in engine.owners():
                owner = engine.owner(owner_id)
                assert owner.check().problems == ()
                if owner_id.startswith("owner"):
                    found = texts(owner.session("s").messages())
                    assert found == [f"a {n}" for n in range(len(found))]
                    assert len(found) - owner.stats()["memory"] in (0, 1)


class FullDisk:
    """Fails at one write and at all after it."""

    def __init__(self):
        self.count = 0
        self.fails_at = 0

    def touch(self):
        self.count += 1
        if self.fails_at and self.count >= self.fails_at:
            raise apsw.FullError("the disk said no")


def test_a_full_disk_leaves_no_backup_and_no_half_restore(stored, put_beneath_sqlite):
    disk = put_beneath_sqlite(FullDisk())
    for what in ("backup", "restore"):

        def attempt(fails_at, what=what):
            if what == "backup":
                shutil.rmtree(stored.backup, ignore_errors=True)
            with stored.open() as engine:
                engine.owner("ana").set("m", fails_at)
                disk.count, disk.fails_at = 0, fails_at
                try:
                    if what == "backup":
                        engine.backup(stored.backup)
                    else:
                        engine.restore(stored.backup, replace=True)
                except StoreFull:
                    assert what == "restore" or not stored.backup.exists()
                count, disk.fails_at = disk.count, 0
                assert_ana(engine)
            assert not list(stored.backup.parent.glob(".*draft*"))
            return count

        for fails_at in telling(attempt(0))[::3]:
            attempt(fails_at)
        attempt(0)


def test_a_disk_that_is_really_full(stored):
    where = Path(tempfile.mkdtemp())
    options = ["-t", "tmpfs", "-o", "size=700k", "tmpfs", str(where)]
    if os.geteuid() or subprocess.run(["mount", *options], check=False).returncode:
        where.rmdir()
        pytest.skip("mounting a small disk is not allowed here; the faulty disk stands in")
    try:
        with stored.open() as engine:
            with pytest.raises(StoreFull):
                engine.backup(where / "backup")
            assert list(where.iterdir()) == []
            assert_ana(engine)
    finally:
        subprocess.run(["umount", str(where)], check=True)
        where.rmdir()


def test_a_damaged_owner_does_not_keep_the_others_from_being_backed_up(stored):
    with stored.open() as engine:
        path = engine._store.open_owner("ana", may_make=False).file.path
        good = engine.backup(stored.backup)
    path.write_bytes(b"x" * 8192)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    with stored.open() as engine:
        made = engine.backup(stored.backup.with_name("second"))
        assert len(made.files) == 2
        assert len(made.problems) == 1
        assert "ana" not in made.problems[0].replace(str(stored.where), "")
        with pytest.raises(StoreCorrupt):
            engine.owner("ana").memories()
        # What the error says: restore it from a backup.
        assert outcomes(engine.restore(stored.backup))["ana"] == "kept"
        assert outcomes(engine.restore(stored.backup, replace=True))["ana"] == "restored"
        assert_ana(engine)
        assert len(good.files) == 3


def test_a_missing_file_of_an_owner_comes_back(stored):
    with stored.open() as engine:
        path = engine._store.open_owner("ana", may_make=False).file.path
        engine.backup(stored.backup)
    path.unlink()
    with stored.open() as engine:
        assert outcomes(engine.restore(stored.backup, replace=True))["ana"] == "restored"
        assert_ana(engine)
