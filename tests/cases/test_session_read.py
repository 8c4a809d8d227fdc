"""Cases of the kind session-read: order, limits, and rows that cannot be read."""

import json
from contextlib import suppress

import pytest

from lifelong.conformance import said, texts
from lifelong.errors import InputError, InvalidValue, LifelongError

UNREADABLE = {
    "cut off": "{bad",
    "empty": "",
    "no object": "5",
    "null": "null",
    "a list": "[]",
    "no role": '{"content": "x"}',
    "role is a number": '{"role": 5, "content": "x"}',
    "content is a number": '{"role": "user", "content": 5}',
    "not a number": '{"role": "user", "content": "x", "n": NaN}',
    "too deep": '{"role": "user", "content": "x", "n": ' + "[" * 5000 + "]" * 5000 + "}",
    "bytes": b"\xff\xfe",
}


def test_d15_equal_timestamps_keep_the_order(place):
    one, other = place.owner.session("one"), place.owner.session("other")
    one.append(said(*(f"one {n}" for n in range(50))))
    for number in range(50):
        other.append(said(f"other {number}"))
        one.append(said(f"one {number + 50}"))
    owner = place.reopen()
    assert texts(owner.session("one").messages()) == [f"one {n}" for n in range(100)]
    assert texts(owner.session("other").messages()) == [f"other {n}" for n in range(50)]
    assert texts(owner.session("one").messages(30)) == [f"one {n}" for n in range(70, 100)]


@pytest.mark.parametrize("payload", UNREADABLE.values(), ids=UNREADABLE)
def test_d16_one_unreadable_row_hides_no_other(place, damage, payload):
    session = place.owner.session("s")
    session.append(said("item 1", "item 2", "item 3"), ids=["1", "2", "3"])
    damage("UPDATE message SET payload = ? WHERE id = '3'", payload)
    # Reads skip it, say so, and count valid items only.
    found = session.messages()
    assert texts(found) == ["item 1", "item 2"]
    assert [(row.session_id, row.message_id) for row in found.skipped] == [("s", "3")]
    assert found.skipped[0].reason
    assert texts(session.messages(2)) == ["item 1", "item 2"]
    assert texts(session.messages(1)) == ["item 2"]
    assert len(session.render("chat").items) == 2
    assert texts(place.owner.recall("item 1"))[0] == "item 1"
    # It is kept.
    popped = session.pop()
    assert popped is not None
    assert popped.text == "item 2"
    assert place.owner.stats()["message"] == 2
    # Writing and rebuilding go on beside it.
    session.append(said("item 4"))
    place.owner.reindex()
    assert texts(session.messages()) == ["item 1", "item 4"]


def test_d16_check_names_each_row_that_reads_skip(place, damage):
    session = place.owner.session("s")
    for name, payload in UNREADABLE.items():
        session.append(said("x"), ids=[name])
        damage("UPDATE message SET payload = ? WHERE id = ?", payload, name)
    skipped = {row.message_id for row in session.messages().skipped}
    problems = place.owner.check().problems
    assert skipped == UNREADABLE.keys()
    assert {name for name in UNREADABLE if not any(name in each for each in problems)} == set()


@pytest.mark.parametrize("payload", ["{bad", UNREADABLE["too deep"], b"\xff\xfe"])
def test_d16_export_goes_on_past_an_unreadable_row(place, damage, payload):
    place.owner.session("s").append(said("item 1", "item 2"), ids=["1", "2"])
    damage("UPDATE message SET payload = ? WHERE id = '1'", payload)
    assert any("item 2" in line for line in place.owner.export())


def test_d16_variant_a_format_that_is_not_known_here(place, damage):
    session = place.owner.session("s")
    session.append(said("item 1", "item 2"), ids=["1", "2"])
    damage("UPDATE message SET format = 'future' WHERE id = '2'")
    assert texts(session.messages()) == ["item 1"]
    assert len(session.messages().skipped) == 1
    assert texts(session.messages(1)) == ["item 1"]
    place.owner.reindex()
    assert len(place.owner.recall("item").hits) == 1


def test_d16_variant_all_rows_are_unreadable(place, damage):
    session = place.owner.session("s")
    session.append(said(*"1234567"))
    damage("UPDATE message SET payload = '{bad'")
    assert len(session.messages()) == 0
    assert len(session.messages(3).skipped) == 7
    assert session.pop() is None
    found = place.owner.recall("3")
    assert found.nothing_relevant
    assert found.reasons


def test_d16_variant_the_unreadable_can_be_forgotten(place, damage):
    session = place.owner.session("s")
    session.append(said("item 1", "item 2"), ids=["1", "2"])
    damage("UPDATE message SET payload = '{bad Halden' WHERE id = '1'")
    assert place.owner.forget(match="Halden").counts["message"] == 1
    assert place.owner.check().is_clean
    assert len(session.messages().skipped) == 0


MEMORY_DAMAGE = (
    "UPDATE memory SET metadata = '{bad' WHERE text = 'bad one 0'",
    "UPDATE memory SET metadata = '[1]' WHERE text = 'bad one 1'",
    "UPDATE memory SET namespace = 'x' WHERE text = 'bad one 2'",
    "UPDATE memory SET trust = 99 WHERE text = 'bad one 3'",
    "UPDATE memory SET recorded_at = 1000000000000000000 WHERE text = 'bad one 4'",
    "UPDATE memory SET text = x'ff' WHERE text = 'bad one 5'",
)


