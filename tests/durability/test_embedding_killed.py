"""Processes that die while texts get their vectors: what was done stays, the rest is done later."""

import multiprocessing
import os
import random
import signal
import time

import pytest

import lifelong
from lifelong import backlog
from lifelong.conformance import WordsModel, said

FORK = multiprocessing.get_context("fork")
ROWS = 400
SECONDS_MAX = 60


@pytest.fixture(autouse=True)
def the_background_waits(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)


def written(where):
    with lifelong.open(where) as engine:
        owner = engine.owner("ana")
        owner.session("s").append(said(*(f"tram {number}" for number in range(ROWS))))
        owner.remember("Likes tea")


def killed_while(work, after_seconds, after_answers=1):
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=lambda: work(sender.send), daemon=True)
    process.start()
    for _ in range(after_answers):
        assert receiver.poll(SECONDS_MAX)
        if receiver.recv() == "all":
            break
    time.sleep(after_seconds)
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    return process.exitcode


def test_what_was_embedded_stays_and_the_rest_follows(tmp_path):
    # Given many rows, when the process is killed again and again while it embeds them,
    written(tmp_path / "data")
    chance = random.Random(3)
    done = [0]
    kills = 0
    while done[-1] <= ROWS:

        def embed(send):
            owner = lifelong.open(tmp_path / "data", embedder=WordsModel()).owner("ana")
            owner.reindex(words=False, on_progress=lambda _done, _total: send("page"))
            send("all")
            time.sleep(SECONDS_MAX)

        after_pages = chance.randrange(1, 6)
        kills += killed_while(embed, chance.random() * 0.02, after_pages) == -signal.SIGKILL
        with lifelong.open(tmp_path / "data") as engine:
            assert engine.owner("ana").check().is_clean
            done.append(engine.owner("ana").stats()["vector"])
        assert len(done) < 100
    # Then no vector is lost, each time some come on, and in the end each row has one.
    assert kills > 1
    assert done == sorted(done)
    assert done[-1] == ROWS + 1


def test_a_background_that_is_killed_is_taken_up_by_the_next_process(tmp_path, monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 0.0)

    def write(send):
        owner = lifelong.open(tmp_path / "data", embedder=WordsModel()).owner("ana")
        owner.session("s").append(said(*(f"tram {number}" for number in range(ROWS))))
        send("appended")
        time.sleep(SECONDS_MAX)

    killed_while(write, 0.01)
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
        owner = engine.owner("ana")
        assert owner.stats()["message"] == ROWS
        owner._vectors.status()  # as a recall asks for it
        deadline = time.monotonic() + SECONDS_MAX
        while owner.stats()["vector"] < ROWS and time.monotonic() < deadline:
            time.sleep(0.02)
        assert owner.stats()["vector"] == ROWS
        assert owner.check().is_clean


def test_a_process_killed_while_it_forgets_leaves_no_vector_without_its_row(tmp_path):
    chance = random.Random(9)
    for cycle in range(8):
        where = tmp_path / str(cycle)
        written(where)
        with lifelong.open(where, embedder=WordsModel()) as engine:
            engine.owner("ana").reindex(words=False)

        def forget(send, where=where):
            owner = lifelong.open(where).owner("ana")
            send("ready")
            owner.forget(session="s")
            time.sleep(SECONDS_MAX)

        killed_while(forget, chance.random() * 0.05)
        with lifelong.open(where) as engine:
            owner = engine.owner("ana")
            stats = owner.stats()
            assert stats["vector"] == stats["message"] + 1
            assert stats["message"] in (0, ROWS)
            assert owner.check().is_clean


def test_one_process_embeds_while_another_asks_and_forgets(tmp_path):
    written(tmp_path / "data")
    receiver, sender = FORK.Pipe(duplex=False)

    def embed():
        with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
            sender.send(engine.owner("ana").reindex(words=False))

    process = FORK.Process(target=embed, daemon=True)
    process.start()
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
        owner = engine.owner("ana")
        vectors = owner._vectors
        deadline = time.monotonic() + SECONDS_MAX
        while not receiver.poll(0) and time.monotonic() < deadline:
            vectors.nearest_messages(vectors.question("tram 7"), 5)
            owner.forget(match="tram 39")  # and 390 to 399
        assert receiver.poll(SECONDS_MAX)
        assert receiver.recv() <= ROWS + 1
        process.join()
        owner.forget(match="tram 39")
        # What is held in memory is of the moment when a question came.
        assert vectors.nearest_messages(vectors.question("tram 7"), 1)[0][0] == 8
        stats = owner.stats()
        assert stats["vector"] == stats["message"] + stats["memory"] == ROWS - 11 + 1
        held = engine._vectors._held["ana"]
        assert held.matrices[0].rows == ROWS - 11
        assert owner.check().is_clean
