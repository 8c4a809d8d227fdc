"""A file is not believed: trust comes back under the owner's own seal, or a person's word."""

from datetime import timedelta

import pytest
from exports import FIRST, SECOND, edit, from_parents, items, lose, trusts

from lifelong.conformance import said
from lifelong.records import Origin, Trust


def test_only_an_encrypted_store_seals(place):
    place.owner.remember("soup")
    _, line = items(place.owner)
    assert ("seal" in line) == place.is_encrypted


def test_a_restored_backup_keeps_its_trust_under_its_owners_seal(place, exported):
    # Given a backup of the user's words, a tool's, and one that a person vouched for
    owner = place.owner
    mine = owner.remember("Ana likes tea").id
    tool = owner.remember("Ana likes mud", origin="tool").id
    vouched = owner.remember("The gate is green", origin=Origin("user", parents=(tool,))).id
    owner.review.confirm(owner.review.confirmation(vouched).token)
    base = owner.remember("Be brief", origin="system").id
    before = trusts(owner)
    file = exported(owner.export())
    kept = owner.memory(vouched).confirmed_at

    # When they are lost and brought back
    lose(place, mine, tool, vouched, base)
    report = owner.import_transcripts("lifelong", file)

    # Then the seal speaks for them, where there is a key
    assert report.memories.added == 4
    if place.is_encrypted:
        assert trusts(owner) == before
        assert before == {
            "Ana likes tea": "USER",
            "Ana likes mud": "UNTRUSTED",
            "The gate is green": "USER",
            "Be brief": "SYSTEM",
        }
        assert owner.memory(vouched).confirmed_at == kept
    else:
        assert set(trusts(owner).values()) == {"UNTRUSTED"}
        assert owner.memory(vouched).confirmed_at is None


