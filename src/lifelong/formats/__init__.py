"""Providers' message formats: parse a payload into messages, and render messages into a payload.

One item of a payload is one message, always. Rendering into the format that a message came from
gives its item back; rendering into another keeps what that format can carry and tells of the rest.
A new format is one module and one line in the table here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lifelong.errors import UnknownFormat
from lifelong.formats import anthropic, chat, gemini, responses
from lifelong.formats.calls import distinct_calls
from lifelong.formats.rendered import Rendered
from lifelong.messages import Message

__all__ = ["FORMATS", "Rendered", "parse", "parse_item", "render"]


@dataclass(frozen=True, slots=True)
class _Format:
    parse: Callable[[Any], list[Message]]
    parse_item: Callable[[Any, str], Message]
    render: Callable[[Iterable[Message]], Rendered]


_TABLE = {
    module.NAME: _Format(module.parse, module.parse_item, module.render)
    for module in (anthropic, chat, gemini, responses)
}

FORMATS = tuple(_TABLE)
"""The names of the formats."""


def parse(payload: Any, format: str) -> list[Message]:
    """Return the messages of a provider's payload, one for each item, in order.

    Args:
        payload: the provider's own list of items, or what else the format allows. It is not
            changed, and each message's `raw` is the item itself.
        format: one of `FORMATS`.

    Raises:
        UnknownFormat: there is no such format.
        FormatError: the payload is not of the format; the error names the place.
    """
    return _format(format).parse(payload)


def parse_item(item: Any, format: str, where: str = "item") -> Message:
    """Return the message of one item.

    Args:
        item: one item of a payload, made of JSON values.
        format: one of `FORMATS`.
        where: the name of the item in an error.

    Raises:
        UnknownFormat: there is no such format.
        FormatError: the item is not of the format; the error names the place.
    """
    return _format(format).parse_item(item, where)


def render(messages: Iterable[Message], format: str) -> Rendered:
    """Return messages as a provider's items.

    Where two calls of other formats have one id, each gets its own, and its result with it.

    Args:
        messages: of any format, mixed or made in code. They are not changed.
        format: one of `FORMATS`.

    Raises:
        UnknownFormat: there is no such format.
        FormatError: the arguments of a call that was made in code are no JSON.
    """
    return _format(format).render(distinct_calls(messages, format))


def _format(name: str) -> _Format:
    found = _TABLE.get(name)
    if found is None:
        raise UnknownFormat(f"{name!r} is not one of {', '.join(FORMATS)}")
    return found
