"""Exports as files: whole or not at all, for one pair of eyes, encrypted, and opened again."""

import gzip
import io
import json
import os
import stat
import sys
import threading

import pyrage
import pytest

import lifelong
from lifelong import export_files
from lifelong.errors import (
    ExportDamaged,
    ExportEncrypted,
    InvalidValue,
    MissingExtra,
    StoreError,
    TranscriptError,
    WrongIdentity,
)
from lifelong.export_files import is_encrypted, write_export

LINES = ['{"what": "lifelong"}', '{"text": "käse"}']
PLAIN = "".join(f"{line}\n" for line in LINES).encode()


@pytest.fixture(scope="module")
def key():
    return pyrage.x25519.Identity.generate()


@pytest.fixture
def ana():
    with lifelong.open("memory:", embedder="off") as engine:
        owner = engine.owner("ana")
        owner.remember("Ana owns a drum")
        owner.session("s").append([{"role": "user", "content": "x" * 200_000}], ids=["m1"])
        yield owner


@pytest.fixture
def bo():
    with lifelong.open("memory:", embedder="off") as engine:
        yield engine.owner("bo")


def opened(key, file):
    target = io.BytesIO()
    with file.open("rb") as stream:
        pyrage.decrypt_io(stream, target, [key])
    return target.getvalue()


def test_a_file_is_for_its_owner_alone(tmp_path, key):
    """Whatever the file was before, and whatever this user gives away by habit."""
    old = os.umask(0)
    try:
        for name, options in (("a", {}), ("b", {"recipients": [str(key.to_public())]})):
            file = tmp_path / name
            file.write_text("old")
            file.chmod(0o666)
            assert write_export(file, LINES, **options) == 2
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(old)
    assert (tmp_path / "a").read_bytes() == PLAIN
    assert opened(key, tmp_path / "b") == PLAIN
    assert b"drum" not in (tmp_path / "b").read_bytes()


def broken_lines():
    yield LINES[0]
    raise StoreError("the disk went away")


@pytest.mark.parametrize("options", [{}, {"passphrase": "p"}, {"recipients": ["r"]}])
def test_what_stops_in_the_middle_leaves_the_old_file(tmp_path, key, options):
    options = {"recipients": [str(key.to_public())]} if "recipients" in options else options
    file = tmp_path / "a"
    file.write_text("old")
    with pytest.raises(StoreError, match="the disk went away"):
        write_export(file, broken_lines(), **options)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a", "old")]


def test_a_place_that_cannot_be_written_is_an_os_error(tmp_path):
    for target, error in ((tmp_path / "no" / "a", FileNotFoundError), (tmp_path, OSError)):
        with pytest.raises(error):
            write_export(target, LINES)
    assert list(tmp_path.iterdir()) == []


def test_a_stream_is_written_too(key):
    plain, sealed = io.BytesIO(), io.BytesIO()
    write_export(plain, LINES)
    write_export(sealed, iter(LINES), recipients=[str(key.to_public())])
    assert plain.getvalue() == PLAIN
    assert pyrage.decrypt(sealed.getvalue(), [key]) == PLAIN


@pytest.mark.parametrize(
    "options",
    [
        {"recipients": ["age1nobody"]},
        {"recipients": ["bob@example.com"]},
        {"recipients": ["ssh-rsa AAAA"]},
        {"recipients": [""]},
        {"recipients": [7]},
        {"recipients": "age1"},
        {"passphrase": ""},
        {"recipients": ["age1x"], "passphrase": "p"},
    ],
)
def test_what_cannot_encrypt_writes_nothing(tmp_path, options):
    with pytest.raises(InvalidValue):
        write_export(tmp_path / "a", LINES, **options)
    assert list(tmp_path.iterdir()) == []


