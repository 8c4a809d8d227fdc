"""The mirror of file memory: what it makes, and what nobody can make it do."""

import os
import random
import socket
import stat

import pytest
from mirror_race import OUTSIDE, PATHS, make_outside, race, state_of, swap

import lifelong
from lifelong import file_mirror
from lifelong.clock import SystemClock
from lifelong.errors import MirrorError

NEW = {path: f"new text of {path}" for path in PATHS}


@pytest.fixture
def files():
    with lifelong.open("memory:", embedder="off") as engine:
        yield engine.owner("ana").files


@pytest.fixture
def root(tmp_path):
    return tmp_path / "mirror"


def mirrored(root):
    """Return the texts below a mirror by path."""
    return {
        f"/{each.relative_to(root)}": each.read_bytes().decode()
        for each in root.glob("memories/**/*")
        if each.is_file()
    }


def run(root, texts):
    clock = SystemClock()
    return file_mirror.mirror(root, texts, lambda: clock.new_id("tmp"))


def test_it_holds_what_there_is_and_nothing_that_is_no_more(files, root):
    files.create("/memories/a.md", "a\r\n\ufeff")
    files.create("/memories/box/b.md", "b")
    files.create("/memories/box/.in/c.md", "")
    done = files.mirror(root)
    assert done.written == ("/memories/a.md", "/memories/box/.in/c.md", "/memories/box/b.md")
    assert mirrored(root)["/memories/a.md"] == "a\r\n\ufeff"
    assert files.mirror(root).unchanged == 3

    files.delete("/memories/box")
    files.rename("/memories/a.md", "/memories/box")
    (root / "memories" / "mine.md").write_text("mine", encoding="utf-8")
    done = files.mirror(root)
    assert done.written == ("/memories/box",)
    assert done.removed == ("/memories/a.md", "/memories/box/.in/c.md", "/memories/box/b.md")
    assert mirrored(root) == {"/memories/box": "a\r\n\ufeff", "/memories/mine.md": "mine"}

    files.delete("/memories/box")
    files.create("/memories/box/d.md", "d")
    assert files.mirror(root).skipped == ()
    assert mirrored(root) == {"/memories/box/d.md": "d", "/memories/mine.md": "mine"}


def test_only_its_owner_may_read_it_whatever_the_mask(files, root):
    files.create("/memories/box/a.md", "a")
    before = os.umask(0)
    try:
        files.mirror(root)
    finally:
        os.umask(before)
    for each in (root, *root.rglob("*")):
        assert stat.S_IMODE(each.stat().st_mode) == (0o700 if each.is_dir() else 0o600), each


def test_what_was_changed_there_is_put_right(files, root):
    files.create("/memories/a.md", "a")
    files.mirror(root)
    (root / "memories" / "a.md").write_text("b", encoding="utf-8")
    assert files.mirror(root).written == ("/memories/a.md",)
    assert mirrored(root) == {"/memories/a.md": "a"}


def test_a_directory_of_somebody_else_is_left_alone(files, root):
    files.create("/memories/a.md", "a")
    (root / "memories").mkdir(parents=True)
    (root / "memories" / "a.md").write_text("theirs", encoding="utf-8")
    with pytest.raises(MirrorError):
        files.mirror(root)
    assert mirrored(root) == {"/memories/a.md": "theirs"}


def test_what_cannot_be_a_mirror_is_refused_without_a_name_of_this_machine(files, tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / file_mirror.LIST_NAME).write_text("[", encoding="utf-8")
    for where in ("file", "link", "damaged", "none/below", "a\x00b"):
        with pytest.raises(MirrorError) as raised:
            files.mirror(f"{tmp_path}/{where}")
        assert str(tmp_path) not in str(raised.value)
    with pytest.raises(MirrorError):
        files.mirror(None)
    assert list((tmp_path / "empty").iterdir()) == []


def test_one_mirror_at_a_time(files, root):
    files.create("/memories/a.md", "a")
    with file_mirror._root(root), pytest.raises(MirrorError, match="another"):
        files.mirror(root)
    assert files.mirror(root).written == ("/memories/a.md",)


def test_what_a_stop_left_behind_is_cleared_away(files, root):
    files.create("/memories/a.md", "a")
    root.mkdir()
    (root / f"{file_mirror._DRAFT}tmp_1").write_text("half", encoding="utf-8")
    files.mirror(root)
    assert sorted(each.name for each in root.iterdir()) == [file_mirror.LIST_NAME, "memories"]


