"""Policies by name, from a file, and from the caller's own module."""

import pickle
from dataclasses import fields

import pytest

from lifelong.errors import InvalidValue
from lifelong.replay.policies import (
    _NOT_IN_A_FILE,
    _SHAPES,
    NONE,
    PIPELINE,
    SLICE,
    STEPS,
    NamedPolicy,
    named_policies,
)
from lifelong.replay.suggest import toml_of
from lifelong.working.clear import ClearReasoning, ClearToolResults
from lifelong.working.compact import Compact
from lifelong.working.extractive import extractive_summary
from lifelong.working.trim import ShrinkResults, TrimTurns


def test_each_built_in_name_is_a_policy_that_travels():
    asked = ["none", "last-10", "trim", "clear", "clear+trim", "clear+compact", "default"]
    found = named_policies(asked)
    assert [policy.name for policy in found] == asked
    assert [policy.kind for policy in found] == [NONE, SLICE, *[PIPELINE] * 5]
    assert found[1].slice_items == 10
    assert found[4].policies == (
        *(ClearReasoning(), ClearToolResults()),
        *(TrimTurns(), ShrinkResults()),
    )
    assert found[5].summariser is extractive_summary
    assert found[6].policies == ()
    assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize("text", ["", "last-0", "last-", "last-1e3", "Trim", "trim.toml2", "a:b:c"])
def test_what_is_no_policy_is_refused(text):
    with pytest.raises(InvalidValue):
        named_policies([text])


def test_a_policy_that_is_asked_for_twice_is_refused():
    with pytest.raises(InvalidValue, match="'trim' is asked for twice"):
        named_policies(["trim", "trim"])


def written(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return str(path)


def test_a_file_composes_policies(tmp_path):
    text = """
        [policy.mine]
        steps = [{clear = {keep = 5, exclude_tools = ["read"]}}, "trim", "shrink"]
        [policy."summed up"]
        steps = ["clear_reasoning", {trim = {turns = 4}}, {compact = {summary_share = 0.1}}]
        summarise_before = true
        [policy.usual]
        steps = []
    """
    mine, summed, usual = named_policies([written(tmp_path, text)])
    assert mine == NamedPolicy(
        "mine",
        policies=(
            ClearToolResults(keep=5, exclude_tools=("read",)),
            TrimTurns(),
            ShrinkResults(),
        ),
    )
    assert summed.policies == (ClearReasoning(), TrimTurns(4), Compact(summary_share=0.1))
    assert summed.summariser is extractive_summary
    assert usual.policies == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("steps = []", "[policy.NAME]"),
        ("[policy]", "[policy.NAME]"),
        ("[policy.a]", "no list of steps"),
        ("[policy.a]\nsteps = 'trim'", "no list of steps"),
        ("[policy.a]\nsteps = ['cut']", "there is no step 'cut'"),
        ("[policy.a]\nsteps = [{trim = {turn = 3}}]", "trim takes turns"),
        ("[policy.a]\nsteps = [{trim = {turns = 0}}]", "turns is 0"),
        (
            "[policy.a]\nsteps = [{trim = {turns = 'x'}}]",
            "trim.turns is 'x', and must be a whole number",
        ),
        ("[policy.a]\nsteps = [{shrink = {by = 1}}]", "shrink takes no field"),
        ("[policy.a]\nsteps = [{compact = {segments = []}}]", "compact takes"),
        ("[policy.a]\nsteps = [{trim = {}, shrink = {}}]", "one name with its fields"),
        ("[policy.a]\nsteps = [3]", "one name with its fields"),
        ("[policy.a]\nsteps = []\nmodel = 'x'", "'model'"),
        ("[policy.a]\nsteps = []\nsummarise_before = 1", "true or false"),
        ("[policy.a", "is no TOML"),
    ],
)
def test_a_file_that_composes_nothing_is_named(tmp_path, text, told):
    with pytest.raises(InvalidValue) as refused:
        named_policies([written(tmp_path, text)])
    assert "mine.toml" in str(refused.value)
    assert told in str(refused.value)


MODULE = """
from lifelong.replay.policies import NamedPolicy
from lifelong.working.trim import TrimTurns

def nothing(history, budget): ...

two = [TrimTurns(), nothing]
named = NamedPolicy("under a name", policies=(TrimTurns(),))
number = 3
empty = []
"""


def test_an_object_of_ones_own_module_is_a_policy(tmp_path, monkeypatch):
    (tmp_path / "own_policies_here.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    one, two, named = named_policies(
        [f"own_policies_here:{n}" for n in ("nothing", "two", "named")]
    )
    assert one.name == "own_policies_here:nothing"
    assert len(two.policies) == 2
    assert named.name == "under a name"
    for wrong in ("number", "empty", "gone", "TrimTurns"):
        with pytest.raises(InvalidValue, match=f"own_policies_here:{wrong}"):
            named_policies([f"own_policies_here:{wrong}"])


