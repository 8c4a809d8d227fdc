"""`lifelong files`."""

import json

import pytest

NOTES = "/memories/notes.md"


@pytest.fixture
def written(run):
    assert run("files", "write", "notes.md", stdin="one\r\ntwo").code == 0


def test_files_are_written_listed_and_shown(run, ana, tmp_path):
    assert run("files").err.strip().endswith("there are no files")
    done = run("files", "write", "notes.md", stdin=b"one\r\n\xc3\xa9\n")
    assert done.out == f"wrote {NOTES}, 8 bytes, version 1\n"
    source = tmp_path / "more.md"
    source.write_bytes(b"\xef\xbb\xbfmore")
    told = run(
        "files", "write", "/memories/box/more.md", str(source), "--channel", "tool", "--json"
    )
    assert told.json["file"]["path"] == "/memories/box/more.md"
    assert (told.json["file"]["bytes"], told.json["file"]["trust"]) == (7, "untrusted")
    lines = run("files", "list").out.splitlines()
    assert [line.split("Z  ")[1] for line in lines] == [
        "7 bytes  /memories/box/more.md  tool",
        f"8 bytes  {NOTES}  user",
    ]
    assert [each["path"] for each in run("files", "--json").json["files"]] == [
        "/memories/box/more.md",
        NOTES,
    ]
    assert run("files", "show", "notes.md").out == "one\né\n"
    assert run("files", "show", NOTES, "--json").json == {"path": NOTES, "text": "one\r\né\n"}
    assert ana.files.read("/memories/box/more.md") == "\ufeffmore"


@pytest.mark.usefixtures("written")
def test_versions_are_listed_shown_and_restored(run, ana):
    run("files", "write", NOTES, stdin="three")
    assert run("files", "delete", "notes.md").out == f"Successfully deleted {NOTES}\n"
    found = run("files", "versions", NOTES, "--json").json["versions"]
    assert [(each["text"], each["ended_by"]) for each in found] == [
        ("one\r\ntwo", "written"),
        ("three", "deleted"),
    ]
    assert "8 bytes  written" in run("files", "versions", NOTES).out
    number = str(found[0]["version"])
    assert run("files", "show", NOTES, "--version", number).out == "one\ntwo\n"
    assert run("files", "restore", NOTES, number, "--json").json == {
        "reply": f"Version {number} of {NOTES} has been restored."
    }
    assert ana.files.read(NOTES) == "one\r\ntwo"
    assert run("files", "show", NOTES, "--version", "99").code == 1
    assert run("files", "versions", "none.md").code == 1


@pytest.mark.usefixtures("written")
def test_a_file_is_renamed(run, ana):
    done = run("files", "rename", "notes.md", "box/notes.md")
    assert done.out == f"Successfully renamed {NOTES} to /memories/box/notes.md\n"
    assert run("files", "rename", "notes.md", "other.md").code == 1
    assert run("files", "rename", "box", "box").code == 2
    assert [info.path for info in ana.files.list()] == ["/memories/box/notes.md"]


@pytest.mark.usefixtures("written")
def test_files_are_mirrored(run, tmp_path):
    root = tmp_path / "mirror"
    assert run("files", "mirror", str(root)).out == "1 written, 0 removed, 0 unchanged\n"
    assert (root / "memories" / "notes.md").read_bytes() == b"one\r\ntwo"
    (root / "memories" / "notes.md").unlink()
    (root / "memories" / "notes.md").mkdir()
    done = run("files", "mirror", str(root))
    assert (done.code, done.out.splitlines()[1]) == (
        1,
        f"  skipped {NOTES}: something else stands there",
    )
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "file").touch()
    assert run("files", "mirror", str(tmp_path / "theirs"), "--json").json["error"]["type"] == (
        "MirrorError"
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "none.md"), 1),
        (("show", "../up.md"), 2),
        (("show", "/etc/passwd"), 2),
        (("delete", "/memories"), 2),
        (("write", "CON"), 2),
        (("write", "notes.md", "no-such-file"), 3),
        (("write", "notes.md", "--channel", "nobody"), 2),
        (("restore", "notes.md", "7"), 1),
        (("mirror", "none/below"), 3),
    ],
)
def test_what_cannot_be_done_is_said(run, arguments, code):
    done = run("files", *arguments, stdin="x")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("lifelong: error: ")
    told = run("files", *arguments, "--json", stdin="x")
    assert told.code == code
    assert "message" in json.loads(told.out)["error"]


def test_what_is_no_text_is_said(run):
    done = run("files", "write", "notes.md", stdin=b"\xff\xfe")
    assert done.code == 2
    assert "UTF-8" in done.err


def test_nothing_that_a_terminal_obeys_is_printed(run):
    run("files", "write", "notes.md", stdin=b"a\x1b[31mb\x07")
    assert run("files", "show", "notes.md").out == "a\\x1b[31mb\\x07\n"