def test_a_list_that_names_the_outside_removes_nothing_there(files, root, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text(OUTSIDE, encoding="utf-8")
    files.mirror(root)
    listed = root / file_mirror.LIST_NAME
    listed.write_text('["/memories/../../outside.md", "../outside.md", 7, null]', encoding="utf-8")
    assert files.mirror(root).removed == ()
    assert outside.read_text(encoding="utf-8") == OUTSIDE


@pytest.mark.parametrize("kind", ["symlink", "hard link", "fifo", "socket", "directory"])
@pytest.mark.parametrize("text", [OUTSIDE, "another"])
def test_what_stands_in_the_place_of_a_file_is_neither_read_nor_written(
    root, tmp_path, kind, text, monkeypatch
):
    make_outside(tmp_path / "outside")
    before = state_of(tmp_path / "outside")
    run(root, NEW)
    place = root / "memories" / "box" / "a.md"
    place.unlink()
    if kind == "symlink":
        place.symlink_to(tmp_path / "outside" / "a.md")
    elif kind == "hard link":
        os.link(tmp_path / "outside" / "a.md", place)
    elif kind == "fifo":
        os.mkfifo(place)
    elif kind == "directory":
        place.mkdir()
    else:
        monkeypatch.chdir(place.parent)  # the name of a socket must be short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(place.name)
    texts = {**NEW, "/memories/box/a.md": text}
    done = run(root, texts)
    assert state_of(tmp_path / "outside") == before
    if kind == "directory":
        assert done.skipped == ("/memories/box/a.md",)
    else:
        assert done.written == ("/memories/box/a.md",)
        assert stat.S_ISREG(place.lstat().st_mode)
        assert place.stat().st_nlink == 1
        assert mirrored(root) == texts


def test_a_link_in_the_place_of_a_directory_is_not_followed(root, tmp_path):
    make_outside(tmp_path / "outside")
    before = state_of(tmp_path / "outside")
    run(root, NEW)
    (root / "memories" / "box").rename(tmp_path / "aside")
    (root / "memories" / "box").symlink_to(tmp_path / "outside" / "box")
    fewer = {path: text for path, text in NEW.items() if path.endswith("a.md")}
    assert set(run(root, fewer).written) == {"/memories/box/a.md"}
    assert state_of(tmp_path / "outside") == before
    assert mirrored(root) == fewer

    (root / "memories" / "box").rename(tmp_path / "aside again")
    (root / "memories" / "box").symlink_to(tmp_path / "outside" / "box")
    run(root, {})
    assert state_of(tmp_path / "outside") == before


class Interrupted:
    """`os`, with somebody who acts just before the call with a certain number."""

    CALLS = ("open", "mkdir", "rename", "unlink", "rmdir", "stat", "scandir", "fsync", "fchmod")

    def __init__(self, number, act):
        self._left, self._act = number, act
        self.calls = 0

    def __getattr__(self, name):
        found = getattr(os, name)
        if name not in self.CALLS:
            return found

        def call(*given, **named):
            self.calls += 1
            if self.calls == self._left:
                self._act()
            return found(*given, **named)

        if name == "open":
            self.supports_dir_fd = {call}
            self.open = call
        return call


SWAPS = {
    "all of it": ("memories", "memories"),
    "a directory": ("memories/box", "box"),
    "an inner directory": ("memories/box/in", "in"),
    "a file": ("memories/box/a.md", "a.md"),
}


@pytest.mark.parametrize("swapped", SWAPS)
def test_a_swap_before_any_call_changes_nothing_outside(swapped, tmp_path, monkeypatch):
    """Every point in time at which a directory or a file can become a link, one by one."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    inside, target = SWAPS[swapped]
    outside = tmp_path / "outside"
    make_outside(outside)
    before = state_of(outside)
    calls, number = 1, 0
    while number < calls:
        number += 1
        root = tmp_path / f"mirror {number}"
        run(root, dict.fromkeys(PATHS, "old"))

        def act(root=root):
            (root / inside).rename(root.parent / f"aside {root.name}")
            (root / inside).symlink_to(outside / target)

        interrupted = Interrupted(number, act)
        with monkeypatch.context() as patch:
            patch.setattr(file_mirror, "os", interrupted)
            run(root, dict.fromkeys(PATHS[:3], "new"))
        calls = interrupted.calls
        assert state_of(outside) == before, number
        run(root, NEW)
        assert mirrored(root) == NEW, number
        assert not (root / inside).is_symlink()
    assert number > 30


def test_whoever_swaps_all_the_time_changes_nothing_outside(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # the race needs no disk
    raced = race(tmp_path, runs=200)
    assert raced.swaps > 100
    assert raced.skipped + raced.refused < raced.operations


def test_the_attacker_does_harm_where_paths_are_followed(tmp_path):
    """Else the races above would prove nothing."""
    outside, root = tmp_path / "outside", tmp_path / "mirror"
    make_outside(outside)
    before, source = state_of(outside), random.Random(1)
    run(root, NEW)
    for _ in range(300):
        swap(root, outside, source)
        for path in PATHS:
            file = root / path.lstrip("/")
            if file.is_file():
                file.write_text("escaped", encoding="utf-8")
        if state_of(outside) != before:
            return
    raise AssertionError("it never got out")
