"""`lifelong retention`, `hold` and `sweep`: what is kept how long, what may not go, what goes."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, DefaultGroup, Place, command
from lifelong.apps.cli.output import Screen, counted, minute, note, one_line, print_json
from lifelong.apps.cli.progress import progress

_Session = Annotated[str | None, typer.Option(metavar="ID", help="Of this session alone.")]
_Kind = Annotated[str | None, typer.Option(metavar="KIND", help="Of memories of this kind.")]
_Files = Annotated[bool, typer.Option("--files", help="Of files.")]


class RetentionGroup(DefaultGroup):
    """`lifelong retention` is short for `lifelong retention list`."""

    default = "list"


class HoldGroup(DefaultGroup):
    """`lifelong hold` is short for `lifelong hold list`."""

    default = "list"


class ListOptions(NamedTuple):
    """What the lists take."""

    as_json: AsJson = False


@command(ListOptions)
def list_rules(given: ListOptions, place: Place) -> int:
    """Show what is saved, and for how long."""
    with place.opened() as owner:
        rules = owner.retention.rules()
    if given.as_json:
        print_json({"rules": rules})
        return DONE
    for rule in rules:
        _show_rule(rule)
    if not rules:
        note("everything is saved, and kept until it is forgotten or expires")
    return DONE


class KeepOptions(NamedTuple):
    """What `lifelong retention keep` takes."""

    saves: Annotated[
        str, typer.Argument(metavar="[WHAT]", help="everything, recent, state or nothing.")
    ] = "everything"
    days: Annotated[float | None, typer.Option(metavar="DAYS", help="After so long it goes.")] = (
        None
    )
    newest: Annotated[
        int | None, typer.Option(metavar="N", help="Messages that stay in each session.")
    ] = None
    session: _Session = None
    kind: _Kind = None
    files: _Files = False
    as_json: AsJson = False


@command(KeepOptions)
def keep(given: KeepOptions, place: Place) -> int:
    """Say what is saved and for how long; what is there already goes with the next sweep."""
    with place.opened() as owner:
        rule = owner.retention.keep(
            given.saves,
            days=given.days,
            newest=given.newest,
            session=given.session,
            kind=given.kind,
            files=given.files,
        )
    if given.as_json:
        print_json(rule)
    else:
        _show_rule(rule)
    return DONE


class DropOptions(NamedTuple):
    """What `lifelong retention drop` takes."""

    session: _Session = None
    kind: _Kind = None
    files: _Files = False
    as_json: AsJson = False


@command(DropOptions)
def drop(given: DropOptions, place: Place) -> int:
    """Remove a rule: the owner's, or that of a session, of a kind or of files."""
    with place.opened() as owner:
        was_there = owner.retention.drop(session=given.session, kind=given.kind, files=given.files)
    if given.as_json:
        print_json({"dropped": was_there})
    else:
        note("the rule is gone" if was_there else "there was no such rule")
    return DONE if was_there else NOTHING


def _show_rule(rule: lifelong.RetentionRule) -> None:
    what = f"{rule.what} {one_line(rule.name)}".strip()
    newest = f", of each session the newest {rule.newest:,}" if rule.newest is not None else ""
    days = f", for {rule.days:g} days" if rule.days is not None else ""
    Screen().line(f"{what}: saves {rule.saves}{newest}{days}")


@command(ListOptions)
def list_holds(given: ListOptions, place: Place) -> int:
    """Show what may not be forgotten for now, and why."""
    with place.opened() as owner:
        holds = owner.retention.holds()
    if given.as_json:
        print_json({"holds": holds})
        return DONE
    for hold in holds:
        _show_hold(hold)
    if not holds:
        note("nothing is on hold")
    return DONE


class HoldOptions(NamedTuple):
    """What `lifelong hold place` takes."""

    reason: Annotated[str, typer.Argument(metavar="REASON", help="Why, for people.")]
    session: _Session = None
    as_json: AsJson = False


@command(HoldOptions)
def place_hold(given: HoldOptions, place: Place) -> int:
    """Keep all of this owner, or one session, from being forgotten."""
    with place.opened() as owner:
        hold = owner.retention.hold(given.reason, session=given.session)
    if given.as_json:
        print_json(hold)
    else:
        _show_hold(hold)
    return DONE


class ReleaseOptions(NamedTuple):
    """What `lifelong hold release` takes."""

    id: Annotated[str, typer.Argument(metavar="ID", help="Of the hold.")]
    as_json: AsJson = False


@command(ReleaseOptions)
def release_hold(given: ReleaseOptions, place: Place) -> int:
    """End a hold."""
    with place.opened() as owner:
        owner.retention.release(given.id)
    if given.as_json:
        print_json({"released": given.id})
    else:
        note(f"{one_line(given.id)} is released")
    return DONE


def _show_hold(hold: lifelong.LegalHold) -> None:
    where = f"session {one_line(hold.session_id)}" if hold.session_id else "everything"
    screen = Screen()
    screen.line((f"{hold.id}  {where}", "bold"))
    screen.line(f"since {minute(hold.placed_at)}: {one_line(hold.reason)}", indent=2)


class SweepOptions(NamedTuple):
    """What `lifelong sweep` takes."""

    all_owners: Annotated[
        bool, typer.Option("--all-owners", help="Sweep every owner of the store.")
    ] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")
    ] = False
    as_json: AsJson = False


@command(SweepOptions)
def sweep(given: SweepOptions, place: Place) -> int:
    """Remove what expired and what retention lets be kept no longer; safe to run from cron."""
    with place.engine() as engine, progress(as_json=given.as_json) as step:
        if given.all_owners:
            done = engine.sweep(
                dry_run=given.dry_run,
                on_progress=lambda swept, total: step(swept, total, "sweep"),
            )
        else:
            done = [engine.owner(place.owner_id()).sweep(dry_run=given.dry_run)]
    if given.as_json:
        names = ("owner_id", "expired", "aged", "unread", "completed", "pending", "on_hold")
        print_json(
            {
                "is_dry_run": given.dry_run,
                "owners": [{name: getattr(each, name) for name in names} for each in done],
            }
        )
        return DONE
    for each in done:
        _show_swept(each, is_dry_run=given.dry_run)
    return DONE


def _show_swept(swept: lifelong.Swept, *, is_dry_run: bool) -> None:
    screen = Screen()
    verb = "would remove" if is_dry_run else "removed"
    memories = counted(swept.expired, "memory", "memories")
    amount = f"{memories}, {counted(swept.aged, 'message')} and {counted(swept.unread, 'file')}"
    screen.line(f"{one_line(swept.owner_id)}: {verb} {amount}")
    for count, what in (
        (swept.completed, "receipts completed"),
        (swept.pending, "receipts pending: a reader of an older state is still there"),
        (swept.on_hold, "kept by a legal hold"),
    ):
        if count:
            screen.line(f"{count:,} {what}", indent=2)
