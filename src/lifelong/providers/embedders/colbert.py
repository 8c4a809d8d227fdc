"""answerai-colbert-small-v1: one model for both uses, vectors of texts and of their tokens.

The file in the wheel ends at the last layer, before the model's own projection. The mean of the
token vectors finds; the token vectors, made short by a projection of ours, rank. No marker tokens
are added: with this file they only do harm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from lifelong.providers.embedders.onnx import CarriedModel, OnnxModel
from lifelong.rows import Embedding

COLBERT = CarriedModel(
    folder="models/data/colbert",
    model_sha256="4980983628c18e4f0a4c756114abd2d7c097c6ccad9cffc70e77302d21e05df0",
    tokenizer_sha256="cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
)
DIMENSIONS = 384
SHORT_DIMENSIONS = 96
PROJECTION_FILE = "projection.f16"
PROJECTION_SHA256 = "223ddd9dcb4d04227fbeaf614a460f185d95747e0c3255d3a65c4fb7a31b411d"
"""Part of the name, since other numbers make other vectors. `bench.projection` says whence they
are."""

TEXT_TOKENS_MAX = 192
QUESTION_TOKENS_MAX = 64


class ColbertSmall:
    """Embed English text with answerai-colbert-small-v1, on this machine's processor.

    `vector` has 384 numbers, `tokens` 96 for each token with [CLS] and [SEP]. Texts are read up to
    192 tokens, questions up to 64.

    Args:
        threads: how many texts are worked on at a time, each on one core.

    Attributes:
        languages: English only.
        name: the model with parts of the hashes of its files.

    Raises:
        MissingExtra: a package is not installed.
        InvalidValue: `threads` is below 1.
    """

    name = (
        f"answerai-colbert-small-v1/{SHORT_DIMENSIONS}/"
        f"{COLBERT.model_sha256[:8]}{PROJECTION_SHA256[:8]}"
    )

    languages = ("en",)

    def __init__(self, *, threads: int = 2) -> None:
        self._model = OnnxModel(COLBERT, threads)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text, in order.

        Raises:
            EmbedderFailed: the runtime cannot run the model.
            ModelUnusable: a file of the model is missing or altered.
        """
        return [_embedding(states) for states in self._model.hidden_states(texts, TEXT_TOKENS_MAX)]

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the runtime cannot run the model.
            ModelUnusable: a file of the model is missing or altered.
        """
        return _embedding(self._model.hidden_states([text], QUESTION_TOKENS_MAX)[0])


def _embedding(states: Any) -> Embedding:
    tokens = _unit(states)
    return Embedding(vector=_unit(tokens.mean(axis=0)), tokens=_unit(tokens @ _projection()))


def _unit(vectors: Any) -> Any:
    return vectors / (vectors**2).sum(axis=-1, keepdims=True) ** 0.5


@cache
def _projection() -> Any:
    import numpy as np

    data = files("lifelong.providers.embedders").joinpath(PROJECTION_FILE).read_bytes()
    matrix = np.frombuffer(data, "<f2").reshape(DIMENSIONS, SHORT_DIMENSIONS)
    return matrix.astype(np.float32)
