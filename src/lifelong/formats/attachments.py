"""Images, sounds and files, from one format into another.

An attachment's raw part says by its own shape which format it is in, so it is read by shape. Only
what both sides accept is carried: images as base64 data or web address, and PDF files and sounds as
base64 data. The rest gives None, and the format that asked tells of the loss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lifelong.formats.shape import word_of
from lifelong.messages import AttachmentPart, Raw

KINDS = ("image_url", "input_audio", "file", "image", "document", "input_image", "input_file")
"""The types of parts that are attachments, in the formats whose parts have types."""

_PDF = "application/pdf"
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
_GEMINI_TYPES = (
    *("image/jpeg", "image/png", "image/webp", _PDF),
    *("audio/wav", "audio/mp3", "audio/mpeg", "audio/aac", "audio/flac", "audio/ogg"),
)
_CHAT_SOUNDS = {"audio/wav": "wav", "audio/mp3": "mp3", "audio/mpeg": "mp3"}
_UNKNOWN = "application/octet-stream"
_DATA_URL = re.compile(r"data:([^;,]*)(?:;[^;,]*)*;base64,", re.IGNORECASE)
_CAPTION_KEYS = ("alt", "title", "caption")


@dataclass(frozen=True, slots=True)
class _Source:
    """Where the bytes of an attachment are: base64 `data`, or a web address `url`, or elsewhere."""

    media_type: str
    data: str = ""
    url: str = ""
    name: str = ""

    @property
    def image_url(self) -> str:
        """The address of an image, on the web or as data; empty when this is no such image."""
        if self.url and self.media_type.startswith("image/"):
            return self.url
        return self.data_url if self.data and self.media_type in _IMAGES else ""

    @property
    def data_url(self) -> str:
        """The data as an address."""
        return f"data:{self.media_type};base64,{self.data}"

    @property
    def is_pdf(self) -> bool:
        """Whether this is the data of a PDF file."""
        return bool(self.data) and self.media_type == _PDF

    @property
    def file_name(self) -> str:
        """A name for PDF data: OpenAI refuses file data that has none."""
        return self.name or "document.pdf"


def attachment_of(raw: Raw) -> AttachmentPart:
    """Return the part for a raw one that is an attachment; it is never refused."""
    return AttachmentPart(_source_of(raw).media_type, _caption_of(raw), raw=raw)


def for_anthropic(raw: Raw | None) -> dict[str, Any] | None:
    """Return Anthropic's block for an attachment, or None when there can be none."""
    source = _source_of(raw)
    if source.url and source.image_url:
        return {"type": "image", "source": {"type": "url", "url": source.url}}
    data = {"type": "base64", "media_type": source.media_type, "data": source.data}
    if source.image_url:
        return {"type": "image", "source": data}
    title = {"title": source.name} if source.name else {}
    return {"type": "document", "source": data, **title} if source.is_pdf else None


def for_chat(raw: Raw | None) -> dict[str, Any] | None:
    """Return the chat part for an attachment, or None when there can be none."""
    source = _source_of(raw)
    if source.image_url:
        return {"type": "image_url", "image_url": {"url": source.image_url}}
    if source.data and (sound := _CHAT_SOUNDS.get(source.media_type)):
        return {"type": "input_audio", "input_audio": {"data": source.data, "format": sound}}
    if not source.is_pdf:
        return None
    file = {"filename": source.file_name, "file_data": source.data_url}
    return {"type": "file", "file": file}


def for_responses(raw: Raw | None) -> dict[str, Any] | None:
    """Return the part of a Responses item for an attachment, or None when there can be none."""
    source = _source_of(raw)
    if source.image_url:
        return {"type": "input_image", "image_url": source.image_url}
    if not source.is_pdf:
        return None
    return {"type": "input_file", "filename": source.file_name, "file_data": source.data_url}


def for_gemini(raw: Raw | None) -> dict[str, Any] | None:
    """Return Gemini's part for an attachment, or None when there can be none."""
    source = _source_of(raw)
    if not source.data or source.media_type not in _GEMINI_TYPES:
        return None
    return {"inlineData": {"mimeType": source.media_type, "data": source.data}}


def _source_of(raw: Raw | None) -> _Source:
    if raw is None:
        return _Source(_UNKNOWN)
    match raw:
        case {"type": "image" | "document" as kind, "source": Mapping() as source}:
            return _source_of_anthropic(raw, kind, source)
        case {"type": str()}:
            return _source_of_openai(raw)
        case {"inlineData": Mapping() as blob} | {"inline_data": Mapping() as blob}:
            return _Source(_gemini_media_type(blob), word_of(blob, "data"))
        case {"fileData": Mapping() as blob} | {"file_data": Mapping() as blob}:
            return _Source(_gemini_media_type(blob))
        case _:
            return _Source(_UNKNOWN)


def _source_of_openai(raw: Raw) -> _Source:
    match raw:
        case {"type": "image_url", "image_url": {"url": str(url)} | str(url)}:
            return _source_of_url(url, "image/*")
        case {"type": "input_image" | "computer_screenshot", "image_url": str(url)}:
            return _source_of_url(url, "image/*")
        case {"type": "image_url" | "image" | "input_image" | "computer_screenshot"}:
            return _Source("image/*")
        case {"type": "input_audio", "input_audio": {"format": str(sound)} as audio}:
            return _Source(f"audio/{sound}", word_of(audio, "data"))
        case {"type": "input_audio"}:
            return _Source("audio/*")
        case {"type": "file", "file": Mapping() as file}:
            return _source_of_file(file)
        case {"type": "input_file"}:
            return _source_of_file(raw)
    return _Source(_UNKNOWN)


def _source_of_file(file: Raw) -> _Source:
    source = _source_of_url(word_of(file, "file_data"), _UNKNOWN)
    return _Source(source.media_type, source.data, name=word_of(file, "filename"))


def _source_of_anthropic(raw: Raw, kind: str, source: Raw) -> _Source:
    media_type = word_of(source, "media_type") or ("image/*" if kind == "image" else _UNKNOWN)
    match source.get("type"):
        case "base64":
            return _Source(media_type, word_of(source, "data"), name=word_of(raw, "title"))
        case "url":
            media_type = "image/*" if kind == "image" else _PDF
            return _Source(media_type, url=_web_address(word_of(source, "url")))
        case "content":
            return _Source("text/plain")
        case _:
            return _Source(media_type)


def _gemini_media_type(blob: Raw) -> str:
    return word_of(blob, "mimeType") or word_of(blob, "mime_type") or _UNKNOWN


def _source_of_url(url: str, media_type: str) -> _Source:
    data_url = _DATA_URL.match(url)
    if data_url is None:
        return _Source(media_type, url=_web_address(url))
    named = data_url.group(1).lower().replace("image/jpg", "image/jpeg")
    return _Source(named or media_type, url[data_url.end() :])


def _web_address(url: str) -> str:
    return url if url.lower().startswith(("https://", "http://")) else ""


def _caption_of(raw: Raw) -> str:
    nested = raw.get(str(raw.get("type")))
    for holder in (raw, nested):
        if isinstance(holder, Mapping):
            for key in _CAPTION_KEYS:
                if caption := word_of(holder, key):
                    return caption
    return ""
