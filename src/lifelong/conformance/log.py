# ruff: noqa: S101 - tests are made of assertions
"""The log: what was said is appended once, kept as it came, and read back in order."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lifelong.conformance.place import Place, said, texts
from lifelong.errors import InvalidValue, MessageConflict
from lifelong.messages import Message

ODD_TEXTS = [
    "Ma\u0301laga and M\u00e1laga",
    "two\u2028lines\u2029here",
    "right \u202eto\u202c left",
    "\U0001f469\u200d\U0001f467 family",
    "\ufeffmark at the start",
    " spaces around \t",
    "\x01\x1b[31mred\x7f",
    "\ufffe and \U0010ffff",
]

KEPT_ITEMS: list[tuple[str, dict[str, Any]]] = [
    ("chat", {"role": "user", "content": "hi", "x_unknown": {"deep": [1, 2.5, None, True]}}),
    ("chat", {"role": "narrator", "content": "meanwhile"}),
    ("chat", {"role": "user", "content": [{"type": "hologram", "beam": 7}]}),
    (
        "chat",
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "lamp", "arguments": '{"id":  "L-9"}'},
                }
            ],
        },
    ),
    ("chat", {"role": "tool", "tool_call_id": "c1", "content": ""}),
    (
        "anthropic",
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2lnbmF0dXJl"},
                {"type": "text", "text": "on", "cache_control": {"type": "ephemeral"}},
            ],
        },
    ),
]

LIMITS = [(None, "12345"), (0, ""), (1, "5"), (2, "45"), (5, "12345"), (10**9, "12345")]

NO_LIMITS: list[Any] = [-1, -(10**9), 1.5, "2", True]


class LogSuite:
    """What a store promises of sessions and their messages."""

    def test_messages_come_back_in_the_order_of_appending(self, place: Place) -> None:
        """With a clock that stands still, only a sequence can order them."""
        left, right = place.owner.session("left"), place.owner.session("right")
        left.append(said(*(f"left {n}" for n in range(20))))
        for number in range(20, 40):
            right.append(said(f"right {number}"))
            left.append(said(f"left {number}"))
        for see in (place.beside, place.reopen):
            owner = see()
            assert texts(owner.session("left").messages()) == [f"left {n}" for n in range(40)]
            assert texts(owner.session("right").messages()) == [f"right {n}" for n in range(20, 40)]

    def test_times_do_not_decide_the_order(self, place: Place) -> None:
        """A clock that jumps, and times of saying from past and future, move no message."""
        session = place.owner.session("s")
        start = place.clock.now()
        for number, days in enumerate([0, 400, -400, 0, 40_000]):
            place.clock.set(start + timedelta(days=days))
            session.append(said(str(number)), sent_at=start - timedelta(days=days))
        assert texts(session.messages()) == ["0", "1", "2", "3", "4"]

    def test_a_limit_keeps_the_newest(self, place: Place) -> None:
        """None means all, 0 means none, and a limit may be larger than what there is."""
        session = place.owner.session("s")
        session.append(said(*"12345"))
        for limit, expected in LIMITS:
            assert texts(session.messages(limit)) == list(expected), limit
            assert len(session.render("chat", limit).items) == len(expected)

    def test_a_limit_that_is_none_is_refused(self, place: Place) -> None:
        """A negative limit never means "everything"."""
        session = place.owner.session("s")
        session.append(said("1"))
        for limit in NO_LIMITS:
            with pytest.raises(InvalidValue):
                session.messages(limit)

    def test_an_item_with_an_id_is_stored_once(self, place: Place) -> None:
        """Also through another engine, later, and twice within one call."""
        session = place.owner.session("s")
        first = session.append(said("one", "two"), ids=["e1", "e2"])
        place.clock.advance(days=1)
        again = place.beside().session("s").append(said("two", "three"), ids=["e2", "e3"])
        twice = session.append(said("four", "four"), ids=["e4", "e4"])
        assert (first.ids, first.added, first.duplicates) == (("e1", "e2"), 2, 0)
        assert (again.ids, again.added, again.duplicates) == (("e2", "e3"), 1, 1)
        assert (twice.ids, twice.added, twice.duplicates) == (("e4", "e4"), 1, 1)
        assert texts(session.messages()) == ["one", "two", "three", "four"]

    def test_an_id_that_the_item_carries_counts_too(self, place: Place) -> None:
        """A provider's own id makes appending idempotent without a word from the caller."""
        session = place.owner.session("s")
        item = {"id": "msg_7", "role": "user", "content": "hi"}
        assert session.append([item]).ids == ("msg_7",)
        assert session.append([item]).duplicates == 1
        assert [message.id for message in session.messages()] == ["msg_7"]

    def test_a_message_made_in_code_is_stored_once_too(self, place: Place) -> None:
        """Although its time of saying is filled in at each appending."""
        session = place.owner.session("s")
        message = Message.of("user", "hi", id="m1")
        session.append(message)
        place.clock.advance(minutes=1)
        assert session.append(message).duplicates == 1
        assert texts(session.messages()) == ["hi"]

    def test_an_id_with_another_content_is_refused_and_nothing_is_stored(
        self, place: Place
    ) -> None:
        """All or none: the good items of the call are not stored either."""
        session = place.owner.session("s")
        session.append(said("one"), ids=["e1"])
        with pytest.raises(MessageConflict):
            session.append(said("two", "not one"), ids=["e2", "e1"])
        with pytest.raises(MessageConflict):
            session.append(said("three", "not three"), ids=["e3", "e3"])
        assert texts(place.reopen().session("s").messages()) == ["one"]

    def test_an_id_belongs_to_its_session(self, place: Place) -> None:
        """The same id in two sessions is two messages."""
        for name in ("a", "b"):
            assert place.owner.session(name).append(said(f"in {name}"), ids=["e1"]).added == 1
        assert texts(place.owner.session("a").messages()) == ["in a"]
        assert texts(place.owner.session("b").messages()) == ["in b"]

    def test_an_item_comes_back_as_it_came(self, place: Place) -> None:
        """Unknown fields, roles and parts, signatures and the spelling of arguments included."""
        for number, (form, item) in enumerate(KEPT_ITEMS):
            place.owner.session(f"s{number}").append([item], form)
        owner = place.reopen()
        for number, (form, item) in enumerate(KEPT_ITEMS):
            assert owner.session(f"s{number}").render(form).items == [item]

    def test_a_text_comes_back_as_it_came(self, place: Place) -> None:
        """Folding is for the index; what is stored is the text itself."""
        place.owner.session("s").append(said(*ODD_TEXTS))
        assert texts(place.reopen().session("s").messages()) == ODD_TEXTS

    def test_a_large_message_comes_back_whole(self, place: Place) -> None:
        """A megabyte of text in three scripts."""
        text = "The tram is late. Поезд тоже. 电车也晚点。\n" * 20_000
        place.owner.session("s").append(said(text))
        assert texts(place.reopen().session("s").messages()) == [text]

    def test_what_cannot_be_stored_is_replaced_and_counted(self, place: Place) -> None:
        """NUL and lone surrogates become U+FFFD, the same way in every store."""
        session = place.owner.session("s")
        done = session.append(said("plum \x00 jam", "start \udc97 end", "clean"))
        assert done.cleaned == 2
        assert texts(session.messages()) == ["plum \ufffd jam", "start \ufffd end", "clean"]
        assert texts(place.reopen().session("s").messages())[0] == "plum \ufffd jam"

    def test_pop_takes_the_newest_message(self, place: Place) -> None:
        """It returns it, and None when nothing is left."""
        session = place.owner.session("s")
        session.append(said("one", "two"))
        popped = [session.pop(), session.pop(), session.pop()]
        assert [message and message.text for message in popped] == ["two", "one", None]
        assert list(place.reopen().session("s").messages()) == []

    def test_sessions_are_listed_the_last_appended_to_first(self, place: Place) -> None:
        """With counts, and with the times of saying of their first and last message."""
        owner, start = place.owner, place.clock.now()
        owner.session("a").append(said("1", "2"))
        place.clock.advance(hours=1)
        owner.session("b").append(said("3"), sent_at=start - timedelta(days=2))
        place.clock.advance(hours=1)
        owner.session("a").append(said("4"))
        listed = place.reopen().sessions()
        assert [(each.id, each.messages) for each in listed] == [("a", 3), ("b", 1)]
        assert (listed[0].started_at, listed[0].last_at) == (start, place.clock.now())
        assert listed[1].started_at == start - timedelta(days=2)

    def test_a_description_stays_until_it_is_changed(self, place: Place) -> None:
        """Title and metadata are set apart, and appending leaves both."""
        session = place.owner.session("s")
        session.append(said("hi"))
        session.describe(title="Lamps", metadata={"project": "L-9"})
        session.describe(title="Lamps again")
        session.append(said("ho"))
        (listed,) = place.reopen().sessions()
        assert (listed.title, listed.metadata) == ("Lamps again", {"project": "L-9"})

    def test_reading_makes_nothing(self, place: Place) -> None:
        """Neither an owner nor a session comes to be by being looked at."""
        owner = place.owner
        assert list(owner.session("s").messages()) == []
        assert owner.session("s").pop() is None
        assert owner.sessions() == []
        assert owner.recall("anything").nothing_relevant
        assert owner.session("s").append([]).ids == ()
        assert place.engine.owners() == []

    def test_a_session_without_a_name_gets_a_new_one(self, place: Place) -> None:
        """Two such sessions are two."""
        first, second = place.owner.session(), place.owner.session()
        first.append(said("one"))
        second.append(said("two"))
        assert first.id != second.id
        assert texts(first.messages()) == ["one"]
