"""`lifelong import`."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lifelong

ROOT = Path(__file__).resolve().parents[2]
TRANSCRIPTS = str(ROOT / "examples" / "transcripts")
# A shell's background job, as a CI may be, is born deaf to Ctrl-C, and so are its children.
START = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from lifelong.apps.cli import main; main()"
)
MANY = 20_000


def chat(*items: object) -> str:
    return "".join(f"{item if isinstance(item, str) else json.dumps(item)}\n" for item in items)


@pytest.fixture
def support(tmp_path: Path) -> Path:
    file = tmp_path / "support.jsonl"
    file.write_text(
        chat(
            {"role": "user", "content": "My order has not arrived."},
            '{"role": "user", "conte',
            {"role": "assistant", "content": "It is in the depot."},
        )
    )
    return file


def test_real_transcripts_are_read_once(run):
    first = run("import", "claude-code", TRANSCRIPTS, "--json").json
    again = run("import", "claude-code", TRANSCRIPTS, "--json").json

    assert first["files"] == 3
    assert first["sessions"] == 3
    assert first["added"] == first["messages"] > 50
    assert first["broken"] == []
    assert (again["added"], again["duplicates"]) == (0, first["messages"])
    assert again["sessions"] == 3
    assert len(run("log", "--json").json["sessions"]) == 3


def test_a_broken_line_is_set_aside_and_reported(run, support: Path):
    shown = run("import", "chat", str(support))
    told = run("import", "chat", str(support), "--json").json

    assert shown.code == 0
    assert "messages    2\nadded       2\n" in shown.out
    assert "set aside   1\n" in shown.out
    assert shown.err.startswith(f"set aside: {support}:2: ")
    assert [(line["file"], line["line"]) for line in told["broken"]] == [(str(support), 2)]
    assert told["duplicates"] == 2


def test_several_paths_are_one_report(run, support: Path, tmp_path: Path):
    other = tmp_path / "other.jsonl"
    other.write_text(chat({"role": "user", "content": "Hello"}))

    told = run("import", "chat", str(support), str(other), "--json").json

    assert (told["files"], told["sessions"], told["messages"]) == (2, 2, 3)


def test_what_carries_no_conversation_is_counted_by_kind(run, tmp_path: Path):
    (tmp_path / "s.jsonl").write_text(chat({"type": "progress"}, {"type": "progress"}))

    shown = run("import", "claude-code", str(tmp_path))

    assert shown.code == 1
    assert "ignored     2 (progress 2)\n" in shown.out


def test_nothing_to_read_is_told_by_the_code(run, tmp_path: Path):
    ran = run("import", "claude-code", str(tmp_path), "--json")

    assert (ran.code, ran.json["files"]) == (1, 0)


def test_what_was_forgotten_does_not_come_back(run, support: Path):
    run("import", "chat", str(support))
    run("forget", "--match", "depot", "--yes")

    told = run("import", "chat", str(support), "--json").json

    assert (told["added"], told["forgotten"], told["duplicates"]) == (0, 1, 1)


def test_a_path_that_is_not_there_stops_before_anything_is_stored(run, support: Path):
    ran = run("import", "chat", str(support), str(support.with_name("gone")), "--json")

    assert (ran.code, ran.json["error"]["type"]) == (2, "TranscriptError")
    assert run("log", "--json").json["sessions"] == []


def test_an_unknown_source_is_refused_with_those_there_are(run, support: Path):
    ran = run("import", "diary", str(support))

    assert ran.code == 2
    assert all(name in ran.err for name in lifelong.SOURCES)


def test_the_help_names_every_source(run):
    shown = " ".join(run("import", "--help").out.split())

    assert [name for name in lifelong.SOURCES if name not in shown] == []


def test_a_terminal_shows_a_bar_and_a_pipe_does_not(terminal, process):
    watched = terminal("import", "claude-code", TRANSCRIPTS)
    piped = process("import", "claude-code", TRANSCRIPTS)
    told = terminal("import", "claude-code", TRANSCRIPTS, "--json")

    assert "tool_heavy.jsonl" in watched.out
    assert "kB" in watched.out
    assert piped.err == ""
    assert "duplicates  79" in piped.out
    assert told.json["messages"] == 79


def test_markup_in_a_file_name_is_not_obeyed(terminal, tmp_path: Path):
    file = tmp_path / "[red]a[\x1b]2;owned\x07.jsonl"
    file.write_text(chat({"role": "user", "content": "Hello"}))

    ran = terminal("import", "chat", str(file))

    assert ran.code == 0
    assert "\x1b]2" not in ran.out
    assert "\x07" not in ran.out


def test_an_import_that_was_stopped_goes_on(ana, process, tmp_path: Path):
    # Given a file that takes seconds to import
    file = tmp_path / "long.jsonl"
    items = (
        {"role": "user", "content": f"message number {n} says hello", "session_id": f"s{n // 100}"}
        for n in range(MANY)
    )
    file.write_text(chat(*items))

    # When Ctrl-C comes in the middle
    arguments = ["--owner", "ana", "import", "chat", str(file)]
    running = subprocess.Popen(
        [sys.executable, "-c", START, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while running.poll() is None and not ana.stats()["message"]:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    kept = ana.stats()["message"]

    # Then what was stored is kept, and a second run adds the rest
    assert running.returncode == 130
    assert out == b""
    assert err.startswith(b"stopped: what was stored is kept")
    assert err.count(b"\n") == 1
    assert 0 < kept < MANY
    told = process("import", "chat", str(file), "--json").json
    assert (told["added"], told["duplicates"]) == (MANY - kept, kept)
    assert ana.stats()["message"] == MANY
    assert ana.check().is_clean


def test_a_name_that_is_no_text_can_be_read(process, tmp_path: Path):
    file = os.fsencode(tmp_path) + b"/caf\xe9.jsonl"
    Path(os.fsdecode(file)).write_text(chat({"role": "user", "content": "Hello"}))

    ran = process("import", "chat", os.fsdecode(file), "--json")

    assert (ran.code, ran.json["added"]) == (0, 1)


@pytest.fixture
def backup(run, said, tmp_path: Path) -> Path:
    """An export of ana's store, of two sessions and three memories."""
    said.set("seen", 1)
    file = tmp_path / "backup.jsonl"
    assert run("export", "--output", str(file)).code == 0
    return file


