"""The scan of bytes: it finds what is there, says what it cannot know, and harms nobody."""

import os
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

import lifelong
from lifelong import scan as scanning
from lifelong.conformance import WordsModel, said
from lifelong.engine import scan_locked
from lifelong.errors import EmptyText, InvalidValue
from lifelong.scan import controls as known
from lifelong.scan import deployment
from lifelong.scanned import Control, Verdict

FOUND, NOT_FOUND, NOT_PROVEN = Verdict.FOUND, Verdict.NOT_FOUND, Verdict.NOT_PROVEN
WORD = "Quirkelvane"
KEY = bytes(range(32))


@pytest.fixture(params=["encrypted", "plain"])
def kind(request):
    return request.param


@pytest.fixture
def open_store(tmp_path, kind):
    """A function that opens the store of the test; each engine is closed with it."""
    engines = []

    def call(embedder="off"):
        options = {"key": KEY, "encryption": "on" if kind == "encrypted" else "off"}
        engines.append(lifelong.open(tmp_path / "data", embedder=embedder, **options))
        return engines[-1]

    yield call
    for engine in engines:
        engine.close()


@pytest.fixture
def engine(open_store):
    return open_store()


@pytest.fixture(autouse=True)
def quick_controls(request, monkeypatch):
    """Controls take half a second; only some tests are about them."""
    if "controls" not in request.node.name:
        monkeypatch.setattr(deployment, "controls", lambda _make, _id: ())


def owner_file(engine, owner_id="ana"):
    return engine._store.open_owner(owner_id, may_make=False).file


def by_name(scan):
    return {Path(each.path).name: each for each in scan.files}


def said_of(scan, path):
    return next(each for each in scan.files if each.path == str(path))


def encodings(scan):
    return {each.encoding for file in scan.files for each in file.occurrences}


def emptied(connection):
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)


@pytest.fixture
def careless(engine):
    """A connection to the file of ana that overwrites nothing, as another program might make it."""
    engine.owner("ana").set("n", 1)
    file = owner_file(engine)
    connection = apsw.Connection(str(file.path))
    if file.key:
        connection.pragma("key", f"raw:{file.key.hex()}")
    connection.execute("PRAGMA secure_delete = OFF; PRAGMA wal_autocheckpoint = 0")
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("CREATE TABLE kept (text)")
    yield connection
    connection.close()


# The controls


def test_controls_what_is_there_is_found_and_what_was_forgotten_is_not(engine, kind):
    owner = engine.owner("ana")
    owner.session("s").append(said(f"I met {WORD} today", "soup"))
    owner.remember(f"Knows {WORD}")
    found = engine.scan(WORD)
    assert found.verdict is FOUND
    (file,) = [each for each in found.files if each.verdict is FOUND]
    assert file.is_decrypted == (kind == "encrypted")
    assert {"UTF-8", "full-text index"} <= encodings(found)
    assert all(each.page for each in file.occurrences)
    owner.forget(match=WORD)
    gone = engine.scan(WORD)
    assert (gone.verdict, encodings(gone)) == (NOT_FOUND, set())
    assert len(gone.controls) == 6
    assert all(each.has_passed for each in gone.controls)


def test_controls_that_fail_leave_nothing_proven(engine, monkeypatch):
    engine.owner("ana").remember("soup")
    plant = known.Scratch

    def forgetful(_plant, *others):
        return plant(lambda _text: None, *others)

    monkeypatch.setattr("lifelong.engine.Scratch", forgetful)
    scan = engine.scan(WORD)
    assert scan.verdict is NOT_PROVEN
    assert [each.name for each in scan.controls if not each.has_passed] == [
        "an encrypted store that holds the word",
        "a plain store that holds the word",
    ]


def test_controls_that_cannot_be_made_leave_nothing_proven(engine, monkeypatch):
    def refused(_place, _is_encrypted):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lifelong.engine._scratch", refused)
    assert engine.scan(WORD).verdict is NOT_PROVEN


def test_a_control_passes_with_the_verdict_that_was_expected_alone():
    assert Control("x", FOUND, FOUND).has_passed
    assert not Control("x", NOT_PROVEN, NOT_FOUND).has_passed


# What lies in a database


def test_a_deleted_word_on_a_free_page_is_found(engine, careless):
    rows = [(f"{WORD} {'x' * 900}",) for _ in range(40)]
    careless.executemany("INSERT INTO kept VALUES (?)", rows)
    emptied(careless)
    careless.execute("DROP TABLE kept")
    emptied(careless)
    assert careless.pragma("freelist_count") >= 8
    assert careless.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'kept'").get == 0
    found = engine.scan(WORD)
    assert said_of(found, owner_file(engine).path).verdict is FOUND