def test_without_the_package_the_error_says_what_to_install(tmp_path, ana, bo, monkeypatch, key):
    file = tmp_path / "a.age"
    ana.export_to(file, recipients=[str(key.to_public())])
    monkeypatch.setitem(sys.modules, "pyrage", None)
    for call in (
        lambda: ana.export_to(tmp_path / "b", passphrase="p"),
        lambda: ana.export_to(tmp_path / "b", recipients=["age1x"]),
        lambda: bo.import_transcripts("lifelong", file, identities=[str(key)]),
        lambda: bo.import_transcripts("lifelong", file, passphrase="p"),
    ):
        with pytest.raises(MissingExtra, match=r"pip install 'lifelong\[age\]'"):
            call()
    assert [each.name for each in tmp_path.iterdir()] == ["a.age"]


def test_an_export_goes_from_owner_to_owner_encrypted(tmp_path, ana, bo, key):
    other = pyrage.x25519.Identity.generate()
    file = tmp_path / "a.jsonl.age"
    lines = ana.export_to(file, recipients=[str(other.to_public()), str(key.to_public())])
    assert lines == len(list(ana.export()))
    assert is_encrypted(file)
    told = []
    text = f"# created: 2026-01-01\n# public key: {key.to_public()}\n{key}\n"
    report = bo.import_transcripts(
        "lifelong", file, lambda *args: told.append(args), identities=[text]
    )
    assert (report.added, report.memories.added, report.broken) == (1, 1, ())
    assert told[-1][:2] == (file.stat().st_size, file.stat().st_size)
    assert [memory.text for memory in bo.memories()] == ["Ana owns a drum"]
    assert bo.review.restore(tmp_path, identities=[text]).memories.duplicates == 1


def test_a_passphrase_opens_what_it_closed(tmp_path, ana, bo):
    file = tmp_path / "a.age"
    ana.export_to(file, passphrase="größer 4 words")
    with pytest.raises(WrongIdentity):
        bo.import_transcripts("lifelong", file, passphrase="grosser 4 words")
    assert bo.sessions() == []
    assert bo.import_transcripts("lifelong", file, passphrase="größer 4 words").added == 1


def test_ssh_keys_and_armour_are_understood(tmp_path, ana, bo, key):
    armoured = tmp_path / "b.age"
    text = "".join(f"{line}\n" for line in ana.export()).encode()
    armoured.write_bytes(pyrage.encrypt(text, [key.to_public()], armored=True))
    assert bo.import_transcripts("lifelong", armoured, identities=[str(key)]).added == 1


def test_what_is_encrypted_and_packed_is_unpacked(tmp_path, ana, bo, key):
    file = tmp_path / "b.age"
    text = gzip.compress("".join(f"{line}\n" for line in ana.export()).encode())
    file.write_bytes(pyrage.encrypt(text, [key.to_public()]))
    report = bo.import_transcripts("lifelong", file, identities=[str(key)])
    assert (report.added, report.broken) == (1, ())


def test_without_a_key_it_is_named_as_encrypted(tmp_path, ana, bo, key):
    file = tmp_path / "a.age"
    ana.export_to(file, recipients=[str(key.to_public())])
    with pytest.raises(ExportEncrypted, match="--identity-file"):
        bo.import_transcripts("lifelong", file)
    stranger = str(pyrage.x25519.Identity.generate())
    with pytest.raises(WrongIdentity):
        bo.import_transcripts("lifelong", file, identities=[stranger])
    with pytest.raises(WrongIdentity):
        bo.import_transcripts("lifelong", file, passphrase="p")
    for bad in ("", "no key", "AGE-SECRET-KEY-1XYZ", "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n"):
        with pytest.raises(InvalidValue):
            bo.import_transcripts("lifelong", file, identities=[bad])
    with pytest.raises(InvalidValue):
        bo.import_transcripts("lifelong", file, identities=str(key))
    with pytest.raises(InvalidValue):
        bo.import_transcripts("lifelong", file, identities=[str(key)], passphrase="p")
    assert bo.sessions() == []


