"""Advice: the cheapest policy that still shows enough."""

import pytest

from lifelong.replay.policies import NamedPolicy, named_policies
from lifelong.replay.suggest import grid, suggest, toml_of
from lifelong.replay.totals import WayTotals
from lifelong.working.clear import ClearToolResults
from lifelong.working.compact import Compact
from lifelong.working.extractive import extractive_summary
from lifelong.working.trim import TrimTurns


def way(name, tokens, survival, sent=1):
    return WayTotals(name, 8_192, requests=1, sent=sent, tokens=tokens, survival=survival)


POLICIES = (NamedPolicy("a", policies=(TrimTurns(),)), NamedPolicy("b"), NamedPolicy("c"))


def test_the_cheapest_that_shows_enough_is_named():
    ways = [way("c", 300, 0.999), way("a", 200, 0.98), way("b", 100, 0.9)]
    found = suggest(ways, POLICIES)
    assert found.way == ways[1]
    assert found.is_enough
    assert found.tried == 3
    assert [each.policy for each in found.frontier] == ["b", "a", "c"]
    assert found.toml == '[policy."a"]\nsteps = ["trim"]\n'


def test_when_none_shows_enough_the_one_that_shows_most_is_named_and_it_is_said():
    found = suggest([way("a", 200, 0.8), way("b", 100, 0.7)], POLICIES)
    assert found.way.policy == "a"
    assert not found.is_enough
    assert suggest([way("a", 200, 0.8)], POLICIES, survival_min=0.8).is_enough


def test_a_way_that_left_a_request_unserved_is_never_named():
    found = suggest([way("a", 200, 0.98, sent=0)], POLICIES)
    assert found.way is None
    assert not found.is_enough
    assert suggest([], POLICIES).way is None


def test_where_nothing_was_needed_the_cheapest_is_enough():
    found = suggest([way("a", 200, None), way("b", 100, None)], POLICIES)
    assert (found.way.policy, found.is_enough) == ("b", True)


def test_every_policy_of_the_grid_can_be_saved_and_asked_for_again(tmp_path):
    names = [policy.name for policy in grid()]
    assert len({*names}) == len(names) == 8
    for policy in grid():
        toml = suggest([way(policy.name, 1, 1.0)], [policy]).toml
        path = tmp_path / "saved.toml"
        path.write_text(toml)
        assert named_policies([str(path)]) == (policy,)


def model(task):
    return task.transcript


@pytest.mark.parametrize(
    "policy",
    [
        NamedPolicy("a", policies=(TrimTurns(), Compact(summariser=model))),
        NamedPolicy("a", policies=(TrimTurns(), Compact(summariser=None))),
        NamedPolicy("a", policies=(TrimTurns(),), summariser=model),
    ],
)
def test_what_no_file_can_say_is_suggested_without_one(policy):
    found = suggest([way("a", 1, 1.0)], [policy])
    assert (found.way.policy, found.toml) == ("a", "")


def test_texts_of_all_kinds_and_sets_are_said_as_they_are_read(tmp_path):
    path = tmp_path / "saved.toml"
    odd = ClearToolResults(placeholder='\U0001f600 \x7f " \\ \n é', exclude_tools={"b", "a"})
    path.write_text(toml_of(NamedPolicy("\U0001f600", policies=(odd,))), encoding="utf-8")
    (found,) = named_policies([str(path)])
    assert found.name == "\U0001f600"
    assert found.policies[0].placeholder == odd.placeholder
    assert found.policies[0].exclude_tools == ("a", "b")
    kept = NamedPolicy("a", policies=(Compact(),), summariser=extractive_summary)
    assert toml_of(kept).endswith("summarise_before = true\n")
