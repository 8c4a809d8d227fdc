"""What the readers take out of JSON that they do not trust: names, titles, times and ids.

Every function takes any JSON value and gives a usable one, or None. Pure: the same content gives
the same ids in every run, so that importing a file again adds nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lifelong.errors import FormatError

NAME_LENGTH = 512
"""Characters that the name of a session or the id of a message may have."""

TITLE_LENGTH = 80
"""Characters of a title that is made from what was said."""

_STEM_LENGTH = 200
_MILLISECONDS_FROM = 1e11
_UNSTORABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Control characters and lone surrogates: no name may hold them, and no terminal should.


def usable_name(value: object) -> str | None:
    """Return an id as text, or None where it cannot be the name of anything."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or len(value) > NAME_LENGTH:
        return None
    return None if _UNSTORABLE.search(value) else value


def session_name(candidates: Iterable[object], default: str) -> str:
    """Return the first candidate that is there, or `default` where none is.

    Raises:
        FormatError: the one that is there, or the default, cannot name a session.
    """
    given = next((value for value in candidates if value is not None), default)
    name = usable_name(given)
    if name is None:
        raise FormatError("its session id cannot be a name")
    return name


def file_stem(file: Path) -> str:
    """Return the name of a file without its endings, fit to be part of a session's name."""
    stem = Path(file.name.removesuffix(".gz")).stem
    return _UNSTORABLE.sub("\ufffd", stem[:_STEM_LENGTH])


def title_of(value: object, length: int = TITLE_LENGTH) -> str:
    """Return a text as a title: one line, at most `length` characters; empty if it is no text."""
    if not isinstance(value, str):
        return ""
    # A pasted file can be megabytes; only its beginning can get into the title.
    words = " ".join(value.lstrip()[: 10 * length].split())
    return _UNSTORABLE.sub("\ufffd", words[:length].rstrip())


def time_of(value: object) -> datetime | None:
    """Return a time in UTC, or None where there is none.

    Args:
        value: ISO 8601 text with an offset, or seconds (milliseconds, from 1e11) since 1970.
    """
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return None if moment.tzinfo is None else moment.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = value / 1000 if abs(value) >= _MILLISECONDS_FROM else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def derived_id(session_id: str, position: int, content: Any) -> str:
    """Return an id for a message that has none.

    Args:
        session_id: the session that it is in.
        position: what tells it from an equal message of the session.
        content: a JSON value; the order of keys does not matter.
    """
    text = json.dumps([session_id, position, content], sort_keys=True)
    return f"derived-{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"


def created_at(value: object) -> dict[str, str]:
    """Return the metadata of a session that was created at a time; empty where it is none."""
    moment = time_of(value)
    return {} if moment is None else {"created_at": moment.isoformat()}


def text_at(mapping: dict[str, Any], key: str) -> str:
    """Return the text under a key, or empty text where something else stands there."""
    text = mapping.get(key)
    return text if isinstance(text, str) else ""


def mapping_of(value: object) -> dict[str, Any]:
    """Return a JSON object, or an empty one where the value is none."""
    return value if isinstance(value, dict) else {}


def objects_of(value: object) -> list[dict[str, Any]]:
    """Return the JSON objects in a list, or nothing where the value is no list."""
    return [inner for inner in value if isinstance(inner, dict)] if isinstance(value, list) else []
