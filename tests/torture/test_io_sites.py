"""The short form of the failing calls: some calls of some works; the long form fails them all."""

import apsw
import pytest
from io_sites import CHOICES, EIO, FAULTS, LASTING, Trial, torture, workload
from power_fail import fast_folder
from script import VERBS

SHORT = {
    "append": 31,
    "remember": 23,
    "file_write": 23,
    "forget_match": 83,
    "forget_everything, plain": 17,
    "opening, and messages": 11,
    "a new store, and append": 61,
    "a new owner, and remember": 61,
}
"""Of so many calls one."""


@pytest.mark.parametrize(("name", "every"), SHORT.items(), ids=SHORT)
def test_every_failure_is_named_and_nothing_is_half_done(name, every):
    tally = torture(name, every=every, first=len(name) % every)
    assert tally.faults == []
    assert tally.cases
    assert {*tally.errors} <= {"", "StoreError", "StoreFull", "StoreReadOnly", "StoreCorrupt"}


def test_the_workload_has_each_verb_and_names_each_work_once():
    works = workload()
    assert {work.verb for work in works} >= {*VERBS}
    assert len({work.name for work in works}) == len(works)
    assert {*CHOICES} <= {*VERBS}


def test_each_kind_of_call_may_fail_and_a_full_disk_stays_full():
    assert all(EIO in faults for faults in FAULTS.values())
    assert LASTING in FAULTS["write"]
    (work,) = [work for work in workload() if work.name == "a new store, and append"]
    assert [work.faults_at(number, "write") for number in (0, 1, 5)] == [
        FAULTS["write"][:1],
        FAULTS["write"][1:2],
        FAULTS["write"][:1],
    ]


def test_a_call_that_is_not_failed_raises_nothing_and_a_lost_write_is_noticed(monkeypatch):
    (work,) = [work for work in workload() if work.name == "set"]
    folder = fast_folder()
    trial = Trial(work, folder)
    assert trial.calls
    assert trial.fail(len(trial.calls) + 1, EIO) == ""
    assert trial.fail(1, EIO) == "StoreError"
    # An engine that swallows the error acknowledges what is not there.
    monkeypatch.setattr("io_sites._do", lambda *_: None)
    with pytest.raises(AssertionError, match="no error: ana"):
        trial.fail(1, EIO)
    assert issubclass(apsw.FullError, apsw.Error)
