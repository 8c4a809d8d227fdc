"""The forms of a text: what may be left of it in a file, as bytes.

Letters of ASCII are put into lower case on both sides, in the form that is looked for and in the
bytes that are searched, unless the encoding is one in which case matters (base64, vectors).
"""

from __future__ import annotations

import base64
import html
import json
import quopri
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

BYTES_MIN = 4
"""Fewer bytes are found in any large file by chance."""

CHARACTERS_MAX = 1024 * 1024
_BASE64_MIN = 6
"""So many characters of base64 say as much as `BYTES_MIN` bytes."""

_WHOLE_CHARACTERS_MAX = 256
"""A longer text is looked for by parts: a page ends every 4,096 bytes, and cuts it in two."""
_PART_CHARACTERS = 64
_PARTS_MAX = 8

_UNRESERVED = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
_NORMAL_FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
_TERM_BYTES_MAX = 120
_TERM_REST_MIN = 3
_SHARED_OF_WORDS_MAX = 4
_INDEX_MARK = b"0"
"""FTS5 puts it before each term of its main index."""

INDEX = "full-text index"
VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Needle:
    """One form of a text.

    Attributes:
        encoding: names the form.
        data: its bytes; in lower case unless `is_exact`.
        is_exact: whether it is looked for in the bytes as they are, not in lower case.
        is_whole: False for one word of a text of several words.
    """

    encoding: str
    data: bytes
    is_exact: bool = False
    is_whole: bool = True


def needles(text: str) -> tuple[Needle, ...]:
    """Return every form of a text, each once; none for a text that is too short to be told."""
    found: dict[tuple[bytes, bool], Needle] = {}
    for part, name in _parts(text):
        for needle in _forms(part):
            data = needle.data if needle.is_exact else needle.data.lower()
            if len(data) >= BYTES_MIN:
                kept = Needle(needle.encoding + name, data, needle.is_exact)
                found.setdefault((data, needle.is_exact), kept)
    return tuple(found.values())


def word_needles(terms: Sequence[str]) -> tuple[Needle, ...]:
    """Return the words of a text as a full-text index of FTS5 keeps them.

    In a page of the index only the first word is whole; of each other stand there how many bytes
    it shares with the one before, how many follow, and those.

    Args:
        terms: as the index's own tokenizer makes them; of a single one, every form is returned.
    """
    found: dict[bytes, Needle] = {}
    is_whole = len(terms) == 1
    name = INDEX if is_whole else f"{INDEX}, one of its words"
    for term in dict.fromkeys(terms):
        data = term.encode("utf-8", "surrogatepass")
        if not _TERM_REST_MIN <= len(data) <= _TERM_BYTES_MAX:
            continue
        forms = [bytes([len(data) + 1]) + _INDEX_MARK + data]
        most = len(data) - _TERM_REST_MIN
        shared = range(1 + (most if is_whole else min(most, _SHARED_OF_WORDS_MAX)))
        forms += [bytes([each + 1, len(data) - each]) + data[each:] for each in shared]
        for form in forms:
            found.setdefault(form.lower(), Needle(name, form.lower(), is_whole=is_whole))
    return tuple(found.values())


def vector_needle(vector: bytes, name: str) -> Needle:
    """Return the vector of a text, as it is kept; `name` says in which numbers."""
    return Needle(f"{VECTOR} ({name})", vector, is_exact=True)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text, or parts of a long one, and what to add to the name of the form."""
    if len(text) <= _WHOLE_CHARACTERS_MAX:
        yield text, ""
        return
    step = max(_PART_CHARACTERS, (len(text) - _PART_CHARACTERS) // (_PARTS_MAX - 1))
    for start in range(0, len(text) - _PART_CHARACTERS + 1, step):
        yield text[start : start + _PART_CHARACTERS], ", a part"


def _forms(text: str) -> Iterator[Needle]:
    for spelling, name in _spellings(text):
        yield from _encoded(spelling, name)
    for spelling in _cases(text):
        yield from _base64(spelling)
    yield _utf8(text[::-1], "reversed")
    yield _utf8(" ".join(reversed(text.split())), "words in reversed order")


def _utf8(text: str, name: str) -> Needle:
    return Needle(name, text.encode("utf-8", "surrogatepass"))


def _spellings(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text as it may be spelt, and what to add to the name of the form."""
    yield text, ""
    yield " ".join(text.split()), ", spaces joined"
    if text.isascii():
        return
    for form in _NORMAL_FORMS:
        yield unicodedata.normalize(form, text), f", {form}"
    folded = unicodedata.normalize("NFKC", text).casefold()
    yield folded, ", case folded"
    yield unicodedata.normalize("NFD", folded), ", case folded"
    for cased in _cases(text):
        yield cased, ", other case"
    plain = "".join(
        each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each)
    )
    yield plain, ", without accents"


