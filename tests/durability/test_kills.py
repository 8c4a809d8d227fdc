"""Processes that die at any moment: what was acknowledged is there, the rest whole or absent."""

import multiprocessing
import os
import random
import signal
import time
from contextlib import suppress

import lifelong
from lifelong.conformance import said, texts
from lifelong.stores.sqlite.directory import DirectoryFiles

FORK = multiprocessing.get_context("fork")
CYCLES = 50
SECONDS_MAX = 60


def killed(work, *, after):
    """Run `work(send)` in a process, kill it after so many answers, and return the answers."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=work, args=(sender.send,), daemon=True)
    process.start()
    sender.close()
    answers = []
    try:
        while len(answers) < after and receiver.poll(SECONDS_MAX):
            answers.append(receiver.recv())
        os.kill(process.pid, signal.SIGKILL)
        while receiver.poll(SECONDS_MAX):
            answers.append(receiver.recv())
    except EOFError:
        pass
    process.join()
    assert process.exitcode == -signal.SIGKILL
    return answers


def finishes(work):
    """Return what `work` returns in a process of its own, or None when it does not end."""
    receiver, sender = FORK.Pipe(duplex=False)
    process = FORK.Process(target=lambda: sender.send(work()), daemon=True)
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(10) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def is_to_be_forgotten(message_id):
    """Return whether the writer forgets this message soon after it appended it."""
    _, count, at = message_id.split("/")
    return int(count) % 5 == 4 and at == "0"


def keep_writing(send, where, cycle):
    owner = lifelong.open(where).owner("ana")
    session = owner.session("s")
    for count in range(10_000):
        name = f"{cycle}/{count}"
        ids = [f"{name}/{at}" for at in range(count % 4 + 1)]
        session.append(said(*ids), ids=ids)
        send(("message", ids))
        send(("memory", [owner.remember(f"fact {name}", key=f"key {count % 3}").id]))
        if is_to_be_forgotten(ids[0]):
            owner.forget(ids[0], session="s")
            send(("forgotten", ids[:1]))


def assert_batches_are_whole(stored):
    """What was not acknowledged is there whole or not at all."""
    batches = {}
    for message_id in stored:
        batches.setdefault(message_id.rpartition("/")[0], set()).add(message_id)
    for name, found in batches.items():
        size = int(name.partition("/")[2]) % 4 + 1
        assert len(found) == size or (is_to_be_forgotten(f"{name}/0") and len(found) == size - 1)


def test_no_acknowledged_row_is_lost_when_a_writer_is_killed(tmp_path):
    chance = random.Random(7)
    done = {"message": [], "memory": [], "forgotten": []}
    for cycle in range(CYCLES):
        answers = killed(
            lambda send, cycle=cycle: keep_writing(send, tmp_path / "data", cycle),
            after=chance.randrange(1, 25),
        )
        for what, ids in answers:
            done[what] += ids
        with lifelong.open(tmp_path / "data") as engine:
            owner = engine.owner("ana")
            stored = [message.id for message in owner.session("s").messages()]
            # Forgetting may have been done and not yet acknowledged.
            assert {each for each in done["message"] if not is_to_be_forgotten(each)} <= {*stored}
            assert not {*done["forgotten"]} & {*stored}
            # The acknowledged ones stand in the order of their acknowledgement.
            places = {message_id: at for at, message_id in enumerate(stored)}
            order = [places[each] for each in done["message"] if each in places]
            assert order == sorted(order)
            known = {memory.id for memory in owner.memories(include_superseded=True)}
            assert {*done["memory"]} <= known
            assert len(owner.memories()) <= 3
            assert owner.check().is_clean
    assert_batches_are_whole(stored)


def test_a_process_killed_while_it_makes_a_store_leaves_none_or_a_whole_one(tmp_path):
    chance = random.Random(3)
    for cycle in range(25):
        where = tmp_path / str(cycle)

        def make(send, where=where):
            send("begun")
            with lifelong.open(where) as engine:
                engine.owner("ana").remember("one")
                send("made")
            time.sleep(SECONDS_MAX)

        receiver, sender = FORK.Pipe(duplex=False)
        process = FORK.Process(target=make, args=(sender.send,), daemon=True)
        process.start()
        assert receiver.poll(SECONDS_MAX)
        time.sleep(chance.random() * 0.03)
        process.kill()
        process.join()
        with lifelong.open(where) as engine:
            owner = engine.owner("ana")
            assert texts(owner.memories()) in ([], ["one"])
            owner.remember("two")
            assert "two" in texts(owner.memories())
            assert owner.check().is_clean


def test_a_process_killed_while_it_forgets_everything_leaves_all_or_nothing(tmp_path):
    chance = random.Random(5)
    for cycle in range(15):
        where = tmp_path / str(cycle)
        with lifelong.open(where) as engine:
            engine.owner("ana").session("s").append(said(*(f"Halden {n}" for n in range(50))))

        def forget(send, where=where):
            owner = lifelong.open(where).owner("ana")
            owner.stats()
            send("ready")
            owner.forget(everything=True)
            time.sleep(SECONDS_MAX)

        receiver, sender = FORK.Pipe(duplex=False)
        process = FORK.Process(target=forget, args=(sender.send,), daemon=True)
        process.start()
        assert receiver.poll(SECONDS_MAX)
        time.sleep(chance.random() * 0.01)
        process.kill()
        process.join()

        def look(where=where):
            with lifelong.open(where) as engine:
                owner = engine.owner("ana")
                before = len(owner.session("s").messages())
                owner.session("s").append(said("new"))
                return before, len(owner.session("s").messages())

        assert finishes(look) in ((0, 1), (50, 51))


def test_a_process_that_died_between_retiring_a_file_and_removing_it(tmp_path, monkeypatch):
    class Died(BaseException):
        """The process ends here."""

    def die(*_):
        raise Died

    engine = lifelong.open(tmp_path / "data")
    engine.owner("ana").remember("one")
    with monkeypatch.context() as patch:
        patch.setattr(DirectoryFiles, "remove", die)
        with suppress(Died):
            engine.owner("ana").forget(everything=True)
    engine.close()

    def look():
        with lifelong.open(tmp_path / "data") as engine:
            owner = engine.owner("ana")
            seen = texts(owner.memories())
            owner.remember("two")
            return seen, texts(owner.memories())

    assert finishes(look) == ([], ["two"])
