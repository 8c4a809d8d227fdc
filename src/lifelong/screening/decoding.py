"""Encodings that a text can hide another in, undone in place: one level for each call.

What decodes to nothing readable stays as it is, so that a hash, a key or a picture in a text is not
taken for words. A decoded part is never longer than its code.
"""

from __future__ import annotations

import binascii
import html
import re
from base64 import b32decode, b64decode
from collections.abc import Callable

READABLE_CHARACTERS_MIN = 8
READABLE_SHARE = 0.75
"""How much of a decoded text must be letters and blanks for it to count as words."""

_ENTITY = re.compile(r"&(?:#\w{1,8}|[A-Za-z]\w{1,24});?")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_QUOTED = re.compile(r"(?:=[0-9A-F]{2})+|=\r?\n")
_QUOTED_MIN = 3
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})"
    r"|([0-7]{3})|([nrtbfv\"'/\\]))"
)
_BLANK_ESCAPES = "nrtbfv"
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
_FLAG = re.compile("(?<=\U0001f3f4)[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_ZERO_WIDTH = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]{32,}")
_OVERRIDDEN = re.compile("\u202e([^\u202c\n]+)\u202c?")
_BASE64 = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}+(?:\r?\n[A-Za-z0-9+/_-]{16,}+)*+={0,2}"
)
_BASE32 = re.compile(r"(?<![A-Za-z0-9])[A-Z2-7]{24,}+={0,6}(?![A-Za-z0-9])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:(?:0x)?[0-9A-Fa-f]{2}[ :,]?){8,}+")
_BINARY = re.compile(r"(?<!\d)(?:[01]{8}\s?){8,}+")
_DECIMAL = re.compile(r"(?<!\d)(?:\d{2,3}[ ,;]{1,2}){8,}+\d{2,3}")
_NUMBERS = re.compile(r"\d+")
_MAY_BE_NUMBERS = re.compile(
    r"(?:[2-7][0-9A-Fa-f]|\d{2,3}|[01]{8})[\s:,;]{1,2}(?:0x)?\d[0-9A-Fa-f]"
)
_LONG_WORD = 16
_LONG_CODE = re.compile(r"[A-Za-z0-9+/_-]{16}")
"""No word of letters and digits that is shorter than this can hold another text."""


def decoded(text: str) -> str:
    """Return `text` with each part that is another text, encoded or hidden, in its plain form."""
    if not text.isascii():
        text = _OVERRIDDEN.sub(lambda found: found[1][::-1], _revealed(text))
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    if "%" in text:
        text = _PERCENT.sub(_octets(lambda code: bytes.fromhex(code.replace("%", ""))), text)
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
    if "=" in text and len(_QUOTED.findall(text)) >= _QUOTED_MIN:
        text = _QUOTED.sub(_octets(lambda code: bytes.fromhex("".join(code.split("="))), ""), text)
    return _codes_read(text)


def hidden_text(text: str) -> str:
    """Return what the characters that nobody sees spell; "" if they spell nothing."""
    if text.isascii():
        return ""
    spelt: list[str] = []
    _revealed(text, spelt)
    return " ".join(spelt)


def _codes_read(text: str) -> str:
    """Return `text` with each run of numbers or letters that is the code of words read."""
    if _MAY_BE_NUMBERS.search(text):
        for pattern, read in _NUMBER_CODES:
            text = pattern.sub(_readable(read), text)
    if any(len(word) >= _LONG_WORD and _LONG_CODE.search(word) for word in text.split()):
        for pattern, read in _LONG_CODES:
            text = pattern.sub(_readable(read), text)
    return text


def _revealed(text: str, spelt: list[str] | None = None) -> str:
    """Return `text` with what hidden characters spell in their place; `spelt` collects it."""

    def put(words: str | None, found: re.Match[str]) -> str:
        if not words:
            return found[0]
        if spelt is not None:
            spelt.append(words)
        return words

    text = _FLAG.sub("", text)
    text = _TAGS.sub(lambda found: put("".join(chr(ord(c) & 0x7F) for c in found[0]), found), text)
    text = _SELECTORS.sub(lambda found: put(_selected(found[0]), found), text)
    return _ZERO_WIDTH.sub(lambda found: put(_two_symbols(found[0]), found), text)


