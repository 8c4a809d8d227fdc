"""What LangGraph wrote of its objects, read as plain data: nothing of it is built or run.

Its serialiser names for each object a module, a class and the fields. The fields are taken; the
module is never looked at. Pickled and encrypted values are refused.
"""

from __future__ import annotations

from typing import Any

from lifelong.errors import FormatError, MissingExtra
from lifelong.transcripts.content import decoded

_FIELDS_AT = 2
_DELTA_SNAPSHOT = 7
_NUMPY_ARRAY = 6
_CONSTRUCTOR = "constructor"


def value_of(kind: object, data: object) -> Any:
    """Return what was serialised, objects as their fields.

    Args:
        kind: the serialiser's own word: ``msgpack`` or ``json``.
        data: the bytes.

    Raises:
        FormatError: it cannot be read; the reason is in words.
        MissingExtra: it is packed, and ormsgpack is not installed.
    """
    if not isinstance(data, bytes):
        raise FormatError("it holds no bytes")
    if kind == "msgpack":
        return _unpacked(data)
    if kind == "json":
        try:
            return _fields_of(decoded(data))
        except (ValueError, RecursionError) as error:
            raise FormatError(str(error)) from error
    if isinstance(kind, str) and "+" in kind:
        raise FormatError("it is encrypted")
    if kind == "pickle":
        raise FormatError("it is pickled, and is not opened: a pickle is a program")
    raise FormatError("it is serialised in a way that is not known")


def _unpacked(data: bytes) -> Any:
    try:
        import ormsgpack
    except ImportError as error:
        raise MissingExtra("ormsgpack", "langgraph") from error

    def unpacked(each: bytes) -> Any:
        return ormsgpack.unpackb(each, ext_hook=fields, option=ormsgpack.OPT_NON_STR_KEYS)

    def fields(code: int, each: bytes) -> Any:
        """Return the fields of an object; nothing of an array of numbers."""
        if code == _NUMPY_ARRAY:
            return None
        found = unpacked(each)
        if code == _DELTA_SNAPSHOT:
            return found
        if isinstance(found, list) and len(found) > _FIELDS_AT:
            return found[_FIELDS_AT]
        return None

    try:
        return unpacked(data)
    except (ValueError, TypeError, RecursionError) as error:
        raise FormatError("it is packed wrongly, or was cut short") from error


def _fields_of(value: Any) -> Any:
    """Return JSON with each object of theirs replaced by its fields."""
    if isinstance(value, list):
        return [_fields_of(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "lc" in value and value.get("type") == _CONSTRUCTOR:
        fields = value.get("kwargs")
        return _fields_of(fields) if isinstance(fields, dict) else {}
    return {key: _fields_of(each) for key, each in value.items()}
