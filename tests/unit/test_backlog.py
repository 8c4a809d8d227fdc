"""The backlog: one thread that nobody waits for, and that lets itself be stopped."""

import os
import threading
import time

import pytest

from lifelong import backlog as backlogs
from lifelong.backlog import Backlog
from lifelong.conformance import in_processes
from lifelong.embedding import Stopped, Sweep, TextsLeft
from lifelong.errors import EmbedderFailed, MissingExtra, StoreBusy, StoreClosed

SECONDS_MAX = 60


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """No test waits for what protects a short process or spares a broken model."""
    monkeypatch.setattr(backlogs, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(backlogs, "PAUSES_SECONDS", (0.01,))


@pytest.fixture
def begin():
    """Begin a backlog; it is closed after the test."""
    begun = []

    def begin(work):
        begun.append(Backlog(work))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


def until(holds):
    deadline = time.monotonic() + SECONDS_MAX
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def is_idle(backlog):
    return backlog._thread is None or not backlog._thread.is_alive()


class Work:
    """So many pieces of work for each owner; what is done is noted."""

    def __init__(self, pieces=1):
        self.pieces = pieces
        self.done = []

    def __call__(self, owner_id, sweep, _is_stopped):
        self.done.append(owner_id)
        return None if sweep.done + 1 >= self.pieces else Sweep(done=sweep.done + 1)


def test_an_owner_is_worked_on_until_nothing_is_left(begin):
    work = Work(pieces=3)
    backlog = begin(work)
    backlog.add("ana")
    until(lambda: len(work.done) == 3)
    backlog.add("ana")
    until(lambda: len(work.done) == 6)
    assert backlog.problem_of("ana") == ""
    until(lambda: is_idle(backlog))


def test_owners_take_turns(begin):
    work = Work(pieces=20)
    started = threading.Event()

    def wait_first(*given):
        started.wait(SECONDS_MAX)
        return work(*given)

    backlog = begin(wait_first)
    for owner_id in ("ana", "bo", "cy"):
        backlog.add(owner_id)
    started.set()
    until(lambda: len(work.done) == 60)
    assert {*work.done[:6]} == {"ana", "bo", "cy"}


def test_new_texts_are_begun_with_before_the_rest(begin):
    """The sweep starts anew from the newest row."""
    seen = []
    first, more = threading.Event(), threading.Event()

    def work(_owner_id, sweep, _is_stopped):
        seen.append(sweep.before)
        first.set()
        more.wait(SECONDS_MAX)
        return None if len(seen) == 3 else Sweep(before=9)

    backlog = begin(work)
    backlog.add("ana")
    first.wait(SECONDS_MAX)
    backlog.add("ana")
    more.set()
    until(lambda: len(seen) == 3)
    assert seen == [None, None, 9]


@pytest.mark.parametrize(
    ("error", "is_of_all"),
    [
        (EmbedderFailed("no answer"), True),
        (MissingExtra("numpy", "numpy"), True),
        (StoreBusy("file"), False),
        (TextsLeft("2 texts"), False),
    ],
)
def test_a_failure_is_named_and_tried_again(begin, error, is_of_all):
    """A model's to everybody, a store's and a text's to their owner."""
    failing = [error] * 5
    done, go_on = threading.Event(), threading.Event()

    def work(*_):
        if failing:
            raise failing.pop()
        go_on.wait(SECONDS_MAX)
        done.set()

    backlog = begin(work)
    backlog.add("ana")
    until(lambda: not failing and backlog.problem_of("ana"))
    assert backlog.problem_of("ana") == str(error)
    assert backlog.problem_of("bo") == (str(error) if is_of_all else "")
    go_on.set()
    assert done.wait(SECONDS_MAX)
    until(lambda: not backlog.problem_of("ana"))


@pytest.mark.parametrize(("error", "is_of_all"), [(EmbedderFailed(), True), (TextsLeft(), False)])
def test_pauses_grow(begin, monkeypatch, error, is_of_all):
    """While a model fails nobody else is tried; while one owner's texts fail the others are."""
    monkeypatch.setattr(backlogs, "PAUSES_SECONDS", (0.02, 0.1, 3600.0))
    at = []

    def work(owner_id, *_):
        at.append((owner_id, time.monotonic()))
        raise error

    backlog = begin(work)
    backlog.add("ana")
    until(lambda: len(at) == 3)
    assert at[1][1] - at[0][1] >= 0.02
    assert at[2][1] - at[1][1] >= 0.1
    backlog.add("bo")
    if not is_of_all:
        until(lambda: at[-1][0] == "bo")
    else:
        time.sleep(0.05)
        assert len(at) == 3


def test_a_success_ends_the_pauses(begin, monkeypatch):
    monkeypatch.setattr(backlogs, "PAUSES_SECONDS", (0.0, 3600.0))
    answers = [EmbedderFailed(), None] * 3

    def work(*_):
        answer = answers.pop(0)
        if answer:
            raise answer

    backlog = begin(work)
    for _ in range(3):
        left = len(answers)
        backlog.add("ana")
        until(lambda left=left: len(answers) == left - 2)


def test_closing_stops_it(begin):
    begun = threading.Event()

    def work(_owner_id, _sweep, is_stopped):
        begun.set()
        until(is_stopped)
        raise Stopped

    backlog = begin(work)
    backlog.add("ana")
    begun.wait(SECONDS_MAX)
    backlog.close()
    assert is_idle(backlog)
    backlog.add("ana")
    assert backlog._tasks == {}


def test_closing_an_idle_one_and_one_that_never_began(begin):
    begin(Work()).close()
    work = Work()
    backlog = begin(work)
    backlog.add("ana")
    until(lambda: work.done)
    backlog.close()
    assert is_idle(backlog)


def test_closing_ends_a_long_pause(begin, monkeypatch):
    monkeypatch.setattr(backlogs, "PAUSES_SECONDS", (3600.0,))

    def work(*_):
        raise EmbedderFailed

    backlog = begin(work)
    backlog.add("ana")
    until(lambda: backlog.problem_of("ana"))
    backlog.close()
    assert is_idle(backlog)


def test_a_closed_store_ends_the_thread(begin):
    def work(*_):
        raise StoreClosed

    backlog = begin(work)
    backlog.add("ana")
    until(lambda: is_idle(backlog))
    assert backlog.problem_of("ana") == ""


def test_only_so_many_owners_wait(begin, monkeypatch):
    monkeypatch.setattr(backlogs, "GRACE_SECONDS", 3600.0)
    monkeypatch.setattr(backlogs, "OWNERS_MAX", 3)
    backlog = begin(Work())
    for owner_id in "abcdebd":
        backlog.add(owner_id)
    assert [*backlog._tasks] == ["e", "b", "d"]


def test_a_short_process_ends_before_it_begins(begin, monkeypatch):
    monkeypatch.setattr(backlogs, "GRACE_SECONDS", 3600.0)
    work = Work()
    backlog = begin(work)
    backlog.add("ana")
    backlog.close()
    assert work.done == []


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # that it has threads
def test_a_forked_child_has_a_thread_of_its_own(begin):
    work = Work()
    backlog = begin(work)
    backlog.add("ana")
    until(lambda: work.done == ["ana"])
    parent = os.getpid()

    def in_child(_number):
        assert os.getpid() != parent
        backlog.add("bo")
        until(lambda: "bo" in work.done)
        backlog.close()
        return work.done

    with backlog._changed:  # as another thread may hold it at that moment
        assert in_processes(1, in_child) == [["ana", "bo"]]
    assert work.done == ["ana"]
    backlog.add("cy")
    until(lambda: work.done == ["ana", "cy"])


def test_whoever_writes_all_the_time_does_not_put_it_off(monkeypatch):
    # Given a clock that stands still but for what the test says, and no thread
    now = [100.0]
    monkeypatch.setattr(backlogs, "monotonic", lambda: now[0])
    monkeypatch.setattr(backlogs, "GRACE_SECONDS", 0.25)
    monkeypatch.setattr(threading.Thread, "start", lambda _: None)
    waiting = Backlog(lambda *_: None)

    # When an owner has new texts again and again
    for _ in range(20):
        waiting.add("ana")
        now[0] += 0.125

    # Then the work is due when it was due first
    assert waiting._tasks["ana"].due == 100.25
