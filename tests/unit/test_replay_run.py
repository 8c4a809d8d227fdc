"""A whole replay: order, processes, what fails, and going on after a stop."""

import json
from dataclasses import replace

import pytest
from replayed_work import LAST_WORDS, Ends, Raises

from lifelong.errors import InvalidValue, MissingExtra
from lifelong.messages import Message
from lifelong.replay.cases import Case, Unreadable
from lifelong.replay.figures import CaseFigures, as_json
from lifelong.replay.policies import NONE, SLICE, NamedPolicy
from lifelong.replay.run import Grid, replay

NOTHING = NamedPolicy("none", NONE)
LAST_TWO = NamedPolicy("last-2", SLICE, slice_items=2)
DEFAULT = NamedPolicy("default")
GRID = Grid((NOTHING, LAST_TWO, DEFAULT), (4_096, 8_192))


def case(name, turns, said="the order A-7781 is late"):
    messages = []
    for number in range(turns):
        messages.append(Message.of("user", f"{said}, and here is number {number:03} of {name}"))
        messages.append(Message.of("assistant", f"Noted {number:03} of A-7781. " + "word " * 80))
    return Case(name, f"{name}.jsonl", "chat", tuple(messages))


CASES = [case("short", 2), case("longest", 12), Unreadable("torn", "torn.jsonl", "it is torn")]
CASES += [case("longer", 6), case("short again", 2)]


def told(figures):
    return [json.dumps(as_json(each)) for each in figures]


class Watched:
    """Notes what progress is told, and stops like a person after so many cases."""

    def __init__(self, stop_at=None):
        self.told = []
        self.stop_at = stop_at

    def __call__(self, done, total, what):
        self.told.append((done, total, what))
        if done == self.stop_at:
            raise KeyboardInterrupt


def test_figures_come_in_the_order_of_the_cases_and_the_grid():
    figures = replay(CASES, GRID)
    assert [each.id for each in figures] == [each.id for each in CASES]
    assert figures[2] == CaseFigures("torn", "torn.jsonl", problem="it is torn")
    for each in figures:
        ways = [(way.policy, way.window_tokens) for way in each.ways]
        if each.problem == "":
            assert ways == [
                *[("none", 4_096), ("none", 8_192), ("last-2", 4_096), ("last-2", 8_192)],
                *[("default", 4_096), ("default", 8_192)],
            ]
    assert [len(each.ways) for each in figures] == [6, 6, 0, 6, 6]
    assert [each.turns for each in figures] == [2, 12, 0, 6, 2]


def test_the_longest_case_is_begun_first():
    watched = Watched()
    replay(CASES, GRID, on_progress=watched)
    assert [what for _, _, what in watched.told] == [
        *["longest", "longest", "longer", "short again", "short"],
    ]
    assert [done for done, _, _ in watched.told] == [1, 2, 3, 4, 5]
    assert {total for _, total, _ in watched.told} == {5}


def test_two_processes_give_the_same_figures_as_one():
    assert told(replay(CASES, GRID, jobs=2)) == told(replay(CASES, GRID, jobs=1))


def test_nothing_to_replay_is_nothing():
    assert replay([], GRID, jobs=2) == ()
    assert replay([], GRID, jobs=None) == ()


def test_a_policy_that_raises_is_a_problem_of_its_way_alone():
    grid = Grid((NamedPolicy("bad", policies=(Raises("late"),)), DEFAULT), (8_192,))
    bad, good = replay([case("one", 2)], grid)[0].ways
    assert "not today" in " ".join(bad.problems)
    assert {each.outcome for each in bad.asked} == {"failed"}
    assert good.problems == ()
    assert {each.outcome for each in good.asked} == {"sent"}


def test_a_process_that_dies_costs_its_case_alone():
    grid = Grid((NamedPolicy("ends", policies=(Ends("die now"),)),), (8_192,))
    cases = [case("a", 3), case("b", 4, said="die now"), case("c", 2), case("d", 1)]
    figures = replay(cases, grid, jobs=2)
    assert [bool(each.problem) for each in figures] == [False, True, False, False]
    assert f"the code {LAST_WORDS}" in figures[1].problem
    assert (figures[1].id, figures[1].messages, figures[1].ways) == ("b", 8, ())
    assert [len(each.ways) for each in figures] == [1, 0, 1, 1]


