"""Files that are damaged, cut off, replaced or gone: a named error, and no further damage."""

import json
import shutil

import pytest

import lifelong
from lifelong.conformance import texts
from lifelong.errors import SchemaTooNew, StoreCorrupt, StoreError

PAGE = 4096


def flip(data):
    return bytes(
        byte ^ 0xFF if at > PAGE and at % 512 == 0 else byte for at, byte in enumerate(data)
    )


DAMAGE = {
    "nothing left": lambda _: b"",
    "junk": lambda _: b"junk" * 4_000,
    "a little junk": lambda _: b"j" * 10,
    "a text file": lambda _: b'{"not": "a database"}\n' * 500,
    "half a header": lambda data: data[:50],
    "first page only": lambda data: data[:PAGE],
    "half": lambda data: data[: len(data) // 2 // PAGE * PAGE],
    "flipped bits": flip,
    "zeros": lambda data: bytes(len(data)),
    "zeros at the start": lambda data: bytes(PAGE) + data[PAGE:],
}


def use(engine):
    """Use every part of an owner, so that each page of its file is looked at."""
    owner = engine.owner("ana")
    owner.memories()
    owner.session("s").messages()
    owner.recall("tram tea")
    if not owner.check().is_clean:
        raise StoreCorrupt("check says so")
    owner.remember("new")


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_catalogue_is_named(stored, refused, damage):
    stored.catalogue.write_bytes(damage(stored.catalogue.read_bytes()))
    before = stored.bytes()
    with refused(StoreCorrupt), stored.open() as engine:
        use(engine)
    assert stored.bytes() == before


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_owner_is_named_and_the_others_go_on(stored, refused, damage):
    stored.owner_file.write_bytes(damage(stored.owner_file.read_bytes()))
    before = stored.bytes()
    with stored.open() as engine:
        with refused(StoreCorrupt):
            use(engine)
        assert texts(engine.owner("bo").memories()) == ["Likes soup"]
        assert engine.owners() == ["ana", "bo"]
    assert stored.bytes() == before


@pytest.mark.parametrize("verb", ["memories", "remember", "stats", "check", "forget"])
def test_no_error_of_sqlite_comes_through(stored, verb):
    data = stored.owner_file.read_bytes()
    for pages in range(1, 12):
        stored.owner_file.write_bytes(data[: pages * PAGE])
        with stored.open() as engine:
            owner = engine.owner("ana")
            call = {
                "memories": owner.memories,
                "remember": lambda owner=owner: owner.remember("new"),
                "stats": owner.stats,
                "check": owner.check,
                "forget": lambda owner=owner: owner.forget(match="tram"),
            }[verb]
            with pytest.raises(StoreError):
                call()


def test_an_owner_s_file_that_is_gone_is_named(stored, refused):
    stored.owner_file.unlink()
    with stored.open() as engine:
        with refused(StoreCorrupt):
            engine.owner("ana").memories()
        with refused(StoreCorrupt):
            engine.owner("ana").remember("new")
        assert texts(engine.owner("bo").memories()) == ["Likes soup"]
    assert not stored.owner_file.exists()


def test_an_owner_s_file_that_is_another_s_is_named(stored):
    shutil.copy(stored.file_of("bo"), stored.owner_file)
    if stored.options:
        return  # without encryption nothing binds a file to its owner
    with stored.open() as engine, pytest.raises(StoreCorrupt):
        engine.owner("ana").memories()


def test_a_folder_where_a_file_should_be_is_named(stored):
    stored.owner_file.unlink()
    stored.owner_file.mkdir()
    with stored.open() as engine, pytest.raises(StoreError):
        engine.owner("ana").memories()
    stored.catalogue.unlink()
    stored.catalogue.mkdir()
    with pytest.raises(StoreError):
        stored.open()


def test_a_lost_catalogue_is_not_made_anew(stored, refused):
    stored.catalogue.unlink()
    with refused(StoreCorrupt):
        stored.open()
    assert not stored.catalogue.exists()


def test_a_lost_marker_is_not_made_anew(stored, refused):
    text = stored.marker.read_text()
    stored.marker.unlink()
    with refused(StoreCorrupt):
        stored.open()
    assert not stored.marker.exists()
    stored.marker.write_text(text)
    assert stored.is_whole()


MARKERS = {
    "empty": "",
    "cut off": '{"format": 1, "encr',
    "a list": "[]",
    "a number": "1",
    "no fields": "{}",
    "format is a word": '{"format": "one", "encryption": "on", "key_source": "given"}',
    "bytes": b"\xff\xfe\x00",
    "null": '{"format": null, "encryption": null, "key_source": null, "key_check": null}',
}


@pytest.mark.parametrize("text", MARKERS.values(), ids=MARKERS)
def test_a_damaged_marker_is_named(stored, refused, text):
    kept = stored.marker.read_bytes()
    stored.marker.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = stored.bytes()
    with refused(StoreCorrupt):
        stored.open()
    assert stored.bytes() == before
    stored.marker.write_bytes(kept)
    assert stored.is_whole()


def test_a_marker_that_says_the_wrong_encryption_opens_nothing(stored):
    said = json.loads(stored.marker.read_text())
    said["encryption"] = "off" if said["encryption"] == "on" else "on"
    stored.marker.write_text(json.dumps(said))
    before = stored.bytes()
    with pytest.raises(StoreError):
        lifelong.open(stored.where, key=bytes(range(32)))
    assert stored.bytes() == before


def test_a_newer_directory_is_refused(stored, refused):
    said = json.loads(stored.marker.read_text())
    stored.marker.write_text(json.dumps({**said, "format": said["format"] + 1}))
    before = stored.bytes()
    with refused(SchemaTooNew):
        stored.open()
    assert stored.bytes() == before


def test_a_newer_owner_is_refused_and_the_others_go_on(stored, refused):
    with stored.open() as engine:
        opened = engine._store.open_owner("ana", may_make=False)
        with opened.pool.write() as connection:
            connection.execute("INSERT INTO schema_version VALUES (99, 'future', 0)")
    before = stored.bytes()
    with stored.open() as engine:
        for _ in range(2):
            with refused(SchemaTooNew):
                engine.owner("ana").memories()
        with refused(SchemaTooNew):
            engine.owner("ana").remember("new")
        assert texts(engine.owner("bo").memories()) == ["Likes soup"]
    assert stored.bytes() == before


def test_strange_files_beside_the_store_are_left_alone(stored):
    (stored.where / "owners" / "notes.txt").write_text("mine")
    (stored.where / "owners" / "stray.db").write_bytes(b"junk")
    (stored.where / ".draft-0123").write_bytes(b"left by a killed process")
    assert stored.is_whole()
    assert (stored.where / "owners" / "stray.db").read_bytes() == b"junk"


def test_a_file_where_the_directory_should_be(tmp_path):
    (tmp_path / "file").write_text("mine")
    for where in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError):
            lifelong.open(where)
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("where", ["a\x00b", "~nobody-of-this-name/x", "\udc97", b"bytes", 5, ""])
def test_a_path_that_cannot_be_one(tmp_path, monkeypatch, where):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((lifelong.LifelongError, TypeError)):
        lifelong.open(where)
    assert list(tmp_path.iterdir()) == []
