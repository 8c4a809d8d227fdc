"""What was stored is somebody else's text: no terminal obeys it, and no encoding breaks on it."""

import json
import re
import subprocess
import sys

import pytest

import lifelong
from lifelong.apps.cli.output import one_line, visible

START = "from lifelong.apps.cli import main; main()"

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal would obey; written down again here, on purpose."""

COLOUR = re.compile(r"\x1b\[[0-9;]*m")

ATTACKS = {
    "clear the screen": "\x1b[2J\x1b[H",
    "colour": "\x1b[31mred\x1b[0m",
    "hide": "\x1b[8mhidden\x1b[28m",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://example.invalid\x1b\\here\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "device control": "\x1bP1;1|17/6b\x1b\\",
    "answerback": "\x1b[6n\x05",
    "reset": "\x1bc",
    "alternate screen": "\x1b[?1049h",
    "C1 control": "\x9b31m\x9d0;owned\x9c\x90q\x9c",
    "go back": "safe\x08\x08\x08\x08evil",
    "over the line": "evil\rsafe",
    "bell and delete": "\x07\x7f",
    "shift out": "\x0e\x0f",
    "other direction": "a\u202egpj.exe\u202c\u2066b\u2069",
    "separators": "one\u2028two\u2029three\x0bfour\x0cfive\x85six",
    "markup": "[red]no[/red] [link=http://example.invalid]no[/link] [/] \\[bold]",
    "emoji code": ":skull:",
}


@pytest.fixture
def attacked(ana: lifelong.Owner) -> lifelong.Owner:
    """Ana's store with every attack wherever text can stand."""
    for number, attack in enumerate(ATTACKS.values()):
        plain = "".join(c for c in attack if c.isprintable())
        text = f"depot {attack} end"
        call = {"id": "c", "type": "function", "function": {"name": attack, "arguments": attack}}
        session = ana.session(f"sess{number}-\u202e\x9b{plain}")
        session.append(
            [
                {"role": "user", "content": text, "name": attack},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c", "content": text},
            ],
            ids=[f"m{number}-a\x9b", f"m{number}-b", f"m{number}-c"],
        )
        session.describe(title=f"{attack}\nsecond row")
        ana.remember(f"memory of depot {attack}", kind="fact", namespace=(f"n{plain}\u202e",))
    return ana


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=list(ATTACKS))
def test_nothing_that_a_terminal_obeys_is_left(attack: str):
    assert not OBEYED.search(visible(attack))
    assert "\n" not in one_line(f"{attack}\n{attack}")


def test_what_is_harmless_stays_as_it_is():
    text = "line\n\ttabbed [red] :skull: café 漢字 עברית 👩‍👩‍👧 \u200f\u200d"

    assert visible(text) == text
    assert visible("one\r\ntwo") == "one\ntwo"
    assert visible("\x1b\x9b\u202e\udc80") == "\\x1b\\x9b\\u202e\\udc80"


@pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "depot", "--limit", "100", "--tokens", "100000", "--explain"],
        ["recall", "depot", "--json"],
        ["log"],
        ["log", "--json"],
        ["log", "sess1-", "--full"],
        ["log", "sess11-", "--json"],
        ["known", "--tokens", "100000"],
        ["known", "--json"],
        ["export"],
        ["check"],
        ["doctor"],
        ["log", "s\x1b[31m"],
        ["forget", "m\x9b31m"],
        ["forget", "--session", "no\u202e", "--dry-run"],
        ["remember", "x", "--kind", "\x1b[31m"],
        ["import", "\x1b]0;owned\x07", "/"],
        ["import", "chat", "/no/such/\x1b[31m"],
        ["--store", "/dev/null/\x1b[2J", "known"],
        ["no-such-\x1b[2J"],
    ],
    ids=repr,
)
@pytest.mark.usefixtures("attacked")
def test_no_command_lets_it_through(run, arguments: list[str]):
    ran = run(*arguments)

    assert not OBEYED.search(ran.out)
    assert not OBEYED.search(ran.err)


def test_every_session_is_shown_harmlessly(run, attacked: lifelong.Owner):
    for session in attacked.sessions():
        ran = run("log", session.id, "--full")
        assert ran.code == 0
        assert not OBEYED.search(ran.out + ran.err)


@pytest.mark.usefixtures("attacked")
def test_markup_is_shown_and_not_obeyed(run, terminal):
    for shown in (
        run("known", "--tokens", "100000").out,
        terminal("known", "--tokens", "9999").out,
    ):
        assert "[red]no[/red]" in shown
        assert ":skull:" in shown


@pytest.mark.usefixtures("attacked")
@pytest.mark.parametrize(
    "arguments", [["recall", "depot", "--explain"], ["log"], ["log", "sess1-"]]
)
def test_on_a_terminal_only_our_own_colours_are_left(terminal, monkeypatch, arguments):
    monkeypatch.delenv("NO_COLOR")

    ran = terminal(*arguments)

    assert ran.code == 0
    assert COLOUR.search(ran.out)
    assert not OBEYED.search(COLOUR.sub("", ran.out))


@pytest.mark.usefixtures("said")
def test_no_color_is_respected(terminal):
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", terminal("recall", "depot", NO_COLOR="1").out)


def test_lines_are_wrapped_for_a_terminal_and_whole_in_a_pipe(run, terminal, ana):
    text = "depot " + "one two three four " * 20 + "end"
    ana.remember(text)

    piped = run("recall", "depot").out
    shown = terminal("recall", "depot").out

    assert f"  {text}\n" in piped
    assert max(map(len, COLOUR.sub("", shown).splitlines())) <= 80
    assert " ".join(COLOUR.sub("", shown).split()).endswith(text)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_output_that_takes_not_every_letter(process, ana, encoding: str):
    ana.remember("café 漢字 😀 depot", kind="fact")

    for arguments in (["recall", "depot"], ["known"], ["export"], ["recall", "depot", "--json"]):
        ran = process(*arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
        assert (ran.code, ran.err) == (0, "")
        assert "depot" in ran.out
    exported = process("export", PYTHONIOENCODING=encoding).out.splitlines()
    assert json.loads(exported[-1])["text"] == "café 漢字 😀 depot"


def test_a_reader_that_has_seen_enough_is_no_error(ana):
    ana.session("long").append([{"role": "user", "content": f"{n} " * 500} for n in range(500)])

    for arguments in (["export"], ["log", "long"], ["log", "long", "--json"]):
        running = subprocess.Popen(
            [sys.executable, "-c", START, "--owner", "ana", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert running.stdout.read(10)
        running.stdout.close()
        shown = running.stderr.read()
        running.stderr.close()
        assert (running.wait(60), shown) == (1, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_stream_is_no_traceback(ana, closed: str):
    ana.remember("Prefers tea", kind="preference")

    known = [sys.executable, "-c", START, "--owner", "ana", "known"]
    ran = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {closed}', "sh", *known],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 0
    assert ran.stderr == b""
    assert (b"Prefers tea" in ran.stdout) is (closed != ">&-")