def test_an_export_is_read_back_into_another_owner(run, backup: Path):
    shown = run("import", "lifelong", str(backup), owner="bo")
    again = run("import", "lifelong", str(backup), "--json", owner="bo").json

    assert shown.code == 0
    assert "messages    3\nadded       3\n" in shown.out
    assert (
        "memories    3 (added 3, duplicates 0, forgotten 0, expired 0, conflicts 0, " in shown.out
    )
    assert "held 0, untrusted 3)\nstates      1 added\n" in shown.out
    assert (again["added"], again["duplicates"], again["broken"]) == (0, 3, [])
    assert again["memories"] == {
        "read": 3,
        "added": 0,
        "duplicates": 3,
        "forgotten": 0,
        "expired": 0,
        "conflicts": 0,
        "held": 0,
        "untrusted": 0,
        "states": 0,
        "files": 0,
        "rules": 0,
        "tombstones": 0,
    }
    assert "Prefers short answers" not in run("known", owner="bo").out


def test_who_vouches_for_an_export_is_believed(run, backup: Path):
    told = run("import", "lifelong", str(backup), "--trusted", "--json", owner="bo").json

    assert (told["memories"]["added"], told["memories"]["untrusted"]) == (3, 0)
    assert run("known", owner="bo").out == run("known").out


def test_vouching_is_for_an_export_alone(run, support: Path):
    ran = run("import", "chat", str(support), "--trusted")

    assert (ran.code, "--trusted" in ran.err) == (2, True)
    assert run("log", "--json").json["sessions"] == []


