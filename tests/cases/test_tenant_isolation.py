"""Cases of the kind tenant-isolation: names that look like patterns, keys that look like SQL."""

import pytest

from lifelong.conformance import said, texts
from lifelong.errors import InputError

COLOURS = [
    (("users", "ann_lee"), "red"),
    (("users", "annXlee"), "blue"),
    (("users", "ann_lee2"), "green"),
    (("users", "ann%"), "grey"),
    (("users", "ann_lee", "jobs"), "gold"),
]

CRAFTED = [
    {"x') OR 1=1 --": "1"},
    {'a.b"c': "1"},
    {"$.colour": "red"},
    {"colour": "' OR ''='"},
    {"colour') = 'red' OR json_extract(m.metadata, '$.colour": "x"},
    {"colour": {"$gt": ""}},
    {"colour": None},
    {"\x00": 1},
    {"\udc97": 1},
    {"a" * 100_000: 1},
    {"colour": 10**400},
]


def test_d19_wildcards_and_prefixes_do_not_leak(place):
    owner = place.owner
    for namespace, colour in COLOURS:
        owner.remember(f"{colour} paint", namespace=namespace)
    owner = place.reopen()

    def colours(namespace, **options):
        listed = texts(owner.memories(namespace=namespace, **options))
        found = owner.recall("paint", namespace=namespace, sources=["memory"], **options)
        assert sorted(texts(found)) == sorted(listed)
        return [text.split()[0] for text in listed]

    assert colours(("users", "ann_lee")) == ["red"]
    assert colours(("users", "ann_lee"), include_below=True) == ["red", "gold"]
    assert colours(("users", "ann%")) == ["grey"]
    assert colours(("users", "ann%"), include_below=True) == ["grey"]
    assert colours(("users", "ann")) == []
    assert colours(("users", "ann"), include_below=True) == []
    assert colours(("users", "%")) == []
    assert owner.namespaces() == sorted(namespace for namespace, _ in COLOURS)
    # Forgetting what one namespace holds leaves its look-alikes.
    for memory in owner.memories(namespace=("users", "ann_lee"), include_below=True):
        owner.forget(memory.id)
    assert texts(owner.memories()) == ["blue paint", "green paint", "grey paint"]


def test_d19_variant_owners_and_sessions_of_such_names(place):
    names = ["ann_lee", "annXlee", "ann_lee2", "ann%", "ann", "%", "_", "ann\\_lee", "ANN_LEE"]
    for name in names:
        place.engine.owner(name).remember(f"of {name}")
        place.owner.session(name).append(said(f"in {name}"))
    for name in names:
        assert texts(place.engine.owner(name).memories()) == [f"of {name}"]
        assert texts(place.owner.session(name).messages()) == [f"in {name}"]
    place.engine.owner("%").forget(everything=True)
    place.owner.forget(session="%")
    for name in set(names) - {"%"}:
        assert texts(place.engine.owner(name).memories()) == [f"of {name}"]
        assert texts(place.owner.session(name).messages()) == [f"in {name}"]


def test_d19_variant_segments_are_not_joined(place):
    for namespace in [("a", "b"), ("a/b",), ("a,b",), ('a","b',), ("a\u2028b",), ("a", "b ")]:
        assert place.owner.remember("same text", namespace=namespace).outcome == "stored"
    assert len(place.owner.namespaces()) == 6
    assert len(place.owner.memories(namespace=("a", "b"))) == 1


def test_d20_a_key_is_no_sql(place):
    owner = place.owner
    owner.remember("tram one", namespace=("a",), metadata={"colour": "red"})
    owner.remember("tram two", namespace=("b",), metadata={"colour": "blue"})
    for crafted in CRAFTED:
        for narrowed in ({"namespace": ("a",)}, {}):
            try:
                found = owner.recall("tram", metadata=crafted, **narrowed).hits
                found += tuple(owner.memories(metadata=crafted, **narrowed))
            except InputError:
                continue
            assert found == (), str(crafted)[:99]
    assert texts(place.reopen().memories()) == ["tram one", "tram two"]


def test_d20_an_apostrophe_in_a_key_is_found(place):
    place.owner.remember("tram one", namespace=("a",), metadata={"it's": "ok"})
    found = place.owner.recall("tram", namespace=("a",), metadata={"it's": "ok"})
    assert texts(found) == ["tram one"]


def test_d20_variant_a_field_that_there_is_not_is_refused(place):
    # A filter that is silently dropped returns what it was to keep out.
    owner = place.owner
    kept = owner.remember("tram one", namespace=("a",)).id
    for call in (
        lambda: owner.recall("tram", namspace=("b",)),
        lambda: owner.recall("tram", user="bo"),
        lambda: owner.memories(filter={"colour": "red"}),
        lambda: owner.remember("tram two", expires="2026-01-01T00:00:00Z"),
        lambda: owner.update(kept, namespace=("b",)),
        lambda: owner.update(kept, key="b"),
    ):
        with pytest.raises((TypeError, InputError)):
            call()


def test_d20_variant_values_of_other_fields_are_no_sql(place):
    owner = place.owner
    owner.remember("tram one", key="k")
    for text in ("' OR '1'='1", '" OR ""="', "x'); DROP TABLE memory; --", "\\'; --"):
        assert owner.history(text) == []
        assert owner.forget(text).counts == {}
        assert owner.get(text) is None
        assert len(owner.session(text).messages()) == 0
        assert owner.recall(text, namespace=(text,)).hits == ()
        assert owner.remember(f"{text} kept", key=text).supersedes == ()
    assert len(place.reopen().memories()) == 5


def test_d47_a_session_id_belongs_to_its_owner(place):
    owners = {"app1/ann": "plum", "app1/bo": "pear", "app2/ann": "fig"}
    for owner_id, word in owners.items():
        place.engine.owner(owner_id).session("s1").append(said(word), ids=["m1"])
    for owner_id, word in owners.items():
        owner = place.engine.owner(owner_id)
        assert texts(owner.session("s1").messages()) == [word]
        assert [session.id for session in owner.sessions()] == ["s1"]
        for other in owners.values():
            assert texts(owner.recall(other)) == ([word] if other == word else [])
    place.engine.owner("app1/ann").forget(session="s1")
    assert place.engine.owner("app1/ann").sessions() == []
    for owner_id in ("app1/bo", "app2/ann"):
        assert texts(place.engine.owner(owner_id).session("s1").messages()) == [owners[owner_id]]
        assert len(place.engine.owner(owner_id).sessions()) == 1


def test_d47_variant_forgetting_one_owner_at_every_moment(place):
    ann, bo = place.engine.owner("ann"), place.engine.owner("bo")
    for number in range(5):
        ann.session("s").append(said(f"ann {number}"))
        bo.session("s").append(said(f"bo {number}"))
        ann.forget(everything=True)
        assert place.engine.owners() == ["bo"]
        assert texts(bo.session("s").messages()) == [f"bo {n}" for n in range(number + 1)]
        assert texts(bo.recall("bo"))


def test_d47_variant_looking_at_an_owner_makes_none(place):
    nobody = place.engine.owner("nobody")
    nobody.recall("x")
    nobody.forget("m1")
    nobody.forget(match="x")
    nobody.forget(everything=True)
    nobody.set("n", None)
    nobody.reindex()
    nobody.check()
    nobody.stats()
    list(nobody.export())
    assert place.engine.owners() == []
