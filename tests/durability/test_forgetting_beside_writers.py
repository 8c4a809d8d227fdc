"""One process forgets everything while others write, read and forget too."""

import time

import lifelong
from lifelong.conformance import in_processes, in_threads, said, texts

OLD = "old-word"


def test_a_writer_goes_on_in_the_new_file(tmp_path):
    # The forgetting process tells by a file when it is done: what is acknowledged after must stay.
    where, done = tmp_path / "data", tmp_path / "done"
    with lifelong.open(where) as engine:
        engine.owner("ana").session("s").append(said(*[f"{OLD} {n}" for n in range(20)]))
        engine.owner("ana").remember(f"{OLD} fact")

    def work(number):
        with lifelong.open(where) as engine:
            owner = engine.owner("ana")
            owner.memories()
            if number == 0:
                time.sleep(0.05)
                counts = owner.forget(everything=True).counts
                done.touch()
                return counts["memory"] + counts["message"]
            after = []
            for count in range(10_000):
                is_after = done.exists()
                text = f"new {number}/{count}"
                owner.session(f"s{number}").append(said(text))
                owner.remember(f"fact {number}/{count}")
                if is_after:
                    after.append(text)
                if len(after) == 10:
                    return after
            return after

    forgotten, *written = in_processes(4, work)
    assert forgotten >= 21
    with lifelong.open(where) as engine:
        owner = engine.owner("ana")
        for number, texts_after in enumerate(written, 1):
            assert len(texts_after) == 10
            found = texts(owner.session(f"s{number}").messages())
            assert found[-10:] == texts_after
            # What is there is an unbroken end of what was written: nothing from before.
            first = int(found[0].partition("/")[2])
            assert found == [f"new {number}/{first + at}" for at in range(len(found))]
        assert owner.recall(OLD).nothing_relevant
        assert OLD not in "".join(owner.export())
        assert owner.check().is_clean
        assert len(list((where / "owners").glob("*.db"))) == 1


def test_two_that_forget_at_once_count_each_row_once(tmp_path):
    for attempt in range(5):
        where = tmp_path / str(attempt)
        with lifelong.open(where) as engine:
            engine.owner("ana").session("s").append(said(*(str(n) for n in range(20))))

        def work(_, where=where):
            with lifelong.open(where) as engine:
                owner = engine.owner("ana")
                owner.memories()
                return owner.forget(everything=True).forgotten

        assert sorted(in_processes(3, work)) == [0, 0, 20]


def test_readers_never_fail_while_an_owner_comes_and_goes(tmp_path):
    with lifelong.open(tmp_path / "data") as engine, lifelong.open(tmp_path / "data") as other:

        def work(number):
            owner = (engine if number < 4 else other).owner("ana")
            for count in range(25):
                if number in (0, 4):
                    owner.forget(everything=True)
                    owner.session("s").append(said("tram one", "tram two"))
                    owner.remember(f"tram fact {count}")
                else:
                    assert len(owner.recall("tram").hits) <= 6
                    assert len(owner.session("s").messages()) <= 4
                    owner.memories()
                    owner.stats()
                    list(owner.export())

        in_threads(6, work)
        assert engine.owner("ana").check().is_clean


def test_recall_while_another_process_forgets_a_session(tmp_path):
    where = tmp_path / "data"
    with lifelong.open(where) as engine:
        for number in range(12):
            items = said(*(f"{OLD} {number}/{at}" for at in range(40)))
            engine.owner("ana").session(f"s{number}").append(items)

    def work(number):
        with lifelong.open(where) as engine:
            owner = engine.owner("ana")
            for count in range(12):
                if number == 0:
                    receipt = owner.forget(session=f"s{count}")
                    assert receipt.counts["message"] == 40
                else:
                    for text in texts(owner.recall(OLD, tokens_max=10**6)):
                        assert text.startswith(OLD)
            return len(owner.recall(OLD).hits) if number == 0 else 0

    assert in_processes(3, work)[0] == 0
    with lifelong.open(where) as engine:
        assert engine.owner("ana").stats()["message"] == 0
        assert engine.owner("ana").stats()["passage"] == 0
        assert engine.owner("ana").check().is_clean
