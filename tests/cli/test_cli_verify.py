"""`lifelong verify`."""

import lifelong
from lifelong.conformance import said as lines


def test_what_nobody_touched_is_intact(run, said: lifelong.Owner):
    shown = run("verify")
    told = run("verify", "--json").json
    found = said.verify()

    assert shown.code == 0
    assert shown.out == (
        f"{found.entries} entries, head {found.head}\nnothing was changed behind the engine\n"
    )
    assert told == {
        "is_intact": True,
        "head": found.head,
        "entries": found.entries,
        "is_keyed": True,
        "problems": [],
    }


def test_a_head_that_was_noted_is_a_part_of_it_until_the_store_is_put_back(run, said):
    head = run("verify", "--json").json["head"]
    said.session("more").append(lines("soup"))

    assert run("verify", "--since", head).code == 0
    later = run("verify", "--json").json["head"]
    assert later != head
    gone = run("verify", "--since", f"9{later}")
    assert gone.code == 1
    assert "problem: the chain has " in gone.out
    assert "nothing was changed" not in gone.out


def test_what_is_no_head_is_one_line(run, said):
    del said
    ran = run("verify", "--since", "yesterday")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("lifelong: error: ")
    assert ran.err.count("\n") == 1
    assert run("verify", "--since", "yesterday", "--json").json["error"]["type"] == "InvalidValue"


def test_what_was_changed_is_told_and_makes_the_code_one(run, said: lifelong.Owner):
    with said._store.upkeep._access.write() as connection:
        [(made,)] = connection.execute(
            "SELECT sql FROM sqlite_schema WHERE name = 'message_left_chain'"
        ).fetchall()
        connection.execute("DROP TRIGGER message_left_chain")
        connection.execute("DELETE FROM message WHERE seq = 1")
        connection.execute(made)

    shown = run("verify")
    told = run("verify", "--json")

    assert shown.code == told.code == 1
    assert "problem: message number 1 was removed behind the engine\n" in shown.out
    assert told.json["problems"] == ["message number 1 was removed behind the engine"]
    assert told.json["is_intact"] is False


def test_without_encryption_it_says_what_that_means(run, tmp_path, monkeypatch):
    monkeypatch.setenv("LIFELONG_STORE", str(tmp_path / "plain"))
    with lifelong.open(tmp_path / "plain", encryption="off") as engine:
        engine.owner("ana").session("s").append(lines("soup"))
    ran = run("verify")
    assert ran.code == 0
    assert "without encryption this tells of mistakes, not of malice\n" in ran.out


def test_who_has_nothing_is_intact_and_gets_no_store(run):
    ran = run("verify")
    assert ran.code == 0
    assert ran.out.startswith("0 entries, head 0:")
    assert ran.out.endswith("nothing was changed behind the engine\n")