def test_a_replay_that_was_stopped_goes_on_where_it_was(tmp_path):
    file = tmp_path / "done"
    with pytest.raises(KeyboardInterrupt):
        replay(CASES, GRID, resume=file, on_progress=Watched(stop_at=3))
    watched = Watched()
    figures = replay(CASES, GRID, resume=file, on_progress=watched)
    assert [what for _, _, what in watched.told] == ["short again", "short again", "short"]
    assert watched.told[0][0] == 3
    assert told(figures) == told(replay(CASES, GRID))
    again = Watched()
    assert told(replay(CASES, GRID, resume=file, on_progress=again)) == told(figures)
    assert again.told == [(5, 5, "done")]


def test_two_processes_can_be_stopped_too(tmp_path):
    file = tmp_path / "done"
    with pytest.raises(KeyboardInterrupt):
        replay(CASES, GRID, jobs=2, resume=file, on_progress=Watched(stop_at=3))
    watched = Watched()
    assert told(replay(CASES, GRID, jobs=2, resume=file, on_progress=watched)) == told(
        replay(CASES, GRID)
    )
    assert watched.told[0][0] == 3


@pytest.mark.parametrize(
    "other",
    [
        replace(GRID, windows=(4_096,)),
        replace(GRID, policies=(NOTHING,)),
        replace(GRID, policies=(replace(LAST_TWO, slice_items=3), NOTHING, DEFAULT)),
        replace(GRID, has_recall=False),
    ],
)
def test_what_another_grid_finished_is_not_taken_and_stays(tmp_path, other):
    file = tmp_path / "done"
    mine = replay(CASES, GRID, resume=file)
    before = file.read_bytes()
    watched = Watched()
    replay(CASES, other, resume=file, on_progress=watched)
    assert watched.told[0] == (1, 5, "longest")
    assert file.read_bytes().startswith(before)
    again = Watched()
    assert replay(CASES, GRID, resume=file, on_progress=again) == mine
    assert again.told == [(5, 5, "done")]


def test_a_case_that_changed_is_replayed_anew(tmp_path):
    file = tmp_path / "done"
    replay(CASES, GRID, resume=file)
    changed = [*CASES[:4], replace(CASES[4], messages=CASES[4].messages[:2])]
    watched = Watched()
    replay(changed, GRID, resume=file, on_progress=watched)
    assert watched.told == [(4, 5, "short again"), (5, 5, "short again")]


def test_what_could_not_be_replayed_is_tried_again(tmp_path):
    file = tmp_path / "done"
    grid = Grid((NamedPolicy("ends", policies=(Ends("die now"),)),), (8_192,))
    cases = [case("a", 3), case("b", 4, said="die now"), case("c", 5, said="die now")]
    replay(cases, grid, jobs=2, resume=file)
    watched = Watched()
    figures = replay(cases, grid, jobs=2, resume=file, on_progress=watched)
    assert watched.told[0] == (1, 3, "c")
    assert [bool(each.problem) for each in figures] == [False, True, True]


@pytest.mark.parametrize(
    ("policies", "windows", "counter", "reason"),
    [
        ((), (8_192,), None, "no policy"),
        ((DEFAULT,), (), None, "no window"),
        ((DEFAULT, DEFAULT), (8_192,), None, "'default' twice"),
        ((DEFAULT,), (8_192, 8_192), None, "8192 twice"),
        ((DEFAULT,), (0,), None, "0 tokens"),
        ((DEFAULT,), (8_192,), "guess", "tiktoken"),
        ((DEFAULT,), (8_192,), "tokenizers", "tokenizers:FILE"),
        ((DEFAULT,), (8_192,), "", "tiktoken"),
    ],
)
def test_a_grid_that_cannot_be_is_refused(policies, windows, counter, reason):
    with pytest.raises(InvalidValue, match=reason):
        Grid(policies, windows, counter=counter)


@pytest.mark.parametrize(
    "grid",
    [
        Grid((DEFAULT,), (100,)),
        Grid((replace(LAST_TWO, slice_items=0),)),
        Grid((DEFAULT,), counter="tokenizers:/no/such/file"),
        Grid((DEFAULT,), counter="tiktoken:no_such_encoding"),
    ],
)
def test_what_would_fail_in_every_case_is_refused_before_the_first(grid):
    with pytest.raises((InvalidValue, MissingExtra)):
        replay([], grid)


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_process_cannot_do_it(jobs):
    with pytest.raises(InvalidValue, match=f"{jobs} jobs"):
        replay(CASES, GRID, jobs=jobs)
