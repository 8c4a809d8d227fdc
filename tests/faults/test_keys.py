"""The master key: missing, wrong, misplaced, or no key at all."""

import os
import stat

import pytest

import lifelong
from lifelong.errors import InvalidValue, KeyMissing, LifelongError, MasterKeyError, WrongKey

OTHER = bytes(reversed(range(32)))


def test_a_wrong_key_is_refused_and_the_right_one_still_opens(stored, refused):
    if stored.options:
        assert stored.open(key=OTHER).close() is None  # nothing to unlock
        return
    before = stored.bytes()
    with refused(WrongKey):
        stored.open(key=OTHER)
    assert stored.bytes() == before
    assert stored.is_whole()


def test_a_key_may_be_given_in_every_form(tmp_path, monkeypatch):
    key = os.urandom(32)
    with lifelong.open(tmp_path / "data", key=key) as engine:
        engine.owner("ana").remember("one")
    (tmp_path / "key").write_text(f"{key.hex().upper()}\n")
    forms = [key.hex(), key.hex().upper(), f" {key.hex()} ", f"file:{tmp_path / 'key'}"]
    for form in forms:
        with lifelong.open(tmp_path / "data", key=form) as engine:
            assert len(engine.owner("ana").memories()) == 1
    monkeypatch.setenv("LIFELONG_KEY", key.hex())
    with lifelong.open(tmp_path / "data") as engine:
        assert len(engine.owner("ana").memories()) == 1
    monkeypatch.delenv("LIFELONG_KEY")
    monkeypatch.setenv("LIFELONG_KEY_FILE", str(tmp_path / "key"))
    with lifelong.open(tmp_path / "data") as engine:
        assert len(engine.owner("ana").memories()) == 1


@pytest.mark.parametrize(
    "key", [b"short", b"x" * 33, "x" * 64, "00" * 31, "00" * 33, "zz", "file:", 5, 1.5, ["00" * 32]]
)
def test_what_is_no_key_is_refused_and_makes_no_store(tmp_path, key):
    with pytest.raises((LifelongError, TypeError)):
        lifelong.open(tmp_path / "data", key=key)
    assert not (tmp_path / "data" / "catalogue.db").exists()


def test_a_key_file_that_is_gone_is_not_made_anew(tmp_path, refused):
    source = f"file:{tmp_path / 'keys' / 'master.key'}"
    with lifelong.open(tmp_path / "data", key=source) as engine:
        engine.owner("ana").remember("one")
    (tmp_path / "keys" / "master.key").rename(tmp_path / "moved")
    with refused(KeyMissing):
        lifelong.open(tmp_path / "data", key=source)
    assert not (tmp_path / "keys" / "master.key").exists()
    with lifelong.open(tmp_path / "data", key=f"file:{tmp_path / 'moved'}") as engine:
        assert len(engine.owner("ana").memories()) == 1


def test_a_new_key_file_is_for_its_owner_only(tmp_path):
    lifelong.open(tmp_path / "data", key=f"file:{tmp_path / 'keys' / 'master.key'}").close()
    file = tmp_path / "keys" / "master.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["master.key", "owners/master.key", "../data/master.key"])
def test_a_key_inside_the_data_directory_is_refused(tmp_path, refused, name):
    where = tmp_path / "data"
    with refused(InvalidValue):
        lifelong.open(where, key=f"file:{where / name}")
    assert not (where / "lifelong.json").exists()
    assert not (where / "master.key").exists()
    lifelong.open(where, key=f"file:{tmp_path / 'master.key'}").close()


def test_a_key_that_moved_into_the_data_directory_is_refused_too(tmp_path, refused):
    where = tmp_path / "data"
    lifelong.open(where, key=f"file:{tmp_path / 'master.key'}").close()
    (tmp_path / "master.key").rename(where / "master.key")
    with refused(InvalidValue):
        lifelong.open(where, key=f"file:{where / 'master.key'}")


def test_a_link_into_the_data_directory_is_refused(tmp_path, refused):
    where = tmp_path / "data"
    where.mkdir()
    (tmp_path / "link").symlink_to(where / "master.key")
    with refused(InvalidValue):
        lifelong.open(where, key=f"file:{tmp_path / 'link'}")


@pytest.mark.parametrize("content", [b"", b"\n", b"not a key", b"\xff" * 64, b"00" * 40])
def test_a_key_file_that_holds_no_key_is_named(tmp_path, content):
    file = tmp_path / "master.key"
    lifelong.open(tmp_path / "data", key=f"file:{file}").close()
    file.write_bytes(content)
    with pytest.raises(LifelongError, match=r"master\.key"):
        lifelong.open(tmp_path / "data", key=f"file:{file}")
    assert file.read_bytes() == content


def test_a_folder_where_the_key_file_should_be(tmp_path):
    (tmp_path / "key").mkdir()
    with pytest.raises(MasterKeyError, match="key"):
        lifelong.open(tmp_path / "data", key=f"file:{tmp_path / 'key'}")


def test_a_keyring_that_does_not_answer_is_named(tmp_path):
    pytest.importorskip("keyring")
    with pytest.raises(MasterKeyError, match="keyring"):
        lifelong.open(tmp_path / "data", key="keyring")
    assert not (tmp_path / "data" / "lifelong.json").exists()


def test_no_key_and_no_text_is_in_any_file(tmp_path):
    key = os.urandom(32)
    with lifelong.open(tmp_path / "data", key=key) as engine:
        owner = engine.owner("owner-of-secrets")
        owner.remember("Halden secret")
        owner.session("Halden session").append([{"role": "user", "content": "Halden"}])
        raw = b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    raw += b"".join(p.read_bytes() for p in (tmp_path / "data").rglob("*") if p.is_file())
    for secret in (key, key.hex().encode(), b"Halden", b"owner-of-secrets"):
        assert secret.lower() not in raw.lower()
    names = " ".join(path.name for path in (tmp_path / "data").rglob("*"))
    assert "secret" not in names


def test_encryption_is_not_changed_by_asking_for_it(stored, refused):
    asked = "on" if stored.options else "off"
    with refused(InvalidValue):
        lifelong.open(stored.where, key=bytes(range(32)), encryption=asked)
    assert stored.is_whole()


@pytest.mark.parametrize("word", ["ON", "yes", "", True])
def test_a_word_that_is_no_encryption_is_refused(tmp_path, word):
    with pytest.raises(InvalidValue):
        lifelong.open(tmp_path / "data", encryption=word)
    assert not (tmp_path / "data").exists()
