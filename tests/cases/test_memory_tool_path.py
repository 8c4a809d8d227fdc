"""Paths of file memory as they went wrong elsewhere: roots, prefixes, encodings, ids as names."""

import os
import re
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hostile_paths import HOSTILE, hostile_paths

import lifelong
from lifelong.conformance import said, texts
from lifelong.errors import FileError, InputError, InvalidName, InvalidPath

FUZZED = int(os.environ.get("LIFELONG_FUZZ_PATHS", "2000"))
"""Read here, where the variable is still there: no test sees those of whoever runs it."""

KEPT = {"/memories/keep.md": "keep", "/memories/box/deep.md": "deep"}


def six_commands(files, path):
    """Yield a call of each command on a path, and of a rename to it."""
    yield lambda: files.view(path)
    yield lambda: files.create(path, "made")
    yield lambda: files.str_replace(path, "made", new_str="edited")
    yield lambda: files.insert(path, 0, insert_text="inserted")
    yield lambda: files.rename(path, "/memories/moved.md")
    yield lambda: files.rename("/memories/moved.md", path)
    yield lambda: files.delete(path)


def tree(directory):
    """Return every file and directory around a store, without what is inside the store's own."""
    return sorted(
        str(each.relative_to(directory))
        for each in directory.rglob("*")
        if "data" not in each.relative_to(directory).parts[:1]
    )


@pytest.fixture
def kept(place):
    files = place.owner.files
    for path, text in KEPT.items():
        files.create(path, text)
    yield files
    assert {info.path: files.read(info.path) for info in files.list()} == KEPT


@pytest.mark.parametrize(
    "path", ["/memories", "/memories/", "/memories//", "/memories/.", "/memories/box/.."]
)
def test_the_root_is_not_deleted_by_any_spelling(kept, path):
    with pytest.raises(InvalidPath):
        kept.delete(path)
    with pytest.raises(InvalidPath):
        kept.rename(path, "/memories/all")


@pytest.mark.parametrize(
    "path",
    [
        *("/memoriesQ", "/memories-old/a.md", "/memoriesbox", "/memories/../x"),
        *("/memories/%2e%2e/x", "/memories/a\x00b"),
    ],
)
def test_a_prefix_without_a_separator_and_its_like_are_refused(kept, path):
    for call in six_commands(kept, path):
        with pytest.raises(FileError):
            call()


def test_a_hostile_path_is_refused_or_is_only_a_name(place, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("outside", encoding="utf-8")
    files = place.owner.files
    files.create("/memories/keep.md", "keep")
    before = tree(tmp_path)
    for path in HOSTILE:
        for call in six_commands(files, path):
            try:
                reply = call()
            except FileError as error:
                reply = f"{error} {error.reply}"
            assert str(tmp_path) not in reply, ascii(path)
            assert reply.encode(), ascii(path)
    assert tree(tmp_path) == before
    assert outside.read_text(encoding="utf-8") == "outside"
    assert files.read("/memories/keep.md") == "keep"


class Watch:
    """What Python opens, makes, moves or removes while it is on; a hook cannot be taken away."""

    _SEEN = ("open", "os.", "shutil.", "subprocess.", "socket.", "tempfile.", "glob.", "pathlib.")

    def __init__(self):
        self.is_on = False
        self.touched = []
        sys.addaudithook(self._hook)

    def _hook(self, event, arguments):
        if self.is_on and event.startswith(self._SEEN):
            self.touched.append((event, repr(arguments)))


def open_files():
    """Return the names of all files that this process has open, where the system tells them."""
    found = set()
    for each in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):  # the directory that is being listed
            found.add(str(each.readlink()))
    return {name for name in found if name.startswith("/") and not name.startswith("/proc")}


def test_the_watch_sees_what_is_opened(tmp_path):
    watch = Watch()
    watch.is_on = True
    (tmp_path / "made").write_text("x", encoding="utf-8")
    watch.is_on = False
    assert any("made" in arguments for _, arguments in watch.touched)


def test_fuzzed_paths_open_nothing_and_are_refused_by_name(tmp_path):
    """Each path through every command. The database is open by then, and nothing else may be."""
    data = tmp_path / "data"
    watch, outcomes = Watch(), {True: 0, False: 0}
    with lifelong.open(data, embedder="off", encryption="off") as engine:
        files = engine.owner("ana").files
        files.create("/memories/keep.md", "keep")
        before = tree(tmp_path)
        descriptors = open_files()
        watch.is_on = True
        for path in hostile_paths(FUZZED, seed=1):
            for call in six_commands(files, path):
                try:
                    reply = call()
                    outcomes[True] += 1
                except FileError as error:
                    reply = f"{error} {error.reply}"
                    outcomes[False] += 1
                assert str(tmp_path) not in reply, ascii(path)
                assert not re.search(r"Traceback|sqlite|\.py\b", reply.replace(path, "")), reply
        watch.is_on = False
        assert [each for each in watch.touched if str(data) not in each[1]] == []
        assert open_files() == descriptors  # SQLite opens past Python's hooks
        assert tree(tmp_path) == before
        assert files.read("/memories/keep.md") == "keep"
        assert engine.owner("ana").check().is_clean
    assert min(outcomes.values()) > FUZZED / 100, outcomes


IDS = [
    "../../evil",
    "a/b",
    "a_b",
    "..",
    "CON",
    "x" * 5000,
    "a\\b",
    ".",
    "~",
    "nul.txt",
    "A/B",
    "\x00",
]


def test_an_id_is_no_name_of_a_file(place, tmp_path):
    """Of an owner, a session, a namespace or a state: each keeps its own, or is refused by name."""
    place.owner.remember("begins")
    before = tree(tmp_path)
    kept = {}
    for number, name in enumerate(IDS):
        try:
            place.owner.session(name).append(said(f"{number}"))
            place.engine.owner(name).remember(f"{number}", namespace=(name,))
            place.engine.owner(name).files.write("/memories/n.md", f"{number}")
            place.owner.set(name, number)
            kept[name] = number
        except InvalidName:
            continue
    assert kept.keys() == set(IDS) - {"x" * 5000, "\x00"}
    for name, number in kept.items():
        owner = place.engine.owner(name)
        assert texts(place.owner.session(name).messages()) == [f"{number}"]
        assert texts(owner.memories(namespace=(name,))) == [f"{number}"]
        assert owner.files.read("/memories/n.md") == f"{number}"
        assert place.owner.get(name) == number
    assert tree(tmp_path) == before


@pytest.mark.parametrize("path", [None, 7, b"/memories/a", ["/memories"], {"path": "/memories/a"}])
def test_what_is_no_text_is_refused(place, path):
    for call in six_commands(place.owner.files, path):
        with pytest.raises((FileError, InputError)):
            call()
    assert place.owner.files.list() == ()