def test_a_file_that_is_not_encrypted_is_not_taken_for_one(tmp_path, ana, bo, key):
    """Whoever names a key expects what only its owner could read: another file was put there."""
    file = tmp_path / "a.age"
    ana.export_to(file)
    for how in ({"identities": [str(key)]}, {"passphrase": "p"}):
        with pytest.raises(TranscriptError, match="not encrypted"):
            bo.import_transcripts("lifelong", file, **how)
        with pytest.raises(InvalidValue, match="only lifelong is ever encrypted"):
            bo.import_transcripts("chat", file, **how)
    assert bo.sessions() == []
    for data in (b"", b"age-encryption.or", b"\x00" * 100):
        file.write_bytes(data)
        with pytest.raises(TranscriptError):
            bo.import_transcripts("lifelong", file, identities=[str(key)])


def test_a_pipe_is_read_once(tmp_path, ana, bo):
    """As of a command that prints an export."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    lines = list(ana.export())
    writer = threading.Thread(target=lambda: pipe.write_text("\n".join(lines) + "\n"))
    writer.start()
    report = bo.import_transcripts("lifelong", pipe)
    writer.join(60)
    assert (report.added, report.memories.added, report.broken) == (1, 1, ())


def test_cut_or_changed_anywhere_nothing_of_it_is_read(tmp_path, ana, bo, key):
    whole = tmp_path / "a.age"
    ana.export_to(whole, recipients=[str(key.to_public())])
    data = whole.read_bytes()
    assert len(data) > 3 * 65_536  # more than one piece of age's
    bad = tmp_path / "bad.age"
    ends = [len(data) - 1, 65_536 * 2 + 200, 65_536 + 200, 300, 120, 30]
    places = [len(data) - 1, len(data) - 40_000, 100_000, 250, 120, 40]
    for spoilt in (
        *(data[:end] for end in ends),
        *(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :] for at in places),
        data + b"more",
    ):
        bad.write_bytes(spoilt)
        with pytest.raises((ExportDamaged, WrongIdentity)):
            bo.import_transcripts("lifelong", bad, identities=[str(key)])
    assert bo.sessions() == []
    assert bo.memories() == []


def test_a_passphrase_file_that_was_cut_or_changed_brings_nothing(tmp_path, ana, bo, monkeypatch):
    """Each try costs a second, by the design of age; so a few of them."""
    whole = tmp_path / "a.age"
    ana.export_to(whole, passphrase="p")
    data = whole.read_bytes()
    bad = tmp_path / "bad.age"
    for spoilt in (data[:-1], data[:150]):
        bad.write_bytes(spoilt)
        with pytest.raises(ExportDamaged):
            bo.import_transcripts("lifelong", bad, passphrase="p")
    monkeypatch.setattr(export_files, "PASSPHRASE_BYTES_MAX", 1_000)
    with pytest.raises(TranscriptError, match="larger"):
        bo.import_transcripts("lifelong", whole, passphrase="p")
    assert bo.sessions() == []


def test_a_file_that_changes_after_it_was_checked_brings_no_memory(tmp_path, ana, bo, key):
    file = tmp_path / "a.age"
    ana.export_to(file, recipients=[str(key.to_public())])
    data = file.read_bytes()

    def cut(*_):
        file.write_bytes(data[:-20])

    with pytest.raises(ExportDamaged):
        bo.import_transcripts("lifelong", file, cut, identities=[str(key)])
    assert bo.memories() == []
    before = threading.active_count()
    file.write_bytes(data)
    assert bo.import_transcripts("lifelong", file, identities=[str(key)]).memories.added == 1
    assert threading.active_count() == before


def test_a_reader_who_stops_early_leaves_no_thread(tmp_path, ana, key):
    """As at a line of a later format, which ends the reading."""
    file = tmp_path / "a.age"
    lines = [json.dumps({"what": "lifelong", "format": 99}), *ana.export()]
    file.write_bytes(pyrage.encrypt("\n".join(lines).encode(), [key.to_public()]))
    before = threading.active_count()
    report = ana.import_transcripts("lifelong", file, identities=[str(key)])
    assert [broken.line for broken in report.broken] == [1]
    assert threading.active_count() == before
