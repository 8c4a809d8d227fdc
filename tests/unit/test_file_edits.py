"""What editing does to a text, and every reply to the letter; side by side with the reference."""

import random
from types import SimpleNamespace

import pytest

import lifelong
from lifelong.errors import EditRefused, FileError
from lifelong.file_edits import (
    edited_reply,
    inserted,
    replaced,
    shown_size,
    view_directory,
    view_text,
)
from lifelong.file_paths import ROOT

NOTES = "/memories/n.md"
SEVERAL = "No replacement was performed. Multiple occurrences of old_str"
HEAD = f"Here's the content of {NOTES} with line numbers:\n"


@pytest.mark.parametrize(
    ("text", "view_range", "shown"),
    [
        ("", None, "     1\t"),
        ("one", None, "     1\tone"),
        ("one\n", None, "     1\tone\n     2\t"),
        ("one\r\ntwo", None, "     1\tone\r\n     2\ttwo"),
        ("a\x0bb\x85c\u2028d", None, "     1\ta\x0bb\x85c\u2028d"),
        ("1\n2\n3\n4", [2, 3], "     2\t2\n     3\t3"),
        ("1\n2\n3\n4", (3, -1), "     3\t3\n     4\t4"),
        ("1\n2\n3\n4", [0, 1], "     1\t1"),
        ("1\n2\n3\n4", [-7, 2], "     1\t1\n     2\t2"),
        ("1\n2\n3\n4", [4, 900], "     4\t4"),
        ("1\n2\n3\n4", [9, -1], ""),
        ("1\n2\n3\n4", [3, 2], ""),
        ("1\n2\n3\n4", [3, 0], ""),
    ],
)
def test_a_text_is_shown_with_numbers(text, view_range, shown):
    assert view_text(NOTES, text, view_range) == HEAD + shown


@pytest.mark.parametrize(
    "view_range",
    [[], [1], [1, 2, 3], ["1", "2"], [1.0, 2], [True, 2], [1, None], [1, -2], "12", 5, {1: 2}],
)
def test_what_is_no_range_is_refused(view_range):
    with pytest.raises(EditRefused, match="view_range"):
        view_text(NOTES, "1\n2\n3", view_range)


def test_too_many_lines_are_refused():
    assert view_text(NOTES, "\n" * 999_998, [999_999, -1]) == f"{HEAD}999999\t"
    with pytest.raises(EditRefused) as raised:
        view_text(NOTES, "\n" * 999_999)
    assert raised.value.reply == f"File {NOTES} exceeds maximum line limit of 999,999 lines."


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        *((0, "0B"), (1, "1B"), (1023, "1023B"), (1024, "1K"), (1536, "1.5K"), (1537, "1.5K")),
        *((4096, "4K"), (1 << 20, "1M"), ((1 << 20) - 1, "1024.0K"), (3 << 29, "1.5G")),
        (1 << 45, "32768G"),
    ],
)
def test_sizes_are_written_as_the_reference_does(size, shown):
    assert shown_size(size) == shown


def test_a_directory_is_shown_two_levels_deep_without_hidden_names():
    sizes = {
        "/memories/a.md": 1024,
        "/memories/a/b.md": 10,
        "/memories/a/c/d.md": 20,
        "/memories/a/c/e/f.md": 30,
        "/memories/a/.g/h.md": 40,
        "/memories/.i": 50,
        "/memories/.j/k.md": 60,
        "/memories/node_modules/l.md": 70,
        "/memories/ab": 80,
    }
    header = (
        "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:\n"
    )
    assert view_directory(ROOT, sizes) == header.format(ROOT) + (
        "1.4K\t/memories\n"
        "100B\t/memories/a/\n"
        "10B\t/memories/a/b.md\n"
        "50B\t/memories/a/c/\n"
        "1K\t/memories/a.md\n"
        "80B\t/memories/ab\n"
        "70B\t/memories/node_modules/\n"
        "70B\t/memories/node_modules/l.md"
    )
    assert view_directory("/memories/a", sizes) == header.format("/memories/a") + (
        "100B\t/memories/a\n"
        "10B\t/memories/a/b.md\n"
        "50B\t/memories/a/c/\n"
        "20B\t/memories/a/c/d.md\n"
        "30B\t/memories/a/c/e/"
    )
    assert view_directory(ROOT, {}) == header.format(ROOT) + "0B\t/memories"


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        (
            "# Calls\n- nobody\n",
            "# Calls\n- nobody",
            "# Calls\n- call Ida",
            "# Calls\n- call Ida\n",
        ),
        ("one two", " two", "", "one"),
        ("one", "one", "", ""),
        ("a\r\nb\r\n", "\r\nb", "\nb", "a\nb\r\n"),
        ("\ufeffa", "a", "b", "\ufeffb"),
        ("a.b", ".", r"\1", r"a\1b"),
        ("abcab", "abc", "abcabc", "abcabcab"),
    ],
)
def test_one_place_is_replaced(text, old, new, expected):
    assert replaced(NOTES, text, old=old, new=new)[0] == expected


