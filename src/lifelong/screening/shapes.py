"""What a string looks like: random, a placeholder, or an identifier that is no secret.

Rules find candidates; these functions say what a candidate is not. All are linear in its length.
"""

from __future__ import annotations

import math
import re
from collections import Counter

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_HASH = r"(?:sha\d{1,3}[:-])?(?:[0-9a-fA-F]{7,12}|[0-9a-fA-F]{32}|[0-9a-fA-F]{40}|[0-9a-fA-F]{64})"
_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_TICKET = r"#?[A-Z][A-Z0-9]{0,9}-\d{1,8}"
_TIME = r"\d{4}-\d\d-\d\d(?:[T_]?[\d:.+Z-]*)?"
_LOOKALIKE = re.compile(rf"(?:{_UUID}|{_HASH}|{_ULID}|{_TICKET}|{_TIME})", re.ASCII)
_OWN_ID = re.compile(
    r"(?:asst|batch|call|cache|chatcmpl|cmpl|evt|fc|file|ig|item|mcp|mcpl|mem|msg|req|resp|rs|run"
    r"|ses|session|srvtoolu|step|thread|tool|toolu|vs|ws)[_-][\w-]{6,}",
    re.ASCII,
)
_PLACEHOLDER = re.compile(
    r"""
    ^[<\[{(%]  |  ^\$[\w{(]  |  ^[@%]\w+[@%]$  |  [>\]}]$ | \$\{ | \{\{ | %\(
    | \.\.\. | … | ^[*•·#.x_-]+$
    | [xX*•]{6} | 0{10}
    | (?:^|[\W_])(?:your|my|here|some|insert|replace|example|sample|dummy|placeholder|todo)
      (?:$|[\W_])
    | (?i:change_?me|redacted|placeholder|your[_-]?(?:api|key|token|secret|pass)|goes[_-]here)
    """,
    re.VERBOSE,
)
_REFERENCE = re.compile(
    r"""
    https?://  |  [\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}$  |  (?:~|\.{1,2})?/[\w.-]+(?:/|$)
    | [A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:[(\[].*)?$  |  \w[\w.]*\(  |  \w[\w.-]*\[
    """,
    re.VERBOSE,
)

_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_NOISE = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
_NOISE_MIN = 32
_NOISE_BITS = 4.2


def entropy(text: str) -> float:
    """Return Shannon's entropy of the characters of `text`, in bits per character."""
    size = len(text)
    repeated = sum(n * math.log2(n) for n in Counter(text).values() if n > 1)
    return math.log2(size) - repeated / size if size else 0.0


def is_lookalike(text: str) -> bool:
    """Whether `text` has the shape of a hash, a UUID, a ULID, a ticket or a time."""
    return _LOOKALIKE.fullmatch(text) is not None


def is_own_id(text: str) -> bool:
    """Whether `text` is an id of this package or of a provider's messages and calls."""
    return _OWN_ID.fullmatch(text) is not None


def is_placeholder(text: str) -> bool:
    """Whether `text` stands for a value instead of being one: ``<password>``, ``${TOKEN}``."""
    return _PLACEHOLDER.search(text) is not None or len(set(text)) <= 2


def is_reference(text: str) -> bool:
    """Whether `text` says where a value is: an address, a path, a name or a call in code."""
    return _REFERENCE.match(text) is not None and not is_noise(text)


def is_noise(text: str) -> bool:
    """Whether nothing but chance makes such a text: long, of all kinds of letters and digits."""
    return (
        len(text) >= _NOISE_MIN
        and _NOISE.fullmatch(text) is not None
        and entropy(text) > _NOISE_BITS
        and has_letter_and_digit(text)
        and text.upper() != text != text.lower()
    )


def has_letter_and_digit(text: str) -> bool:
    """Whether both stand in `text`."""
    return _DIGIT.search(text) is not None and _LETTER.search(text) is not None
