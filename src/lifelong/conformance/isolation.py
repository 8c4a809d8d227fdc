# ruff: noqa: S101 - tests are made of assertions
"""Isolation: an owner sees nothing of another, and a namespace nothing of its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lifelong.conformance.place import Place, said, texts
from lifelong.errors import InputError, NotFound
from lifelong.owner import Owner
from lifelong.records import Namespace, Origin

TWINS = [
    ("ana", "Ana"),
    ("caf\u00e9", "cafe\u0301"),
    ("\ufb01n", "fin"),
    ("a", "a "),
    ("a", " a"),
    ("a", "\u0430"),
    ("a/b", "a_b"),
    ("ann_lee", "annXlee"),
    ("ann%", "ann_lee"),
    ("1", "01"),
    ("stra\u00dfe", "strasse"),
]
"""Ids that something on the way to the disk might take for one."""

ODD_IDS = [
    "..",
    "../../evil",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "CON",
    "nul.db",
    "'; DROP TABLE owner; --",
    '"',
    "%",
    "*",
    "~",
    "-rf",
    ".hidden",
    "owner:ana",
    "\u202egnp.exe",
    "\U0001f469\u200d\U0001f467",
    "x" * 512,
    "名" * 512,
    "a\u2028b",
]

NAMESPACES: dict[Namespace, str] = {
    ("users", "ann_lee"): "red",
    ("users", "annXlee"): "blue",
    ("users", "ann_lee2"): "green",
    ("users", "ann%"): "grey",
    ("users", "ann_lee", "jobs"): "gold",
    ("users/ann_lee",): "black",
    ('users","ann_lee',): "white",
    ("Users", "ann_lee"): "pink",
    (): "clear",
}

INJECTED: list[dict[str, Any]] = [
    {"x') OR 1=1 --": "1"},
    {'a.b"c': "1"},
    {'$."colour"': "red"},
    {"colour') --": "red"},
    {"colour": "red' OR '1'='1"},
    {"colour": {"$ne": ""}},
    {"colour": ["red"]},
    {"": ""},
]


class IsolationSuite:
    """What a store promises of the walls between owners, and between namespaces."""

    def test_owners_with_similar_ids_are_two(self, place: Place) -> None:
        """Case, Unicode form, white space and wildcards make a difference."""
        ids = dict.fromkeys(owner_id for pair in TWINS for owner_id in pair)
        for owner_id in ids:
            owner = place.engine.owner(owner_id)
            assert owner.memories() == [], owner_id
            owner.remember(f"of {owner_id}")
            owner.session("s").append(said(f"by {owner_id}"), ids=["m1"])
            owner.set("n", owner_id)
        place.reopen()
        assert place.engine.owners() == sorted(ids)
        for owner_id in ids:
            owner = place.engine.owner(owner_id)
            assert texts(owner.memories()) == [f"of {owner_id}"]
            assert texts(owner.session("s").messages()) == [f"by {owner_id}"]
            assert owner.get("n") == owner_id
        for first, second in TWINS[:3]:
            place.engine.owner(first).forget(everything=True)
            assert texts(place.engine.owner(second).memories()) == [f"of {second}"]

    def test_odd_ids_are_ids(self, place: Place) -> None:
        """Each owner, session, state and namespace gets its own back."""
        for number, name in enumerate(ODD_IDS):
            owner = place.engine.owner(name)
            owner.session(name).append(said(str(number)))
            owner.set(name, number)
            owner.remember(str(number), namespace=(name,), key=name)
        place.reopen()
        assert place.engine.owners() == sorted(ODD_IDS)
        for number, name in enumerate(ODD_IDS):
            owner = place.engine.owner(name)
            assert texts(owner.session(name).messages()) == [str(number)]
            assert (owner.get(name), owner.states()) == (number, [name])
            assert owner.namespaces() == [(name,)]

    def test_sessions_with_one_id_belong_to_their_owners(self, place: Place) -> None:
        """Reading, listing, recalling and forgetting stay on one side."""
        for owner_id in ("ann", "bo", "cy"):
            owner = place.engine.owner(owner_id)
            owner.session("s1").append(said(f"word-{owner_id} tram"), ids=["m1"])
        place.engine.owner("ann").forget(session="s1")
        assert place.engine.owner("ann").sessions() == []
        for owner_id in ("bo", "cy"):
            owner = place.engine.owner(owner_id)
            assert texts(owner.session("s1").messages()) == [f"word-{owner_id} tram"]
            assert texts(owner.recall("tram")) == [f"word-{owner_id} tram"]
            assert len(owner.sessions()) == 1

    def test_a_foreign_id_is_like_a_missing_one(self, place: Place) -> None:
        """The same error, the same words, the same count: nothing tells the two apart."""
        ann, bo = place.engine.owner("ann"), place.engine.owner("bo")
        foreign = ann.remember("ann's").id
        ann.session("s").append(said("ann's"), ids=["m1"])
        bo.remember("bo's")
        calls: list[Callable[[str], object]] = [
            bo.memory,
            lambda found: bo.update(found, "mine now"),
            lambda found: bo.remember("new", supersedes=[found]),
            lambda found: bo.remember("new", origin=Origin("user", parents=(found,))),
        ]
        for call in calls:
            said_of = []
            for memory_id in (foreign, "mem_none"):
                with pytest.raises(NotFound) as caught:
                    call(memory_id)
                said_of.append(str(caught.value).replace(memory_id, "ID"))
            assert said_of[0] == said_of[1]
        assert bo.history(foreign) == []
        assert (bo.forget(foreign).counts, bo.forget("m1").counts) == ({}, {})
        assert texts(ann.memories()) == ["ann's"]

    def test_one_owner_does_not_move_the_scores_of_another(self, place: Place) -> None:
        """Word counts are each owner's own: they would tell what others talk about."""

        def answers(owner: Owner) -> object:
            found = owner.recall("tram late")
            return [(hit.text, hit.score, hit.parts) for hit in found.hits]

        bo = place.engine.owner("bo")
        bo.session("s").append(said("The tram is late", "Soup is ready"))
        bo.remember("Trams run late on Sundays")
        before, listed = answers(bo), bo.stats()
        ann = place.engine.owner("ann")
        ann.session("s").append(said(*["tram late tram"] * 40))
        ann.remember("late late late")
        assert (answers(bo), bo.stats()) == (before, listed)
        ann.forget(everything=True)
        assert (answers(bo), bo.stats()) == (before, listed)

    def test_a_namespace_is_matched_by_whole_segments(self, place: Place) -> None:
        """No wildcard, no prefix of a word, no separator inside a segment."""
        owner = place.owner
        for namespace, text in NAMESPACES.items():
            owner.remember(f"{text} paint", namespace=namespace)
        owner = place.reopen()
        assert owner.namespaces() == sorted(NAMESPACES)
        for namespace, text in NAMESPACES.items():
            assert texts(owner.memories(namespace=namespace)) == [f"{text} paint"]
            found = owner.recall("paint", namespace=namespace, sources=["memory"])
            assert texts(found) == [f"{text} paint"]
        assert texts(owner.memories(namespace=("users",))) == []
        assert texts(owner.memories(namespace=("users", "ann"))) == []
        below = owner.memories(namespace=("users", "ann_lee"), include_below=True)
        assert texts(below) == ["red paint", "gold paint"]
        assert len(owner.memories(namespace=("users",), include_below=True)) == 5
        assert len(owner.memories(namespace=(), include_below=True)) == len(NAMESPACES)

    def test_a_filter_is_data(self, place: Place) -> None:
        """Keys and values alike: nothing in them widens what is returned."""
        owner = place.owner
        owner.remember("a tram", namespace=("a",), metadata={"colour": "red"})
        owner.remember("b tram", namespace=("b",), metadata={"colour": "blue"})
        for metadata in INJECTED:
            for namespace in (("a",), None):
                try:
                    found = owner.recall("tram", namespace=namespace, metadata=metadata)
                    listed = owner.memories(namespace=namespace, metadata=metadata)
                except InputError:
                    continue
                assert (texts(found), texts(listed)) == ([], []), metadata
        assert len(place.reopen().memories()) == 2

    def test_an_odd_key_of_metadata_is_found(self, place: Place) -> None:
        """What could be stored can be asked for."""
        keys = ["it's", 'a.b"c', "$.x", "", "ключ", "a\\b", "%"]
        place.owner.remember("a tram", metadata=dict.fromkeys(keys, "ok"))
        place.owner.remember("b tram", metadata=dict.fromkeys(keys, "no"))
        for key in keys:
            assert texts(place.owner.recall("tram", metadata={key: "ok"})) == ["a tram"], key
