"""A file that another holds, and places and libraries that a store must not be trusted to."""

import apsw
import pytest

import lifelong
from lifelong import errors
from lifelong.conformance import said, texts
from lifelong.errors import NetworkFilesystem, StoreBusy, StoreError, UnsafeSQLite
from lifelong.stores.sqlite import connection as settings
from lifelong.stores.sqlite import directory
from lifelong.stores.sqlite.connection import connect, mapped_errors, require_safe_sqlite
from lifelong.stores.sqlite.directory import filesystem_of

MOUNTS = """\
sysfs /sys sysfs rw,nosuid 0 0
/dev/sda1 / ext4 rw,relatime 0 0
server:/export /mnt/net nfs4 rw,vers=4.2 0 0
tmpfs /mnt/net/fast tmpfs rw 0 0
//nas/share /mnt/my\\040share cifs rw 0 0
ana@host: /mnt/ssh fuse.sshfs rw 0 0
overlay /var/lib overlay rw 0 0
/dev/sdb1 /mnt/net ext4 rw 0 0
"""


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(settings, "BUSY_TIMEOUT_MS", 100)


@pytest.fixture
def holder(stored):
    """A connection of another program to a file of the store."""
    held = []

    def hold(owner_id, begin):
        with stored.open() as engine:
            file = engine._store.open_owner(owner_id, may_make=False).file
        connection = connect(file.path, file.key, now=lifelong.SystemClock().now)
        connection.execute(begin)
        held.append(connection)
        return connection

    yield hold
    for connection in held:
        connection.close()


@pytest.mark.usefixtures("impatient")
def test_a_file_that_another_writes_to_is_busy(stored, refused, holder):
    other = holder("ana", "BEGIN IMMEDIATE")
    other.execute("INSERT INTO state VALUES ('theirs', '1', 0)")
    with stored.open() as engine:
        owner = engine.owner("ana")
        with refused(StoreBusy):
            owner.remember("new")
        with refused(StoreBusy):
            owner.session("s").append(said("new"))
        with refused(StoreBusy):
            owner.forget(match="tea")
        with refused(StoreBusy):
            owner.forget(everything=True)
        # Reading goes on, as of before; so do other owners.
        assert texts(owner.memories()) == ["Likes tea"]
        assert owner.states() == ["n"]
        engine.owner("bo").remember("new")
        other.execute("COMMIT")
        assert owner.states() == ["n", "theirs"]
        owner.remember("new")
        assert owner.check().is_clean


@pytest.mark.usefixtures("impatient")
def test_a_catalogue_that_another_writes_to_keeps_no_known_owner_away(stored, refused):
    key = None if stored.options else bytes(range(32))
    other = connect(stored.catalogue, key, now=lifelong.SystemClock().now)
    other.execute("BEGIN IMMEDIATE")
    with stored.open() as engine:
        engine.owner("ana").remember("new")
        with refused(StoreBusy):
            engine.owner("somebody new").remember("x")
        other.execute("ROLLBACK")
        other.close()
        engine.owner("somebody new").remember("x")
        assert engine.owners() == ["ana", "bo", "somebody new"]
    # What could not be registered was taken away again.
    assert len(list((stored.where / "owners").glob("*.db"))) == 3


def test_a_reader_of_an_old_state_makes_a_receipt_pending(stored, holder):
    reader = holder("ana", "BEGIN")
    reader.execute("SELECT count(*) FROM memory").fetchall()
    with stored.open() as engine:
        owner = engine.owner("ana")
        receipt = owner.forget(match="tea")
        assert receipt.counts["memory"] == 1
        assert receipt.is_pending
        assert owner.memories() == []
        assert reader.execute("SELECT count(*) FROM memory").fetchall() == [(1,)]
        reader.execute("COMMIT")
        assert not owner.forget(match="tram").is_pending
        assert owner.check().is_clean


def test_an_older_sqlite_is_refused(refused):
    with refused(UnsafeSQLite):
        require_safe_sqlite("3.40.1")
    with refused(UnsafeSQLite):
        require_safe_sqlite("3.53.1")
    for version in ("3.53.2", "3.54", "3.54.0", "3.100.0", "4.0"):
        require_safe_sqlite(version)
    require_safe_sqlite()


