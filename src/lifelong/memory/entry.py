"""The entry: what comes in is made storable or refused, once, the same way for every store.

NUL and lone surrogates become U+FFFD (they cannot be written by every store); sizes, names, times
and words outside their range are refused with a named error before anything is written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lifelong.errors import (
    EmptyText,
    FormatError,
    InvalidName,
    InvalidTime,
    InvalidValue,
    TextTooLarge,
)
from lifelong.formats.storable import storable
from lifelong.formats.strict_json import dumps
from lifelong.records import CHANNELS, KINDS, Namespace, Origin

TEXT_BYTES_MAX = 32 * 1024 * 1024
"""The largest memory, and the largest payload of one message."""

NAME_CHARACTERS_MAX = 512
SEGMENTS_MAX = 32
_LIMIT_MAX = 1 << 62
_UNUSABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
IMPORTANCE_MAX = 10


def clean_text(text: object, what: str = "text") -> str:
    """Return `text` as it will be stored.

    Raises:
        EmptyText: nothing but white space.
        TextTooLarge: over 32 MiB of UTF-8.
        InvalidValue: not text at all.
    """
    if not isinstance(text, str):
        raise InvalidValue(f"{what} is {type(text).__name__}, not str")
    cleaned, _ = storable(text)
    if not cleaned.strip():
        raise EmptyText(what)
    require_size(cleaned, what)
    return str(cleaned)


def require_size(text: str, what: str) -> None:
    """Refuse what is over the size limit.

    Raises:
        TextTooLarge: over 32 MiB of UTF-8.
    """
    if len(text) * 4 > TEXT_BYTES_MAX and len(text.encode()) > TEXT_BYTES_MAX:
        raise TextTooLarge(f"{what} has {len(text.encode())} bytes, the limit is {TEXT_BYTES_MAX}")


def clean_name(name: object, what: str) -> str:
    """Return `name` if it can be one.

    Raises:
        InvalidName: empty, blank, too long, or with control characters or lone surrogates.
    """
    if not isinstance(name, str):
        raise InvalidName(f"{what} {name!r}")
    if not name.strip() or len(name) > NAME_CHARACTERS_MAX or _UNUSABLE.search(name):
        shown = ascii(name[:40]) + ("…" if len(name) > 40 else "")
        raise InvalidName(f"{what} {shown}")
    return name


def clean_namespace(namespace: object) -> Namespace:
    """Return a namespace as a tuple of checked segments.

    Raises:
        InvalidName: a segment cannot be one, there are more than 32, or it is a plain string.
    """
    if not isinstance(namespace, Iterable):
        raise InvalidName(f"namespace {namespace!r}")
    if isinstance(namespace, str):
        raise InvalidName(f"namespace {namespace!r}: pass a tuple of segments, as ({namespace!r},)")
    segments = tuple(clean_name(segment, "namespace segment") for segment in namespace)
    if len(segments) > SEGMENTS_MAX:
        raise InvalidName(f"namespace of {len(segments)} segments, the limit is {SEGMENTS_MAX}")
    return segments


def clean_time(moment: object, what: str) -> datetime | None:
    """Return an aware time; ISO 8601 text with an offset is read.

    Raises:
        InvalidTime: no offset, or no time.
    """
    if moment is None:
        return None
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError as error:
            raise InvalidTime(f"{what} ({error})") from None
    if not isinstance(moment, datetime) or moment.tzinfo is None or moment.utcoffset() is None:
        raise InvalidTime(f"{what} {moment!r}")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidTime(f"{what} {moment!r} is beyond the calendar") from None


def clean_metadata(metadata: object) -> dict[str, Any]:
    """Return metadata as a JSON object that is the caller's no more.

    Raises:
        InvalidValue: it is no JSON object, or over the size limit.
    """
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        raise InvalidValue("metadata is no object with text keys")
    text = json_text(dict(metadata), "metadata")
    return dict(json.loads(text))


def json_text(value: object, what: str) -> str:
    """Return a JSON value as it will be stored.

    Raises:
        InvalidValue: it is no JSON value.
        TextTooLarge: over 32 MiB.
    """
    try:
        text = dumps(storable(value)[0], what)
    except (FormatError, RecursionError) as error:
        raise InvalidValue(f"{what} is no JSON ({error})") from error
    require_size(text, what)
    return text


def clean_kind(kind: str) -> str:
    """Return `kind` if it is one.

    Raises:
        InvalidValue: it is none.
    """
    return _one_of(kind, KINDS, "kind")


def clean_importance(importance: object) -> int:
    """Return `importance` if it is a whole number from 1 to 10.

    Raises:
        InvalidValue: it is something else.
    """
    if (
        not isinstance(importance, int)
        or isinstance(importance, bool)
        or not 1 <= importance <= IMPORTANCE_MAX
    ):
        raise InvalidValue(f"importance {importance!r} is no whole number from 1 to 10")
    return importance


def clean_origin(origin: object) -> Origin:
    """Return an origin with a known channel; a bare channel is one.

    Raises:
        InvalidValue: the channel is unknown.
    """
    if isinstance(origin, str):
        origin = Origin(origin)
    if not isinstance(origin, Origin) or not isinstance(origin.source, str):
        raise InvalidValue(f"origin {origin!r}")
    _one_of(origin.channel, CHANNELS, "channel")
    if not isinstance(origin.parents, list | tuple):
        raise InvalidValue(f"parents {origin.parents!r} are no tuple of ids")
    parents = tuple(clean_name(parent, "parent id") for parent in origin.parents)
    return Origin(origin.channel, storable(origin.source)[0], parents)


def clean_words(words: object, what: str) -> tuple[Any, ...]:
    """Return several words of a filter; which words they may be is for others to say.

    Raises:
        InvalidValue: it is one word by itself, or no words at all.
    """
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InvalidValue(f"{what} {words!r}: pass a list, as [{words!r}]")
    return tuple(words)


def clean_least(least: Any, what: str) -> float:
    """Return `least` if values can be compared with it.

    Raises:
        InvalidValue: it is no number, NaN, or beyond all values.
    """
    is_number = isinstance(least, int | float) and not isinstance(least, bool)
    if not is_number or not -_LIMIT_MAX <= least <= _LIMIT_MAX:
        raise InvalidValue(f"{what} {least!r} is no number")
    number: float = least
    return number


def clean_limit(limit: object, what: str = "limit") -> int | None:
    """Return `limit` if it is None or a whole number of at least 0.

    Raises:
        InvalidValue: it is negative, or no whole number.
    """
    if limit is None:
        return None
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise InvalidValue(f"{what} {limit!r} is no whole number of at least 0")
    return min(limit, _LIMIT_MAX)


def require_known(fields: Iterable[str], known: Iterable[str], what: str) -> None:
    """Refuse a field that there is not: a filter with a typing error must not let all through.

    Raises:
        InvalidValue: a field is unknown.
    """
    unknown = sorted(set(fields) - set(known))
    if unknown:
        raise InvalidValue(f"{what} has no field {', '.join(map(repr, unknown))}")


def _one_of(word: str, known: Sequence[str], what: str) -> str:
    if word not in known:
        raise InvalidValue(f"{what} {word!r} is none of {', '.join(known)}")
    return word
