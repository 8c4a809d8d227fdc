"""What a new memory does to what stands, case by case, with what stands made by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from lifelong.memory.deciding import QUOTA_DEFAULT, Quota, decide
from lifelong.records import Memory, Origin, Trust
from lifelong.rows import MemoryCounts, Standing, Verdict

NOW = datetime(2026, 1, 10, tzinfo=UTC)
EARLIER = NOW - timedelta(days=9)
NOBODY = Quota(memories_max=0, held_max=0)
"""A quota that is full already."""


def memory(id="new", text="in Lund", at=NOW, **fields):
    return Memory(
        **{
            "id": id,
            "text": text,
            "kind": "fact",
            "namespace": (),
            "importance": 5,
            "origin": Origin(),
            "trust": Trust.USER,
            "key": None,
            "metadata": {},
            "recorded_at": at,
            "updated_at": at,
            **fields,
        }
    )


def old(id="old", text="in Kiel", **fields):
    return memory(id, text, at=EARLIER, **fields)


def decided(new, quota=QUOTA_DEFAULT, **standing):
    return decide(new, Standing(**standing), quota)


def test_with_nothing_there_it_is_stored():
    assert decided(memory()) == Verdict()


@pytest.mark.parametrize(
    ("mine", "standing", "is_duplicate"),
    [
        ({}, {}, True),
        ({"trust": Trust.MODEL}, {}, True),
        ({}, {"trust": Trust.MODEL}, False),
        ({}, {"key": "home"}, True),
        ({"key": "home"}, {"key": "home"}, True),
        ({"key": "home"}, {}, False),
        ({"key": "home"}, {"key": "work"}, False),
        ({"key": "home", "trust": Trust.MODEL}, {}, True),
        ({}, {"held_for": "suspect"}, False),
        ({"trust": Trust.UNTRUSTED}, {"held_for": "suspect", "trust": Trust.UNTRUSTED}, False),
        ({"trust": Trust.MODEL}, {"held_for": "revoked", "trust": Trust.UNTRUSTED}, True),
        ({}, {"held_for": "revoked", "trust": Trust.UNTRUSTED}, False),
        ({"held_for": "proposed"}, {}, True),
        ({"held_for": "proposed"}, {"trust": Trust.UNTRUSTED}, True),
        ({"held_for": "proposed"}, {"held_for": "proposed"}, True),
        ({"held_for": "proposed"}, {"held_for": "suspect", "trust": Trust.MODEL}, False),
    ],
)
def test_the_same_text(mine, standing, is_duplicate):
    """A duplicate; or it takes the place of what stood there."""
    same = old(text="in Lund", **standing)
    expected = Verdict(duplicate_of="old") if is_duplicate else Verdict(supersedes=("old",))
    assert decided(memory(**mine), same=same) == expected


def test_a_duplicate_replaces_what_it_was_told_to():
    same, other, keyed = old(text="in Lund", key="home"), old("other"), old("keyed", key="home")
    told = {"same": same, "named": (same, other), "keyed": (same, keyed)}
    assert decided(memory(key="home"), **told) == Verdict(
        duplicate_of="old", supersedes=("other", "keyed")
    )
    # What stands has another key, or none: by that key it replaces nothing.
    less = memory(key="home", trust=Trust.MODEL)
    told = {"same": old(text="in Lund"), "named": (other,), "keyed": (keyed,)}
    assert decided(less, **told) == Verdict(duplicate_of="old", supersedes=("other",))


def test_what_is_held_back_replaces_nothing():
    told = {"named": (old("a"),), "keyed": (old("b", key="home"),)}
    assert decided(memory(held_for="suspect", key="home"), **told) == Verdict()
    assert decided(memory(held_for="suspect"), same=old(text="in Lund"), **told) == Verdict(
        duplicate_of="old"
    )
    # Nor does what stands for something only because it is held back.
    revoked = old(text="in Lund", held_for="revoked")
    assert decided(memory(trust=Trust.MODEL), same=revoked, **told) == Verdict(duplicate_of="old")


@pytest.mark.parametrize("trust", list(Trust))
@pytest.mark.parametrize("other", list(Trust))
def test_by_a_key_nothing_less_founded_replaces_anything(trust, other):
    keyed = (old(key="home", trust=other),)
    expected = Verdict(supersedes=("old",)) if trust >= other else Verdict(conflicts=("old",))
    assert decided(memory(key="home", trust=trust), keyed=keyed) == expected


@pytest.mark.parametrize("trust", list(Trust))
@pytest.mark.parametrize("other", list(Trust))
def test_by_a_name_what_is_untrusted_replaces_only_its_like(trust, other):
    may = trust > Trust.UNTRUSTED or other == Trust.UNTRUSTED
    expected = Verdict(supersedes=("old",)) if may else Verdict(conflicts=("old",))
    assert decided(memory(trust=trust), named=(old(trust=other),)) == expected


@pytest.mark.parametrize(
    ("channel", "parents", "may"),
    [("user", ("old",), True), ("user", ("x",), False), ("assistant", ("old",), False)],
)
def test_a_user_may_replace_what_it_was_made_from(channel, parents, may):
    made = memory(trust=Trust.UNTRUSTED, origin=Origin(channel, "", parents))
    expected = Verdict(supersedes=("old",)) if may else Verdict(conflicts=("old",))
    assert decided(made, named=(old(),)) == expected


@pytest.mark.parametrize(
    ("valid_from", "other", "is_late"),
    [
        (None, {}, False),
        (NOW, {}, False),
        (EARLIER, {}, False),
        (EARLIER - timedelta(microseconds=1), {}, True),
        (EARLIER, {"valid_from": NOW}, True),
        (EARLIER, {"valid_from": EARLIER - timedelta(days=1)}, False),
    ],
)
def test_what_was_true_before_is_history(valid_from, other, is_late):
    late = memory(key="home", valid_from=valid_from)
    expected = Verdict(superseded_by="old") if is_late else Verdict(supersedes=("old",))
    assert decided(late, keyed=(old(key="home", **other),)) == expected


def test_history_is_ended_by_the_newest_and_ends_what_came_before():
    late = memory(key="home", valid_from=EARLIER)
    keyed = (
        old("before", key="home", valid_from=EARLIER - timedelta(days=1)),
        old("first", key="home", valid_from=NOW),
        old("last", key="home", valid_from=NOW + timedelta(days=1)),
    )
    assert decided(late, keyed=keyed) == Verdict(supersedes=("before",), superseded_by="last")


def test_history_contradicts_nothing_and_no_quota_counts_it():
    late = memory(text="I live in Lund", key="home", valid_from=EARLIER - timedelta(days=1))
    standing = {
        "keyed": (old(key="home"),),
        "similar": (old("rome", "I live in Rome"),),
        "counts": MemoryCounts(owner=9),
    }
    assert decided(late, NOBODY, **standing) == Verdict(superseded_by="old")


def test_what_is_named_or_has_the_text_is_replaced_though_it_came_later():
    late = memory(key="home", valid_from=EARLIER - timedelta(days=1))
    keyed = old(key="home")
    assert decided(late, named=(keyed,), keyed=(keyed,)) == Verdict(supersedes=("old",))
    same = old(text="in Lund", key="home", trust=Trust.MODEL)
    assert decided(late, same=same, keyed=(same,)) == Verdict(supersedes=("old",))
    # What may not be replaced though it is named ends it.
    tool = memory(key="home", valid_from=late.valid_from, trust=Trust.UNTRUSTED)
    assert decided(tool, named=(keyed,), keyed=(keyed,)) == Verdict(superseded_by="old")


LUND = "I live in Lund"


@pytest.mark.parametrize(
    ("mine", "other", "expected"),
    [
        ({}, {}, Verdict(supersedes=("old",))),
        ({"kind": "preference"}, {"kind": "constraint"}, Verdict(supersedes=("old",))),
        ({"kind": "note"}, {}, Verdict(conflicts=("old",))),
        ({}, {"kind": "event"}, Verdict(conflicts=("old",))),
        ({"kind": "procedure"}, {"kind": "procedure"}, Verdict(conflicts=("old",))),
        ({"trust": Trust.MODEL}, {}, Verdict(conflicts=("old",))),
        ({"trust": Trust.MODEL}, {"trust": Trust.UNTRUSTED}, Verdict(supersedes=("old",))),
        ({"valid_from": EARLIER - timedelta(days=1)}, {}, Verdict(conflicts=("old",))),
        ({}, {"text": "I like soup"}, Verdict()),
    ],
)
def test_by_a_rule(mine, other, expected):
    similar = (old(**{"text": "I live in Kiel", **other}),)
    assert decided(memory(text=LUND, **mine), similar=similar) == expected


@pytest.mark.parametrize(
    ("mine", "other", "is_duplicate"),
    [
        ({}, {}, True),
        ({"trust": Trust.MODEL}, {}, True),
        ({}, {"trust": Trust.MODEL}, False),
        ({"kind": "note"}, {}, False),
        ({"key": "home"}, {}, False),
        ({}, {"key": "home"}, False),
        ({"metadata": {"n": 1}}, {}, False),
        ({"metadata": {"n": 1}}, {"metadata": {"n": 1}}, True),
        ({"valid_from": EARLIER}, {}, False),
        ({"valid_to": NOW}, {}, False),
        ({"expires_at": NOW}, {"expires_at": EARLIER}, False),
        ({}, {"text": "I live in Lund now"}, False),
    ],
)
def test_a_near_duplicate_loses_nothing(mine, other, is_duplicate):
    similar = (old(**{"text": "I live in Lund.", **other}),)
    verdict = decided(memory(text=LUND, **mine), similar=similar)
    assert (verdict.duplicate_of == "old") is is_duplicate


def test_a_near_duplicate_stands_for_what_the_new_one_was_told():
    verdict = decided(
        memory(text=LUND),
        named=(old("named"),),
        similar=(old("kiel", "I live in Kiel"), old("same", "I live in Lund.")),
    )
    assert verdict == Verdict(duplicate_of="same", supersedes=("named", "kiel"))


def test_what_is_replaced_is_no_conflict():
    keyed, named = old("a", key="home"), old("a", key="home")
    verdict = decided(
        memory(key="home", trust=Trust.MODEL), named=(named,), keyed=(keyed,), similar=(named,)
    )
    assert verdict == Verdict(supersedes=("a",))


@pytest.mark.parametrize(
    ("quota", "counts", "is_full"),
    [
        (Quota(memories_max=3), MemoryCounts(owner=2), False),
        (Quota(memories_max=3), MemoryCounts(owner=3), True),
        (Quota(namespace_max=3), MemoryCounts(owner=9, namespace=2), False),
        (Quota(namespace_max=3), MemoryCounts(owner=9, namespace=3), True),
        (Quota(kind_max={"fact": 3}), MemoryCounts(owner=9, kind=3), True),
        (Quota(kind_max={"note": 3}), MemoryCounts(owner=9, kind=3), False),
        (Quota(held_max=0), MemoryCounts(held=9), False),
    ],
)
def test_quotas(quota, counts, is_full):
    verdict = decided(memory(), quota, counts=counts)
    assert bool(verdict.refusal) is is_full


@pytest.mark.parametrize(
    ("fallen", "is_full"),
    [
        ({}, False),
        ({"namespace": ("work",)}, True),
        ({"kind": "note"}, True),
        ({"held_for": "suspect"}, True),
    ],
)
def test_what_is_replaced_makes_room_only_where_it_stood(fallen, is_full):
    quota = Quota(memories_max=3, namespace_max=2, kind_max={"fact": 2})
    counts = MemoryCounts(owner=3, namespace=2, kind=2)
    assert bool(decided(memory(), quota, named=(old(**fallen),), counts=counts).refusal) is is_full


def test_what_was_held_is_no_room_for_what_is_live():
    held = old(text="in Lund", held_for="suspect", trust=Trust.UNTRUSTED)
    counts = MemoryCounts(owner=3, held=1)
    assert decided(memory(), Quota(memories_max=3), same=held, counts=counts).refusal
    # Of two that wait one stays, so that it needs none.
    waiting = memory(held_for="suspect")
    verdict = decided(waiting, Quota(held_max=1), same=held, counts=counts)
    assert verdict == Verdict(supersedes=("old",))
    assert decided(waiting, Quota(held_max=1), counts=counts).refusal


def test_a_duplicate_is_never_refused():
    counts = MemoryCounts(owner=9, held=9)
    assert decided(memory(), NOBODY, same=old(text="in Lund"), counts=counts) == Verdict(
        duplicate_of="old"
    )
