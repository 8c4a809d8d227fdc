"""The entry: what is made storable, and what is refused by name."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifelong import Origin
from lifelong.errors import (
    EmptyText,
    InputError,
    InvalidName,
    InvalidTime,
    InvalidValue,
    TextTooLarge,
)
from lifelong.memory import entry
from lifelong.records import CHANNELS, KINDS


def test_a_text_is_kept_as_it_is_unless_it_cannot_be_stored():
    assert entry.clean_text("  Two\n words ") == "  Two\n words "
    assert entry.clean_text("a\x00b\udc97c") == "a\ufffdb\ufffdc"
    for blank in ("", " ", "\n\t", "\u3000", "\u2028"):
        with pytest.raises(EmptyText):
            entry.clean_text(blank)
    for thing in (None, 5, b"x", ["x"]):
        with pytest.raises(InvalidValue):
            entry.clean_text(thing)


def test_the_size_limit_counts_bytes(monkeypatch):
    monkeypatch.setattr(entry, "TEXT_BYTES_MAX", 8)
    for text in ("12345678", "éééé", "名前", "\U0001f469\U0001f469"):
        entry.require_size(text, "x")
    for text in ("123456789", "ééééé", "名前は", "\U0001f469\U0001f469x"):
        with pytest.raises(TextTooLarge):
            entry.require_size(text, "x")


@pytest.mark.parametrize("name", ["a", " a ", "a/b", "..", "名", "x" * 512, "\u200b", "a\u0085b"])
def test_what_can_be_a_name(name):
    assert entry.clean_name(name, "name") == name


@pytest.mark.parametrize(
    "name", ["", " ", "\u3000", "\n", "a\x00", "a\x1f", "a\x7f", "\ud800", "x" * 513, None, 5, b"a"]
)
def test_what_cannot_be_a_name(name):
    with pytest.raises(InvalidName) as caught:
        entry.clean_name(name, "owner id")
    assert "owner id" in str(caught.value)
    assert len(str(caught.value)) < 400
    str(caught.value).encode()


def test_a_namespace_is_a_tuple_of_names():
    assert entry.clean_namespace(["a", "b"]) == ("a", "b")
    assert entry.clean_namespace(iter("ab")) == ("a", "b")
    assert entry.clean_namespace(()) == ()
    assert len(entry.clean_namespace(["a"] * 32)) == 32
    for bad in ("ab", "", [""], ["a", 5], ["a"] * 33, [None], [b"a"], 5, None, [["a"]]):
        with pytest.raises(InputError):
            entry.clean_namespace(bad)


def test_a_time_has_an_offset():
    moment = datetime(2026, 3, 9, 15, 30, tzinfo=UTC)
    assert entry.clean_time(None, "x") is None
    assert entry.clean_time(moment, "x") == moment
    assert entry.clean_time("2026-03-10T00:30:00+09:00", "x") == moment
    assert entry.clean_time("2026-03-09T15:30:00Z", "x") == moment
    assert entry.clean_time("2026-03-09 15:30Z", "x") == moment


EDGE = timezone(timedelta(hours=-12))


@pytest.mark.parametrize(
    "moment",
    [
        datetime(2026, 3, 9),  # noqa: DTZ001 - a time without an offset is what is tested
        "2026-03-09",
        "2026-03-09T15:30",
        "soon",
        "",
        5,
        1.5,
        b"2026-03-09T15:30:00Z",
        datetime(2026, 3, 9, tzinfo=UTC).date(),
        "2026-02-30T00:00:00Z",
        datetime.max.replace(tzinfo=EDGE),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
    ],
    ids=repr,
)
def test_what_is_no_time(moment):
    with pytest.raises(InvalidTime) as caught:
        entry.clean_time(moment, "expires_at")
    assert "expires_at" in str(caught.value)


ZONES = st.sampled_from([timezone(timedelta(hours=hours)) for hours in (-12, -3.5, 0, 5.75, 14)])


@given(st.datetimes(timezones=ZONES))
def test_any_moment_is_taken_or_refused_by_name(moment):
    try:
        found = entry.clean_time(moment, "x")
    except InvalidTime:
        return
    assert found == moment
    assert found.astimezone(UTC) == moment


TEXT = st.text(alphabet=st.characters(exclude_categories=("Cs",), exclude_characters="\x00"))
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda children: st.lists(children, max_size=3) | st.dictionaries(TEXT, children, max_size=3),
    max_leaves=5,
)


@settings(max_examples=50)
@given(st.dictionaries(TEXT, JSON, max_size=3))
def test_metadata_is_the_same_and_a_copy(metadata):
    found = entry.clean_metadata(metadata)
    assert repr(found) == repr(metadata)
    assert found is not metadata


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        "x",
        5,
        {1: 2},
        {None: 1},
        {"a": {1, 2}},
        {"a": b"x"},
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": object()},
        {"a": datetime(2026, 1, 1, tzinfo=UTC)},
        {"a": 10**5000},
        {"a": {1: 2}},
        {"a": {("x",): 2}},
    ],
)
def test_what_is_no_metadata(metadata):
    with pytest.raises(InvalidValue):
        entry.clean_metadata(metadata)


def test_metadata_that_contains_itself_is_refused():
    metadata = {}
    metadata["self"] = metadata
    with pytest.raises(InputError):
        entry.clean_metadata(metadata)


def test_kinds_channels_and_importance():
    assert [entry.clean_kind(kind) for kind in KINDS] == list(KINDS)
    assert [entry.clean_origin(channel).channel for channel in CHANNELS] == list(CHANNELS)
    assert [entry.clean_importance(n) for n in (1, 10)] == [1, 10]
    for bad in ("", "Fact", None, 5, ["fact"]):
        with pytest.raises(InvalidValue):
            entry.clean_kind(bad)
    for bad in (0, 11, -1, 5.0, "5", True, None):
        with pytest.raises(InvalidValue):
            entry.clean_importance(bad)


@pytest.mark.parametrize(
    "origin",
    [
        "dream",
        None,
        5,
        Origin("dream"),
        Origin("user", source=5),
        Origin("user", parents=("",)),
        Origin("user", parents=(5,)),
        Origin("user", parents=5),
        Origin("user", parents="mem_1"),
    ],
    ids=repr,
)
def test_what_is_no_origin(origin):
    with pytest.raises(InputError):
        entry.clean_origin(origin)


def test_limits():
    assert [entry.clean_limit(limit) for limit in (None, 0, 1, 10**9)] == [None, 0, 1, 10**9]
    for bad in (-1, 1.0, "1", True, [], float("nan")):
        with pytest.raises(InvalidValue):
            entry.clean_limit(bad)
