"""Likeness: figures by hand, and when there are too few vectors for any."""

import numpy as np
import pytest

from lifelong.memory.likeness import likeness


def alone(*seqs):
    return dict.fromkeys(seqs, ())


def of_tokens(candidates, lines, rows=None):
    """Return the likeness of rows 1, 2, 3 … whose tokens match the question's as `lines` say."""
    best = np.array(lines, np.float32)
    rows = rows or {seq: line for line, seq in enumerate(range(1, len(lines) + 1))}
    return likeness(candidates, dict.fromkeys(candidates, 0.5), best=best, rows=rows)


def about(**figures):
    return {int(seq[1:]): pytest.approx(value, abs=1e-5) for seq, value in figures.items()}


def test_meaning_is_told_from_the_median_in_standard_deviations():
    # Median .3, mean .3, and deviations of .2, .2 and 0: sqrt(.08 / 3) = .163299.
    found = likeness(alone(1, 2, 3, 4), {1: 0.1, 2: 0.5, 3: 0.3}, best=None, rows={})
    assert found.meaning == about(_1=-1.224745, _2=1.224745, _3=0)
    assert found.meaning_near == found.meaning
    assert not found.has_tokens
    assert found.tokens == found.tokens_near == found.tokens_rare == {}
    # Of an even number the median is between two.
    assert likeness(alone(1, 2), {1: 0.2, 2: 0.4}, best=None, rows={}).meaning == about(_1=-1, _2=1)


def test_the_median_is_not_the_mean():
    # Median .1, mean .3; deviations .2, .2 and .4: sqrt(.24 / 3) = .282843.
    found = likeness(alone(1, 2, 3), {1: 0.1, 2: 0.1, 3: 0.7}, best=None, rows={})
    assert found.meaning == about(_1=0, _2=0, _3=2.121320)


def test_a_neighbour_counts_a_little_less_than_the_row_itself():
    candidates = {1: (2, 9), 2: (), 3: (8,)}
    found = likeness(candidates, {1: 0.1, 2: 0.5, 3: 0.3, 8: 0.31}, best=None, rows={})
    # 1 has .95 * .5 = .475; 3 keeps its .3, for .95 * .31 is less; 9 has no vector. Mean .425,
    # deviations .05, .075 and .125: sqrt(.02375 / 3) = .088976.
    assert found.meaning_near == about(_1=0, _2=0.280976, _3=-1.966832)
    assert found.meaning.keys() == {1, 2, 3}


def test_all_alike_are_at_the_median():
    found = likeness(alone(1, 2), {1: 0.4, 2: 0.4}, best=None, rows={})
    assert found.meaning == {1: 0.0, 2: 0.0}


@pytest.mark.parametrize(
    ("candidates", "with_vectors", "is_enough"),
    [
        ([], [], False),
        ([1], [], False),
        ([1, 2], [1], True),
        ([1, 2, 3], [1], False),
        ([1, 2, 3, 4], [1, 2], True),
        ([1, 2, 3], [1, 7, 8, 9], False),  # others' vectors do not count
    ],
)
def test_half_of_the_candidates_must_have_a_vector(candidates, with_vectors, is_enough):
    cosines = {seq: seq / 10 for seq in with_vectors}
    found = likeness(alone(*candidates), cosines, best=None, rows={})
    assert (found is not None) == is_enough


def test_tokens_are_told_from_the_median():
    found = of_tokens(alone(1, 2, 3), [[0.9, 0.1], [0.8, 0.8], [0.4, 0.4]])
    assert found.has_tokens
    assert found.tokens == about(_1=0, _2=0.3, _3=-0.1)  # means .5, .8, .4
    assert found.tokens_near == found.tokens  # nobody has neighbours


def test_neighbours_may_answer_a_token_too():
    candidates = {1: (2,), 2: (9,), 3: ()}
    found = of_tokens(candidates, [[0.9, 0.1], [0.8, 0.8], [0.4, 0.4]])
    # 1 has (.9, .95 * .8 = .76), so .83; the median is 2's .8: it has no neighbour with tokens.
    assert found.tokens_near == about(_1=0.03, _2=0, _3=-0.4)
    assert found.tokens == about(_1=0, _2=0.3, _3=-0.1)


def test_the_second_neighbour_counts_as_the_first():
    lines = [[0.1], [0.2], [0.8]]
    before = of_tokens({1: (3, 2), 2: (), 3: ()}, lines)
    after = of_tokens({1: (2, 3), 2: (), 3: ()}, lines)
    assert before.tokens_near == after.tokens_near == about(_1=0, _2=-0.56, _3=0.04)  # 1: .76


def test_a_token_that_few_have_counts_more():
    found = of_tokens(alone(1, 2, 3), [[0.9, 0.1], [0.8, 0.8], [0.4, 0.4]])
    # Two have the first (.75 or more), one the second: ln(1 + 1.5 / 2.5) and ln(1 + 2.5 / 1.5),
    # .323953 and .676047 of both. Sums .359162, .8 and .4.
    assert found.tokens_rare == about(_1=-0.040838, _2=0.4, _3=0)


def test_just_below_the_limit_a_token_is_not_there():
    def second(cosine):
        return of_tokens(alone(1, 2), [[cosine, 0.8], [0.0, 0.0]]).tokens_rare[1]

    # With both there they weigh the same; without the first it is the rarer one.
    assert second(0.75) == pytest.approx((0.75 + 0.8) / 2 / 2, abs=1e-5)
    rare, common = np.log1p(2.5 / 0.5), np.log1p(1.5 / 1.5)
    whole = (0.74 * rare + 0.8 * common) / (rare + common)
    assert second(0.74) == pytest.approx(whole / 2, abs=1e-5)


def test_a_row_without_tokens_has_no_figure_and_moves_no_median():
    found = likeness(
        alone(1, 2, 3),
        {1: 0.1, 2: 0.2, 3: 0.3},
        best=np.array([[0.9], [0.5]], np.float32),
        rows={1: 1, 3: 0},
    )
    assert found.tokens == about(_1=-0.2, _3=0.2)  # the median of .5 and .9
    assert found.meaning.keys() == {1, 2, 3}
    no_one = of_tokens(alone(1, 2), [[0.9]], rows={7: 0})
    assert no_one.has_tokens
    assert no_one.tokens == no_one.tokens_near == no_one.tokens_rare == {}


def test_an_empty_table_is_that_of_a_model_without_tokens():
    found = likeness(alone(1), {1: 0.3}, best=np.empty((0, 4), np.float32), rows={})
    assert not found.has_tokens
