"""Embedding: a model is trusted in nothing, and one bad text does not hold up the others."""

import threading
import time

import pytest

import lifelong
from lifelong import embedding
from lifelong.conformance import WordsModel, said
from lifelong.embedding import (
    CheckedEmbedder,
    Stopped,
    Sweep,
    drop_unfit,
    embed_page,
    embed_pending,
    message_text,
)
from lifelong.errors import EmbedderError, EmbedderFailed, InvalidName, ModelUnusable
from lifelong.rows import Embedding, RowKind


def never():
    return False


def ignore(_done, _total):
    pass


@pytest.fixture
def engine():
    with lifelong.open("memory:") as engine:
        yield engine


@pytest.fixture
def store(engine):
    """The store of an owner with four messages and a memory, none with a vector."""
    owner = engine.owner("ana")
    owner.session("s").append(said("tram", "soup", "salt", "late"))
    owner.remember("Likes tea")
    return engine._store.owner("ana")


class Stubborn(WordsModel):
    """A model that fails whenever a word is among the texts."""

    def __init__(self, word, failure):
        super().__init__()
        self.word, self.failure = word, failure

    def embed(self, texts):
        if any(self.word in text for text in texts):
            if isinstance(self.failure, BaseException):
                raise self.failure
            return self.failure(super().embed(texts))
        return super().embed(texts)


NAN = Embedding([float("nan")] * 64)
FAILURES = {
    "raises": RuntimeError("the text was: tram"),
    "raises our own": EmbedderFailed("no answer"),
    "wants to end the process": SystemExit(1),
    "too few": lambda made: made[1:],
    "too many": lambda made: [*made, made[0]],
    "nothing": lambda _made: None,
    "a number": lambda _made: 5,
    "no embeddings": lambda made: [one.vector for one in made],
    "not a number": lambda made: [NAN for _ in made],
    "another length": lambda made: [Embedding(one.vector[:8]) for one in made],
    "tokens of another length": lambda made: [Embedding(one.vector, [[1.0, 0.0]]) for one in made],
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_text_that_a_model_fails_on_is_left_and_the_others_done(store, failure):
    model = CheckedEmbedder(Stubborn("tram", failure))
    with pytest.raises(EmbedderFailed) as caught:
        embed_pending(store, model, ignore)
    assert "1 without a vector" in str(caught.value)
    assert "the text was" not in str(caught.value)
    assert store.vectors.counts().by_model == {"words/1": 4}
    assert [row.seq for row in store.vectors.pending_messages("words/1", 10)] == [1]


ALWAYS = {name: failure for name, failure in FAILURES.items() if "another length" not in name}
ALWAYS["another of ours"] = ModelUnusable("file")


@pytest.mark.parametrize("failure", ALWAYS.values(), ids=ALWAYS)
def test_a_model_that_fails_on_everything_is_asked_little(store, failure):
    model = Stubborn("", failure)
    calls = []
    model.before = calls.append
    with pytest.raises(EmbedderError):
        embed_pending(store, CheckedEmbedder(model), ignore)
    assert len(calls) <= 2
    assert store.vectors.counts().by_model == {}


def test_a_model_that_begins_to_fail_keeps_what_it_did(store, engine):
    owner = engine.owner("ana")
    owner.session("s").append(said(*(f"tram {number}" for number in range(100))))
    model = WordsModel()

    def fail_later(_texts):
        if len(model.texts) > 50:
            raise OSError

    model.before = fail_later
    checked = CheckedEmbedder(model)
    with pytest.raises(EmbedderFailed):
        embed_pending(store, checked, ignore)
    done = store.vectors.counts().by_model["words/1"]
    assert 20 < done < 105
    model.before = lambda _texts: None
    assert embed_pending(store, checked, ignore) == 105 - done


def test_a_name_that_changes_is_noticed(store):
    model = WordsModel()
    checked = CheckedEmbedder(model)
    model.name = "words/2"
    with pytest.raises(EmbedderFailed):
        embed_pending(store, checked, ignore)
    with pytest.raises(EmbedderFailed):
        checked.question("tram")
    assert store.vectors.counts().by_model == {}


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 600, None, 5])
def test_a_name_that_cannot_be_one_is_refused(name):
    with pytest.raises(InvalidName):
        CheckedEmbedder(WordsModel(name))


class Hanging(WordsModel):
    """A model that answers when it is let go."""

    def __init__(self):
        super().__init__()
        self.let_go = threading.Event()
        self.calls = 0
        self.before = self.wait

    def wait(self, _texts):
        self.calls += 1
        self.let_go.wait(60)


@pytest.fixture
def hanging():
    model = Hanging()
    yield model
    model.let_go.set()


