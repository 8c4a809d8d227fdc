"""bge-small-en-v1.5: the well-known small model, one vector for a text and none for its tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifelong.providers.embedders.onnx import CarriedModel, OnnxModel
from lifelong.rows import Embedding

BGE = CarriedModel(
    folder="models/data/bge_small_en",
    model_sha256="68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
    tokenizer_sha256="d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
)
QUESTION_PREFIX = "Represent this sentence for searching relevant passages: "
TOKENS_MAX = 512


class BgeSmall:
    """Embed English text with bge-small-en-v1.5, on this machine's processor.

    `vector` has 384 numbers; `tokens` is empty. Texts are read up to 512 tokens.

    Args:
        threads: how many texts are worked on at a time, each on one core.

    Attributes:
        languages: English only.
        name: the model with a part of the hash of its file.

    Raises:
        MissingExtra: a package is not installed.
        InvalidValue: `threads` is below 1.
    """

    name = f"bge-small-en-v1.5/{BGE.model_sha256[:8]}"

    languages = ("en",)

    def __init__(self, *, threads: int = 2) -> None:
        self._model = OnnxModel(BGE, threads)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text, in order.

        Raises:
            EmbedderFailed: the runtime cannot run the model.
            ModelUnusable: a file of the model is missing or altered.
        """
        return [_embedding(states) for states in self._model.hidden_states(texts, TOKENS_MAX)]

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the runtime cannot run the model.
            ModelUnusable: a file of the model is missing or altered.
        """
        return self.embed([QUESTION_PREFIX + text])[0]


def _embedding(states: Any) -> Embedding:
    first = states[0]
    return Embedding(vector=first / (first**2).sum() ** 0.5)
