"""Cases of the kind forget, as far as words and rows go."""

import json

import pytest

from lifelong import Origin
from lifelong.conformance import said, texts
from lifelong.errors import InvalidName, NotFound, ScopeRequired


def everything_shown(owner, query):
    """Return all that the reads show, as one text."""
    found = owner.recall(query, tokens_max=10**6, include_superseded=True)
    parts = [repr(found.hits), repr(found.pairs)]  # reasons and notes repeat the question
    parts += map(repr, owner.memories(include_superseded=True))
    parts += [owner.known(10**6).text, *owner.export(), repr(owner.sessions())]
    for session in owner.sessions():
        parts += map(repr, owner.session(session.id).messages())
    for memory in owner.memories(include_superseded=True):
        parts += map(repr, owner.history(memory.id))
    return "\n".join(parts)


def bytes_on_disk(place):
    """Return what a reader of the raw disk would see; in memory there is nothing to read."""
    if place.directory is None:
        return b""
    files = [path for path in place.directory.rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in files)


def test_d21_forgetting_one_owner_leaves_the_others(place):
    ann, bo = place.engine.owner("ann"), place.engine.owner("bo")
    for owner, names in ((ann, ("m1", "m2", "m3")), (bo, ("m4", "m5"))):
        for name in names:
            owner.remember(f"memory {name}")
    assert ann.forget(everything=True).counts["memory"] == 3
    assert ann.memories() == []
    assert texts(bo.memories()) == ["memory m4", "memory m5"]
    assert len(bo.recall("memory").hits) == 2
    for call in (bo.forget, lambda: bo.forget(None), lambda: bo.forget(everything=False)):
        with pytest.raises(ScopeRequired):
            call()
    with pytest.raises(ScopeRequired):
        bo.forget(dry_run=True)
    assert len(bo.memories()) == 2


@pytest.mark.parametrize(
    "scopes",
    [
        {"id": "x", "match": "soup"},
        {"id": "x", "session": "s", "match": "soup"},
        {"match": "soup", "everything": True},
    ],
)
def test_d21_variant_scopes_that_contradict_forget_nothing(place, scopes):
    # An id beside a match names one thing; to forget all that matches would be too much.
    owner = place.owner
    kept = owner.remember("soup one")
    owner.remember("soup two")
    if scopes.get("id"):
        scopes = {**scopes, "id": kept.id}
    with pytest.raises(ScopeRequired):
        owner.forget(**scopes)
    assert len(owner.memories()) == 2


def test_d21_variant_a_match_in_a_session_stays_in_it(place):
    owner = place.owner
    owner.remember("soup of the owner")
    for name in ("s", "t"):
        owner.session(name).append(said("soup", "salt"))
    owner.forget(session="s", match="soup")
    assert texts(owner.session("s").messages()) == ["salt"]
    assert texts(owner.session("t").messages()) == ["soup", "salt"]
    assert texts(owner.memories()) == ["soup of the owner"]


def test_d22_nothing_derived_stays(place):
    owner = place.owner
    owner.remember("Soup needs salt")
    owner.session("s").append(said("Soup"))
    before = owner.stats()
    kept = owner.remember("Mira works at Halden Labs", kind="fact", metadata={"at": "Halden"})
    assert not place.is_encrypted or b"Halden" not in bytes_on_disk(place)
    receipt = owner.forget(kept.id)
    assert not receipt.is_pending
    assert "halden" not in everything_shown(owner, "Halden works Mira").lower()
    after = owner.stats()
    for name in ("memory", "memory_passage", "memory_history", "passage", "message"):
        assert after[name] == before[name]
    raw = bytes_on_disk(place)
    assert b"Halden" not in raw
    assert b"halden" not in raw.lower()


MENTIONS = {
    "text": {"role": "user", "content": "At Halden Labs"},
    "parts": {"role": "user", "content": [{"type": "text", "text": "At Halden Labs"}]},
    "result": {"role": "tool", "tool_call_id": "c", "content": "Halden Labs"},
    "arguments": {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c",
                "type": "function",
                "function": {"name": "go", "arguments": '{"to": "Halden Labs"}'},
            }
        ],
    },
}

