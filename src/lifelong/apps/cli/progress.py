"""Progress: a bar on standard error, where a person watches, and nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lifelong.apps.cli.output import one_line

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

Step = Callable[[int, int, str], None]
"""Called with how much is done, how much there is in all, and what is worked on."""


@contextmanager
def progress(*, as_json: bool, in_bytes: bool = False) -> Iterator[Step]:
    """Lend a function that moves the bar; it does nothing when nobody watches."""
    if as_json or not sys.stderr.isatty():
        yield lambda _done, _total, _what: None
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with Progress(*_columns(in_bytes=in_bytes), console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        def step(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=one_line(what))

        yield step


def _columns(*, in_bytes: bool) -> list[ProgressColumn]:
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    return [
        BarColumn(),
        DownloadColumn() if in_bytes else MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", markup=False),
    ]
