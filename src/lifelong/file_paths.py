"""Paths of file memory: one canonical form for each file, or a named refusal.

A path names a row and never a file of this machine, so nothing here looks at one. The grammar is
narrower than any file system's all the same: two names that look alike, that fold together on
another system, or that mean something to a shell, a URL or Windows, would come to harm in a mirror
and in a model's reading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from lifelong.errors import FileExists, InvalidPath

ROOT = "/memories"

PATH_BYTES_MAX = 1_024
NAME_BYTES_MAX = 255
LEVELS_MAX = 32
_SHOWN_MAX = 200

_REFUSED_CATEGORIES = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
"""Controls, what is invisible or turns the direction, surrogates, what has no meaning (yet)."""

_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""

_UNSEEN = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Marks that choose between pictures of a letter: names that differ by them look the same."""

_LIKE_SEPARATORS = frozenset("\u2044\u2215\u2216\u2236\u29f5\u29f8\u29f9\ua789")
"""They look like a slash, a backslash or a colon, and no folding makes them one."""

_SEPARATORS = frozenset("/\\:")
_ENCODED = re.compile("%[0-9a-f]{2}", re.IGNORECASE)
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com\d|lpt\d)\s*(?:\.|$)", re.ASCII
)
"""Windows takes these for devices, with any ending."""


def canonical(path: object) -> str:
    """Return the one form of a path below `ROOT`, or `ROOT` itself.

    Letters are composed (NFC), and one slash at the end is left out.

    Raises:
        InvalidPath: it is none.
    """
    if not isinstance(path, str):
        raise InvalidPath(f"A path is text, not {type(path).__name__}")
    if len(path) > PATH_BYTES_MAX:
        raise InvalidPath(f"Path {shown(path)} is longer than {PATH_BYTES_MAX} bytes")
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise InvalidPath(f"Path must start with {ROOT}, got: {shown(path)}")
    names = path.removeprefix(ROOT).removesuffix("/").split("/")[1:]
    kept = [_canonical_name(name, path) for name in names]
    whole = "/".join([ROOT, *kept])
    if len(kept) > LEVELS_MAX:
        raise InvalidPath(f"Path {shown(path)} is more than {LEVELS_MAX} levels deep")
    if len(whole.encode()) > PATH_BYTES_MAX:
        raise InvalidPath(f"Path {shown(path)} is longer than {PATH_BYTES_MAX} bytes")
    return whole


def canonical_file(path: object) -> str:
    """Return the one form of a path that is not `ROOT`.

    Raises:
        InvalidPath: it is none.
    """
    whole = canonical(path)
    if whole == ROOT:
        raise InvalidPath(f"The path {ROOT} is not a file.")
    return whole


def folded(path: str) -> str:
    """Return what two paths have in common that some system, or an eye, takes for the same."""
    text = _UNSEEN.sub("", path)
    for _ in range(2):  # a folded letter may have another composition, which folds once more
        text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return text


def is_below(path: str, directory: str) -> bool:
    """Whether a canonical path lies below a directory."""
    return path.startswith(f"{directory}/")


def require_free(path: str, taken: Iterable[str]) -> None:
    """Refuse a path that another file stands in the way of.

    Args:
        path: canonical, and itself not among `taken`.
        taken: the canonical paths of all other files.

    Raises:
        FileExists: a file or directory has the path, or one that folds to the same.
        InvalidPath: a file stands where the path needs a directory.
    """
    ours = dict(zip(_beginnings(folded(path)), _beginnings(path), strict=True))
    for other in taken:
        for fold, theirs in zip(_beginnings(folded(other)), _beginnings(other), strict=True):
            mine = ours.get(fold)
            if mine is None:
                break  # nothing deeper can be the same
            if mine != theirs:
                raise FileExists(f"The name {mine} cannot be told from {theirs}, which exists.")
            if mine == path:
                raise FileExists(f"File {path} already exists")
            if theirs == other:
                raise InvalidPath(f"The path {other} is not a directory.")


def shown(path: str) -> str:
    """Return a path as a reply may show it: what cannot be printed spelt out, and not too much."""
    cut = path[:_SHOWN_MAX]
    seen = "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in cut
    )
    return seen + "…" if len(path) > _SHOWN_MAX else seen


def _beginnings(path: str) -> list[str]:
    """Return each directory on the way to a path, and the path itself; not `ROOT`."""
    names = path.removeprefix(f"{ROOT}/").split("/")
    return ["/".join([ROOT, *names[: end + 1]]) for end in range(len(names))]


def _canonical_name(name: str, path: str) -> str:
    if not name:
        raise InvalidPath(f"Path {shown(path)} has an empty name between two slashes")
    why = _fault(name)
    if why:
        raise InvalidPath(f"Path {shown(path)} {why}")
    composed = unicodedata.normalize("NFC", name)
    if len(composed.encode()) > NAME_BYTES_MAX:
        raise InvalidPath(f"Path {shown(path)} has a name longer than {NAME_BYTES_MAX} bytes")
    return composed


def _has_unseen(name: str) -> bool:
    categories = {unicodedata.category(each) for each in name}
    return bool(
        categories & _REFUSED_CATEGORIES or _BLANKS.intersection(name) or not _UNSEEN.sub("", name)
    )


def _fault(name: str) -> str:
    """Return what is wrong with a name, however it is composed; empty when nothing is."""
    if _has_unseen(name):
        return "has a character that cannot be seen or stored"
    if not _LIKE_SEPARATORS.isdisjoint(name):
        return "has a character that looks like a separator"
    if _ENCODED.search(name):
        return f"would escape {ROOT} directory or hide a character: % and two digits"
    plain = folded(name)
    if plain.startswith(".."):
        return f"would escape {ROOT} directory"
    if not _SEPARATORS.isdisjoint(plain):
        return "has a backslash, a colon or a character that becomes a separator"
    if plain != plain.strip() or plain.endswith("."):
        return "has a name that begins or ends with a space, or ends with a dot"
    if _RESERVED.match(plain):
        return "has a name that is a device on some systems"
    return ""
