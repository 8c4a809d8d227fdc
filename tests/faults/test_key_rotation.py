"""New keys for a store in use: killed at every step, beside other processes, on a full disk."""

import os
import shutil
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import apsw
import pytest
from killed import Steps, killed_at_each_step, telling

import lifelong
from lifelong.conformance import in_processes, in_threads, said, texts
from lifelong.errors import (
    InvalidValue,
    KeyMissing,
    MasterKeyError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    WrongKey,
)
from lifelong.stores.sqlite import connection as connections

NEW = bytes(reversed(range(32)))


@pytest.fixture
def key_file(tmp_path):
    return tmp_path / "keys" / "master.key"


@pytest.fixture
def where(tmp_path, key_file):
    """A closed encrypted store whose master key lies in a file."""
    where = tmp_path / "data"
    with lifelong.open(where, key=f"file:{key_file}") as engine:
        owner = engine.owner("ana")
        owner.session("s").append(said("the tram is late", "soup"), ids=["1", "2"])
        owner.remember("Likes tea")
        engine.owner("bo").remember("Likes soup")
    return where


@pytest.fixture
def steps(put_beneath_sqlite):
    steps = put_beneath_sqlite(Steps())
    yield steps
    steps.ends_at = 0


def opened(where, key_file, **options):
    return lifelong.open(where, **{"key": f"file:{key_file}", **options})


def assert_whole(engine):
    owner = engine.owner("ana")
    assert texts(owner.session("s").messages()) == ["the tram is late", "soup"]
    assert texts(owner.memories()) == ["Likes tea"]
    assert owner.check().problems == ()
    assert texts(engine.owner("bo").memories()) == ["Likes soup"]


def file_of(engine, owner_id):
    return engine._store.open_owner(owner_id, may_make=False).file


def owner_files(where):
    return {path.name for path in (where / "owners").glob("*.db")}


def keys_that_open(path, keys):
    """Return which of these keys open a database."""
    found = []
    for key in keys:
        connection = apsw.Connection(str(path))
        connection.pragma("key", f"raw:{key.hex()}")
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        except apsw.NotADBError:
            continue
        finally:
            connection.close()
        found.append(key)
    return found


def catalogues(where):
    return [path for path in where.iterdir() if path.suffix == ".db"]


def test_a_new_key_takes_the_place_of_the_old_one(where, key_file):
    old = bytes.fromhex(key_file.read_text())
    with opened(where, key_file) as engine:
        assert engine.rotate_key() == str(key_file)
        assert_whole(engine)
        engine.owner("cy").remember("After")
    new = bytes.fromhex(key_file.read_text())
    assert new != old
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    for catalogue in catalogues(where):
        assert keys_that_open(catalogue, [old, new]) == [new]
    with opened(where, key_file) as engine:
        assert_whole(engine)
        assert engine.owners() == ["ana", "bo", "cy"]
    with pytest.raises(WrongKey):
        lifelong.open(where, key=old)


def test_the_old_key_stays_for_other_stores_of_the_same_file(tmp_path, where, key_file):
    other = tmp_path / "other"
    with opened(other, key_file) as engine:
        engine.owner("ana").remember("Elsewhere")
    old = key_file.read_text()
    with opened(where, key_file) as engine:
        engine.rotate_key()
    (kept,) = key_file.parent.glob("master.key.*")
    assert kept.read_text() == old
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    for _ in range(2):
        with opened(other, key_file) as engine:
            assert texts(engine.owner("ana").memories()) == ["Elsewhere"]
            engine.rotate_key()
        with opened(where, key_file) as engine:
            assert_whole(engine)


