"""The edge of the process: what went wrong becomes one line and an exit code, never a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

import lifelong
from lifelong.apps.cli.output import one_line, print_json

DONE = 0
NOTHING = 1
"""Nothing was found, or a check found something wrong."""
BAD_INPUT = 2
"""Also the code of `typer` for an unknown option or command."""
FAILED = 3
"""The store or a file could not be read or written."""
BUG = 70
INTERRUPTED = 130


@contextmanager
def told(*, as_json: bool) -> Iterator[None]:
    """Turn an error into one line on standard error, or JSON on standard output, and a code."""
    try:
        yield
        sys.stdout.flush()
    except lifelong.LifelongError as error:
        tell(type(error).__name__, str(error), as_json=as_json)
        raise typer.Exit(code_of(error)) from None
    except BrokenPipeError:
        raise  # typer ends quietly: whoever was reading has seen enough
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        tell(type(error).__name__, f"{name}{error.strerror or error}", as_json=as_json)
        raise typer.Exit(FAILED) from None


def agreed(question: str) -> bool:
    """Ask a person whether it shall be done.

    Raises:
        InputError: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise lifelong.errors.InputError("this asks first, and nobody is here to answer; add --yes")
    return typer.confirm(question, err=True)


def code_of(error: lifelong.LifelongError) -> int:
    """Return the exit code that stands for an error."""
    if isinstance(error, lifelong.errors.InputError):
        return BAD_INPUT
    if isinstance(error, lifelong.errors.NotFound):
        return NOTHING
    return FAILED


def tell(kind: str, message: str, *, as_json: bool) -> None:
    """Print an error where the caller looks for it."""
    if as_json:
        print_json({"error": {"type": kind, "message": message}})
    else:
        print(f"lifelong: error: {one_line(message)}", file=sys.stderr)
