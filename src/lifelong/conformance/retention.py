# ruff: noqa: S101 - tests are made of assertions
"""Letting go by rule: receipts, legal holds, retention, and what may not come back by itself."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lifelong.conformance.place import Place, said, texts
from lifelong.engine import Engine
from lifelong.errors import (
    InvalidValue,
    NotFound,
    NotKept,
    OnLegalHold,
    ReceiptInvalid,
    ScopeRequired,
)
from lifelong.memory.forget_scope import ForgetFields
from lifelong.receipts import verify_receipt
from lifelong.records import Origin


class ScopeSuite:
    """What each scope of `forget` means."""

    @pytest.fixture
    def filled(self, place: Place) -> Place:
        """Lend an owner with memories, messages, a named value and a file of several origins."""
        owner = place.owner
        owner.remember("Old tea", kind="preference", namespace=("home",))
        web, below = Origin("tool", "web"), ("home", "x")
        owner.remember("Tool tea", kind="fact", origin=web, namespace=below)
        owner.session("s").append(
            [*said("tea?"), *said("tea.", role="assistant")], ids=["m1", "m2"]
        )
        place.clock.advance(days=10)
        owner.remember("New tea", kind="note", namespace=("homely",))
        owner.session("t").append(said("More tea"), ids=["m3"])
        owner.set("drink", {"name": "tea"})
        owner.files.create("/memories/a/drink.md", "tea\n")
        return place

    @pytest.mark.parametrize(
        ("scope", "left"),
        [
            ({"namespace": ("home",)}, (["New tea"], 3, 2)),
            ({"namespace": ()}, ([], 3, 2)),
            ({"kinds": ["fact", "note"]}, (["Old tea"], 3, 2)),
            ({"channel": "tool"}, (["Old tea", "New tea"], 3, 2)),
            ({"channel": "assistant"}, (["Old tea", "Tool tea", "New tea"], 2, 2)),
            ({"source": "web"}, (["Old tea", "New tea"], 3, 2)),
            ({"session": "s"}, (["Old tea", "Tool tea", "New tea"], 1, 2)),
            ({"state": "drink"}, (["Old tea", "Tool tea", "New tea"], 3, 1)),
            ({"file": "/memories/a"}, (["Old tea", "Tool tea", "New tea"], 3, 1)),
            ({"file": "/memories/a/drink.md"}, (["Old tea", "Tool tea", "New tea"], 3, 1)),
            ({"match": "TEA"}, ([], 0, 0)),
            ({"match": "tool", "namespace": ("home",)}, (["Old tea", "New tea"], 3, 2)),
            ({"session": "s", "match": "tea?"}, (["Old tea", "Tool tea", "New tea"], 2, 2)),
        ],
    )
    def test_a_scope_takes_what_it_names_and_no_more(
        self, filled: Place, scope: ForgetFields, left: tuple[list[str], int, int]
    ) -> None:
        """A dry run says the same, thing by thing."""
        memories, messages, others = left
        owner = filled.owner
        dry = owner.forget(dry_run=True, **scope)
        receipt = owner.forget(**scope)
        owner = filled.reopen()
        assert texts(owner.memories()) == memories
        assert sum(session.messages for session in owner.sessions()) == messages
        assert len(owner.states()) + len(owner.files.list()) == others
        for what in ("memory", "message", "state", "file"):
            shown = sum(thing.what == what for thing in dry.preview)
            assert (shown, what) == (receipt.counts.get(what, 0), what)

    def test_age_counts_from_the_recording(self, filled: Place) -> None:
        """Of memories and messages alike."""
        week = filled.clock.now() - timedelta(days=7)
        receipt = filled.owner.forget(before=week)
        assert (receipt.counts["memory"], receipt.counts["message"]) == (2, 2)
        assert texts(filled.reopen().memories()) == ["New tea"]

    @pytest.mark.parametrize(
        "scope",
        [
            {"kinds": []},
            {"state": "drink", "match": "tea"},
            {"file": "/memories/a", "namespace": ("home",)},
            {"session": "s", "kinds": ["fact"]},
        ],
    )
    def test_what_contradicts_itself_is_refused(self, filled: Place, scope: ForgetFields) -> None:
        """Nothing is guessed, and nothing goes."""
        before = filled.owner.stats()
        with pytest.raises(ScopeRequired):
            filled.owner.forget(**scope)
        assert filled.owner.stats() == before


class ReceiptSuite:
    """What a receipt proves."""

    def test_receipts_stay_and_can_be_verified(self, place: Place) -> None:
        """By the public key of the store; whoever knows the owner can tell whose they are."""
        owner = place.owner
        kept = owner.remember("Likes tea")
        receipt = owner.forget(kept.id)
        (again,) = place.reopen().receipts()
        key = place.engine.describe()["receipts_key"]
        assert (
            again.counts
            == receipt.counts
            == {
                "memory": 1,
                "memory_history": 1,
                "memory_passage": 1,
            }
        )
        assert (again.id, again.is_pending, again.completed_at) == (receipt.id, False, receipt.at)
        assert verify_receipt(again, signed_by=key, owner_id="ana") == again
        with pytest.raises(ReceiptInvalid):
            verify_receipt(again, owner_id="bo")

    def test_everything_leaves_a_receipt_outside_of_what_went(self, place: Place) -> None:
        """It names the key that was destroyed, where there was one."""
        owner = place.owner
        owner.remember("Likes tea")
        receipt = owner.forget(everything=True)
        owner = place.reopen()
        assert (owner.receipts(), place.engine.owners()) == ([receipt], [])
        is_encrypted = place.engine.describe()["encryption"] == "on"
        assert len(receipt.keys_destroyed) == is_encrypted
        owner.remember("Anew")
        second = owner.forget(match="anew")
        assert [each.id for each in owner.receipts()] == [receipt.id, second.id]
        assert place.engine.owner("bo").receipts() == []

    def test_what_changed_nothing_leaves_none(self, place: Place) -> None:
        """Neither what was not there nor a dry run."""
        owner = place.owner
        owner.remember("Likes tea")
        assert not owner.forget(match="nowhere").is_pending
        owner.forget(match="tea", dry_run=True)
        assert place.reopen().receipts() == []


class HoldSuite:
    """What may not be forgotten for now."""

    def test_nothing_of_an_owner_on_hold_goes(self, place: Place) -> None:
        """Each way is refused with the reason; another owner's goes."""
        owner = place.owner
        kept = owner.remember("Likes tea")
        owner.session("s").append(said("hi"), ids=["m1"])
        owner.set("n", 1)
        hold = owner.retention.hold("Case 7")
        owner = place.reopen()
        for scope in ({"id": kept.id}, {"session": "s"}, {"match": "tea"}, {"state": "n"}):
            with pytest.raises(OnLegalHold, match="Case 7"):
                owner.forget(**scope)  # type: ignore[arg-type]
        with pytest.raises(OnLegalHold, match="Case 7"):
            owner.forget(everything=True)
        with pytest.raises(OnLegalHold):
            owner.session("s").pop()
        assert (len(owner.memories()), len(owner.session("s").messages())) == (1, 1)
        assert owner.retention.holds() == [hold]
        owner.retention.release(hold.id)
        assert owner.forget(kept.id).forgotten == 1
        with pytest.raises(NotFound):
            owner.retention.release(hold.id)

    def test_a_session_on_hold_keeps_what_was_made_from_it(self, place: Place) -> None:
        """All else goes."""
        owner = place.owner
        owner.session("s").append(said("tea"), ids=["m1"])
        owner.session("t").append(said("tea"), ids=["m2"])
        made = owner.remember("Likes tea", origin=Origin("user", parents=("m1",)))
        owner.remember("Tea is hot")
        owner.retention.hold("Case 7", session="s")
        for scope in ({"session": "s"}, {"id": made.id}, {"match": "tea"}):
            with pytest.raises(OnLegalHold):
                owner.forget(**scope)  # type: ignore[arg-type]
        assert owner.forget(session="t").forgotten == 1
        assert owner.forget(match="hot").forgotten == 1
        assert len(place.reopen().memories()) == 1


