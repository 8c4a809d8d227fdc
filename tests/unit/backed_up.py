"""A store to be backed up, and what must be there when it came back."""

import lifelong
from lifelong.conformance import said, texts

KEY = bytes(range(32))
NEW = bytes(reversed(range(32)))
OPTIONS = {"encrypted": {}, "plain": {"encryption": "off"}}
SECRET = "Halden sits by the river"


class Stored:
    """A store with three owners, and places beside it."""

    def __init__(self, tmp_path, options):
        self.options = options
        self.where = tmp_path / "data"
        self.backup = tmp_path / "backup"
        self.keys = tmp_path / "keys.db"
        self.other = tmp_path / "other"
        with self.open() as engine:
            ana = engine.owner("ana")
            ana.session("s").append(said("the tram is late", SECRET), ids=["1", "2"])
            ana.remember("Likes tea")
            ana.set("n", 1)
            engine.owner("bo").remember("Likes soup")
            engine.owner("cy").remember("Likes rice")

    def open(self, where=None, **options):
        return lifelong.open(where or self.where, **{"key": KEY, **self.options, **options})


def outcomes(done):
    return {owner.owner_id: owner.outcome for owner in done.owners}


def assert_ana(engine):
    ana = engine.owner("ana")
    assert texts(ana.session("s").messages()) == ["the tram is late", SECRET]
    assert texts(ana.memories()) == ["Likes tea"]
    assert ana.get("n") == 1
    assert ana.recall("tram").hits
    assert ana.check().problems == ()
