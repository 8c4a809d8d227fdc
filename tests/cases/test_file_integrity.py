"""Files written at once, damaged behind our back, or put back: none is lost, none harms another."""

from dataclasses import replace
from datetime import timedelta

import pytest

from lifelong.conformance import in_threads
from lifelong.errors import FileError, FileExists, StoreCorrupt
from lifelong.file_records import FileVersion
from lifelong.records import Origin, Trust
from lifelong.rows import StoredFile
from lifelong.stores.sqlite.files import erase_files

NOTES = "/memories/n.md"


@pytest.fixture
def files(place):
    return place.owner.files


def stored(place):
    """Return the files of the owner's store: what export, forget and sweep ask."""
    return place.engine._store.owner("ana").files


def test_twenty_who_create_at_once_make_twenty_files(place, files):
    replies = in_threads(20, lambda n: files.create(f"/memories/{n}.md", f"{n}"))
    assert sorted(replies) == sorted(
        f"File created successfully at: /memories/{n}.md" for n in range(20)
    )
    kept = place.reopen().files
    assert {kept.read(info.path) for info in kept.list()} == {str(n) for n in range(20)}


def test_twenty_who_insert_at_once_lose_no_line(files):
    files.create(NOTES, "")
    in_threads(20, lambda n: files.insert(NOTES, 0, insert_text=f"line {n}"))
    assert sorted(files.read(NOTES).split("\n")) == sorted(["", *(f"line {n}" for n in range(20))])
    numbers = [each.version for each in files.versions(NOTES)]
    assert numbers == sorted(set(numbers))


def test_of_twenty_names_that_fold_together_one_is_made(files):
    names = ["n.md", "N.md", "n.MD", "N.MD", "\uff4e.md"] * 4

    def make(number):
        try:
            files.create(f"/memories/{names[number]}", names[number])
        except FileExists:
            return False
        return True

    assert sum(in_threads(20, make)) == 1
    assert len(files.list()) == 1


def test_a_damaged_file_harms_no_other(place, files, damage):
    for number in range(20):
        files.create(f"/memories/{number}.md", f"{number}")
    damage("UPDATE file SET text = x'00ff', trust = 99 WHERE path = '/memories/7.md'")
    with pytest.raises(StoreCorrupt, match=r"/memories/7\.md"):
        files.read("/memories/7.md")
    found = {info.path: info.trust for info in files.list()}
    assert len(found) == 20
    assert found["/memories/7.md"] == Trust.UNTRUSTED
    files.create("/memories/new.md", "new")
    files.insert("/memories/8.md", 1, insert_text="more")
    assert files.read("/memories/8.md") == "8\nmore\n"
    assert len(stored(place).everything()[0]) == 20
    assert len(list(stored(place).texts())) == 21
    files.rename("/memories/7.md", "/memories/bad.md")
    files.delete("/memories/bad.md")
    assert len(files.list()) == 20
    assert files.versions("/memories/bad.md") == []


def test_erasing_leaves_no_row_of_a_path(place, files):
    parent = place.owner.remember("soup").id
    origin = Origin("user", "", (parent,))
    for name in ("n.md", "kept.md"):
        files.create(f"/memories/{name}", "first", origin=origin)
        files.insert(f"/memories/{name}", 0, insert_text="second")
    files.rename(NOTES, "/memories/moved.md")
    files.delete("/memories/moved.md")
    files.create("/memories/moved.md", "third", origin=origin)
    store = stored(place)
    assert len(list(store.texts())) == 5
    with store._access.write() as connection:
        counts = erase_files(connection, ["/memories/moved.md", "/memories/none.md"])
    assert counts == {"file": 1, "file_version": 2}
    assert {path for path, _ in store.texts()} == {"/memories/kept.md"}
    assert store.made_from([parent], []) == ["/memories/kept.md"]
    assert files.versions("/memories/moved.md") == []
    with store._access.write() as connection:
        assert erase_files(connection, ["/memories/kept.md"]).total() == 2
        assert connection.execute("SELECT count(*) FROM file_parent").fetchall() == [(0,)]


