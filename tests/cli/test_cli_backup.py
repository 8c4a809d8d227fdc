"""`lifelong backup`, `restore`, `key` and `bench encryption`: for a person and for a program."""

import stat
from pathlib import Path

import pytest

import lifelong
from lifelong.conformance import texts


@pytest.fixture
def key_file():
    return lifelong.engine.default_key_file()


@pytest.fixture
def phrase(tmp_path):
    file = tmp_path / "phrase"
    file.write_text("correct horse\n")
    return str(file)


def test_a_backup_is_made_compared_and_brought_back(run, said, tmp_path):
    folder, other = str(tmp_path / "b"), str(tmp_path / "other")
    made = run("backup", folder)
    assert (made.code, made.out.startswith("1 owner, ")) == (0, True)
    drill = run("backup", "--verify", folder)
    assert drill.code == 0
    assert "good        ana" in drill.out
    assert drill.out.endswith("it is whole\n")
    told = run("backup", "--verify", folder, "--json").json
    assert (told["is_whole"], told["is_drill"]) == (True, True)
    assert told["owners"][0]["counts"]["memory"] == 3
    done = run("restore", folder, "--into", other)
    assert done.code == 0
    assert done.out.endswith("1 owner put in place\n")
    assert "Prefers short answers" in run("--store", other, "known").out
    assert "same        ana" in run("restore", folder).out
    said.remember("Written after")
    kept = run("restore", folder)
    assert (kept.code, "kept        ana" in kept.out) == (1, True)
    replaced = run("restore", folder, "--replace", "--json")
    assert (replaced.code, replaced.json["owners"][0]["outcome"]) == (0, "restored")
    assert "Written after" not in texts(said.memories())


def test_what_a_backup_says_to_a_program(run, said, tmp_path):
    del said
    told = run("backup", str(tmp_path / "b"), "--json").json
    assert told["path"] == str(tmp_path / "b")
    assert told["size"] == told["files"][0]["size"] > 0
    assert told["problems"] == []
    assert told["is_encrypted"] is True
    for arguments in (["backup", str(tmp_path / "b")], ["backup", "--verify", str(tmp_path)]):
        refused = run(*arguments, "--json")
        assert refused.code == (2 if arguments[1] != "--verify" else 3)
        assert refused.json["error"]["type"] in ("InvalidValue", "BackupUnusable")
    assert run("backup", str(tmp_path / "c"), "--keys", "x").code == 2


def test_a_plain_backup_says_so_and_comes_back_plain(run, tmp_path):
    store = tmp_path / "plain"
    with lifelong.open(store, encryption="off") as engine:
        engine.owner("ana").remember("Likes tea")
    made = run("--store", str(store), "backup", str(tmp_path / "b"))
    assert "whoever reads it reads it all" in made.err
    assert run("restore", str(tmp_path / "b"), "--into", str(tmp_path / "new")).code == 0
    with lifelong.open(tmp_path / "new") as engine:
        assert engine.describe()["encryption"] == "OFF"
        assert texts(engine.owner("ana").memories()) == ["Likes tea"]


def test_another_machine_needs_the_backup_of_the_keys(run, said, tmp_path, phrase, monkeypatch):
    del said
    folder, keys, new = (str(tmp_path / name) for name in ("b", "keys", "new"))
    assert run("backup", folder).code == 0
    exported = run("key", "export", keys, "--passphrase-file", phrase)
    assert exported.out == f"keys of 1 owner in {keys}\n"
    assert stat.S_IMODE(Path(keys).stat().st_mode) == 0o600
    # Another machine: no store, no master key.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "machine"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "machine"))
    without = run("restore", folder, "--into", new)
    assert "unreadable" in without.out
    wrong = run("restore", folder, "--into", new, "--keys", keys)
    assert (wrong.code, "KeyBackupUnusable" in wrong.err or "passphrase" in wrong.err) == (3, True)
    done = run("restore", folder, "--into", new, "--keys", keys, "--passphrase-file", phrase)
    assert done.code == 0
    assert "Prefers short answers" in run("--store", new, "known").out


