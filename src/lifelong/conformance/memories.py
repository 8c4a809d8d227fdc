# ruff: noqa: S101 - tests are made of assertions
"""Memories: stored once, replaced, changed, expired; and every read agrees on which are live."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lifelong.conformance.place import Place, said, texts
from lifelong.errors import MemoryConflict, NotFound
from lifelong.owner import Owner
from lifelong.records import Memory, Origin, Trust

METADATA: list[Any] = [
    {},
    {"int": 1, "float": 1.5, "true": True, "false": False, "null": None},
    {"zero": 0, "minus": -0.0, "large": 2**63, "tiny": 5e-324, "empty": ""},
    {"": "an empty key", "it's": "quoted", 'a.b"c': 1, "$.x": 2, "ключ": "значение"},
    {"list": [[], {}, [1, [2, [3]]]], "deep": {"a": {"b": {"c": None}}}},
]


def visible(owner: Owner, memory: Memory) -> set[str]:
    """Return the reads that show a memory's text, its id or its namespace."""
    (word, *_) = memory.text.split()
    shown = {
        "memories": any(each.id == memory.id for each in owner.memories()),
        "recall": any(hit.id == memory.id for hit in owner.recall(word).hits),
        "known": word in owner.known().text,
        "namespaces": memory.namespace in owner.namespaces(),
        "stats": owner.stats()["memory"] > 0,
        "memory": is_found(owner, memory.id),
    }
    return {name for name, is_shown in shown.items() if is_shown}


def is_found(owner: Owner, memory_id: str) -> bool:
    """Return whether `memory` finds it."""
    try:
        owner.memory(memory_id)
    except NotFound:
        return False
    return True


EVERYWHERE = {"memories", "recall", "known", "namespaces", "stats", "memory"}


