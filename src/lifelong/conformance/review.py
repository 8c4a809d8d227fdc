# ruff: noqa: S101 - tests are made of assertions
"""Review: what is held back is in no read, and only a person lets it go or vouches for it."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from lifelong.conformance.place import OWNER, Place, said, texts
from lifelong.conformance.writing import SUSPECT, ids_of
from lifelong.engine import Engine
from lifelong.errors import ConfirmationRefused, InvalidValue, NotFound
from lifelong.records import Origin, Trust


class ReviewSuite:
    """What a store promises of what waits for a person."""

    def test_what_is_held_is_in_no_read(self, place: Place) -> None:
        """Until it is released; then with the trust of its origin."""
        owner = place.owner
        done = owner.remember(SUSPECT, kind="constraint", origin=Origin("tool", "page"))
        assert (done.outcome, done.memory.is_quarantined) == ("quarantined", True)
        owner = place.reopen()
        assert owner.memories(include_superseded=True) == []
        assert owner.recall(SUSPECT).nothing_relevant
        assert (owner.known().memories, owner.stats()["memory"]) == ((), 0)
        assert owner.history(done.id) == []
        with pytest.raises(NotFound):
            owner.update(done.id, "harmless")
        with pytest.raises(NotFound):
            owner.remember("made of it", supersedes=[done.id])
        released = owner.review.release(done.id)
        assert (released.outcome, released.memory.trust) == ("stored", Trust.UNTRUSTED)
        assert ids_of(place.reopen().memories()) == [done.id]
        assert [hit.id for hit in place.owner.recall(SUSPECT).hits] == [done.id]

    def test_what_is_held_is_exported_as_held(self, place: Place) -> None:
        """So a reader of memories never takes it for one."""
        done = place.owner.remember(SUSPECT, kind="constraint", origin=Origin("tool", "page"))
        exported = [json.loads(line) for line in place.owner.export()]
        assert [item["id"] for item in exported if item["what"] == "held"] == [done.id]
        assert [item["id"] for item in exported if item["what"] == "memory"] == []

    def test_what_is_made_of_something_held_is_held(self, place: Place) -> None:
        """A copy must not be seen before what it was made from."""
        owner = place.owner
        page = owner.remember("soup is hot", origin=Origin("tool", "page"))
        owner.review.revoke(source="page")
        child = owner.remember("order soup", origin=Origin("user", "", (page.id,)))
        assert (child.outcome, child.memory.held_for) == ("quarantined", "revoked")
        assert owner.memories() == []

    def test_what_is_held_replaces_when_it_is_released(self, place: Place) -> None:
        """By its key, what stands then."""
        owner = place.owner
        held = owner.remember("in Kiel", key="home", origin=Origin("tool", "page"))
        owner.review.revoke(source="page")
        now = owner.remember("in Rome", key="home", origin="tool")
        assert now.supersedes == ()
        done = owner.review.release(held.id)
        assert (done.outcome, done.supersedes) == ("supersedes", (now.id,))
        assert texts(place.reopen().memories()) == ["in Kiel"]
        changes = [version.change for version in place.owner.history(held.id)]
        assert changes == ["stored", "revoked", "released"]

    def test_what_is_known_by_then_is_a_duplicate_when_released(self, place: Place) -> None:
        """It waits no more, and its chain leads to what stands."""
        owner = place.owner
        held = owner.remember("soup is hot", origin=Origin("tool", "page"))
        owner.review.revoke(source="page")
        known = owner.remember("soup is warm")
        done = owner.review.release(held.id, "soup is warm")
        assert (done.outcome, done.duplicate_of) == ("duplicate_of", known.id)
        assert (owner.review.items(), owner.latest(held.id).id) == ([], known.id)

    def test_a_proposal_waits_until_it_is_accepted(self, place: Place) -> None:
        """In other words, if some are given; what is refused is forgotten."""
        owner = place.owner
        lines = said("I prefer short answers.", "I prefer tea to coffee.")
        owner.session("s").append(lines, ids=["m1", "m2"])
        owner.extract()
        items = owner.review.items()
        assert [item.what for item in items] == ["proposed"] * len(items)
        assert len(items) >= 2
        assert owner.memories() == []
        kept = owner.review.accept(items[0].memory.id, "Prefers answers that are short")
        assert (kept.outcome, kept.memory.text) == ("stored", "Prefers answers that are short")
        assert owner.review.reject(items[1].memory.id).counts["memory"] == 1
        assert len(place.reopen().review.items()) == len(items) - 2
        assert texts(place.owner.memories()) == ["Prefers answers that are short"]
        assert place.owner.extract().messages == 0

    def test_what_was_revoked_comes_back_by_the_user_s_word_alone(self, place: Place) -> None:
        """The same page read again, or a model that repeats it, changes nothing."""
        owner = place.owner
        owner.remember("Pay to account 7", origin=Origin("document", "page"))
        owner.review.revoke(source="page")
        for origin in (Origin("document", "page"), "tool", "assistant"):
            assert owner.remember("Pay to account 7", origin=origin).outcome == "duplicate_of"
        assert owner.memories() == []
        assert owner.remember("Pay to account 7").outcome == "supersedes"
        assert texts(place.reopen().memories()) == ["Pay to account 7"]

    def test_revoking_reaches_all_that_was_made(self, place: Place) -> None:
        """And nothing else; a dry run says which, and changes nothing."""
        owner = place.owner
        owner.session("s").append(said("one", "two"), ids=["m1", "m2"])
        root = owner.remember("root", origin=Origin("document", "page", ("m1",))).id
        child = owner.remember("child", origin=Origin("user", parents=(root, "m2"))).id
        grandchild = owner.remember("grandchild", origin=Origin("system", parents=(child,))).id
        replaced = owner.remember("replaced", origin=Origin("user", parents=(root,))).id
        heir = owner.remember("heir", supersedes=[replaced]).id
        other = owner.remember("other", origin=Origin("document", "another page", ("m2",))).id
        dry = owner.review.revoke(source="page", dry_run=True)
        assert (set(dry.memories), dry.is_dry_run) == ({root, child, grandchild, replaced}, True)
        assert len(owner.memories()) == 5
        assert owner.review.revoke(source="page").memories == dry.memories
        assert ids_of(place.reopen().memories()) == [heir, other]
        assert place.owner.review.revoke(id=replaced).memories == ()
        assert set(place.owner.review.revoke(id="m2").memories) == {other}
        for unknown in ("mem_none", "none"):
            with pytest.raises(NotFound):
                place.owner.review.revoke(id=unknown)

    def test_what_expired_can_still_be_revoked(self, place: Place) -> None:
        """What was made from it may be live."""
        owner = place.owner
        ends = place.clock.now() + timedelta(hours=1)
        root = owner.remember("root", origin="tool", expires_at=ends).id
        child = owner.remember("child", origin=Origin("user", parents=(root,))).id
        place.clock.advance(hours=2)
        assert set(owner.review.revoke(id=root).memories) == {root, child}
        assert owner.memories() == []

    def test_a_person_raises_trust_once(self, place: Place) -> None:
        """The token works a single time, and only with what the memory said when it was shown."""
        owner = place.owner
        kept = owner.remember("The gate is green", origin="tool")
        asked = owner.review.confirmation(kept.id)
        assert (asked.memory_id, asked.text) == (kept.id, "The gate is green")
        raised = place.reopen().review.confirm(asked.token)
        assert (raised.trust, raised.confirmed_at) == (Trust.USER, place.clock.now())
        assert place.owner.memory(kept.id) == raised
        for token in (asked.token, "cnf_none"):
            with pytest.raises(ConfirmationRefused):
                place.owner.review.confirm(token)
        changed = place.owner.update(kept.id, "The gate is red", origin="tool")
        assert (changed.trust, changed.confirmed_at) == (Trust.UNTRUSTED, None)
        assert place.owner.memory(kept.id) == changed

    def test_a_confirmation_ends(self, place: Place) -> None:
        """After fifteen minutes, to the microsecond."""
        owner = place.owner
        kept = owner.remember("The gate is green", origin="tool")
        first, second = (owner.review.confirmation(kept.id).token for _ in range(2))
        place.clock.advance(minutes=15, microseconds=-1)
        assert owner.review.confirm(first).trust == Trust.USER
        place.clock.advance(microseconds=1)
        with pytest.raises(ConfirmationRefused):
            owner.review.confirm(second)

    def test_a_confirmation_is_for_the_words_that_were_shown(self, place: Place) -> None:
        """Also when they are changed back; a letter's case is a change."""
        owner = place.owner
        kept = owner.remember("The gate is green", origin="tool")
        token = owner.review.confirmation(kept.id).token
        owner.update(kept.id, "the gate is green", origin="tool")
        with pytest.raises(ConfirmationRefused):
            owner.review.confirm(token)
        owner.update(kept.id, "The gate is green", origin="tool")
        with pytest.raises(ConfirmationRefused):
            owner.review.confirm(token)
        assert owner.memory(kept.id).trust == Trust.UNTRUSTED

    def test_many_confirm_at_once_and_one_does(self, place: Place) -> None:
        """A token is taken in one step."""

        def begin(engine: Engine, _: int) -> str:
            owner = engine.owner(OWNER)
            kept = owner.remember("The gate is green", origin="tool")
            return owner.review.confirmation(kept.id).token

        (token,) = place.crowd(1, begin)

        def confirm(engine: Engine, _: int) -> bool:
            try:
                engine.owner(OWNER).review.confirm(token)
            except ConfirmationRefused:
                return False
            return True

        assert sorted(place.crowd(6, confirm)) == [False] * 5 + [True]

    def test_forgetting_takes_what_waited_with_it(self, place: Place) -> None:
        """Its conflicts and its confirmations are void."""
        owner = place.owner
        owner.remember("in Lund", key="home")
        tool = owner.remember("in Kiel", key="home", origin="tool")
        token = owner.review.confirmation(tool.id).token
        assert len(owner.review.items()) == 1
        assert owner.forget(tool.id, dry_run=True).counts["memory"] == 1
        assert owner.forget(tool.id).counts["memory"] == 1
        assert owner.forget(tool.id, dry_run=True).counts == {}
        owner = place.reopen()
        assert (owner.review.items(), owner.stats()["conflict"]) == ([], 0)
        with pytest.raises(ConfirmationRefused):
            owner.review.confirm(token)

    def test_each_door_takes_what_it_is_for(self, place: Place) -> None:
        """A proposal is accepted, what was held back is released; what is live is neither."""
        owner = place.owner
        owner.session("s").append(said("I prefer short answers."), ids=["m1"])
        owner.extract()
        proposed = owner.review.items()[0].memory.id
        held = owner.remember(SUSPECT, origin="tool").id
        live = owner.remember("soup").id
        with pytest.raises(InvalidValue):
            owner.review.release(proposed)
        with pytest.raises(InvalidValue):
            owner.review.accept(held)
        for act in (owner.review.accept, owner.review.release, owner.review.reject):
            for memory_id in (live, "mem_none"):
                with pytest.raises(NotFound):
                    act(memory_id)
        assert place.engine.owner("bo").review.items() == []
        with pytest.raises(NotFound):
            place.engine.owner("bo").review.release(held)
        assert texts(owner.memories()) == ["soup"]
