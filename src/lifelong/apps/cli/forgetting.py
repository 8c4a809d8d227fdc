"""`lifelong forget`: what goes is shown before it goes, and counted after."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING, agreed
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, jsonable, minute, note, one_line, print_json


class ForgetOptions(NamedTuple):
    """What `lifelong forget` takes."""

    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Of a memory or a message.")] = (
        None
    )
    session: Annotated[
        str | None,
        typer.Option(
            metavar="ID", help="All messages of this session; with an ID, that one in it."
        ),
    ] = None
    match: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="All memories and messages that hold this text."),
    ] = None
    everything: Annotated[
        bool, typer.Option("--everything", help="All of this owner, and the key to it.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would go, and change nothing.")
    ] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    as_json: AsJson = False


@command(ForgetOptions)
def forget(given: ForgetOptions, place: Place) -> int:
    """Remove memories and messages, and what was made from them.

    --match and --everything ask first. The receipt says what the database removed.
    """
    asks = (given.match is not None or given.everything) and not (given.yes or given.dry_run)
    with place.opened() as owner:
        if asks and not _confirmed(_forget(given, owner, dry_run=True)):
            note("nothing was forgotten")
            return NOTHING
        receipt = _forget(given, owner, dry_run=given.dry_run)
    if given.as_json:
        print_json({**jsonable(receipt), "forgotten": receipt.forgotten})
    else:
        _show(receipt)
    return DONE if any(receipt.counts.values()) else NOTHING


def _forget(given: ForgetOptions, owner: lifelong.Owner, *, dry_run: bool) -> lifelong.Receipt:
    return owner.forget(
        given.id,
        session=given.session,
        match=given.match,
        everything=given.everything,
        dry_run=dry_run,
    )


def _confirmed(planned: lifelong.Receipt) -> bool:
    """Ask whether what is planned shall go; when that is nothing, there is nothing to ask."""
    return any(planned.counts.values()) and agreed(f"Forget {_amount(planned)}?")


def _show(receipt: lifelong.Receipt) -> None:
    screen = Screen()
    verb = "would forget" if receipt.is_dry_run else "forgot"
    screen.line((f"{verb} {_amount(receipt)}", "bold"))
    for table, count in sorted(receipt.counts.items()):
        screen.line(f"{table:<15}  {count:>7,}", indent=2)
    if receipt.is_dry_run:
        return
    screen.line(f"receipt {receipt.id}", indent=2)
    screen.line(f"of {minute(receipt.at)}, scope: {one_line(receipt.scope)}", indent=2)
    if receipt.is_pending:
        note("pending: a reader of an older state keeps the bytes from being overwritten")


def _amount(receipt: lifelong.Receipt) -> str:
    memories = counted(receipt.counts.get("memory", 0), "memory", "memories")
    return f"{memories} and {counted(receipt.counts.get('message', 0), 'message')}"
