"""Cases of the kinds ranking-and-filter, time and turn-durability."""

import math
import time
from datetime import UTC, date, datetime, timedelta

import pytest

import lifelong
from lifelong.conformance import said, texts
from lifelong.errors import InvalidTime, MessageConflict, NotFound


def test_d34_an_exact_match_has_the_highest_score(place):
    owner = place.owner
    owner.remember("The bike is locked at gate 7")
    owner.remember("Soup needs more salt")
    found = owner.recall("The bike is locked at gate 7", min_score=0.7)
    assert texts(found) == ["The bike is locked at gate 7"]
    assert found.hits[0].score >= 0.99
    assert all(0 <= hit.score <= 1 for hit in owner.recall("bike salt soup gate").hits)


def test_d34_variant_an_exact_match_comes_first_whatever_else_speaks_for_others(place):
    owner = place.owner
    text = "The bike is locked at gate 7"
    owner.session("s").append(
        [
            *said("the gate 7 bike, locked at the bike gate 7, is locked"),
            *said(text, role="assistant"),
            *said("thanks a lot"),
        ]
    )
    assert texts(owner.recall(text, limit=1)) == [text]
    assert texts(owner.recall(text, min_score=0.99)) == [text]


def test_d34_variant_a_better_match_has_a_higher_score(place):
    owner = place.owner
    for text in ("red tram to Malmo", "red tram", "a tram", "soup"):
        owner.remember(text)
    found = owner.recall("when does the red tram to Malmo leave")
    assert texts(found)[0] == "red tram to Malmo"
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    for least in (0.0, 0.3, 0.6, 1.0, 2.0):
        limited = owner.recall("when does the red tram to Malmo leave", min_score=least)
        assert texts(limited) == [hit.text for hit in found.hits if hit.score >= least]


@pytest.mark.parametrize("narrowed", [{"namespace": ("ann",)}, {"metadata": {"tag": "x"}}])
def test_d50_filters_hold_before_the_limit(place, narrowed):
    owner = place.owner
    for number in range(50):
        owner.remember(f"coffee tea {number}", namespace=("bo",), importance=10)
    for number in range(5):
        text = f"once there was some tea and much else was said of number {number} too"
        owner.remember(text, namespace=("ann",), metadata={"tag": "x"}, importance=1)
    found = owner.recall("coffee tea", limit=5, **narrowed)
    assert len(found.hits) == 5
    assert all(hit.memory.namespace == ("ann",) for hit in found.hits)


def test_d50_variant_what_is_hidden_takes_no_place(place):
    owner = place.owner
    soon = place.clock.now() + timedelta(hours=1)
    for number in range(40):
        owner.remember(f"tea {number}", expires_at=soon, importance=10)
        replaced = owner.remember(f"tea tea {number}", importance=10)
        owner.remember(f"soup {number}", supersedes=[replaced.id])
    place.clock.advance(hours=2)
    for number in range(3):
        owner.remember(f"a long sentence about this and that, and tea, number {number}")
    assert len(owner.recall("tea", limit=3).hits) == 3


def test_d50_variant_unreadable_and_forgotten_messages_take_no_place(place, damage):
    owner = place.owner
    owner.session("s").append(
        said(*(f"tea {n}" for n in range(80))), ids=[str(n) for n in range(80)]
    )
    damage("UPDATE message SET payload = '{bad' WHERE seq % 4 > 0")
    assert len(owner.recall("tea", limit=20).hits) == 20


@pytest.fixture(params=["UTC", "Asia/Tokyo", "America/Los_Angeles"])
def time_zone(request, monkeypatch):
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("time_zone")
def test_d28_expiry_is_a_moment_whatever_the_zone(place):
    owner = place.owner
    kept = owner.remember("parking pass", expires_at="2026-03-10T00:30:00+09:00")
    place.clock.set(datetime(2026, 3, 9, 15, 29, tzinfo=UTC))
    assert texts(owner.recall("parking")) == ["parking pass"]
    found = place.reopen().memory(kept.id)
    assert found.expires_at == datetime(2026, 3, 9, 15, 30, tzinfo=UTC)
    assert found.expires_at.utcoffset() is not None
    assert '"2026-03-09T15:30:00+00:00"' in "".join(place.owner.export())
    place.clock.set(datetime(2026, 3, 9, 15, 31, tzinfo=UTC))
    assert texts(place.owner.recall("parking")) == []
    for naive in (datetime(2026, 3, 10), date(2026, 3, 10), "2026-03-10", "2026-03-10T00:30"):  # noqa: DTZ001
        with pytest.raises(InvalidTime):
            place.owner.remember("x", expires_at=naive)


