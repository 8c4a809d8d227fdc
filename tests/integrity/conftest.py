"""Stores that somebody tampers with who has the file's key, and knows nothing of the engine."""

import shutil
from contextlib import closing, contextmanager

import apsw
import pytest

import lifelong
from lifelong.clock import ManualClock
from lifelong.conformance import said
from lifelong.records import Origin

OPTIONS = {"encrypted": {"key": b"k" * 32}, "plain": {"encryption": "off"}}


class Stored:
    """A closed store in a directory, in which `ana` has rows of every kind.

    Attributes:
        head: of ana's chain.
        clock: of every engine that is opened.
    """

    def __init__(self, where, options):
        self.where = where
        self.options = options
        self.clock = ManualClock()
        self._files = {}
        with self.open() as engine:
            for name in ("ana", "bo"):
                fill(engine.owner(name), self.clock, name)
                self._files[name] = engine._store.open_owner(name, may_make=False).file
            self.head = engine.owner("ana").verify().head

    def open(self):
        return lifelong.open(self.where, embedder="off", clock=self.clock, **self.options)

    @contextmanager
    def raw(self, name="ana", *, keeps_triggers=False):
        """Lend a connection without our functions; triggers are gone till its end."""
        file = self._files[name]
        with closing(apsw.Connection(str(file.path))) as connection:
            if file.key:
                connection.pragma("key", f"raw:{file.key.hex()}")
            sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
            triggers = [] if keeps_triggers else connection.execute(sql).fetchall()
            with connection:
                for trigger, _ in triggers:
                    connection.execute(f"DROP TRIGGER {trigger}")
                yield connection
                for _, made in triggers:
                    connection.execute(made)

    def tamper(self, *statements, bound=()):
        """Run statements, each of which must change something."""
        with self.raw() as connection:
            for statement in statements:
                connection.execute(statement, bound)
                assert connection.changes() > 0, statement

    def verify(self, anchor=None):
        with self.open() as engine:
            return engine.owner("ana").verify(anchor)

    def problems(self):
        return self.verify().problems

    def save(self, to):
        shutil.copytree(self.where, to)
        return to

    def put_back(self, copy):
        shutil.rmtree(self.where)
        shutil.copytree(copy, self.where)


def fill(owner, clock, name):
    """Give an owner rows in every table that the chain is about."""
    for session in ("s", "t"):
        lines = said(*(f"{name} said {word} in {session}" for word in ("tea", "soup", "salt")))
        owner.session(session).append(lines, ids=[f"{session}{n}" for n in range(3)])
    owner.session("s").describe(title=f"Kitchen of {name}")
    clock.advance(minutes=1)
    origin = Origin("user", "kitchen", ("s0", "s1"))
    first = owner.remember(f"{name} drinks tea at four", key="drink", origin=origin)
    owner.remember(f"{name} drinks coffee", key="drink")
    owner.remember(f"{name} sleeps late", origin=Origin("assistant", "", (first.id,)))
    owner.remember(f"{name} swims", metadata={"where": "lake"})
    clock.advance(minutes=1)
    owner.update(owner.memories()[-1].id, importance=9)
    owner.set("plan", {"step": 1})
    owner.set("mood", "calm")
    owner.files.write("/memories/a.md", f"{name} likes files", origin=Origin("user", "", ("s2",)))
    for text in ("first", "second", "third"):
        owner.files.write("/memories/b.md", text)
    gone = owner.remember(f"{name} forgets this")
    owner.forget(gone.id)
    owner.forget("t1", session="t")
    owner.retention.hold("a case", session="s")
    owner.retention.hold("a report", session="t")


@pytest.fixture(scope="session", params=OPTIONS)
def made(request, tmp_path_factory):
    """A store that no test changes."""
    return Stored(tmp_path_factory.mktemp("made") / "data", OPTIONS[request.param])


@pytest.fixture
def stored(made, tmp_path):
    """The same store for a test to tamper with, as it was made."""
    copy = made.save(tmp_path / "kept")
    yield made
    made.put_back(copy)