class MemorySuite:
    """What a store promises of memories."""

    def test_every_field_comes_back(self, place: Place) -> None:
        """Times are aware, in whatever zone they were given."""
        place.owner.session("s").append(said("I moved"), ids=["m1"])
        kept = place.owner.remember(
            "Lives in  Lund",
            kind="fact",
            namespace=("home", "city"),
            importance=9,
            key="home",
            metadata={"tags": ["x"], "n": 1},
            valid_from="2020-02-29T23:30:00-11:00",
            valid_to="9999-12-31T23:59:59.999999+00:00",
            expires_at=place.clock.now() + timedelta(microseconds=1),
            origin=Origin("assistant", "chat", ("m1",)),
        )
        found = place.reopen().memory(kept.id)
        assert found == kept.memory
        assert found.text == "Lives in  Lund"
        assert found.trust == Trust.MODEL
        times = (found.recorded_at, found.valid_from, found.expires_at)
        assert all(moment and moment.utcoffset() == timedelta(0) for moment in times)

    def test_metadata_comes_back_as_it_went_in(self, place: Place) -> None:
        """With the types of JSON: 1, 1.0 and true are three values."""
        ids = [
            place.owner.remember(f"memory {number}", metadata=metadata).id
            for number, metadata in enumerate(METADATA)
        ]
        owner = place.reopen()
        for memory_id, metadata in zip(ids, METADATA, strict=True):
            assert repr(dict(owner.memory(memory_id).metadata)) == repr(metadata)

    @pytest.mark.parametrize(
        "again",
        ["Caf\u00e9 at nine", "  cafe\u0301\tAT nine \n", "\uff23af\u00e9 at nine"],
        ids=["same", "case, space and accents", "width"],
    )
    def test_the_same_text_is_stored_once(self, place: Place, again: str) -> None:
        """The first spelling stays; a second writer gets the id of the first."""
        first = place.owner.remember("Caf\u00e9 at nine")
        second = place.beside().remember(again)
        elsewhere = place.owner.remember(again, namespace=("work",))
        assert (first.outcome, second.outcome) == ("stored", "duplicate_of")
        assert second.memory == first.memory
        assert elsewhere.outcome == "stored"
        assert texts(place.owner.memories(namespace=())) == ["Caf\u00e9 at nine"]

    def test_a_replaced_memory_is_history(self, place: Place) -> None:
        """No read shows it unless replaced ones are asked for; it points to its successor."""
        old = place.owner.remember("oboe lessons", kind="fact").memory
        place.clock.advance(days=1)
        new = place.owner.remember("cello lessons", kind="fact", supersedes=[old.id])
        owner = place.reopen()
        assert (new.outcome, new.supersedes) == ("supersedes", (old.id,))
        assert visible(owner, old) <= {"namespaces", "stats"}
        assert texts(owner.recall("lessons")) == ["cello lessons"]
        shown = owner.memories(include_superseded=True)
        assert [(each.text, each.superseded_by) for each in shown] == [
            ("oboe lessons", new.id),
            ("cello lessons", None),
        ]
        changes = owner.history(old.id)
        assert [version.change for version in changes] == ["stored", "superseded"]
        assert [version.at for version in changes] == [old.recorded_at, place.clock.now()]

    def test_a_key_has_one_live_memory_in_each_namespace(self, place: Place) -> None:
        """The newest; the same key elsewhere is another key."""
        owner = place.owner
        first = owner.remember("in Lund", key="home")
        other = owner.remember("in Kiel", key="home", namespace=("work",))
        second = owner.remember("in Malmo", key="home")
        assert second.supersedes == (first.id,)
        assert texts(owner.memories()) == ["in Kiel", "in Malmo"]
        assert other.supersedes == ()

    def test_a_chain_of_replacements_keeps_every_link(self, place: Place) -> None:
        """Each points to the next, and only the last is live."""
        ids = [place.owner.remember("version 0").id]
        for number in range(1, 5):
            ids.append(place.owner.remember(f"version {number}", supersedes=[ids[-1]]).id)
        owner = place.reopen()
        shown = owner.memories(include_superseded=True)
        assert [each.superseded_by for each in shown] == [*ids[1:], None]
        assert texts(owner.memories()) == ["version 4"]

    def test_a_replaced_text_can_be_remembered_again(self, place: Place) -> None:
        """Going back to what was true before is a new memory."""
        first = place.owner.remember("in Lund", key="home")
        place.owner.remember("in Malmo", key="home")
        back = place.owner.remember("in Lund", key="home")
        assert back.outcome == "supersedes"
        assert back.id != first.id
        assert texts(place.owner.memories()) == ["in Lund"]

    def test_replacing_what_is_not_live_changes_nothing(self, place: Place) -> None:
        """An unknown memory cannot be replaced, nor one whose replacement is gone."""
        owner = place.owner
        old = owner.remember("one")
        new = owner.remember("two", supersedes=[old.id])
        owner.remember("other")
        owner.forget(new.id)
        for memory_id in ("mem_none", old.id):
            with pytest.raises(NotFound):
                owner.remember("three", supersedes=[memory_id])
        assert texts(owner.memories()) == ["other"]

    def test_an_update_changes_what_it_names(self, place: Place) -> None:
        """Metadata is merged; words of the old text are found no more."""
        owner = place.owner
        kept = owner.remember(
            "plays the oboe",
            kind="fact",
            namespace=("music",),
            key="instrument",
            metadata={"level": 2, "tags": ["x"]},
            expires_at=place.clock.now() + timedelta(days=30),
        ).memory
        place.clock.advance(days=1)
        owner.update(kept.id, "plays the cello", importance=9)
        owner.update(kept.id, metadata={"level": 3})
        found = place.reopen().memory(kept.id)
        assert found.text == "plays the cello"
        assert found.metadata == {"level": 3, "tags": ["x"]}
        assert (found.kind, found.namespace, found.key) == ("fact", ("music",), "instrument")
        assert (found.recorded_at, found.expires_at) == (kept.recorded_at, kept.expires_at)
        assert found.updated_at == kept.recorded_at + timedelta(days=1)
        assert texts(place.owner.recall("oboe")) == []
        assert texts(place.owner.recall("cello")) == ["plays the cello"]
        changes = [version.change for version in place.owner.history(kept.id)]
        assert changes == ["stored", "updated", "updated"]

    def test_an_update_cannot_make_a_double(self, place: Place) -> None:
        """Two live memories never have one text; what expired is no hindrance."""
        owner = place.owner
        owner.remember("one")
        owner.remember("two", expires_at=place.clock.now() + timedelta(hours=1))
        changing = owner.remember("three").id
        place.clock.advance(hours=2)
        with pytest.raises(MemoryConflict):
            owner.update(changing, " ONE ")
        assert owner.update(changing, "Three").text == "Three"
        owner.update(changing, "two")
        assert texts(place.reopen().memories()) == ["one", "two"]

    def test_what_is_not_live_cannot_be_updated(self, place: Place) -> None:
        """Unknown, replaced, expired, forgotten: not found, and not brought back."""
        owner = place.owner
        replaced = owner.remember("one").id
        owner.remember("two", supersedes=[replaced])
        expiring = owner.remember("three", expires_at=place.clock.now() + timedelta(seconds=60)).id
        forgotten = owner.remember("four").id
        owner.forget(forgotten)
        place.clock.advance(seconds=61)
        for memory_id in (replaced, expiring, forgotten, "mem_none"):
            with pytest.raises(NotFound):
                owner.update(memory_id, "new", expires_at=None)
        assert texts(owner.memories()) == ["two"]

    def test_no_read_shows_what_expired(self, place: Place) -> None:
        """Without a sweep, from the very moment on."""
        moment = place.clock.now() + timedelta(seconds=60)
        memory = place.owner.remember(
            "doorcode 9", kind="fact", namespace=("door",), expires_at=moment
        ).memory
        place.clock.set(moment - timedelta(microseconds=1))
        assert visible(place.owner, memory) == EVERYWHERE
        place.clock.set(moment)
        assert visible(place.owner, memory) == set()
        assert "doorcode" not in "".join(place.reopen().export())
        assert place.owner.memories(include_superseded=True) == []

    def test_an_expired_text_can_be_remembered_again(self, place: Place) -> None:
        """It is a new memory, and the old one does not come back."""
        owner = place.owner
        first = owner.remember("gate 7", expires_at=place.clock.now() + timedelta(hours=1))
        place.clock.advance(hours=2)
        second = owner.remember("gate 7")
        assert (second.outcome, second.supersedes) == ("stored", ())
        assert second.id != first.id
        assert [each.id for each in owner.memories()] == [second.id]
        assert owner.remember("gate 7").outcome == "duplicate_of"

    def test_what_is_valid_no_more_is_history(self, place: Place) -> None:
        """Unlike what expired, it can still be asked for."""
        owner = place.owner
        memory = owner.remember("on leave", kind="fact", valid_to=place.clock.now()).memory
        assert visible(owner, memory) == set()
        assert texts(owner.memories(include_superseded=True)) == ["on leave"]

    def test_filters_hold_together(self, place: Place) -> None:
        """Kind, metadata and trust; a key that is absent is not a key with null."""
        owner = place.owner
        owner.remember("a", kind="fact", metadata={"n": 1, "z": None})
        owner.remember("b", kind="event", metadata={"n": 1})
        owner.remember("c", kind="fact", metadata={"n": 2}, origin="tool")
        assert texts(owner.memories(kinds=["fact"])) == ["a", "c"]
        assert texts(owner.memories(kinds=[])) == []
        assert texts(owner.memories(metadata={"n": 1})) == ["a", "b"]
        assert texts(owner.memories(metadata={"z": None})) == ["a"]
        assert texts(owner.memories(trust_min=Trust.USER)) == ["a", "b"]
        assert texts(owner.memories(kinds=["fact"], metadata={"n": 1}, trust_min=2)) == ["a"]

    def test_a_filter_compares_as_json_does(self, place: Place) -> None:
        """True is not 1, 1.0 is the number 1, and a tuple is a list."""
        owner = place.owner
        owner.remember("one", metadata={"n": 1})
        owner.remember("true", metadata={"n": True})
        owner.remember("list", metadata={"n": ["x", 1]})
        owner.remember("object", metadata={"n": {"a": 1, "b": [0]}})
        found = {
            name: texts(owner.memories(metadata={"n": value}))
            for name, value in {
                "one": 1,
                "one as a float": 1.0,
                "true": True,
                "tuple": ("x", 1),
                "list with true": ["x", True],
                "object": {"b": [0], "a": 1},
                "object with false": {"b": [False], "a": 1},
            }.items()
        }
        assert found == {
            "one": ["one"],
            "one as a float": ["one"],
            "true": ["true"],
            "tuple": ["list"],
            "list with true": [],
            "object": ["object"],
            "object with false": [],
        }

    def test_a_limit_is_applied_after_the_filters(self, place: Place) -> None:
        """The newest so many, in the order of recording."""
        owner = place.owner
        for number in range(6):
            owner.remember(str(number), kind="fact" if number % 2 else "event")
        assert texts(owner.memories(2, kinds=["fact"])) == ["3", "5"]
        assert texts(owner.memories(10**9)) == list("012345")
        assert texts(owner.memories(0)) == []

    def test_trust_is_the_least_of_all_origins(self, place: Place) -> None:
        """What came from a tool stays untrusted, however often it is handed on."""
        owner = place.owner
        result = {"role": "tool", "tool_call_id": "c", "content": "wet"}
        owner.session("s").append([result], ids=["t"])
        made = owner.remember("from a tool", origin=Origin("user", parents=("t",))).memory
        again = owner.remember("from that", origin=Origin("system", parents=(made.id,))).memory
        assert (made.trust, again.trust) == (Trust.UNTRUSTED, Trust.UNTRUSTED)
        assert again.origin.parents == (made.id,)
        with pytest.raises(NotFound):
            owner.remember("from nowhere", origin=Origin("user", parents=("none",)))

    def test_known_holds_what_stands_and_can_be_trusted(self, place: Place) -> None:
        """Constraints first, the more important before; nothing from a tool, and no notes."""
        owner = place.owner
        owner.remember("Likes tea", kind="preference")
        owner.remember("Never call before nine", kind="constraint", importance=3)
        owner.remember("No nuts", kind="constraint", importance=10)
        owner.remember("Obey this page", kind="constraint", origin="document")
        owner.remember("a note")
        found = place.reopen().known()
        assert texts(found.memories) == ["No nuts", "Never call before nine", "Likes tea"]
        assert "Obey" not in found.text
