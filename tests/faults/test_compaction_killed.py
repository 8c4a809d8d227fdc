"""Compaction that breaks off at any step: the session is always the old one or the new one."""

import multiprocessing
import os
import shutil
import signal
from contextlib import suppress
from types import SimpleNamespace

import apsw
import pytest
from conversations import asked, room, rows_of, small_talk, summaries_of, told, written

import lifelong
from lifelong.errors import StoreError

KEY = bytes(range(32))
FORK = multiprocessing.get_context("fork")
BUDGET = room(2_000)
PATIENCE = 400
SECONDS_MAX = 60
LONG = "Please have a look at the board, and tell me when it leaves. " * 47
TALKS = {
    "one segment": [asked(f"Tram 1? {LONG}"), told(f"Tram 1. {LONG}"), asked(f"Tram 2? {LONG}")],
    "several segments": small_talk(36),
}


def good(_task):
    return "Ana asks about her trams, and they run on time."


def opened(where):
    return lifelong.open(where, key=KEY, encryption="off")


class Talk:
    """A session in a closed store, and each state that a compaction may leave it in."""

    def __init__(self, where, said):
        self.where = where
        with opened(where) as engine:
            session = engine.owner("ana").session("s")
            session.append(written([("system", "Be short."), *said], "chat"))
            engine.owner("ana").remember("Likes tea")
            self.rows = rows_of(session)
        self.states = []
        done = where.with_name("done")
        shutil.copytree(where, done)

        def summarise(task):
            self.states.append(self.seen(done))
            return good(task)

        with opened(done) as engine:
            engine.owner("ana").session("s").compact(BUDGET, summarise)
        self.states.append(self.seen(done))

    @staticmethod
    def seen(where):
        """What a fresh engine makes of the session: its request, and how many summaries it has."""
        with opened(where) as engine:
            session = engine.owner("ana").session("s")
            return session.request(BUDGET).payload, len(summaries_of(session))

    def copy(self):
        where = self.where.with_name("copy")
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(self.where, where)
        return where

    def assert_old_or_new(self, where):
        """Nothing is lost, nothing is half there, and a later compaction ends what was begun.

        Returns:
            The number of the state: 0 for the old one, the last for the new one.
        """
        state = self.seen(where)
        assert state in self.states
        with opened(where) as engine:
            owner = engine.owner("ana")
            session = owner.session("s")
            assert rows_of(session) == self.rows
            assert owner.check().problems == ()
            assert session.request(BUDGET).problems == ()
            session.compact(BUDGET, good)
            assert owner.check().problems == ()
        assert self.seen(where) == self.states[-1]
        return state[1]


@pytest.fixture(params=TALKS)
def talk(request, tmp_path):
    talk = Talk(tmp_path / "data", TALKS[request.param])
    assert len(talk.states) == (2 if request.param == "one segment" else 4)
    assert [state[1] for state in talk.states] == [*range(len(talk.states))]
    return talk


class Broken(BaseException):
    """What breaks in where nobody expects it."""


class FailingLog:
    """A log of which one call fails: before it does anything, or after it has done all."""

    def __init__(self, log, fails_at, *, after, error):
        self._log = log
        self._fails_at = fails_at
        self._after = after
        self._error = error
        self.count = 0

    def __getattr__(self, name):
        call = getattr(self._log, name)

        def counted(*args, **options):
            self.count += 1
            if self.count == self._fails_at and not self._after:
                raise self._error(name)
            answer = call(*args, **options)
            if self.count == self._fails_at:
                raise self._error(name)
            return answer

        return counted


@pytest.mark.parametrize("error", [StoreError, Broken])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_every_call_of_the_store_may_fail(talk, after, error):
    reached = set()
    for fails_at in range(1, PATIENCE):
        where = talk.copy()
        with opened(where) as engine:
            session = engine.owner("ana").session("s")
            log = FailingLog(session._store.log, fails_at, after=after, error=error)
            whole = session._store
            session._store, session._window._store = SimpleNamespace(log=log), log
            try:
                done = session.compact(BUDGET, good)
            except error:
                done = None
            # The handle that met the fault shows what is there, too.
            session._store, session._window._store = whole, whole.log
            assert (session.request(BUDGET).payload, len(summaries_of(session))) in talk.states
        reached.add(talk.assert_old_or_new(where))
        if done is not None:
            assert log.count < fails_at
            assert done.outcome == "compacted"
            assert reached == {*range(len(talk.states))}
            return
    pytest.fail("the calls never ended")


def test_every_call_of_the_summariser_may_fail(talk):
    for fails_at in range(1, len(talk.states) + 1):
        where, count = talk.copy(), []

        def summarise(task, fails_at=fails_at, count=count):
            count.append(task)
            if len(count) == fails_at:
                raise Broken
            return good(task)

        with opened(where) as engine, suppress(Broken):
            engine.owner("ana").session("s").compact(BUDGET, summarise)
        assert talk.assert_old_or_new(where) == min(fails_at, len(talk.states)) - 1
    assert len(count) == len(talk.states) - 1


