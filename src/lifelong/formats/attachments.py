"""Images and files, from one format into another.

An attachment's raw part says by its own `type` which format it is in, so it is read by shape. Only
what both sides accept is carried: images as base64 data or web address, and PDF files as base64
data. The rest gives None, and the format that asked tells of the loss.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lifelong.formats.shape import word_of
from lifelong.messages import AttachmentPart, Raw

KINDS = ("image_url", "input_audio", "file", "image", "document")
"""The types of parts that are attachments, in chat and in Anthropic's format."""

_PDF = "application/pdf"
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
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


def attachment_of(raw: Raw) -> AttachmentPart:
    """Return the part for a raw one whose type is among `KINDS`; it is never refused."""
    return AttachmentPart(_source_of(raw).media_type, _caption_of(raw), raw=raw)


def for_anthropic(raw: Raw | None) -> dict[str, Any] | None:
    """Return Anthropic's block for an attachment, or None when there can be none."""
    source = _source_of(raw) if raw is not None else _Source(_UNKNOWN)
    if source.url and source.media_type.startswith("image/"):
        return {"type": "image", "source": {"type": "url", "url": source.url}}
    if not source.data or source.media_type not in (*_IMAGES, _PDF):
        return None
    data = {"type": "base64", "media_type": source.media_type, "data": source.data}
    if source.media_type != _PDF:
        return {"type": "image", "source": data}
    title = {"title": source.name} if source.name else {}
    return {"type": "document", "source": data, **title}


def for_chat(raw: Raw | None) -> dict[str, Any] | None:
    """Return the chat part for an attachment, or None when there can be none."""
    source = _source_of(raw) if raw is not None else _Source(_UNKNOWN)
    if source.url and source.media_type.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": source.url}}
    if not source.data or source.media_type not in (*_IMAGES, _PDF):
        return None
    data_url = f"data:{source.media_type};base64,{source.data}"
    if source.media_type != _PDF:
        return {"type": "image_url", "image_url": {"url": data_url}}
    # OpenAI refuses file data that has no file name.
    name = source.name or "document.pdf"
    return {"type": "file", "file": {"filename": name, "file_data": data_url}}


def _source_of(raw: Raw) -> _Source:
    match raw:
        case {"type": "image_url", "image_url": {"url": str(url)} | str(url)}:
            return _source_of_url(url, "image/*")
        case {"type": "input_audio", "input_audio": {"format": str(audio)}}:
            return _Source(f"audio/{audio}")
        case {"type": "file", "file": Mapping() as file}:
            source = _source_of_url(word_of(file, "file_data"), _UNKNOWN)
            return _Source(source.media_type, source.data, name=word_of(file, "filename"))
        case {"type": "image" | "document" as kind, "source": Mapping() as source}:
            return _source_of_anthropic(raw, kind, source)
        case {"type": "image_url" | "image"}:
            return _Source("image/*")
        case {"type": "input_audio"}:
            return _Source("audio/*")
        case _:
            return _Source(_UNKNOWN)


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