def test_an_export_with_memories_alone_is_something_to_read(run, backup: Path):
    lines = backup.read_text(encoding="utf-8").splitlines()
    for what, code in (("memory", 0), ("state", 0), ("lifelong", 1)):
        kept = [line for line in lines if json.loads(line)["what"] == what]
        backup.write_text("\n".join(kept), encoding="utf-8")
        assert run("import", "lifelong", str(backup), owner=what).code == code


def test_a_broken_line_of_an_export_is_named(run, backup: Path):
    lines = backup.read_text(encoding="utf-8").splitlines()
    lines[6] = lines[6].replace('"importance": 5', '"importance": 50')
    backup.write_text("\n".join([*lines, "{"]), encoding="utf-8")

    shown = run("import", "lifelong", str(backup), owner="bo")

    assert shown.code == 0
    assert "memories    2 (added 2, " in shown.out
    assert f"set aside: {backup}:7: memory: importance 50 is no whole number" in shown.err
    assert f"set aside: {backup}:11: not JSON" in shown.err


def test_d41_what_is_printed_is_what_was_asked_for(process, backup: Path):
    """JSON alone on standard output, whatever is said beside it."""
    exported = process("export")
    told = process("import", "lifelong", str(backup), "--json")
    with backup.open("a", encoding="utf-8") as file:
        file.write("{\n")
    broken = process("import", "lifelong", str(backup))

    assert all(json.loads(line)["what"] for line in exported.out.splitlines())
    assert (exported.err, told.err) == ("", "")
    assert told.json["memories"]["duplicates"] == 3
    assert "set aside: " not in broken.out
    assert broken.err.startswith("set aside: ")


def test_an_import_of_an_export_that_was_stopped_goes_on(ana, process, tmp_path: Path):
    # Given an export that takes seconds to read, the memories last
    head = {"what": "lifelong", "owner": "x", "format": 1, "at": "2026-01-01T00:00:00+00:00"}
    messages = (
        {
            "what": "message",
            "session": f"s{n // 100}",
            "id": f"m{n}",
            "role": "user",
            "speaker": None,
            "sent_at": None,
            "recorded_at": "2026-01-01T00:00:00+00:00",
            "format": "chat",
            "payload": {"role": "user", "content": f"message number {n} says hello"},
        }
        for n in range(MANY // 2)
    )
    memories = (
        {
            "what": "memory",
            "id": f"mem_{n:032x}",
            "text": f"memory number {n}",
            "kind": "note",
            "namespace": [],
            "importance": 5,
            "origin": {"channel": "user", "source": "", "parents": []},
            "trust": "user",
            "key": None,
            "metadata": {},
            "recorded_at": "2026-01-01T00:00:00+00:00",
            "updated_at": "2026-01-01T00:00:00+00:00",
            "superseded_by": f"mem_{n + 1:032x}" if n < 500 else None,
        }
        for n in range(1_000)
    )
    file = tmp_path / "long.jsonl"
    file.write_text(chat(head, *messages, *memories))

    # When Ctrl-C comes in the middle
    arguments = ["--owner", "ana", "import", "lifelong", str(file)]
    running = subprocess.Popen(
        [sys.executable, "-c", START, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while running.poll() is None and not ana.stats()["message"]:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    kept = ana.stats()["message"]

    # Then what was stored is kept, and a second run adds the rest
    assert (running.returncode, out) == (130, b"")
    assert err.startswith(b"stopped: what was stored is kept")
    assert 0 < kept < MANY // 2
    assert ana.check().is_clean
    told = process("import", "lifelong", str(file), "--trusted", "--json").json
    assert (told["added"], told["duplicates"]) == (MANY // 2 - kept, kept)
    assert told["memories"]["added"] == 1_000
    assert ana.stats()["memory"] == 500
    assert ana.check().is_clean
