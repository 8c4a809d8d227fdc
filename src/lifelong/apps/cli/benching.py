"""`lifelong bench`: what recall finds on a data set, and how fast this installation is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from lifelong import bench
from lifelong.apps.cli.edge import DONE, FAILED
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, print_json
from lifelong.apps.cli.progress import Step, progress


class BenchRecallOptions(NamedTuple):
    """What `lifelong bench recall` takes."""

    dataset: Annotated[
        str, typer.Option(metavar="NAME", help="locomo, beam, beam-500k or longmemeval.")
    ]
    data: Annotated[Path, typer.Option(metavar="DIR", help="The folder that holds it.")]
    tier: Annotated[
        list[str],
        typer.Option(metavar="NAME", help="words, mean or tokens; may be repeated. All, if none."),
    ] = []  # noqa: RUF012 - typer reads it, nobody writes it
    gate: Annotated[
        bool, typer.Option("--gate", help="Fail when a goal of the data set is missed.")
    ] = False
    as_json: AsJson = False


@command(BenchRecallOptions)
def bench_recall(given: BenchRecallOptions, place: Place) -> int:
    """Measure how much of the evidence recall finds, beside plain full-text search."""
    del place
    missed: list[bench.goals.Goal] = []

    def run(step: Step) -> dict[str, Any]:
        result = bench.recall.run(given.dataset, given.data, on_progress=step, tiers=given.tier)
        missed.extend(goal for goal in bench.goals.goals_of(result) if not goal.is_met)
        return result

    done = _measured(run, bench.report.recall_table, as_json=given.as_json)
    return FAILED if given.gate and missed else done


class BenchPeersOptions(NamedTuple):
    """What `lifelong bench peers` takes."""

    dataset: Annotated[str, typer.Option(metavar="NAME", help="locomo, beam or beam-500k.")]
    data: Annotated[Path, typer.Option(metavar="DIR", help="The folder that holds it.")]
    peer: Annotated[
        list[str], typer.Option(metavar="NAME", help="Only this one; may be repeated.")
    ] = []  # noqa: RUF012 - typer reads it, nobody writes it
    env: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where peers are installed; in the cache by default."),
    ] = None
    as_json: AsJson = False


@command(BenchPeersOptions)
def bench_peers(given: BenchPeersOptions, place: Place) -> int:
    """Put the same turns and questions through other memory stores, side by side."""
    del place
    return _measured(
        lambda step: bench.peers.run(
            given.dataset,
            given.data,
            peers=given.peer,
            environment=given.env,
            on_progress=step,
        ),
        bench.peers.table,
        as_json=given.as_json,
    )


class BenchScaleOptions(NamedTuple):
    """What `lifelong bench scale` takes."""

    size: Annotated[
        list[int],
        typer.Option(metavar="N", min=1, help="Messages in the log; may be repeated."),
    ] = []  # noqa: RUF012 - typer reads it, nobody writes it
    kind: Annotated[
        str, typer.Option(metavar="KIND", help="short (people chat) or mixed (with an agent).")
    ] = "short"
    vectors: Annotated[bool, typer.Option("--vectors", help="With made-up vectors.")] = False
    as_json: AsJson = False


@command(BenchScaleOptions)
def bench_scale(given: BenchScaleOptions, place: Place) -> int:
    """Measure recall as one owner's log grows, drawn as a curve."""
    del place
    return _measured(
        lambda step: bench.scale.run(
            tuple(given.size) or bench.scale.SIZES,
            kind=given.kind,
            embedder=bench.clustered.ClusteredEmbedder() if given.vectors else None,
            on_progress=step,
        ),
        bench.scale.table,
        as_json=given.as_json,
    )


class BenchSpeedOptions(NamedTuple):
    """What `lifelong bench speed` takes."""

    quick: Annotated[
        bool, typer.Option("--quick", help="Less of everything: a look, no measurement.")
    ] = False
    as_json: AsJson = False


@command(BenchSpeedOptions)
def bench_speed(given: BenchSpeedOptions, place: Place) -> int:
    """Measure writing, recall, opening and start-up against their goals."""
    del place
    return _measured(
        lambda step: bench.speed.run(given.quick, step),
        bench.report.speed_table,
        as_json=given.as_json,
    )


class BenchEncryptionOptions(NamedTuple):
    """What `lifelong bench encryption` takes."""

    rounds: Annotated[
        int, typer.Option(metavar="N", min=1, help="How often each thing is done.")
    ] = 9
    as_json: AsJson = False


@command(BenchEncryptionOptions)
def bench_encryption(given: BenchEncryptionOptions, place: Place) -> int:
    """Measure what encryption costs, beside the same work without."""
    del place
    return _measured(
        lambda step: bench.encryption.run(rounds=given.rounds, on_progress=step),
        bench.encryption.table,
        as_json=given.as_json,
    )


class BenchWindowOptions(NamedTuple):
    """What `lifelong bench window` takes."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="Whose transcripts: claude-code, chatgpt, claude or chat."
        ),
    ]
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files or folders.")]
    window: Annotated[
        list[int], typer.Option(metavar="TOKENS", min=1, help="A window; may be repeated.")
    ] = []  # noqa: RUF012 - typer reads it, nobody writes it
    as_json: AsJson = False


@command(BenchWindowOptions)
def bench_window(given: BenchWindowOptions, place: Place) -> int:
    """Replay recorded sessions at several windows: is it valid, and what is still shown?"""
    del place
    return _measured(
        lambda step: bench.window.run(
            given.source,
            given.paths,
            windows=given.window or bench.window.WINDOWS,
            on_progress=step,
        ),
        bench.report.window_table,
        as_json=given.as_json,
    )


class BenchWritingOptions(NamedTuple):
    """What `lifelong bench writing` takes."""

    data: Annotated[Path, typer.Option(metavar="DIR", help="The folder with the data sets.")]
    part: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="pairs, secrets, personal, injection, extraction or growth; may be repeated.",
        ),
    ] = []  # noqa: RUF012 - typer reads it, nobody writes it
    as_json: AsJson = False


@command(BenchWritingOptions)
def bench_writing(given: BenchWritingOptions, place: Place) -> int:
    """Measure what is merged, replaced, redacted and held back, and how fast writing is."""
    del place
    return _measured(
        lambda step: bench.writing.run(given.data, parts=tuple(given.part), on_progress=step),
        bench.writing.table,
        as_json=given.as_json,
    )


def _measured(
    run: Callable[[Step], dict[str, Any]],
    table: Callable[[dict[str, Any]], str],
    *,
    as_json: bool,
) -> int:
    with progress(as_json=as_json) as step:
        result = run(step)
    if as_json:
        print_json(result)
    else:
        Screen().line(table(result))
    return DONE