def test_an_older_sqlite_opens_no_store(tmp_path, monkeypatch, refused):
    monkeypatch.setattr(apsw, "sqlite_lib_version", lambda: "3.40.1")
    with refused(UnsafeSQLite):
        lifelong.open(tmp_path / "data")
    with refused(UnsafeSQLite):
        lifelong.open("memory:")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/ana", "ext4"),
        ("/", "ext4"),
        ("/mnt/net/fast/data", "tmpfs"),
        ("/mnt/network", "ext4"),
        ("/mnt/my share/data", "cifs"),
        ("/mnt/ssh", "fuse.sshfs"),
        ("/var/lib/x", "overlay"),
        ("/mnt/net/data", "ext4"),  # the later mount hides the earlier one
    ],
)
def test_the_file_system_of_a_path(tmp_path, path, kind):
    assert filesystem_of(tmp_path.__class__(path), MOUNTS) == kind


@pytest.mark.parametrize("mounts", ["", "\n", "junk\n", "a b\n"])
def test_mounts_that_cannot_be_read_say_nothing(tmp_path, mounts):
    assert filesystem_of(tmp_path, mounts) == ""


def test_a_network_file_system_is_refused(tmp_path, monkeypatch, refused):
    monkeypatch.setattr(directory, "filesystem_of", lambda *_: "nfs4")
    with refused(NetworkFilesystem):
        lifelong.open(tmp_path / "data")
    assert not list((tmp_path / "data").iterdir())


def apsw_errors():
    return [
        kind
        for kind in vars(apsw).values()
        if isinstance(kind, type) and issubclass(kind, apsw.Error)
    ]


@pytest.mark.parametrize("kind", apsw_errors(), ids=lambda kind: kind.__name__)
def test_every_error_of_sqlite_becomes_one_of_ours(kind):
    with pytest.raises(StoreError, match="the place") as caught, mapped_errors("the place"):
        raise kind("what happened")
    assert isinstance(caught.value.__cause__, kind)
    assert "what happened" in str(caught.value)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("BusyError", "StoreBusy"),
        ("LockedError", "StoreBusy"),
        ("FullError", "StoreFull"),
        ("ReadOnlyError", "StoreReadOnly"),
        ("CantOpenError", "StoreReadOnly"),
        ("PermissionsError", "StoreReadOnly"),
        ("NotADBError", "StoreCorrupt"),
        ("CorruptError", "StoreCorrupt"),
    ],
)
def test_an_error_with_a_remedy_becomes_the_one_that_tells_it(refused, theirs, ours):
    with refused(getattr(errors, ours)), mapped_errors("the place"):
        raise getattr(apsw, theirs)


def delete_and(pool, fail):
    with pool.write() as connection:
        connection.execute("DELETE FROM memory")
        fail(connection)


def test_an_error_of_sqlite_in_a_transaction_undoes_it_and_returns_the_connection(stored):
    with stored.open() as engine:
        owner = engine.owner("ana")
        opened = engine._store.open_owner("ana", may_make=False)
        for _ in range(10):
            with pytest.raises(StoreError):
                delete_and(opened.pool, lambda connection: connection.execute("no statement"))
            with pytest.raises(ZeroDivisionError):
                delete_and(opened.pool, lambda _: 1 / 0)
        assert texts(owner.memories()) == ["Likes tea"]
        owner.remember("new")
        assert owner.check().is_clean


def test_a_read_that_is_left_half_way_holds_nothing(stored):
    with stored.open() as engine, stored.open() as other:
        lines = engine.owner("ana").export()
        for _ in range(10):
            next(lines)
        other.owner("ana").remember("new")
        assert not other.owner("ana").forget(match="tram 5 ").is_pending
        lines.close()
        assert engine.owner("ana").check().is_clean


def test_what_a_listener_of_progress_does_is_not_in_the_way(stored):
    with stored.open() as engine:
        owner = engine.owner("ana")
        seen = []
        owner.reindex(lambda done, total: seen.append((done, total, owner.stats()["memory"])))
        assert seen[-1] == (61, 61, 1)

        def stop(*_):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            owner.reindex(stop)
        assert owner.check().is_clean
        assert len(owner.recall("tram", limit=5).hits) == 5


def test_a_listener_of_progress_may_read_a_store_in_memory_too():
    with lifelong.open("memory:") as engine:
        owner = engine.owner("ana")
        owner.remember("one")
        seen = []
        owner.reindex(lambda *_: seen.append(owner.stats()["memory"]))
        assert seen[-1] == 1