def test_the_status_of_the_key(run, said, key_file):
    del said
    shown = run("key", "status")
    assert shown.code == 0
    assert f"key     {key_file} (mode 600)\n" in shown.out
    assert "it opens the store, 1 owner" in shown.out
    told = run("key", "status", "--json").json
    assert (told["opens"], told["owners"], told["mode"]) == (True, 1, "600")
    assert key_file.read_text().strip() not in run("key", "status", "--json").out
    away = key_file.rename(key_file.with_name("away"))
    lost = run("key", "status")
    assert lost.code == 1
    assert "Put it back, or name it with LIFELONG_KEY" in lost.out
    away.rename(key_file)


def test_a_status_makes_no_store(run, tmp_path):
    shown = run("--store", str(tmp_path / "none"), "key", "status")
    assert (shown.code, "there is no store" in shown.out) == (1, True)
    assert not (tmp_path / "none").exists()
    assert run("--store", "memory:", "key", "status").code == 2


def test_a_new_master_key(run, said, key_file, tmp_path, monkeypatch):
    before = key_file.read_text()
    done = run("key", "rotate")
    assert (done.code, done.out) == (0, f"the new master key: {key_file}\n")
    assert key_file.read_text() != before
    assert run("key", "rotate", "--json").json == {"place": str(key_file)}
    assert len(run("key", "status", "--json").json["older"]) == 2
    other = tmp_path / "k" / "other.key"
    assert run("key", "rotate", "--new-key", f"file:{other}").code == 0
    assert run("check").code == 3
    monkeypatch.setenv("LIFELONG_KEY_FILE", str(other))
    assert run("check").code == 0
    monkeypatch.setenv("LIFELONG_NEW_KEY", "ab" * 32)
    assert run("key", "rotate", "--new-key", "env").out == "the new master key: given by you\n"
    monkeypatch.setenv("LIFELONG_KEY", "ab" * 32)
    assert run("check").code == 0
    assert run("key", "rotate").code == 2
    assert len(said.memories()) == 3


def test_new_keys_of_owners_ask_first(run, said, process):
    del said
    asked = process("key", "rotate", "--owners")
    assert (asked.code, "add --yes" in asked.err) == (2, True)
    assert run("key", "rotate", "--owners", "--yes").out == "new keys for 1 owner\n"
    assert run("key", "rotate", "--owners", "--only", "ana", "--yes", "--json").json == {
        "owners": 1
    }
    assert run("key", "rotate", "--owners", "--only", "nobody", "--yes").code == 1
    assert run("check").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--new-key", "ab" * 32],
        ["--new-key", "env"],
        ["--only", "ana"],
        ["--owners", "--new-key", "keyring", "--yes"],
    ],
)
def test_a_rotation_that_cannot_be_is_refused(run, said, key_file, arguments):
    before = key_file.read_text()
    assert run("key", "rotate", *arguments).code == 2
    assert key_file.read_text() == before
    assert len(said.memories()) == 3


def test_keys_are_imported_where_the_catalogue_was_lost(run, said, tmp_path, phrase):
    del said
    keys = str(tmp_path / "keys")
    assert run("key", "export", keys, "--passphrase-file", phrase, "--json").json == {
        "file": keys,
        "owners": 1,
        "has_passphrase": True,
    }
    assert run("key", "import", keys, "--passphrase-file", phrase).code == 2
    (lifelong.engine.default_directory() / "catalogue.db").unlink()
    assert run("check").code == 3
    done = run("key", "import", keys, "--passphrase-file", phrase)
    assert (done.code, done.out) == (0, "the store opens again, with 1 owner\n")
    assert run("check").code == 0


def test_what_encryption_costs_is_measured(run, monkeypatch):
    from lifelong.bench import encryption

    for name, value in {"_MESSAGES": 20, "_MEMORIES": 2, "_QUESTIONS": 2, "_OPENS": 1}.items():
        monkeypatch.setattr(encryption, name, value)
    told = run("bench", "encryption", "--rounds", "2", "--json").json
    assert set(told["work"]) == {"append", "remember", "recall", "open"}
    for found in told["work"].values():
        assert found["encrypted_ms"] > 0
        assert found["is_met"] == (found["ratio"] <= 1.3)
    assert "encrypted" in run("bench", "encryption", "--rounds", "1").out
