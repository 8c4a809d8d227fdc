# ruff: noqa: S101 - tests are made of assertions
"""The chain: what the engine did is never taken for tampering, and a head stays a part of it.

What was changed behind the engine can only be shown on a store of one's own: see its tests. Here
`Place.problems` asks after every test of every suite, so no way of writing can leave the chain out.
"""

from __future__ import annotations

import pytest

from lifelong.conformance.place import OWNER, Place, said
from lifelong.engine import Engine
from lifelong.errors import InvalidValue


class ChainSuite:
    """What a store promises of its chain."""

    def test_nobody_has_a_chain_before_something_is_kept(self, place: Place) -> None:
        """And asking makes no owner."""
        found = place.owner.verify()
        assert (found.is_intact, found.entries, found.problems) == (True, 0, ())
        assert place.engine.owners() == []

    def test_what_is_kept_is_in_the_chain(self, place: Place) -> None:
        """Whatever it is; reading it, and writing what is known already, leaves no entry."""
        owner = place.owner
        heads = [owner.verify()]
        for write in (
            lambda: owner.session("s").append(said("soup is hot"), ids=["m1"]),
            lambda: owner.session("s").describe(title="Soup"),
            lambda: owner.remember("Likes soup", key="food"),
            lambda: owner.remember("Likes rice", key="food"),
            lambda: owner.set("plan", 1),
            lambda: owner.set("plan", 2),
            lambda: owner.files.write("/memories/a.md", "soup"),
            lambda: owner.files.write("/memories/a.md", "rice"),
            lambda: owner.retention.hold("a case", session="t"),
        ):
            write()
            heads.append(owner.verify(heads[-1].head))
            assert heads[-1].is_intact
            assert heads[-1].entries > heads[-2].entries
        owner.session("s").append(said("soup is hot"), ids=["m1"])
        owner.recall("soup")
        owner.files.read("/memories/a.md")
        assert place.reopen().verify() == heads[-1]

    def test_an_older_head_stays_a_part_of_the_chain(self, place: Place) -> None:
        """Also when what was there then was forgotten since, and everything derived made again."""
        owner = place.owner
        owner.session("s").append(said("soup", "salt"), ids=["m1", "m2"])
        kept = owner.remember("Likes soup")
        owner.set("plan", 1)
        head = owner.verify().head
        owner.forget("m1")
        owner.forget(kept.id)
        owner.set("plan", None)
        owner.reindex()
        owner = place.reopen()
        assert owner.verify(head).is_intact
        owner.forget(session="s")
        assert owner.verify(head).is_intact

    def test_a_head_of_another_chain_is_none_of_this_one(self, place: Place) -> None:
        """Of another owner, of a longer chain, or of what was forgotten whole."""
        for name in (OWNER, "bo"):
            place.engine.owner(name).session("s").append(said("soup"), ids=["m1"])
        owner = place.owner
        head = owner.verify().head
        assert not owner.verify(place.engine.owner("bo").verify().head).is_intact
        assert not owner.verify(f"9{head}").is_intact
        assert owner.verify(head).is_intact
        owner.forget(everything=True)
        assert not owner.verify(head).is_intact
        owner.session("s").append(said("soup"), ids=["m1"])
        assert not owner.verify(head).is_intact
        assert owner.verify().is_intact

    @pytest.mark.parametrize("head", ["", "1", "1:", "one:00", f"1:{'g' * 32}", f"-1:{'0' * 32}"])
    def test_what_is_no_head_is_refused(self, place: Place, head: str) -> None:
        """Before anything is read."""
        with pytest.raises(InvalidValue):
            place.owner.verify(head)

    def test_many_write_one_chain(self, place: Place) -> None:
        """At once, and somebody verifies meanwhile."""

        def work(engine: Engine, number: int) -> int:
            owner = engine.owner(OWNER)
            for turn in range(4):
                owner.session(f"s{number}").append(said(f"line {turn} of {number}"))
                owner.set(f"n{number}", turn)
                assert owner.verify().is_intact
            return owner.verify().entries

        assert max(place.crowd(4, work)) >= 4 * 9
        assert place.owner.verify().is_intact
