import math

import pytest

from lifelong.bench.metrics import latency_ms, mean_figures, percentile, question_figures

MANY = [f"m{number}" for number in range(60)]


def test_the_only_evidence_at_the_first_rank_is_a_perfect_answer():
    found = question_figures({"m0"}, MANY)
    assert set(found.values()) == {1.0}


def test_every_figure_of_two_pieces_of_evidence_at_ranks_3_and_12():
    # When one of two is third and the other twelfth
    found = question_figures({"m2", "m11"}, MANY)
    # Then half of it is in the first 5 and 10, and all of it in the first 20 and 50
    assert found == {
        "any@5": 1.0,
        "any@10": 1.0,
        "any@20": 1.0,
        "any@50": 1.0,
        "all@5": 0.0,
        "all@10": 0.0,
        "all@20": 1.0,
        "all@50": 1.0,
        "fraction@5": 0.5,
        "fraction@10": 0.5,
        "fraction@20": 1.0,
        "fraction@50": 1.0,
        # 1 / log2(4) of 1 / log2(2) + 1 / log2(3) = .5 of 1.63093
        "ndcg@10": pytest.approx(0.306574, abs=1e-6),
    }


def test_the_rank_at_a_depth_is_still_within_it():
    assert question_figures({"m4"}, MANY)["any@5"] == 1.0
    assert question_figures({"m5"}, MANY)["any@5"] == 0.0
    assert question_figures({"m49"}, MANY)["any@50"] == 1.0
    assert question_figures({"m50"}, MANY)["any@50"] == 0.0


def test_evidence_that_was_not_found_counts_as_nothing():
    found = question_figures({"x", "y"}, MANY)
    assert set(found.values()) == {0.0}
    assert set(question_figures({"x"}, []).values()) == {0.0}


def test_ndcg_of_more_evidence_than_ranks_is_1_when_all_ranks_hold_evidence():
    assert question_figures(MANY[:12], MANY)["ndcg@10"] == pytest.approx(1.0)
    assert question_figures(MANY[:12], MANY)["fraction@10"] == pytest.approx(10 / 12)


def test_what_is_ranked_twice_stands_at_its_better_rank_and_keeps_its_place():
    # Given sessions in the order of their messages: s is at ranks 1 and 2, t at 3
    found = question_figures({"t"}, ["s", "s", "t"])
    # Then t counts at rank 3
    assert found["ndcg@10"] == pytest.approx(1 / math.log2(4))
    assert question_figures({"s"}, ["s", "s", "t"])["ndcg@10"] == 1.0


def test_the_mean_is_rounded_to_four_digits():
    assert mean_figures([{"a": 1.0}, {"a": 0.0}, {"a": 0.0}]) == {"a": 0.3333}


def test_percentiles_are_nearest_ranks():
    hundred = list(range(100, 0, -1))
    assert percentile(hundred, 50) == 50
    assert percentile(hundred, 95) == 95
    assert percentile(hundred, 100) == 100
    assert percentile([3.0, 1.0, 2.0], 50) == 2.0
    assert percentile([3.0, 1.0, 2.0], 95) == 3.0
    assert percentile([7.0], 1) == 7.0


def test_latency_is_in_milliseconds():
    assert latency_ms([0.001, 0.002, 0.0035]) == {"p50": 2.0, "p95": 3.5}
