"""Embedders behind a server: Ollama, and whatever speaks OpenAI's API through the caller's client.

What was sent is never repeated in an error, nor a key. An answer counts only when it has a vector
for each text; half an answer is none.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

from lifelong.errors import EmbedderFailed, InvalidValue, MissingExtra
from lifelong.providers.embedders.checked import checked
from lifelong.providers.embedders.plain import plain
from lifelong.rows import Embedding

BATCH = 64
"""Texts in a request: as many as fit the limits of OpenAI with certainty."""

ANSWER_BYTES_MAX = 64 * 2**20
"""Sixteen times what 64 vectors of 4,096 numbers take: no vectors are that long."""

_SAID_MAX = 200


class Ollama:
    """Embed with a model that Ollama serves.

    A server on this machine is reached directly, whatever proxy the environment names.

    Args:
        model: its name there, as ``nomic-embed-text`` or ``bge-m3``.
        url: where Ollama listens, http or https.
        timeout_s: seconds to wait for the server, each time it says nothing.

    Attributes:
        name: ``ollama/`` with the model's name.

    Raises:
        InvalidValue: `url` is no address of a server, or has a password in it; `timeout_s` is not
            positive.
    """

    def __init__(
        self, model: str, *, url: str = "http://localhost:11434", timeout_s: float = 30
    ) -> None:
        self.name = f"ollama/{model}"
        self._model = model
        self._opener = _opener(url)
        self._url = url.rstrip("/") + "/api/embed"
        _require_positive(timeout_s)
        self._timeout_s = timeout_s

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text, in order.

        Raises:
            EmbedderFailed: the server refused, could not be reached, or sent no vectors.
        """
        return _in_batches(self._vectors, texts)

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the server refused, could not be reached, or sent no vector.
        """
        return self.embed([text])[0]

    def _vectors(self, texts: list[str]) -> list[Any]:
        body = json.dumps({"model": self._model, "input": texts, "truncate": True})
        request = Request(  # noqa: S310 - the scheme was looked at when the address came
            self._url, body.encode(), {"Content-Type": "application/json"}
        )
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                answer = json.loads(response.read(ANSWER_BYTES_MAX))
        except HTTPError as error:
            with error:
                raise EmbedderFailed(f"Ollama answered {error.code}{_reason(error)}") from error
        except OSError as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise EmbedderFailed(f"Ollama said nothing for {self._timeout_s} s") from error
            raise EmbedderFailed(f"no Ollama at {self._url} ({type(reason).__name__})") from error
        except HTTPException as error:
            raise EmbedderFailed(f"Ollama broke off ({type(error).__name__})") from error
        except (ValueError, RecursionError) as error:
            raise EmbedderFailed("the answer of Ollama is no JSON") from error
        vectors = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(vectors, list):
            raise EmbedderFailed("the answer of Ollama holds no embeddings")
        return vectors


class OpenAIEmbedder:
    """Embed with any client of OpenAI's API for embeddings.

    `openai.OpenAI()` reaches OpenAI, and with its `base_url` whatever speaks the same.

    Args:
        client: an `openai.OpenAI`, not the asynchronous one. Its `max_retries` holds.
        model: the model's name, as the server knows it.
        dimensions: how many numbers a vector has, where the model lets one choose.
        timeout_s: seconds to wait for the server, for each try.

    Attributes:
        name: ``openai/`` with the model's name, and the dimensions where they were given.

    Raises:
        MissingExtra: the openai package is not installed.
        InvalidValue: `timeout_s` or `dimensions` is not positive, or the client is asynchronous.
    """

    def __init__(
        self, client: Any, model: str, *, dimensions: int | None = None, timeout_s: float = 30
    ) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("openai", "openai") from error
        self._create = client.embeddings.create
        if inspect.iscoroutinefunction(inspect.unwrap(self._create)):
            raise InvalidValue("the client is asynchronous; pass the synchronous one")
        _require_positive(timeout_s)
        # Beside its own errors a client raises these: for a body that is no JSON or too deep, for
        # a key that is missing.
        self._errors = (openai.OpenAIError, RecursionError, TypeError, ValueError)
        self.name = f"openai/{model}" + (f"/{dimensions}" if dimensions else "")
        self._options: dict[str, Any] = {
            "model": model,
            "encoding_format": "float",
            "timeout": timeout_s,
        }
        if dimensions is not None:
            if dimensions < 1:
                raise InvalidValue(f"dimensions is {dimensions}")
            self._options["dimensions"] = dimensions

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """Return the embedding of each text, in order.

        Raises:
            EmbedderFailed: the server refused, could not be reached, or sent no vectors.
        """
        return _in_batches(self._vectors, texts)

    def embed_query(self, text: str) -> Embedding:
        """Return the embedding of a question.

        Raises:
            EmbedderFailed: the server refused, could not be reached, or sent no vector.
        """
        return self.embed([text])[0]

    def _vectors(self, texts: list[str]) -> list[Any]:
        try:
            answer = self._create(input=texts, **self._options)
        except self._errors as error:
            # Not what it says: that may quote the request or the key.
            status = getattr(error, "status_code", None)
            kind = type(error).__name__
            raise EmbedderFailed(f"{kind} {status}" if status else kind) from error
        data = getattr(answer, "data", None)
        if not isinstance(data, list):
            raise EmbedderFailed("the server sent no embeddings")
        by_index = {getattr(each, "index", None): each for each in data}
        if by_index.keys() != {*range(len(data))}:
            raise EmbedderFailed("the server did not number its embeddings")
        return [getattr(by_index[number], "embedding", None) for number in range(len(data))]


def _in_batches(ask: Callable[[list[str]], list[Any]], texts: Sequence[str]) -> list[Embedding]:
    vectors: list[Any] = []
    for start in range(0, len(texts), BATCH):
        batch = [plain(text) for text in texts[start : start + BATCH]]
        made = ask(batch)
        if len(made) != len(batch):
            raise EmbedderFailed(f"the server sent {len(made)} vectors for {len(batch)} texts")
        vectors += made
    return checked([Embedding(vector) for vector in vectors], len(texts))


def _require_positive(timeout_s: float) -> None:
    if not timeout_s > 0:
        raise InvalidValue(f"timeout_s is {timeout_s}")


def _opener(url: str) -> OpenerDirector:
    """Return what opens this address; for one on this machine, never through a proxy."""
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port
    except ValueError as error:
        raise InvalidValue("url is no address") from error
    if not is_usable:
        raise InvalidValue("url must begin with http:// or https:// and name a host")
    if parts.username or parts.password:
        raise InvalidValue("url has a password in it")
    return build_opener(ProxyHandler({})) if _is_here(parts.hostname or "") else build_opener()


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _reason(error: HTTPError) -> str:
    """Return what the server says of its refusal, when that is short and plain."""
    try:
        said = json.loads(error.read(ANSWER_BYTES_MAX))["error"]
    except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError):
        return ""
    is_plain = isinstance(said, str) and said.isprintable() and len(said) <= _SAID_MAX
    return f": {said}" if is_plain else ""