def test_what_a_file_was_made_from_is_found_through_its_edits(place, files):
    owner = place.owner
    one, other = owner.remember("soup").id, owner.remember("tea").id
    for number, session in enumerate("ab"):
        owner.session(session).append(
            [{"role": "user", "content": f"{session}"}], ids=[f"m{number}"]
        )
    seqs = {row.id: row.seq for row in place.engine._store.owner("ana").log.everything()}
    files.create(NOTES, "soup", origin=Origin("user", "", (one, "m0")))
    files.str_replace(NOTES, "soup", new_str="")
    files.rename(NOTES, "/memories/moved.md")
    files.create("/memories/tea.md", "tea", origin=Origin("user", "", (other, "m1")))
    store = stored(place)
    assert store.made_from([one], []) == ["/memories/moved.md"]
    assert store.made_from([], [seqs["m0"]]) == ["/memories/moved.md"]
    assert store.made_from([other], [seqs["m0"]]) == ["/memories/moved.md", "/memories/tea.md"]
    assert store.made_from([], []) == []


def test_what_is_long_unread_is_told(place, files):
    begin = place.clock.now()
    files.create("/memories/old.md", "old")
    files.create("/memories/read.md", "read")
    place.clock.advance(days=30)
    files.create("/memories/new.md", "new")
    files.view("/memories/read.md")
    store = stored(place)
    assert store.unread_since(begin) == []
    assert store.unread_since(begin + timedelta(days=30)) == ["/memories/old.md"]
    assert len(store.unread_since(begin + timedelta(days=31))) == 3


def test_everything_comes_back_in_another_store(place, files, copy):
    files.create(NOTES, "one", origin=Origin("tool", "page"))
    place.clock.advance(hours=1)
    files.insert(NOTES, 1, insert_text="two", origin="user")
    files.create("/memories/gone.md", "gone")
    files.delete("/memories/gone.md")
    everything = stored(place).everything()
    other = copy(place)
    theirs = other._store.files
    assert theirs.put_back(*everything, at=place.clock.now()) == 1
    assert theirs.put_back(*everything, at=place.clock.now()) == 0

    def told(owner_files):
        return [
            (each.text, each.origin, each.trust, each.written_at, each.ended_at, each.ended_by)
            for path in (NOTES, "/memories/gone.md")
            for each in owner_files.versions(path)
        ]

    assert told(other.files) == told(files)
    assert [replace(info, version=0) for info in other.files.list()] == [
        replace(info, version=0) for info in files.list()
    ]


def file(path, text, at, trust=Trust.USER):
    now = FileVersion(path, 1, text, Origin("user"), trust, is_suspect=False, written_at=at)
    return StoredFile(now, at, at)


def test_what_is_put_back_never_replaces_what_is_newer(place, files):
    now = place.clock.now()
    files.create(NOTES, "ours")
    store, later, before = stored(place), now + timedelta(days=1), now - timedelta(days=1)
    for at in (before, now):
        assert store.put_back([file(NOTES, "theirs", at)], [], at=now) == 0
    assert files.read(NOTES) == "ours"
    assert store.put_back([file(NOTES, "theirs", later)], [], at=now) == 1
    assert [(each.text, each.ended_by) for each in files.versions(NOTES)] == [
        ("ours", "imported"),
        ("theirs", ""),
    ]


@pytest.mark.parametrize(
    "path",
    ["/memories/../up", "/etc/passwd", "/memories/N.md", "/memories/n.md/x", "/memories", ""],
)
def test_what_is_put_back_obeys_the_grammar(place, files, path):
    files.create(NOTES, "ours")
    now = place.clock.now()
    old = replace(file(path, "old", now).now, ended_at=now, ended_by="edited")
    assert stored(place).put_back([file(path, "theirs", now)], [old], at=now) == 0
    assert [info.path for info in files.list()] == [NOTES]


def test_a_view_is_shown_when_it_cannot_be_noted(place, files, monkeypatch):
    files.create(NOTES, "text")
    place.clock.advance(days=1)

    def fail(*_):
        raise StoreCorrupt

    monkeypatch.setattr(type(files._store.files), "note_read", fail)
    assert files.read(NOTES) == "text"


def test_the_number_of_a_text_is_never_used_again(place, files):
    seen = set()
    for number in range(3):
        info = files.write(NOTES, f"{number}")
        assert info.version not in seen
        seen.add(info.version)
        files.delete(NOTES)
        with stored(place)._access.write() as connection:
            erase_files(connection, [NOTES])


@pytest.mark.parametrize("version", [0, -1, True, None, "1", 1.0, 1 << 70])
def test_what_is_no_version_is_refused(files, version):
    files.create(NOTES, "text")
    with pytest.raises(FileError):
        files.restore(NOTES, version)
