"""The scan of files that are no store's: whatever lies beside one, or is named by a person."""

import bz2
import gzip
import lzma
import os
import random
import zipfile
from pathlib import Path

import pytest

import lifelong
from lifelong.scan import deployment
from lifelong.scanned import Verdict
from lifelong.stores.sqlite.raw import PIECE_BYTES

FOUND, NOT_FOUND, NOT_PROVEN = Verdict.FOUND, Verdict.NOT_FOUND, Verdict.NOT_PROVEN
WORD = "Quirkelvane"


@pytest.fixture
def engine(tmp_path, monkeypatch):
    monkeypatch.setattr(deployment, "controls", lambda _make, _id: ())
    with lifelong.open(tmp_path / "data", embedder="off", encryption="off") as engine:
        yield engine


def said_of(scan, path):
    return next(each for each in scan.files if each.path == str(path))


def by_name(scan):
    return {Path(each.path).name: each for each in scan.files}


def encodings(scan):
    return {each.encoding for file in scan.files for each in file.occurrences}


def test_a_word_in_a_file_that_nobody_knows_is_found_across_the_border_of_pieces(engine, tmp_path):
    engine.owner("ana").remember("soup")
    file = tmp_path / "data" / "owners" / "left over.tmp"
    file.write_bytes(b"\n" * (PIECE_BYTES - 3) + WORD.encode("utf-16-le"))
    (occurrence,) = said_of(engine.scan(WORD), file).occurrences
    assert (occurrence.encoding, occurrence.count) == ("UTF-16-LE", 1)
    assert (occurrence.offset, occurrence.page) == (PIECE_BYTES - 3, None)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_what_is_packed_is_unpacked(engine, tmp_path, pack):
    file = tmp_path / "log.1"
    file.write_bytes(pack(b"noise\n" * 900_000 + WORD.encode()) + pack(b"more"))
    (occurrence,) = said_of(engine.scan(WORD, paths=[file]), file).occurrences
    assert (occurrence.encoding, occurrence.offset) == ("UTF-8, unpacked", None)
    assert said_of(engine.scan("Absentwort", paths=[file]), file).verdict is NOT_FOUND
    file.write_bytes(file.read_bytes()[:-20])
    cut = said_of(engine.scan("Absentwort", paths=[file]), file)
    assert cut.reasons == ("it cannot be unpacked to its end",)


def test_a_zip_file_is_unpacked_and_one_with_a_password_is_not_proven(engine, tmp_path):
    file = tmp_path / "old.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "noise " * 9_000)
        archive.writestr("b.txt", WORD)
    assert said_of(engine.scan(WORD, paths=[file]), file).verdict is FOUND
    data = bytearray(file.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.find(mark)
        while place >= 0:
            data[place + at] |= 1  # "encrypted"
            place = data.find(mark, place + 1)
    file.write_bytes(data)
    locked = said_of(engine.scan("Absentwort", paths=[file]), file)
    assert locked.verdict is NOT_PROVEN
    assert "password" in locked.reasons[0]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (random.Random(3).randbytes(50_000), "part of it looks encrypted or compressed"),
        (b"text " * 300_000 + random.Random(4).randbytes(2_000_000), "part of it looks"),
        (b"age-encryption.org/v1\n-> X25519", "it is encrypted with age"),
        (b"\x28\xb5\x2f\xfd" + b"\0" * 50, "it is packed with zstd"),
        (gzip.compress(random.Random(5).randbytes(50_000)), "what is packed in it: part of it"),
    ],
)
def test_what_cannot_be_read_is_not_proven(engine, tmp_path, content, reason):
    file = tmp_path / "backup.bin"
    file.write_bytes(content)
    found = said_of(engine.scan(WORD, paths=[file]), file)
    assert found.verdict is NOT_PROVEN
    assert found.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    "content", [b"", b"x", b"soup " * 20_000, bytes(70_000), bytes(range(256))]
)
def test_what_can_be_read_is_proven(engine, tmp_path, content):
    file = tmp_path / "notes"
    file.write_bytes(content)
    assert said_of(engine.scan(WORD, paths=[file]), file).verdict is NOT_FOUND


def test_names_are_searched_too(engine, tmp_path):
    folder = tmp_path / "mirror" / f"about {WORD}"
    folder.mkdir(parents=True)
    assert encodings(engine.scan(WORD, paths=[tmp_path / "mirror"])) == {"UTF-8, in its name"}
    (folder / "empty").touch()
    assert encodings(engine.scan(WORD, paths=[tmp_path / "mirror"])) == {"UTF-8, in its name"}
    folder.rename(tmp_path / "mirror" / "x")
    assert engine.scan(WORD, paths=[tmp_path / "mirror"]).verdict is NOT_FOUND


def test_a_name_that_is_no_text_is_read_or_not_proven(engine, tmp_path):
    folder = tmp_path / "mirror"
    folder.mkdir()
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe")).write_text(WORD)
    (found,) = [e for e in engine.scan(WORD, paths=[folder]).files if "mirror" in e.path]
    assert found.verdict in (FOUND, NOT_PROVEN)


def test_links_are_not_followed(engine, tmp_path):
    engine.owner("ana").remember("soup")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text(WORD)
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    for name, target in (("file", outside / "secret"), ("folder", outside)):
        (mirror / name).symlink_to(target)
    (mirror / "nowhere").symlink_to(tmp_path / "none")
    (mirror / "loop").symlink_to(mirror / "loop")
    (mirror / "round").symlink_to(mirror)
    found = by_name(engine.scan(WORD, paths=[mirror]))
    assert (found["file"].verdict, found["folder"].verdict) == (NOT_PROVEN, NOT_PROVEN)
    assert "not followed" in found["file"].reasons[0]
    assert (found["nowhere"].verdict, found["round"].verdict) == (NOT_FOUND, NOT_FOUND)
    # Where what a link leads to is scanned as well, nothing is left open; a path is followed.
    all_of_it = engine.scan(WORD, paths=[mirror, outside])
    assert said_of(all_of_it, mirror / "file").verdict is NOT_FOUND
    assert said_of(all_of_it, outside / "secret").verdict is FOUND
    assert engine.scan(WORD, paths=[mirror / "file"]).verdict is FOUND


def test_a_pipe_is_not_waited_for(engine, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    found = said_of(engine.scan(WORD, paths=[tmp_path / "pipe"]), tmp_path / "pipe")
    assert found.verdict is NOT_FOUND


def test_what_may_not_be_read_is_not_proven(engine, tmp_path, monkeypatch):
    folder, file = tmp_path / "logs" / "closed", tmp_path / "logs" / "a.log"
    folder.mkdir(parents=True)
    file.write_text(WORD)
    listed = Path.iterdir

    def iterdir(path):
        if path == folder:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(Path, "iterdir", iterdir)  # root may read everything
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != file)
    scan = engine.scan(WORD, paths=[tmp_path / "logs"])
    assert said_of(scan, file).reasons == ("it cannot be read: Permission denied",)
    assert said_of(scan, folder).reasons == ("the directory cannot be read: Permission denied",)
    assert scan.verdict is NOT_PROVEN


def test_a_path_is_scanned_once_however_it_is_named(engine, tmp_path):
    engine.owner("ana").remember("soup")
    data = tmp_path / "data"
    paths = [data, data / "owners", f"{data}/owners/../owners", tmp_path / "data" / "lifelong.json"]
    assert len(engine.scan(WORD, paths=paths).files) == len(engine.scan(WORD).files)
