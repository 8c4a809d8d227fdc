"""What viewing and editing do to the text of a file, with the replies of the reference tool.

The replies are to the letter those of the memory tool in Anthropic's SDK, which models know. A
text is one string from its first byte to its last: nothing here splits it where only some systems
end a line, and what is not edited keeps its line ends, its byte order mark and its missing last
newline. Which texts may be kept is decided elsewhere.

Other than the reference, an empty or overlapping `old_str` is refused, and a range or line that is
no whole number; and an insertion keeps an empty last line, which the reference drops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from lifelong.errors import EditRefused
from lifelong.file_paths import is_below

LINES_MAX = 999_999
_NUMBER_WIDTH = 6
_AROUND = 2
"""Lines of a snippet before and after the one that changed."""
_PLACES_SHOWN = 100
_LISTED_LEVELS = 2
_UNITS = "BKMG"


def view_text(path: str, text: str, view_range: object = None) -> str:
    """Return a text with line numbers, as the tool shows it.

    Args:
        path: of the file.
        text: all of it.
        view_range: None, or the first and the last line; -1 for the end.

    Raises:
        EditRefused: there are too many lines, or that is no range.
    """
    lines = text.split("\n")
    if len(lines) > LINES_MAX:
        raise EditRefused(f"File {path} exceeds maximum line limit of {LINES_MAX:,} lines.")
    first, end = _range(view_range, len(lines))
    return f"Here's the content of {path} with line numbers:\n" + _numbered(lines, first, end)


def view_directory(path: str, sizes: Mapping[str, int]) -> str:
    """Return what lies in a directory, two levels deep, without hidden names.

    Args:
        path: of the directory.
        sizes: bytes of each file by path. A directory has the size of all that is in it.
    """
    below: dict[str, int] = {}
    files = {each: size for each, size in sizes.items() if is_below(each, path)}
    for each, size in files.items():
        names = each[len(path) + 1 :].split("/")
        for depth in range(1, min(len(names), _LISTED_LEVELS + 1)):
            directory = "/".join(names[:depth])
            below[directory] = below.get(directory, 0) + size
        if len(names) <= _LISTED_LEVELS:
            below["/".join(names)] = size
    lines = [f"{shown_size(sum(files.values()))}\t{path}"]
    for name in sorted(below, key=lambda name: name.split("/")):
        if not any(part.startswith(".") for part in name.split("/")):
            end = "" if f"{path}/{name}" in files else "/"
            lines.append(f"{shown_size(below[name])}\t{path}/{name}{end}")
    header = (
        f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    )
    return "\n".join([header, *lines])


def shown_size(size_bytes: int) -> str:
    """Return a size as the reference tool writes it: ``0B``, ``12B``, ``1.5K``, ``2M``."""
    if size_bytes == 0:
        return "0B"
    power = min((size_bytes.bit_length() - 1) // 10, len(_UNITS) - 1)
    size = size_bytes / 1024**power
    return f"{int(size) if size == int(size) else f'{size:.1f}'}{_UNITS[power]}"


def replaced(path: str, text: str, *, old: str, new: str) -> tuple[str, int]:
    """Put `new` in the one place where `old` stands; return the text and the index of the line.

    Raises:
        EditRefused: `old` is empty, stands nowhere, or in several places.
    """
    if not old:
        raise EditRefused("No replacement was performed, old_str is empty.")
    places = list(_places(text, old))
    if not places:
        raise EditRefused(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    line = text.count("\n", 0, places[0])
    if len(places) > 1:
        raise EditRefused(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{_lines_of(text, places)}. Please ensure it is unique"
        )
    return text[: places[0]] + new + text[places[0] + len(old) :], line


def edited_reply(text: str, line: int) -> str:
    """Return the reply to a replacement: the lines around the one that begins the change."""
    lines = text.split("\n")
    return (
        "The memory file has been edited. Here is the snippet showing the change "
        "(with line numbers):\n"
    ) + _numbered(lines, max(0, line - _AROUND), min(len(lines), line + _AROUND + 1))


def inserted(text: str, line: object, new: str) -> str:
    """Put lines after the line with this number; 0 is before the first.

    Newlines at the end of `new` are left out, and the text ends with one afterwards.

    Raises:
        EditRefused: there is no such line.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not _is_whole(line) or not 0 <= line <= len(lines):
        raise EditRefused(
            f"Invalid `insert_line` parameter: {_brief(line)}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, new.rstrip("\n"))
    return "\n".join(lines) + "\n"


def _is_whole(number: object) -> TypeGuard[int]:
    return isinstance(number, int) and not isinstance(number, bool)


def _brief(value: object) -> str:
    if _is_whole(value) and abs(value) < 1 << 63:
        return str(value)
    return f"a {type(value).__name__}" if not _is_whole(value) else "a number out of range"


def _range(view_range: object, lines: int) -> tuple[int, int]:
    """Return the first and the end of the lines to show, counted from 0."""
    if view_range is None:
        return 0, lines
    given = view_range if isinstance(view_range, Sequence) else ()
    if len(given) != 2 or not all(map(_is_whole, given)) or given[1] < -1:
        raise EditRefused(
            "Invalid `view_range` parameter. It should be two line numbers: the first, and the "
            "last or -1."
        )
    first = max(1, given[0]) - 1
    return first, lines if given[1] == -1 else min(given[1], lines)


def _numbered(lines: Sequence[str], first: int, end: int) -> str:
    return "\n".join(
        f"{number + 1:>{_NUMBER_WIDTH}}\t{lines[number]}" for number in range(first, end)
    )


def _places(text: str, old: str) -> Iterator[int]:
    at = text.find(old)
    while at >= 0:
        yield at
        at = text.find(old, at + 1)


def _lines_of(text: str, places: Sequence[int]) -> str:
    """Return the line numbers of the first places; a text of one letter would fill a window."""
    numbers, line, before = [], 1, 0
    for place in places[:_PLACES_SHOWN]:
        line += text.count("\n", before, place)
        before = place
        numbers.append(str(line))
    return ", ".join(numbers) + (", …" if len(places) > _PLACES_SHOWN else "")
