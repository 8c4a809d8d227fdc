"""docs/cli.md and the command line say the same: no command or option on one side only."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import typer

if TYPE_CHECKING:
    from click import Command

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
HEADING = re.compile(r"^#{2,} +`?(lifelong [a-z][a-z -]*?)`? *$", re.MULTILINE)
GIVEN_BY_TYPER = {"--help", "--install-completion", "--show-completion"}


def commands(command: "Command", name: str) -> Iterator[tuple[str, "Command"]]:
    """Yield the command and all below it, each by what a person types."""
    yield name, command
    for short, below in getattr(command, "commands", {}).items():
        if not below.hidden:
            yield from commands(below, f"{name} {short}")


def long_options(command: "Command") -> set[str]:
    options = {
        option
        for parameter in command.params
        if not getattr(parameter, "hidden", False)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    }
    return options - GIVEN_BY_TYPER


def sections(page: str) -> dict[str, str]:
    """Return the text below each command's heading; what comes first is that of `lifelong`."""
    first, *rest = HEADING.split(page)
    return {"lifelong": first, **dict(zip(rest[::2], rest[1::2], strict=True))}


def differences(app: typer.Typer, page: str) -> list[str]:
    there = dict(commands(typer.main.get_command(app), "lifelong"))
    told = sections(page)
    problems = [f"{name} has no help" for name, command in there.items() if not command.help]
    problems += [f"{name} has no heading" for name in there if name not in told]
    problems += [f"{name} is no command" for name in told if name not in there]
    for name in there.keys() & told.keys():
        for option in sorted(long_options(there[name])):
            if not re.search(rf"{re.escape(option)}(?![\w-])", told[name]):
                problems.append(f"{name} has {option}, which its section does not mention")
    return problems


def test_the_page_tells_what_the_command_line_does():
    from lifelong.apps.cli import app

    problems = differences(app, PAGE.read_text(encoding="utf-8"))
    assert not problems, "\n".join(problems)


def sample() -> typer.Typer:
    app = typer.Typer(help="A sample.")
    bench = typer.Typer(help="Measure.")
    app.add_typer(bench, name="bench")

    @app.command()
    def recall(query: str, *, limit: int = 5, as_json: bool = False) -> None:
        """Find memories."""

    @bench.command("speed")
    def bench_speed() -> None:
        """Measure the speed."""

    @app.command(hidden=True)
    def secret() -> None: ...

    return app


GOOD = """# The command line

## lifelong recall

`--limit N`, `--as-json`, `--no-as-json`

## lifelong bench
### lifelong bench speed
"""


def test_a_page_that_tells_all_passes():
    assert differences(sample(), GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("## lifelong recall", "## Recall", "lifelong recall has no heading"),
        ("### lifelong bench speed", "", "lifelong bench speed has no heading"),
        ("--limit N", "", "lifelong recall has --limit, which its section does not mention"),
        (
            "--limit N",
            "--limits",
            "lifelong recall has --limit, which its section does not mention",
        ),
        ("# The", "## lifelong gone\n# The", "lifelong gone is no command"),
    ],
)
def test_a_difference_is_found(old: str, new: str, problem: str):
    assert problem in differences(sample(), GOOD.replace(old, new, 1))


def test_a_command_without_help_is_found():
    app = sample()
    app.command("bare")(lambda: None)
    assert "lifelong bare has no help" in differences(app, GOOD)
