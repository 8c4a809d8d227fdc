"""Vectors as bytes: what is kept of an embedding, what is refused, and texts against questions."""

import math

import numpy as np
import pytest

from lifelong.errors import EmbedderFailed
from lifelong.memory import vectors
from lifelong.memory.vectors import TOKENS_MAX, best_matches, pack, read_question
from lifelong.rows import Embedding


def unpacked(packed):
    return np.frombuffer(packed.vector, "<f2").astype(np.float32)


def test_a_vector_is_kept_with_length_one():
    packed = pack(Embedding([3.0, 4.0]))
    assert (packed.dimensions, packed.token_dimensions, packed.tokens) == (2, 0, b"")
    assert len(packed.vector) == 4
    assert unpacked(packed) == pytest.approx([0.6, 0.8], abs=1e-3)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e29])
def test_its_length_does_not_matter(scale):
    assert pack(Embedding([3.0 * scale, 4.0 * scale])).vector == pack(Embedding([3.0, 4.0])).vector


def test_zeros_stay_zeros():
    assert unpacked(pack(Embedding([0.0, 0.0]))).tolist() == [0, 0]


def test_tokens_take_a_byte_a_number_and_a_scale():
    packed = pack(Embedding([1.0, 0.0], [[1.0, 0.0], [0.6, -0.8], [0.0, 1.0]]))
    assert packed.token_dimensions == 2
    assert len(packed.tokens) == 3 * (4 + 2)


def test_of_a_long_text_some_tokens_are_kept():
    packed = pack(Embedding([1.0, 0.0], [[1.0, 0.0]] * (TOKENS_MAX + 10)))
    assert len(packed.tokens) == TOKENS_MAX * (4 + 2)


def test_any_sequence_of_numbers_will_do():
    lists = Embedding([3, 4], [[1, 0], [0, 1]])
    arrays = Embedding(np.array([3, 4], np.float16), np.eye(2, dtype=np.float64))
    assert pack(lists) == pack(arrays)


NONSENSE = {
    "nothing": Embedding([]),
    "not a number": Embedding([1.0, math.nan]),
    "infinite": Embedding([1.0, math.inf]),
    "words": Embedding(["one", "two"]),
    "none": Embedding(None),
    "rows instead of numbers": Embedding([[1.0], [2.0]]),
    "tokens of two lengths": Embedding([1.0], [[1.0, 0.0], [1.0]]),
    "tokens that are numbers": Embedding([1.0], [1.0, 0.0]),
    "a token that is not a number": Embedding([1.0], [[1.0, math.nan]]),
    "huge": Embedding([1e300, 1.0]),
    "no tokens at all": Embedding([1.0], None),
    "huge tokens": Embedding([1.0], [[1e300]]),
    "tokens without numbers": Embedding([1.0], [[], []]),
}


@pytest.mark.parametrize("embedding", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_refused(embedding):
    with pytest.raises(EmbedderFailed):
        pack(embedding)
    with pytest.raises(EmbedderFailed):
        read_question(embedding)


def test_a_question_is_read_as_it_is_compared():
    question = read_question(Embedding([3.0, 4.0], [[1.0, 0.0]]))
    assert question.vector.tolist() == pytest.approx([0.6, 0.8])
    assert question.tokens.tolist() == [[1.0, 0.0]]
    assert read_question(Embedding([1.0])).tokens.size == 0


# Given a question of two tokens, along the first axis and along the second.
QUESTION = np.eye(2, dtype=np.float32)


def tokens(*vectors):
    return pack(Embedding([1.0], vectors)).tokens


def test_each_token_of_the_question_takes_its_best():
    texts = [
        tokens([1.0, 0.0], [0.0, 1.0]),
        tokens([1.0, 0.0]),
        tokens([0.6, 0.8], [-1.0, 0.0]),
        tokens([-1.0, 0.0]),
    ]
    there, best = best_matches(QUESTION, texts)
    assert there == [0, 1, 2, 3]
    assert best == pytest.approx(np.array([[1, 1], [1, 0], [0.6, 0.8], [-1, 0]]), abs=0.01)
    assert best.max() <= 1


def test_a_text_without_tokens_is_left_out_wherever_it_stands():
    one = tokens([1.0, 0.0])
    there, best = best_matches(QUESTION, [b"", one, b"", one, b""])
    assert there == [1, 3]
    assert best == pytest.approx(np.array([[1, 0], [1, 0]]))
    for none in ([b"", b""], []):
        there, best = best_matches(QUESTION, none)
        assert (there, best.shape) == ([], (0, 2))


def test_tokens_of_another_length_are_left_out():
    other = pack(Embedding([1.0], [[1.0, 0.0, 0.0]])).tokens
    assert best_matches(QUESTION, [other, tokens([1.0, 0.0])])[0] == [1]


@pytest.mark.parametrize("at_once", [1, 7 * 24 * 5, 1 << 20])
def test_it_is_what_the_definition_says(monkeypatch, at_once):
    # Given random texts, when they are compared at once, or in parts that end within a text, then
    # each is as if compared alone.
    monkeypatch.setattr(vectors, "_PRODUCTS_AT_ONCE", at_once)
    chance = np.random.default_rng(5)
    query = _unit(chance.normal(size=(7, 24)))
    texts = [_unit(chance.normal(size=(count, 24))) for count in (1, 40, 3, 12)]
    expected = np.array([(query @ text.T).max(axis=1) for text in texts])
    packed = [pack(Embedding([1.0], text)).tokens for text in texts]
    assert best_matches(query, packed)[1] == pytest.approx(expected, abs=0.02)


def _unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
