"""`lifelong review`: what waits for a person, and what a person decides of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import typer

from lifelong.apps.cli.edge import DONE, NOTHING, agreed
from lifelong.apps.cli.options import AsJson, DefaultGroup, Place, command
from lifelong.apps.cli.output import Screen, counted, jsonable, minute, note, one_line, print_json
from lifelong.writing import Remembered, ReviewItem

_ID = typer.Argument(metavar="ID", help="Of a memory, as the list shows it.")
_Text = Annotated[
    str | None, typer.Option(metavar="TEXT", help="In these words in place of its own.")
]
_Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


class ReviewGroup(DefaultGroup):
    """`lifelong review` is short for `lifelong review list`."""

    default = "list"


class ListOptions(NamedTuple):
    """What `lifelong review list` takes."""

    as_json: AsJson = False


@command(ListOptions)
def list_(given: ListOptions, place: Place) -> int:
    """Show what waits: proposals, what is held back, and conflicts."""
    with place.opened() as owner:
        items = owner.review.items()
    if given.as_json:
        print_json({"items": items})
        return DONE
    for item in items:
        _show(item)
    if not items:
        note("nothing waits")
    return DONE


class OneOptions(NamedTuple):
    """What the commands for one held memory take."""

    id: Annotated[str, _ID]
    text: _Text = None
    as_json: AsJson = False


@command(OneOptions)
def accept(given: OneOptions, place: Place) -> int:
    """Keep what extraction proposed."""
    with place.opened() as owner:
        done = owner.review.accept(given.id, given.text)
    return show_remembered(done, as_json=given.as_json)


@command(OneOptions)
def release(given: OneOptions, place: Place) -> int:
    """Let a memory be seen that was quarantined, or whose origin was revoked."""
    with place.opened() as owner:
        done = owner.review.release(given.id, given.text)
    return show_remembered(done, as_json=given.as_json)


class RejectOptions(NamedTuple):
    """What `lifelong review reject` takes."""

    id: Annotated[str, _ID]
    as_json: AsJson = False


@command(RejectOptions)
def reject(given: RejectOptions, place: Place) -> int:
    """Forget a memory that is held back."""
    with place.opened() as owner:
        receipt = owner.review.reject(given.id)
    if given.as_json:
        print_json(receipt)
    else:
        Screen().line(("rejected", "bold"), f" {given.id}, receipt {receipt.id}")
    return DONE


class KeepBothOptions(NamedTuple):
    """What `lifelong review keep-both` takes."""

    one: Annotated[str, typer.Argument(metavar="ID", help="Of one memory of a conflict.")]
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Of the other.")]
    as_json: AsJson = False


@command(KeepBothOptions)
def keep_both(given: KeepBothOptions, place: Place) -> int:
    """Settle a conflict: both are true."""
    with place.opened() as owner:
        owner.review.keep_both(given.one, given.other)
    if given.as_json:
        print_json({"kept": [given.one, given.other]})
    else:
        Screen().line(("kept both", "bold"))
    return DONE


class SupersedeOptions(NamedTuple):
    """What `lifelong review supersede` takes."""

    older: Annotated[str, typer.Argument(metavar="OLDER", help="The memory that ends.")]
    newer: Annotated[str, typer.Argument(metavar="NEWER", help="The memory that stays.")]
    as_json: AsJson = False


@command(SupersedeOptions)
def supersede(given: SupersedeOptions, place: Place) -> int:
    """Let one memory replace another; the older one stays as history."""
    with place.opened() as owner:
        stays = owner.supersede(given.older, given.newer)
    if given.as_json:
        print_json({"superseded": given.older, "memory": stays})
    else:
        Screen().line(("superseded", "bold"), f" {given.older} by {stays.id}")
    return DONE


class MergeOptions(NamedTuple):
    """What `lifelong review merge` takes."""

    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Of two memories or more.")]
    text: Annotated[str, typer.Option(metavar="TEXT", help="What stands in their place.")]
    as_json: AsJson = False


@command(MergeOptions)
def merge(given: MergeOptions, place: Place) -> int:
    """Replace several memories by one in your words."""
    with place.opened() as owner:
        done = owner.review.merge(given.ids, given.text)
    return show_remembered(done, as_json=given.as_json)


class ConfirmOptions(NamedTuple):
    """What `lifelong review confirm` takes."""

    id: Annotated[str, _ID]
    yes: _Yes = False
    as_json: AsJson = False


@command(ConfirmOptions)
def confirm(given: ConfirmOptions, place: Place) -> int:
    """Vouch for a memory: it is trusted from now on as your own word."""
    with place.opened() as owner:
        asked = owner.review.confirmation(given.id)
        if not given.yes and not agreed(f"Is this true: {one_line(asked.text)}"):
            note("nothing was confirmed")
            return NOTHING
        memory = owner.review.confirm(asked.token)
    if given.as_json:
        print_json({"memory": memory})
    else:
        Screen().line(("confirmed", "bold"), f" {memory.id}")
    return DONE


class RevokeOptions(NamedTuple):
    """What `lifelong review revoke` takes."""

    id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Of a memory or message; with all made from it."),
    ] = None
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="All that came from this source.")
    ] = None
    channel: Annotated[
        str | None, typer.Option(metavar="CHANNEL", help="All that came by this channel.")
    ] = None
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be held back, and change nothing.")
    ] = False
    as_json: AsJson = False


@command(RevokeOptions)
def revoke(given: RevokeOptions, place: Place) -> int:
    """Hold back all that came from an origin, and all that was made from it."""
    with place.opened() as owner:
        done = owner.review.revoke(
            source=given.source, channel=given.channel, id=given.id, dry_run=given.dry_run
        )
    if given.as_json:
        print_json(done)
    else:
        verb = "would hold back" if done.is_dry_run else "held back"
        amount = counted(len(done.memories), "memory", "memories")
        screen = Screen()
        screen.line((f"{verb} {amount}", "bold"))
        for memory_id in done.memories:
            screen.line(memory_id, indent=2)
    return DONE if done.memories else NOTHING


def show_remembered(done: Remembered, *, as_json: bool) -> int:
    """Print what became of a memory; return the exit code."""
    if as_json:
        print_json({"id": done.id, **jsonable(done)})
    else:
        screen = Screen()
        named = done.mend if not done.is_kept else done.id
        screen.line((done.outcome, "bold"), f" {one_line(named)}")
        _list_ids(screen, "replaces", done.supersedes)
        _list_ids(screen, "conflicts with", done.conflicts)
        for rule in dict.fromkeys(finding.rule for finding in done.findings):
            screen.line(f"found: {rule}", indent=2)
    return DONE if done.is_kept else NOTHING


def _list_ids(screen: Screen, verb: str, ids: Sequence[str]) -> None:
    for memory_id in ids:
        screen.line(f"{verb} {memory_id}", indent=2)


def _show(item: ReviewItem) -> None:
    screen = Screen()
    memory = item.memory
    origin = f"{memory.origin.channel} {one_line(memory.origin.source)}".strip()
    screen.line(
        (item.what, "bold"),
        (f"  {minute(item.at)}", "cyan"),
        f"  {memory.id}",
        (f"  {memory.kind}, {origin}", "dim"),
    )
    screen.line(one_line(memory.text), indent=2)
    if item.other is not None:
        screen.line(f"against {item.other.id}: {one_line(item.other.text)}", indent=2)