def test_a_deleted_word_in_a_page_that_is_used_is_found(engine, careless):
    careless.execute("INSERT INTO kept VALUES (?)", (f"it is {WORD}",))
    careless.execute("DELETE FROM kept")
    emptied(careless)
    assert said_of(engine.scan(WORD), owner_file(engine).path).verdict is FOUND


def test_a_deleted_word_in_an_old_frame_of_the_wal_is_found(engine, careless):
    careless.execute("PRAGMA secure_delete = ON")
    careless.execute("INSERT INTO kept VALUES (?)", (f"it is {WORD}",))
    careless.execute("DELETE FROM kept")
    path = owner_file(engine).path
    found = engine.scan(WORD)
    assert said_of(found, path).verdict is NOT_FOUND
    assert said_of(found, f"{path}-wal").verdict is FOUND
    emptied(careless)
    assert engine.scan(WORD).verdict is NOT_FOUND


def test_a_word_that_only_the_full_text_index_has_is_found(engine, careless):
    for text in (f"{WORD} was here", "Quirkelvano was not"):
        careless.execute("INSERT INTO passage_text (text) VALUES (?)", (text.lower(),))
    careless.execute("UPDATE passage_text_content SET c0 = 'soup'")
    careless.execute("PRAGMA secure_delete = ON; VACUUM")
    emptied(careless)
    found = engine.scan(WORD)
    assert found.verdict is FOUND
    assert encodings(found) == {"full-text index"}


def test_a_text_that_overflow_pages_cut_in_two_is_found(engine, careless):
    # Given rows of one size, whose text a page ends in at each of its letters,
    secret = "Mira works at Halden Labs, and nobody may know of it"
    usable = 4064 if owner_file(engine).key else 4096
    least = (usable - 12) * 32 // 255 - 23  # the file format's own rule of what stays on the page
    size, header = 6_000, 4
    there = least + (size + header - least) % (usable - 4) - header
    starts = range(there - len(secret) + 1, there)
    rows = [("x" * at + secret + "y" * (size - at - len(secret)),) for at in starts]
    careless.executemany("INSERT INTO kept VALUES (?)", rows)
    emptied(careless)
    # then the larger part of each is found.
    found = said_of(engine.scan(secret), owner_file(engine).path)
    (occurrence,) = found.occurrences
    assert occurrence.encoding == "UTF-8, cut by the end of a page"
    assert len(rows) <= occurrence.count <= len(rows) + 2  # twice where both parts are large


def test_single_words_of_a_text_do_not_decide(engine):
    engine.owner("ana").remember(f"Works with {WORD} at the harbour")
    scan = engine.scan(f"{WORD} lives in Halden")
    assert scan.verdict is NOT_FOUND
    (occurrence,) = [each for file in scan.files for each in file.occurrences]
    assert (occurrence.encoding, occurrence.is_whole) == (
        "full-text index, one of its words",
        False,
    )


@pytest.mark.parametrize(
    "text", ["Straße in Zürich", "東京に住んでいる", "Привет мир", "قهوة", "👩‍👩‍👧 family"]
)
def test_texts_of_every_script_are_found(engine, text):
    engine.owner("ana").session("s").append(said(f"... {text} ..."))
    assert engine.scan(text).verdict is FOUND


def test_a_vector_is_found_where_its_text_is_gone(open_store):
    engine = open_store(WordsModel())
    owner = engine.owner("ana")
    owner.session("s").append(said("Mira works at Halden"))
    owner.reindex(words=False)
    with engine._store.open_owner("ana", may_make=False).pool.write() as connection:
        connection.execute("UPDATE message SET payload = '{}'")
        connection.execute("UPDATE passage_text SET text = 'soup'")
    engine._store.open_owner("ana", may_make=False).pool.truncate_wal()
    found = engine.scan("Mira works at Halden")
    assert found.verdict is FOUND
    assert "vector (float16)" in encodings(found)


def test_the_name_of_an_owner_is_found_in_the_catalogue(engine):
    engine.owner(WORD).remember("soup")
    found = by_name(engine.scan(WORD))
    assert max(found["catalogue.db"].verdict, found["catalogue.db-wal"].verdict) is FOUND
    engine.owner(WORD).forget(everything=True)
    assert engine.scan(WORD).verdict is NOT_FOUND


