"""`lifelong doctor`."""

import json
from pathlib import Path

import pytest

import lifelong

HEX = "ab" * 32


def states(ran) -> dict[str, str]:
    return {finding["name"]: finding["state"] for finding in ran.json["findings"]}


def values(ran) -> dict[str, str]:
    return {finding["name"]: finding["value"] for finding in ran.json["findings"]}


def test_before_the_first_use_nothing_is_made(run, home_of_its_own: Path):
    ran = run("doctor", "--json")

    assert ran.code == 0
    assert ran.json["is_well"] is True
    assert "not made yet" in values(ran)["store"]
    assert list(home_of_its_own.iterdir()) == []


@pytest.mark.usefixtures("said")
def test_a_store_that_is_well(run):
    ran = run("doctor", "--json")

    assert ran.code == 0
    assert set(states(ran).values()) == {"ok"}
    assert values(ran)["encryption"] == "on, key: file"
    assert values(ran)["owners"] == "1"
    assert values(ran)["owner"].startswith("ana: 3 messages, 3 memories, ")
    assert values(ran)["directory"].endswith("(mode 700)")
    assert values(ran)["key"].endswith("(mode 600)")
    assert values(ran)["Python"].startswith("3.")
    assert values(ran)["SQLite"].startswith("3.")


@pytest.mark.usefixtures("said")
def test_for_a_person_each_finding_is_a_line(run):
    ran = run("doctor")

    assert ran.code == 0
    assert all(line.startswith("ok ") for line in ran.out.splitlines())


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize(("name", "remedy"), [("directory", "chmod 700 "), ("key", "chmod 600 ")])
def test_what_others_can_read_is_wrong(run, home_of_its_own: Path, name: str, remedy: str):
    place = {
        "directory": lifelong.engine.default_directory(),
        "key": home_of_its_own / "config/lifelong/master.key",
    }[name]
    place.chmod(0o755)

    told = run("doctor", "--json")
    shown = run("doctor")

    assert told.code == shown.code == 1
    assert told.json["is_well"] is False
    assert [each for each, state in states(told).items() if state != "ok"] == [name]
    assert f"{remedy}'{place}'" in shown.out


def test_no_encryption_is_said_aloud(run, tmp_path: Path, monkeypatch):
    with lifelong.open(tmp_path / "store", encryption="off") as engine:
        engine.owner("ana").remember("tea")
    monkeypatch.setenv("LIFELONG_STORE", str(tmp_path / "store"))

    told = run("doctor", "--json")
    shown = run("doctor").out

    assert told.code == 0
    assert (states(told)["encryption"], values(told)["encryption"]) == ("warning", "OFF")
    assert "warning  encryption   OFF\n" in shown


@pytest.mark.usefixtures("said")
def test_a_wrong_key_is_explained(run, monkeypatch):
    monkeypatch.setenv("LIFELONG_KEY", HEX)

    told = run("doctor", "--json")
    shown = run("doctor").out

    assert told.code == 1
    assert states(told)["opening"] == "wrong"
    assert values(told)["key"] == "in LIFELONG_KEY"
    assert "Name the right one with LIFELONG_KEY." in shown


def test_a_key_that_is_none_is_explained(run, monkeypatch):
    monkeypatch.setenv("LIFELONG_KEY", "secret")

    told = run("doctor", "--json")

    assert (told.code, states(told)["key"]) == (1, "wrong")


def test_the_keyring_is_named(run, monkeypatch):
    monkeypatch.setenv("LIFELONG_KEY", "keyring")

    assert values(run("doctor", "--json"))["key"] == "in the keyring"


@pytest.mark.usefixtures("said")
def test_a_damaged_store_is_explained(run):
    marker = lifelong.engine.default_directory() / "lifelong.json"
    marker.write_text(json.dumps({"format": 99, "encryption": "on"}))

    told = run("doctor", "--json")

    assert (told.code, states(told)["opening"]) == (1, "wrong")


@pytest.mark.usefixtures("said")
def test_a_marker_that_has_gone_is_explained(run):
    (lifelong.engine.default_directory() / "lifelong.json").unlink()

    told = run("doctor", "--json")

    assert (told.code, states(told)["opening"]) == (1, "wrong")


def test_in_memory_there_is_little_to_say(run, monkeypatch):
    monkeypatch.setenv("LIFELONG_STORE", "memory:")

    ran = run("doctor", "--json")

    assert ran.code == 0
    assert values(ran)["store"].startswith("in memory")
