"""Work over processes: everything is done once, and what fails or dies stops nothing else."""

import multiprocessing
import os
from pathlib import Path

import pytest
import replayed_work

from lifelong.replay.processes import Failure, work_through


def results(tasks, make_work, jobs):
    return dict(work_through(tasks, make_work, jobs=jobs))


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_task_is_done_once_and_its_place_is_told(jobs):
    numbers = [5, 1, 4, 2, 3]
    done = list(work_through(numbers, replayed_work.make_doubling, jobs=jobs))
    assert sorted(done) == [(0, 10), (1, 2), (2, 8), (3, 4), (4, 6)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_nothing_to_do_is_done(jobs):
    assert results([], replayed_work.make_doubling, jobs) == {}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_task_that_raises_is_named_and_the_rest_is_done(jobs):
    done = results([1, 13, 19, 2], replayed_work.make_doubling, jobs)
    raised = Failure("it raised ValueError: thirteen at <object object at 0x…>")
    assert done == {
        0: 2,
        1: raised,
        2: Failure("it ends the program, as a script does: stop"),
        3: 4,
    }


def test_a_process_that_dies_costs_its_own_task_alone():
    done = results([1, 17, 2, 23, 3, 4], replayed_work.make_doubling, 2)
    ended = Failure("the process that did it ended by itself, with the code 17")
    killed = Failure("the process that did it was ended by signal 9; is there memory enough?")
    assert done == {0: 2, 1: ended, 2: 4, 3: killed, 4: 6, 5: 8}


def test_the_last_task_may_kill_its_process():
    done = results([1, 2, 17], replayed_work.make_doubling, 2)
    assert done[2] == Failure("the process that did it ended by itself, with the code 17")


def test_one_job_is_this_process_and_two_are_others():
    assert results([1, 2], replayed_work.make_where, 1) == {0: os.getpid(), 1: os.getpid()}
    assert os.getpid() not in results([1, 2], replayed_work.make_where, 2).values()


def test_one_task_needs_no_other_process():
    assert results([1], replayed_work.make_where, 8) == {0: os.getpid()}


def test_work_that_cannot_be_sent_is_done_here():
    here = results([1, 2], lambda: lambda _task: os.getpid(), 2)
    assert here == {0: os.getpid(), 1: os.getpid()}


def test_a_task_that_cannot_be_sent_is_done_here():
    with Path(os.devnull).open() as stream:
        assert results([stream, stream], replayed_work.make_where, 2)[0] == os.getpid()


def test_where_no_other_process_can_begin_the_work_is_done_here(monkeypatch):
    monkeypatch.setenv("REPLAYED_WORK_MADE_IN", str(os.getpid()))
    assert results([1, 2], replayed_work.make_nothing, 2) == {0: 2, 1: 4}


def test_who_stops_listening_leaves_no_process_behind():
    before = set(multiprocessing.active_children())
    work = work_through([1, 2, 3, 4], replayed_work.make_doubling, jobs=2)
    next(work)
    assert len(set(multiprocessing.active_children()) - before) == 2
    work.close()
    assert set(multiprocessing.active_children()) == before
