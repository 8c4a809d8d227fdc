"""Options: what a command takes is one frozen value, parsed here once.

A command is written as a function of that value and of the place to work on. `command` turns it
into the function that `typer` reads, with one parameter for each field.
"""

from __future__ import annotations

import functools
import getpass
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol, TypeVar, get_type_hints

import typer
from typer.core import TyperGroup

import lifelong
from lifelong.apps.cli.edge import told


class DefaultGroup(TyperGroup):
    """A group of commands of which one may be left out.

    Attributes:
        default: the name of that one.
    """

    default: ClassVar[str]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in that was left out."""
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = [self.default, *args]
        return super().parse_args(ctx, args)


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Options(Protocol):
    """A named tuple with one field for each argument and option of a command.

    It is no dataclass since making those takes several times as long at each start.
    """

    @property
    def as_json(self) -> bool:
        """Whether the answer is for a program."""
        ...


Given = TypeVar("Given", bound=Options)
Act = Callable[[Given, "Place"], int]
"""What a command does; it returns the exit code."""


@dataclass(frozen=True)
class Place:
    """Where a command works.

    Attributes:
        store: a directory, or ``memory:``; None for this user's.
        owner: whose memory; None for the user of the operating system.
    """

    store: str | None = None
    owner: str | None = None

    def engine(self) -> lifelong.Engine:
        """Open the store.

        Raises:
            StoreError: one of its kinds.
        """
        return lifelong.open(self.store or lifelong.engine.default_directory())

    def owner_id(self) -> str:
        """Return whose memory it is.

        Raises:
            InvalidName: none was given, and the operating system knows no name.
        """
        if self.owner is not None:
            return self.owner
        try:
            return getpass.getuser()
        except (OSError, KeyError, ImportError) as error:
            raise lifelong.errors.InvalidName("no user name is known, so --owner") from error

    @contextmanager
    def opened(self) -> Iterator[lifelong.Owner]:
        """Open the store, lend the owner's handle, and close the store."""
        with self.engine() as engine:
            yield engine.owner(self.owner_id())


def command(options: type[Given]) -> Callable[[Act[Given]], Callable[..., None]]:
    """Return a decorator that turns a function of `options` and a place into a command.

    Args:
        options: a named tuple whose fields are annotated for `typer`.
    """
    parameters = [_parameter("context", typer.Context), *_parameters(options)]

    def decorate(act: Act[Given]) -> Callable[..., None]:
        def run(*, context: typer.Context, **values: Any) -> None:
            given = options(**values)
            with told(as_json=given.as_json):
                code = act(given, context.obj)
            raise typer.Exit(code)

        functools.update_wrapper(run, act)
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return decorate


def _parameters(options: type[Any]) -> Iterator[inspect.Parameter]:
    for name, annotation in get_type_hints(options, include_extras=True).items():
        default = options._field_defaults.get(name, inspect.Parameter.empty)
        yield _parameter(name, annotation, default)


def _parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)
