"""Cases of the kind forget, of summaries: what was made of a message goes with the message."""

from itertools import pairwise
from threading import Event, Thread

import pytest
from conversations import (
    asked,
    assert_paired,
    outline,
    room,
    rows_of,
    small_talk,
    summaries_of,
    told,
    written,
)

BUDGET = room(2_000)
SECRET = "BRYN-40417"
SECONDS_MAX = 60


def telling(task):
    """A summary that says the secret when its source does, as a good summary might."""
    if SECRET in task.transcript:
        return f"Ana lives in {SECRET} and asks about trams."
    return "Ana asks about her trams."


def compacted(place, at, pairs=60):
    """A session in several summaries, in which one message tells the secret."""
    session = place.owner.session("s")
    talk = small_talk(pairs)
    talk[at] = (talk[at][0], f"I live in {SECRET}, at 4 {SECRET} Road. {talk[at][1]}")
    session.append(written(talk, "chat"), ids=[f"m{n}" for n in range(len(talk))])
    assert session.compact(BUDGET, telling).segments >= 3
    return session


def bytes_on_disk(place):
    if place.directory is None:
        return b""
    files = [path for path in place.directory.rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in files)


def everything_held(place):
    owner = place.owner
    session = owner.session("s")
    parts = [repr(rows_of(session)), repr(summaries_of(session)), *owner.export()]
    if rows_of(session):
        parts.append(repr(session.request(BUDGET).payload))
    return "\n".join(parts)


@pytest.mark.parametrize("at", [0, 1, 30, 60], ids=["first", "second", "in between", "later"])
def test_d22_a_summary_goes_with_the_message_it_was_made_of(place, at):
    session = compacted(place, at)
    before = summaries_of(session)
    seq = rows_of(session)[at].seq
    assert SECRET in "".join(row.text + row.carried for row in before)
    if place.directory and not place.is_encrypted:
        assert SECRET.encode() in bytes_on_disk(place)
    receipt = place.owner.forget(f"m{at}", session="s")
    # It goes, and those after it, since they follow on it; those before it stay.
    stayed = [row for row in before if row.last_seq < seq]
    assert summaries_of(session) == stayed
    assert receipt.counts["summary"] == len(before) - len(stayed)
    assert not receipt.is_pending
    assert SECRET not in everything_held(place)
    raw = bytes_on_disk(place)
    assert SECRET.encode() not in raw
    assert SECRET.lower().encode() not in raw.lower()
    assert place.owner.check().is_clean


def test_d22_what_was_summed_up_is_summed_up_anew(place):
    session = compacted(place, 30)
    place.owner.forget("m30", session="s")
    done = session.compact(BUDGET, telling)
    assert done.outcome == "compacted"
    spans = [(row.first_seq, row.last_seq) for row in summaries_of(session)]
    seqs = [row.seq for row in rows_of(session)]
    for one, two in pairwise(spans):
        assert seqs.index(two[0]) == seqs.index(one[1]) + 1
    request = session.request(BUDGET)
    assert request.problems == ()
    assert_paired(outline(request))
    assert SECRET not in everything_held(place)
    assert place.reopen().session("s").request(BUDGET).payload == request.payload


def test_d22_variant_forgotten_by_a_word(place):
    compacted(place, 30)
    assert place.owner.forget(match=SECRET).counts["message"] == 1
    assert SECRET not in everything_held(place)
    assert SECRET.encode() not in bytes_on_disk(place)


def test_d22_variant_the_whole_session(place):
    session = compacted(place, 30)
    other = place.owner.session("other")
    other.append(written(small_talk(40), "chat"))
    other.compact(BUDGET, telling)
    count = len(summaries_of(session))
    kept = summaries_of(other)
    assert place.owner.forget(session="s").counts["summary"] == count
    assert summaries_of(session) == []
    assert summaries_of(other) == kept
    assert SECRET.encode() not in bytes_on_disk(place)


def test_d22_variant_everything(place):
    compacted(place, 30)
    place.owner.forget(everything=True)
    assert summaries_of(place.owner.session("s")) == []
    assert SECRET.encode() not in bytes_on_disk(place)


def test_d22_variant_a_message_after_all_summaries_takes_none_along(place):
    session = compacted(place, 30)
    before = summaries_of(session)
    assert "summary" not in place.owner.forget("m119", session="s").counts
    assert summaries_of(session) == before
    assert session.pop().id == "m118"
    assert summaries_of(session) == before
    assert session.request(BUDGET).problems == ()


def test_d22_variant_popped_down_into_what_was_summed_up(place):
    session = compacted(place, 0)
    while len(session.messages()) > 1:
        session.pop()
        last = rows_of(session)[-1].seq
        assert all(row.last_seq <= last for row in summaries_of(session))
        assert place.owner.check().is_clean
    assert summaries_of(session) == []
    assert session.pop().id == "m0"
    assert SECRET.encode() not in bytes_on_disk(place)


def test_d22_variant_another_handle_does_not_show_it_any_more(place):
    compacted(place, 30)
    other = place.beside().session("s")
    assert SECRET in repr(other.request(BUDGET).payload)
    place.owner.forget("m30", session="s")
    assert SECRET not in repr(other.request(BUDGET).payload)


def test_d22_variant_forgotten_while_its_summary_is_being_made(place):
    session = place.owner.session("s")
    talk = [asked(f"I live in {SECRET}."), told("Noted."), *small_talk(40)]
    session.append(written(talk, "chat"), ids=[f"m{n}" for n in range(len(talk))])
    begun, go_on, outcomes = Event(), Event(), []

    def summarise(task):
        begun.set()
        assert go_on.wait(SECONDS_MAX)
        return telling(task)

    thread = Thread(target=lambda: outcomes.append(session.compact(BUDGET, summarise).outcome))
    thread.start()
    try:
        assert begun.wait(SECONDS_MAX)
        place.owner.forget("m0", session="s")
    finally:
        go_on.set()
        thread.join(SECONDS_MAX)
    assert outcomes == ["changed"]
    assert SECRET not in everything_held(place)
    assert SECRET.encode() not in bytes_on_disk(place)


def test_d22_variant_many_at_once(place):
    # So many that the index is merged anew; the summaries go all the same.
    session = compacted(place, 3, pairs=220)
    place.owner.forget(match="tram")
    assert len(session.messages()) == 0
    assert summaries_of(session) == []
    assert place.owner.check().is_clean
    assert SECRET.encode() not in bytes_on_disk(place)
