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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lifelong.memory.code_names import HASH_MIN, inner_words, is_hash, wholes
from lifelong.memory.inflection import INFLECTED_MIN, stems
from lifelong.memory.irregular import FORMS
from lifelong.memory.languages import ENGLISH, language_of, plain, stop_words
from lifelong.memory.unspaced import content_of, single_characters
from lifelong.rows import Beginning

WORDS_MAX_IN_QUERY = 512
INFLECTED_WORDS_MAX = 48
"""A longer question is a pasted text, and says each thing in more than one form itself."""
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
_ASCII_WORD = re.compile("[a-z0-9]+")
_WORD = re.compile(f"[^{_BETWEEN_WORDS}]+")
# Other marks are left to the index's own tokenizer, which splits once more.


def fold(text: str) -> str:
    """Return `text` in NFKC and lower case, without Hebrew and Arabic vowel signs."""
    if text.isascii():
        return text.lower()
    return _VOWEL_SIGNS.sub("", _composed(text).casefold())


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def index_text(text: str) -> str:
    """Return `text` as the index holds it.

    Folded, with unspaced scripts as pairs of characters; at the end, so that what stands together
    stays together, the words inside names like `getUserName` that are not there by themselves.
    """
    text = _composed(text)
    folded = fold(text)
    inner = inner_words(text)
    if inner:
        there = set(_ASCII_WORD.findall(folded))
        folded = " ".join([folded, *(word for word in inner if word not in there)])
    if not folded.isascii():
        folded = _UNSPACED_RUN.sub(_as_pairs, _SYMBOL.sub(" ", folded))
    return folded


def unspaced_characters(text: str) -> int:
    """Return how many characters of `text` belong to scripts without spaces between words."""
    return sum(len(run) for run in _UNSPACED_RUN.findall(text))


def _as_pairs(run: re.Match[str]) -> str:
    characters = run.group()
    pairs = _pairs([characters])
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
        words: distinct words and pairs without stop words, in order; last, names of several words
            (`src/main.py`) as a whole.
        prefixes: what is to be found by how it begins: single characters of an unspaced script,
            and words of a language other than English, in any of their forms.
        language: that it is asked in, as far as its words tell; empty for scripts without spaces.
    """

    text: str
    words: tuple[str, ...]
    prefixes: tuple[Beginning, ...]
    language: str = ENGLISH

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for."""
        return not self.words and not self.prefixes


def parse_query(text: str) -> Query:
    """Return the query that the first 20,000 characters of `text` ask, at most 512 distinct words.

    Stop words of its language are left out, unless nothing else is there.
    """
    asked = _composed(text[:QUERY_CHARACTERS_MAX])
    folded = fold(asked)
    spaced, runs = _split(folded)
    language = language_of({plain(word) for word in spaced}, folded)
    dropped = stop_words(language)
    kept = [word for word in spaced if plain(word) not in dropped]
    pieces = [piece for run in runs for piece in content_of(run)]
    if not kept and not pieces:
        kept, pieces = spaced, runs
    names = [name for name in _names(asked) if name not in dropped]
    prefixes = _whatever_begins(kept, pieces)
    prefixes |= _other_forms(kept, language, asked, names)
    found = _query(folded, [*kept, *_pairs(pieces), *names], prefixes)
    return replace(found, language="" if runs else language)


def _query(folded: str, words: Sequence[str], prefixes: Mapping[str, Beginning]) -> Query:
    distinct = dict.fromkeys(word for word in words if word not in prefixes)
    room = WORDS_MAX_IN_QUERY - len(prefixes)
    return Query(folded, tuple(distinct)[:room], tuple(dict.fromkeys(prefixes.values())))


def _whatever_begins(words: Iterable[str], pieces: Iterable[str]) -> dict[str, Beginning]:
    """Return single characters, and hashes by their first letters: anything may follow them."""
    found = {character: Beginning((character,)) for character in single_characters(pieces)}
    return found | {word: Beginning((word[:HASH_MIN],), word) for word in words if is_hash(word)}


def _pairs(pieces: Iterable[str]) -> list[str]:
    return [piece[at : at + 2] for piece in pieces for at in range(len(piece) - 1)]


def _names(asked: str) -> list[str]:
    """Return the words inside names of code, and the names of several words as a whole."""
    spaced = asked if asked.isascii() else _UNSPACED_RUN.sub(" ", asked)
    return [*inner_words(asked), *map(fold, wholes(spaced))]


def _split(folded: str) -> tuple[list[str], list[str]]:
    """Return the distinct words of a question, and its runs of characters without spaces."""
    words: dict[str, None] = {}
    runs: list[str] = []
    length = 0
    for found in _WORD.finditer(folded):
        if len(words) + length >= WORDS_MAX_IN_QUERY:
            break
        word = found.group()[:WORDS_MAX_IN_QUERY]
        if not word.isalnum() and not any(map(str.isalnum, word)):
            continue
        if word.isascii():
            words[word] = None
        else:
            new = _UNSPACED_RUN.findall(word)
            runs += new
            length += sum(map(len, new))
            words.update(dict.fromkeys(_UNSPACED_RUN.sub(" ", word).split()))
    return list(words), runs


def _other_forms(
    words: Sequence[str], language: str, asked: str, names: Sequence[str]
) -> dict[str, Beginning]:
    """Return the words whose other forms are looked for too; none of a very long question."""
    if len(words) > INFLECTED_WORDS_MAX:
        return {}
    if language == ENGLISH:
        return _irregular(words)
    return _inflected(words, language, asked, names)


def _irregular(words: Iterable[str]) -> dict[str, Beginning]:
    """Return English words with the forms that the index cannot know; each family once."""
    found: dict[str, Beginning] = {}
    for word in words:
        forms = FORMS.get(word, ())
        if forms:
            first = next((form for form in forms if form in found), None)
            found[word] = found[first] if first else Beginning(forms, word, ENGLISH)
    return found


def _inflected(
    words: Sequence[str], language: str, asked: str, names: Sequence[str]
) -> dict[str, Beginning]:
    """Return the words that have other forms, with what those begin with."""
    capital = {fold(word) for word in _WORD.findall(asked)[1:] if word[0].isupper()}
    code = {word for name in names for word in _WORD.findall(name)}
    return {
        word: Beginning(stems(word, language, is_capital=word in capital), word, language)
        for word in words
        if len(word) >= INFLECTED_MIN and word.isalpha() and word not in code
    }