SILENT_MENTIONS = {
    "speaker": {"role": "user", "content": "x", "name": "Halden"},
    "reasoning": {"role": "assistant", "content": "x", "reasoning_content": "Halden Labs"},
    "unknown field": {"role": "user", "content": "x", "note": {"of": "Halden Labs"}},
    "unknown key": {"role": "user", "content": "x", "note": {"Halden Labs": 1}},
    "unknown part": {"role": "user", "content": [{"type": "card", "title": "Halden Labs"}]},
}
"""Where the search does not look, but whoever reads or exports the message does."""


@pytest.mark.parametrize("item", MENTIONS.values(), ids=MENTIONS)
def test_d22_variant_a_match_finds_it_wherever_it_is_said(place, item):
    owner = place.owner
    owner.session("s").append([*said("before"), item, *said("after")], ids=["1", "2", "3"])
    assert owner.forget(match="halden").counts["message"] == 1
    assert "halden" not in everything_shown(owner, "Halden x").lower()
    assert texts(owner.session("s").messages()) == ["before", "after"]
    assert b"Halden" not in bytes_on_disk(place)


def test_d22_variant_a_match_finds_it_wherever_an_item_holds_it(place):
    session = place.owner.session("s")
    for name, item in SILENT_MENTIONS.items():
        session.append([item], ids=[name])
    place.owner.forget(match="halden")
    assert [message.id for message in session.messages()] == []
    assert b"Halden" not in bytes_on_disk(place)


