"""`lifelong verify`: whether anything was changed behind the engine."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, one_line, print_json
from lifelong.apps.cli.progress import progress


class VerifyOptions(NamedTuple):
    """What `lifelong verify` takes."""

    since: Annotated[
        str | None,
        typer.Option(metavar="HEAD", help="A head that was printed before."),
    ] = None
    as_json: AsJson = False


@command(VerifyOptions)
def verify(given: VerifyOptions, place: Place) -> int:
    """Find what was changed behind the engine; change nothing."""
    with place.opened() as owner, progress(as_json=given.as_json) as step:
        found = owner.verify(
            given.since, on_progress=lambda done, total: step(done, total, "verify")
        )
    if given.as_json:
        print_json(
            {
                "is_intact": found.is_intact,
                "head": found.head,
                "entries": found.entries,
                "is_keyed": found.is_keyed,
                "problems": found.problems,
            }
        )
    else:
        screen = Screen()
        screen.line(f"{counted(found.entries, 'entry', 'entries')}, head {found.head}")
        for problem in found.problems:
            screen.line((f"problem: {one_line(problem)}", "red"))
        if found.entries and not found.is_keyed:
            screen.line("without encryption this tells of mistakes, not of malice")
        if found.is_intact:
            screen.line("nothing was changed behind the engine")
    return DONE if found.is_intact else NOTHING