@pytest.mark.parametrize("form", ["bytes", "digits", "another file", "a file with a key"])
def test_the_new_key_may_be_anywhere(tmp_path, where, key_file, form):
    place = tmp_path / "place" / "of.key"
    if form == "a file with a key":
        place.parent.mkdir()
        place.write_text(NEW.hex())
    given = {"bytes": NEW, "digits": NEW.hex()}.get(form, f"file:{place}")
    with opened(where, key_file) as engine:
        said_place = engine.rotate_key(given)
        assert said_place == (str(place) if "file" in form else "given by you")
        engine.owner("cy").remember("After")
        engine.rotate_owner_keys()
        assert_whole(engine)
    if form == "a file with a key":
        assert place.read_text().strip() == NEW.hex()
    with lifelong.open(where, key=given) as engine:
        assert_whole(engine)
    with pytest.raises(WrongKey):
        opened(where, key_file)


def test_what_is_no_new_key_is_refused_and_changes_nothing(tmp_path, where, key_file):
    present = key_file.read_text().strip()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with opened(where, key_file) as engine:
        for given in (b"short", "zz", present, f"file:{where / 'k'}", f"file:{key_file}/x"):
            with pytest.raises((InvalidValue, MasterKeyError)):
                engine.rotate_key(given)
            assert_whole(engine)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_key_that_was_given_is_not_replaced_by_one_that_nobody_knows(tmp_path):
    with lifelong.open(tmp_path / "data", key=NEW) as engine:
        engine.owner("ana").remember("Likes tea")
        with pytest.raises(InvalidValue, match="say what the new one is"):
            engine.rotate_key()
    with lifelong.open(tmp_path / "data", key=NEW) as engine:
        assert texts(engine.owner("ana").memories()) == ["Likes tea"]


def test_without_encryption_there_is_no_key_to_change(tmp_path):
    with lifelong.open(tmp_path / "data", encryption="off") as engine:
        engine.owner("ana").remember("Likes tea")
        for rotate in (engine.rotate_key, engine.rotate_owner_keys):
            with pytest.raises(InvalidValue, match="not encrypted"):
                rotate()
    with lifelong.open("memory:") as engine, pytest.raises(InvalidValue, match="memory"):
        engine.rotate_key()


def test_killed_at_every_step_of_a_new_master_key(tmp_path, where, key_file, steps):
    keys = []

    def prepare():
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(where, tmp_path / "copy" / "data")
        shutil.copytree(key_file.parent, tmp_path / "copy" / "keys")
        return tmp_path / "copy" / "data"

    def rotate(copy):
        with opened(copy, copy.parent / "keys" / "master.key") as engine:
            engine.rotate_key()

    def check(copy, is_done):
        file = copy.parent / "keys" / "master.key"
        old = bytes.fromhex(key_file.read_text())
        with opened(copy, file) as engine:
            assert_whole(engine)
            engine.owner("new").remember("After")
            keys.append(engine.keeping._catalogue.key)
        assert (keys[-1] != old) or not is_done
        kept = [bytes.fromhex(path.read_text()) for path in file.parent.glob("master.key*")]
        assert keys[-1] in kept  # never in the memory of the one that died alone
        with opened(copy, file) as engine:  # and it can be done again
            engine.rotate_key()
            assert_whole(engine)
            assert engine.owners() == ["ana", "bo", "new"]
            engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
        assert len(catalogues(copy)) == 1
        assert not [path for path in copy.iterdir() if "draft" in path.name]

    killed_at_each_step(steps, prepare, rotate, check)
    is_old = [key == bytes.fromhex(key_file.read_text()) for key in keys[1:]]
    assert is_old == sorted(is_old, reverse=True)  # the moment that counts is one
    assert set(is_old) == {True, False}


