"""Receipts: nothing of one can be changed unnoticed, and none is taken for another's."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

import lifelong
from lifelong import Receipt, verify_receipt
from lifelong.errors import ReceiptInvalid
from lifelong.receipts import receipt_fields


@pytest.fixture
def engine(tmp_path):
    with lifelong.open(tmp_path / "data", embedder="off") as engine:
        yield engine


@pytest.fixture
def receipt(engine):
    owner = engine.owner("ana")
    owner.remember("Likes tea")
    return owner.forget(match="tea")


CHANGES = {
    "id": "rcp_0",
    "at": "2031-01-01T00:00:00+00:00",
    "scope": "everything",
    "counts": {"memory": 2},
    "completed_at": None,
    "owner": "0" * 64,
    "keys_destroyed": ["0123456789abcdef"],
    "public_key": "0" * 64,
    "signature": "0" * 128,
}


@pytest.mark.parametrize("field", CHANGES)
def test_no_field_can_be_changed(receipt, field):
    fields = receipt_fields(receipt)
    assert fields[field] != CHANGES[field]

    with pytest.raises(ReceiptInvalid):
        verify_receipt(json.dumps({**fields, field: CHANGES[field]}))


def test_every_field_is_signed(receipt):
    assert {*CHANGES, "lifelong_receipt"} == set(receipt_fields(receipt))


def test_it_is_the_same_after_a_file(receipt):
    assert verify_receipt(json.dumps(receipt_fields(receipt), indent=4)) == receipt


def test_whoever_signs_it_with_another_key_is_found_out(engine, tmp_path):
    with lifelong.open(tmp_path / "other", embedder="off") as other:
        owner = other.owner("ana")
        owner.remember("Likes tea")
        forged = owner.forget(match="tea")

    assert verify_receipt(forged) == forged
    with pytest.raises(ReceiptInvalid, match="another store"):
        verify_receipt(forged, signed_by=engine.describe()["receipts_key"])


def test_the_key_of_a_store_stays(engine, receipt, tmp_path):
    key = engine.describe()["receipts_key"]
    engine.close()

    with lifelong.open(tmp_path / "data", embedder="off") as again:
        assert again.describe()["receipts_key"] == key
    assert verify_receipt(receipt, signed_by=key.upper(), owner_id="ana") == receipt


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        "{}",
        '{"lifelong_receipt": 2}',
        '{"lifelong_receipt": 1, "id": 1}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_what_is_no_receipt_is_refused(text):
    with pytest.raises(ReceiptInvalid):
        verify_receipt(text)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("counts", []),
        ("counts", {"memory": "many"}),
        ("at", "yesterday"),
        ("at", 5),
        ("at", "2026-01-01T00:00:00"),
        ("keys_destroyed", None),
        ("public_key", "zz"),
        ("signature", "abc"),
    ],
)
def test_odd_values_are_refused(receipt, field, value):
    with pytest.raises(ReceiptInvalid):
        verify_receipt({**receipt_fields(receipt), field: value})


def test_a_dry_run_is_no_receipt(engine):
    engine.owner("ana").remember("Likes tea")
    dry = engine.owner("ana").forget(match="tea", dry_run=True)

    assert (dry.signature, dry.is_pending) == ("", False)
    with pytest.raises(ReceiptInvalid):
        verify_receipt(dry)


def test_what_is_signed_tells_nothing_of_the_preview(receipt):
    shown = replace(receipt, preview=(lifelong.Forgettable("memory", "mem_1", "Likes tea"),))

    assert verify_receipt(shown).signature == receipt.signature
    assert "tea" not in json.dumps(receipt_fields(shown))


class TestPending:
    def test_it_is_completed_by_a_sweep_once_the_reader_is_gone(self, tmp_path):
        # Given a reader on an old state, which keeps the WAL
        clock = lifelong.ManualClock()
        with lifelong.open(tmp_path / "data", embedder="off", clock=clock) as engine:
            owner = engine.owner("ana")
            owner.remember("Likes tea")
            opened = engine._store.open_owner("ana", may_make=False)
            with opened.pool.read() as connection:
                connection.execute("SELECT count(*) FROM memory").fetchall()
                # When something is forgotten
                receipt = owner.forget(match="tea")
                # Then it is pending, and says so, and so does a sweep
                assert receipt.is_pending
                assert owner.sweep().pending == 1
            # And once the reader is gone, a sweep completes it at its own time
            clock.advance(hours=1)
            swept = engine.sweep()[0]
            assert (swept.completed, swept.pending) == (1, 0)
            (told,) = owner.receipts()
            assert told.completed_at == receipt.at + timedelta(hours=1)
            assert verify_receipt(told).id == receipt.id

    def test_it_is_completed_by_the_next_opening(self, tmp_path):
        with lifelong.open(tmp_path / "data", embedder="off") as engine:
            owner = engine.owner("ana")
            owner.remember("Likes tea")
            opened = engine._store.open_owner("ana", may_make=False)
            with opened.pool.read() as connection:
                connection.execute("SELECT count(*) FROM memory").fetchall()
                assert owner.forget(match="tea").is_pending

        with lifelong.open(tmp_path / "data", embedder="off") as engine:
            (told,) = engine.owner("ana").receipts()
        assert not told.is_pending

    def test_it_is_complete_when_it_says_when(self):
        receipt = Receipt(id="r", at=lifelong.ManualClock().now(), scope="match", counts={})

        assert receipt.is_pending
        assert not replace(receipt, completed_at=receipt.at).is_pending