@pytest.mark.parametrize(
    ("text", "old", "reply"),
    [
        (
            "one\n",
            "two",
            f"No replacement was performed, old_str `two` did not appear verbatim in {NOTES}.",
        ),
        (
            "one\ntwo\none one\n",
            "one",
            f"{SEVERAL} `one` in lines: 1, 3, 3. Please ensure it is unique",
        ),
        (
            "aaa",
            "aa",
            f"{SEVERAL} `aa` in lines: 1, 1. Please ensure it is unique",
        ),
        ("one", "", "No replacement was performed, old_str is empty."),
        (
            "one",
            "One",
            f"No replacement was performed, old_str `One` did not appear verbatim in {NOTES}.",
        ),
    ],
)
def test_what_is_not_in_one_place_is_refused(text, old, reply):
    with pytest.raises(EditRefused) as raised:
        replaced(NOTES, text, old=old, new="x")
    assert raised.value.reply == reply


def test_the_places_that_are_told_are_not_endless():
    with pytest.raises(EditRefused) as raised:
        replaced(NOTES, "a\n" * 100_000, old="a", new="b")
    assert "98, 99, 100, …. Please" in raised.value.reply
    assert len(raised.value.reply) < 600


def test_the_snippet_has_two_lines_on_each_side():
    head = (
        "The memory file has been edited. Here is the snippet showing the change "
        "(with line numbers):\n"
    )
    assert edited_reply("1\n2\n3\n4\n5\n6", 3) == head + (
        "     2\t2\n     3\t3\n     4\t4\n     5\t5\n     6\t6"
    )
    assert edited_reply("1\n2", 0) == head + "     1\t1\n     2\t2"
    assert edited_reply("", 0) == head + "     1\t"


@pytest.mark.parametrize(
    ("text", "line", "new", "expected"),
    [
        ("one\ntwo\nthree\n", 0, "X", "X\none\ntwo\nthree\n"),
        ("one\ntwo\nthree\n", 1, "X", "one\nX\ntwo\nthree\n"),
        ("one\ntwo\nthree\n", 3, "X\n", "one\ntwo\nthree\nX\n"),
        ("one", 1, "X", "one\nX\n"),
        ("", 0, "X", "X\n"),
        ("", 0, "", "\n"),
        ("\n", 1, "X", "\nX\n"),
        ("\n", 0, "X", "X\n\n"),
        ("one\n", 1, "", "one\n\n"),
        ("one\n\n", 1, "a\nb\n\n", "one\na\nb\n\n"),
        ("a\r\nb\r\n", 1, "X\r\n", "a\r\nX\r\nb\r\n"),
        ("\ufeffa", 1, "b", "\ufeffa\nb\n"),
    ],
)
def test_lines_are_inserted_after_a_line(text, line, new, expected):
    assert inserted(text, line, new) == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [
        *((-1, "-1"), (4, "4"), (True, "a bool"), (1.0, "a float"), ("1", "a str")),
        *((None, "a NoneType"), (1 << 70, "a number out of range")),
    ],
)
def test_a_line_that_is_not_there_is_refused(line, said):
    with pytest.raises(EditRefused) as raised:
        inserted("one\ntwo\nthree\n", line, "X")
    assert raised.value.reply == (
        f"Invalid `insert_line` parameter: {said}. It should be within the range [0, 3]."
    )


