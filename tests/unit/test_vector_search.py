"""Vector search: what recall asks of vectors, across engines, under a limit, with a bad model."""

import subprocess
import sys
import threading
import time

import pytest

import lifelong
from lifelong import backlog, vector_index
from lifelong.conformance import WordsModel, in_processes, said
from lifelong.embedding import CheckedEmbedder
from lifelong.errors import InvalidValue, MissingExtra
from lifelong.rows import RowKind
from lifelong.vector_search import VectorStatus

FROM_FORK = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


@pytest.fixture(autouse=True)
def the_background_waits(monkeypatch):
    monkeypatch.setattr(backlog, "GRACE_SECONDS", 3600.0)


@pytest.fixture
def model():
    return WordsModel()


@pytest.fixture
def engine(tmp_path, model):
    with lifelong.open(tmp_path / "data", embedder=model) as engine:
        yield engine


@pytest.fixture
def owner(engine):
    """Four messages and two memories, each with its vector."""
    owner = engine.owner("ana")
    owner.session("s").append(said("tram is late", "soup needs salt", "tram stop", "green tea"))
    owner.remember("Ana likes green tea")
    owner.remember("Ana likes soup")
    owner.reindex(words=False)
    return owner


def nearest(owner, text, count=1):
    vectors = owner._vectors
    return [seq for seq, _ in vectors.nearest_messages(vectors.question(text), count)]


def nearest_memories(owner, text, count=1, **narrowed):
    vectors = owner._vectors
    found = vectors.nearest_memories(vectors.question(text), count, **narrowed)
    return [seq for seq, _ in found]


def test_what_shares_words_is_nearest(owner):
    assert nearest(owner, "salt in soup") == [2]
    assert nearest(owner, "tram", 2) == [3, 1]  # the shorter one is the nearer
    assert nearest_memories(owner, "green tea") == [1]
    assert nearest_memories(owner, "soup", 5) == [2, 1]
    assert nearest_memories(owner, "green tea", 5, allowed={2, 9}) == [2]


def alike(owner, text, seqs, kind=RowKind.MESSAGE):
    vectors = owner._vectors
    return vectors.likeness(kind, vectors.question(text), dict.fromkeys(seqs, ()))


def test_likeness_tells_what_shares_words(owner):
    found = alike(owner, "tram", [1, 2, 3, 4])
    assert found.has_tokens
    assert found.meaning[3] > found.meaning[1] > max(found.meaning[2], found.meaning[4])
    assert min(found.tokens[1], found.tokens[3]) > max(found.tokens[2], found.tokens[4])
    found = alike(owner, "tea", [1, 2], RowKind.MEMORY)
    assert found.meaning[1] > found.meaning[2]
    assert found.tokens[1] > found.tokens[2]
    assert alike(owner, "tram", [77]) is alike(owner, "tram", []) is None


def test_a_model_without_tokens_tells_of_meaning_only():
    with lifelong.open("memory:", embedder=WordsModel(has_tokens=False)) as engine:
        owner = engine.owner("ana")
        owner.session("s").append(said("tram", "soup"))
        owner.reindex(words=False)
        found = alike(owner, "tram", [1, 2])
        assert not found.has_tokens
        assert found.meaning[1] > found.meaning[2]


def test_an_owner_without_anything(engine):
    vectors = engine.owner("nobody")._vectors
    question = vectors.question("tram")
    assert vectors.nearest_messages(question, 5) == []
    assert vectors.likeness(RowKind.MEMORY, question, {1: ()}) is None
    assert vectors.status() == VectorStatus("words/1", 0, 0, 0, "")
    assert engine.owners() == []


def test_a_question_is_embedded_once(owner, model, monkeypatch):
    monkeypatch.setattr(vector_index, "QUESTIONS_MAX", 2)
    asked = []
    model.before = asked.extend
    for text in ("tram", "soup", "tram", "tea", "tram", "soup"):
        owner._vectors.question(text)
    assert asked == ["tram", "soup", "tea", "soup"]


def test_a_status_counts_and_begins_what_waits(tmp_path, owner):
    assert owner._vectors.status() == VectorStatus("words/1", 6, 6, 0, "")
    owner.session("s").append(said("new"))
    assert owner._vectors.status() == VectorStatus("words/1", 6, 7, 0, "")
    with lifelong.open(tmp_path / "data", embedder=WordsModel("words/2")) as other:
        vectors = other.owner("ana")._vectors
        assert vectors.status() == VectorStatus("words/2", 0, 7, 6, "")
        assert [*vectors._index.backlog._tasks] == ["ana"]
        assert vectors.nearest_messages(vectors.question("tram"), 3) == []


