"""Stores to be broken, and what must hold of every refusal."""

from contextlib import contextmanager

import apsw
import pytest

import lifelong
from lifelong.conformance import said

KEY = bytes(range(32))
OPTIONS = {"encrypted": {}, "plain": {"encryption": "off"}}


class Stored:
    """A closed store in a directory, with an owner who has messages, memories and a state."""

    def __init__(self, where, options):
        self.where = where
        self.options = options
        with self.open() as engine:
            owner = engine.owner("ana")
            owner.session("s").append(said(*(f"tram {n} " + "runs late " * 50 for n in range(60))))
            owner.remember("Likes tea")
            owner.set("n", 1)
            engine.owner("bo").remember("Likes soup")
        self.owner_file = self.file_of("ana")
        self.catalogue = where / "catalogue.db"
        self.marker = where / "lifelong.json"

    def open(self, **options):
        return lifelong.open(self.where, **{"key": KEY, **self.options, **options})

    def file_of(self, owner_id):
        with self.open() as engine:
            return engine._store.open_owner(owner_id, may_make=False).file.path

    def bytes(self):
        """Return each file that holds data; the WAL and its index come and go by themselves."""
        files = [path for path in self.where.rglob("*") if path.is_file()]
        return {path: path.read_bytes() for path in files if path.suffix in (".db", ".json")}

    def is_whole(self):
        with self.open() as engine:
            owner = engine.owner("ana")
            assert len(owner.session("s").messages()) == 60
            assert [memory.text for memory in owner.memories()] == ["Likes tea"]
            assert owner.check().is_clean
            assert engine.owner("bo").check().is_clean
        return True


@pytest.fixture(params=OPTIONS)
def stored(request, tmp_path):
    return Stored(tmp_path / "data", OPTIONS[request.param])


@contextmanager
def refusal(kind):
    """Expect an error of exactly this kind, whose text ends in its remedy."""
    with pytest.raises(kind) as caught:
        yield
    remedy = " ".join((kind.__doc__ or "").split())
    assert type(caught.value) is kind
    assert str(caught.value).endswith(remedy)


@pytest.fixture
def refused():
    return refusal


@pytest.fixture
def put_beneath_sqlite():
    """Put a disk beneath every file that SQLite opens from now on; it is told of each change.

    Its `touch` is called before every write, sync and truncate, and may raise.
    """
    base = apsw.vfs_names()[0]
    registered = []

    def put(disk):
        class File(apsw.VFSFile):
            def __init__(self, name, flags):
                super().__init__(base, name, flags)

            def xWrite(self, data, offset):  # noqa: N802 - SQLite's name
                disk.touch()
                super().xWrite(data, offset)

            def xSync(self, flags):  # noqa: N802
                disk.touch()
                super().xSync(flags)

            def xTruncate(self, size):  # noqa: N802
                disk.touch()
                super().xTruncate(size)

        class Vfs(apsw.VFS):
            def __init__(self):
                super().__init__("lifelong-breaking", base, makedefault=True)

            def xOpen(self, name, flags):  # noqa: N802
                return File(name, flags)

        registered.append(Vfs())
        return disk

    yield put
    apsw.set_default_vfs(base)
    for vfs in registered:
        vfs.unregister()
