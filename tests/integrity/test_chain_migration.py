"""Stores from before there was a chain get entries for all that is in them."""

import pytest

import lifelong
from lifelong.clock import ManualClock
from lifelong.conformance import said
from lifelong.records import Origin
from lifelong.stores.sqlite import migrations

BEFORE_CHAINS = 6


@pytest.mark.parametrize("options", [{"encryption": "off"}, {"key": b"k" * 32}])
def test_what_was_there_before_is_in_the_chain(tmp_path, monkeypatch, options):
    newest = migrations.steps()
    with monkeypatch.context() as patch:
        old = tuple(step for step in newest if step[0] <= BEFORE_CHAINS)
        patch.setattr(migrations, "steps", lambda: old)
        with lifelong.open(
            tmp_path / "data", embedder="off", clock=ManualClock(), **options
        ) as engine:
            owner = engine.owner("ana")
            owner.session("s").append(said("one", "two", "three"), ids=["1", "2", "3"])
            kept = owner.remember("soup", origin=Origin("user", "", ("1",)))
            owner.update(kept.id, "soup, hot")
            owner.set("plan", 1)
            owner.files.write("/memories/a.md", "first")
            owner.files.write("/memories/a.md", "second")
            owner.retention.hold("a case", session="t")
            owner.forget("3")
            rows = sum(
                n
                for name, n in owner.stats().items()
                if name in ("session", "message", "memory", "memory_history", "state", "tombstone")
            )
    with lifelong.open(tmp_path / "data", embedder="off", clock=ManualClock(), **options) as engine:
        owner = engine.owner("ana")
        found = owner.verify()
        assert found.problems == ()
        # Besides: a memory's parent, a file and what it was, a hold.
        assert (rows, found.entries) == (8, 12)
        owner.forget("2")
        owner.update(kept.id, importance=9)
        assert owner.verify(found.head).is_intact
        assert owner.check().is_clean
