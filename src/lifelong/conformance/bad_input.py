# ruff: noqa: S101 - tests are made of assertions
"""Bad input: a named error before anything is written, never a crash and never a half state."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest

from lifelong.conformance.place import Place, said
from lifelong.errors import (
    EmptyText,
    FormatError,
    InputError,
    InvalidName,
    InvalidTime,
    InvalidValue,
    LifelongError,
    StoreClosed,
    TextTooLarge,
    UnknownFormat,
)
from lifelong.messages import Message, TextPart
from lifelong.owner import Owner
from lifelong.records import Origin

OVER_THE_LIMIT = 32 * 1024 * 1024 + 1

NAMES: list[Any] = [
    *("", "  ", "\n", "a\x00b", "a\nb", "\x7f", "\ud800", "x" * 513),
    *(5, b"a", ["a"]),
]

Call = Callable[[Owner], object]

REFUSED: dict[str, tuple[type[LifelongError], Call]] = {
    "blank text": (EmptyText, lambda o: o.remember(" \n\t\u3000")),
    "text is bytes": (InvalidValue, lambda o: o.remember(b"x")),  # type: ignore[arg-type]
    "kind": (InvalidValue, lambda o: o.remember("x", kind="fancy")),
    "importance 0": (InvalidValue, lambda o: o.remember("x", importance=0)),
    "importance 11": (InvalidValue, lambda o: o.remember("x", importance=11)),
    "importance True": (InvalidValue, lambda o: o.remember("x", importance=True)),
    "importance 1.0": (InvalidValue, lambda o: o.remember("x", importance=1.0)),  # type: ignore[arg-type]
    "channel": (InvalidValue, lambda o: o.remember("x", origin="dream")),
    "namespace is text": (InvalidName, lambda o: o.remember("x", namespace="a/b")),
    "namespace too deep": (InvalidName, lambda o: o.remember("x", namespace=("a",) * 33)),
    "namespace blank": (InvalidName, lambda o: o.remember("x", namespace=("a", ""))),
    "key": (InvalidName, lambda o: o.remember("x", key="a\x00")),
    "parent": (InvalidName, lambda o: o.remember("x", origin=Origin(parents=("",)))),
    "metadata list": (InvalidValue, lambda o: o.remember("x", metadata=[1])),  # type: ignore[arg-type]
    "metadata key": (InvalidValue, lambda o: o.remember("x", metadata={1: 2})),  # type: ignore[dict-item]
    "metadata NaN": (InvalidValue, lambda o: o.remember("x", metadata={"n": float("nan")})),
    "metadata set": (InvalidValue, lambda o: o.remember("x", metadata={"n": {1}})),
    "metadata deep": (InvalidValue, lambda o: o.remember("x", metadata={"n": nested(5_000)})),
    "metadata digits": (InvalidValue, lambda o: o.remember("x", metadata={"n": 10**5_000})),
    "naive time": (InvalidTime, lambda o: o.remember("x", expires_at=datetime(2026, 1, 1))),  # noqa: DTZ001
    "date": (InvalidTime, lambda o: o.remember("x", expires_at=date(2026, 1, 1))),  # type: ignore[arg-type]
    "naive time as text": (InvalidTime, lambda o: o.remember("x", valid_to="2026-01-01T10:00")),
    "no time": (InvalidTime, lambda o: o.remember("x", valid_from="soon")),
    "number as a time": (InvalidTime, lambda o: o.remember("x", valid_from=5)),  # type: ignore[arg-type]
    "beyond the calendar": (
        InvalidTime,
        lambda o: o.remember("x", expires_at="9999-12-31T23:59:59-12:00"),
    ),
    "before the calendar": (
        InvalidTime,
        lambda o: o.remember("x", valid_from="0001-01-01T00:00:00+05:00"),
    ),
    "times in reverse": (
        InvalidTime,
        lambda o: o.remember(
            "x", valid_from="2026-01-02T00:00:00Z", valid_to="2026-01-01T00:00:00Z"
        ),
    ),
    "items are text": (FormatError, lambda o: o.session("s").append("hi")),
    "items are a number": (FormatError, lambda o: o.session("s").append(5)),
    "item without role": (FormatError, lambda o: o.session("s").append([{"content": "x"}])),
    "second item bad": (FormatError, lambda o: o.session("s").append([*said("x"), 5])),
    "item of NaN": (
        FormatError,
        lambda o: o.session("s").append([{**said("x")[0], "n": float("nan")}]),
    ),
    "item too deep": (
        FormatError,
        lambda o: o.session("s").append([{**said("x")[0], "n": nested(5_000)}]),
    ),
    "format": (UnknownFormat, lambda o: o.session("s").append(said("x"), format="morse")),
    "ids too few": (InvalidValue, lambda o: o.session("s").append(said("x", "y"), ids=["1"])),
    "id blank": (InvalidName, lambda o: o.session("s").append(said("x"), ids=[" "])),
    "sent_at naive": (
        InvalidTime,
        lambda o: o.session("s").append(said("x"), sent_at="2026-01-01T10:00"),
    ),
    "sent_at beyond": (
        InvalidTime,
        lambda o: o.session("s").append(said("x"), sent_at="9999-12-31T23:59:59-12:00"),
    ),
    "part is text": (
        InputError,
        lambda o: o.session("s").append(Message("user", ("hi",))),  # type: ignore[arg-type]
    ),
    "parts are text": (
        InputError,
        lambda o: o.session("s").append(Message("user", "hi")),  # type: ignore[arg-type]
    ),
    "text is a number": (
        InputError,
        lambda o: o.session("s").append(Message("user", (TextPart(5),))),  # type: ignore[arg-type]
    ),
    "sent_at is text": (
        InputError,
        lambda o: o.session("s").append(Message.of("user", "x", sent_at="now")),
    ),
    "title of a session": (
        InvalidValue,
        lambda o: o.session("s").describe(metadata=[1]),  # type: ignore[arg-type]
    ),
    "state object": (InvalidValue, lambda o: o.set("n", object())),
    "state NaN": (InvalidValue, lambda o: o.set("n", float("inf"))),
    "state deep": (InvalidValue, lambda o: o.set("n", nested(5_000))),
    "render format": (UnknownFormat, lambda o: o.session("s").render("morse")),
    "recall limit": (InvalidValue, lambda o: o.recall("x", limit=-1)),
    "recall tokens": (InvalidValue, lambda o: o.recall("x", tokens_max=-1)),
    "recall source": (InvalidValue, lambda o: o.recall("x", sources=["web"])),
    "recall kind": (InvalidValue, lambda o: o.recall("x", kinds=["fancy"])),
    "recall namespace": (InvalidName, lambda o: o.recall("x", namespace="a")),
    "memories limit": (InvalidValue, lambda o: o.memories(-1)),
    "known tokens": (InvalidValue, lambda o: o.known(-1)),
    "import source": (InvalidValue, lambda o: o.import_transcripts("morse", "nowhere")),
}
"""What is called, and the error that it must give."""


def nested(levels: int) -> list[Any]:
    """Return a list in a list in a list."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