@pytest.mark.parametrize(
    "code", ["1 / 0", "raise RuntimeError('no')", "import nothing_here", "def"]
)
def test_a_module_that_raises_is_named(tmp_path, monkeypatch, code):
    (tmp_path / "broken_policies_here.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    with pytest.raises(InvalidValue, match="broken_policies_here:x cannot be imported"):
        named_policies(["broken_policies_here:x"])


def test_what_a_file_can_say_is_said_as_it_is_read(tmp_path):
    asked = named_policies(["trim", "clear+compact"])
    changed = NamedPolicy("keep 1", policies=(ClearToolResults(keep=1), TrimTurns(3)))
    for policy in (*asked, changed):
        assert named_policies([written(tmp_path, toml_of(policy))]) == (policy,)
    assert toml_of(NamedPolicy("own", policies=(lambda *_: None,))) == ""
    assert set(STEPS) == {"clear", "clear_reasoning", "compact", "shrink", "trim"}


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("clear = {keep = 1.5}", "clear.keep is 1.5, and must be a whole number"),
        ("clear = {keep = true}", "clear.keep is True"),
        ("clear = {trigger_tokens = 1.5}", "clear.trigger_tokens is 1.5"),
        ("clear = {at_least_tokens = nan}", "clear.at_least_tokens is nan"),
        ("clear = {clear_inputs = 'no'}", "clear.clear_inputs is 'no', and must be true or false"),
        ("clear = {placeholder = 3}", "clear.placeholder is 3, and must be a text"),
        (
            "clear = {exclude_tools = [3]}",
            "clear.exclude_tools is [3], and must be a list of names",
        ),
        ("clear = {exclude_tools = 'read'}", "clear.exclude_tools is 'read'"),
        ("trim = {turns = true}", "trim.turns is True"),
        ("compact = {summary_share = true}", "compact.summary_share is True, and must be a number"),
        ("compact = {summary_share = 0.6}", "compact: summary_share is 0.6"),
    ],
)
def test_a_value_of_another_type_is_refused_and_not_met_at_each_request(tmp_path, step, told):
    with pytest.raises(InvalidValue) as refused:
        named_policies([written(tmp_path, f"[policy.a]\nsteps = [{{{step}}}]")])
    assert told in str(refused.value)


def test_every_field_that_a_file_can_say_has_a_shape():
    said = [
        field.type
        for kind in STEPS.values()
        for field in fields(kind)
        if field.name not in _NOT_IN_A_FILE
    ]
    assert said
    assert set(said) <= set(_SHAPES)


@pytest.mark.parametrize("place", ["keep", "steps", "summarise_before"])
def test_a_number_that_cannot_be_printed_is_refused(tmp_path, place):
    endless = "0x" + "f" * 6_000
    text = {
        "keep": f"steps = [{{clear = {{keep = {endless}}}}}]",
        "steps": f"steps = [{endless}]",
        "summarise_before": f"steps = []\nsummarise_before = {endless}",
    }[place]
    with pytest.raises(InvalidValue, match=r"mine\.toml"):
        named_policies([written(tmp_path, f"[policy.a]\n{text}")])


@pytest.mark.parametrize("name", ['""', '" "', '"a\\nb"', '"\\u001b[31m"'])
def test_a_policy_without_a_name_to_show_is_refused(tmp_path, name):
    with pytest.raises(InvalidValue, match="is named"):
        named_policies([written(tmp_path, f"[policy.{name}]\nsteps = []")])


def test_a_file_may_begin_with_a_mark(tmp_path):
    (found,) = named_policies([written(tmp_path, "\ufeff[policy.a]\nsteps = ['trim']")])
    assert found.policies == (TrimTurns(),)


@pytest.mark.parametrize("code", ["import sys; sys.exit(0)", "raise SystemExit", "quit()"])
def test_a_script_that_ends_the_program_does_not_pass_for_a_replay(tmp_path, monkeypatch, code):
    (tmp_path / "ending_policies_here.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    with pytest.raises(InvalidValue, match="ends the program"):
        named_policies(["ending_policies_here:x"])


@pytest.mark.parametrize(
    "made", ["NamedPolicy('')", "NamedPolicy(3)", "NamedPolicy('x', policies=3)"]
)
def test_a_named_policy_that_is_none_is_refused(tmp_path, monkeypatch, made):
    code = f"from lifelong.replay.policies import NamedPolicy\nx = {made}"
    (tmp_path / "odd_policies_here.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    monkeypatch.delitem(__import__("sys").modules, "odd_policies_here", raising=False)
    __import__("importlib").invalidate_caches()
    with pytest.raises(InvalidValue):
        named_policies(["odd_policies_here:x"])
