"""How large an image is, by the header of its base64 data.

Providers price images by pixels. A header is a few bytes, so no image is decoded, and what cannot
be read gives None. What an image costs is decided in `counts`.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator

_HEAD_CHARACTERS = 4 * 32_768
"""Enough base64 for the metadata that a camera writes before the size of a JPEG image."""

_FRAME_MARKERS = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def size_of(data: str) -> tuple[int, int] | None:
    """Return width and height of base64 image data, in pixels, or None when they do not show.

    Args:
        data: base64, or a data URL of it.
    """
    begin = data.find(",", 0, 200) + 1 if data.startswith("data:") else 0
    head = data[begin : begin + _HEAD_CHARACTERS]
    try:
        raw = binascii.a2b_base64(head[: len(head) // 4 * 4])
    except ValueError:
        return None
    width, height = next(_sizes(raw), (0, 0))
    return (width, height) if width and height else None


def _sizes(raw: bytes) -> Iterator[tuple[int, int]]:
    if raw.startswith(b"\x89PNG\r\n\x1a\n") and len(raw) >= 24:
        yield _big(raw[16:20]), _big(raw[20:24])
    elif raw.startswith((b"GIF87a", b"GIF89a")) and len(raw) >= 10:
        yield _little(raw[6:8]), _little(raw[8:10])
    elif raw.startswith(b"RIFF") and raw[8:12] == b"WEBP" and len(raw) >= 30:
        yield from _webp(raw[12:16], raw[20:30])
    elif raw.startswith(b"\xff\xd8"):
        yield from _jpeg(raw)


def _webp(chunk: bytes, body: bytes) -> Iterator[tuple[int, int]]:
    if chunk == b"VP8X":
        yield 1 + _little(body[4:7]), 1 + _little(body[7:10])
    elif chunk == b"VP8L":
        bits = _little(body[1:5])
        yield 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    elif chunk == b"VP8 ":
        yield _little(body[6:8]) & 0x3FFF, _little(body[8:10]) & 0x3FFF


def _jpeg(raw: bytes) -> Iterator[tuple[int, int]]:
    at = 2
    while at + 9 <= len(raw) and raw[at] == 0xFF:
        if raw[at + 1] in _FRAME_MARKERS:
            yield _big(raw[at + 7 : at + 9]), _big(raw[at + 5 : at + 7])
        at += 2 + _big(raw[at + 2 : at + 4])


def _big(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _little(raw: bytes) -> int:
    return int.from_bytes(raw, "little")