def test_d16_variant_one_unreadable_memory_hides_no_other(place, damage):
    owner = place.owner
    owner.remember("good one", kind="fact")
    for number, sql in enumerate(MEMORY_DAMAGE):
        owner.remember(f"bad one {number}", kind="fact")
        damage(sql)
    assert "good one" in texts(owner.memories())
    assert "good one" in texts(owner.recall("one"))
    assert "good one" in owner.known().text
    assert any("good one" in line for line in owner.export())
    assert not owner.check().is_clean
    assert owner.remember("another one").outcome == "stored"
    owner.reindex()


def test_d16_variant_an_unreadable_session_hides_no_other(place, damage):
    for name in ("good", "bad"):
        place.owner.session(name).append(said("hi"))
    damage("UPDATE session SET metadata = '{bad' WHERE id = 'bad'")
    assert "good" in [session.id for session in place.owner.sessions()]
    assert any('"good"' in line for line in place.owner.export())
    assert not place.owner.check().is_clean


def test_d16_variant_an_unreadable_state_is_a_named_error(place, damage):
    place.owner.set("good", 1)
    place.owner.set("bad", 2)
    damage("UPDATE state SET value = '{bad' WHERE name = 'bad'")
    assert place.owner.get("good") == 1
    with suppress(LifelongError):
        assert place.owner.get("bad", "default") == "default"
    assert any('"good"' in line for line in place.owner.export())
    assert not place.owner.check().is_clean


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, "12345"), (2, "45"), (0, ""), (10**9, "12345")]
)
def test_d46_a_limit_means_the_same_everywhere(place, limit, expected):
    owner = place.owner
    owner.session("s").append(said(*"12345"))
    for text in "12345":
        owner.remember(f"number {text}")
    assert texts(owner.session("s").messages(limit)) == list(expected)
    assert [item["content"] for item in owner.session("s").render("chat", limit).items] == list(
        expected
    )
    assert texts(owner.memories(limit)) == [f"number {text}" for text in expected]
    assert len(owner.recall("number", limit=limit).hits) == len(expected)


@pytest.mark.parametrize(
    ("limit", "expected"), [(None, "12345"), (2, "45"), (0, ""), (5, "12345"), (10**9, "12345")]
)
def test_d46_a_limit_of_whole_steps_means_the_same_everywhere(place, limit, expected):
    session = place.owner.session("s")
    session.append(said(*"12345"))
    assert texts(session.messages(limit, whole_steps=True)) == list(expected)


STEP = [
    {"role": "user", "content": "1"},
    {
        "role": "assistant",
        "content": "2",
        "tool_calls": [
            {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}
            for name in "ab"
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": "3"},
    {"role": "tool", "tool_call_id": "b", "content": "4"},
    {"role": "user", "content": "5"},
]


@pytest.mark.parametrize(
    ("limit", "count"), [(None, 5), (0, 0), (1, 1), (2, 1), (3, 1), (4, 4), (5, 5), (10**9, 5)]
)
def test_d46_variant_a_limit_within_a_step_gives_fewer(place, limit, count):
    place.owner.session("s").append(STEP)
    for owner in (place.owner, place.beside()):
        found = owner.session("s").messages(limit, whole_steps=True)
        assert [message.raw for message in found] == STEP[5 - count :]


@pytest.mark.parametrize("limit", range(7))
def test_d46_variant_whole_steps_beside_rows_that_cannot_be_read(place, damage, limit):
    session = place.owner.session("s")
    session.append([*STEP, *said("6")], ids=[*"123456"])
    damage("UPDATE message SET payload = '{bad' WHERE id = '3'")
    found = session.messages(limit, whole_steps=True)
    assert len(found) <= limit
    ids = [message.id for message in found]
    assert ids == sorted(ids)
    # The call whose result is gone is left out, and with it the other result.
    assert not {"2", "4"} & set(ids)


@pytest.mark.parametrize("limit", [-1, -(2**63), 2.0, "3", False])
def test_d46_a_limit_that_is_none_never_means_everything(place, limit):
    owner = place.owner
    owner.session("s").append(said(*"12345"))
    owner.remember("number 1")
    for read in (
        owner.session("s").messages,
        lambda limit: owner.session("s").messages(limit, whole_steps=True),
        owner.memories,
        lambda limit: owner.session("s").render("chat", limit),
        lambda limit: owner.recall("number", limit=limit),
    ):
        with pytest.raises(InvalidValue):
            read(limit)


@pytest.mark.parametrize("limit", [2**31, 2**63 - 1, 2**63, 10**30])
def test_d46_variant_a_limit_beyond_what_a_database_can_count(place, limit):
    owner = place.owner
    owner.session("s").append(said(*"12"))
    owner.remember("number 1")
    for read in (
        owner.session("s").messages,
        owner.memories,
        lambda limit: owner.recall("number", limit=limit).hits,
    ):
        with suppress(InputError):
            assert len(read(limit)) in (1, 2)


def test_d15_variant_a_long_session_is_read_from_its_end(place):
    session = place.owner.session("s")
    session.append(said(*(str(number) for number in range(5_000))))
    assert texts(session.messages(3)) == ["4997", "4998", "4999"]
    assert len(session.messages()) == 5_000
    assert json.loads(json.dumps(session.render("chat", 1).items)) == said("4999")
    assert session.pop().text == "4999"
