"""Summarisers that ask a model, through the client that the caller has.

The caller makes the client, so keys, base URL, proxies and retries are theirs and never pass
through here. This module sends one request and says honestly what came back: the text of a
summary, None for an empty answer, or one of our errors. What to summarise, and whether the text
will do, is decided in `lifelong.working.summary`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from lifelong.errors import InvalidValue, MissingExtra, SummariserFailed, SummaryUnusable
from lifelong.working.summary import SummaryTask

ROOM = 2
"""The model may write so many times `tokens_max`: its tokens are not ours, and a summary that is
a little long can still be judged, while one that was cut off cannot."""

_MISUSED = (TypeError, ValueError)
"""What clients raise beside their own errors: for a body that is no JSON, for an argument or a
key that is missing, for text that has no UTF-8."""

_CUT_OFF = "the answer was cut off at the limit of tokens"
_DECLINED = "the model declined"
_INLINE_REASONING = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)
_PLAIN_CODE = re.compile(r"[a-z_]{1,40}")


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
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("openai", "openai") from error
        self._create = client.chat.completions.create
        _check(self._create, timeout_s)
        self._errors = (openai.OpenAIError, *_MISUSED)
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
        answer = _call(self._create, request | options, self._errors)
        choices = getattr(answer, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message: Any = getattr(choice, "message", None)
        if not hasattr(message, "content") or not isinstance(message.content, str | None):
            raise SummariserFailed("the server sent no chat completion")
        reason = getattr(choice, "finish_reason", None)
        if reason == "length":
            raise SummaryUnusable(_CUT_OFF)
        if reason == "content_filter" or getattr(message, "refusal", None):
            raise SummaryUnusable(_DECLINED)
        return _said(message.content or "")


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
        try:
            import anthropic
        except ImportError as error:
            raise MissingExtra("anthropic", "anthropic") from error
        self._create = client.messages.create
        _check(self._create, timeout_s)
        self._errors = (anthropic.AnthropicError, *_MISUSED)
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
        answer = _call(self._create, request, self._errors)
        blocks = getattr(answer, "content", None)
        if not isinstance(blocks, list):
            raise SummariserFailed("the server sent no message")
        reason = getattr(answer, "stop_reason", None)
        if reason in {"max_tokens", "model_context_window_exceeded"}:
            raise SummaryUnusable(_CUT_OFF)
        if reason == "refusal":
            raise SummaryUnusable(_DECLINED)
        said = [block for block in blocks if getattr(block, "type", None) == "text"]
        return _said("".join(str(getattr(block, "text", "")) for block in said))


def _check(create: Callable[..., Any], timeout_s: float) -> None:
    if inspect.iscoroutinefunction(inspect.unwrap(create)):
        raise InvalidValue("the client is asynchronous; pass the synchronous one")
    if not timeout_s > 0:
        raise InvalidValue(f"timeout_s is {timeout_s}")


def _call(
    create: Callable[..., Any], request: Mapping[str, Any], errors: tuple[type[Exception], ...]
) -> Any:
    """Call the client; whatever it raises becomes ours."""
    try:
        return create(**request)
    except errors as error:
        raise SummariserFailed(_name(error)) from error


def _name(error: Exception) -> str:
    """Return what kind of error it is, and nothing of what was sent.

    A provider's own message may quote the request or the key.
    """
    told = [str(getattr(error, name, None) or "") for name in ("code", "type", "param")]
    codes = [text for text in told if _PLAIN_CODE.fullmatch(text)]
    status = getattr(error, "status_code", None)
    return " ".join([type(error).__name__, *([str(status)] if status else []), *codes])


def _said(text: str) -> str | None:
    """Return what a model said, without reasoning that its server left in the text."""
    return _INLINE_REASONING.sub("", text).strip() or None