def _selected(selectors: str) -> str | None:
    """Return what variation selectors spell: a byte each, or half a byte each."""
    codes = [ord(c) - 0xFE00 if ord(c) < 0x10000 else ord(c) - 0xE0100 + 16 for c in selectors]
    words = _words(bytes(codes), 4)
    if words is None and max(codes) < 16:
        words = _words(bytes(a << 4 | b for a, b in zip(codes[::2], codes[1::2], strict=False)), 4)
    return words


def _two_symbols(characters: str) -> str | None:
    """Return what two zero-width characters spell as ones and noughts, whichever is which."""
    kinds = sorted(set(characters))
    if len(kinds) != 2:
        return None
    for zero in kinds:
        bits = "".join("0" if c == zero else "1" for c in characters)
        words = _words(_from_bits(bits))
        if words is not None:
            return words
    return None


def _from_bits(bits: str) -> bytes:
    whole = bits[: len(bits) // 8 * 8]
    return int(whole, 2).to_bytes(len(whole) // 8) if whole else b""


def _words(octets: bytes, characters_min: int = READABLE_CHARACTERS_MIN) -> str | None:
    """Return the text that `octets` are, or None if it is nothing that somebody wrote."""
    try:
        text = octets.decode("utf-16-le" if octets[1::2].count(0) * 3 > len(octets) else "utf-8")
    except UnicodeDecodeError:
        return None
    if len(text) < characters_min or not all(c.isprintable() or c in "\n\r\t" for c in text):
        return None
    readable = sum(c.isalpha() or c == " " for c in text)
    return text if readable >= READABLE_SHARE * len(text) else None


def _octets(read: Callable[[str], bytes], between: str = "") -> Callable[[re.Match[str]], str]:
    def plain(found: re.Match[str]) -> str:
        if found[0].isspace() or found[0].startswith(("=\n", "=\r")):
            return between
        return read(found[0]).decode("utf-8", "replace")

    return plain


def _unescaped(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3] or found[4]
    if code:
        value = int(code, 16)
    elif found[5]:
        value = int(found[5], 8)
    else:
        return " " if found[6] in _BLANK_ESCAPES else found[6]
    return chr(value) if value < 0x110000 else found[0]


def _readable(read: Callable[[str], bytes | None]) -> Callable[[re.Match[str]], str]:
    def plain(found: re.Match[str]) -> str:
        octets = read(found[0])
        words = None if octets is None else _words(octets)
        return found[0] if words is None else f" {words} "

    return plain


def _base64(code: str) -> bytes | None:
    letters = "".join(code.split()).rstrip("=").replace("-", "+").replace("_", "/")
    if letters.isalpha() and (letters.islower() or letters.isupper()):
        return None
    whole = letters[: len(letters) - (len(letters) % 4 == 1)]
    return b64decode(whole + "=" * (-len(whole) % 4))


def _base32(code: str) -> bytes | None:
    letters = code.rstrip("=")
    try:
        return b32decode(letters + "=" * (-len(letters) % 8))
    except binascii.Error:
        return None


def _hex(code: str) -> bytes:
    return bytes.fromhex(re.sub(r"0x|[ :,]", "", code))


def _binary(code: str) -> bytes:
    return _from_bits("".join(code.split()))


def _decimal(code: str) -> bytes | None:
    numbers = [int(number) for number in _NUMBERS.findall(code)]
    return bytes(numbers) if max(numbers) < 256 else None


_NUMBER_CODES = ((_BINARY, _binary), (_HEX, _hex), (_DECIMAL, _decimal))
_LONG_CODES = ((_BINARY, _binary), (_HEX, _hex), (_BASE32, _base32), (_BASE64, _base64))