def test_d22_variant_arguments_with_escaped_letters(place):
    arguments = json.dumps({"city": "Zürich", "note": "naïve"})
    function = {"name": "weather", "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    owner = place.owner
    owner.session("s").append([{"role": "assistant", "content": None, "tool_calls": [call]}])
    assert "\\u" in arguments
    assert len(owner.recall("Zürich").hits) == 1
    assert owner.forget(match="Zürich").counts["message"] == 1


def test_d22_variant_what_it_was_before_goes_with_it(place):
    owner = place.owner
    kept = owner.remember("Works at Halden", metadata={"a": 1})
    owner.update(kept.id, "Works at Kiel")
    other = owner.remember("Lives in Kiel", metadata={"was": "Halden"})
    owner.update(other.id, metadata={"was": "Lund"})
    owner.forget(match="Halden")
    assert "Halden" not in everything_shown(owner, "works lives Halden")
    assert b"Halden" not in bytes_on_disk(place)


def test_d22_variant_names_of_things_are_reached(place):
    owner = place.owner
    owner.session("s").append(said("hi"))
    owner.session("s").describe(title="Halden trip", metadata={"to": "Halden"})
    owner.remember("x", key="halden-key", namespace=("Halden",))
    owner.remember("y", origin=Origin("document", source="Halden.pdf"))
    owner.forget(match="Halden")
    assert "halden" not in everything_shown(owner, "x y hi").lower()


def test_d22_variant_what_is_hidden_goes_too(place):
    owner = place.owner
    expired = owner.remember("Halden one", expires_at="2026-01-01T01:00:00Z")
    ended = owner.remember("Halden two", valid_to="2026-01-01T01:00:00Z")
    replaced = owner.remember("Halden three")
    owner.remember("Kiel", supersedes=[replaced.id])
    place.clock.advance(days=1)
    assert owner.history(expired.id) == []  # no read shows what has expired
    assert owner.forget(match="Halden").counts["memory"] == 3
    place.clock.advance(days=-1)
    for gone in (expired, ended, replaced):
        with pytest.raises(NotFound):
            owner.memory(gone.id, include_superseded=True)
    assert b"Halden" not in bytes_on_disk(place)


def test_d22_variant_many_words_leave_no_stem(place):
    # The index holds stems and prefixes of words beside one another: each of them must go.
    owner = place.owner
    words = [f"haldenish{n}ing" for n in range(300)]
    owner.session("s").append(said(" ".join(words), "soup"), ids=["1", "2"])
    owner.session("s").append(said(*(f"filler {n}" for n in range(200))))
    owner.forget("1")
    assert b"haldenish" not in bytes_on_disk(place).lower()
    assert owner.recall("haldenish7ing").nothing_relevant


def test_d22_variant_everything_leaves_no_byte(place):
    owner = place.owner
    owner.session("s").append(said("Halden"))
    owner.set("where", "Halden")
    place.engine.owner("bo").remember("Soup")
    assert owner.forget(everything=True).is_pending is False
    assert b"Halden" not in bytes_on_disk(place)
    if place.directory:
        assert len(list((place.directory / "owners").glob("*.db"))) == 1


def test_d23_forgetting_by_a_wrong_id_deletes_nothing_and_says_so(place):
    owner = place.owner
    kept = owner.remember("Soup").id
    with pytest.raises(InvalidName):
        owner.forget(kept[:8])
    for wrong in ("no-such-id", f"mem_{0:032x}", kept.upper(), f" {kept}", kept[4:], "%", "_" * 36):
        assert owner.forget(wrong).forgotten == 0
    assert texts(owner.recall("soup")) == ["Soup"]
    assert [owner.forget(kept).forgotten for _ in range(3)] == [1, 0, 0]
    assert owner.recall("soup").nothing_relevant


def test_d23_variant_counts_are_of_rows_that_were_there(place):
    owner = place.owner
    owner.session("s").append(said("a", "b"), ids=["1", "2"])
    first = owner.remember("made", origin=Origin("user", parents=("1", "2"))).id
    owner.remember("made of made", origin=Origin("user", parents=(first, "1")))
    receipt = owner.forget(session="s")
    assert receipt.counts == {
        "message": 2,
        "message_index": 2,
        "passage": 2,
        "session": 1,
        "memory": 2,
        "memory_history": 2,
        "memory_passage": 2,
        "memory_parent": 4,
    }
    assert owner.forget(session="s").counts == {}


def test_d23_variant_a_message_made_the_same_moment_in_another_session_stays(place):
    # The id "1" of one session is not the id "1" of another, for what was made from it either.
    owner = place.owner
    owner.session("s").append(said("a"), ids=["1"])
    owner.session("t").append(said("b"), ids=["1"])
    owner.forget("1", session="s")
    assert texts(owner.session("t").messages()) == ["b"]
    made = owner.remember("made of b", origin=Origin("user", parents=("1",)))
    owner.forget(session="s")
    assert owner.memory(made.id).text == "made of b"


def test_d48_a_forgotten_text_can_be_stored_again(place):
    owner = place.owner
    for round_number in range(3):
        place.clock.advance(hours=1)
        done = owner.remember("Gate code is 4471")
        assert done.outcome == "stored"
        assert done.memory.recorded_at == place.clock.now()
        if round_number < 2:
            assert owner.forget(done.id).forgotten == 1
    assert len(place.reopen().memories()) == 1


def test_d48_variant_other_ways_to_be_gone_do_not_block_either(place):
    owner = place.owner
    text = "Gate code is 4471"
    owner.remember(text, expires_at="2026-01-01T01:00:00Z")
    place.clock.advance(hours=2)
    second = owner.remember(text)
    owner.remember("Gate code is 9", supersedes=[second.id])
    third = owner.remember(text)
    owner.update(third.id, "Gate code is 5")
    fourth = owner.remember(text)
    assert fourth.outcome == "stored"
    owner.forget(match="gate code")
    assert owner.remember(text).outcome == "stored"
    assert texts(owner.memories(include_superseded=True)) == [text]


def test_d48_variant_a_session_of_which_something_was_forgotten_goes_on(place):
    session = place.owner.session("s")
    session.append(said("one", "two"), ids=["1", "2"])
    place.owner.forget("2")
    again = session.append(said("one", "two", "three"), ids=["1", "2", "3"])
    assert (again.added, again.duplicates, again.forgotten) == (1, 1, 1)
    assert texts(session.messages()) == ["one", "three"]


def test_d48_variant_an_import_brings_nothing_back(place, tmp_path):
    file = tmp_path / "talk.jsonl"
    file.write_text("\n".join(json.dumps(item) for item in said("one", "two", "three")))
    assert place.owner.import_transcripts("chat", file).added == 3
    (session,) = place.owner.sessions()
    place.owner.forget(place.owner.session(session.id).messages()[1].id)
    again = place.owner.import_transcripts("chat", file)
    assert (again.added, again.duplicates, again.forgotten) == (0, 2, 1)
    place.owner.forget(session=session.id)
    again = place.reopen().import_transcripts("chat", file)
    assert (again.added, again.forgotten, place.owner.sessions()) == (0, 3, [])


def test_d48_variant_what_is_said_of_an_empty_session_stays(place):
    session = place.owner.session("new")
    session.describe(title="Prepared")
    place.owner.session("s").append(said("one"), ids=["1"])
    place.owner.forget("1")
    session.append(said("hi"))
    assert [(each.id, each.title) for each in place.owner.sessions()] == [("new", "Prepared")]