class RetentionSuite:
    """What is saved, and for how long."""

    def test_expired_memories_go_with_a_sweep(self, place: Place) -> None:
        """A dry run only says so; the second sweep finds nothing."""
        owner = place.owner
        owner.remember("Soon", expires_at=place.clock.now() + timedelta(days=1))
        owner.remember("Stays")
        place.clock.advance(days=1)
        assert owner.sweep(dry_run=True).expired == 1
        assert owner.stats()["memory_hidden"] == 1
        swept = owner.sweep()
        assert (swept.expired, swept.on_hold, swept.pending) == (1, 0, 0)
        assert swept.receipt is not None
        assert place.reopen().stats()["memory_hidden"] == 0
        assert place.owner.sweep().receipt is None
        assert [each.scope for each in place.owner.receipts()] == ["retention"]

    def test_messages_go_after_their_days_and_memories_stay(self, place: Place) -> None:
        """A memory has a time of its own; the id of the message stays forgotten."""
        owner = place.owner
        owner.retention.keep(days=30)
        owner.session("s").append(said("I like tea"), ids=["m1"])
        owner.remember("Likes tea", origin=Origin("user", parents=("m1",)))
        place.clock.advance(days=29)
        owner.session("s").append(said("New"), ids=["m2"])
        assert owner.sweep().aged == 0
        place.clock.advance(days=1)
        assert owner.sweep().aged == 1
        owner = place.reopen()
        assert texts(owner.session("s").messages()) == ["New"]
        assert texts(owner.memories()) == ["Likes tea"]
        assert owner.session("s").append(said("I like tea"), ids=["m1"]).forgotten == 1

    def test_the_recent_part_stays(self, place: Place) -> None:
        """Of each session; a session's own rule goes before the owner's."""
        owner = place.owner
        owner.retention.keep("recent", newest=2)
        owner.retention.keep("everything", session="long")
        for name in ("short", "long"):
            owner.session(name).append(said("1", "2", "3", "4"))
        assert owner.sweep().aged == 2
        owner = place.reopen()
        assert texts(owner.session("short").messages()) == ["3", "4"]
        assert len(owner.session("long").messages()) == 4

    def test_state_alone_saves_no_messages(self, place: Place) -> None:
        """It says how many it did not save; what was there goes with the sweep."""
        owner = place.owner
        owner.session("s").append(said("before"))
        owner.retention.keep("state")
        told = place.reopen().session("s").append(said("tea", "soup"))
        owner = place.owner
        assert (told.added, told.unsaved) == (0, 2)
        owner.set("n", 1)
        assert owner.remember("Likes tea").outcome == "stored"
        assert owner.sweep().aged == 1
        assert (owner.sessions(), owner.get("n"), len(owner.memories())) == ([], 1, 1)

    def test_nothing_saves_nothing(self, place: Place) -> None:
        """It is told at each write, and what was there goes with the sweep."""
        owner = place.owner
        owner.remember("Before")
        owner.retention.keep("nothing")
        owner = place.reopen()
        assert owner.session("s").append(said("tea")).unsaved == 1
        refused = owner.remember("Likes tea")
        assert (refused.outcome, "retention" in refused.mend) == ("refused", True)
        with pytest.raises(NotKept):
            owner.set("n", 1)
        with pytest.raises(NotKept):
            owner.files.create("/memories/a.md", "tea")
        owner.sweep()
        assert (owner.memories(), owner.sessions(), owner.states()) == ([], [], [])
        assert owner.retention.drop()
        assert owner.remember("Likes tea").outcome == "stored"

    def test_a_kind_has_days_of_its_own(self, place: Place) -> None:
        """They hold in every read at once, for what is there and for what comes."""
        owner = place.owner
        owner.remember("Old note", kind="note")
        owner.remember("Old fact", kind="fact")
        place.clock.advance(days=5)
        owner.retention.keep(kind="note", days=3)
        assert texts(owner.memories()) == ["Old fact"]
        owner.remember("New note", kind="note")
        assert texts(owner.memories()) == ["Old fact", "New note"]
        place.clock.advance(days=3)
        owner = place.reopen()
        assert texts(owner.memories()) == ["Old fact"]
        assert owner.sweep().expired == 2

    def test_a_kind_may_not_be_saved_at_all(self, place: Place) -> None:
        """Others are."""
        owner = place.owner
        owner.retention.keep("nothing", kind="event")
        assert owner.remember("Met Mira", kind="event").outcome == "refused"
        assert owner.remember("Likes tea", kind="preference").outcome == "stored"

    def test_files_go_when_nobody_reads_them(self, place: Place) -> None:
        """Reading one keeps it."""
        owner = place.owner
        owner.retention.keep(files=True, days=10)
        owner.files.create("/memories/a.md", "tea")
        owner.files.create("/memories/b.md", "soup")
        place.clock.advance(days=9)
        owner.files.view("/memories/a.md")
        place.clock.advance(days=1)
        assert owner.sweep().unread == 1
        assert [file.path for file in place.reopen().files.list()] == ["/memories/a.md"]

    def test_what_is_on_hold_is_left_out(self, place: Place) -> None:
        """And counted."""
        owner = place.owner
        owner.session("s").append(said("1"))
        owner.session("t").append(said("1"))
        owner.retention.keep("state")
        owner.retention.hold("Case 7", session="s")
        swept = owner.sweep()
        assert (swept.aged, swept.on_hold) == (1, 1)
        assert [session.id for session in place.reopen().sessions()] == ["s"]

    def test_sweeping_all_owners_at_once_is_safe(self, place: Place) -> None:
        """Each thing goes once, whoever comes first."""

        def fill(engine: Engine, _: int) -> None:
            for name in ("ana", "bo"):
                owner = engine.owner(name)
                owner.session("s").append(said(*"abcdefgh"))
                owner.retention.keep("recent", newest=3)

        place.crowd(1, fill)
        counts = place.crowd(4, lambda engine, _: [each.aged for each in engine.sweep()])
        assert [sum(column) for column in zip(*counts, strict=True)] == [5, 5]
        assert len(place.reopen().session("s").messages()) == 3

    @pytest.mark.parametrize(
        "rule",
        [
            {"saves": "some"},
            {"days": 0},
            {"days": float("nan")},
            {"days": True},
            {"newest": 3},
            {"saves": "recent", "newest": -1},
            {"saves": "recent", "kind": "note"},
            {"saves": "nothing", "files": True},
            {"session": "s", "kind": "note"},
            {"kind": "opinion"},
        ],
    )
    def test_a_rule_that_cannot_be_one_is_refused(
        self, place: Place, rule: dict[str, object]
    ) -> None:
        """Nothing is kept of it."""
        with pytest.raises(InvalidValue):
            place.owner.retention.keep(**rule)  # type: ignore[arg-type]
        assert place.owner.retention.rules() == []