# Keys


def test_what_no_key_opens_is_not_proven(open_store, tmp_path, kind):
    engine = open_store()
    engine.owner("ana").remember(WORD)
    engine.close()
    scan = scan_locked(tmp_path / "data", WORD)
    if kind == "plain":
        assert scan.verdict is FOUND
        return
    assert scan.verdict is NOT_PROVEN
    assert scan_locked(tmp_path / "data", "Absentwort").verdict is NOT_PROVEN
    reasons = {each.reasons for each in scan.files if Path(each.path).suffix == ".db"}
    assert reasons == {("it is encrypted, and no key here opens it",)}


def test_a_copy_of_a_forgotten_owner_is_not_proven_and_a_live_one_is_read(engine, tmp_path, kind):
    engine.owner("ana").remember(WORD)
    engine.owner("bo").remember("soup")
    copy = tmp_path / "copy.db"
    path = owner_file(engine).path
    engine._store.open_owner("ana", may_make=False).pool.truncate_wal()
    copy.write_bytes(read(path))
    live = engine.scan(WORD, paths=[copy])
    assert said_of(live, copy).verdict is FOUND
    engine.owner("ana").forget(everything=True)
    gone = engine.scan(WORD, paths=[copy])
    assert said_of(gone, copy).verdict is (NOT_PROVEN if kind == "encrypted" else FOUND)
    assert all(each.verdict is NOT_FOUND for each in gone.files if each.path != str(copy))


def read(path):
    """Return the bytes of a database by a process of its own: closing a file here drops locks."""
    return subprocess.run(["cat", str(path)], capture_output=True, check=True).stdout


def test_a_wal_without_its_database_is_read_or_not_proven(engine, tmp_path, kind):
    engine.owner("ana").remember(WORD)
    with engine._store.open_owner("ana", may_make=False).pool.write() as connection:
        connection.execute("UPDATE state SET value = value")
        connection.execute("INSERT INTO state VALUES ('a', ?, 0)", (WORD,))
    copy = tmp_path / "left.db-wal"
    copy.write_bytes(read(f"{owner_file(engine).path}-wal"))
    assert said_of(engine.scan(WORD, paths=[copy]), copy).verdict is FOUND
    locked = said_of(scan_locked(tmp_path / "none", WORD, paths=[copy]), copy)
    assert locked.verdict is (NOT_PROVEN if kind == "encrypted" else FOUND)


@pytest.mark.parametrize("length", [0, 4096, 40_960, 41_000])
def test_a_file_that_was_cut_is_what_is_left_of_it(open_store, tmp_path, kind, length):
    engine = open_store()
    engine.owner("ana").remember(WORD)
    path = owner_file(engine).path
    engine.close()
    os.truncate(path, length)
    copy = tmp_path / path.name  # beside the store, whose engine does not open it then
    path.rename(copy)
    found = said_of(open_store().scan("Absentwort", paths=[copy]), copy)
    is_broken = kind == "encrypted" and length % 4096
    assert found.verdict is (NOT_PROVEN if is_broken else NOT_FOUND)
    assert found.size == length


def test_a_page_that_was_damaged_is_not_proven(open_store, tmp_path, kind):
    engine = open_store()
    engine.owner("ana").remember("soup")
    path = owner_file(engine).path
    engine.close()
    with path.open("r+b") as stream:
        stream.seek(4096 * 6 + 100)
        stream.write(b"\1\2\3")
    copy = path.rename(tmp_path / path.name)
    found = said_of(open_store().scan(WORD, paths=[copy]), copy)
    if kind == "encrypted":
        assert found.reasons == ("its key does not open 1 of its pages",)
        assert found.verdict is NOT_PROVEN
    else:
        assert found.verdict is NOT_FOUND


# While others are at work


@pytest.fixture
def meddled(monkeypatch):
    """A function that lets something happen before each file is read."""

    def install(meddle):
        original = scanning.scan_file

        def scan_file(files, entry, needles):
            meddle(entry.path)
            return original(files, entry, needles)

        monkeypatch.setattr(scanning, "scan_file", scan_file)

    return install


def test_a_file_that_goes_is_left_out_and_one_that_comes_is_scanned(engine, tmp_path, meddled):
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_text(WORD)

    def rotate(path):
        if path.name == "a.log" and path.exists():
            path.rename(folder / "b.log")

    meddled(rotate)
    found = by_name(engine.scan(WORD, paths=[folder]))
    assert "a.log" not in found
    assert found["b.log"].verdict is FOUND


