"""`lifelong log plan`: what would be sent of a session, and why the rest would not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, one_line, print_json
from lifelong.apps.cli.sessions import session_id_of

_BAR_WIDTH = 40
_PER = 1_000_000


class PlanOptions(NamedTuple):
    """What `lifelong log plan` takes."""

    session: Annotated[
        str,
        typer.Argument(metavar="SESSION", help="An id, or how it begins (4 characters or more)."),
    ]
    window: Annotated[
        int, typer.Option(metavar="TOKENS", min=1, help="The model's context window.")
    ]
    reserve: Annotated[
        int, typer.Option(metavar="TOKENS", min=0, help="Kept free for the answer.")
    ] = 1_500
    margin: Annotated[
        float, typer.Option(metavar="SHARE", min=0, max=0.99, help="Kept free for errors.")
    ] = 0.15
    format: Annotated[
        str, typer.Option(metavar="FORMAT", help="chat, responses, anthropic or gemini.")
    ] = "chat"
    profile: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which provider of the format.")
    ] = None
    known: Annotated[bool, typer.Option("--known", help="Show what is known of the user.")] = False
    recall: Annotated[
        bool, typer.Option("--recall", help="Show what memory holds for the last message.")
    ] = False
    price: Annotated[
        float | None,
        typer.Option(metavar="PRICE", min=0, help="Of a million input tokens, for the cost."),
    ] = None
    cached_price: Annotated[
        float | None,
        typer.Option(metavar="PRICE", min=0, help="Of a million cached input tokens."),
    ] = None
    as_json: AsJson = False


@command(PlanOptions)
def plan(given: PlanOptions, place: Place) -> int:
    """Show what would be sent of a session to a model with this window."""
    budget = lifelong.Budget(given.window, given.reserve, given.margin)
    with place.opened() as owner:
        session_id = session_id_of(owner.sessions(), given.session)
        request = owner.session(session_id).request(
            budget,
            given.format,
            profile=given.profile,
            known=given.known,
            recall=given.recall,
        )
    costs = _costs(request, given)
    if given.as_json:
        print_json(_fields(session_id, request, costs))
    else:
        _draw(session_id, given.window, request, costs)
    return DONE


def _costs(request: lifelong.Request, given: PlanOptions) -> dict[str, float]:
    """Return what the session costs whole and planned, first sent and sent again."""
    if given.price is None:
        return {}
    cached = given.price if given.cached_price is None else given.cached_price
    made = request.plan
    beside = request.tokens - made.tokens_after
    return {
        "before": (made.tokens_before + beside) * given.price / _PER,
        "after": request.tokens * given.price / _PER,
        "before_cached": (made.tokens_before + beside) * cached / _PER,
        "after_cached": request.tokens * cached / _PER,
    }


def _fields(session_id: str, request: lifelong.Request, costs: dict[str, float]) -> dict[str, Any]:
    made = request.plan
    return {
        "session": session_id,
        "format": request.format,
        "profile": request.profile,
        "available_tokens": made.available_tokens,
        "tokens_before": made.tokens_before,
        "tokens_after": made.tokens_after,
        "request_tokens": request.tokens,
        "prefix_tokens": made.prefix_tokens,
        "blocks": request.blocks,
        "edits": [
            {
                "action": edit.action,
                "reason": edit.reason,
                "units": len(edit.units),
                "tokens_before": edit.tokens_before,
                "tokens_after": edit.tokens_after,
            }
            for edit in made.edits
        ],
        "repairs": made.repairs,
        "warning": made.warning.text if made.warning else None,
        "notes": made.notes,
        "changes": request.changes,
        "problems": request.problems,
        "cost": costs or None,
    }


def _draw(session_id: str, window: int, request: lifelong.Request, costs: dict[str, float]) -> None:
    screen = Screen()
    made = request.plan
    screen.line(
        (one_line(session_id), "bold"),
        f"  {request.format} ({request.profile}), window {window:,}: "
        f"{made.available_tokens:,} tokens for the session",
    )
    largest = max((block.tokens for block in request.blocks), default=1)
    for block in request.blocks:
        bar = "█" * max(round(block.tokens * _BAR_WIDTH / max(largest, 1)), 1)
        screen.line(
            f"{block.name:<9} ",
            (f"{bar:<{_BAR_WIDTH}}", "cyan"),
            f" {block.tokens:>9,} tokens  {counted(block.messages, 'message')}",
        )
    saved = made.tokens_saved
    screen.line(
        f"session   {made.tokens_before:,} tokens before, {made.tokens_after:,} after"
        + (f": {saved / made.tokens_before:.0%} less" if saved > 0 else "")
    )
    if made.edits:
        screen.line(f"head      {made.prefix_tokens:,} tokens stay as they were")
    for line in (*_edits(made.edits), *_repairs(made.repairs)):
        screen.line(line)
    for text in (made.warning.text if made.warning else "", *made.notes, *request.changes):
        if text:
            screen.line((f"note      {one_line(text)}", "yellow"))
    if costs:
        screen.line(
            f"cost      {costs['before']:.6g} before, {costs['after']:.6g} after; "
            f"from the cache {costs['before_cached']:.6g} and {costs['after_cached']:.6g}"
        )
    for problem in request.problems:
        screen.line((f"refused   {one_line(problem)}", "bold red"))


def _edits(edits: Sequence[lifelong.Edit]) -> Iterable[str]:
    """Yield a line for each action and reason, in the order they come."""
    for action, reason in dict.fromkeys((edit.action, edit.reason) for edit in edits):
        same = [edit for edit in edits if (edit.action, edit.reason) == (action, reason)]
        units = sum(len(edit.units) for edit in same)
        before = sum(edit.tokens_before for edit in same)
        after = sum(edit.tokens_after for edit in same)
        what = counted(units, "message or step", "messages or steps")
        name = action.replace("_", " ")
        yield f"{name:<9} {what}, {before:,} tokens to {after:,}: {reason}"


def _repairs(repairs: Sequence[Any]) -> Iterable[str]:
    for action, reason in dict.fromkeys((repair.action, repair.reason) for repair in repairs):
        count = sum((repair.action, repair.reason) == (action, reason) for repair in repairs)
        yield f"{action:<9} {counted(count, 'message')}: {reason}"
