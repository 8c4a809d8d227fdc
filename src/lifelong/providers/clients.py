"""Asking a model through the client that the caller has, and saying honestly what came back.

The caller makes the client, so keys, base URL, proxies and retries are theirs and never pass
through here. What is asked, and what an answer is worth, others decide: they say which of our
errors stands for a server that failed, and which for an answer that is none.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lifelong.errors import InvalidValue, LifelongError, MissingExtra

_MISUSED = (TypeError, ValueError)
"""What clients raise beside their own errors: for a body that is no JSON, for an argument or a
key that is missing, for text that has no UTF-8."""

_CUT_OFF = "the answer was cut off at the limit of tokens"
_DECLINED = "the model declined"
_INLINE_REASONING = re.compile(r"\A\s*<think>.*?(</think>|\Z)", re.DOTALL)
_PLAIN_CODE = re.compile(r"[a-z_]{1,40}")


@dataclass(frozen=True, slots=True)
class Errors:
    """Which errors to raise.

    Attributes:
        failed: the server refused, could not be reached, or sent nothing of its API.
        unusable: the answer was cut off, or the model declined.
    """

    failed: type[LifelongError]
    unusable: type[LifelongError]


class ChatClient:
    """Asks over the Chat Completions API.

    Args:
        client: an `openai.OpenAI`, not the asynchronous one.
        timeout_s: seconds to wait for the server, for each try.
        errors: which to raise.

    Raises:
        MissingExtra: the openai package is not installed.
        InvalidValue: `timeout_s` is not positive, or the client is asynchronous.
    """

    def __init__(self, client: Any, timeout_s: float, errors: Errors) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("openai", "openai") from error
        self._create = _checked(client.chat.completions.create, timeout_s)
        self._raised = (openai.OpenAIError, *_MISUSED)
        self._errors = errors

    def ask(self, request: Mapping[str, Any]) -> str:
        """Return what the model said, without its reasoning; empty if it said nothing.

        Raises:
            LifelongError: one of `errors`.
        """
        answer = _called(self._create, request, self._raised, self._errors.failed)
        choices = getattr(answer, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        message: Any = getattr(choice, "message", None)
        if not hasattr(message, "content") or not isinstance(message.content, str | None):
            raise self._errors.failed("the server sent no chat completion")
        reason = getattr(choice, "finish_reason", None)
        if reason == "length":
            raise self._errors.unusable(_CUT_OFF)
        if reason == "content_filter" or getattr(message, "refusal", None):
            raise self._errors.unusable(_DECLINED)
        return _INLINE_REASONING.sub("", message.content or "").strip()


class MessagesClient:
    """Asks over the Messages API.

    Args:
        client: an `anthropic.Anthropic`, or one for a cloud of the same package; not an
            asynchronous one.
        timeout_s: seconds to wait for the server, for each try.
        errors: which to raise.

    Raises:
        MissingExtra: the anthropic package is not installed.
        InvalidValue: `timeout_s` is not positive, or the client is asynchronous.
    """

    def __init__(self, client: Any, timeout_s: float, errors: Errors) -> None:
        try:
            import anthropic
        except ImportError as error:
            raise MissingExtra("anthropic", "anthropic") from error
        self._create = _checked(client.messages.create, timeout_s)
        self._raised = (anthropic.AnthropicError, *_MISUSED)
        self._errors = errors

    def ask(self, request: Mapping[str, Any]) -> list[Any]:
        """Return the blocks of the model's answer.

        Raises:
            LifelongError: one of `errors`.
        """
        answer = _called(self._create, request, self._raised, self._errors.failed)
        blocks = getattr(answer, "content", None)
        if not isinstance(blocks, list):
            raise self._errors.failed("the server sent no message")
        reason = getattr(answer, "stop_reason", None)
        if reason in {"max_tokens", "model_context_window_exceeded"}:
            raise self._errors.unusable(_CUT_OFF)
        if reason == "refusal":
            raise self._errors.unusable(_DECLINED)
        return blocks


def text_of(blocks: list[Any]) -> str:
    """Return the text of the blocks of an answer, without reasoning that stands in it."""
    said = [block for block in blocks if getattr(block, "type", None) == "text"]
    text = "".join(str(getattr(block, "text", "")) for block in said)
    return _INLINE_REASONING.sub("", text).strip()


def status_of(error: LifelongError) -> int | None:
    """Return the HTTP status that an error of ours stands for, if a server answered with one."""
    return getattr(error.__cause__, "status_code", None)


def _checked(create: Callable[..., Any], timeout_s: float) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(inspect.unwrap(create)):
        raise InvalidValue("the client is asynchronous; pass the synchronous one")
    if not timeout_s > 0:
        raise InvalidValue(f"timeout_s is {timeout_s}")
    return create


def _called(
    create: Callable[..., Any],
    request: Mapping[str, Any],
    raised: tuple[type[Exception], ...],
    failed: type[LifelongError],
) -> Any:
    """Call the client; whatever it raises becomes ours."""
    try:
        return create(**request)
    except raised as error:
        raise failed(_name(error)) from error


def _name(error: Exception) -> str:
    """Return what kind of error it is, and nothing of what was sent.

    A provider's own message may quote the request or the key.
    """
    told = [str(getattr(error, name, None) or "") for name in ("code", "type", "param")]
    codes = [text for text in told if _PLAIN_CODE.fullmatch(text)]
    status = getattr(error, "status_code", None)
    return " ".join([type(error).__name__, *([str(status)] if status else []), *codes])


def client_from_environment(package: str, name: str) -> Any:
    """Return a client that reads its key and base URL from the environment, as its package does.

    Raises:
        MissingExtra: the package is not installed.
        InvalidValue: something that it needs is not in the environment.
    """
    try:
        module = import_module(package)
    except ImportError as error:
        raise MissingExtra(package, package) from error
    foreign = (module.OpenAIError if package == "openai" else module.AnthropicError, *_MISUSED)
    try:
        return getattr(module, name)()
    except foreign as error:
        raise InvalidValue(f"no client of {package} can be made ({error})") from error
