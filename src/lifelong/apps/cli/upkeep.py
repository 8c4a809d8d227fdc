"""`lifelong export`, `check` and `reindex`: everything out, compared, made again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Annotated, NamedTuple

import typer

from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, one_line, print_json, visible_json
from lifelong.apps.cli.progress import progress


class ExportOptions(NamedTuple):
    """What `lifelong export` takes."""

    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Written whole or not at all; yours alone to read."),
    ] = None
    as_json: AsJson = False


@command(ExportOptions)
def export(given: ExportOptions, place: Place) -> int:
    """Write everything of this owner as lines of JSON."""
    with place.opened() as owner:
        if given.output is None:
            _write_lines(typer.get_binary_stream("stdout"), owner.export())
            return DONE
        lines = _write_file(given.output, owner.export())
    answer = {"file": str(given.output), "lines": lines, "bytes": given.output.stat().st_size}
    if given.as_json:
        print_json(answer)
    else:
        Screen().line(f"{counted(lines, 'line')} in {one_line(str(given.output))}")
    return DONE


def _write_lines(stream: IO[bytes], lines: Iterable[str]) -> int:
    count = 0
    for line in lines:
        stream.write(visible_json(line).encode() + b"\n")
        count += 1
    stream.flush()
    return count


def _write_file(file: Path, lines: Iterable[str]) -> int:
    """Write under another name and rename, so that a stop leaves the old file as it was."""
    from tempfile import NamedTemporaryFile

    folder, prefix = file.absolute().parent, f".{file.name[:40]}."
    with NamedTemporaryFile(dir=folder, prefix=prefix, delete=False) as stream:
        draft = Path(stream.name)
        try:
            count = _write_lines(stream, lines)
            os.fsync(stream.fileno())
            draft.replace(file)
        except BaseException:
            draft.unlink()
            raise
    return count


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
