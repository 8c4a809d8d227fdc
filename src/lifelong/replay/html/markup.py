"""Markup: the only place where text becomes HTML, so that nothing is ever left unescaped.

A `Markup` is finished; any other text is somebody's, and is made visible and escaped on its way in.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from lifelong.replay.wording import visible

Attribute = str | int | float | None


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | Iterable[Markup] | None
"""What an element may hold: markup, text, several pieces of markup, or nothing."""

_VOID = frozenset({"meta", "br", "path", "rect", "circle", "line", "use"})
_NO_CHILDREN_IN_SVG = frozenset({"path", "rect", "circle", "line", "use"})


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return an element.

    Args:
        name: of the element.
        *children: text is escaped, markup is not, None is nothing.
        **attributes: by name, ``_`` for ``-`` and one at the end left away; None is not written.
    """
    written = "".join(
        f' {_attribute_name(key)}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _VOID:
        return Markup(f"<{name}{written}{'/' if name in _NO_CHILDREN_IN_SVG else ''}>")
    return Markup(f"<{name}{written}>{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Return pieces one after another, with all that is not markup escaped."""
    return Markup("".join(_child(each) for each in children))


def theirs(text: str) -> Markup:
    """Return somebody's text, kept from turning the direction of what stands around it."""
    return tag("bdi", text)


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return str(child)
    if isinstance(child, str):
        return escape(_spaced(child), quote=True)
    return "".join(_child(each) for each in child)


def _spaced(text: str) -> str:
    """Return a text visible, with the space at its ends that `visible` takes away."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    return f"{before}{visible(text)}{after}"


def _attribute_name(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def _value(value: Attribute) -> str:
    return escape(visible(str(value)), quote=True)