def test_a_model_that_hangs_is_left_alone(store, hanging):
    checked = CheckedEmbedder(hanging, patience=(0.05, 0.05))
    for _ in range(3):
        with pytest.raises(EmbedderFailed):
            checked.question("tram")
        with pytest.raises(EmbedderFailed):
            embed_pending(store, checked, ignore)
    assert hanging.calls == 1  # and no more threads wait for it
    hanging.let_go.set()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            assert embed_pending(store, checked, ignore) == 5
            break
        except EmbedderFailed:
            time.sleep(0.01)
    assert checked.question("tram").vector.shape == (64,)


def test_whoever_is_told_to_stop_does_not_wait(store, hanging, monkeypatch):
    monkeypatch.setattr(embedding, "STOP_SECONDS_MAX", 0.0)
    with pytest.raises(Stopped):
        embed_page(store, CheckedEmbedder(hanging), sweep=Sweep(), is_stopped=lambda: True)


def test_a_question_of_another_length_is_refused(store):
    model = WordsModel()
    checked = CheckedEmbedder(model)
    embed_pending(store, checked, ignore)
    model._dimensions = 32
    with pytest.raises(EmbedderFailed):
        checked.question("tram")


def test_memories_come_first_then_the_newest_messages(store, monkeypatch):
    monkeypatch.setattr(embedding, "BATCH_TEXTS", 1)
    model = WordsModel()
    embed_pending(store, CheckedEmbedder(model), ignore)
    assert model.texts[1:] == ["Likes tea", "late", "salt", "soup", "tram"]


def test_new_rows_are_seen_by_a_new_sweep_and_old_ones_go_on(store, engine, monkeypatch):
    monkeypatch.setattr(embedding, "PAGE_ROWS", 2)
    checked = CheckedEmbedder(WordsModel())
    sweep = Sweep(RowKind.MESSAGE)
    sweep = embed_page(store, checked, sweep=sweep, is_stopped=never)
    assert (sweep.done, sweep.before) == (2, 3)
    engine.owner("ana").session("s").append(said("new"))
    assert embed_page(store, checked, sweep=Sweep(RowKind.MESSAGE), is_stopped=never).before == 2
    assert [row.seq for row in store.vectors.pending_messages("words/1", 9)] == [1]


def test_of_a_very_long_text_the_beginning_is_embedded(engine):
    owner = engine.owner("ana")
    text = "tram " * 100_000
    owner.session("s").append(said(text))
    owner.remember(text)
    store = engine._store.owner("ana")
    model = WordsModel()
    assert embed_pending(store, CheckedEmbedder(model), ignore) == 2
    assert {len(text) for text in model.texts[1:]} == {embedding.TEXT_CHARACTERS_MAX}


def test_the_text_of_a_message_is_what_is_searched(engine):
    owner = engine.owner("ana")
    owner.session("s").append(
        [
            {"role": "user", "content": "Tram?", "name": "Ida"},
            {"role": "user", "content": "  \n "},
            {"role": "assistant", "content": "soup", "reasoning_content": "secret"},
            {"role": "user", "content": [], "name": "Ida"},
        ]
    )
    rows = engine._store.owner("ana").log.read("s")
    assert [message_text(row) for row in rows] == ["Ida: Tram?", "", "soup", ""]


def test_messages_that_read_differently_now_are_done_again(store, monkeypatch):
    checked = CheckedEmbedder(WordsModel())
    embed_pending(store, checked, ignore)
    drop_unfit(store, "words/1")
    assert embed_pending(store, checked, ignore) == 0
    text_then = embedding.message_text
    monkeypatch.setattr(
        embedding, "message_text", lambda row: text_then(row).replace("tram", "the tram")
    )
    drop_unfit(store, "words/1")
    assert embed_pending(store, checked, ignore) == 1


def test_it_is_noted_that_all_have_one(store, engine, monkeypatch):
    """Otherwise each look for what is new would go through everything there is."""
    from lifelong.stores.sqlite import vectors

    monkeypatch.setattr(vectors, "UNSETTLED_MAX", 2)
    owner, checked = engine.owner("ana"), CheckedEmbedder(WordsModel())

    def settled():
        with engine._store.open_owner("ana", may_make=False).pool.read() as connection:
            rows = connection.execute("SELECT messages_to, memories_to FROM model").fetchall()
        return rows[0]

    embed_pending(store, checked, ignore)
    assert settled() == (0, 0)
    store.vectors.pending_messages("words/1", 9)
    assert settled() == (4, 1)
    owner.session("s").append(said("new"))
    assert [row.seq for row in store.vectors.pending_messages("words/1", 9)] == [5]
    memory = owner.memories()[0]
    owner.update(memory.id, "Likes soup")
    assert store.vectors.pending_memories("words/1", 9) == [(1, "Likes soup")]
    assert embed_pending(store, checked, ignore) == 2
    assert store.vectors.pending_messages("words/1", 9) == []
