"""Every example in README.md and docs/ runs, and prints what it says it prints.

The blocks of one file run in order, in one empty directory, with one set of variables:

- ``python`` blocks run; a ``text`` or ``output`` block right after one is what it prints.
- of a ``console`` block, the lines that begin with ``$ lifelong`` run through the real command,
  must succeed, and print the lines that follow them, if any do. ``console no-run`` is only shown.

In what is printed, ``…`` stands for anything on a line, and alone on a line for any lines.
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ALWAYS_THERE = ("README.md", "docs/cli.md")
SECONDS_MAX = 120

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)``` *$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block: its words after the fence, its text, and where it is."""

    info: str
    body: str
    line: int
    follows_directly: bool


def blocks(text: str) -> Iterator[Block]:
    end = 0
    for match in FENCE.finditer(text):
        between = text[end : match.start()]
        end = match.end()
        line = text.count("\n", 0, match.start()) + 2
        body = textwrap.dedent(match["body"])
        yield Block(match["info"].strip(), body, line, follows_directly=not between.strip())


def says(expected: str, printed: str) -> bool:
    """Tell whether `printed` is what a block says, with ``…`` for what differs by run."""
    patterns = []
    for line in expected.strip("\n").splitlines():
        anything = ".*" if line.strip() != "…" else r"[^\n]*(?:\n[^\n]*)*?"
        patterns.append(re.escape(line.rstrip()).replace("…", anything))
    stripped = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    return re.fullmatch("\n".join(patterns), stripped) is not None


def commands(body: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the lines that stand below it."""
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command = command[:-1] + more.removeprefix("> ").strip()
        yield command, output


class Page:
    """A page being run: its directory, its variables, and what its last block printed."""

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        self.directory = directory
        self.variables = {"__name__": "__main__"}
        self.printed: str | None = None

    def run(self, text: str) -> None:
        for block in blocks(text):
            match block.info.split():
                case ["python"]:
                    self.run_python(block)
                    continue
                case ["text" | "output"] if block.follows_directly and self.printed is not None:
                    assert says(block.body, self.printed), self.wrong(block, self.printed)
                case ["console"]:
                    self.run_console(block)
            self.printed = None

    def wrong(self, block: Block, printed: str) -> str:
        return f"{self.name}:{block.line} says\n{block.body}\nbut this was printed:\n{printed}"

    def run_python(self, block: Block) -> None:
        # Moved down to its own line, so that a traceback points into the page.
        code = compile("\n" * (block.line - 1) + block.body, self.name, "exec", dont_inherit=True)
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream), contextlib.chdir(self.directory):
            exec(code, self.variables)
        self.printed = stream.getvalue()

    def run_console(self, block: Block) -> None:
        for command, expected in commands(block.body):
            if not re.match(r"lifelong\b|[^|]*\| *lifelong\b", command):
                continue
            ran = self.run_command(command)
            assert ran.returncode == 0, f"{self.name}:{block.line} $ {command}\n{ran.stdout}"
            if expected.strip():
                assert says(expected, ran.stdout), self.wrong(block, ran.stdout)

    def run_command(self, command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.directory,
            env=os.environ | {"PATH": f"{self.real_command()}{os.pathsep}{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=SECONDS_MAX,
            check=False,
        )

    def real_command(self) -> Path:
        """Return a directory with `lifelong` in it, run by the Python that runs this test."""
        folder = Path(os.environ["HOME"]) / "bin"
        folder.mkdir(exist_ok=True)
        script = folder / "lifelong"
        start = "from lifelong.apps.cli import main; main()"
        script.write_text(f"#!/bin/sh\nexec '{sys.executable}' -c '{start}' \"$@\"\n")
        script.chmod(0o755)
        return folder


def pages() -> list[str]:
    found = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    return sorted({*found, *ALWAYS_THERE})


@pytest.mark.parametrize("name", pages())
def test_the_examples_of_a_page_run(name: str, tmp_path: Path):
    Page(name, tmp_path).run((ROOT / name).read_text(encoding="utf-8"))


def test_the_readme_begins_with_an_example_that_shows_what_it_prints():
    found = list(blocks((ROOT / "README.md").read_text(encoding="utf-8")))
    assert any(block.info == "python" for block in found)
    assert any(block.info in {"text", "output"} and block.follows_directly for block in found)


GOOD_PAGE = """
```python
import os
x = 1
print("id", "mem_5f0c", x)
```

```text
id … 1
```

Then:

1. In a list:

   ```python
   open("made", "w").close()
   assert os.listdir() == ["made"]
   print(x + 1)
   ```
   ```output
   2
   ```

```text
This is only shown.
```

```console no-run
$ lifelong chat
```

```console
$ pip install nothing
```
"""

BAD_PAGES = {
    "it raises": "```python\n1 / 0\n```",
    "it prints something else": "```python\nprint(1)\n```\n```text\n2\n```",
    "it prints more": "```python\nprint(1)\nprint(2)\n```\n```text\n1\n```",
    "it prints nothing": "```python\nx = 1\n```\n\n```output\n1\n```",
    "it does not compile": "```python\nx = = 1\n```",
    "no such command": "```console\n$ lifelong no-such-command\n```",
    "no such piped command": "```console\n$ echo hi | lifelong no-such-command\n```",
}


def test_a_good_page_passes(tmp_path: Path):
    page = Page("good.md", tmp_path)
    page.run(GOOD_PAGE)
    assert page.variables["x"] == 1
    assert (tmp_path / "made").exists()


@pytest.mark.parametrize("reason", BAD_PAGES)
def test_a_bad_page_fails(reason: str, tmp_path: Path):
    with pytest.raises((AssertionError, ZeroDivisionError, SyntaxError)):
        Page("bad.md", tmp_path).run(BAD_PAGES[reason])


def test_a_traceback_points_into_the_page(tmp_path: Path):
    with pytest.raises(ZeroDivisionError) as caught:
        Page("bad.md", tmp_path).run("One.\n\n```python\nx = 0\n1 / x\n```\n")
    last = caught.traceback[-1]
    assert (str(last.path), last.lineno + 1) == ("bad.md", 5)


def test_dots_stand_for_what_differs():
    assert says("a … c", "a b c\n")
    assert says("a\n…\nd", "a\nb\nc\nd\n")
    assert not says("a …", "a b\nc")
    assert not says("a.c", "abc")


def test_a_console_block_is_split_into_commands():
    body = "$ lifelong recall tea \\\n>   --limit 2\nAna likes tea\n$ lifelong known\n"
    assert list(commands(body)) == [
        ("lifelong recall tea --limit 2", "Ana likes tea\n"),
        ("lifelong known", ""),
    ]
