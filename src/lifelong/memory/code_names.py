"""Names in code: the words inside `getUserName`, and names of several words as a whole.

A name like `get_user_name`, `src/app/main.py` or `v3.11.7` falls into words at its marks by
itself, and its words can be asked to stand together. `getUserName` is one word to the index; its
inner words are added to the text that is indexed. Pure functions of text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_WORDS_MAX = 12
_INNER_MIN = 2

_HUMP = re.compile("[A-Z](?:(?<=[a-z0-9][A-Z])|(?=[A-Z][a-z]))")
_RUN = re.compile("[A-Za-z0-9]{3,}")
_INNER = re.compile("[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_CAMEL_MAX = 64
"""Longer ones are base64, not names."""

_ALONE = r"[A-Za-z0-9]|[^\x00-\x7f]"
_NAME = re.compile(
    rf"(-?)(?<!{_ALONE})([A-Za-z0-9](?:[A-Za-z0-9_./:\\@#~+-]*[A-Za-z0-9])?)(?!{_ALONE})"
)
_MARK = re.compile(r"[_./:\\@#~+-][A-Za-z0-9]")
_JOINT = re.compile("[^A-Za-z0-9]+")
_PLAIN_HYPHEN = re.compile("[A-Za-z]+(?:-[A-Za-z]+)+")
_CODE_AND_NUMBER = re.compile("\\b[A-Z]{2,} [0-9]+\\b")
"""HTTP 503"""
_VERSION = re.compile("v?([0-9]+(?:[.][0-9]+)+.*)")
HASH_MIN = 7
"""What a hash is cut to for the eye, as short as it gets."""
_HASH = re.compile(f"(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{{{HASH_MIN},}}")


def inner_words(text: str) -> list[str]:
    """Return the words, in lower case, that begin with a capital letter inside a name of `text`.

    Each is given once: `getUserName(userName)` has get, user, name.
    """
    if not _HUMP.search(text):
        return []
    words: dict[str, None] = {}
    for run in _RUN.findall(text):
        if len(run) <= _CAMEL_MAX and _HUMP.search(run):
            words.update((word.lower(), None) for word in _INNER.findall(run))
    return [word for word in words if len(word) >= _INNER_MIN]


def wholes(text: str) -> list[str]:
    """Return the names of several words in a question, as they stand there; of a path its file too.

    Words that only a hyphen joins are not one: what is well-known is known well.
    """
    found = []
    if _MARK.search(text):
        found = [name for one in _NAME.finditer(text) for name in _names(*one.groups())]
    return list(dict.fromkeys(found + _CODE_AND_NUMBER.findall(text)))


def _names(dash: str, name: str) -> Iterator[str]:
    words = [word for word in _JOINT.split(name) if word]
    if not 2 <= len(words) <= _WORDS_MAX or (not dash and _PLAIN_HYPHEN.fullmatch(name)):
        return
    yield name
    version = _VERSION.fullmatch(name)
    if version:
        yield version.group(1) if name[0] == "v" else f"v{name}"
    file = re.split(r"[/\\]", name)[-1]
    if file != name and len(_JOINT.split(file)) > 1:
        yield file


def is_hash(word: str) -> bool:
    """Return whether a folded word may be a hash, or the first letters of one."""
    return _HASH.fullmatch(word) is not None
