"""Tokens, estimated by script, without a tokenizer.

The estimate errs high: a budget that is missed by a little costs nothing, one that is exceeded
costs the request.
"""

from __future__ import annotations

import re

_ASCII_WORD = re.compile(r"[A-Za-z]+")
_CHARACTERS_PER_TOKEN_IN_WORDS = 6.0
_DIGITS_PER_TOKEN = 2.0
_TOKENS_PER_WIDE_CHARACTER = 1.1
_TOKENS_PER_OTHER_CHARACTER = 0.6
_WIDE_FROM = 0x2E80


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is, rather too many than too few.

    A Latin word is one token and one more for each six letters after the first six; digits two to
    a token; each other mark one; a CJK character 1.1; a letter of another script .6.
    """
    words = _ASCII_WORD.findall(text)
    tokens = len(words) + sum((len(w) - 1) // _CHARACTERS_PER_TOKEN_IN_WORDS for w in words)
    rest = [c for c in text if not c.isspace() and not ("a" <= c <= "z" or "A" <= c <= "Z")]
    if not rest:
        return int(tokens)
    digits = sum(c.isdigit() for c in rest)
    wide = sum(ord(c) >= _WIDE_FROM for c in rest)
    others = sum(ord(c) > 127 for c in rest) - wide
    marks = len(rest) - digits - wide - others
    return int(
        tokens
        + digits / _DIGITS_PER_TOKEN
        + marks
        + wide * _TOKENS_PER_WIDE_CHARACTER
        + others * _TOKENS_PER_OTHER_CHARACTER
        + 0.999
    )
