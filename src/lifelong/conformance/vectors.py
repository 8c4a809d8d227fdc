# ruff: noqa: S101 - tests are made of assertions
"""Vectors: each row gets one, no row that is gone has one, and no text is embedded twice."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from lifelong import backlog
from lifelong.conformance.place import OWNER, Place, said, texts
from lifelong.conformance.words_model import WordsModel
from lifelong.engine import Engine
from lifelong.errors import EmbedderFailed
from lifelong.owner import Owner

SECONDS_MAX = 60


def vectors(owner: Owner) -> int:
    """Return how many vectors are stored."""
    return owner.stats()["vector"]


class VectorSuite:
    """What a store promises of vectors."""

    @pytest.fixture
    def model(self, monkeypatch: pytest.MonkeyPatch) -> WordsModel:
        """Return a model that is asked only when a test says so: the background waits."""
        monkeypatch.setattr(backlog, "GRACE_SECONDS", 10 * SECONDS_MAX)
        return WordsModel()

    def test_every_row_gets_one_vector(self, place: Place, model: WordsModel) -> None:
        """Once; a message without words is not asked for again either."""
        owner = place.open_with(model)
        owner.session("s").append([*said("tram", "soup"), {"role": "assistant", "content": ""}])
        owner.remember("Likes tea")
        assert owner.reindex(words=False) == 4
        assert vectors(owner) == 4
        assert owner.reindex(words=False) == 0
        owner.session("s").append(said("late"))
        assert place.reopen().reindex(words=False) == 1
        assert vectors(place.owner) == 5

    def test_more_rows_than_one_page(self, place: Place, model: WordsModel) -> None:
        """They are told as they come, and all are done."""
        owner = place.open_with(model)
        owner.session("s").append(said(*(f"tram {number}" for number in range(150))))
        seen: list[tuple[int, int]] = []
        assert (
            owner.reindex(words=False, on_progress=lambda done, total: seen.append((done, total)))
            == 150
        )
        assert seen[0] == (0, 150)
        assert seen[-1] == (150, 150)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)
        assert vectors(owner) == 150

    def test_one_text_is_embedded_once(self, place: Place, model: WordsModel) -> None:
        """By whichever row, then and later; a name in front makes another text."""
        owner = place.open_with(model)
        owner.session("s").append(said("ok", "ok", "ok"))
        owner.remember("ok")
        owner.reindex(words=False)
        owner.session("t").append([*said("ok"), {"role": "user", "content": "ok", "name": "Ida"}])
        place.reopen().reindex(words=False)
        assert vectors(place.owner) == 6
        assert [text for text in model.texts if "ok" in text] == ["ok", "Ida: ok"]

    def test_what_is_forgotten_has_no_vector(self, place: Place, model: WordsModel) -> None:
        """The receipt counts those that went; the others stay."""
        owner = place.open_with(model)
        owner.session("s").append(said("tram", "soup"), ids=["a", "b"])
        owner.session("t").append(said("tea", "salt"))
        memory_id = owner.remember("Likes tea").id
        owner.reindex(words=False)
        assert owner.forget("a").counts["vector"] == 1
        assert owner.forget(memory_id).counts["vector"] == 1
        assert owner.forget(session="t").counts["vector"] == 2
        assert vectors(place.reopen()) == 1
        place.owner.session("s").pop()
        assert vectors(place.owner) == 0
        place.owner.session("s").append(said("new"))
        place.owner.reindex(words=False)
        assert place.owner.forget(everything=True).counts["vector"] == 1
        assert (vectors(place.owner), place.owner.reindex(words=False)) == (0, 0)

    def test_a_changed_memory_gets_another_vector(self, place: Place, model: WordsModel) -> None:
        """When its text changed, and only then."""
        owner = place.open_with(model)
        memory_id = owner.remember("Likes tea").id
        owner.reindex(words=False)
        owner.update(memory_id, importance=9)
        assert vectors(owner) == 1
        owner.update(memory_id, "Likes soup")
        assert vectors(owner) == 0
        assert place.reopen().reindex(words=False) == 1
        assert model.texts[-1] == "Likes soup"

    def test_what_is_forgotten_meanwhile_stays_away(self, place: Place, model: WordsModel) -> None:
        """The model still worked on it; so does a memory that changed get no old vector."""
        owner = place.open_with(model)
        owner.session("s").append(said("tram", "soup"), ids=["a", "b"])
        memory_id = owner.remember("Likes tea").id

        def interfere(asked: Sequence[str]) -> None:
            if "Likes tea" in asked:
                owner.update(memory_id, "Likes soup")
            if "tram" in asked:
                owner.forget("a")

        model.before = interfere
        owner.reindex(words=False)
        assert vectors(owner) == 1
        assert owner.reindex(words=False) == 1
        assert model.texts[-1] == "Likes soup"

    def test_an_owner_who_is_forgotten_meanwhile_stays_away(
        self, place: Place, model: WordsModel
    ) -> None:
        """No empty one is made by what was still being worked on."""
        owner = place.open_with(model)
        owner.session("s").append(said("tram"))

        def interfere(_: Sequence[str]) -> None:
            owner.forget(everything=True)

        model.before = interfere
        assert owner.reindex(words=False) == 0
        assert place.engine.owners() == []

    def test_lengths_never_change_under_one_name(self, place: Place, model: WordsModel) -> None:
        """Vectors of two lengths cannot be compared; nothing of that answer is kept."""
        if not place.is_durable:
            pytest.skip("one engine has one model")
        owner = place.open_with(model)
        owner.session("s").append(said("tram"))
        owner.reindex(words=False)
        owner = place.open_with(WordsModel(dimensions=32))
        owner.session("s").append(said("soup"))
        with pytest.raises(EmbedderFailed):
            owner.reindex(words=False)
        assert vectors(owner) == 1

    def test_another_model_begins_anew(self, place: Place, model: WordsModel) -> None:
        """Both stand side by side until the index is made again."""
        if not place.is_durable:
            pytest.skip("one engine has one model")
        owner = place.open_with(model)
        owner.session("s").append(said("tram", "soup"), ids=["a", "b"])
        owner.reindex(words=False)
        owner = place.open_with(WordsModel("words/2", dimensions=16, has_tokens=False))
        assert owner.reindex(words=False) == 2
        assert vectors(owner) == 4
        assert owner.forget("a").counts["vector"] == 2
        owner.reindex()
        assert vectors(owner) == 1

    def test_without_a_model_there_are_none(self, place: Place) -> None:
        """And nothing else is different."""
        place.owner.session("s").append(said("tram"))
        assert place.owner.reindex(words=False) == 0
        assert vectors(place.owner) == 0
        assert texts(place.owner.recall("tram")) == ["tram"]

    def test_owners_have_their_own(self, place: Place, model: WordsModel) -> None:
        """Work on one does nothing to another."""
        owner = place.open_with(model)
        other = place.engine.owner("bo")
        owner.session("s").append(said("tram"))
        other.session("s").append(said("tram", "soup"))
        assert owner.reindex(words=False) == 1
        assert (vectors(owner), vectors(other)) == (1, 0)

    def test_many_may_work_on_one_owner(self, place: Place, model: WordsModel) -> None:
        """Each row has one vector in the end, whoever made it."""
        if not place.is_durable:
            pytest.skip("threads of one engine share its background")
        place.embedder = model
        place.owner.session("s").append(said(*(f"tram {number}" for number in range(100))))

        def embed(engine: Engine, _: int) -> int:
            return engine.owner(OWNER).reindex(words=False)

        assert sum(place.crowd(3, embed)) == 100
        assert vectors(place.owner) == 100

    def test_what_is_written_gets_its_vector_beside(self, place: Place) -> None:
        """Nobody has to ask for it."""
        owner = place.open_with(WordsModel())
        owner.session("s").append(said("tram", "soup"))
        owner.remember("Likes tea")
        deadline = time.monotonic() + SECONDS_MAX
        while vectors(owner) < 3 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert vectors(owner) == 3
