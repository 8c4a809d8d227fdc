"""Tokens, estimated by script and shape, without a tokenizer.

The estimate errs high: a budget that is missed by a little costs nothing, one that is exceeded
costs the request. The weights are the cheapest that linear programming found to be never much
under the largest count of four vocabularies (o200k, cl100k, Qwen 3, DeepSeek V4) over some 1,600
texts: 45 languages, code, data, recorded sessions of agents. A test holds them to it. Another
vocabulary may count more, above all one that is small, in scripts other than Latin; what a
provider reports corrects that (`counts.Calibration`).

Text is counted with methods of bytes alone, each a single pass in C: no loop in Python grows with
the text.
"""

from __future__ import annotations

import math
from collections.abc import Callable

TokenCounter = Callable[[str], int]
"""Tells how many tokens a text is."""

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))

_CLASSES = (
    (0x00, "."),
    (ord("\t"), "t"),
    (ord("\n"), "\n"),
    (ord("\v"), "."),
    (ord("\r"), "\n"),
    (ord("\r") + 1, "."),
    (ord(" "), " "),
    (ord("!"), "."),
    (ord("0"), "0"),
    (ord(":"), "."),
    (ord("A"), "A"),
    (ord("["), "."),
    (ord("a"), "a"),
    (ord("{"), "."),
    # From here on, the first bytes of UTF-8 sequences.
    (0xC2, "l"),  # signs of Latin-1
    (0xC3, "e"),  # accents of Western Europe
    (0xC4, "E"),  # accents of Eastern Europe and Turkish
    (0xC6, "V"),  # Vietnamese, phonetic
    (0xCC, "m"),  # combining marks
    (0xCE, "g"),  # Greek
    (0xD0, "c"),  # Cyrillic
    (0xD6, "h"),  # Hebrew
    (0xD8, "r"),  # Arabic
    (0xE0, "i"),  # the scripts of India, Thai
    (0xE1, "v"),  # Vietnamese with two accents, Georgian, Ethiopic
    (0xE2, "s"),  # punctuation and symbols
    (0xE3, "k"),  # kana
    (0xE4, "z"),  # Han
    (0xEA, "o"),  # Hangul
    (0xEE, "f"),  # full width, variation selectors
    (0xF0, "y"),  # emoji
)
"""(first byte, class): a class lasts until the next one's first byte."""


def _shape_table() -> bytes:
    table = bytearray(256)
    ends = [first for first, _ in _CLASSES[1:]] + [256]
    for (first, name), end in zip(_CLASSES, ends, strict=True):
        table[first:end] = name.encode() * (end - first)
    return bytes(table)


_SHAPE = _shape_table()

_WEIGHTS = (
    (b" a", 0.56),  # a word
    (b".a", 0.69),
    (b"0a", 1.05),
    (b"aA", 1.07),  # a word inside a name
    (b".A", 1.56),
    (b" A", 0.74),
    (b"AA", 0.45),  # capitals by twos
    (b"aaa", 0.27),  # its letters by threes
    (b"aaaaaaaaaa", 4),  # a word of ten letters and more
    (b"0", 1.01),  # Qwen takes each digit alone
    (b".", 0.68),  # a mark
    (b"..", -0.52),  # a run of marks is fewer tokens than marks
    (b"....", -1.6),
    (b"\n", 1.37),  # a line
    (b"\n\n", -0.28),
    (b"  ", 0.03),  # blanks in a row are one token
    (b".\n", -1.5),  # a mark often takes the line's end along
    (b" 0", 1.19),  # a blank before a number is a token of its own
    (b"A0", 2.46),
    (b"t", 1.2),
    (b" .", 0.87),
)
"""What each of these costs in the shape of a text, which has one class for each character. A weight
below zero takes back from what the parts of its pattern cost."""

_WEIGHTS_BEYOND_ASCII = (
    (b"l", 0.02),
    (b"e", 1.44),
    (b"E", 1.92),
    (b"V", 1.53),
    (b"m", 2.4),
    (b"g", 1.04),
    (b"c", 0.31),
    (b"h", 1.18),
    (b"r", 0.88),
    (b"i", 1.26),
    (b"v", 2.35),
    (b"s", 1.91),
    (b"k", 0.89),
    (b"z", 1.41),
    (b"o", 1.24),
    (b"f", 2),
    (b"y", 2.92),
    (b" c", 1.81),
)

_CHEAPER_IN_THEIR_CLASS = (
    (b"\xe2\x94", -0.98),  # lines of boxes and trees
    (b"\xef\xbc", -0.94),  # full-width letters and marks
    (b"\xe0\xb8", -0.45),  # Thai
)
"""What these bytes take back from what their class costs."""

_ENDS_OF_WORDS = ((b"i ", 1.56), (b"n ", 1.16), (b"o ", 1.76))
_RARE_LETTERS = b"jkqvxz"
_TOKENS_PER_RARE_LETTER = 1.03
"""Both are rarer in English, the language that vocabularies know best: words of others without
accents, like Italian and Indonesian, show by them, and so do names made of random letters."""

_OTHER_BYTES = bytes(byte for byte in range(256) if byte not in _RARE_LETTERS)
_LEAST = 0.5


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` is, rather too many than too few; 0 for no text."""
    if not text:
        return 0
    raw = text.encode("utf-8", "surrogatepass")
    shape = (b"\n" + raw).translate(_SHAPE, _CONTINUATION_BYTES)
    tokens = _LEAST + _TOKENS_PER_RARE_LETTER * len(raw.translate(None, _OTHER_BYTES))
    tokens += _cost(shape, _WEIGHTS) + _cost(raw, _ENDS_OF_WORDS)
    if len(text) < len(raw):
        tokens += _cost(shape, _WEIGHTS_BEYOND_ASCII) + _cost(raw, _CHEAPER_IN_THEIR_CLASS)
    return max(1, math.ceil(tokens))


def _cost(raw: bytes, weights: tuple[tuple[bytes, float], ...]) -> float:
    cost = 0.0
    for pattern, weight in weights:
        cost += raw.count(pattern) * weight
    return cost