def test_killed_at_every_step_of_a_new_key_of_an_owner(tmp_path, where, key_file, steps):
    before = owner_files(where)
    outcomes = []

    def prepare():
        shutil.rmtree(tmp_path / "copy", ignore_errors=True)
        shutil.copytree(where, tmp_path / "copy")
        return tmp_path / "copy"

    def rotate(copy):
        with opened(copy, key_file) as engine:
            assert engine.rotate_owner_keys("ana") == 1

    def check(copy, is_done):
        with opened(copy, key_file) as engine:
            assert_whole(engine)
            names = {
                engine._store.open_owner(o, may_make=False).file.path.name for o in ("ana", "bo")
            }
            outcomes.append(len(names & before))
            engine.owner("ana").session("s").append(said("after"))
            engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
            assert owner_files(copy) == names
            assert engine.rotate_owner_keys("ana") == 1
            assert texts(engine.owner("ana").session("s").messages())[2:] == ["after"]
            assert engine.owner("ana").check().is_clean
        assert outcomes[-1] == 1 or not is_done

    killed_at_each_step(steps, prepare, rotate, check)
    assert outcomes[1:] == sorted(outcomes[1:], reverse=True)  # the moment that counts is one
    assert set(outcomes[1:]) == {2, 1}


def test_a_new_key_of_an_owner_opens_what_is_there_and_the_old_one_nothing(where, key_file):
    with opened(where, key_file) as engine:
        files = {o: file_of(engine, o) for o in ("ana", "bo")}
        assert engine.rotate_owner_keys() == 2
        assert engine.rotate_owner_keys("nobody") == 0
        assert_whole(engine)
    with opened(where, key_file) as engine:
        assert_whole(engine)
        for owner_id, old in files.items():
            now = file_of(engine, owner_id)
            assert not old.path.exists()
            assert keys_that_open(now.path, [old.key, now.key]) == [now.key]
    raw = b"".join(path.read_bytes() for path in where.rglob("*") if path.is_file())
    for old in files.values():
        assert old.key not in raw


def test_what_was_sealed_and_forgotten_before_stays_so_after(where, key_file):
    with opened(where, key_file) as engine:
        owner = engine.owner("ana")
        kept = owner.memory(owner.remember("The gate code is 4471", key="gate").id)
        gone = owner.remember("Lives in Halden")
        owner.forget(gone.id)
        lines = list(owner.export())
        engine.rotate_owner_keys()
        assert owner.memory(kept.id).trust == kept.trust
        assert owner.check().is_clean
        assert owner.recall("gate").hits
        # The text that was forgotten is still barred, and its id too.
        assert not [line for line in owner.export() if "Halden" in line]
        assert len(list(owner.export())) == len(lines)


def test_others_go_on_by_themselves_and_nothing_acknowledged_is_lost(where, key_file):
    def work(number):
        written = []
        with opened(where, key_file) as engine:
            if number == 0:
                for _ in range(6):
                    engine.rotate_key()
                    engine.rotate_owner_keys()
                return []
            for count in range(40):
                owner = engine.owner(f"owner {count % 3}")
                owner.session(f"s{number}").append(said(f"{number}/{count}"))
                written.append((count % 3, f"{number}/{count}"))
                assert f"{number}/{count}" in texts(owner.session(f"s{number}").messages())
                if count % 10 == 9:
                    engine.owner(f"new {number}/{count}").remember("x")
        return written

    answers = in_processes(4, work)
    with opened(where, key_file) as engine:
        for number, written in enumerate(answers[1:], 1):
            for owner_number in range(3):
                found = texts(
                    engine.owner(f"owner {owner_number}").session(f"s{number}").messages()
                )
                assert found == [text for owner, text in written if owner == owner_number]
        assert len([each for each in engine.owners() if each.startswith("new")]) == 12
        for owner_id in engine.owners():
            assert engine.owner(owner_id).check().is_clean
        assert_whole(engine)
        assert len(owner_files(where)) == len(engine.owners())
    assert len(catalogues(where)) == 1


def test_threads_of_one_engine_write_while_keys_change(where, key_file):
    with opened(where, key_file) as engine:

        def work(number):
            if number == 0:
                for _ in range(5):
                    engine.rotate_owner_keys()
                    engine.rotate_key()
            for count in range(20):
                engine.owner("ana").session(f"s{number}").append(said(f"{number}/{count}"))

        in_threads(4, work)
        for number in range(4):
            found = texts(engine.owner("ana").session(f"s{number}").messages())
            assert found == [f"{number}/{count}" for count in range(20)]
        assert engine.owner("ana").check().is_clean