def test_another_engine_sees_what_is_new_and_what_is_gone(tmp_path, owner):
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
        other = engine.owner("ana")
        assert nearest(other, "tram", 2) == [3, 1]
        owner.session("s").append(said("tram"), ids=["new"])
        owner.reindex(words=False)
        assert nearest(other, "tram") == [5]
        owner.forget("new")
        owner.forget(match="tram stop")
        assert nearest(other, "tram") == [1]
        memory = owner.memories()[0]
        owner.update(memory.id, "Ana likes trams")
        assert nearest_memories(other, "green tea", 5) == [2]
        owner.reindex(words=False)
        assert nearest_memories(other, "Ana likes trams") == [1]


def test_another_engine_sees_that_the_owner_began_anew(tmp_path, owner):
    with lifelong.open(tmp_path / "data", embedder=WordsModel()) as engine:
        other = engine.owner("ana")
        for number in range(4):
            owner.forget(everything=True)
            assert nearest(other, "tram") == []
            owner.session("s").append(said("x", f"tram {number}"))
            owner.reindex(words=False)
            assert nearest(other, f"tram {number}") == nearest(owner, f"tram {number}") == [2]


def test_what_is_forgotten_does_not_stay_in_memory(owner):
    nearest(owner, "tram")
    held = owner._vectors._index._held["ana"]
    alike(owner, "tram", [1, 2, 3])
    assert held._tokens
    owner.forget(session="s")
    assert [matrix.rows for matrix in held.matrices.values()] == [0, 2]
    assert not held._tokens
    owner.forget(everything=True)
    assert not owner._vectors._index._held
    assert not owner._vectors._index._questions


def test_forgetting_loads_nothing(owner):
    owner.forget(session="s")
    assert not owner._vectors._index._held


def many(engine, owner_id, rows):
    owner = engine.owner(owner_id)
    owner.session("s").append(said(*(f"word{number} tram" for number in range(rows))))
    owner.reindex(words=False)
    return owner


def test_the_owner_asked_longest_ago_is_held_no_more(engine):
    index = engine._vectors
    owners = [many(engine, name, 300) for name in ("a", "b", "c")]
    for owner in owners:
        assert nearest(owner, "word7") == [8]
    assert [*index._held] == ["a", "b", "c"]
    index.bytes_max = index._size_bytes() * 2 // 3
    assert nearest(owners[0], "word7") == [8]
    assert [*index._held] == ["c", "a"]
    assert nearest(owners[1], "word7") == [8]


def test_an_owner_who_is_over_the_limit_alone_is_held_as_bits(engine, monkeypatch):
    monkeypatch.setattr("lifelong.memory.matrix.READ_ROWS_MIN", 50)
    monkeypatch.setattr(vector_index, "_PAGE_ROWS", 100)
    engine._vectors.bytes_max = 1_000
    owner = many(engine, "ana", 400)
    for number in (3, 200, 399):
        assert nearest(owner, f"word{number} tram") == [number + 1]
    found = alike(owner, "word9 tram", range(1, 401))
    assert max(found.meaning, key=found.meaning.get) == 10
    assert max(found.tokens, key=found.tokens.get) == 10
    held = engine._vectors._held["ana"]
    assert held.matrices[0]._steps is None
    assert held._tokens_bytes <= 250


def test_a_matrix_that_grew_from_little_is_made_anew(engine, owner):
    nearest(owner, "tram")
    before = owner._vectors._index._held["ana"].matrices[0]
    many(engine, "ana", 100)
    assert nearest(owner, "word50 tram") == [55]
    assert owner._vectors._index._held["ana"].matrices[0] is not before


def test_pages_may_be_small_and_kinds_mixed(owner, engine, monkeypatch):
    """The mean of the first page is one of few; then it is made again, and once."""
    monkeypatch.setattr(vector_index, "_PAGE_ROWS", 10)
    for number in range(30):
        owner.remember(f"memory {number}")
    many(engine, "ana", 100)
    assert nearest(owner, "word50 tram") == [55]
    assert nearest_memories(owner, "memory 7") == [10]
    held = engine._vectors._held["ana"]
    before = dict(held.matrices)
    assert nearest(owner, "word60 tram") == [65]
    assert held.matrices == before


