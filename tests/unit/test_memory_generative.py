"""The score of the Generative Agents paper, by hand."""

import pytest

from lifelong.memory.generative import WEIGHTS, Aspects, generative_features


def test_each_aspect_goes_from_the_least_to_the_most():
    found = generative_features([Aspects(0, 1, -1.0), Aspects(200, 10, 3.0), Aspects(100, 4, 1.0)])
    # .995 ** 100 = .605770, .995 ** 200 = .366957
    assert found[0] == (1.0, 0.0, 0.0)
    assert found[1] == (0.0, 1.0, 1.0)
    assert found[2] == pytest.approx((0.377246, 1 / 3, 0.5), abs=1e-5)


def test_the_future_is_now():
    ahead, now, before = generative_features(
        [Aspects(-500, 5, 0.1), Aspects(0, 5, 0.2), Aspects(10, 5, 0.3)]
    )
    assert ahead[0] == now[0] == 1.0
    assert before[0] == 0.0


def test_what_is_the_same_for_all_is_in_the_middle():
    assert generative_features([Aspects(3, 5, 0.2)] * 2) == [(0.5, 0.5, 0.5)] * 2
    assert generative_features([Aspects(1e9, 1, 0.0)]) == [(0.5, 0.5, 0.5)]
    assert generative_features([]) == []


def test_the_three_weigh_the_same():
    assert [*WEIGHTS] == ["recency", "importance", "relevance"]
    assert [*WEIGHTS.values()] == pytest.approx([1 / 3] * 3)
