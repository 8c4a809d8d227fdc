"""What messages, tools and system text cost, and how far that is from what a provider reports.

A text costs what a counter says of it. This module adds the rest: what frames a message or a
part, what an image costs, and what of a raw item is sent as data and not as text. The prices are
taken from what providers document, and where they differ the highest is taken. How large an
image is, `pictures` tells.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lifelong.messages import (
    AttachmentPart,
    Message,
    OpaquePart,
    Part,
    Raw,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from lifelong.working.pictures import size_of
from lifelong.working.tokens import TokenCounter, estimate_tokens

MESSAGE_TOKENS = 4
"""What frames a message. OpenAI's cookbook: 3, and 1 for the role or a name."""

CALL_TOKENS = 16
"""What frames a call: its id, its marks, its JSON."""

RESULT_TOKENS = 8
"""What frames a result: the id of its call, its marks."""

TOOL_TOKENS = 12
"""What frames the schema of one tool, beside its JSON text."""

TOOL_USE_TOKENS = 346
"""What a request with tools costs before the first of them. Anthropic documents up to 346 for
the models of today; OpenAI and Gemini take less."""

IMAGE_TOKENS_MAX = 1_600
"""What an image costs whose size is not known, and at most. Anthropic scales an image down to
about 1,600; the largest of OpenAI's is 1,445 and of Gemini's 1,548."""

IMAGE_TOKENS_MIN = 258
"""What the smallest image costs: one tile of Gemini's. OpenAI's is 255."""

SOUND_TOKENS = 1_920
"""What a sound costs, as if it were a minute long: Gemini takes 32 a second."""

DOCUMENT_TOKENS = 3_000
"""What a file costs, as if it were one page. Anthropic documents 1,500 to 3,000 for a page."""

DATA_TOKENS = 1_600
"""What a string of base64 costs in a part of a kind that is not known: likely an image."""

_CHARACTERS_PER_SEALED_TOKEN = 5
"""Sealed reasoning is base64 of encrypted text: 4 characters for 3 bytes, about 4 bytes a token."""

_SEALS = ("signature", "thoughtSignature", "thought_signature", "encrypted_content", "data")
_IMAGES = ("image", "image_url", "input_image", "computer_screenshot")
_SOUNDS = ("input_audio", "audio")
_DOCUMENTS = ("document", "file", "input_file")
_BLOBS = ("inlineData", "inline_data", "fileData", "file_data")
_SAID = ("text", "input_text", "output_text")

_DATA_CHARACTERS_MIN = 512
_DATA = re.compile(r"(?:data:[^,]{0,200},)?[A-Za-z0-9+/_\-\r\n]+={0,2}\s*")
_TILE = 512
_TOKENS_PER_TILE = 170
_TOKENS_PER_PICTURE = 85
_PIXELS_PER_TOKEN = 750


def text_tokens(text: str, count: TokenCounter = estimate_tokens) -> int:
    """Return what a text costs as a message of its own, like the system text; 0 for no text."""
    return count(text) + MESSAGE_TOKENS if text else 0


def message_tokens(message: Message, count: TokenCounter = estimate_tokens) -> int:
    """Return what a message costs in a request.

    Args:
        message: any message; what its raw item holds beside its parts is not sent as text.
        count: tells the tokens of a text.
    """
    tokens = MESSAGE_TOKENS
    for part in message.parts:
        tokens += count(part.text) if isinstance(part, TextPart) else _part_tokens(part, count)
    if message.speaker:
        tokens += count(message.speaker)
    return tokens


def tools_tokens(tools: Iterable[Any], count: TokenCounter = estimate_tokens) -> int:
    """Return what the schemas of tools cost in a request; 0 for none.

    Args:
        tools: the schemas, as a provider takes them.
        count: tells the tokens of a text.
    """
    schemas = [count(_json(tool)) + TOOL_TOKENS for tool in tools]
    return TOOL_USE_TOKENS + sum(schemas) if schemas else 0


def image_tokens(width: int, height: int) -> int:
    """Return what an image costs: the higher of Anthropic's price by area and OpenAI's by tiles.

    Args:
        width: in pixels.
        height: in pixels.
    """
    area = math.ceil(width * height / _PIXELS_PER_TOKEN)
    tiles = math.ceil(width / _TILE) * math.ceil(height / _TILE)
    price = max(area, _TOKENS_PER_PICTURE + _TOKENS_PER_TILE * tiles, IMAGE_TOKENS_MIN)
    return min(price, IMAGE_TOKENS_MAX)


@dataclass(frozen=True, slots=True)
class Calibration:
    """How many tokens a provider counts for one of ours, learned from what it reports.

    It errs high: the factor rises at once, by a quarter at most, and falls slowly, to a little
    above what is reported. So one mad report does little, and the next ones mend it.

    Attributes:
        factor: tokens of the provider for one of the count; 1 until something was reported.
        reports: how many reports it was learned from.
    """

    factor: float = 1.0
    reports: int = 0

    def observe(self, estimated: int, reported: int) -> Calibration:
        """Return what is known after one more request.

        A report of a small request is passed over, since there it is the frame that counts, and
        so is one that is a tenth or the tenfold of the count: it tells of another request.

        Args:
            estimated: what the whole request was counted as, before `scaled`.
            reported: the input tokens that the provider reported for it, cached ones included.
        """
        if estimated < _TOKENS_THAT_TELL or not estimated < reported * 10 < estimated * 100:
            return self
        aim = reported / estimated * _CAUTION
        step = 1.0 if aim > self.factor else _FALL
        factor = min(self.factor + (aim - self.factor) * step, self.factor * _RISE_MAX)
        return Calibration(min(max(factor, _FACTOR_MIN), _FACTOR_MAX), self.reports + 1)

    def scaled(self, tokens: int) -> int:
        """Return what the provider is expected to count for that many tokens of ours."""
        return math.ceil(tokens * self.factor)


