"""The matrix of an owner's vectors: what is nearest is found, however it grew and shrank."""

import numpy as np
import pytest

from lifelong.memory import matrix as matrices
from lifelong.memory.matrix import Matrix

DIMENSIONS = 72
"""Eight more than a word of bits has."""


def unread(_numbers):
    raise AssertionError("the vectors are held in memory")


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clustered(rows, seed=1):
    """Return vectors as texts have them: groups about a topic, all somewhat alike."""
    chance = np.random.default_rng(seed)
    topics = chance.normal(size=(rows // 50 + 5, DIMENSIONS)) + 0.5
    noise = chance.normal(size=(rows, DIMENSIONS))
    return unit(topics[chance.integers(0, len(topics), rows)] + noise)


def packed(vectors):
    return [row.astype("<f2").tobytes() for row in vectors]


def filled(vectors, *, first_number=1_000, seqs=None):
    matrix = Matrix(DIMENSIONS)
    numbers = range(first_number, first_number + len(vectors))
    matrix.extend(numbers, seqs or range(1, len(vectors) + 1), packed(vectors))
    return matrix


def truly_nearest(vectors, query, count):
    return (np.argsort(-(vectors @ query), kind="stable")[:count] + 1).tolist()


def share_found(matrix, vectors, *, count=50, read=unread):
    found = [
        len({*matrix.nearest(query, count, read=read)[0]} & {*truly_nearest(vectors, query, count)})
        for query in clustered(20, seed=1)
    ]
    return sum(found) / (len(found) * count)


def test_nearest_and_cosines_by_hand():
    matrix = Matrix(2)
    matrix.extend([7, 8, 9], [3, 1, 2], packed(np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)))
    query = np.array([1, 0], np.float32)
    seqs, cosines = matrix.nearest(query, 2, read=unread)
    assert seqs == [3, 2]
    assert cosines == pytest.approx([1, 0.6], abs=0.01)
    places = matrix.places([1, 4, 2, 0, -1])
    assert matrix.identify(places) == ([8, 9], [1, 2])
    assert matrix.cosines(query, places, unread).tolist() == pytest.approx([0, 0.6], abs=0.01)


def test_an_empty_one_has_nothing():
    matrix = Matrix(2)
    query = np.array([1, 0], np.float32)
    assert matrix.nearest(query, 5, read=unread) == ([], [])
    assert matrix.nearest(query, 5, allowed=[1], read=unread) == ([], [])
    assert (matrix.rows, matrix.last_number, matrix.is_outgrown) == (0, 0, False)
    matrix.extend([], [], [])
    assert matrix.rows == 0


def test_cosines_are_a_thousandth_off_at_most():
    vectors = clustered(2_000)
    matrix = filled(vectors)
    for query in clustered(20, seed=3):
        found = matrix.cosines(query, matrix.places(range(1, 2_001)), unread)
        assert np.abs(found - vectors @ query).max() < 0.003  # 72 numbers average less than 384


@pytest.mark.parametrize("rows", [500, 8_192])
def test_few_are_compared_one_by_one(rows):
    vectors = clustered(rows)
    assert share_found(filled(vectors), vectors) > 0.97


def test_many_are_first_compared_by_bits():
    vectors = clustered(30_000)
    assert share_found(filled(vectors), vectors) > 0.95


def test_the_bits_alone_point_to_what_is_read():
    # Given a matrix that let its bytes go, when it is asked, then it reads some hundred vectors.
    vectors = clustered(20_000)
    matrix = filled(vectors)
    held = matrix.size_bytes
    matrix.let_go_of_bytes()
    stored = dict(enumerate(packed(vectors), 1_000))
    asked = []

    def read(numbers):
        asked.append(len(numbers))
        return [stored[number] for number in numbers]

    assert matrix.size_bytes < held / 2
    assert share_found(matrix, vectors, count=10, read=read) > 0.8
    assert max(asked) < 2_500
    # What is added later is found as well, and what is gone from the store is not in the way.
    matrix.extend([900_000], [25_000], packed(vectors[:1]))
    stored[900_000] = packed(vectors[:1])[0]
    assert 25_000 in matrix.nearest(vectors[0], 5, read=read)[0]
    gone = matrix.cosines(vectors[0], matrix.places([1]), lambda _numbers: [b""])
    assert gone.tolist() == [0]


def test_only_the_allowed_ones():
    vectors = clustered(20_000)
    matrix = filled(vectors)
    query = vectors[41]
    few = {42, 7, 19_999, 30_000}
    assert matrix.nearest(query, 2, allowed=few, read=unread)[0][0] == 42
    assert {*matrix.nearest(query, 50, allowed=few, read=unread)[0]} == {42, 7, 19_999}
    many = range(1, 20_001, 2)
    found, _ = matrix.nearest(query, 50, allowed=many, read=unread)
    expected = [seq for seq in truly_nearest(vectors, query, 200) if seq % 2][:50]
    assert len({*found} & {*expected}) > 45
    assert matrix.nearest(query, 5, allowed=[], read=unread) == ([], [])


def test_rows_may_come_in_any_order_and_in_pieces():
    vectors = clustered(1_000)
    order = np.random.default_rng(2).permutation(1_000)
    whole, pieces = filled(vectors), Matrix(DIMENSIONS)
    pieces.extend(range(200), (order[:200] + 1).tolist(), packed(vectors[order[:200]]))
    for start in range(200, 1_000, 50):
        part = order[start : start + 50]
        pieces.extend(range(start, start + 50), (part + 1).tolist(), packed(vectors[part]))
    for query in clustered(10, seed=4):
        one, other = (m.nearest(query, 20, read=unread)[0] for m in (whole, pieces))
        assert len({*one} & {*other}) >= 19
    assert pieces.last_number == 999


def test_what_is_not_kept_is_found_no_more():
    vectors = clustered(1_000)
    matrix = filled(vectors)
    assert matrix.keep(range(1_000, 2_000)) is False
    assert matrix.keep([*range(1_000, 1_500), 5]) is True
    assert (matrix.rows, matrix.last_number) == (500, 1_499)
    assert matrix.places([500, 501]).tolist() == [499]
    assert max(matrix.nearest(vectors[700], 500, read=unread)[0]) == 500
    # And it grows on.
    matrix.extend([9_000], [501], packed(vectors[700:701]))
    assert matrix.nearest(vectors[700], 1, read=unread)[0] == [501]
    assert matrix.keep([]) is True
    assert (matrix.rows, matrix.last_number) == (0, 0)


def test_the_bits_follow_what_is_kept(monkeypatch):
    monkeypatch.setattr(matrices, "EXACT_ROWS_MAX", 10)
    monkeypatch.setattr(matrices, "COMPARED_ROWS_MIN", 20)
    vectors = clustered(2_000)
    matrix = filled(vectors)
    matrix.keep(range(1_001, 3_000, 2))  # every second row
    for seq in (2, 500, 1_998):
        assert matrix.nearest(vectors[seq - 1], 1, read=unread)[0] == [seq]


def test_it_is_outgrown_when_its_mean_is_one_of_few():
    vectors = clustered(400)
    matrix = Matrix(DIMENSIONS)
    matrix.extend([1], [1], packed(vectors[:1]))
    assert not matrix.is_outgrown
    matrix.extend(range(2, 400), range(2, 400), packed(vectors[1:399]))
    assert matrix.is_outgrown
    assert not filled(vectors).is_outgrown
