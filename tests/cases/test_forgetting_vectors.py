"""A vector tells what its text was about: forgetting takes it too, to the last byte."""

import pytest

from lifelong import backlog
from lifelong.conformance import WordsModel, said


@pytest.fixture(autouse=True)
def the_background_waits(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)


def bytes_on_disk(place):
    if place.directory is None:
        return b""
    files = [path for path in place.directory.rglob("*") if path.is_file()]
    return b"".join(path.read_bytes() for path in files)


def blobs(place, query="SELECT vector FROM vector UNION ALL SELECT tokens FROM vector_tokens"):
    opened = place.engine._store.open_owner("ana", may_make=False)
    with opened.pool.read() as connection:
        return [row[0] for row in connection.execute(query).fetchall()]


SECRET = "Mira works at Halden Labs " + "and tells nobody " * 30
"""Long enough for its tokens to take more than one page of the file."""

SCOPES = {
    "by id": lambda _owner: {"id": "m1"},
    "a session": lambda _owner: {"session": "s"},
    "a match": lambda _owner: {"match": "Halden"},
    "a memory": lambda owner: {"id": owner.memories()[0].id},
    "everything": lambda _owner: {"everything": True},
}


@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES)
def test_no_byte_of_a_vector_stays(place, scope):
    # Given a secret with its vectors,
    owner = place.open_with(WordsModel())
    owner.session("t").append(said("soup", "salt"))
    owner.reindex(words=False)
    kept = {*blobs(place)}
    named = scope(owner) if scope is not SCOPES["a memory"] else None
    if named is None:
        owner.remember(SECRET)
        named = scope(owner)
    else:
        owner.session("s").append(said(SECRET), ids=["m1"])
    owner.reindex(words=False)
    secret = {*blobs(place)} - kept
    assert len(secret) == 2
    parts = [blob[at : at + 64] for blob in secret for at in range(0, len(blob) - 64, 64)]
    if place.directory and not place.is_encrypted:
        assert any(part in bytes_on_disk(place) for part in parts)
    # When it is forgotten, then no part of its vectors is left, and no other's is touched.
    receipt = owner.forget(**named)
    assert receipt.counts["vector"] >= 1
    assert not receipt.is_pending
    raw = bytes_on_disk(place)
    assert not [part for part in parts if part in raw]
    if "everything" not in named:
        assert {*blobs(place)} == kept
        assert blobs(place, "SELECT count(*) FROM vector_tokens") == [len(kept) // 2]


def test_no_word_of_a_text_stands_beside_its_vector(place):
    owner = place.open_with(WordsModel())
    owner.session("s").append(said("Halden"))
    owner.reindex(words=False)
    columns = blobs(place, "SELECT hex(text_hash) || hex(vector) FROM vector")
    assert b"halden".hex() not in "".join(columns).lower()
    assert b"Halden".hex() not in "".join(columns).lower()


def test_what_was_changed_leaves_no_vector_of_what_it_was(place):
    owner = place.open_with(WordsModel())
    memory_id = owner.remember("Lives in Halden").id
    owner.reindex(words=False)
    before = {*blobs(place)}
    owner.update(memory_id, "Lives in Kiel")
    assert blobs(place) == []
    owner.reindex(words=False)
    assert not before & {*blobs(place)}


def test_check_finds_vectors_that_lost_their_row(place, damage):
    owner = place.open_with(WordsModel())
    owner.session("s").append(said("tram", "soup"))
    owner.remember("Likes tea")
    owner.reindex(words=False)
    damage("UPDATE vector SET seq = 77 WHERE kind = 0 AND seq = 1")
    damage("UPDATE vector SET seq = 78 WHERE kind = 1")
    damage("UPDATE vector SET vector = x'00' WHERE seq = 2")
    problems = "\n".join(owner.check().problems)
    assert "a vector is of message number 77, which is not there" in problems
    assert "a vector is of memory number 78, which is not there" in problems
    assert "has not the length of its model's" in problems
