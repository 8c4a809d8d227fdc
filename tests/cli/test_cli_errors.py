"""What goes wrong is one line and a code, never a traceback."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import lifelong
from lifelong.apps import cli

HEX = "ab" * 32
NOBODY = 65_534

AS_NOBODY = f"""
import contextlib, importlib.metadata, io, os, tempfile
from lifelong.apps.cli import app, main
with contextlib.redirect_stdout(io.StringIO()):  # nobody may not be allowed to import later
    app(["--store", "memory:", "--owner", "a", "remember", "tea"], standalone_mode=False)
    importlib.metadata.version("lifelong")
if os.geteuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
main()
"""


def store() -> Path:
    return lifelong.engine.default_directory()


def is_one_line(ran) -> bool:
    return ran.err.startswith("lifelong: error: ") and ran.err.count("\n") == 1


@pytest.fixture(
    params=[
        ["recall", "tea"],
        ["remember", "tea"],
        ["log"],
        ["known"],
        ["check"],
        ["reindex"],
        ["export"],
        ["forget", "--session", "s"],
    ],
    ids=" ".join,
)
def any_command(request) -> list[str]:
    return request.param


def test_a_wrong_key(run, said, any_command: list[str], monkeypatch):
    monkeypatch.setenv("LIFELONG_KEY", HEX)

    shown = run(*any_command)
    told = run(*any_command, "--json")

    assert (shown.code, shown.out) == (3, "")
    assert is_one_line(shown)
    assert "LIFELONG_KEY" in shown.err
    assert (told.code, told.err) == (3, "")
    assert told.json["error"]["type"] == "WrongKey"
    assert said.memories()


def test_a_key_that_has_gone(process, said):
    (store().parents[1] / "config/lifelong/master.key").unlink()

    ran = process("known")

    assert (ran.code, ran.out) == (3, "")
    assert is_one_line(ran)
    assert said.memories()


@pytest.mark.usefixtures("said")
def test_a_key_that_is_none(run, monkeypatch):
    monkeypatch.setenv("LIFELONG_KEY", "secret")

    assert run("known").code == 2


@pytest.mark.usefixtures("said")
def test_a_newer_store(run):
    marker = store() / "lifelong.json"
    marker.write_text(json.dumps(json.loads(marker.read_text()) | {"format": 99}))

    ran = run("known")
    told = run("known", "--json")

    assert ran.code == 3
    assert is_one_line(ran)
    assert "pip install --upgrade lifelong" in ran.err
    assert told.json["error"]["type"] == "SchemaTooNew"


@pytest.mark.usefixtures("said")
def test_a_damaged_store(run, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("LIFELONG_STORE", str(tmp_path / "other"))  # nobody has that one open
    run("remember", "Likes tea")
    (tmp_path / "other" / "catalogue.db").write_bytes(b"no database" * 1_000)

    ran = run("known")

    assert ran.code == 3
    assert is_one_line(ran)


def test_a_store_that_is_a_file(run, tmp_path: Path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("LIFELONG_STORE", str(file))

    ran = run("known")

    assert ran.code == 3
    assert is_one_line(ran)


def test_a_store_of_an_unknown_kind(run, monkeypatch):
    monkeypatch.setenv("LIFELONG_STORE", "postgresql://host/db")

    assert run("known", "--json").json["error"]["type"] == "InvalidValue"


def test_a_directory_that_cannot_be_written():
    """As somebody without rights: the superuser may write everywhere."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o555)
        try:
            for arguments in (["remember", "tea"], ["known", "--json"], ["doctor"]):
                ran = subprocess.run(
                    [
                        sys.executable,
                        "-c",
                        AS_NOBODY,
                        "--store",
                        folder,
                        "--owner",
                        "a",
                        *arguments,
                    ],
                    capture_output=True,
                    text=True,
                    env=os.environ | {"LIFELONG_KEY": HEX},
                    timeout=60,
                    check=False,
                )
                said = ran.stdout + ran.stderr
                assert ran.returncode == (1 if arguments == ["doctor"] else 3), said
                assert "Traceback" not in said
                assert "ermission" in said
        finally:
            Path(folder).chmod(0o755)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 513])
def test_an_owner_that_cannot_be_one(run, name: str):
    assert run("known", owner=name).code == 2


def test_bytes_that_are_no_text_are_no_fault(process, said):
    broken = os.fsdecode(b"caf\xe9 depot")

    assert process("recall", broken).code == 0
    assert process("remember", broken).code == 0
    assert "caf\ufffd depot" in {memory.text for memory in said.memories()}


@pytest.mark.usefixtures("process")
def test_the_user_of_the_system_is_the_owner(monkeypatch):
    monkeypatch.setenv("LOGNAME", "carla")

    ran = subprocess.run(
        [sys.executable, "-c", "from lifelong.apps.cli import main; main()", "remember", "tea"],
        capture_output=True,
        timeout=60,
        check=False,
    )

    assert ran.returncode == 0
    with lifelong.open(store()) as engine:
        assert engine.owners() == ["carla"]


@pytest.mark.usefixtures("run")
def test_nobody_to_be_the_owner(monkeypatch):
    def unknown():
        raise KeyError("getpwuid(): uid not found: 1234")

    monkeypatch.setattr("getpass.getuser", unknown)
    result = cli.options.Place()

    with pytest.raises(lifelong.errors.InvalidName, match="--owner"):
        result.owner_id()


@pytest.mark.parametrize(
    "arguments",
    [["no-such-command"], ["recall"], ["recall", "x", "--limit", "many"], ["known", "--no-such"]],
)
def test_an_unknown_word_is_explained(run, arguments: list[str]):
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert "Usage: " in ran.err
    assert "Error: " in ran.err


def test_help_and_version(run, process):
    assert run("--help").code == 0
    assert run("--version").out.startswith("lifelong ")
    assert process("--version").code == 0


def test_a_bug_is_one_line_that_says_so(monkeypatch, capsys):
    def broken(**_):
        raise ZeroDivisionError("by \x1b[31mnothing")

    monkeypatch.setattr(cli, "app", broken)
    with pytest.raises(SystemExit) as ended:
        cli.main()

    shown = capsys.readouterr().err
    assert ended.value.code == 70
    assert shown.startswith("lifelong: error: ZeroDivisionError: by \\x1b[31mnothing")
    assert "bug" in shown
    assert "LIFELONG_DEBUG=1" in shown
    assert "Traceback" not in shown


def test_a_bug_shows_where_when_asked(monkeypatch, capsys):
    def broken(**_):
        raise ZeroDivisionError("by \x1b[31mnothing")

    monkeypatch.setattr(cli, "app", broken)
    monkeypatch.setenv("LIFELONG_DEBUG", "1")
    with pytest.raises(SystemExit):
        cli.main()

    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "\x1b" not in shown


def test_ctrl_c_is_quiet(run, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(lifelong, "open", stopped)

    ran = run("known")

    assert (ran.code, ran.out, ran.err) == (130, "", "")
