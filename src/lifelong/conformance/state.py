# ruff: noqa: S101 - tests are made of assertions
"""Named values: whatever JSON can hold is kept under its name until it is replaced or removed."""

from __future__ import annotations

from typing import Any

from lifelong.conformance.place import Place

VALUES: list[Any] = [
    True,
    False,
    0,
    -1,
    2**63,
    1.0,
    5e-324,
    "",
    "text",
    "\u2028 \U0001f469 \ufffd",
    [],
    {},
    [1, [2, {"three": [None]}]],
    {"": {"a.b": "it's"}},
]


class StateSuite:
    """What a store promises of named values."""

    def test_a_value_comes_back_as_it_went_in(self, place: Place) -> None:
        """With its type: false and zero are values, not absences."""
        for number, value in enumerate(VALUES):
            place.owner.set(f"name {number}", value)
        owner = place.reopen()
        for number, value in enumerate(VALUES):
            found = owner.get(f"name {number}", "absent")
            assert (found, type(found)) == (value, type(value))

    def test_none_removes(self, place: Place) -> None:
        """What is absent is the default."""
        owner = place.owner
        owner.set("name", 1)
        owner.set("name", None)
        owner.set("never", None)
        assert (owner.get("name"), owner.get("name", 7), owner.states()) == (None, 7, [])

    def test_a_newer_value_replaces_the_older(self, place: Place) -> None:
        """Through any engine."""
        place.owner.set("name", {"a": 1, "b": 2})
        place.beside().set("name", {"c": 3})
        assert place.owner.get("name") == {"c": 3}

    def test_names_are_listed_in_order(self, place: Place) -> None:
        """By code point, so that every store agrees."""
        names = ["b", "a", "B", "\u00e9", "z", "\U0001f469", "\uffee", "a/b"]
        for name in names:
            place.owner.set(name, name)
        assert place.reopen().states() == sorted(names)
        assert all(place.owner.get(name) == name for name in names)

    def test_what_cannot_be_stored_is_replaced(self, place: Place) -> None:
        """NUL and lone surrogates, in values and in the keys inside them."""
        place.owner.set("name", {"a\x00": ["b\udc97"]})
        assert place.reopen().get("name") == {"a\ufffd": ["b\ufffd"]}

    def test_a_value_is_the_store_s_own(self, place: Place) -> None:
        """A caller who goes on with the list changes nothing that is kept."""
        value = [1]
        place.owner.set("name", value)
        value.append(2)
        place.owner.get("name").append(3)
        assert place.owner.get("name") == [1]

    def test_a_large_value_comes_back(self, place: Place) -> None:
        """A megabyte."""
        value = ["word" * 250] * 1_000
        place.owner.set("name", value)
        assert place.reopen().get("name") == value
