"""A disk that is full or fails, at every single write: a named error, and nothing half done."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import apsw
import pytest

import lifelong
from lifelong.conformance import in_processes, said, texts
from lifelong.errors import StoreError, StoreFull

KEY = bytes(range(32))
PATIENCE = 400


class Disk:
    """Counts what is written, and fails at one of the writes.

    With `lasting`, all later ones fail as well: a disk that is full stays full.
    """

    def __init__(self):
        self.count = 0
        self.fails_at = 0
        self.lasting = False
        self.error = apsw.FullError

    def touch(self):
        self.count += 1
        if self.fails_at and (
            self.count == self.fails_at or (self.lasting and self.count > self.fails_at)
        ):
            raise self.error("the disk said no")

    def mend(self):
        self.fails_at = 0


@pytest.fixture
def disk(put_beneath_sqlite):
    """A disk beneath every file that SQLite opens from now on."""
    disk = put_beneath_sqlite(Disk())
    yield disk
    disk.mend()


def fill(where, **options):
    with lifelong.open(where, key=KEY, **options) as engine:
        owner = engine.owner("ana")
        owner.session("s").append(said("tram", "soup"), ids=["1", "2"])
        owner.remember("Likes tea", key="drink")
        owner.files.write("/memories/kept.md", "soup\n")


def steps(owner):
    """Return things to do, each with what must hold if it was done, and if it was not."""
    (tea,) = owner.memories()

    def messages():
        return texts(owner.session("s").messages())

    def memories():
        return texts(owner.memories())

    return [
        (lambda: owner.session("s").append(said("new", "newer")), messages, {"new", "newer"}),
        (lambda: owner.remember("Likes coffee", key="drink"), memories, {"Likes coffee"}),
        (lambda: owner.set("n", 1), owner.states, {"n"}),
        (lambda: owner.forget("1"), lambda: {"tram"} - set(messages()), {"tram"}),
        (
            lambda: owner.forget(tea.id),
            lambda: {tea.text} - set(texts(owner.memories(include_superseded=True))),
            {tea.text},
        ),
        (owner.reindex, lambda: (), None),
    ]


@pytest.mark.parametrize(
    ("error", "lasting", "encryption"),
    [(apsw.FullError, True, "on"), (apsw.IOError, False, "off")],
    ids=["full", "failing"],
)
def test_every_write_may_fail(tmp_path, disk, error, lasting, encryption):
    fill(tmp_path / "store", encryption=encryption)
    disk.error, disk.lasting = error, lasting
    # Each of the two takes every second write, and they begin at different ones.
    for fails_at in range(1 if lasting else 2, PATIENCE, 2):
        where = tmp_path / "copy"
        shutil.copytree(tmp_path / "store", where)
        with lifelong.open(where, key=KEY) as engine:
            owner = engine.owner("ana")
            todo = steps(owner)
            disk.count, disk.fails_at = 0, fails_at
            undone, kinds = attempt(todo)
            assert error is apsw.IOError or kinds <= {StoreFull}
            is_over = disk.count < fails_at
            disk.mend()
            # The engine that met the fault goes on, and finds nothing half done.
            for at, (do, read, expected) in enumerate(todo):
                if expected is not None and at not in undone:
                    assert expected <= set(read()), (fails_at, at)
                elif expected is not None:
                    assert not expected & set(read()) or expected <= set(read()), (fails_at, at)
                    if at < 3:
                        do()
            assert owner.check().is_clean, fails_at
        with lifelong.open(where, key=KEY) as engine:
            assert engine.owner("ana").check().is_clean
            assert "soup" in texts(engine.owner("ana").session("s").messages())
        shutil.rmtree(where)
        if is_over:
            return
    pytest.fail("the writes never ended")


def attempt(todo):
    """Do all that can be done; return which was refused, and the kinds of error."""
    undone, kinds = set(), set()
    for at, (do, _, _) in enumerate(todo):
        try:
            do()
        except StoreError as caught:
            undone.add(at)
            kinds.add(type(caught))
    return undone, kinds


VERBS = {
    "append": lambda owner: owner.session("s").append(said("new")),
    "remember": lambda owner: owner.remember("new", key="drink"),
    "update": lambda owner: owner.update(owner.memories()[0].id, "Likes milk"),
    "set": lambda owner: owner.set("n", 2),
    "pop": lambda owner: owner.session("s").pop(),
    "forget": lambda owner: owner.forget(match="tram"),
    "describe": lambda owner: owner.session("s").describe(title="new"),
    "write a file": lambda owner: owner.files.write("/memories/a.md", "new\n"),
    "insert into a file": lambda owner: owner.files.insert(
        "/memories/kept.md", insert_line=0, insert_text="new\n"
    ),
    "rename a file": lambda owner: owner.files.rename("/memories/kept.md", "/memories/new.md"),
    "delete a file": lambda owner: owner.files.delete("/memories/kept.md"),
    "forget a file": lambda owner: owner.forget(file="/memories/kept.md"),
    "forget a session": lambda owner: owner.forget(session="s"),
    "forget before": lambda owner: owner.forget(before="2100-01-01T00:00:00+00:00"),
}


@pytest.mark.parametrize("verb", VERBS.values(), ids=VERBS)
def test_what_was_refused_for_want_of_space_was_not_done(tmp_path, disk, verb):
    # StoreFull says that nothing was changed.
    fill(tmp_path / "data")
    with lifelong.open(tmp_path / "data", key=KEY) as engine:
        owner = engine.owner("ana")
        before = list(owner.export())[1:]
        disk.lasting = True
        for fails_at in range(1, PATIENCE):
            disk.count, disk.fails_at = 0, fails_at
            try:
                verb(owner)
            except StoreFull:
                disk.mend()
                assert list(owner.export())[1:] == before, fails_at
            else:
                disk.mend()
                return
    pytest.fail("no write went through")


FORGETS = {
    "message": lambda owner: owner.forget("1"),
    "file": VERBS["forget a file"],
    "everything": lambda owner: owner.forget(everything=True),
}


@pytest.mark.parametrize("verb", FORGETS.values(), ids=FORGETS)
def test_a_receipt_on_a_full_disk_is_true(tmp_path, disk, verb):
    # There is one exactly when the rows are gone, and what it could not do is done with space.
    fill(tmp_path / "store")
    disk.lasting = True
    outcomes = set()
    for fails_at in range(1, PATIENCE, 3):
        where = tmp_path / "copy"
        shutil.copytree(tmp_path / "store", where)
        with lifelong.open(where, key=KEY) as engine:
            owner = engine.owner("ana")
            before = list(owner.export())[1:]
            disk.count, disk.fails_at = 0, fails_at
            try:
                receipt = verb(owner)
            except StoreFull:
                receipt = None
            is_over = disk.count < fails_at
            disk.mend()
            is_gone = list(owner.export())[1:] != before
            assert is_gone == (receipt is not None), fails_at
            assert [one.counts for one in owner.receipts()] == ([receipt.counts] if receipt else [])
            outcomes.add(receipt and receipt.is_pending)
            again = verb(owner) if receipt is None else None
            engine.sweep()
            (kept,) = owner.receipts()
            assert not kept.is_pending, fails_at
            assert kept.counts == (receipt or again).counts
            assert owner.check().is_clean
        shutil.rmtree(where)
        if is_over:
            assert {None, False} <= outcomes
            return
    pytest.fail("the writes never ended")


def test_an_owner_who_could_not_be_forgotten_is_there_or_gone(tmp_path, disk):
    disk.lasting = True

    def forget_or_not(fails_at):
        where = tmp_path / str(fails_at)
        fill(where)
        with lifelong.open(where, key=KEY) as engine:
            owner = engine.owner("ana")
            owner.stats()
            disk.count, disk.fails_at = 0, fails_at
            try:
                owner.forget(everything=True)
            except StoreFull:
                is_over = False
            else:
                is_over = True
            disk.mend()
            assert len(owner.session("s").messages()) in ((0,) if is_over else (0, 2))
            owner.remember("new")
        return is_over

    for fails_at in range(1, PATIENCE):
        # In a process with a time limit: waiting for ever is one way to fail.
        (is_over,) = in_processes(1, lambda _, at=fails_at: forget_or_not(at), seconds=10)
        if is_over:
            return
    pytest.fail("the writes never ended")


# SQLite says nothing of a write that fails while it closes; the disk of this test, in Python, does.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_new_store_on_a_full_disk_can_be_made_when_there_is_space(tmp_path, disk):
    disk.lasting = True
    for fails_at in range(1, PATIENCE, 7):
        where = tmp_path / str(fails_at)
        disk.count, disk.fails_at = 0, fails_at
        is_over = not is_full(where, disk)
        fill(where)
        with lifelong.open(where, key=KEY) as engine:
            assert texts(engine.owner("ana").session("s").messages()) == ["tram", "soup"]
            assert engine.owner("ana").check().is_clean
        if is_over:
            return
    pytest.fail("the writes never ended")


def is_full(where, disk):
    """Return whether a new store could not be made; the disk is mended before it is closed."""
    try:
        engine = lifelong.open(where, key=KEY)
    except StoreFull:
        disk.mend()
        return True
    try:
        engine.owner("ana").remember("one")
    except StoreFull:
        return True
    else:
        return False
    finally:
        disk.mend()
        engine.close()


def test_what_could_not_be_made_leaves_no_file(tmp_path, disk):
    lifelong.open(tmp_path / "data", key=KEY).close()
    disk.lasting = True
    with lifelong.open(tmp_path / "data", key=KEY) as engine:
        for fails_at in (2, 20, 40):
            disk.count, disk.fails_at = 0, fails_at
            with pytest.raises(StoreFull):
                engine.owner("ana").remember("one")
            disk.mend()
        assert list((tmp_path / "data" / "owners").glob("*.db")) == []
        assert engine.owners() == []
    disk.count, disk.fails_at = 0, 2
    with pytest.raises(StoreFull):
        lifelong.open(tmp_path / "other", key=KEY)
    disk.mend()
    assert list((tmp_path / "other").glob(".draft-*")) == []


@pytest.fixture
def small_disk():
    """A file system of 800 KiB, where this user may mount one."""
    where = Path(tempfile.mkdtemp())
    options = ["-t", "tmpfs", "-o", "size=800k", "none", str(where)]
    may_mount = shutil.which("mount") and os.geteuid() == 0
    if not may_mount or subprocess.run(["mount", *options], check=False).returncode:
        where.rmdir()
        pytest.skip("this user may not mount a file system; the faulty disk above stands in")
    yield where
    subprocess.run(["umount", str(where)], check=True)
    where.rmdir()


def fill_up(session, stored):
    for number in range(1_000):
        session.append(said(f"{number} " + "runs late " * 200))
        stored.append(number)


def test_a_disk_that_is_really_full(small_disk):
    stored = []
    with lifelong.open(small_disk / "data", key=KEY) as engine:
        owner = engine.owner("ana")
        with pytest.raises(StoreFull):
            fill_up(owner.session("s"), stored)
        with pytest.raises(StoreFull):
            engine.owner("somebody new").remember("x" * 100_000)
        with pytest.raises(StoreFull):
            owner.files.write("/memories/a.md", "runs late " * 20_000)
        # Reading goes on.
        found = texts(owner.session("s").messages())
        assert stored
        assert [int(text.split()[0]) for text in found] == stored
        assert owner.recall("late", limit=1).hits
        assert owner.check().is_clean
    # And so does everything when there is space again.
    subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
    with lifelong.open(small_disk / "data", key=KEY) as engine:
        owner = engine.owner("ana")
        assert len(owner.session("s").messages()) == len(stored)
        owner.session("s").append(said("after"))
        owner.files.write("/memories/a.md", "runs late " * 2_000)
        receipt = owner.forget(session="s")
        assert receipt.counts["message"] == len(stored) + 1
        assert not receipt.is_pending
        engine.owner("somebody new").remember("x")
        assert owner.check().is_clean
