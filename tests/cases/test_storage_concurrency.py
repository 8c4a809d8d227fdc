"""Cases of the kind storage-concurrency: many processes, one new file, one event."""

import lifelong
from lifelong.conformance import in_processes, in_threads, said, texts

PROCESSES = 8
ITEMS = 25


def write_own_session(engine, number, items=ITEMS):
    """Append item after item, reading before each."""
    session = engine.owner("ana").session(f"s{number}")
    for count in range(items):
        assert len(session.messages()) == count
        session.append(said(f"{number}/{count}"))


def assert_all_is_there(owner, items=ITEMS):
    for number in range(PROCESSES):
        found = texts(owner.session(f"s{number}").messages())
        assert found == [f"{number}/{count}" for count in range(items)]
    assert owner.stats()["message"] == PROCESSES * items
    assert owner.check().is_clean


def test_d14_a_new_directory_is_opened_by_many_at_once(tmp_path):
    # Twenty directories, five of them side by side, since writers mostly wait for one another.
    # Opening is what may fail, so only the first five get all 25 items.
    for start in range(0, 20, 5):
        items = ITEMS if start == 0 else 4

        def open_and_write(number, start=start, items=items):
            with lifelong.open(tmp_path / f"{start + number % 5}") as engine:
                write_own_session(engine, number // 5, items)

        in_processes(PROCESSES * 5, open_and_write)
        for attempt in range(start, start + 5):
            with lifelong.open(tmp_path / str(attempt)) as engine:
                assert_all_is_there(engine.owner("ana"), items)


def test_d14_variant_without_encryption(tmp_path):
    def open_and_write(number):
        with lifelong.open(tmp_path / "new", encryption="off") as engine:
            write_own_session(engine, number)

    in_processes(PROCESSES, open_and_write)
    with lifelong.open(tmp_path / "new") as engine:
        assert_all_is_there(engine.owner("ana"))


def test_d14_variant_threads_on_one_engine_in_memory():
    with lifelong.open("memory:") as engine:
        in_threads(PROCESSES, lambda number: write_own_session(engine, number))
        assert_all_is_there(engine.owner("ana"))


def test_d14_variant_each_process_makes_an_owner_of_its_own(tmp_path):
    def open_and_write(number):
        with lifelong.open(tmp_path / "new") as engine:
            for count in range(3):
                engine.owner(f"{number}/{count}").remember(f"{number}/{count}")

    in_processes(PROCESSES, open_and_write)
    with lifelong.open(tmp_path / "new") as engine:
        assert len(engine.owners()) == PROCESSES * 3
        for owner_id in engine.owners():
            assert texts(engine.owner(owner_id).memories()) == [owner_id]


def test_d57_one_event_from_two_handles_counts_once(place):
    def append(engine, _):
        owner = engine.owner("ana")
        done = owner.session("s").append(said("paid 5"), ids=["e1"])
        if done.added:
            owner.set("counter", owner.get("counter", 0) + 1)
        return done.added, done.duplicates

    assert sorted(place.crowd(2, append)) == [(0, 1), (1, 0)]
    # The repeat returns without an error, and adds nothing.
    assert place.crowd(1, append) == [(0, 1)]
    assert len(place.owner.session("s").messages()) == 1
    assert place.owner.get("counter") == 1


def test_d57_variant_batches_that_overlap(place):
    # Each appends ten of the same twenty events, so every event comes from two of them.
    def append(engine, number):
        ids = [f"e{(number * 5 + at) % 20}" for at in range(10)]
        items = said(*ids)
        return engine.owner("ana").session("s").append(items, ids=ids).added

    assert sum(place.crowd(4, append)) == 20
    found = place.owner.session("s").messages()
    assert sorted(texts(found)) == sorted(f"e{number}" for number in range(20))
