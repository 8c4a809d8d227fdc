"""The short forms of the clock that jumps, and of many processes beside a sweep and a backup."""

import pytest
from clock_jumps import MOMENTS, jump
from crowd import BACKER, SWEEPER, WRITERS, crowd

import lifelong

ROUNDS = 5


@pytest.mark.parametrize("seed", range(3))
def test_no_jump_of_the_clock_reorders_or_takes_anything(tmp_path, seed):
    jump(tmp_path / "data", seed, 10)


def test_an_engine_that_expires_by_its_own_mind_is_noticed(tmp_path, monkeypatch):
    remember = lifelong.Owner.remember

    def forgetful(self, text, **fields):
        done = remember(self, text, **fields)
        if text == "The lamp 2 is lit":
            self.forget(done.id)
        return done

    monkeypatch.setattr(lifelong.Owner, "remember", forgetful)
    with pytest.raises(AssertionError, match="gone without an expiry"):
        jump(tmp_path / "data", 0, 6)


def test_every_moment_can_be_jumped_to():
    now = lifelong.ManualClock().now()
    assert len({moment(now).timestamp() for moment in MOMENTS.values()}) == len(MOMENTS)


def test_eight_write_while_one_sweeps_and_one_backs_up(tmp_path):
    done = crowd(tmp_path / "data", rounds=ROUNDS)
    assert [each.rounds for each in done[:WRITERS]] == [ROUNDS] * WRITERS
    assert done[SWEEPER].rounds
    assert done[BACKER].rounds
