"""Words: the form in which text is indexed, searched and compared.

Text is folded (NFKC, case) for the index and for duplicate hashes, never for what is stored.
Scripts that put no spaces between words are indexed as overlapping pairs of characters, so that
a word of two characters is found inside a sentence. Stemming and accents are left to the store's
own tokenizer, which sees the same text on both sides.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass

STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with what when where who whom which why how did do does"
    " has have had i you he she we me my your his her its our from about s t".split()
)
"""63 English words that say nothing about a topic (larger lists measured worse)."""

WORDS_MAX_IN_QUERY = 512
QUERY_CHARACTERS_MAX = 20_000
_NARROW = {0xFF01 + at: 0x21 + at for at in range(0x5E)}

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul: spaced, but particles are glued to the word
    "\u3005-\u3007\u3041-\u3096\u309d-\u30ff\u31f0-\u31ff"  # Kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"  # Han
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_VOWEL_SIGNS = re.compile(
    "[\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_SYMBOLS = (
    "\u2000-\u200b\u200e-\u206f\u20a0-\u20cf\u2190-\u2bff\ue000-\uf8ff\ufe00-\ufe0f"
    "\U0001f000-\U0001faff\U000e0000-\U0010ffff"
)
_SYMBOL = re.compile(f"[{_SYMBOLS}]")
# SQLite's tokenizer takes what its tables do not know, every newer emoji say, for letters.

_BETWEEN_WORDS = (
    f"\\s!-/:-@\\[-`{{-~\u00a1-\u00bf\u00d7\u00f7\u3000-\u3004\u3008-\u303f\uff01-\uff0f{_SYMBOLS}"
)
_WORD = re.compile(f"[^{_BETWEEN_WORDS}]+")
# Other marks are left to the index's own tokenizer, which splits once more.


def fold(text: str) -> str:
    """Return `text` in NFKC and lower case, without Hebrew and Arabic vowel signs."""
    if text.isascii():
        return text.lower()
    return _VOWEL_SIGNS.sub("", unicodedata.normalize("NFKC", text).casefold())


def index_text(text: str) -> str:
    """Return `text` as the index holds it: folded, unspaced scripts as pairs of characters."""
    folded = fold(text)
    if folded.isascii():
        return folded
    return _UNSPACED_RUN.sub(_as_pairs, _SYMBOL.sub(" ", folded))


def unspaced_characters(text: str) -> int:
    """Return how many characters of `text` belong to scripts without spaces between words."""
    return sum(len(run) for run in _UNSPACED_RUN.findall(text))


def _as_pairs(run: re.Match[str]) -> str:
    characters = run.group()
    pairs = [characters[at : at + 2] for at in range(len(characters) - 1)]
    # The last character stands alone too, so that each character begins some term and a query
    # of one character can be answered by prefix.
    return f" {' '.join([*pairs, characters[-1]])} "


def text_hash(text: str) -> bytes:
    """Return the hash by which exact duplicates are known.

    Case, width, composition of accents and white space are put aside; nothing that could tell two
    facts apart is, so that 4² is not 42.
    """
    narrow = text if text.isascii() else unicodedata.normalize("NFC", text).translate(_NARROW)
    plain = " ".join(narrow.casefold().split())
    return hashlib.blake2b(plain.encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class Query:
    """A query as the index is asked.

    Attributes:
        text: folded.
        words: distinct words and pairs without stop words, in order.
        prefixes: single characters of an unspaced script, to be found by prefix.
    """

    text: str
    words: tuple[str, ...]
    prefixes: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.words and not self.prefixes


def parse_query(text: str) -> Query:
    """Return the query that the first 20,000 characters of `text` ask, at most 512 distinct words.

    Stop words are left out, unless nothing else is there.
    """
    folded = fold(text[:QUERY_CHARACTERS_MAX])
    words: dict[str, None] = {}
    prefixes: dict[str, None] = {}
    for found in _WORD.finditer(folded):
        if len(words) + len(prefixes) >= WORDS_MAX_IN_QUERY:
            break
        _add_word(found.group()[:WORDS_MAX_IN_QUERY], words, prefixes)
    kept = [word for word in words if word not in STOP_WORDS] or list(words)
    room = WORDS_MAX_IN_QUERY - len(prefixes)
    return Query(folded, tuple(kept[:room]), tuple(prefixes))


def _add_word(word: str, words: dict[str, None], prefixes: dict[str, None]) -> None:
    if not any(map(str.isalnum, word)):
        return
    if word.isascii():
        words[word] = None
        return
    last = 0
    for run in _UNSPACED_RUN.finditer(word):
        if run.start() > last:
            words[word[last : run.start()]] = None
        last = run.end()
        characters = run.group()
        if len(characters) == 1:
            prefixes[characters] = None
        for at in range(len(characters) - 1):
            words[characters[at : at + 2]] = None
    if last < len(word):
        words[word[last:]] = None