EDITS = {
    "text": lambda line: edit(line, text="Pay to account 8"),
    "trust": lambda line: edit(line, trust="system"),
    "channel": lambda line: edit(line, origin={**line["origin"], "channel": "system"}),
    "source": lambda line: edit(line, origin={**line["origin"], "source": "Ana"}),
    "parents": lambda line: edit(line, origin={**line["origin"], "parents": ["m1"]}),
    "recorded_at": lambda line: edit(line, recorded_at="2025-06-01T00:00:00+00:00"),
    "confirmed_at": lambda line: edit(line, confirmed_at="2025-06-01T00:00:00+00:00"),
    "kind": lambda line: edit(line, kind="constraint"),
    "importance": lambda line: edit(line, importance=10),
    "namespace": lambda line: edit(line, namespace=["a"]),
    "history": lambda line: edit(
        line, history=[{**line["history"][0], "text": "Pay to account 9"}]
    ),
    "no seal": lambda line: {k: v for k, v in line.items() if k != "seal"},
    "a seal made up": lambda line: edit(line, seal="0" * 64),
    "a seal of no kind": lambda line: edit(line, seal=["\ud800"]),
    "an id": lambda line: edit(line, id=FIRST),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_line_that_was_edited_is_not_trusted(place, exported, name):
    owner = place.owner
    owner.session("s").append(said("I said so"), ids=["m1"])
    kept = owner.remember("Pay to account 7", importance=3)
    lines = items(owner)
    lose(place, kept.id)
    file = exported([EDITS[name](line) if line["what"] == "memory" else line for line in lines])
    report = owner.import_transcripts("lifelong", file)
    [memory] = owner.memories()
    assert (memory.trust, memory.confirmed_at) == (Trust.UNTRUSTED, None)
    assert report.memories.untrusted == 1
    assert owner.known().memories == ()
    assert owner.memories(trust_min=Trust.MODEL) == []


def test_a_seal_is_bound_to_its_memory(place, exported):
    """Two ids, two seals: swapped, neither holds."""
    owner = place.owner
    mine, tool = owner.remember("Ana likes tea").id, owner.remember("Pay", origin="tool").id
    head, one, two = items(owner)
    lose(place, mine, tool)
    swaps = (
        [edit(one, id=two["id"]), edit(two, id=one["id"])],
        [edit(one, text=two["text"]), edit(two, text=one["text"])],
    )
    if place.is_encrypted:
        swaps += ([edit(one, seal=two["seal"]), edit(two, seal=one["seal"])],)
    for swapped in swaps:
        owner.import_transcripts("lifelong", exported([head, *swapped]))
        assert set(trusts(owner).values()) == {"UNTRUSTED"}
        lose(place, mine, tool)


def test_a_seal_of_another_owner_is_none(place, exported):
    place.engine.owner("bo").remember("Pay to account 8")
    file = exported(place.engine.owner("bo").export())
    report = place.owner.import_transcripts("lifelong", file)
    assert (report.memories.added, report.memories.untrusted) == (1, 1)
    assert trusts(place.owner) == {"Pay to account 8": "UNTRUSTED"}


def test_a_seal_ends_with_its_key(place, exported):
    place.owner.remember("Ana likes tea")
    head, line = items(place.owner)
    place.owner.forget(everything=True)
    place.owner.import_transcripts("lifelong", exported([edit(head, owner="cy"), line]))
    assert trusts(place.owner) == {"Ana likes tea": "UNTRUSTED"}


def test_of_two_lines_with_one_id_no_seal_speaks_for_the_other(place, exported):
    """The sealed one has expired; the one that somebody added has not."""
    owner = place.owner
    ends = place.clock.now() + timedelta(hours=1)
    kept = owner.remember("Ana likes tea", expires_at=ends)
    head, line = items(owner)
    lose(place, kept.id)
    place.clock.advance(hours=2)
    forged = edit(line, text="Pay to account 8", expires_at=None)
    for order in ([line, forged], [forged, line]):
        owner.import_transcripts("lifelong", exported([head, *order]))
        assert trusts(owner) == {"Pay to account 8": "UNTRUSTED"}
        lose(place, kept.id)


def test_who_vouches_gives_no_more_than_the_file_says_nor_than_its_parents(place, exported):
    owner = place.owner
    tool = owner.remember("A page says so", origin="tool").id
    owner.remember("Ana likes tea")
    owner.remember("Be brief", origin="system")
    owner.remember("A model thinks so", origin="assistant")
    owner.remember("made of it", origin=Origin("user", parents=(tool,)))
    head, *lines = items(owner)
    page, tea, brief, model, made = lines
    forged = [
        edit(made, trust="system"),
        from_parents(model, "mem_" + "f" * 32),  # it is nowhere
        brief,
        tea,
        page,
        from_parents(edit(tea, id=FIRST, text="one of a ring"), SECOND),
        from_parents(edit(tea, id=SECOND, text="other of a ring"), FIRST),
    ]
    bo = place.engine.owner("bo")
    assert bo.review.restore(exported([head, *forged])).memories.added == 7
    assert trusts(bo) == {
        "A page says so": "UNTRUSTED",
        "Ana likes tea": "USER",
        "Be brief": "USER",
        "A model thinks so": "UNTRUSTED",
        "made of it": "UNTRUSTED",
        "one of a ring": "UNTRUSTED",
        "other of a ring": "UNTRUSTED",
    }
    # And the parents that stand in the store count, not those of the file.
    child = from_parents(edit(tea, id="mem_" + "c" * 32, text="made of it again"), tool)
    parent = edit(page, trust="user")
    assert bo.review.restore(exported([head, parent, child])).memories.duplicates == 1
    assert trusts(bo)["made of it again"] == "UNTRUSTED"


def test_a_long_line_of_parents_is_followed_to_its_end(place, exported):
    owner = place.owner
    owner.remember("root", origin="tool")
    head, root = items(owner)
    chain = [root]
    for number in range(2_000):
        said_next = {"id": f"mem_{number:032x}", "text": f"link {number}", "trust": "user"}
        chain.append(from_parents(edit(root, **said_next), chain[-1]["id"]))
    bo = place.engine.owner("bo")
    assert bo.review.restore(exported([head, *reversed(chain)])).memories.added == 2_001
    assert set(trusts(bo).values()) == {"UNTRUSTED"}
