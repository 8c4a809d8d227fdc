"""`lifelong export`, `check` and `reindex`: everything out, compared, made again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, one_line, print_json
from lifelong.apps.cli.progress import progress
from lifelong.apps.cli.unlocking import passphrase_of
from lifelong.errors import InputError


class ExportOptions(NamedTuple):
    """What `lifelong export` takes."""

    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Written whole or not at all; yours alone to read."),
    ] = None
    recipient: Annotated[
        list[str] | None,
        typer.Option(metavar="AGE", help="Encrypt it to age1… or an SSH key; may be given again."),
    ] = None
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Encrypt it with a passphrase that you type.")
    ] = False
    passphrase_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Encrypt it with the passphrase in this file."),
    ] = None
    as_json: AsJson = False


@command(ExportOptions)
def export(given: ExportOptions, place: Place) -> int:
    """Write everything of this owner as lines of JSON."""
    recipients = given.recipient or ()
    passphrase = passphrase_of(given.passphrase_file, is_asked=given.passphrase, twice=True)
    stdout = typer.get_binary_stream("stdout")
    if given.output is None and (recipients or passphrase) and stdout.isatty():
        raise InputError("an encrypted export is not for a terminal; add --output FILE")
    with place.opened() as owner:
        target = given.output or stdout
        lines = owner.export_to(target, recipients=recipients, passphrase=passphrase)
    if given.output is None:
        return DONE
    answer = {"file": str(given.output), "lines": lines, "bytes": given.output.stat().st_size}
    if given.as_json:
        print_json(answer)
    else:
        Screen().line(f"{counted(lines, 'line')} in {one_line(str(given.output))}")
    return DONE


class CheckOptions(NamedTuple):
    """What `lifelong check` takes."""

    as_json: AsJson = False


@command(CheckOptions)
def check(given: CheckOptions, place: Place) -> int:
    """Compare what is kept with what is derived from it; change nothing."""
    with place.opened() as owner:
        report = owner.check()
    if given.as_json:
        counts, problems = report.counts, report.problems
        print_json({"is_clean": report.is_clean, "counts": counts, "problems": problems})
    else:
        screen = Screen()
        for table, count in sorted(report.counts.items()):
            screen.line(f"{table:<15}  {count:>9,}")
        for problem in report.problems:
            screen.line((f"problem: {one_line(problem)}", "red"))
        screen.line("nothing disagrees" if report.is_clean else "run: lifelong reindex")
    return DONE if report.is_clean else NOTHING


class ReindexOptions(NamedTuple):
    """What `lifelong reindex` takes."""

    as_json: AsJson = False


@command(ReindexOptions)
def reindex(given: ReindexOptions, place: Place) -> int:
    """Make everything that is derived again."""
    with place.opened() as owner, progress(as_json=given.as_json) as step:
        rows = owner.reindex(lambda done, total: step(done, total, "reindex"))
        vectors = owner.stats()["vector"]
    if given.as_json:
        print_json({"rows": rows, "vectors": vectors})
    else:
        have = f", {counted(vectors, 'vector')}" if vectors else ""
        Screen().line(f"indexed {counted(rows, 'row')}{have}")
    return DONE
