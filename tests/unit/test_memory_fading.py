"""Fading: what a memory still weighs, which sink, and which may go."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kept import NOW, from_page, kept

from lifelong.errors import InvalidValue
from lifelong.memory.fading import (
    HALF_LIFE_DAYS,
    Fades,
    days_unused,
    fading,
    half_life_days,
    strength,
)
from lifelong.records import KINDS, Origin, Trust

FADING_KINDS = ("procedure", "fact", "event", "note")


def ago(days):
    return NOW - timedelta(days=days)


def texts(memories):
    return [memory.text for memory in memories]


def test_each_kind_has_a_half_life_and_what_stands_never_fades():
    assert set(HALF_LIFE_DAYS) == set(KINDS)
    assert half_life_days("constraint") is half_life_days("preference") is None
    days = [half_life_days(kind) for kind in FADING_KINDS]
    assert days == sorted(days, reverse=True)
    assert half_life_days("of a later version") is None


@pytest.mark.parametrize(
    ("kind", "importance", "days", "weighs"),
    [
        ("fact", 8, 0, 0.8),
        ("fact", 8, 120, 0.4),
        ("fact", 8, 240, 0.2),
        ("note", 10, 30, 0.5),
        ("event", 4, 180, 0.1),
        ("procedure", 10, 365, 0.5),
        ("preference", 3, 3650, 0.3),
        ("constraint", 10, 3650, 1.0),
        ("note", 5, -10, 0.5),
    ],
)
def test_it_weighs_its_importance_halved_by_disuse(kind, importance, days, weighs):
    assert strength(kept(kind=kind, importance=importance, days=days), NOW) == pytest.approx(weighs)


@pytest.mark.parametrize(
    ("fields", "days"),
    [
        ({}, 100),
        ({"last_used_at": ago(7)}, 7),
        ({"updated_at": ago(9)}, 9),
        ({"confirmed_at": ago(8)}, 8),
        ({"valid_from": ago(20)}, 20),
        ({"valid_from": ago(400)}, 100),
        ({"last_used_at": ago(-3)}, 0),
        ({"valid_from": ago(-30)}, 0),
    ],
)
def test_every_use_makes_it_young_again(fields, days):
    assert days_unused(kept(days=100, **fields), NOW) == days


def test_the_weak_sink_and_those_long_unused_go_the_weakest_first():
    # A fact of importance 5 is below .1 after 120 * log2(5) = 279 days.
    memories = [
        kept("strong", days=200),
        kept("just strong", days=278),
        kept("weak", days=280),
        kept("weaker", days=400),
        kept("weak, and trivial", importance=1, days=10),
        kept("gone for long", days=2_000),
        kept("used of late", days=2_000, last_used_at=ago(10)),
    ]
    found = fading(memories, NOW, below=0.1, unused_days=300)
    assert texts(found.gone) == ["gone for long", "weaker"]
    # 1/10 halved by 10 days of 120 is .094; 5/10 halved by 280 days is .099.
    assert texts(found.sinking) == ["weak, and trivial", "weak"]


def test_the_day_it_is_unused_long_enough_it_goes():
    memory = kept("x", "note", days=180)
    assert fading([memory], NOW).gone == (memory,)
    assert fading([memory], NOW - timedelta(seconds=1)) == Fades((memory,), ())


def test_a_strength_of_just_the_threshold_does_not_sink():
    memory = kept(importance=1)
    assert fading([memory], NOW, below=0.1) == Fades((), ())
    assert fading([memory], NOW, below=0.11, unused_days=0) == Fades((), (memory,))
    assert fading([memory], NOW, below=0.0, unused_days=0) == Fades((), ())


OLD = 10_000


@pytest.mark.parametrize(
    "memory",
    [
        kept(kind="constraint", importance=1, days=OLD),
        kept(kind="preference", importance=1, days=OLD),
        kept(kind="of a later version", importance=1, days=OLD),
        kept(days=OLD, superseded_by="mem_1", superseded_at=ago(1)),
        kept(days=OLD, held_for="suspect"),
    ],
    ids=["constraint", "preference", "unknown kind", "history", "held"],
)
def test_these_neither_sink_nor_go(memory):
    assert fading([memory], NOW, below=1.0, unused_days=0) == Fades((), ())


@pytest.mark.parametrize(
    "fields",
    [
        {"key": "city"},
        {"trust": Trust.SYSTEM, "origin": Origin("system")},
        {"confirmed_at": ago(OLD)},
        {"valid_from": ago(-1)},
    ],
    ids=["key", "system", "confirmed", "not true yet"],
)
def test_these_sink_at_most(fields):
    memory = kept("x", "note", days=OLD, **fields)
    assert fading([memory], NOW, below=1.0, unused_days=0) == Fades((memory,), ())


def test_what_came_from_a_page_goes_like_any_other():
    page = from_page(days=OLD)
    assert fading([page], NOW).gone == (page,)


def test_what_another_memory_was_made_from_stays_as_long_as_that_one():
    root = kept("root", days=OLD, id="r")
    middle = kept("middle", days=OLD, id="m", origin=Origin(parents=("r", "msg_1")))
    rule = kept("rule", "constraint", days=OLD, origin=Origin(parents=("m",)))
    leaf = kept("leaf", days=OLD, origin=Origin(parents=("r",)))
    found = fading([root, middle, rule, leaf], NOW)
    assert texts(found.gone) == ["leaf"]
    assert set(texts(found.sinking)) == {"root", "middle"}
    assert set(texts(fading([root, middle, leaf], NOW).gone)) == {"root", "middle", "leaf"}


def test_parents_in_a_circle_end():
    one = kept(days=OLD, id="a", origin=Origin(parents=("b",)))
    two = kept(days=OLD, id="b", origin=Origin(parents=("a",)))
    held = kept(kind="constraint", origin=Origin(parents=("a",)))
    assert len(fading([one, two], NOW).gone) == 2
    assert fading([one, two, held], NOW).gone == ()


@pytest.mark.parametrize("below", [-0.1, 1.1, float("nan"), "0.1", None, True])
def test_a_threshold_that_cannot_be_one_is_refused(below):
    with pytest.raises(InvalidValue, match="below"):
        fading([], NOW, below=below)


@pytest.mark.parametrize("days", [-1, float("nan"), "30", None])
def test_a_time_that_cannot_be_one_is_refused(days):
    with pytest.raises(InvalidValue, match="unused_days"):
        fading([], NOW, unused_days=days)


MEMORIES = st.lists(
    st.builds(
        kept,
        st.text(max_size=5),
        st.sampled_from(KINDS),
        days=st.integers(-50, 3_000),
        importance=st.integers(1, 10),
        key=st.sampled_from([None, None, "k"]),
        trust=st.sampled_from(list(Trust)),
        last_used_at=st.none() | st.integers(-10, 3_000).map(ago),
        valid_from=st.none() | st.integers(-300, 3_000).map(ago),
    ),
    max_size=20,
)


@given(MEMORIES, st.floats(0, 1), st.integers(0, 400))
def test_only_what_is_weak_and_unused_goes_and_time_brings_nothing_back(memories, below, days):
    found = fading(memories, NOW, below=below, unused_days=days)
    for memory in (*found.sinking, *found.gone):
        assert 0 <= strength(memory, NOW) < below
    for memory in found.gone:
        assert memory.kind in FADING_KINDS
        assert memory.key is None
        assert memory.trust < Trust.SYSTEM
        assert days_unused(memory, NOW) >= days
    later = fading(memories, NOW + timedelta(days=50), below=below, unused_days=days)
    assert {m.id for m in found.gone} <= {m.id for m in later.gone}
    assert found == fading(list(reversed(memories)), NOW, below=below, unused_days=days)
