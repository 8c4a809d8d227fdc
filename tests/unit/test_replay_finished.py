"""The file of finished cases: what was written comes back, what is torn or foreign is left out."""

import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from lifelong.errors import InvalidValue
from lifelong.messages import Message, ToolCallPart
from lifelong.replay.cases import Case
from lifelong.replay.figures import Asked, CaseFigures, Loss, Shown, WayFigures
from lifelong.replay.finished import HEADER, Finished, key_of
from lifelong.replay.policies import NamedPolicy
from lifelong.working.trim import TrimTurns

FIGURES = CaseFigures(
    id="a\ud800\u202e",
    source="a.jsonl",
    format="anthropic",
    messages=3,
    turns=2,
    is_ended=False,
    notes=("a note",),
    ways=(
        WayFigures(
            policy="trim",
            window_tokens=8_192,
            asked=(Asked(turn=1, outcome="sent", tokens=7, exact_tokens=6),),
            losses=(Loss(1, 1, "A-7781", "nowhere", 3, "user", "order A-7781", "of A-7781"),),
            loss_turns=((3, 1),),
            shown=(Shown(1, (("kept", 2), ("dropped", 1))),),
            problems=("a problem",),
        ),
    ),
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "done.jsonl"


def keep(file: Path, *keys: str) -> None:
    with Finished.opened(file) as finished:
        for key in keys:
            finished.add(key, replace(FIGURES, id=key))


def kept(file: Path, *keys: str) -> dict[str, CaseFigures | None]:
    with Finished.opened(file) as finished:
        return {key: finished.get(key) for key in keys}


def dropped(file: Path) -> int:
    with Finished.opened(file) as finished:
        return finished.dropped


def test_what_was_kept_comes_back_as_it_was(file):
    with Finished.opened(file) as finished:
        assert finished.get("k") is None
        finished.add("k", FIGURES)
        assert finished.get("k") == FIGURES
    assert kept(file, "k", "other") == {"k": FIGURES, "other": None}


def test_only_its_owner_can_read_it(file):
    before = os.umask(0)
    try:
        keep(file, "k")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_without_a_file_nothing_is_kept():
    with Finished.opened(None) as finished:
        assert finished is None


def test_without_a_key_nothing_is_kept(file):
    with Finished.opened(file) as finished:
        finished.add(None, FIGURES)
        assert finished.get(None) is None
    assert file.read_bytes() == HEADER


def test_one_key_is_written_once(file):
    keep(file, "k", "k")
    keep(file, "k")
    assert file.read_bytes().count(b"\n") == 2


def test_a_file_torn_at_any_byte_keeps_its_whole_lines_and_goes_on(file):
    keep(file, "one", "two")
    data = file.read_bytes()
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    for size in range(len(data)):
        file.write_bytes(data[:size])
        keep(file, "three")
        whole = sum(end <= size for end in ends[1:])
        found = kept(file, "one", "two", "three")
        assert [key for key, figures in found.items() if figures] == [
            *["one", "two"][:whole],
            "three",
        ], size
        assert dropped(file) == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda line: line.replace(b'"tokens": 7', b'"tokens": 8'),
        lambda line: line.replace(b'"tokens": 7', b'"tokens": "7"'),
        lambda line: line[: len(line) // 2] + b"\n",
        lambda _: b"[]\n",
        lambda _: b"{}\n",
        lambda _: b"\xff\xfe\n",
        lambda _: b"[" * 100_000 + b"\n",
        lambda _: b'{"key": "two", "digest": null, "case": null}\n',
    ],
)
def test_a_changed_line_is_dropped_and_the_others_stay(file, change):
    keep(file, "one", "two", "three")
    head, one, two, three = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(head + one + change(two) + three)
    assert dropped(file) == 1
    found = kept(file, "one", "two", "three")
    assert [key for key, figures in found.items() if figures] == ["one", "three"]


