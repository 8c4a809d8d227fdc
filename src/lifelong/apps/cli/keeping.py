"""`lifelong extract`, `fade` and `rescan`: what is found worth keeping, and what is let go."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, FAILED, NOTHING, agreed
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, note, one_line, print_json
from lifelong.apps.cli.progress import progress


class ExtractOptions(NamedTuple):
    """What `lifelong extract` takes."""

    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Only of this session; all, if none.")
    ] = None
    accept: Annotated[
        bool, typer.Option("--accept", help="Keep what is found at once, without review.")
    ] = False
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Ask openai:MODEL or anthropic:MODEL, with key and URL from the environment.",
        ),
    ] = None
    as_json: AsJson = False


@command(ExtractOptions)
def extract(given: ExtractOptions, place: Place) -> int:
    """Find what is worth keeping in what was said, each message once."""
    extractor = lifelong.engine.extractor(given.model) if given.model else None
    with place.opened() as owner, progress(as_json=given.as_json) as step:
        done = owner.extract(
            given.session,
            extractor=extractor,
            accept=given.accept,
            on_progress=lambda n, total: step(n, total, "extract"),
        )
    if given.as_json:
        print_json(done)
    else:
        _show(done)
    return FAILED if done.failures else DONE


def _show(done: lifelong.Extracted) -> None:
    screen = Screen()
    for remembered in done.remembered:
        memory = remembered.memory
        held = memory.held_for or remembered.outcome
        screen.line((held, "bold"), f"  {memory.kind}  {one_line(memory.text)}")
    for rejected in done.rejected:
        note(f"rejected: {one_line(rejected.reason)}")
    for failure in done.failures:
        count = counted(len(failure.seqs), "message")
        note(f"not read: {count}, {one_line(failure.reason)}")
    found = counted(len(done.remembered), "proposal")
    screen.line(f"{found} in {counted(done.messages, 'message')}")


class FadeOptions(NamedTuple):
    """What `lifelong fade` takes."""

    below: Annotated[
        float, typer.Option(metavar="X", help="The strength under which a memory is weak, 0 to 1.")
    ] = 0.1
    unused_days: Annotated[
        float, typer.Option(metavar="DAYS", help="For how long it must have been of no use.")
    ] = 180.0
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")
    ] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    as_json: AsJson = False


@command(FadeOptions)
def fade(given: FadeOptions, place: Place) -> int:
    """Let go of what is weak and was of no use for a time; it asks first."""
    with place.opened() as owner:
        done = owner.fade(below=given.below, unused_days=given.unused_days)
        if done.gone and not given.dry_run:
            amount = counted(len(done.gone), "memory", "memories")
            if not given.yes and not agreed(f"Forget {amount}?"):
                note("nothing was forgotten")
                return NOTHING
            done = owner.fade(below=given.below, unused_days=given.unused_days, dry_run=False)
    if given.as_json:
        print_json(done)
        return DONE
    screen = Screen()
    verb = "would go" if done.receipt.is_dry_run else "gone"
    for memory in done.gone:
        screen.line((verb, "bold"), f"  {memory.kind}  {one_line(memory.text)}")
    for memory in done.sinking:
        screen.line(("sinks", "dim"), f"  {memory.kind}  {one_line(memory.text)}")
    if not (done.gone or done.sinking):
        note("nothing fades")
    return DONE


class RescanOptions(NamedTuple):
    """What `lifelong rescan` takes."""

    as_json: AsJson = False


@command(RescanOptions)
def rescan(given: RescanOptions, place: Place) -> int:
    """Screen anew what was kept under older rules; it may be broken off, and goes on."""
    with place.opened() as owner, progress(as_json=given.as_json) as step:
        done = owner.rescan(lambda n, total: step(n, total, "rescan"))
    if given.as_json:
        print_json(done)
        return DONE
    looked = f"{counted(done.memories, 'memory', 'memories')}, {counted(done.messages, 'message')}"
    Screen().line(f"looked at {looked}; redacted {done.redacted:,}, held back {len(done.held):,}")
    return DONE