_TOKENS_THAT_TELL = 200
_CAUTION = 1.02
_RISE_MAX = 1.25
_FALL = 0.2
_FACTOR_MIN = 0.4
_FACTOR_MAX = 4.0


def _part_tokens(part: Part, count: TokenCounter) -> int:
    match part:
        case TextPart(text):
            return count(text)
        case ToolCallPart(_, name, arguments):
            said = arguments if isinstance(arguments, str) else _json(arguments)
            return CALL_TOKENS + count(name) + count(said)
        case ToolResultPart(_, text, _, raw):
            return RESULT_TOKENS + count(text) + _beside_text_tokens(raw, count)
        case ReasoningPart(text, raw):
            return max(count(text), _sealed_tokens(raw))
        case AttachmentPart(media_type, _, raw):
            return _attachment_tokens(media_type, raw, count)
        case OpaquePart(_, raw):
            return 0 if raw is None else _raw_tokens(raw, count)


def _sealed_tokens(raw: Raw | None) -> int:
    """Return what sealed reasoning costs: the provider unseals it and bills what it said.

    A signature beside a summary seals the full reasoning, so the longer of the two is taken.
    """
    sealed = [raw[seal] for seal in _SEALS if isinstance(raw.get(seal), str)] if raw else []
    return sum(map(len, sealed)) // _CHARACTERS_PER_SEALED_TOKEN


def _attachment_tokens(media_type: str, raw: Raw | None, count: TokenCounter) -> int:
    if raw is not None and (price := _media_tokens(raw, count)) is not None:
        return price
    return _price_of(media_type)


def _price_of(media_type: str) -> int:
    if media_type.startswith("image/"):
        return IMAGE_TOKENS_MAX
    return SOUND_TOKENS if media_type.startswith("audio/") else DOCUMENT_TOKENS


def _media_tokens(raw: Raw, count: TokenCounter) -> int | None:
    """Return what a raw part costs that is an image, a sound or a file; None for another."""
    kind = raw.get("type")
    if kind in _IMAGES:
        return _image_price(raw)
    if kind in _SOUNDS:
        return SOUND_TOKENS
    if kind in _DOCUMENTS:
        return _document_price(raw, count)
    for key in _BLOBS:
        if isinstance(blob := raw.get(key), Mapping):
            named = str(blob.get("mimeType") or blob.get("mime_type") or "")
            return _image_price(blob) if named.startswith("image/") else _price_of(named)
    return None


def _image_price(raw: Raw) -> int:
    for text in _strings(raw, depth=2):
        if len(text) > 32 and (size := size_of(text)) is not None:
            return image_tokens(*size)
    return IMAGE_TOKENS_MAX


def _document_price(raw: Raw, count: TokenCounter) -> int:
    """Return what a file costs: flat when it is data, by its words when it is text."""
    source = raw.get("source")
    match source:
        case {"type": "text", "data": str(text)}:
            return count(text)
        case {"type": "content", "content": content}:
            return _raw_tokens(content, count)
    return DOCUMENT_TOKENS


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) and depth:
        for each in value.values():
            yield from _strings(each, depth - 1)


def _beside_text_tokens(raw: Raw | None, count: TokenCounter) -> int:
    """Return what of a result is not in its text: images and the like, by any format's shape."""
    if raw is None:
        return 0
    response = raw.get("functionResponse", raw.get("function_response"))
    if isinstance(response, Mapping):
        held = response.get("parts")
    else:
        held = raw.get("content", raw.get("output"))
    blocks = [held] if isinstance(held, Mapping) else held
    if not isinstance(blocks, (list, tuple)):
        return 0
    return sum(_raw_tokens(block, count) for block in blocks if not _is_said(block))


def _is_said(block: Any) -> bool:
    return isinstance(block, Mapping) and (block.get("type") in _SAID or "stdout" in block)


def _raw_tokens(value: Any, count: TokenCounter) -> int:
    """Return what a raw value costs: its JSON text, with a price in place of data in it."""
    prices: list[int] = []
    rest = _without_data(value, prices, count)
    return sum(prices) + (0 if rest is None else count(_json(rest)))


def _without_data(value: Any, prices: list[int], count: TokenCounter) -> Any:
    if isinstance(value, Mapping):
        price = _media_tokens(value, count)
        if price is not None:
            prices.append(price)
            return None
        named = ((key, _without_data(each, prices, count)) for key, each in value.items())
        return {key: each for key, each in named if each is not None}
    if isinstance(value, (list, tuple)):
        listed = (_without_data(each, prices, count) for each in value)
        return [each for each in listed if each is not None]
    if isinstance(value, str) and _is_data(value):
        prices.append(DATA_TOKENS)
        return None
    return value


def _is_data(text: str) -> bool:
    # Only the beginning is looked at: data has no blanks for hundreds of characters, words do.
    return len(text) >= _DATA_CHARACTERS_MIN and _DATA.fullmatch(text[:4096]) is not None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, separators=(", ", ": "))