@pytest.mark.parametrize(
    "data", [b"my diary\n", b'{"what": "something else"}\n', HEADER[:-1] + b" \n", b"\x00"]
)
def test_what_is_somebody_elses_is_refused_and_stays(file, data):
    file.write_bytes(data)
    with pytest.raises(InvalidValue, match="holds something else"), Finished.opened(file):
        pass
    assert file.read_bytes() == data


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidValue, match="is no file"), Finished.opened(tmp_path / "pipe"):
        pass
    with pytest.raises(IsADirectoryError), Finished.opened(tmp_path):
        pass
    with pytest.raises(FileNotFoundError), Finished.opened(tmp_path / "no" / "file"):
        pass


def test_two_replays_do_not_use_one_file_at_once(file):
    with (
        Finished.opened(file),
        pytest.raises(InvalidValue, match="in use"),
        Finished.opened(file),
    ):
        pass
    keep(file, "after")
    assert kept(file, "after")["after"]


@dataclass(frozen=True)
class Tuned:
    amount: int = 1


class Loose:
    def __init__(self, amount=1):
        self.amount = amount


def ten_more(amount, more=10):
    return amount + more


def holding(held):
    return lambda: held


CASE = Case("a", "a.jsonl", "chat", (Message.of("user", "hi"),))
CALL = ToolCallPart("c1", "look", {"b": 1, "a": [1.5, None]})


def policies():
    return {
        "case": CASE,
        "another id": replace(CASE, id="b"),
        "another text": replace(CASE, messages=(Message.of("user", "ho"),)),
        "another raw": replace(CASE, messages=(Message.of("user", "hi", raw={"x": 1}),)),
        "a call": replace(CASE, messages=(Message("assistant", (CALL,)),)),
        "still going on": replace(CASE, is_ended=False),
        "trim": NamedPolicy("trim", policies=(TrimTurns(),)),
        "none": NamedPolicy("none", kind="none"),
        "tuned": Tuned(),
        "tuned otherwise": Tuned(2),
        "loose": Loose(),
        "loose otherwise": Loose(2),
        "a function": ten_more,
        "a part": partial(ten_more, more=2),
        "another part": partial(ten_more, more=3),
        "a method": Loose(3).__init__,
        "a class": Loose,
        "a closure": holding(1),
        "another closure": holding(2),
        "words": {"b", "a", "c"},
        "bytes": b"a",
        "a number": 1,
        "its text": "1",
    }


def test_different_things_have_different_keys():
    keys = {name: key_of(value) for name, value in policies().items()}
    assert None not in keys.values()
    assert len(set(keys.values())) == len(keys)


def keys():
    return {name: key_of(value) for name, value in policies().items()}


def test_a_key_does_not_depend_on_the_order_of_a_mapping():
    other = ToolCallPart("c1", "look", {"a": [1.5, None], "b": 1})
    assert key_of(CALL) == key_of(other)


def test_another_process_gives_the_same_keys(tmp_path):
    program = (
        "import json, sys; sys.path.insert(0, sys.argv[1]); import test_replay_finished as mine;"
        "print(json.dumps(mine.keys()))"
    )
    folder = str(Path(__file__).parent)
    found = []
    for seed in ("1", "2"):
        ran = subprocess.run(
            [sys.executable, "-c", program, folder],
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
            cwd=tmp_path,
        )
        found.append(json.loads(ran.stdout))
    assert found[0] == found[1]
    assert len(found[0]) == len(policies())


def test_a_policy_whose_file_changes_has_another_key(tmp_path, monkeypatch):
    file = tmp_path / "replayed_mine.py"
    file.write_text("class Mine:\n    size = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = __import__("replayed_mine")
    before = key_of(mine.Mine())
    assert before == key_of(mine.Mine())
    file.write_text("class Mine:\n    size = 2\n")
    assert key_of(mine.Mine()) != before


def test_what_hides_its_fields_or_holds_itself_has_no_key():
    deep = []
    deep.append(deep)
    assert key_of(object()) is None
    assert key_of(deep) is None
