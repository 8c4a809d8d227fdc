"""Many writers of one owner: nothing acknowledged is lost, and each one's order is kept."""

import pytest

import lifelong
from lifelong.conformance import in_processes, in_threads, said, texts
from lifelong.memory.ranking import LogRanking
from lifelong.memory.terms import parse_query
from lifelong.stores.sqlite import connection as settings
from lifelong.stores.sqlite import store as sqlite_store
from lifelong.stores.sqlite.columns import ColumnsCache

MESSAGES = 2_000
BATCHES = (1, 2, 3, 5, 8, 13, 1)


def batches(number):
    """Yield all messages of one writer, as lists of different lengths."""
    done = 0
    while done < MESSAGES:
        size = min(BATCHES[done % len(BATCHES)], MESSAGES - done)
        yield [f"{number}/{done + at}" for at in range(size)]
        done += size


def test_two_processes_append_two_thousand_messages_each(tmp_path):
    def write(number):
        with lifelong.open(tmp_path / "data") as engine:
            session = engine.owner("ana").session("s")
            return sum(session.append(said(*batch), ids=batch).added for batch in batches(number))

    assert in_processes(2, write) == [MESSAGES, MESSAGES]
    with lifelong.open(tmp_path / "data") as engine:
        owner = engine.owner("ana")
        found = texts(owner.session("s").messages())
        assert len(found) == 2 * MESSAGES
        for number in range(2):
            own = [text for text in found if text.startswith(f"{number}/")]
            assert own == [f"{number}/{count}" for count in range(MESSAGES)]
        # A batch is one transaction: nobody's message stands between its own.
        places = {text: at for at, text in enumerate(found)}
        for batch in (batch for number in range(2) for batch in batches(number)):
            first = places[batch[0]]
            assert found[first : first + len(batch)] == batch
        assert owner.stats()["message"] == 2 * MESSAGES
        assert owner.check().is_clean


def test_sixteen_threads_on_one_engine_and_one_owner(tmp_path):
    with lifelong.open(tmp_path / "data") as engine:
        owner = engine.owner("ana")

        def work(number):
            session = owner.session(f"s{number % 4}")
            for count in range(12):
                session.append(said(f"tram {number}/{count}"), ids=[f"{number}/{count}"])
                kept = owner.remember(f"tram fact {number}/{count}", key=f"k{number}")
                owner.recall(f"tram {number}", limit=3)
                owner.set(f"n{number}", count)
                if count % 4 == 3:
                    owner.forget(kept.id)
                    owner.forget(f"{number}/{count}", session=f"s{number % 4}")
            return [owner.get(f"n{number}"), len(session.messages(5))]

        assert in_threads(16, work) == [[11, 5]] * 16
        for number in range(16):
            found = texts(owner.session(f"s{number % 4}").messages())
            own = [text for text in found if text.startswith(f"tram {number}/")]
            assert own == [f"tram {number}/{n}" for n in range(12) if n % 4 != 3]
        assert owner.stats()["message"] == 16 * 9
        assert owner.check().is_clean


def test_sixteen_threads_and_more_owners_than_stay_open(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_store, "OPEN_OWNERS_MAX", 4)
    with lifelong.open(tmp_path / "data") as engine:

        def work(number):
            for count in range(12):
                owner = engine.owner(f"owner {(number + count) % 12}")
                owner.session("s").append(said(f"{number}/{count}"))
                owner.recall("1")

        in_threads(16, work)
        counts = [engine.owner(owner_id).stats()["message"] for owner_id in engine.owners()]
        assert counts == [16] * 12


def test_an_owner_that_is_put_away_while_it_is_about_to_be_used(tmp_path, monkeypatch):
    # Between finding the open file and using it, other owners were opened and pushed it out.
    monkeypatch.setattr(sqlite_store, "OPEN_OWNERS_MAX", 1)
    find, waiting = sqlite_store.SqliteStore.open_owner, [True]
    with lifelong.open(tmp_path / "data") as engine:
        engine.owner("bo").remember("bo's")
        engine.owner("ana").remember("one")

        def open_owner(self, owner_id, **options):
            opened = find(self, owner_id, **options)
            if owner_id == "ana" and waiting:
                waiting.clear()
                assert texts(engine.owner("bo").memories()) == ["bo's"]
            return opened

        monkeypatch.setattr(sqlite_store.SqliteStore, "open_owner", open_owner)
        assert texts(engine.owner("ana").memories()) == ["one"]
        assert not waiting