def test_who_was_given_the_old_key_is_told_that_it_changed(tmp_path):
    where, old = tmp_path / "data", bytes(range(32))
    with lifelong.open(where, key=old) as engine, lifelong.open(where, key=old) as other:
        engine.owner("ana").remember("Likes tea")
        other.owner("ana").remember("Likes soup")
        engine.rotate_key(NEW)
        # What it had open goes on; a new owner is refused, and not lost in a file nobody reads.
        other.owner("ana").remember("Likes rice")
        for ask in (other.owners, lambda: other.owner("new").remember("x")):
            with pytest.raises(WrongKey, match="while it was open"):
                ask()
        assert engine.owners() == ["ana"]
        assert len(engine.owner("ana").memories()) == 3
    with lifelong.open(where, key=NEW) as engine:
        assert len(engine.owner("ana").memories()) == 3


def test_an_owner_that_is_forgotten_while_the_key_changes(where, key_file):
    def work(number):
        with opened(where, key_file) as engine:
            owner = engine.owner("ana")
            owner.memories()
            time.sleep(0.002 * number)
            if number % 2:
                return owner.forget(everything=True).forgotten
            engine.rotate_owner_keys("ana")
            return 0

    assert sum(in_processes(4, work)) == 3
    with opened(where, key_file) as engine:
        assert engine.owners() == ["bo"]
        assert engine.owner("ana").memories() == []
        engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
        assert len(owner_files(where)) == 1


@pytest.mark.parametrize("what", ["rotate_key", "rotate_owner_keys"])
def test_a_writer_that_does_not_end_makes_it_busy(where, key_file, monkeypatch, what):
    monkeypatch.setattr(connections, "BUSY_TIMEOUT_MS", 20)
    with opened(where, key_file) as engine, opened(where, key_file) as other:
        pool = (
            other.keeping._catalogue.pool
            if what == "rotate_key"
            else other._store.open_owner("ana", may_make=False).pool
        )
        with pool.write(), pytest.raises(StoreBusy, match="Try again"):
            getattr(engine, what)()
        assert_whole(engine)
        getattr(engine, what)()
        assert_whole(engine)
        assert_whole(other)


class FullDisk:
    """Fails at one write and at all after it."""

    def __init__(self):
        self.count = 0
        self.fails_at = 0

    def touch(self):
        self.count += 1
        if self.fails_at and self.count >= self.fails_at:
            raise apsw.FullError("the disk said no")


@pytest.mark.parametrize("what", ["rotate_key", "rotate_owner_keys"])
def test_a_full_disk_at_the_writes(tmp_path, where, key_file, put_beneath_sqlite, what):
    disk = put_beneath_sqlite(FullDisk())

    def attempt(fails_at):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(where, copy)
        with opened(copy, key_file) as engine:
            assert_whole(engine)
            disk.count, disk.fails_at = 0, fails_at
            with suppress(StoreFull):
                getattr(engine, what)()
            count, disk.fails_at = disk.count, 0
            assert_whole(engine)
            if fails_at:
                getattr(engine, what)()
                assert_whole(engine)
            engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
            assert len(owner_files(copy)) == 2
        return count

    for fails_at in telling(attempt(0)):
        assert attempt(fails_at) >= fails_at


def test_leftovers_go_when_they_are_old_and_nothing_else_does(where, key_file):
    with opened(where, key_file) as engine:
        left = where / "owners" / f"{'0' * 32}.db"
        for path in (left, where / ".draft-1", where / "catalogue-0.db", where / "notes.db"):
            path.write_bytes(b"x")
        (where / "owners" / f"{'0' * 32}.db-wal").write_bytes(b"x")
        assert engine.remove_leftovers() == 0  # they are new
        os.utime(left, (0, 0))
        assert engine.remove_leftovers() == 0  # its WAL is new
        assert engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1)) == 3
        assert (where / "notes.db").exists()
        assert_whole(engine)
    assert len(owner_files(where)) == 2