def test_a_file_that_changes_is_read_again(engine, tmp_path, meddled):
    file = tmp_path / "a.log"
    file.write_text("soup")
    reads = []

    def write(path):
        if path == file:
            reads.append(path)
            if len(reads) == 1:
                file.write_text(f"soup with {WORD}")

    meddled(write)
    assert said_of(engine.scan(WORD, paths=[file]), file).verdict is FOUND
    assert len(reads) == 2


def test_a_file_that_never_stays_the_same_is_not_proven(engine, tmp_path, meddled):
    file = tmp_path / "a.log"
    file.write_text("soup")

    def write(path):
        if path == file:
            with file.open("a") as stream:
                stream.write("more")

    meddled(write)
    found = said_of(engine.scan(WORD, paths=[file]), file)
    assert found.verdict is NOT_PROVEN
    assert "changes while it is read" in found.reasons[0]


OTHER_PROCESS = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
if sys.argv[2]:
    connection.pragma("key", f"raw:{sys.argv[2]}")
try:
    connection.execute("BEGIN IMMEDIATE")
    print("it could write")
except apsw.BusyError:
    print("busy")
"""


def tried(command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_scan_drops_no_lock_of_this_process(engine):
    # Closing a file drops every lock that its process has on it, by the rules of POSIX.
    engine.owner("ana").remember("soup")
    file = owner_file(engine)
    other = [
        sys.executable,
        "-c",
        OTHER_PROCESS,
        str(file.path),
        file.key.hex() if file.key else "",
    ]
    with engine._store.open_owner("ana", may_make=False).pool.write() as connection:
        connection.execute("UPDATE property SET value = value")
        for _ in range(2):
            engine.scan(WORD, paths=[file.path.parent])
            assert tried(other) == "busy\n"
    assert tried(other) == "it could write\n"


def all_bytes(folder):
    """Return what is in each file, apart from the indexes of WALs, in which readers sign in."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [
        (path, path.stat().st_mtime_ns, read(path)) for path in files if path.suffix != ".db-shm"
    ]


def test_a_scan_changes_nothing(engine, tmp_path):
    owner = engine.owner("ana")
    owner.remember(WORD)
    before = all_bytes(tmp_path / "data")
    engine.scan(WORD)
    assert all_bytes(tmp_path / "data") == before
    assert owner.check().is_clean


def test_a_scan_says_nothing_of_what_stands_there(engine):
    engine.owner("ana").remember(f"{WORD} owes 4471 to Halden")
    scan = engine.scan(WORD)
    assert WORD.lower() not in repr(scan).lower()
    assert "4471" not in repr(scan)


# Input


@pytest.mark.parametrize(("text", "error"), [("", EmptyText), (" \n", EmptyText)])
def test_nothing_to_look_for_is_refused(engine, text, error):
    with pytest.raises(error):
        engine.scan(text)


@pytest.mark.parametrize("text", ["a", "abc", "é1", "x\0"])
def test_a_text_that_is_too_short_is_refused(engine, text):
    with pytest.raises(InvalidValue, match="4 bytes"):
        engine.scan(text)


@pytest.mark.parametrize("text", ["\ud800abcd", "nul \0 inside", "\u202eabcd", "a\u0308" * 3_000])
def test_odd_texts_are_looked_for(engine, text):
    assert engine.scan(text).verdict is NOT_FOUND


def test_a_path_that_is_not_there_is_refused(engine, tmp_path):
    with pytest.raises(InvalidValue, match="not there"):
        engine.scan(WORD, paths=[tmp_path / "none"])


def test_a_store_in_memory_proves_nothing(tmp_path):
    (tmp_path / "log").write_text("soup")
    with lifelong.open("memory:", embedder="off") as engine:
        engine.owner("ana").remember(WORD)
        assert engine.scan(WORD).verdict is NOT_PROVEN
        scan = engine.scan(WORD, paths=[tmp_path / "log"])
        assert (scan.verdict, scan.reasons) == (
            NOT_PROVEN,
            ("the store is in memory, which is not scanned",),
        )


def test_progress_is_told_in_bytes(engine, tmp_path):
    file = tmp_path / "log"
    file.write_bytes(b"soup " * 1_000_000)
    told = []
    engine.scan(WORD, paths=[file], on_progress=lambda *step: told.append(step))
    done, total, _ = told[-1]
    assert done == total >= 5_000_000
    assert [step[0] for step in told] == sorted(step[0] for step in told)