def test_an_owner_that_another_thread_forgets_while_it_is_about_to_be_used(tmp_path, monkeypatch):
    find, waiting = sqlite_store.SqliteStore.open_owner, [True]
    with lifelong.open(tmp_path / "data") as engine:
        engine.owner("ana").remember("one")

        def open_owner(self, owner_id, **options):
            opened = find(self, owner_id, **options)
            if waiting:
                waiting.clear()
                engine.owner("ana").forget(everything=True)
            return opened

        monkeypatch.setattr(sqlite_store.SqliteStore, "open_owner", open_owner)
        assert texts(engine.owner("ana").memories()) == []
        assert not waiting
        engine.owner("ana").remember("two")
        assert texts(engine.owner("ana").memories()) == ["two"]


def test_a_file_that_another_process_takes_away_while_a_connection_is_lent(tmp_path):
    # All idle connections are lent, so the next reader opens one more, to a file that is gone.
    with lifelong.open(tmp_path / "data") as engine, lifelong.open(tmp_path / "data") as other:
        owner = engine.owner("ana")
        owner.remember("one")
        opened = engine._store.open_owner("ana", may_make=False)
        with opened.pool.read():
            other.owner("ana").forget(everything=True)
            assert texts(owner.memories()) == []
        owner.remember("two")
        assert texts(other.owner("ana").memories()) == ["two"]
        assert owner.check().is_clean


@pytest.mark.parametrize("moment", ["_configure", "_use_wal"])
def test_a_file_that_another_takes_away_while_it_is_being_opened(tmp_path, monkeypatch, moment):
    # It is open, and has no name any more, when its settings or its WAL are looked for.
    where, go_on = tmp_path / "data", getattr(settings, moment)
    with lifelong.open(where) as engine, lifelong.open(where) as other:
        other.owner("ana").remember("one")
        waiting = [True]

        def after_forgetting(connection, *args):
            if waiting:
                waiting.clear()
                other.owner("ana").forget(everything=True)
            return go_on(connection, *args)

        engine.owners()  # so that the catalogue is open before
        monkeypatch.setattr(settings, moment, after_forgetting)
        assert texts(engine.owner("ana").memories()) == []
        assert not waiting
        engine.owner("ana").remember("two")
        assert texts(other.owner("ana").memories()) == ["two"]


def test_ranking_while_another_thread_extends_what_is_held_in_memory(tmp_path, monkeypatch):
    # Rows are added to the columns one value after another; a reader may look at any moment.
    number_of, looking = ColumnsCache._speaker_number, []
    with lifelong.open(tmp_path / "data") as engine:
        owner = engine.owner("ana")
        owner.session("s").append(said("tram one"))
        question = parse_query("tram")
        matches = owner._store.log.match(question.words, question.prefixes)

        def speaker_number(self, name):
            ranking = LogRanking(question, matches)
            looking.append(ranking.order(ranking.candidates()))
            return number_of(self, name)

        monkeypatch.setattr(ColumnsCache, "_speaker_number", speaker_number)
        owner.session("s").append(said("tram two"))
        assert len(owner.recall("tram").hits) == 2
        assert looking


def test_a_forked_child_uses_the_engine_of_its_parent(tmp_path):
    for where in (tmp_path / "data", "memory:"):
        with lifelong.open(where) as engine:
            owner = engine.owner("ana")
            owner.session("s").append(said("parent before"))
            owner.recall("parent")

            def work(number, owner=owner, engine=engine):
                owner.session("s").append(said(f"child {number}"))
                owner.recall("parent")
                engine.owner("bo").remember(f"of {number}")
                engine.close()
                return True

            assert in_processes(3, work) == [True] * 3
            owner.session("s").append(said("parent after"))
            found = texts(owner.session("s").messages())
            children = [] if where == "memory:" else [f"child {n}" for n in range(3)]
            assert sorted(found) == sorted(["parent before", *children, "parent after"])
            assert len(engine.owner("bo").memories()) == len(children)
            assert owner.check().is_clean


def test_a_child_that_outlives_its_parent_s_engine_harms_nothing(tmp_path):
    engine = lifelong.open(tmp_path / "data")
    owner = engine.owner("ana")
    owner.session("s").append(said("parent"))

    def work(number):
        if number == 0:
            engine.close()  # of the child only
        for count in range(30):
            with lifelong.open(tmp_path / "data") as own:
                own.owner("ana").session("s").append(said(f"{number}/{count}"))

    in_processes(2, work)
    owner.session("s").append(said("parent again"))
    engine.close()
    with lifelong.open(tmp_path / "data") as again:
        assert again.owner("ana").stats()["message"] == 62
        assert again.owner("ana").check().is_clean
