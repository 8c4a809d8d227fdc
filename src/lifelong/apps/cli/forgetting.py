"""`lifelong forget`: what goes is shown before it goes, and counted after."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import Annotated, Any, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING, agreed
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, jsonable, minute, note, one_line, print_json
from lifelong.receipts import receipt_fields

_SHOWN_MAX = 20
_DAYS_MAX = 36_500


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
        typer.Option(metavar="TEXT", help="All that holds this text, wherever it stands."),
    ] = None
    namespace: Annotated[
        list[str] | None,
        typer.Option(metavar="SEGMENT", help="Memories in this namespace and below; repeatable."),
    ] = None
    channel: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What came by user, assistant, tool, document, system."),
    ] = None
    source: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What came from this source.")
    ] = None
    kind: Annotated[
        list[str] | None, typer.Option(metavar="KIND", help="Memories of this kind; repeatable.")
    ] = None
    before: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="What was recorded before this time, ISO 8601."),
    ] = None
    older_than_days: Annotated[
        float | None, typer.Option(metavar="DAYS", help="What was recorded so long ago.")
    ] = None
    state: Annotated[str | None, typer.Option(metavar="NAME", help="The value of this name.")] = (
        None
    )
    file: Annotated[
        str | None, typer.Option(metavar="PATH", help="This file, or all files below it.")
    ] = None
    everything: Annotated[
        bool, typer.Option("--everything", help="All of this owner, and the key to it.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would go, and change nothing.")
    ] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
    as_json: AsJson = False


@command(ForgetOptions)
def forget(given: ForgetOptions, place: Place) -> int:
    """Remove memories, messages and all else that is named, and what was made from it.

    What may be more than one thing is shown and asked first. The receipt says what the database
    removed, and is signed.
    """
    asks = _is_broad(given) and not (given.yes or given.dry_run)
    with place.opened() as owner:
        if asks and not _confirmed(_forget(given, owner, dry_run=True)):
            note("nothing was forgotten")
            return NOTHING
        receipt = _forget(given, owner, dry_run=given.dry_run)
    if given.as_json:
        print_json(receipt_answer(receipt))
    else:
        show_receipt(receipt)
    return DONE if any(receipt.counts.values()) else NOTHING


def _is_broad(given: ForgetOptions) -> bool:
    """Return whether it may take more with it than the one thing that it names."""
    if given.session is not None and given.match is None and given.before is None:
        return False
    return given.id is None and given.state is None and given.file is None


def _forget(given: ForgetOptions, owner: lifelong.Owner, *, dry_run: bool) -> lifelong.Receipt:
    return owner.forget(
        given.id,
        dry_run=dry_run,
        session=given.session,
        match=given.match,
        namespace=given.namespace or None,
        channel=given.channel,
        source=given.source,
        kinds=given.kind or None,
        before=_before(given),
        state=given.state,
        file=given.file,
        everything=given.everything,
    )


def _before(given: ForgetOptions) -> datetime | str | None:
    days = given.older_than_days
    if days is None:
        return given.before
    if given.before is not None:
        raise lifelong.errors.ScopeRequired("--before and --older-than-days say one thing")
    if not 0 <= days <= _DAYS_MAX:
        raise lifelong.errors.InvalidValue(f"--older-than-days {days} is not 0 to {_DAYS_MAX}")
    return lifelong.SystemClock().now() - timedelta(days=days)


def _confirmed(planned: lifelong.Receipt) -> bool:
    """Show what is planned and ask whether it shall go; of nothing there is nothing to ask."""
    if not any(planned.counts.values()):
        return False
    if sys.stdin.isatty():
        _show_preview(planned)
    return agreed(f"Forget {_amount(planned)}?")


def receipt_answer(receipt: lifelong.Receipt) -> dict[str, Any]:
    """Return a receipt for a program: as it can be verified, and what it says of itself."""
    return {
        **receipt_fields(receipt),
        "is_pending": receipt.is_pending,
        "is_dry_run": receipt.is_dry_run,
        "forgotten": receipt.forgotten,
        **({"preview": jsonable(receipt.preview)} if receipt.is_dry_run else {}),
    }


def show_receipt(receipt: lifelong.Receipt) -> None:
    """Print a receipt for a person."""
    screen = Screen()
    verb = "would forget" if receipt.is_dry_run else "forgot"
    screen.line((f"{verb} {_amount(receipt)}", "bold"))
    for table, count in sorted(receipt.counts.items()):
        screen.line(f"{table:<15}  {count:>7,}", indent=2)
    if receipt.is_dry_run:
        _show_preview(receipt)
        return
    screen.line(f"receipt {receipt.id}", indent=2)
    screen.line(f"of {minute(receipt.at)}, scope: {one_line(receipt.scope)}", indent=2)
    for key in receipt.keys_destroyed:
        screen.line(f"key destroyed: {key}", indent=2)
    if receipt.is_pending:
        note(
            "pending: a reader of an older state keeps the bytes from being overwritten;"
            " run lifelong sweep when it is gone"
        )


def _show_preview(receipt: lifelong.Receipt) -> None:
    screen = Screen()
    for thing in receipt.preview[:_SHOWN_MAX]:
        where = f"{one_line(thing.session_id)}  " if thing.session_id else ""
        screen.line(f"{thing.what}  {where}{one_line(thing.id)}")
        if thing.text:
            screen.line(one_line(thing.text), indent=2)
    more = len(receipt.preview) - _SHOWN_MAX
    if more > 0:
        screen.line(f"and {more:,} more")


def _amount(receipt: lifelong.Receipt) -> str:
    counts = receipt.counts
    memories = counts.get("memory", 0) + (
        counts.get("memory_hidden", 0) if receipt.scope == "everything" else 0
    )
    said = [
        counted(memories, "memory", "memories"),
        counted(counts.get("message", 0), "message"),
        *(
            counted(counts[name], one, many)
            for name, one, many in (("state", "named value", ""), ("file", "file", ""))
            if counts.get(name)
        ),
    ]
    return f"{', '.join(said[:-1])} and {said[-1]}"
