"""The short form of the kills, and a control that shows that a loss would be noticed."""

import pytest
from kills import Store, Tally, torture
from power_fail import fast_folder
from script import foreseen

CYCLES = 5


@pytest.mark.parametrize("seed", [0, 1])
def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(seed):
    tally = torture(seed, CYCLES)
    assert tally.faults == []
    assert tally.cycles == CYCLES


def test_a_witness_that_knows_more_is_noticed():
    with foreseen(5):
        store = Store(5, fast_folder())
        store.cycle(0, Tally())
        store._witness.owner("bo").remember("what the store never heard of")
        with pytest.raises(AssertionError, match="lines missing"):
            store.cycle(1, Tally())
        store.close()