class BadInputSuite:
    """What a store never gets to see, and never half keeps."""

    @pytest.mark.parametrize(("error", "call"), REFUSED.values(), ids=REFUSED)
    def test_it_is_refused_by_name_and_nothing_changes(
        self, place: Place, error: type[LifelongError], call: Call
    ) -> None:
        """The error says what to do, in words of lifelong, not of the store."""
        owner = place.owner
        owner.remember("kept")
        owner.session("s").append(said("kept"))
        before = list(owner.export())
        with pytest.raises(error) as caught:
            call(owner)
        assert " ".join((type(caught.value).__doc__ or "").split()) in str(caught.value)
        assert list(place.reopen().export()) == before

    def test_a_name_that_cannot_be_one_is_refused(self, place: Place) -> None:
        """Everywhere alike: it never becomes another name."""
        owner = place.owner
        calls: list[Callable[[Any], object]] = [
            place.engine.owner,
            owner.session,
            owner.get,
            lambda name: owner.set(name, 1),
            lambda name: owner.remember("x", namespace=(name,)),
        ]
        for name in NAMES:
            for call in calls:
                with pytest.raises(InvalidName):
                    call(name)
        with pytest.raises(InvalidName):
            place.engine.owner(None)  # type: ignore[arg-type]
        assert place.engine.owners() == []

    def test_what_is_over_the_size_limit_is_refused(self, place: Place) -> None:
        """Before it is written, whatever way it comes."""
        owner, text = place.owner, "x" * OVER_THE_LIMIT
        calls: list[Callable[[], object]] = [
            lambda: owner.remember(text),
            lambda: owner.remember("x", metadata={"n": text}),
            lambda: owner.session("s").append(said("small", text)),
            lambda: owner.set("n", text),
        ]
        for call in calls:
            with pytest.raises(TextTooLarge):
                call()
        assert place.engine.owners() == []

    def test_a_closed_engine_says_so(self, place: Place) -> None:
        """Every verb, also of handles that were taken before."""
        engine = place.open()
        owner = engine.owner("cy")
        session = owner.session("s")
        session.append(said("x"))
        engine.close()
        engine.close()
        calls: list[Callable[[], object]] = [
            lambda: engine.owner("cy").memories(),
            engine.owners,
            lambda: owner.remember("y"),
            lambda: owner.recall("x"),
            lambda: owner.forget(everything=True),
            owner.check,
            owner.stats,
            lambda: list(owner.export()),
            lambda: session.append(said("y")),
            session.messages,
        ]
        for call in calls:
            with pytest.raises(StoreClosed):
                call()
