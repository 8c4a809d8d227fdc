"""Forgetting more than the index removes word by word: it is merged anew, and no word stays."""

import lifelong
from lifelong.conformance import said, texts

MANY = 400


def test_d22_variant_many_messages_leave_no_word_behind(tmp_path):
    # Given a store that is not encrypted, so that a reader of the disk would see each word
    with lifelong.open(tmp_path / "data", encryption="off") as engine:
        owner = engine.owner("ana")
        owner.session("gone").append(said(*(f"halden secret {n} zeppelin" for n in range(MANY))))
        owner.session("kept").append(said(*(f"tram number {n}" for n in range(MANY))))
        kept = texts(owner.recall("tram number 7", limit=5))

        # When a session of many messages is forgotten
        receipt = owner.forget(session="gone")

        # Then the database counted them, no read shows them, and the others are as they were
        assert receipt.counts["message"] == receipt.counts["passage"] == MANY
        assert owner.recall("zeppelin").nothing_relevant
        assert texts(owner.recall("tram number 7", limit=5)) == kept
        assert owner.check().is_clean

        # And no file holds a word of them
        files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
        content = b"".join(path.read_bytes() for path in files)
        assert b"tram" in content
        assert b"zeppelin" not in content
        assert b"halden" not in content

        # And what is few again goes word by word
        assert owner.forget(match="tram number 8").counts["message"] > 0
        assert owner.check().is_clean
