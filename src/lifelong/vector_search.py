"""Vector search: what recall asks of an owner's vectors, and what tells that there are new texts.

Nothing here fails a recall: without a model, or with one that fails, there are no vectors and a
reason why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from lifelong.embedding import OnProgress, drop_unfit, embed_pending
from lifelong.memory.likeness import Likeness, likeness
from lifelong.memory.matrix import Matrix
from lifelong.memory.vectors import Question, best_matches
from lifelong.ports import OwnerStore
from lifelong.rows import RowKind
from lifelong.vector_index import Held, VectorIndex


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """What there is to say of an owner's vectors.

    Attributes:
        model: the name of the model at work; empty for none.
        embedded: rows that have a vector of it.
        total: messages and memories.
        other_models: rows that have vectors of other models, which are not used.
        problem: what failed last, with its remedy; empty when the last call of the model went well.
    """

    model: str = ""
    embedded: int = 0
    total: int = 0
    other_models: int = 0
    problem: str = ""


class VectorSearch:
    """The vectors of one owner, for recall and for whoever writes.

    Args:
        index: of the engine.
        store: of the owner.
        owner_id: of the owner.
    """

    def __init__(self, index: VectorIndex, store: OwnerStore, owner_id: str) -> None:
        self._index = index
        self._store = store
        self._owner_id = owner_id

    @property
    def model(self) -> str:
        """The name of the model at work; empty for none."""
        embedder = self._index.embedder
        return embedder.name if embedder else ""

    def wake(self) -> None:
        """Say that there are new texts; they get their vectors beside the caller."""
        self._index.wake(self._owner_id)

    def embed_pending(self, on_progress: OnProgress) -> int:
        """Give every row its vector now; return how many were stored: none without a model.

        Raises:
            EmbedderFailed: the model does not answer rightly.
            StoreError: the vectors could not be stored.
        """
        embedder = self._index.embedder
        return 0 if embedder is None else embed_pending(self._store, embedder, on_progress)

    def drop_unfit(self) -> None:
        """Remove vectors that are of no use: of other models, or of other texts."""
        if self.model:
            drop_unfit(self._store, self.model)

    def forgotten(self, *, everything: bool = False) -> None:
        """Let go of what was removed, so that it does not stay in memory until the next recall."""
        if everything:
            self._index.drop(self._owner_id)
        elif self._index.is_held(self._owner_id):
            self._fresh()

    def status(self) -> VectorStatus:
        """Return how many rows have vectors, of which model, and what failed last.

        Rows that wait for their vectors are begun with, unless that was done before.
        """
        counts = self._store.vectors.counts()
        problem = self._index.backlog.problem_of(self._owner_id)
        embedded = counts.by_model.get(self.model, 0)
        total = counts.messages + counts.memories
        if embedded < total and self.model and not problem:
            self.wake()
        return VectorStatus(
            model=self.model,
            embedded=embedded,
            total=total,
            other_models=sum(counts.by_model.values()) - embedded,
            problem=self._index.question_problem or problem,
        )

    def question(self, text: str, language: str | None = None) -> Question | None:
        """Return a question as vectors, to be compared with those that are there by now.

        Args:
            text: the question.
            language: that it is in, if that is known.

        Returns:
            None when there is no model, when it does not know the language, or when it does not
            answer in time.
        """
        found = self._index.question(text) if self._knows(language) else None
        if found is not None:
            self._fresh()
        return found

    def _knows(self, language: str | None) -> bool:
        embedder = self._index.embedder
        return language is None or not embedder or language in (embedder.languages or (language,))

    def nearest_messages(self, question: Question, count: int) -> list[tuple[int, float]]:
        """Return the numbers of the messages nearest to a question, with their cosines."""
        return self._nearest(RowKind.MESSAGE, question, count, None)

    def nearest_memories(
        self, question: Question, count: int, allowed: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """Return the numbers of the memories nearest to a question, with their cosines.

        Args:
            question: as vectors.
            count: so many at most.
            allowed: only these; None for all.
        """
        return self._nearest(RowKind.MEMORY, question, count, allowed)

    def likeness(
        self, kind: RowKind, question: Question, candidates: Mapping[int, Sequence[int]]
    ) -> Likeness | None:
        """Return how like the question candidates are; None when too few have a vector.

        Args:
            kind: what the candidates are.
            question: as vectors.
            candidates: numbers of rows, each with those of its neighbours that count.
        """
        seqs = sorted({*candidates, *chain.from_iterable(candidates.values())})
        held = self._held()
        with held.turn:
            matrix = _usable(held, kind, question)
            if matrix is None:
                return None
            places = matrix.places(seqs)
            numbers, found = matrix.identify(places)
            cosines = matrix.cosines(question.vector, places, self._read).tolist()
            packed = held.tokens(self._store.vectors, numbers) if question.tokens.size else []
        there, best = best_matches(question.tokens, packed) if packed else ([], None)
        rows = {found[place]: line for line, place in enumerate(there)}
        known = dict(zip(found, cosines, strict=True))
        return likeness(candidates, known, best=best, rows=rows)

    def _held(self) -> Held:
        """Return what is held since the question came, or what is there if that had to go."""
        held = self._index.held(self._owner_id, self.model)
        return held if held.matrices else self._fresh()

    def _fresh(self) -> Held:
        held = self._index.held(self._owner_id, self.model)
        with held.turn:
            held.refresh(self._store.vectors, self._index.bytes_max)
        return held

    def _nearest(
        self, kind: RowKind, question: Question, count: int, allowed: Collection[int] | None
    ) -> list[tuple[int, float]]:
        held = self._held()
        with held.turn:
            matrix = _usable(held, kind, question)
            if matrix is None:
                return []
            seqs, cosines = matrix.nearest(question.vector, count, allowed=allowed, read=self._read)
        return list(zip(seqs, cosines, strict=True))

    def _read(self, numbers: Sequence[int]) -> list[bytes]:
        found = self._store.vectors.read(numbers)
        return [found.get(number, b"") for number in numbers]


def _usable(held: Held, kind: RowKind, question: Question) -> Matrix | None:
    """Return the vectors of a kind of rows, if the question can be compared with them."""
    matrix = held.matrices.get(kind)
    if matrix is None or matrix.dimensions != len(question.vector):
        return None
    return matrix
