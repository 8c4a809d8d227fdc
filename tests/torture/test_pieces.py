"""What the long form is asked to do, what it replays, and how it ends."""

import importlib.util
from pathlib import Path

import pytest
from pieces import Result, pieces

SPEC = importlib.util.spec_from_file_location(
    "torture_main", Path(__file__).with_name("__main__.py")
)
main = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(main)


def asked(*given):
    return list(pieces(main.arguments([*given])))


def test_all_of_it_is_ten_thousand_images_and_a_thousand_kills():
    todo = asked()
    assert sum(given[1] for part, given in todo if part == "power-fail") == 10_000
    assert sum(given[1] for part, given in todo if part == "kills") == 1_000
    assert {part for part, _ in todo} == {*main.PARTS} - {"crowd"}
    assert len({*todo}) == len(todo)


def test_a_replay_is_one_piece():
    assert asked("power-fail", "--seed", "7", "--image", "38") == [("power-fail", (7, 250, 38))]
    assert asked("io-sites", "--work", "append", "--site", "3", "--fault", "short") == [
        ("io-sites", ("append", 1, 0, (3, "short")))
    ]
    line = "forget-killed --kind session --encryption on --at disk --way killed --site 9"
    assert asked(*line.split()) == [("forget-killed", ("session", "on", "disk", "killed", 9))]
    assert asked("kills", "--seed", "4", "--cycles", "30") == [
        ("kills", (4, 25)),
        ("kills", (5, 5)),
    ]


def test_an_unknown_part_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main.arguments(["powerfail"])
    assert ended.value.code == 2
    assert "no such part: powerfail" in capsys.readouterr().err


def test_the_table_counts_and_a_fault_is_shown_with_its_replay(capsys):
    report = main.Report(2)
    report.add(Result("kills", 25, [], main.Counter(done=3)), 5.0)
    report.add(Result("kills", 25, ["lost\n  replay: python tests/torture kills"]), 5.0)
    assert "FAULT in kills: lost\n  replay: python tests/torture kills" in capsys.readouterr().out
    assert "SIGKILL cycles     50       1                   10       5.0" in report.table()
    assert "kills: 3 done" in report.table()


def test_it_ends_with_one_when_something_was_found(monkeypatch, capsys):
    monkeypatch.setattr(main, "pieces", lambda _: [])
    for faults, code in (([], 0), (["lost"], 1)):
        done = Result("crowd", 1, faults)
        monkeypatch.setattr(main, "do", lambda _, done=done: (done, 1.0))
        assert main.main(["crowd"]) == code
    assert "rounds of 8 writers" in capsys.readouterr().out
