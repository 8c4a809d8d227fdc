"""The short form of forgetting that is broken off: some calls of each kind of forget."""

import pytest
from forget_killed import DISK, KILLED, KINDS, RAISED, STATEMENTS, Trial, torture
from power_fail import fast_folder
from script import foreseen

HOW = ((DISK, KILLED), (DISK, RAISED), (STATEMENTS, KILLED), (STATEMENTS, RAISED))
EVERY = 23


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_there_or_gone_and_the_receipt_is_right(kind):
    site, way = HOW[[*KINDS].index(kind) % len(HOW)]
    tally = torture(kind, "off", site=site, way=way, every=EVERY)
    assert tally.faults == []
    assert tally.cases > 1


@pytest.mark.parametrize(
    ("kind", "way", "every"), [("session", KILLED, 17), ("everything", RAISED, 5)]
)
def test_both_outcomes_come_about_with_encryption(kind, way, every):
    tally = torture(kind, "on", site=DISK, way=way, every=every)
    assert tally.faults == []
    assert {*tally.outcomes} == {"there", "gone"}


def test_a_wrong_receipt_and_a_left_byte_are_noticed():
    with foreseen(1):
        trial = Trial("message", "off", fast_folder())
        trial.counts["message"] += 1
        with pytest.raises(AssertionError, match="it counts"):
            trial.break_off(DISK, 10_000, RAISED)
        trial.counts["message"] -= 1
        trial._gone = {b"kept soup"}
        with pytest.raises(AssertionError, match="still holds"):
            trial.break_off(DISK, 10_000, RAISED)
