"""`lifelong remember` and `lifelong known`: memories in, and the standing ones out."""

from __future__ import annotations

import json
from typing import Annotated, Any, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, counted, note, print_json
from lifelong.apps.cli.reviewing import show_remembered

_FROM_STDIN = ["-"]
_TIME = "ISO 8601 with an offset, such as 2026-12-31T18:00+01:00."


class RememberOptions(NamedTuple):
    """What `lifelong remember` takes."""

    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What to remember; - reads it.")]
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND", help="preference, constraint, fact, event, procedure or note."
        ),
    ] = "note"
    namespace: Annotated[
        str | None, typer.Option(metavar="A/B", help="Where inside the owner's memory.")
    ] = None
    importance: Annotated[int, typer.Option(metavar="N", help="1, trivial, to 10, vital.")] = 5
    key: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A newer memory with this key replaces this one."),
    ] = None
    expires: Annotated[
        str | None, typer.Option(metavar="TIME", help=f"When it is shown no more: {_TIME}")
    ] = None
    valid_from: Annotated[
        str | None, typer.Option(metavar="TIME", help="From when it is true in the world.")
    ] = None
    valid_to: Annotated[
        str | None, typer.Option(metavar="TIME", help="Until when it is true in the world.")
    ] = None
    metadata: Annotated[str | None, typer.Option(metavar="JSON", help="An object of your own.")] = (
        None
    )
    channel: Annotated[
        str,
        typer.Option(
            metavar="CHANNEL", help="Who says so: user, assistant, tool, document or system."
        ),
    ] = "user"
    as_json: AsJson = False


@command(RememberOptions)
def remember(given: RememberOptions, place: Place) -> int:
    """Keep one statement; the same text is kept once."""
    text = _stdin() if given.text == _FROM_STDIN else " ".join(given.text)
    with place.opened() as owner:
        done = owner.remember(
            text,
            kind=given.kind,
            namespace=segments(given.namespace) or (),
            importance=given.importance,
            key=given.key,
            expires_at=given.expires,
            valid_from=given.valid_from,
            valid_to=given.valid_to,
            metadata=_object(given.metadata),
            origin=given.channel,
        )
    return show_remembered(done, as_json=given.as_json)


class KnownOptions(NamedTuple):
    """What `lifelong known` takes."""

    tokens: Annotated[
        int, typer.Option(metavar="N", help="Price of the block in a prompt, at most.")
    ] = 1_000
    as_json: AsJson = False


@command(KnownOptions)
def known(given: KnownOptions, place: Place) -> int:
    """Print the block that opens a new conversation."""
    with place.opened() as owner:
        found = owner.known(given.tokens)
    if given.as_json:
        print_json(found)
        return DONE
    if found.text:
        Screen().line(found.text)
    elif not found.left_out:
        note("nothing is known yet")
    if found.left_out:
        note(f"left out: {counted(found.left_out, 'more memory', 'more memories')}")
    return DONE


def segments(namespace: str | None) -> tuple[str, ...] | None:
    """Return a namespace written with slashes as its segments."""
    return None if namespace is None else tuple(namespace.split("/"))


def _stdin() -> str:
    text = typer.get_binary_stream("stdin").read().decode("utf-8", errors="replace")
    return text.removesuffix("\n").removesuffix("\r")


def _object(text: str | None) -> Any:
    """Return the value that `text` is the JSON of.

    Raises:
        InvalidValue: it is no JSON.
    """
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise lifelong.errors.InvalidValue(f"--metadata is no JSON ({error})") from None