def test_threads_ask_and_write_at_once(owner):
    problems = []

    def write():
        for number in range(20):
            owner.session("s").append(said(f"tram {number}"), ids=[f"t{number}"])
            owner.reindex(words=False)
            if number % 3 == 0:
                owner.forget(f"t{number}")

    def ask():
        vectors = owner._vectors
        question = vectors.question("soup needs salt")
        while writing.is_alive():
            if vectors.nearest_messages(question, 1)[0][0] != 2:
                problems.append("nearest")
            found = alike(owner, "soup needs salt", [1, 2, 3])
            if max(found.tokens, key=found.tokens.get) != 2:
                problems.append("tokens")

    writing = threading.Thread(target=write)
    asking = [threading.Thread(target=ask) for _ in range(3)]
    for thread in (writing, *asking):
        thread.start()
    for thread in (writing, *asking):
        thread.join(120)
        assert not thread.is_alive()
    assert problems == []


@FROM_FORK
def test_a_forked_child_asks_for_itself(owner):
    index = owner._vectors._index
    assert nearest(owner, "tram") == [3]

    def ask(_number):
        return nearest(owner, "tram"), nearest_memories(owner, "soup")

    with index._turn, index._held["ana"].turn:  # as other threads may hold them at that moment
        assert in_processes(1, ask) == [([3], [2])]


def test_a_model_that_hangs_costs_one_question_its_time(tmp_path, model):
    let_go = threading.Event()
    model.before = lambda _texts: let_go.wait(60)
    with lifelong.open(tmp_path / "data", embedder=model) as engine:
        vectors = engine.owner("ana")._vectors
        vectors._index._embedder = CheckedEmbedder(model, patience=(0.05, 0.05))
        vectors._index._find = None
        assert vectors.question("tram") is None
        assert "did not answer within 0.05 seconds" in vectors.status().problem
        begun = time.monotonic()
        vectors._index._embedder._question_seconds = 30
        assert vectors.question("soup") is None
        assert time.monotonic() - begun < 15
        let_go.set()
        while vectors.question("tram") is None:
            time.sleep(0.01)
        assert vectors.status().problem == ""


def test_a_model_that_fails_is_named_and_no_more_when_it_works(owner, model):
    def fail(_texts):
        raise OSError

    model.before = fail
    vectors = owner._vectors
    assert vectors.question("tram") is None
    assert "words/1 raised OSError" in vectors.status().problem
    model.before = lambda _texts: None
    assert vectors.question("tram") is not None
    assert vectors.status().problem == ""


def test_without_a_model_everything_is_inert():
    with lifelong.open("memory:", embedder="off") as engine:
        owner = engine.owner("ana")
        owner.session("s").append(said("tram"))
        vectors = owner._vectors
        assert (vectors.model, vectors.question("tram")) == ("", None)
        assert vectors.status() == VectorStatus("", 0, 1, 0, "")
        assert (owner.reindex(words=False), owner.reindex()) == (0, 1)
        assert vectors._index.backlog._thread is None
        assert engine.describe()["embedder"] == "none"


def test_without_a_model_numpy_is_not_loaded(tmp_path):
    code = (
        "import lifelong, sys\n"
        f"with lifelong.open({str(tmp_path / 'data')!r}) as engine:\n"
        "    owner = engine.owner('ana')\n"
        "    owner.remember('Likes tea')\n"
        "    owner.recall('tea')\n"
        "    owner.forget(match='tea')\n"
        "print({'numpy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_model_without_numpy_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra):
        lifelong.open("memory:", embedder=WordsModel())
    with lifelong.open("memory:", embedder="off") as engine:
        engine.owner("ana").remember("Likes tea")


def test_a_name_that_no_embedder_has_makes_nothing(tmp_path, monkeypatch):
    for given in ({"embedder": "nonesuch"}, {}):
        monkeypatch.setenv("LIFELONG_EMBEDDER", "nonesuch")
        with pytest.raises(InvalidValue):
            lifelong.open(tmp_path / "data", **given)
    assert not (tmp_path / "data").exists()


def test_the_one_that_is_installed_is_taken_by_default(monkeypatch, model):
    from lifelong.providers import embedders

    monkeypatch.setattr(embedders, "by_name", lambda _name: model)
    for found, expected in (("words", "words/1"), (None, "none")):
        monkeypatch.setattr(embedders, "installed", lambda found=found: found)
        monkeypatch.delenv("LIFELONG_EMBEDDER", raising=False)
        with lifelong.open("memory:") as engine:
            assert engine.describe()["embedder"] == expected
        monkeypatch.setenv("LIFELONG_EMBEDDER", "off")
        with lifelong.open("memory:") as engine:
            assert engine.describe()["embedder"] == "none"
        with lifelong.open("memory:", embedder="auto") as engine:
            assert engine.describe()["embedder"] == expected
