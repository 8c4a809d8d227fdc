"""The command line: `lifelong COMMAND`, for a person and, with ``--json``, for a program.

Each command parses its options, calls one verb of the engine and prints what came of it. Nothing
is decided here. Start-up is kept light: what only one command needs is imported when it runs.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated

import typer

from lifelong.apps.cli import (
    backing,
    benching,
    doctor,
    filing,
    forgetting,
    importing,
    keeping,
    keying,
    memories,
    planning,
    recalling,
    receipting,
    replaying,
    retaining,
    reviewing,
    scanning,
    sessions,
    upkeep,
    verifying,
)
from lifelong.apps.cli.diagnosis import version
from lifelong.apps.cli.edge import BUG, tell
from lifelong.apps.cli.options import Place
from lifelong.apps.cli.output import note

__all__ = ["app", "main"]

app = typer.Typer(
    help="Keep what was said, recall what matters, forget it provably.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help, which needs no import of rich
)
app.command("import")(importing.import_)
app.command()(memories.remember)
app.command()(recalling.recall)
app.command()(forgetting.forget)
app.command()(receipting.receipts)
app.command("verify-receipt")(receipting.verify_receipt)
app.command()(retaining.sweep)
app.command()(scanning.scan)
app.command()(replaying.replay)
app.command()(memories.known)
app.command()(keeping.extract)
app.command()(keeping.fade)
app.command()(keeping.rescan)
app.command()(backing.backup)
app.command()(backing.restore)
app.command()(upkeep.export)
app.command()(upkeep.check)
app.command()(verifying.verify)
app.command()(upkeep.reindex)
app.command()(doctor.doctor)

log = typer.Typer(
    help="List the sessions, show the messages of one, or plan a request of it.",
    cls=sessions.LogGroup,
    rich_markup_mode=None,
)
log.command()(sessions.show)
log.command()(planning.plan)
app.add_typer(log, name="log")

review = typer.Typer(
    help="Show what waits for a person, and decide it.",
    cls=reviewing.ReviewGroup,
    rich_markup_mode=None,
)
review.command("list")(reviewing.list_)
review.command()(reviewing.accept)
review.command()(reviewing.release)
review.command()(reviewing.reject)
review.command("keep-both")(reviewing.keep_both)
review.command()(reviewing.supersede)
review.command()(reviewing.merge)
review.command()(reviewing.confirm)
review.command()(reviewing.revoke)
app.add_typer(review, name="review")

retention = typer.Typer(
    help="Show or change what is saved, and for how long.",
    cls=retaining.RetentionGroup,
    rich_markup_mode=None,
)
retention.command("list")(retaining.list_rules)
retention.command()(retaining.keep)
retention.command()(retaining.drop)
app.add_typer(retention, name="retention")

hold = typer.Typer(
    help="Keep something from being forgotten, for a reason.",
    cls=retaining.HoldGroup,
    rich_markup_mode=None,
)
hold.command("list")(retaining.list_holds)
hold.command("place")(retaining.place_hold)
hold.command("release")(retaining.release_hold)
app.add_typer(hold, name="hold")

files = typer.Typer(
    help="Show file memory, and change it.",
    cls=filing.FilesGroup,
    rich_markup_mode=None,
)
files.command("list")(filing.list_)
files.command()(filing.show)
files.command()(filing.write)
files.command()(filing.delete)
files.command()(filing.rename)
files.command()(filing.versions)
files.command()(filing.restore)
files.command()(filing.mirror)
app.add_typer(files, name="files")

key = typer.Typer(
    help="Show where the keys are, change them, back them up.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
key.command()(keying.status)
key.command()(keying.rotate)
key.command()(keying.export)
key.command("import")(keying.import_)
app.add_typer(key, name="key")

bench = typer.Typer(help="Measure recall and speed.", no_args_is_help=True, rich_markup_mode=None)
bench.command("recall")(benching.bench_recall)
bench.command("encryption")(benching.bench_encryption)
bench.command("peers")(benching.bench_peers)
bench.command("scale")(benching.bench_scale)
bench.command("speed")(benching.bench_speed)
bench.command("window")(benching.bench_window)
bench.command("writing")(benching.bench_writing)
app.add_typer(bench, name="bench")


def _show_version(is_asked: bool) -> None:
    if is_asked:
        print(f"lifelong {version()}")
        raise typer.Exit


@app.callback()
def place(
    context: typer.Context,
    *,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            envvar="LIFELONG_STORE",
            show_envvar=True,
            help="The data directory, or memory: for one that ends with the command.",
        ),
    ] = None,
    owner: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            envvar="LIFELONG_OWNER",
            show_envvar=True,
            help="Whose memory; without it, the user of the operating system's.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_version, help="Show the version."),
    ] = False,
) -> None:
    """Keep what was said, recall what matters, forget it provably."""
    del version
    context.obj = Place(store, owner)


def main() -> None:
    """Run the command line, and end the process with its code."""
    _prepare_streams()
    try:
        app(prog_name="lifelong")
    except Exception as error:  # noqa: BLE001 - the edge of the process
        if os.environ.get("LIFELONG_DEBUG"):
            import traceback

            note(traceback.format_exc())
        kind = type(error).__name__
        why = f"{kind}: {error}. This is a bug in lifelong; LIFELONG_DEBUG=1 shows where"
        tell(kind, why, as_json=False)
        sys.exit(BUG)


def _prepare_streams() -> None:
    """Replace a closed stream by nothing; spell out letters that the encoding has not."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115 - it stays
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