class Reference:
    """The SDK's own memory tool, in a directory of this test's."""

    def __init__(self, directory):
        memory = pytest.importorskip("anthropic.lib.tools._beta_builtin_memory_tool")
        self._tool = memory.BetaLocalFilesystemMemoryTool(str(directory))
        self._error = memory.ToolError
        self.root = self._tool.memory_root

    def call(self, name, **fields):
        fields = {"view_range": None, **fields}
        try:
            return True, getattr(self._tool, name)(SimpleNamespace(**fields))
        except self._error as error:
            return False, str(error)
        except OSError:  # its own names of files, and no reply
            return False, None

    def texts(self):
        """Return the text of each file by its path; directories that nothing is in go."""
        for each in sorted(self.root.rglob("*/"), reverse=True):
            if not any(each.iterdir()):
                each.rmdir()
        files = [each for each in self.root.rglob("*") if each.is_file()]
        return {
            f"/memories/{each.relative_to(self.root)}": each.read_bytes().decode() for each in files
        }

    def keep_last_line(self, path, texts):
        """Put back the empty last line that it drops when it inserts."""
        file = self.root / path.removeprefix("/memories/")
        if file.is_file() and texts.get(path) == file.read_bytes().decode() + "\n":
            file.write_bytes(texts[path].encode())


def ours(files, name, **fields):
    try:
        return True, getattr(files, name)(**fields)
    except FileError as error:
        return False, error.reply


PATHS = [f"/memories/{name}" for name in ("a.md", "b.md", "box/a.md", "box/c.md", "box/in/d.md")]
PLACES = [*PATHS, "/memories/box", "/memories/box/in", "/memories/.h/i.md", "/memories/none.md"]
WORDS = ["one", "two", "three\n", "\n", "four\r\n", "five ", "\ufeff", "e\u0301"]


def without_sizes_of_directories(reply):
    """Leave out what the reference asks the file system."""
    if reply is None or not reply.startswith("Here're the files"):
        return reply
    header, first, *lines = reply.split("\n")
    kept = [line.split("\t")[1] if line.endswith("/") else line for line in lines]
    return [header, first.split("\t")[1], *kept]


def commands(random_source):
    """Yield commands, of which about half can be done."""
    pick = random_source.choice

    def text():
        return "".join(random_source.choices(WORDS, k=random_source.randrange(6)))

    while True:
        path = pick(PATHS)
        yield pick(
            [
                ("create", {"path": pick([path, path, "/memories/.h/i.md"]), "file_text": text()}),
                ("view", {"path": pick([*PATHS, ROOT, ROOT, "/memories/box", "/memories/.h"])}),
                ("view", {"path": path, "view_range": pick([[1, 2], [2, -1], [0, 9], [7, 8]])}),
                ("str_replace", {"path": pick(PLACES), "old_str": pick(WORDS), "new_str": text()}),
                ("str_replace", {"path": path, "old_str": "one", "new_str": "1\n1"}),
                (
                    "insert",
                    {"path": path, "insert_line": pick([0, 1, 2, 5]), "insert_text": text()},
                ),
                ("delete", {"path": pick([*PATHS, "/memories", "/memories/none.md"])}),
                ("rename", {"old_path": pick(PATHS), "new_path": pick(PLACES)}),
            ]
        )


@pytest.mark.parametrize("seed", range(12))
def test_it_does_and_says_what_the_reference_does_and_says(seed, tmp_path):
    """Alike but for what the module names, and for directories that nothing is in."""
    reference = Reference(tmp_path / "reference")
    source = commands(random.Random(seed))
    with lifelong.open("memory:", embedder="off") as engine:
        files = engine.owner("ana").files
        done = 0
        for name, fields in (next(source) for _ in range(150)):
            is_done, reply = reference.call(name, **fields)
            answer = ours(files, name, **fields)
            assert answer[0] == is_done, (name, fields)
            if reply is not None:
                said = [without_sizes_of_directories(each) for each in (answer[1], reply)]
                assert said[0] == said[1], (name, fields)
            kept = {info.path: files.read(info.path) for info in files.list()}
            if name == "insert":
                reference.keep_last_line(fields["path"], kept)
            assert kept == reference.texts(), (name, fields)
            done += is_done
        assert 20 < done < 140
