"""Tokens, estimated by script, without a tokenizer.

The estimate errs high: a budget that is missed by a little costs nothing, one that is exceeded
costs the request.
"""

from __future__ import annotations

import math
import re

_LATIN_WORD = re.compile(r"[A-Za-z]+")
_DIGITS = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[!-/:-@\[-`{-~]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_LETTERS_PER_TOKEN = 6
_DIGITS_PER_TOKEN = 2
_TOKENS_PER_WIDE_CHARACTER = 1.1
_TOKENS_PER_OTHER_CHARACTER = 0.6
_WIDE_FROM = "\u2e80"


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is, rather too many than too few.

    A Latin word is one token and one more for each six letters after the first six; digits are
    two to a token; each mark is one; a CJK character 1.1; a letter of another script .6.
    """
    tokens = 0.0
    for word in _LATIN_WORD.findall(text):
        tokens += (
            1 if len(word) <= _LETTERS_PER_TOKEN else 1 + (len(word) - 1) // _LETTERS_PER_TOKEN
        )
    tokens += sum(-(-len(digits) // _DIGITS_PER_TOKEN) for digits in _DIGITS.findall(text))
    tokens += len(_MARKS.findall(text))
    if not text.isascii():
        beyond = _BEYOND_ASCII.findall(text)
        wide = sum(character >= _WIDE_FROM for character in beyond)
        tokens += wide * _TOKENS_PER_WIDE_CHARACTER
        tokens += (len(beyond) - wide) * _TOKENS_PER_OTHER_CHARACTER
    return math.ceil(tokens)
