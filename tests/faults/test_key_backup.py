"""A backup of the keys: what it opens, what it brings back, and what the status of a key says."""

import stat
from datetime import UTC, datetime, timedelta

import pytest
from backed_up import KEY, NEW, Stored, assert_ana, outcomes

import lifelong
from lifelong.errors import InvalidValue, KeyBackupUnusable
from lifelong.keeping import import_keys, key_status


@pytest.fixture
def locked(tmp_path):
    """An encrypted store."""
    return Stored(tmp_path, {})


def test_a_backup_of_keys_opens_with_its_passphrase_or_the_master_key(locked):
    with locked.open() as engine:
        engine.backup(locked.backup)
        assert engine.export_keys(locked.keys) == 3
        second = locked.keys.with_name("second.db")
        engine.export_keys(second, passphrase="horse")
        assert engine.export_keys(second, passphrase="staple") == 3  # in the place of the older
        for passphrase in ("", "  "):
            with pytest.raises(InvalidValue):
                engine.export_keys(second, passphrase=passphrase)
        with pytest.raises(InvalidValue, match="inside"):
            engine.export_keys(locked.where / "keys.db")
    for file in (locked.keys, second):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        raw = file.read_bytes()
        assert b"ana" not in raw
        assert KEY not in raw
    with locked.open(locked.other, key=NEW) as engine:
        for keys in (
            {"keys": locked.keys},
            {"keys": second, "passphrase": "horse"},
            {"keys": second},
            {"keys": locked.backup / "manifest.json"},
            {"keys": locked.keys.with_name("none")},
        ):
            with pytest.raises(KeyBackupUnusable):
                engine.restore(locked.backup, **keys)
        assert engine.owners() == []
        assert engine.restore(locked.backup, keys=second, passphrase="staple").is_whole
        assert_ana(engine)
    with locked.open(locked.other.with_name("third")) as engine, locked.open() as source:
        assert engine.restore(locked.backup, keys=source).is_whole
        assert_ana(engine)


def test_a_backup_from_before_new_owner_keys_needs_the_keys_of_before(locked):
    with locked.open() as engine:
        engine.backup(locked.backup)
        engine.export_keys(locked.keys)
        engine.rotate_owner_keys()
        assert set(outcomes(engine.verify_backup(locked.backup)).values()) == {"unreadable"}
        drill = engine.verify_backup(locked.backup, keys=locked.keys)
        assert set(outcomes(drill).values()) == {"good"}
        engine.owner("ana").remember("Written after")
        done = engine.restore(locked.backup, keys=locked.keys, replace=True)
        assert outcomes(done) == {"ana": "restored", "bo": "same", "cy": "same"}
        assert_ana(engine)


@pytest.mark.parametrize("lost", ["catalogue", "damaged", "marker", "master key", "all but owners"])
def test_keys_come_back_where_the_catalogue_or_the_master_key_was_lost(locked, lost):
    with locked.open() as engine:
        engine.export_keys(locked.keys, passphrase="horse")
        engine.owner("cy").forget(everything=True)
        engine.owner("new").remember("After the backup of keys")
        with pytest.raises(InvalidValue, match="nothing to mend"):
            import_keys(locked.where, locked.keys, key=KEY, passphrase="horse")
    key = NEW if lost in ("master key", "all but owners") else KEY
    for path in locked.where.iterdir():
        if path.name.startswith("catalogue") and lost in ("catalogue", "all but owners"):
            path.unlink()
        if path.name == "catalogue.db" and lost == "damaged":
            path.write_bytes(b"x" * 4096)
        if path.name == "lifelong.json" and lost in ("marker", "all but owners"):
            path.unlink()
    with pytest.raises(KeyBackupUnusable):
        import_keys(locked.where, locked.keys, key=key, passphrase="wrong")
    assert import_keys(locked.where, locked.keys, key=key, passphrase="horse") == 2
    with locked.open(key=key) as engine:
        assert engine.owners() == ["ana", "bo"]  # cy stays forgotten
        assert_ana(engine)
        engine.remove_leftovers(datetime.now(UTC) + timedelta(days=1))
        assert_ana(engine)
    # What no key is known for is not thrown away: the lost key may be found again.
    assert len(list((locked.where / "without-key").glob("*.db"))) == 1


def test_the_status_of_a_key_says_what_is_wrong(tmp_path, locked):
    found = key_status(locked.where, key=KEY)
    assert (found.opens, found.owners, found.is_encrypted, found.problem) == (True, 3, True, "")
    wrong = key_status(locked.where, key=NEW)
    assert (wrong.opens, wrong.owners) == (False, None)
    assert "does not open this store" in wrong.problem
    missing = key_status(locked.where, key=f"file:{tmp_path / 'no.key'}")
    assert (missing.opens, missing.mode) == (False, "")
    assert "is not there" in missing.problem
    none = key_status(tmp_path / "nowhere", key=KEY)
    assert (none.opens, none.is_encrypted) == (False, None)
    assert not (tmp_path / "nowhere").exists()
    file = tmp_path / "k" / "m.key"
    lifelong.open(tmp_path / "d", key=f"file:{file}").close()
    with lifelong.open(tmp_path / "d", key=f"file:{file}") as engine:
        engine.rotate_key()
    told = key_status(tmp_path / "d", key=f"file:{file}")
    assert (told.file, told.mode, told.opens, len(told.older)) == (str(file), "600", True, 1)
    assert told.check in file.read_text() or len(told.check) == 16
    assert str(KEY.hex()) not in repr(found)


def test_the_keys_of_another_store_move_nothing_aside(tmp_path, locked):
    other = Stored(tmp_path / "elsewhere", {})
    with other.open() as engine:
        engine.export_keys(locked.keys, passphrase="horse")
    with locked.open() as engine:
        engine.export_keys(locked.keys.with_name("own"), passphrase="horse")
    (locked.where / "catalogue.db").unlink()
    with pytest.raises(KeyBackupUnusable, match="no key to any file"):
        import_keys(locked.where, locked.keys, key=KEY, passphrase="horse")
    assert import_keys(locked.where, locked.keys.with_name("own"), key=KEY, passphrase="horse") == 3
    with locked.open() as engine:
        assert_ana(engine)
