"""Output: lines for a person, or JSON; never a byte that a terminal obeys.

What was stored is somebody else's text. Whatever could move the cursor, colour, hide, reorder or
retitle is shown as an escape, and nothing in it is read as markup. Colour and wrapping are for
terminals alone: what goes into a pipe is plain lines.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

Piece = str | tuple[str, str]
"""Text, or text with a style of `rich`'s."""

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")
"""Controls (C0 without tab and line end, DEL, C1: all escape sequences begin with one), line and
paragraph separators, overrides of direction, and halves of surrogates, which no stream takes."""


def visible(text: str) -> str:
    """Return `text` with what a terminal obeys spelt out, apart from line ends and tabs."""
    return _OBEYED.sub(_spelt, text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Return `text` visible and on one line, so that a title cannot look like a second row."""
    return " ".join(visible(text).split())


def _spelt(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Screen:
    """Standard output, as a person sees it."""

    def __init__(self) -> None:
        self._console = _console() if sys.stdout.isatty() else None

    def line(self, *pieces: Piece, indent: int = 0) -> None:
        """Print one or more lines; on a terminal styled, and wrapped between words.

        Args:
            *pieces: printed one after another.
            indent: columns of space before each line.
        """
        pairs = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
        shown = [(visible(text), style) for text, style in pairs]
        if self._console is None:
            for row in "".join(text for text, _ in shown).split("\n"):
                print(f"{' ' * indent}{row}".rstrip())
        else:
            _print_styled(self._console, shown, indent)


def _console() -> Console:
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def _print_styled(console: Console, pairs: list[tuple[str, str]], indent: int) -> None:
    from rich.text import Text

    text = Text.assemble(*pairs)
    text.expand_tabs(8)
    width = max(console.width - indent, 20)
    for row in text.wrap(console, width, tab_size=8):
        row.rstrip()
        console.print(Text(" " * indent).append_text(row), soft_wrap=True)


def note(text: str) -> None:
    """Print what is no answer on standard error, after what stands before it in the answer."""
    sys.stdout.flush()
    print(visible(text), file=sys.stderr)


def print_json(value: Any) -> None:
    """Print a value as one JSON document, in ASCII."""
    print(json.dumps(jsonable(value), indent=2))


def jsonable(value: Any) -> Any:
    """Return a value of ours as JSON can say it: times in ISO 8601, words for members of enums."""
    match value:
        case datetime():
            return value.isoformat()
        case Enum():
            return value.name.lower()
        case Mapping():
            return {str(key): jsonable(each) for key, each in value.items()}
        case list() | tuple():
            return [jsonable(each) for each in value]
        case _ if dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value)]
            return {name: jsonable(getattr(value, name)) for name in names}
    return value


def minute(moment: datetime) -> str:
    """Return a time to the minute, in UTC."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}Z"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun: ``1 message``, ``1,204 messages``."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
