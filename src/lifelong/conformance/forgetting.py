# ruff: noqa: S101 - tests are made of assertions
"""Forgetting: what is named goes, all of it and nothing else, and the receipt says the truth."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lifelong.conformance.place import Place, said, texts
from lifelong.errors import AmbiguousId, EmptyText, InvalidName, NotFound, ScopeRequired
from lifelong.owner import Owner
from lifelong.records import Origin

DERIVED = ("message_index", "passage", "memory_passage")


def shown(owner: Owner, word: str) -> str:
    """Return everything that any read shows, as one text."""
    parts = [
        *texts(owner.recall(word, tokens_max=100_000, include_superseded=True)),
        *texts(owner.memories(include_superseded=True)),
        owner.known().text,
        *owner.export(),
    ]
    for memory in owner.memories(include_superseded=True):
        parts += [version.text for version in owner.history(memory.id)]
    for session in owner.sessions():
        parts += texts(owner.session(session.id).messages())
    return "\n".join(parts)


class ForgettingSuite:
    """What a store promises of letting go."""

    def test_a_memory_goes_with_all_that_is_derived_from_it(self, place: Place) -> None:
        """Rows of the index and history go; the counts of the receipt are the database's."""
        owner = place.owner
        owner.remember("Soup needs salt")
        before = owner.stats()
        memory_id = owner.remember("Mira works at Halden Labs", kind="fact").id
        owner.update(memory_id, "Mira works at Halden Works")
        receipt = owner.forget(memory_id)
        after = place.reopen().stats()
        assert receipt.counts == {"memory": 1, "memory_history": 2, "memory_passage": 1}
        assert receipt.forgotten == 1
        assert "Halden" not in shown(place.owner, "Halden")
        assert place.owner.history(memory_id) == []
        assert {name: after[name] for name in DERIVED if name in after} == {
            name: before[name] for name in DERIVED if name in before
        }
        with pytest.raises(NotFound):
            place.owner.memory(memory_id)

    def test_a_message_goes_and_its_neighbours_stay(self, place: Place) -> None:
        """Also out of what other engines hold in memory."""
        session = place.owner.session("s")
        session.append(said("one", "Halden", "three"), ids=["a", "b", "c"])
        other = place.beside()
        assert len(other.recall("Halden").hits) == 3
        receipt = place.owner.forget("b")
        assert receipt.counts["message"] == 1
        assert texts(other.session("s").messages()) == ["one", "three"]
        assert other.recall("Halden").nothing_relevant
        assert "Halden" not in shown(place.reopen(), "Halden")

    def test_a_session_goes_whole_and_others_stay(self, place: Place) -> None:
        """It is listed no more."""
        owner = place.owner
        owner.session("a").append(said("tram", "late"))
        owner.session("b").append(said("tram"))
        receipt = owner.forget(session="a")
        assert (receipt.counts["message"], receipt.counts["session"]) == (2, 1)
        assert [each.id for each in place.reopen().sessions()] == ["b"]
        assert texts(place.owner.recall("tram late")) == ["tram"]

    def test_a_match_reaches_messages_and_memories(self, place: Place) -> None:
        """Whatever its case, width, line ends and surrounding text."""
        owner = place.owner
        owner.session("s").append(said("We met at HALDEN\n  labs.", "Soup"))
        owner.remember("Xhalden Labs is far")
        owner.remember("Salt")
        receipt = owner.forget(match="Halden labs")
        assert (receipt.counts["message"], receipt.counts["memory"]) == (1, 1)
        assert "halden" not in shown(place.reopen(), "Halden").casefold()
        assert texts(place.owner.memories()) == ["Salt"]

    def test_a_match_is_no_pattern(self, place: Place) -> None:
        """A percent sign is a percent sign."""
        owner = place.owner
        owner.remember("Rent rose by 5 %")
        owner.remember("Rent is due")
        assert owner.forget(match="%").counts["memory"] == 1
        assert owner.forget(match="R_nt").forgotten == 0
        assert texts(owner.memories()) == ["Rent is due"]

    def test_what_was_made_from_it_goes_too(self, place: Place) -> None:
        """Directly, and through others; replaced ones included."""
        owner = place.owner
        owner.session("s").append(said("I live in Halden", "tram"), ids=["m1", "m2"])
        first = owner.remember("Lives in Halden", origin=Origin("user", parents=("m1",)))
        owner.remember("Halden has trams", origin=Origin("user", parents=(first.id, "m2")))
        owner.remember("Trams run", origin=Origin("user", parents=("m2",)))
        assert owner.forget("m1").counts["memory"] == 2
        assert texts(place.reopen().memories(include_superseded=True)) == ["Trams run"]

    def test_everything_goes_and_the_handle_begins_anew(self, place: Place) -> None:
        """Other owners keep theirs; other engines see it at once."""
        owner, other = place.owner, place.beside()
        owner.session("s").append(said("one"), ids=["m1"])
        owner.remember("two")
        owner.set("name", 3)
        place.engine.owner("bo").remember("bo's")
        assert texts(other.memories()) == ["two"]
        receipt = owner.forget(everything=True)
        assert (receipt.counts["message"], receipt.counts["memory"]) == (1, 1)
        for seen in (owner, other):
            assert (seen.sessions(), seen.memories(), seen.states()) == ([], [], [])
        assert place.reopen().memories() == []
        assert place.engine.owners() == ["bo"]
        assert place.owner.session("s").append(said("one"), ids=["m1"]).added == 1
        assert texts(place.engine.owner("bo").memories()) == ["bo's"]

    def test_an_engine_that_lagged_behind_forgets_what_is_there(self, place: Place) -> None:
        """Not what it had open: the owner was forgotten and began anew elsewhere."""
        owner, other = place.owner, place.beside()
        owner.remember("one")
        assert len(other.memories()) == 1
        owner.forget(everything=True)
        owner.remember("two")
        owner.remember("three")
        assert other.forget(everything=True).counts["memory"] == 2
        assert (owner.memories(), other.memories()) == ([], [])
        assert other.forget(everything=True).forgotten == 0

    def test_without_a_scope_it_is_refused(self, place: Place) -> None:
        """And so is a blank match, or everything together with something."""
        owner = place.owner
        owner.remember("one")
        with pytest.raises(ScopeRequired):
            owner.forget()
        with pytest.raises(ScopeRequired):
            owner.forget(everything=True, match="one")
        with pytest.raises(ScopeRequired):
            owner.forget("x", everything=True)
        for blank in ("", "  ", "\n"):
            with pytest.raises(EmptyText):
                owner.forget(match=blank)
        assert texts(owner.memories()) == ["one"]

    def test_what_is_not_there_is_not_said_to_be_forgotten(self, place: Place) -> None:
        """Unknown, shortened, forgotten before, in another session."""
        owner = place.owner
        kept = owner.remember("one").id
        owner.session("s").append(said("hi"), ids=["m1"])
        for receipt in (
            owner.forget(f"mem_{0:032x}"),
            owner.forget(kept.upper()),
            owner.forget("m1", session="other"),
            owner.forget(session="none"),
            owner.forget(match="nowhere"),
        ):
            assert (receipt.forgotten, receipt.counts) == (0, {})
        with pytest.raises(InvalidName):
            owner.forget(kept[:8])
        assert [owner.forget(kept).forgotten, owner.forget(kept).forgotten] == [1, 0]
        assert [owner.forget("m1").forgotten, owner.forget("m1").forgotten] == [1, 0]

    def test_a_dry_run_counts_and_changes_nothing(self, place: Place) -> None:
        """What it counts is what the real run then counts."""
        owner = place.owner
        owner.session("s").append(said("tram", "soup"), ids=["m1", "m2"])
        owner.remember("tram", origin=Origin("user", parents=("m1",)))
        before = owner.stats()
        for scope in ({"match": "tram"}, {"session": "s"}, {"id": "m1"}):
            dry = owner.forget(**scope, dry_run=True)  # type: ignore[arg-type]
            assert dry.is_dry_run
            assert dry.counts["memory"] == 1
        assert owner.forget(everything=True, dry_run=True).forgotten == 3
        assert owner.stats() == before
        assert owner.forget(match="tram").forgotten == 2

    def test_an_id_in_several_sessions_needs_its_session(self, place: Place) -> None:
        """Nothing is guessed."""
        owner = place.owner
        for name in ("a", "b"):
            owner.session(name).append(said(f"in {name}"), ids=["m1"])
        with pytest.raises(AmbiguousId):
            owner.forget("m1")
        assert owner.forget("m1", session="a").counts["message"] == 1
        assert texts(owner.session("b").messages()) == ["in b"]

    def test_a_forgotten_message_does_not_come_back(self, place: Place) -> None:
        """An import of the same ids is told so; other sessions may use the id."""
        owner = place.owner
        owner.session("s").append(said("one", "two"), ids=["m1", "m2"])
        owner.forget("m1")
        items, ids = said("one", "two", "new"), ["m1", "m2", "m3"]
        again = place.reopen().session("s").append(items, ids=ids)
        assert (again.added, again.duplicates, again.forgotten) == (1, 1, 1)
        assert texts(place.owner.session("s").messages()) == ["two", "new"]
        assert place.owner.session("t").append(said("one"), ids=["m1"]).added == 1

    def test_a_forgotten_session_can_be_used_again(self, place: Place) -> None:
        """What is new in it is kept; what was forgotten stays away."""
        owner = place.owner
        owner.session("s").append(said("old"), ids=["m1"])
        owner.session("s").describe(title="Old title")
        owner.forget(session="s")
        owner.session("s").append(said("old", "new"), ids=["m1", "m2"])
        (listed,) = place.reopen().sessions()
        assert (listed.title, listed.messages) == ("", 1)
        assert texts(place.owner.session("s").messages()) == ["new"]

    def test_a_forgotten_text_can_be_remembered_again(self, place: Place) -> None:
        """It is a new memory of its own time."""
        owner = place.owner
        ids = []
        for _ in range(3):
            place.clock.advance(days=1)
            done = owner.remember("Gate code is 4471")
            assert done.outcome == "stored"
            ids.append(done.id)
            owner.forget(done.id)
        last = owner.remember("Gate code is 4471").memory
        assert last.recorded_at == place.clock.now()
        assert len({*ids, last.id}) == 4
        assert len(place.reopen().memories()) == 1

    def test_a_hidden_memory_can_be_forgotten(self, place: Place) -> None:
        """Replaced or expired: by its id, and by what is in it."""
        owner = place.owner
        soon = place.clock.now() + timedelta(minutes=1)
        by_id = owner.remember("Halden expires", expires_at=soon).id
        owner.remember("Halden expires too", expires_at=soon)
        old = owner.remember("Halden was replaced").id
        owner.remember("Kiel", supersedes=[old])
        place.clock.advance(hours=1)
        assert owner.forget(by_id).counts["memory"] == 1
        assert owner.forget(match="Halden").counts["memory"] == 2
        place.clock.advance(hours=-1)
        assert "Halden" not in shown(place.reopen(), "Halden")

    def test_a_receipt_holds_no_content(self, place: Place) -> None:
        """It may be kept and shown when the thing itself is gone."""
        place.owner.session("s").append(said("Halden"))
        place.owner.remember("Halden", metadata={"where": "Halden"})
        receipt = place.owner.forget(match="Halden")
        assert "halden" not in repr(receipt).casefold()
        assert receipt.at == place.clock.now()
