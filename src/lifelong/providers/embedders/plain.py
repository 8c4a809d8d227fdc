"""What every model can read: text of bounded length, without what some of them stumble over."""

from __future__ import annotations

BYTES_MAX = 4_000
"""More than any of our models reads: 192 or 512 tokens. A token is at least one byte, so no text
is over the 8,192 tokens of OpenAI, and no 64 are over its 300,000 for a request."""

BLANK = "."
"""Stands for a text without a letter, which servers refuse or answer with nothing."""


def plain(text: str) -> str:
    """Return the beginning of a text, at most `BYTES_MAX` bytes of UTF-8 and never empty.

    Half a surrogate pair becomes a question mark, and NUL a space: tokenizers take neither.
    """
    start = text.strip()[:BYTES_MAX].encode("utf-8", "replace")[:BYTES_MAX]
    return start.decode("utf-8", "ignore").replace("\0", " ").strip() or BLANK
