"""The matrix for token vectors: how it is fitted, and the one that ships."""

import hashlib
import sys
from importlib.resources import files

import pytest

from lifelong.bench.projection import fit, kept
from lifelong.errors import InvalidValue, MissingExtra
from lifelong.providers.embedders.colbert import PROJECTION_FILE, PROJECTION_SHA256

np = pytest.importorskip("numpy")


def shipped():
    data = files("lifelong.providers.embedders").joinpath(PROJECTION_FILE).read_bytes()
    assert hashlib.sha256(data).hexdigest() == PROJECTION_SHA256
    return np.frombuffer(data, "<f2").reshape(384, 96).astype(np.float64)


def test_the_strongest_directions_are_kept_strongest_first():
    # Along y there is most, along x less, along z least.
    vectors = [[0.0, -3.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert fit(vectors, 2).tolist() == [[0, 1], [1, 0], [0, 0]]
    assert kept(vectors, fit(vectors, 2)) == pytest.approx((9 + 4) / (9 + 4 + 1))
    assert kept(vectors, fit(vectors, 3)) == pytest.approx(1)


def test_the_middle_is_not_taken_off():
    # Around their middle these vary along x only; from the origin most of them is along y.
    assert fit([[1.0, 5.0], [-1.0, 5.0]], 1).tolist() == [[0], [1]]


def test_the_order_of_vectors_does_not_matter():
    vectors = np.random.default_rng(7).normal(size=(400, 12)) * np.arange(1, 13)
    one, two = fit(vectors, 5), fit(vectors[::-1], 5)
    assert one.dtype == np.float16
    assert np.allclose(one, two, atol=2e-3)
    assert np.allclose(one.T @ one.astype(float), np.eye(5), atol=5e-3)


@pytest.mark.parametrize("vectors", [[[1.0, 2.0]], [[1.0], [2.0], [3.0]], [1.0, 2.0]])
def test_too_few_vectors_are_refused(vectors):
    with pytest.raises(InvalidValue, match="width is 2"):
        fit(vectors, 2)


@pytest.mark.parametrize("call", [lambda: fit([[1.0]], 1), lambda: kept([[1.0]], [[1.0]])])
def test_numpy_is_asked_for_by_name(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra, match="numpy is needed"):
        call()


def test_what_ships_keeps_angles():
    matrix = shipped()
    assert np.allclose(matrix.T @ matrix, np.eye(96), atol=5e-3)
    largest = matrix[np.abs(matrix).argmax(axis=0), np.arange(96)]
    assert (largest > 0).all()


def test_what_ships_fits_the_model():
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    from lifelong.providers.embedders.colbert import COLBERT
    from lifelong.providers.embedders.onnx import OnnxModel, folder_of

    try:
        folder_of(COLBERT)
    except MissingExtra as error:
        pytest.skip(str(error))
    texts = [
        "Ana: I take the pill for my knee at eight, and the cat gets hers at nine.",
        "The train to Lyon leaves from platform four; buy the ticket on the web site before noon.",
        "Is there a way to run the tests without the database?",
    ]
    states = np.concatenate(OnnxModel(COLBERT, 1).hidden_states(texts, 192))
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    # Of any 96 directions, a quarter would be kept.
    assert kept(unit, shipped()) > 0.8
