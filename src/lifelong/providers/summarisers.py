"""Summarisers that ask a model, through the client that the caller has.

Each sends one request and says what came back: the text of a summary, None for an empty answer,
or one of our errors. What to summarise, and whether the text will do, is decided in
`lifelong.working.summary`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifelong.errors import SummariserFailed, SummaryUnusable
from lifelong.providers.clients import ChatClient, Errors, MessagesClient, text_of
from lifelong.working.summary import SummaryTask

ROOM = 2
"""The model may write so many times `tokens_max`: its tokens are not ours, and a summary that is
a little long can still be judged, while one that was cut off cannot."""

_ERRORS = Errors(failed=SummariserFailed, unusable=SummaryUnusable)


class OpenAISummariser:
    """Summarise with any client of the Chat Completions API.

    `openai.OpenAI()` reaches OpenAI, and with its `base_url` DeepSeek, Qwen, Ollama, vLLM or a
    gateway. Reasoning models of OpenAI take no temperature and another limit: pass
    ``temperature=None, extra={"max_completion_tokens": 4000}``. Any model that reasons needs room
    for it.

    Args:
        client: an `openai.OpenAI`, not the asynchronous one. Its `max_retries` holds.
        model: the model's name, as the server knows it.
        temperature: 0 for the least variation; None to leave it to the server.
        timeout_s: seconds to wait for the server, for each try.
        extra: more arguments for `chat.completions.create`; they win over ours.

    Attributes:
        name: the model's, kept beside a summary to tell who made it.

    Raises:
        MissingExtra: the openai package is not installed.
        InvalidValue: `timeout_s` is not positive, or the client is asynchronous.
    """

    def __init__(
        self,
        client: Any,
        model: str,
        *,
        temperature: float | None = 0,
        timeout_s: float = 60,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self._client = ChatClient(client, timeout_s, _ERRORS)
        self.name = model
        self._options: dict[str, Any] = {"timeout": timeout_s, **(extra or {})}
        if temperature is not None:
            self._options.setdefault("temperature", temperature)

    def __call__(self, task: SummaryTask) -> str | None:
        """Return the model's summary, or None when it answered without a word.

        Raises:
            SummariserFailed: the server refused, could not be reached, or sent no completion.
            SummaryUnusable: the answer was cut off, or the model declined.
        """
        options = dict(self._options)
        if "max_completion_tokens" not in options:
            options.setdefault("max_tokens", ROOM * task.tokens_max)
        request = {
            "model": self.name,
            "messages": [
                {"role": "system", "content": task.instructions},
                {"role": "user", "content": task.transcript},
            ],
        }
        return self._client.ask(request | options) or None


class AnthropicSummariser:
    """Summarise with a client of the Messages API.

    Args:
        client: an `anthropic.Anthropic`, or one for a cloud of the same package; not an
            asynchronous one. Its `max_retries` holds.
        model: the model's name.
        timeout_s: seconds to wait for the server, for each try.

    Attributes:
        name: the model's, kept beside a summary to tell who made it.

    Raises:
        MissingExtra: the anthropic package is not installed.
        InvalidValue: `timeout_s` is not positive, or the client is asynchronous.
    """

    def __init__(self, client: Any, model: str, *, timeout_s: float = 60) -> None:
        self._client = MessagesClient(client, timeout_s, _ERRORS)
        self.name = model
        self._timeout_s = timeout_s

    def __call__(self, task: SummaryTask) -> str | None:
        """Return the model's summary, or None when it answered without a word.

        Raises:
            SummariserFailed: the server refused, could not be reached, or sent no message.
            SummaryUnusable: the answer was cut off, or the model declined.
        """
        request = {
            "model": self.name,
            "max_tokens": ROOM * task.tokens_max,
            "system": task.instructions,
            "messages": [{"role": "user", "content": task.transcript}],
            "timeout": self._timeout_s,
        }
        return text_of(self._client.ask(request)) or None