def test_a_marker_that_names_a_catalogue_elsewhere_is_refused(where, key_file):
    marker = (where / "lifelong.json").read_text()
    for name in ("../x.db", "/etc/x.db", "", "owners/catalogue.db", "x.db", 5):
        text = marker.replace('"key_check"', f'"catalogue": {name!r}, "key_check"')
        (where / "lifelong.json").write_text(text.replace("'", '"'))
        with pytest.raises(StoreCorrupt):
            opened(where, key_file)


def test_every_way_to_lose_the_key_is_told(where, key_file, refused):
    away = key_file.rename(key_file.with_name("away"))
    with refused(KeyMissing):
        opened(where, key_file)
    for content in ("", "00" * 31, "00" * 33, "no key"):
        key_file.write_text(content)
        with refused(MasterKeyError):
            opened(where, key_file)
    key_file.write_text(NEW.hex())
    with refused(WrongKey):
        opened(where, key_file)
    key_file.unlink()
    key_file.mkdir()
    with refused(MasterKeyError):
        opened(where, key_file)
    key_file.rmdir()
    away.rename(key_file)
    with opened(where, key_file) as engine:
        assert_whole(engine)


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_a_key_of_another_length_in_the_environment(where, monkeypatch, length):
    monkeypatch.setenv("LIFELONG_KEY", "ab" * length)
    with pytest.raises(KeyMissing if not length else InvalidValue):
        lifelong.open(where)


class Keyring:
    """A keyring in memory, in the place of the system's."""

    def __init__(self):
        self.kept = {}
        self.is_locked = False

    def get_password(self, service, name):
        return self.kept.get((service, name))

    def set_password(self, service, name, password):
        if not self.is_locked:
            self.kept[service, name] = password


@pytest.fixture
def keyring(monkeypatch):
    package = pytest.importorskip("keyring")
    ring = Keyring()
    monkeypatch.setattr(package, "get_password", ring.get_password)
    monkeypatch.setattr(package, "set_password", ring.set_password)
    return ring


def test_a_key_in_the_keyring_is_changed_there(tmp_path, keyring, refused):
    where, other = tmp_path / "data", tmp_path / "other"
    for each in (where, other):
        with lifelong.open(each, key="keyring") as engine:
            engine.owner("ana").remember("Likes tea")
    old = dict(keyring.kept)
    with lifelong.open(where) as engine:  # the marker says that it is there
        assert engine.rotate_key() == "the keyring of this system"
        engine.owner("bo").remember("Likes soup")
    assert keyring.kept["lifelong", "master key"] != old["lifelong", "master key"]
    for each in (where, other):
        with lifelong.open(each, key="keyring") as engine:
            assert texts(engine.owner("ana").memories()) == ["Likes tea"]
    keyring.kept.clear()
    with refused(KeyMissing):
        lifelong.open(where, key="keyring")
    keyring.kept["lifelong", "master key"] = "no key"
    with refused(MasterKeyError):
        lifelong.open(where, key="keyring")


def test_a_keyring_that_keeps_nothing_gets_no_new_key(tmp_path, keyring):
    where = tmp_path / "data"
    with lifelong.open(where, key="keyring") as engine:
        engine.owner("ana").remember("Likes tea")
        keyring.is_locked = True
        with pytest.raises(MasterKeyError, match="did not keep"):
            engine.rotate_key()
    with lifelong.open(where, key="keyring") as engine:
        assert texts(engine.owner("ana").memories()) == ["Likes tea"]


@pytest.mark.usefixtures("keyring")
def test_a_key_moves_from_a_file_to_the_keyring_under_others(where, key_file):
    with opened(where, key_file) as engine, opened(where, key_file) as other:
        engine.rotate_key("keyring")
        assert_whole(other)
        other.owner("cy").remember("After")
        assert engine.owners() == ["ana", "bo", "cy"]
    with opened(where, key_file) as engine:  # asked for a file, but the marker knows better
        assert_whole(engine)
    with pytest.raises(StoreError):
        lifelong.open(where, key=NEW)
