"""`lifelong bench writing`: what is merged, replaced, redacted and held back, and how fast.

Each part says what it was tuned on; a data set that is not there is skipped by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lifelong.bench.writing import extraction, growth, injection, pairs, personal, secrets
from lifelong.errors import InvalidValue

PARTS: Mapping[str, Callable[[Path], dict[str, Any]]] = {
    "pairs": pairs.measure,
    "secrets": secrets.measure,
    "personal": personal.measure,
    "injection": injection.measure,
    "extraction": extraction.measure,
    "growth": growth.measure,
}


def run(
    data: Path,
    *,
    parts: tuple[str, ...] = (),
    on_progress: Callable[[int, int, str], None] | None = None,
) -> dict[str, Any]:
    """Return the figures of each part.

    Args:
        data: the folder with the folders of the data sets.
        parts: names of `PARTS`; all, if there are none.
        on_progress: called with how many parts are done, of how many, and the name of the next.

    Raises:
        InvalidValue: there is no such part.
    """
    wanted = parts or tuple(PARTS)
    for name in wanted:
        if name not in PARTS:
            raise InvalidValue(f"part {name!r} is none of {', '.join(PARTS)}")
    found = {}
    for number, name in enumerate(wanted):
        if on_progress:
            on_progress(number, len(wanted), name)
        found[name] = PARTS[name](data)
    return found


def lines(result: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield one line for each figure of what `run` returned."""
    if isinstance(result, Mapping):
        for name, value in result.items():
            yield from lines(value, (*path, str(name)))
    elif isinstance(result, list | tuple):
        yield f"{' '.join(path):<70} {', '.join(map(str, result))}"
    else:
        yield f"{' '.join(path):<70} {result}"


def table(result: Mapping[str, Any]) -> str:
    """Return what `run` returned as lines."""
    return "\n".join(lines(result))
