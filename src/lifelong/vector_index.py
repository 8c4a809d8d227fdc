"""The vector index of an engine: its model, the work that waits for it, what is held in memory.

The vectors of an owner are loaded when they are first asked for, extended by what is new, and
dropped when they were removed, by whichever process. What all owners' take stays under a limit:
whose were used longest ago go first, and of one owner who alone is over it only bits are held.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from lifelong.backlog import Backlog
from lifelong.embedding import TEXT_CHARACTERS_MAX, CheckedEmbedder, IsStopped, Sweep, embed_page
from lifelong.errors import LifelongError
from lifelong.memory.matrix import Matrix
from lifelong.memory.vectors import Question
from lifelong.ports import Store, VectorStore
from lifelong.rows import RowKind

FindEmbedder = Callable[[], CheckedEmbedder | None]

BYTES_MAX = 512 * 1024 * 1024
"""What all vectors in memory may take, those of tokens included."""

QUESTIONS_MAX = 64
_TOKENS_SHARE = 4
"""One part in so many of the limit is for vectors of tokens."""
_PAGE_ROWS = 16_384


class Held:
    """What is held in memory of one owner's vectors of one model."""

    def __init__(self, model: str, tokens_bytes_max: int) -> None:
        self.turn = threading.Lock()
        self._model = model
        self._tokens_bytes_max = tokens_bytes_max
        self._begin_anew()
        self._removals = 0

    def _begin_anew(self) -> None:
        self.matrices: dict[RowKind, Matrix] = {}
        self._tokens: OrderedDict[int, bytes] = OrderedDict()
        self._tokens_bytes = 0
        self._last = 0

    @property
    def size_bytes(self) -> int:
        """How much memory it takes."""
        return self._tokens_bytes + sum(each.size_bytes for each in self.matrices.values())

    def refresh(self, store: VectorStore, bytes_max: int) -> None:
        """Hold what the store holds, or the bits of it when that takes more than the limit."""
        page = store.since(self._model, self._last, _PAGE_ROWS)
        if page.removals != self._removals:
            self._removals = page.removals
            if self._last:
                self._keep(store.numbers(self._model))
                page = store.since(self._model, self._last, _PAGE_ROWS)
        while page.rows:
            self._extend(page.rows)
            self._stay_within(bytes_max)
            page = store.since(self._model, self._last, _PAGE_ROWS)
        for kind, matrix in self.matrices.items():
            if matrix.is_outgrown:
                self.matrices[kind] = _made_again(matrix, store)
                self._stay_within(bytes_max)

    def _stay_within(self, bytes_max: int) -> None:
        if self.size_bytes > bytes_max:
            for matrix in self.matrices.values():
                matrix.let_go_of_bytes()

    def _keep(self, numbers: Sequence[int]) -> None:
        for matrix in self.matrices.values():
            matrix.keep(numbers)
        self._tokens.clear()
        self._tokens_bytes = 0
        self._last = max((each.last_number for each in self.matrices.values()), default=0)

    def _extend(self, rows: Sequence[tuple[int, int, int, bytes]]) -> None:
        for kind in RowKind:
            new = [row for row in rows if row[1] == kind]
            if new:
                matrix = self.matrices.get(kind) or Matrix(len(new[0][3]) // 2)
                self.matrices[kind] = matrix
                numbers, _, seqs, vectors = zip(*new, strict=True)
                matrix.extend(numbers, seqs, vectors)
        self._last = rows[-1][0]

    def tokens(self, store: VectorStore, numbers: Sequence[int]) -> list[bytes]:
        """Return the tokens' vectors of each of these; no bytes where there are none."""
        missing = [number for number in numbers if number not in self._tokens]
        if missing:
            read = store.tokens(missing)
            for number in missing:
                self._tokens[number] = read.get(number, b"")
                self._tokens_bytes += len(self._tokens[number])
        found = [self._tokens[number] for number in numbers]
        for number in numbers:
            self._tokens.move_to_end(number)
        while self._tokens_bytes > self._tokens_bytes_max:
            self._tokens_bytes -= len(self._tokens.popitem(last=False)[1])
        return found


def _made_again(matrix: Matrix, store: VectorStore) -> Matrix:
    """Return the same vectors about the mean of all of them."""
    vectors = store.read(matrix.numbers)
    rows = [
        (number, seq, vectors[number])
        for number, seq in zip(matrix.numbers, matrix.seqs, strict=True)
        if number in vectors
    ]
    made = Matrix(matrix.dimensions)
    made.extend([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
    return made


class VectorIndex:
    """The model of an engine, the work that waits for it, and the vectors held in memory.

    Args:
        store: of all owners.
        find: gives the model when it is first needed, or None. Without a model everything here
            does nothing.
        bytes_max: what the vectors of all owners may take in memory.
    """

    def __init__(self, store: Store, find: FindEmbedder | None, bytes_max: int = BYTES_MAX) -> None:
        self.question_problem = ""
        self.bytes_max = bytes_max
        self.backlog = Backlog(self._embed_some)
        self._store = store
        self._find = find
        self._embedder: CheckedEmbedder | None = None
        self._begin_anew()

    def _alone(self) -> threading.Lock:
        """Return the lock of what is held; a forked child begins with nothing, and a free one."""
        if self._process != os.getpid():
            self._begin_anew()
        return self._turn

    @property
    def embedder(self) -> CheckedEmbedder | None:
        """The model; None for none."""
        if self._find is not None:
            with self._alone():
                if self._find is not None:
                    self._embedder, self._find = self._find(), None
        return self._embedder

    def wake(self, owner_id: str) -> None:
        """Say that an owner has new texts; they get their vectors beside the caller."""
        if self._find is not None or self._embedder is not None:
            self.backlog.add(owner_id)

    def _begin_anew(self) -> None:
        self._process = os.getpid()
        self._turn = threading.Lock()
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._questions: OrderedDict[str, Question] = OrderedDict()

    def _embed_some(self, owner_id: str, sweep: Sweep, is_stopped: IsStopped) -> Sweep | None:
        embedder = self.embedder
        if embedder is None:
            return None
        store = self._store.owner(owner_id)
        return embed_page(store, embedder, sweep=sweep, is_stopped=is_stopped)

    def is_held(self, owner_id: str) -> bool:
        """Return whether any vectors of an owner are in memory."""
        return owner_id in self._held

    def held(self, owner_id: str, model: str) -> Held:
        """Return what is held of an owner; whose was used longest ago goes when it is too much."""
        with self._alone():
            found = self._held.pop(owner_id, None)
            if found is None:
                found = Held(model, self.bytes_max // _TOKENS_SHARE)
            self._held[owner_id] = found
            while len(self._held) > 1 and self._size_bytes() > self.bytes_max:
                self._held.popitem(last=False)
            return found

    def _size_bytes(self) -> int:
        return sum(held.size_bytes for held in [*self._held.values()])

    def drop(self, owner_id: str) -> None:
        """Hold nothing of an owner any more."""
        with self._alone():
            self._held.pop(owner_id, None)
            self._questions.clear()

    def question(self, text: str) -> Question | None:
        """Return a question as vectors; None when there is no model, or it gives none in time."""
        embedder = self.embedder
        if embedder is None:
            return None
        text = text[:TEXT_CHARACTERS_MAX]
        with self._alone():
            if text in self._questions:
                self._questions.move_to_end(text)
                return self._questions[text]
        try:
            found = embedder.question(text)
        except LifelongError as error:
            self.question_problem = str(error)
            return None
        self.question_problem = ""
        with self._alone():
            self._questions[text] = found
            if len(self._questions) > QUESTIONS_MAX:
                self._questions.popitem(last=False)
        return found

    def close(self) -> None:
        """Stop what is worked on, and hold nothing any more."""
        self.backlog.close()
        self._begin_anew()
