"""A model that fails in every way: whoever writes, recalls or closes never hears of it."""

import subprocess
import sys
import threading
import time

import pytest

import lifelong
from lifelong import backlog
from lifelong.conformance import WordsModel, said, texts
from lifelong.rows import Embedding

SECONDS_MAX = 60


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(backlog, "PAUSES_SECONDS", (0.01,))


class Failing(WordsModel):
    """A model that answers wrongly until it is mended."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def embed(self, given):
        return super().embed(given) if self.answer is None else self.answer(given)

    def embed_query(self, text):
        return super().embed_query(text) if self.answer is None else self.answer([text])[0]


def raises(error):
    def answer(_texts):
        raise error

    return answer


ANSWERS = {
    "raises": raises(RuntimeError("secret")),
    "raises what ends processes": raises(KeyboardInterrupt()),
    "gives nothing": lambda _texts: [None],
    "gives no list": lambda _texts: 5,
    "gives too few": lambda _texts: [],
    "gives no numbers": lambda given: [Embedding(["a"]) for _ in given],
    "gives NaN": lambda given: [Embedding([float("nan")] * 64) for _ in given],
}


def until(holds):
    deadline = time.monotonic() + SECONDS_MAX
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_a_failure_stops_nobody_and_is_made_up_for(tmp_path, answer):
    model = Failing(answer)
    with lifelong.open(tmp_path / "data", embedder=model) as engine:
        owner = engine.owner("ana")
        # Given a model that fails, when things are written and asked for, then all of it works,
        for number in range(10):
            owner.session("s").append(said(f"tram {number}"))
        owner.remember("Likes tea")
        assert texts(owner.recall("tea")) == ["Likes tea"]
        assert owner._vectors.question("tea") is None
        until(lambda: engine._vectors.backlog.problem_of("ana"))
        problem = owner._vectors.status().problem
        assert "words/1" in problem or "vector" in problem
        assert "secret" not in problem
        assert owner.stats()["vector"] == 0
        # And when it works again, then nobody has to do anything.
        model.answer = None
        until(lambda: owner.stats()["vector"] == 11)
        assert owner._vectors.question("tea") is not None
        until(lambda: not owner._vectors.status().problem)


def test_an_engine_closes_at_once_beside_a_model_that_hangs(tmp_path):
    let_go, begun = threading.Event(), threading.Event()
    model = WordsModel()

    def hang(_texts):
        begun.set()
        let_go.wait(SECONDS_MAX)

    model.before = hang
    engine = lifelong.open(tmp_path / "data", embedder=model)
    engine.owner("ana").remember("Likes tea")
    assert begun.wait(SECONDS_MAX)
    engine.owner("ana").remember("Likes soup")
    before = time.monotonic()
    engine.close()
    assert time.monotonic() - before < 15
    let_go.set()
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as again:
        owner = again.owner("ana")
        assert owner.stats()["vector"] == 0
        owner.reindex(words=False)
        assert owner.stats()["vector"] == 2


HANGS = """
import sys, time, threading
import lifelong
from lifelong import backlog
from lifelong.conformance.words_model import WordsModel
backlog.GRACE_SECONDS = 0.0
begun = threading.Event()
def hang(_texts):
    begun.set()
    time.sleep(600)
model = WordsModel()
model.before = hang
engine = lifelong.open(sys.argv[1], embedder=model)
engine.owner("ana").remember("Likes tea")
begun.wait(60)
if sys.argv[2] == "close":
    engine.close()
print("done")
"""


@pytest.mark.parametrize("how", ["close", "leave"])
def test_a_process_ends_beside_a_model_that_hangs(tmp_path, how):
    done = subprocess.run(
        [sys.executable, "-c", HANGS, tmp_path / "data", how],
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_a_disk_that_is_full_is_made_up_for(tmp_path, put_beneath_sqlite):
    import apsw

    class Disk:
        is_full = False
        thread = threading.get_ident()

        def touch(self):
            if self.is_full and threading.get_ident() != self.thread:
                raise apsw.FullError

    disk = put_beneath_sqlite(Disk())
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
        owner = engine.owner("ana")
        owner.stats()
        disk.is_full = True
        owner.remember("Likes tea")
        until(lambda: "disk is full" in owner._vectors.status().problem)
        assert owner.stats()["vector"] == 0
        disk.is_full = False
        until(lambda: owner.stats()["vector"] == 1)
        assert owner.check().is_clean


def test_an_owner_who_is_forgotten_meanwhile_is_not_made_again(tmp_path):
    model = WordsModel()
    begun, go_on = threading.Event(), threading.Event()

    def wait(_texts):
        begun.set()
        go_on.wait(SECONDS_MAX)

    model.before = wait
    with lifelong.open(tmp_path / "data", embedder=model) as engine:
        owner = engine.owner("ana")
        owner.remember("Likes tea")
        assert begun.wait(SECONDS_MAX)
        owner.forget(everything=True)
        go_on.set()
        until(lambda: engine._vectors.backlog._thread is None)
        assert engine.owners() == []