class TombstoneSuite:
    """What was forgotten does not come back by itself."""

    def test_what_was_forgotten_is_not_extracted_again(self, place: Place) -> None:
        """From a message that stays, by whichever extractor; the user may say it anew."""
        owner = place.owner
        owner.session("s").append(said("I live in Halden."), ids=["m1"])
        made = owner.remember("Lives in Halden", origin=Origin("user", parents=("m1",)))
        owner.forget(made.id)
        owner = place.reopen()
        again = owner.remember("lives in  HALDEN", origin=Origin("user", parents=("m1",)))
        by_agent = owner.remember("Lives in Halden", origin="assistant")
        assert (again.outcome, by_agent.outcome) == ("refused", "refused")
        assert "forgotten" in again.mend
        assert owner.remember("Lives in Halden").outcome == "stored"
        (kept,) = owner.memories()
        owner.update(kept.id, "Lives in Kiel")
        assert owner.remember("Lives in Halden", origin="assistant").outcome != "refused"

    def test_older_texts_of_it_stay_away_too(self, place: Place) -> None:
        """In its namespace; elsewhere it was never forgotten."""
        owner = place.owner
        kept = owner.remember("Lives in Halden")
        owner.update(kept.id, "Lives in Kiel")
        owner.forget(kept.id)
        owner = place.reopen()
        for text in ("Lives in Halden", "Lives in Kiel"):
            assert owner.remember(text, origin="tool").outcome == "refused"
        other = owner.remember("Lives in Kiel", origin="tool", namespace=("other",))
        assert other.outcome == "stored"

    def test_what_only_expired_may_be_learned_again(self, place: Place) -> None:
        """Nobody took it back."""
        owner = place.owner
        owner.remember("Soup day", expires_at=place.clock.now() + timedelta(days=1))
        place.clock.advance(days=2)
        owner.sweep()
        assert owner.remember("Soup day", origin="assistant").outcome == "stored"
