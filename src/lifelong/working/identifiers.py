"""Identifiers: the rare tokens of a text that a summary must not lose.

A path, an order number or an amount that is shortened, rounded or paraphrased is worse than one
that is gone: the agent goes on with the wrong one. They are found by shape, never by meaning, and
each is an exact piece of its text. Which of them are worth carrying on is the appendix's concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

PATH = "path"
URL = "url"
ID = "id"
NAME = "name"
NUMBER = "number"
DATE = "date"
TIME = "time"
EMAIL = "email"
QUOTE = "quote"
KINDS = (PATH, URL, ID, NAME, NUMBER, DATE, TIME, EMAIL, QUOTE)
"""`name` is one of code or of a shell (function, flag, variable); `email` a handle too."""

LENGTH_MAX = 300
"""Characters; what is longer is a blob, not a name of anything."""

_WORD_ENDS = (
    "\"'`<>(){}[],;|\\*\u00ab\u00bb\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2026\u2190\u2192\u21d2"
    "\u2500\u2502\u251c\u2514"
)
_WORD_END = str.maketrans(dict.fromkeys(_WORD_ENDS, " "))
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]+"
)
_GLUED_PATH = re.compile(r"(?:(?:~|\.{1,2})?/|https?://)\S+")
_WINDOWS_PATH = re.compile(r"[A-Za-z]:\\[^\s\"'`<>|,;*?]+")
_ESCAPES = ("\\n", "\\r", "\\t")
_GUTTER = re.compile(r"\n[ \t]*[0-9]+(?=[\t:|\u2192\u2502])")
_PIECES = re.compile("[:/=]")
_TRAILING = ".:!?&#-/~=\u3002\uff01\uff1a\uff1f"
_LEADING = ":!?&+^%=\u00b7\u2022"
_HAS_DIGIT = re.compile("[0-9]")

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|@[A-Za-z][\w-]{2,}")
_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:T\d{2}:?\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}[./-]\d{1,2}[./-]\d{4}|\d{1,2}/\d{1,2}/\d{2}|\d{4}[./]\d{1,2}[./]\d{1,2}"
)
_TIME = re.compile(
    r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[ap]m|Z|[+-]\d{2}:?\d{2})?|\d{1,2}[ap]m", re.IGNORECASE
)
_ANCHORED_PATH = re.compile(r"(?:~|\.{1,2})?/[^/\s].*|[A-Za-z]:[\\/]\S+")
_RELATIVE_PATH = re.compile(r"@?[^/\s:]+(?:/[^/\s:]+)+/?(?::\d+)*:?")
_FILE = re.compile(r"[\w+@-]*(?:\.[\w+-]+)*\.([A-Za-z]\w{0,7})(?::\d+)*")
_DOTTED = re.compile(r"[A-Za-z_][\w$]*(?:(?:\.|::|->|#)[A-Za-z_][\w$]*)+")
_FLAG = re.compile(r"--[A-Za-z][\w-]+|\$\{?[A-Za-z_]\w*")
_CODE_NAME = re.compile(r"_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*|__\w+|[A-Za-z]*[a-z][A-Z]\w*")
_VERSION = re.compile(r"[vV^~]*\d+(?:\.\d+){2,}[\w.+-]*|[vV]\d+(?:\.\d+)*")
_MEASURE = re.compile(r"\d+(?:\.\d+)?[A-Za-z]{1,3}")
_CODED = re.compile(r"#?(?=.*\d)\w[\w.@+#~-]*")
_RANGE = re.compile(r"\d+(?:[-.]\d+)*")
_EXTENSIONS = frozenset(
    "asm bat bin bmp c cc cfg cjs clj conf cpp cs css csv dart db doc docx eex env erl ex"
    " exe exs gif go gz h heex hpp hs htm html ico ini ipynb java jl jpeg jpg js json"
    " jsonl jsx kt lock log lua m md mdx mjs mov mp3 mp4 nix odt parquet pdf php pl png"
    " ppt pptx proto ps1 py pyc pyi r rb rs rst scala sh so sql sqlite svg swift tar tex"
    " tf tgz toml ts tsv tsx ttf txt vb vue wav webp whl woff woff2 xls xlsx xml yaml yml"
    " zip zsh".split()
)

_NUMBER = re.compile(
    r"[0-9]+(?:[.,][0-9]+)?(?:[.,][0-9]+)?"
    r"(?: ?(?:%|[\u20ac\u00a3\u00a5\u20b9]|(?:"
    r"EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|BRL|[kKMGTP]i?B|[kmc]?m|k?g|ms|s|[kMG]?Hz"
    r"|(?:dollar|euro|cent|second|sec|minute|min|hour|hr|day|week|month|year|token|byte|line|row"
    r"|item|page|point|percent|mile|kilomet(?:er|re)|Tage?n?|Stunde|Minute|Woche|Monat|Jahr)e?[sn]?"
    r")(?!\w)))?"
)
_LABELS = frozenset(
    "port line lines order ticket issue bug case pr mr request version room gate seat flight"
    " chapter section page step invoice account row column code status http error pid table build"
    " release rev revision no nr number zeile seite ligne l\u00ednea pedido commande"
    " bestellung".split()
)
_LABEL_LENGTH = 12
_SIGNS = "#$\u20ac\u00a3\u00a5\u20b9"

_MONTH_DAY = re.compile(
    r"[JFMASOND][a-z\u00e4\u00e9\u00fb]{2,8}\.? \d{1,2}(?:st|nd|rd|th)?(?!\w)(?:,? \d{4}(?!\w))?"
)
_DAY_MONTH = re.compile(
    r"[0-9][0-9]?(?:st|nd|rd|th|\.)?(?: of| de)? [JFMASONDjfmasond][a-z\u00e4\u00e9\u00fb]{2,9}"
    r"(?!\w)(?:,?(?: de)? \d{4}(?!\w))?"
)
_CJK_DATE = re.compile(
    r"\d{2,4}\s?[\u5e74\ub144]\s?\d{1,2}\s?[\u6708\uc6d4](?:\s?\d{1,2}\s?[\u65e5\uc77c])?"
)
_MONTHS = frozenset(
    "jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july"
    " august september october november december januar februar m\u00e4rz mai juni juli oktober"
    " dezember janvier f\u00e9vrier mars avril juin juillet ao\u00fbt septembre octobre novembre"
    " d\u00e9cembre enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    " diciembre".split()
)
_LETTERS = re.compile(r"[^\W\d_]{3,}")
_QUOTED = (
    ("`", re.compile(r"`([\w$][^`\n{}()\[\]<>]{2,60})`")),
    ('"', re.compile(r"\"([^\"\n{}()\[\]<>=;]{3,60})\"(?=[\s.,;:!?)]|$)")),
    ("\u201c", re.compile("\u201c([^\u201d\n]{3,60})\u201d")),
    ("\u00ab", re.compile("\u00ab ?([^\u00bb\n]{3,60}?) ?\u00bb")),
    ("\u300c", re.compile("\u300c([^\u300d\n]{2,60})\u300d")),
    ("\u300e", re.compile("\u300e([^\u300f\n]{2,60})\u300f")),
)


@dataclass(frozen=True, slots=True)
class Identifier:
    """One rare token.

    Attributes:
        kind: one of `KINDS`.
        text: as it stands in its source, letter for letter.
    """

    kind: str
    text: str


def identifiers(text: str) -> list[Identifier]:
    """Return the identifiers of a text in order of appearance, each once.

    Numbers of one or two digits count only with a unit, a currency or a label; the line numbers
    that tools print in front of lines do not count.
    """
    whole = f"\n{text}"
    plain = whole
    if "\\" in text:
        if ":\\" in text:
            plain = _WINDOWS_PATH.sub(_blank, plain)
        # In JSON that was kept as text, an escaped line end would be glued to the next word.
        for escape in _ESCAPES:
            plain = plain.replace(escape, "  ")
    plain = _GUTTER.sub(_blank, plain)
    found: dict[str, tuple[int, str]] = {}
    for position, kind, token in (
        *_windows_paths(whole),
        *_dates(plain),
        *_numbers(plain),
        *_tokens(plain),
        *_quotes(whole),
    ):
        if token not in found and len(token) <= LENGTH_MAX:
            found[token] = (position, kind)
    ordered = sorted(found.items(), key=lambda item: item[1][0])
    return [Identifier(kind, token) for token, (_, kind) in ordered]


_Found = Iterator[tuple[int, str, str]]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _windows_paths(text: str) -> _Found:
    if ":\\" in text:
        for match in _WINDOWS_PATH.finditer(text):
            yield match.start(), PATH, match.group().rstrip(_TRAILING)


def _dates(text: str) -> _Found:
    for pattern in (_MONTH_DAY, _DAY_MONTH):
        for match in pattern.finditer(text):
            month = _LETTERS.findall(match.group())[-1]
            before = text[match.start() - 1 : match.start()]
            if month.lower() in _MONTHS and not before.isalnum():
                yield match.start(), DATE, match.group()
    if not text.isascii():
        for match in _CJK_DATE.finditer(text):
            yield match.start(), DATE, match.group()


def _numbers(text: str) -> _Found:
    for match in _NUMBER.finditer(text):
        start, end = match.span()
        label = _label_start(text, start)
        if _is_inside(text, start, end, label):
            continue
        number = match.group()
        if label < start or len(number) > 2 or not number[-1].isdigit():
            yield label, NUMBER, text[label:end]


def _is_inside(text: str, start: int, end: int, label: int) -> bool:
    """Return whether digits are a part of a longer token: an id, a line of a file, a time."""
    before = text[start - 1]
    if before.isalnum() or before in "._-/@+~%":
        return True
    if before == ":" and text[start - 2].isalnum() and label == start:
        return True
    after = text[end : end + 2]
    return after[:1].isalnum() or (after[:1] in "_-/:.@" and after[1:].isalnum())


def _label_start(text: str, start: int) -> int:
    """Return where the sign or the word begins that says what a number counts, or `start`."""
    if text[start - 1] in _SIGNS:
        return start - 1
    if text[start - 1] not in " :":
        return start
    end = start - 1
    if text[end - 1] in _SIGNS:
        return end - 1
    while end and text[end - 1] in ":.":
        end -= 1
    first = end
    while text[first - 1].isalpha() and end - first < _LABEL_LENGTH:
        first -= 1
    return first if text[first:end].lower() in _LABELS else start


def _tokens(text: str) -> _Found:
    position = 0
    # The end of a tag would look like a path.
    runs = dict.fromkeys(text.replace("</", "  ").split())
    for word in dict.fromkeys(" ".join(runs).translate(_WORD_END).split()):
        if word.isalpha() and word.isascii() and (word[1:].islower() or word.isupper()):
            continue
        for token in _spelled(word):
            kind = _kind(token)
            if kind:
                position = max(text.find(token, position), position)
                yield position, kind, token


def _spelled(word: str) -> Iterator[str]:
    """Yield a word without the marks around it, or its parts where it is a pair or a list."""
    if word.isascii():
        yield from _unmarked(word)
        return
    path = _GLUED_PATH.search(word)
    if path is None or (path.start() and word[path.start() - 1].isascii()):
        parts = _UNSPACED.split(word)
    else:  # what follows a path without a space may well be a part of it
        parts = [*_UNSPACED.split(word[: path.start()]), path.group()]
    for part in parts:
        yield from _unmarked(part)


def _unmarked(word: str) -> Iterator[str]:
    token = word.lstrip(_LEADING).rstrip(_TRAILING)
    if len(token) < 3 or token.isdigit():
        return
    if _PIECES.search(token) is None or _kind(token):
        yield token
        return
    for part in _PIECES.split(token):
        piece = part.lstrip(_LEADING).rstrip(_TRAILING)
        if len(piece) > 2 and not piece.isdigit():
            yield piece


def _kind(token: str) -> str:
    """Return the kind of a word, or nothing for one that is no identifier."""
    if "://" in token or token.startswith("www."):
        return URL
    if "=" in token:
        return ""
    if "@" in token and _EMAIL.fullmatch(token):
        return EMAIL
    kind = _numeric_kind(token) if _HAS_DIGIT.search(token) else None
    if kind is not None:
        return kind
    if "/" in token or ":\\" in token:
        return _path_kind(token)
    return PATH if _is_file(token) else _name_kind(token)


def _is_file(token: str) -> bool:
    file = _FILE.fullmatch(token)
    return file is not None and file.group(1).lower() in _EXTENSIONS


def _numeric_kind(token: str) -> str | None:
    """Return the kind of a word with a digit, nothing for none, or None to look further."""
    if _DATE.fullmatch(token):
        return DATE
    if _TIME.fullmatch(token):
        return TIME
    if _VERSION.fullmatch(token):
        return NUMBER
    if _MEASURE.fullmatch(token) or _NUMBER.fullmatch(token):
        return ""  # a size or an ordinal; what is rarer among them is found with the numbers
    return NUMBER if _RANGE.fullmatch(token) else None


def _path_kind(token: str) -> str:
    if _ANCHORED_PATH.fullmatch(token):
        return PATH
    if not _RELATIVE_PATH.fullmatch(token):
        return ""
    # "and/or" and "he/she/they" are prose: a path has a mark, a digit or a capital in a word.
    parts = [part for part in token.split("/") if part]
    is_prose = all(part.isalpha() and (part[1:].islower() or part.isupper()) for part in parts)
    is_arity = len(parts) == 2 and parts[1].isdigit()
    return "" if is_arity or (is_prose and len(parts) < 4) else PATH


def _name_kind(token: str) -> str:
    if _FLAG.fullmatch(token) or _CODE_NAME.fullmatch(token):
        return NAME
    if _DOTTED.fullmatch(token):
        first, *rest = re.split(r"\.|::|->|#", token)
        # "end.Next" is two sentences without a space; "e.g" an abbreviation.
        is_prose = len(rest) == 1 and rest[0].istitle() and first.isalpha() and len(first) < 15
        return "" if is_prose or max(len(first), *map(len, rest)) < 3 else NAME
    if _CODED.fullmatch(token):
        return ID
    return ""


def _quotes(text: str) -> _Found:
    for mark, pattern in _QUOTED:
        if mark not in text:
            continue
        for match in pattern.finditer(text):
            before = text[match.start() - 2 : match.start()]
            if mark == '"' and not (
                before[1:] == " " and (before[0].isalnum() or before[0] in ",:")
            ):
                continue  # in code and data nearly everything is quoted
            quoted = match.group(1).strip()
            # One plain word in quotes is emphasis; what is rare in one word has its own shape.
            is_name = 2 <= len(quoted.split()) <= 8 or not quoted.isascii()
            if is_name and "\\" not in quoted:
                yield match.start(), QUOTE, quoted