def _cases(text: str) -> Iterator[str]:
    yield from (text, text.lower(), text.upper(), text.title(), text.capitalize())


def _encoded(text: str, name: str) -> Iterator[Needle]:
    """Yield the encodings of a spelling."""
    data = text.encode("utf-8", "surrogatepass")
    yield Needle(f"UTF-8{name}", data)
    for encoding in ("UTF-16-LE", "UTF-16-BE", "UTF-32-LE", "UTF-32-BE"):
        yield Needle(f"{encoding}{name}", text.encode(encoding, "surrogatepass"))
    yield Needle(f"hex{name}", data.hex().encode())
    yield from _escaped(text, name)
    yield Needle(f"percent{name}", _percent(data))
    yield Needle(f"percent{name}", _percent(data, b"/:@!$&'()*,;= ").replace(b" ", b"+"))
    yield Needle(f"quoted-printable{name}", quopri.encodestring(data).replace(b"=\n", b""))
    yield Needle(f"HTML{name}", _ascii(html.escape(text)))
    yield Needle(f"HTML{name}", html.escape(text).encode("utf-8", "surrogatepass"))
    if not text.isascii():
        yield from _misread(text, data, name)


def _escaped(text: str, name: str) -> Iterator[Needle]:
    """Yield the text inside JSON, inside JSON that is inside JSON, and as in other sources."""
    for is_ascii in (True, False):
        once = json.dumps(text, ensure_ascii=is_ascii)[1:-1]
        twice = json.dumps(once, ensure_ascii=is_ascii)[1:-1]
        yield _utf8(once, f"JSON{name}")
        yield _utf8(twice, f"JSON in JSON{name}")
    yield _utf8(text.replace("'", "''"), f"SQL{name}")
    yield Needle(f"backslashes{name}", text.encode("ascii", "backslashreplace"))


def _ascii(text: str) -> bytes:
    return text.encode("ascii", "xmlcharrefreplace")


def _percent(data: bytes, safe: bytes = b"") -> bytes:
    kept = _UNRESERVED.union(safe)
    return b"".join(bytes([each]) if each in kept else b"%%%02x" % each for each in data)


def _misread(text: str, data: bytes, name: str) -> Iterator[Needle]:
    """Yield what programs make of a text that take it for another encoding."""
    for encoding in ("latin-1", "cp1252"):
        yield Needle(f"{encoding}{name}", text.encode(encoding, "ignore"))
        yield Needle(
            f"UTF-8 twice{name}", data.decode(encoding, "ignore").encode("utf-8", "surrogatepass")
        )


def _base64(text: str) -> Iterator[Needle]:
    """Yield what of base64 depends on the text alone, for each place it may begin at."""
    data = text.encode("utf-8", "surrogatepass")
    for shift in range(3):
        encoded = base64.b64encode(bytes(shift) + data)
        inner = encoded[-(-8 * shift // 6) : 8 * (shift + len(data)) // 6]
        if len(inner) >= _BASE64_MIN:
            name = f"base64 (offset {shift})"
            yield Needle(name, inner, is_exact=True)
            yield Needle(name, inner.translate(_URL_ALPHABET), is_exact=True)


_URL_ALPHABET = bytes.maketrans(b"+/", b"-_")
