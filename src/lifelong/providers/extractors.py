"""Extractors that ask a model, through the client that the caller has.

Each sends one task and returns what the model answered, or raises one of our errors. What is
asked, and what of an answer stands, is decided in `lifelong.memory`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lifelong.errors import ExtractionUnusable, ExtractorFailed, InvalidValue
from lifelong.memory.extraction import SCHEMA_NAME, ExtractionTask
from lifelong.providers.clients import (
    ChatClient,
    Errors,
    MessagesClient,
    client_from_environment,
    status_of,
    text_of,
)

JSON_SCHEMA, JSON_OBJECT, PLAIN = CHAT_OUTPUTS = ("json_schema", "json_object", "plain")
TOOL, SCHEMA = MESSAGES_OUTPUTS = ("tool", "schema")
AUTO = "auto"

_ERRORS = Errors(failed=ExtractorFailed, unusable=ExtractionUnusable)
_REFUSES_FORMAT = (400, 422)
"""With these a server refuses a `response_format` that it does not know."""

_PROVIDERS = ("openai:", "anthropic:")
_TOOL_NAME = "propose_memories"


class OpenAIExtractor:
    """Extract with any client of the Chat Completions API.

    `openai.OpenAI()` reaches OpenAI, and with its `base_url` DeepSeek, Qwen, Ollama, vLLM or a
    gateway. Reasoning models of OpenAI take no temperature and another limit: pass
    ``temperature=None, extra={"max_completion_tokens": 8000}``.

    Args:
        client: an `openai.OpenAI`, not the asynchronous one. Its `max_retries` holds.
        model: the model's name, as the server knows it.
        output: how the form of the answer is asked for: ``json_schema``, ``json_object`` or
            ``plain``; ``auto`` begins with the strictest and goes on to the next one where the
            server refuses it.
        temperature: 0 for the least variation; None to leave it to the server.
        timeout_s: seconds to wait for the server, for each try.
        extra: more arguments for `chat.completions.create`; they win over ours.

    Attributes:
        name: the model's, kept beside the messages that it read.

    Raises:
        MissingExtra: the openai package is not installed.
        InvalidValue: `timeout_s` is not positive, the client is asynchronous, or there is no such
            output.
    """

    def __init__(
        self,
        client: Any,
        model: str,
        *,
        output: str = AUTO,
        temperature: float | None = 0,
        timeout_s: float = 120,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if output not in (AUTO, *CHAT_OUTPUTS):
            raise InvalidValue(f"output {output!r} is none of {', '.join((AUTO, *CHAT_OUTPUTS))}")
        self._client = ChatClient(client, timeout_s, _ERRORS)
        self.name = model
        self._outputs: tuple[str, ...] = CHAT_OUTPUTS if output == AUTO else (output,)
        self._options: dict[str, Any] = {"timeout": timeout_s, **(extra or {})}
        if temperature is not None:
            self._options.setdefault("temperature", temperature)

    def __call__(self, task: ExtractionTask) -> str:
        """Return the model's answer, as text.

        Raises:
            ExtractorFailed: the server refused, could not be reached, or sent no completion.
            ExtractionUnusable: the answer was cut off, or the model declined.
        """
        *stricter, last = self._outputs
        for at, output in enumerate(stricter):
            try:
                answer = self._client.ask(self._request(task, output))
            except ExtractorFailed as error:
                if status_of(error) not in _REFUSES_FORMAT:
                    raise
            else:
                # What the server took once it takes again.
                self._outputs = self._outputs[at:]
                return answer
        answer = self._client.ask(self._request(task, last))
        self._outputs = (last,)
        return answer

    def _request(self, task: ExtractionTask, output: str) -> dict[str, Any]:
        options = dict(self._options)
        if "max_completion_tokens" not in options:
            options.setdefault("max_tokens", task.tokens_max)
        instructions = task.instructions
        if output == JSON_SCHEMA:
            schema = {"name": SCHEMA_NAME, "strict": True, "schema": task.schema}
            options.setdefault("response_format", {"type": output, "json_schema": schema})
        else:
            schema_text = json.dumps(task.schema, separators=(",", ":"))
            instructions += f" Answer with one JSON object alone, of this schema: {schema_text}"
        if output == JSON_OBJECT:
            options.setdefault("response_format", {"type": output})
        return {
            "model": self.name,
            "messages": [
                {"role": "system", "content": instructions},
                {"role": "user", "content": task.transcript},
            ],
        } | options


class AnthropicExtractor:
    """Extract with a client of the Messages API.

    Args:
        client: an `anthropic.Anthropic`, or one for a cloud of the same package; not an
            asynchronous one. Its `max_retries` holds.
        model: the model's name.
        output: how the form of the answer is asked for: ``tool`` makes the model call one,
            ``schema`` asks for structured output, which models that think need.
        timeout_s: seconds to wait for the server, for each try.
        extra: more arguments for `messages.create`; they win over ours.

    Attributes:
        name: the model's, kept beside the messages that it read.

    Raises:
        MissingExtra: the anthropic package is not installed.
        InvalidValue: `timeout_s` is not positive, the client is asynchronous, or there is no such
            output.
    """

    def __init__(
        self,
        client: Any,
        model: str,
        *,
        output: str = TOOL,
        timeout_s: float = 120,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if output not in MESSAGES_OUTPUTS:
            raise InvalidValue(f"output {output!r} is none of {', '.join(MESSAGES_OUTPUTS)}")
        self._client = MessagesClient(client, timeout_s, _ERRORS)
        self.name = model
        self._output = output
        self._options: dict[str, Any] = {"timeout": timeout_s, **(extra or {})}

    def __call__(self, task: ExtractionTask) -> object:
        """Return the model's answer: what it called the tool with, or its text.

        Raises:
            ExtractorFailed: the server refused, could not be reached, or sent no message.
            ExtractionUnusable: the answer was cut off, or the model declined.
        """
        blocks = self._client.ask(self._request(task))
        for block in blocks:
            if getattr(block, "type", None) == "tool_use":
                return getattr(block, "input", None)
        return text_of(blocks)

    def _request(self, task: ExtractionTask) -> dict[str, Any]:
        request: dict[str, Any] = {
            "model": self.name,
            "max_tokens": task.tokens_max,
            "system": task.instructions,
            "messages": [{"role": "user", "content": task.transcript}],
        }
        if self._output == TOOL:
            request["tools"] = [
                {
                    "name": _TOOL_NAME,
                    "description": "Hand over the memories, or an empty list.",
                    "input_schema": task.schema,
                }
            ]
            request["tool_choice"] = {"type": "tool", "name": _TOOL_NAME}
        else:
            form = {"type": "json_schema", "schema": task.schema}
            request["output_config"] = {"format": form}
        return request | self._options


def by_name(name: str) -> OpenAIExtractor | AnthropicExtractor:
    """Return an extractor with a client made from the environment.

    Args:
        name: ``openai:MODEL`` or ``anthropic:MODEL``; the former where only a model is named.

    Raises:
        InvalidValue: no model is named, or the environment lacks what the client needs.
        MissingExtra: the client's package is not installed.
    """
    provider, _, model = name.partition(":") if name.startswith(_PROVIDERS) else ("", "", name)
    if not model.strip():
        raise InvalidValue(f"{name!r} names no model")
    if provider == "anthropic":
        client = client_from_environment("anthropic", "Anthropic")
        return AnthropicExtractor(client, model)
    return OpenAIExtractor(client_from_environment("openai", "OpenAI"), model)