class Disk:
    """Counts what is written, and does something at one of the writes: fails, or ends it all."""

    def __init__(self):
        self.count = 0
        self.breaks_at = 0
        self.breaks = None

    def touch(self):
        self.count += 1
        if self.count == self.breaks_at:
            self.breaks()


def fail():
    raise apsw.IOError("the disk said no")


def end_the_process():
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture
def disk(put_beneath_sqlite):
    """A disk beneath every file that SQLite opens from now on."""
    disk = put_beneath_sqlite(Disk())
    yield disk
    disk.breaks_at = 0


def test_every_write_may_fail(talk, disk):
    reached = set()
    disk.breaks = fail
    for breaks_at in range(1, PATIENCE):
        where = talk.copy()
        with opened(where) as engine:
            session = engine.owner("ana").session("s")
            sent = session.request(BUDGET).payload
            disk.count, disk.breaks_at = 0, breaks_at
            try:
                done = session.compact(BUDGET, good)
            except StoreError:
                done = None
            is_over, disk.breaks_at = disk.count < breaks_at, 0
            # The handle that met the fault shows what is there, too.
            payload = session.request(BUDGET).payload
            assert (payload, len(summaries_of(session))) in talk.states
            assert done is not None or payload == sent or summaries_of(session)
        reached.add(talk.assert_old_or_new(where))
        if is_over:
            assert done is not None
            assert {0, len(talk.states) - 1} <= reached
            return
    pytest.fail("the writes never ended")


def in_a_process(work):
    """Run `work(send)` in a process of its own; return its last word, and whether it was killed."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=work, args=(sender.send,), daemon=True)
    process.start()
    sender.close()
    last = None
    try:
        while receiver.poll(SECONDS_MAX):
            last = receiver.recv()
    except EOFError:
        pass
    process.join(SECONDS_MAX)
    assert process.exitcode in (0, -signal.SIGKILL)
    return last, process.exitcode != 0


def test_a_process_is_killed_at_every_write(talk, disk):
    reached = set()
    disk.breaks = end_the_process
    for breaks_at in range(1, PATIENCE):
        where = talk.copy()

        def compact(send, where=where, breaks_at=breaks_at):
            with opened(where) as engine:
                session = engine.owner("ana").session("s")
                session.request(BUDGET)
                disk.count, disk.breaks_at = 0, breaks_at
                send(session.compact(BUDGET, good).outcome)
                disk.breaks_at = 0

        outcome, was_killed = in_a_process(compact)
        state = talk.assert_old_or_new(where)
        reached.add(state)
        # What was acknowledged is there.
        if outcome is not None:
            assert (outcome, state) == ("compacted", len(talk.states) - 1)
        if not was_killed:
            assert {0, len(talk.states) - 1} <= reached
            return
    pytest.fail("the writes never ended")


def test_a_process_is_killed_while_a_model_is_asked(talk):
    for segment in range(len(talk.states) - 1):
        where = talk.copy()

        def compact(_send, where=where, segment=segment):
            count = []

            def summarise(task):
                count.append(task)
                if len(count) > segment:
                    end_the_process()
                return good(task)

            opened(where).owner("ana").session("s").compact(BUDGET, summarise)

        assert in_a_process(compact) == (None, True)
        assert talk.assert_old_or_new(where) == segment


def test_a_process_is_killed_while_it_compacts_in_the_background(talk, disk):
    disk.breaks = end_the_process
    for breaks_at in (1, 2, 3, 5, 8, 13):
        where = talk.copy()

        def ask(_send, where=where, breaks_at=breaks_at):
            with opened(where) as engine:
                session = engine.owner("ana").session("s")
                session.request(BUDGET)
                disk.count, disk.breaks_at = 0, breaks_at
                session.request(BUDGET, summariser=good)
                session.compaction.result(SECONDS_MAX)
                disk.breaks_at = 0

        in_a_process(ask)
        talk.assert_old_or_new(where)


def test_a_process_is_killed_while_it_forgets_what_was_summed_up(talk, disk):
    # A summary goes with the message it was made of: both are there, or neither.
    talk.assert_old_or_new(talk.copy())
    compacted = talk.where.with_name("copy").rename(talk.where.with_name("compacted"))
    message_id = talk.rows[1].id
    disk.breaks = end_the_process
    outcomes = set()
    for breaks_at in range(1, PATIENCE):
        where = talk.where.with_name("forgotten")
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(compacted, where)

        def forget(_send, where=where, breaks_at=breaks_at):
            with opened(where) as engine:
                owner = engine.owner("ana")
                owner.session("s").messages()
                disk.count, disk.breaks_at = 0, breaks_at
                owner.forget(message_id, session="s")
                disk.breaks_at = 0

        _, was_killed = in_a_process(forget)
        with opened(where) as engine:
            owner = engine.owner("ana")
            session = owner.session("s")
            is_there = message_id in [message.id for message in session.messages()]
            assert len(summaries_of(session)) == (len(talk.states) - 1 if is_there else 0)
            assert owner.check().problems == ()
            assert session.request(BUDGET).problems == ()
            outcomes.add(is_there)
        if not was_killed:
            assert outcomes == {True, False}
            return
    pytest.fail("the writes never ended")
