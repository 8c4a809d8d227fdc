"""Advice: the cheapest policy that still shows enough."""

from lifelong.replay.policies import NamedPolicy, named_policies
from lifelong.replay.suggest import grid, suggest
from lifelong.replay.totals import WayTotals
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