@pytest.mark.usefixtures("time_zone")
def test_d28_variant_times_of_saying_far_from_now(place):
    session = place.owner.session("s")
    moments = [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(1900, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
        datetime(2038, 1, 19, 3, 14, 8, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ]
    for number, moment in enumerate(moments):
        session.append(said(f"tram {number}"), sent_at=moment)
    found = place.reopen().session("s").messages()
    assert [message.sent_at for message in found] == moments
    assert len(place.owner.recall("tram").hits) == len(moments)


def test_d29_what_expired_is_absent_before_any_sweep(place):
    owner = place.owner
    kept = owner.remember(
        "door code 9",
        kind="fact",
        namespace=("door",),
        expires_at=place.clock.now() + timedelta(seconds=60),
    )
    place.clock.advance(seconds=61)
    assert owner.recall("door code").nothing_relevant
    assert owner.recall("door code", include_superseded=True).nothing_relevant
    assert (owner.memories(), owner.namespaces(), owner.known().text) == ([], [], "")
    assert owner.stats()["memory"] == 0
    assert owner.history(kept.id) == []
    with pytest.raises(NotFound):
        owner.memory(kept.id)
    with pytest.raises(NotFound):
        owner.memory(kept.id, include_superseded=True)
    for change in ({"text": "x"}, {"expires_at": None}, {"metadata": {"a": 1}}):
        with pytest.raises(NotFound):
            owner.update(kept.id, **change)
    with pytest.raises(NotFound):
        owner.remember("new", supersedes=[kept.id])
    assert owner.memories() == []


def test_d29_variant_it_is_not_revived_by_a_key_or_a_duplicate(place):
    owner = place.owner
    soon = place.clock.now() + timedelta(seconds=60)
    old = owner.remember("door code 9", key="door", expires_at=soon)
    place.clock.advance(seconds=61)
    new = owner.remember("door code 9", key="door")
    assert (new.outcome, new.supersedes) == ("stored", ())
    assert [memory.id for memory in owner.memories(include_superseded=True)] == [new.id]
    assert new.id != old.id


def test_d49_a_time_ahead_of_the_clock_does_not_break_the_ranking(place):
    owner, now = place.owner, place.clock.now()
    for text, moment in [
        ("tram line 4", now - timedelta(hours=1)),
        ("tram line 5", now + timedelta(days=10)),
        ("tram line 6", now + timedelta(days=30)),
    ]:
        place.clock.set(moment)
        owner.remember(text)
        owner.session("s").append(said(text))
    place.clock.set(now)
    found = owner.recall("tram line", limit=3, sources=["memory"])
    assert len(found.hits) == 3
    assert all(math.isfinite(hit.score) and 0 <= hit.score <= 1 for hit in found.hits)
    scores = {hit.text: hit.score for hit in found.hits}
    place.clock.set(now + timedelta(days=10))
    again = owner.recall("tram line", sources=["memory"])
    at_age_zero = {hit.text: hit.score for hit in again.hits}["tram line 5"]
    assert scores["tram line 5"] <= at_age_zero
    assert len(owner.recall("tram line").hits) == 6


class NoAnswer(ConnectionError):
    """The model could not be reached."""


def test_d13_a_retry_keeps_what_was_saved(place):
    session = place.owner.session("s")

    def turn(model):
        session.append(said("book seat 14C"), ids=["u1"])
        session.append([{"role": "assistant", "content": model()}], ids=["a1"])

    def unreachable():
        raise NoAnswer

    with pytest.raises(NoAnswer):
        turn(unreachable)
    assert texts(session.messages()) == ["book seat 14C"]
    turn(lambda: "booked")
    assert texts(place.reopen().session("s").messages()) == ["book seat 14C", "booked"]
    place.owner.session("s").append(
        [*said("book seat 14C"), *said("booked", role="assistant")], ids=["u1", "a1"]
    )
    assert texts(place.owner.session("s").messages()) == ["book seat 14C", "booked"]


def test_d13_variant_a_refused_answer_leaves_the_question(place):
    session = place.owner.session("s")
    session.append(said("book seat 14C"), ids=["u1"])
    for bad in ([{"content": "no role"}], [5], "text"):
        with pytest.raises(lifelong.LifelongError):
            session.append(bad)
    with pytest.raises(MessageConflict):
        session.append([*said("booked", role="assistant"), *said("other")], ids=["a1", "u1"])
    assert texts(place.reopen().session("s").messages()) == ["book seat 14C"]


def test_d13_variant_a_runner_takes_a_turn_back_and_says_it_again(place):
    # Some runners rewind by popping what they saved, and append the same items once more.
    session = place.owner.session("s")
    session.append(said("book seat 14C"), ids=["u1"])
    assert session.pop().text == "book seat 14C"
    session.append(said("book seat 14C"), ids=["u1"])
    session.append(said("booked", role="assistant"), ids=["a1"])
    assert texts(session.messages()) == ["book seat 14C", "booked"]
