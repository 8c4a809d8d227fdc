"""`lifelong log show`: the sessions, or the messages of one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import typer

import lifelong
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, DefaultGroup, Place, command
from lifelong.apps.cli.output import (
    Screen,
    counted,
    jsonable,
    minute,
    note,
    one_line,
    print_json,
)

_PREFIX_MIN = 4
_SHORT = 400
_STYLES = {"user": "bold green", "assistant": "bold cyan", "tool": "yellow"}


class LogOptions(NamedTuple):
    """What `lifelong log show` takes."""

    session: Annotated[
        str | None,
        typer.Argument(metavar="[SESSION]", help="An id, or how it begins (4 characters or more)."),
    ] = None
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Only the newest so many.")
    ] = None
    full: Annotated[
        bool, typer.Option("--full", help="Whole tool calls and results, and reasoning too.")
    ] = False
    as_json: AsJson = False


class LogGroup(DefaultGroup):
    """`lifelong log` and `lifelong log SESSION` are short for `lifelong log show`."""

    default = "show"


@command(LogOptions)
def show(given: LogOptions, place: Place) -> int:
    """List the sessions, or show the messages of one."""
    with place.opened() as owner:
        sessions = owner.sessions()
        if given.session is None:
            return _list(sessions[: given.limit], as_json=given.as_json)
        session_id = session_id_of(sessions, given.session)
        found = owner.session(session_id).messages(given.limit)
    if given.as_json:
        messages = [_message(message) for message in found]
        print_json({"session": session_id, "messages": messages, "skipped": found.skipped})
    else:
        _show(found, is_full=given.full)
    return DONE if found.messages or found.skipped else NOTHING


def _list(sessions: Sequence[lifelong.SessionInfo], *, as_json: bool) -> int:
    if as_json:
        print_json({"sessions": sessions})
        return DONE
    screen = Screen()
    for session in sessions:
        screen.line(
            (one_line(session.id), "bold"),
            (f"  {minute(session.last_at)}", "cyan"),
            f"  {counted(session.messages, 'message')}",
            (f"  {one_line(session.source) or '-'}", "dim"),
            f"  {one_line(session.title)}",
        )
    if not sessions:
        note("the log is empty")
    return DONE


def session_id_of(sessions: Sequence[lifelong.SessionInfo], wanted: str) -> str:
    """Return the one session id that is meant.

    Raises:
        NotFound: there is none.
        InputError: there are several.
    """
    ids = [session.id for session in sessions]
    if wanted in ids:
        return wanted
    begun = [name for name in ids if name.startswith(wanted)] if len(wanted) >= _PREFIX_MIN else []
    if not begun:
        raise lifelong.errors.NotFound(f"session {wanted!r}")
    shortest = min(begun, key=len)
    if all(name == shortest or name.startswith(f"{shortest}/") for name in begun):
        return shortest  # the others are what its agents said
    raise lifelong.errors.InputError(f"{wanted!r} begins several ids: {', '.join(begun)}")


def _show(found: lifelong.LogSlice, *, is_full: bool) -> None:
    screen = Screen()
    for message in found:
        named = f" ({one_line(message.speaker)})" if message.speaker else ""
        at = f"  {minute(message.sent_at)}" if message.sent_at else ""
        screen.line(
            (f"{one_line(message.role)}{named}", _STYLES.get(message.role, "bold")),
            (at, "cyan"),
            (f"  {one_line(message.id or '')}", "dim"),
        )
        for part in message.parts:
            text, style = _part(part, is_full=is_full)
            if text.strip():
                screen.line((text.strip("\n"), style), indent=2)
    for row in found.skipped:
        note(f"cannot be read: message {one_line(row.message_id)}: {row.reason}")


def _part(part: Any, *, is_full: bool) -> tuple[str, str]:
    """Return a part as text and style."""
    match part:
        case lifelong.TextPart():
            return part.text, ""
        case lifelong.ReasoningPart():
            words = counted(len(part.text.split()), "word")
            return f"reasoning: {part.text if is_full else f'{words} (--full)'}", "dim"
        case lifelong.ToolCallPart():
            return _shortened(f"calls {part.name} {_said(part)}", is_full=is_full), "yellow"
        case lifelong.ToolResultPart():
            word = "error" if part.is_error else "result"
            return _shortened(f"{word}: {part.text}", is_full=is_full), "dim"
        case lifelong.AttachmentPart():
            return f"[{part.media_type}] {part.caption}".strip(), "dim"
        case _:
            return f"[{part.kind}]", "dim"


def _said(call: lifelong.ToolCallPart) -> str:
    arguments = call.arguments
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _shortened(text: str, *, is_full: bool) -> str:
    if is_full or len(text) <= _SHORT:
        return text
    return f"{text[:_SHORT].rstrip()} … {len(text) - _SHORT:,} more characters (--full)"


def _message(message: lifelong.Message) -> dict[str, Any]:
    return {
        "id": message.id,
        "role": message.role,
        "speaker": message.speaker,
        "sent_at": message.sent_at,
        "text": message.text,
        "parts": [_part_fields(part) for part in message.parts],
    }


def _part_fields(part: Any) -> dict[str, Any]:
    fields = {name: value for name, value in jsonable(part).items() if name != "raw"}
    return {"type": type(part).__name__.removesuffix("Part").lower(), **fields}
