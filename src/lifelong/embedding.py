"""Embedding: rows of the log and memories get the vectors that a model makes of their texts.

What has none yet is found by a query, so nothing is lost when a process ends in between: each page
is a transaction of its own. A model is not trusted. It may raise anything, answer never or
nonsense; then a page is tried text by text, and what cannot be embedded is left for another time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, TypeVar

from lifelong.background import begin
from lifelong.errors import EmbedderFailed, FormatError, LifelongError
from lifelong.log import read_message
from lifelong.memory.entry import clean_name
from lifelong.memory.passages import searchable_text
from lifelong.memory.vectors import Packed, Question, pack, read_question
from lifelong.ports import Embedder, OwnerStore
from lifelong.rows import Embedding, NewVector, RowKind, StoredMessage, VectorModel

PAGE_ROWS = 32
BATCH_TEXTS = 8
"""So many texts are given to a model at once: a question waits no longer than these take."""
TEXT_CHARACTERS_MAX = 20_000
"""Of a longer text the rest is not given to the model; models read less than that."""

PATIENCE_SECONDS = 300.0, 2.0
"""So long may texts take, and a question; then the model is taken for one that hangs."""

STOP_SECONDS_MAX = 1.0
"""When the engine is closed, the model may finish what it does within that time: one that runs
outside Python had better not be cut off by the end of the process."""

_PROBE = "Is anybody there?"
_POLL_SECONDS = 0.1
_HASH_BYTES = 16
_KINDS = (RowKind.MEMORY, RowKind.MESSAGE)

Answer = TypeVar("Answer")
IsStopped = Callable[[], bool]
OnProgress = Callable[[int, int], None]
"""Called with how many rows are done, and how many there are to do in all."""


class Stopped(Exception):
    """Nobody waits for the model any more."""


class TextsLeft(EmbedderFailed):
    """The model did not take some texts; words find them. Run reindex to try them again."""


class CheckedEmbedder:
    """An embedder whose answers have the right shape, and whose failures are `EmbedderFailed`.

    Args:
        embedder: as it came.
        patience: how long texts may take, in seconds, and how long a question may.

    Attributes:
        name: of the model.
        languages: those that it knows; empty when it does not say.

    Raises:
        InvalidName: its name cannot be one.
    """

    def __init__(
        self, embedder: Embedder, patience: tuple[float, float] = PATIENCE_SECONDS
    ) -> None:
        self.name = clean_name(embedder.name, "embedder name")
        self.languages = tuple(getattr(embedder, "languages", ()))
        self._embedder = embedder
        self._texts_seconds, self._question_seconds = patience
        self._model: VectorModel | None = None
        self._unanswered: list[Future[Any]] = []

    def model(self, is_stopped: IsStopped) -> VectorModel:
        """Return how long its vectors are; the first time it is asked.

        Raises:
            EmbedderFailed: it does not answer rightly.
            Stopped: `is_stopped` said so.
        """
        if self._model is None:
            (packed,) = self._packed([_PROBE], is_stopped)
            self._model = VectorModel(self.name, packed.dimensions, packed.token_dimensions)
        return self._model

    def embed(self, texts: Sequence[str], is_stopped: IsStopped) -> list[Packed]:
        """Return what is to be stored of each text.

        Raises:
            EmbedderFailed: it does not answer rightly.
            Stopped: `is_stopped` said so.
        """
        model = self.model(is_stopped)
        found = self._packed(texts, is_stopped)
        for one in found:
            if one.dimensions != model.dimensions or one.token_dimensions not in (
                0,
                model.token_dimensions,
            ):
                raise EmbedderFailed(f"{self.name} gave vectors of another length than before")
        return found

    def _packed(self, texts: Sequence[str], is_stopped: IsStopped) -> list[Packed]:
        found = self._answer(
            lambda: list(self._embedder.embed(texts)), is_stopped, self._texts_seconds
        )
        if len(found) != len(texts):
            raise EmbedderFailed(f"{self.name} gave {len(found)} vectors for {len(texts)} texts")
        return [pack(self._checked(one)) for one in found]

    def question(self, text: str) -> Question:
        """Return the vectors of a question.

        Raises:
            EmbedderFailed: it does not answer rightly, or not in time.
        """
        found = self._answer(
            lambda: self._embedder.embed_query(text), _is_never, self._question_seconds
        )
        question = read_question(self._checked(found))
        if self._model and len(question.vector) != self._model.dimensions:
            raise EmbedderFailed(f"{self.name} gave a vector of another length than before")
        return question

    def _checked(self, answer: object) -> Embedding:
        if not isinstance(answer, Embedding):
            raise EmbedderFailed(f"{self.name} gave a {type(answer).__name__}, no Embedding")
        return answer

    def _answer(self, ask: Callable[[], Answer], is_stopped: IsStopped, seconds: float) -> Answer:
        """Ask in a thread of its own, so that one that never answers can be left alone.

        While one is left alone no other is begun: a model that hangs takes one thread.
        """
        self._unanswered = [each for each in self._unanswered if not each.done()]
        if self._unanswered:
            raise EmbedderFailed(f"{self.name} still works on what it was asked before")
        asked = begin(ask)
        deadline = monotonic() + seconds
        while not wait([asked], min(_POLL_SECONDS, seconds)).done:
            if is_stopped():
                wait([asked], STOP_SECONDS_MAX)
                raise Stopped
            if monotonic() > deadline:
                self._unanswered.append(asked)
                raise EmbedderFailed(f"{self.name} did not answer within {seconds:g} seconds")
        error = asked.exception()
        if isinstance(error, LifelongError):
            raise error
        if error is not None:
            # Not what it says: that may quote a text, and others hear of this failure.
            raise EmbedderFailed(f"{self.name} raised {type(error).__name__}") from error
        if self._embedder.name != self.name:
            raise EmbedderFailed(f"{self.name} calls itself {self._embedder.name} now")
        return asked.result()


def _is_never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a row that has no vector yet."""

    kind: RowKind
    seq: int
    text: str

    @property
    def hash(self) -> bytes:
        """What tells whether another row has the same text."""
        return hashlib.blake2b(self.text.encode(errors="replace"), digest_size=_HASH_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Sweep:
    """How far one way through the rows without a vector has come: memories first, newest first.

    Attributes:
        kind: of the rows that are looked at.
        before: only rows with a lower number are still to be looked at; None for all.
        done: how many rows got a vector.
        left: how many could not get one.
        why: what the model said of the last of those.
    """

    kind: RowKind = _KINDS[0]
    before: int | None = None
    done: int = 0
    left: int = 0
    why: str = ""


def message_text(row: StoredMessage) -> str:
    """Return what of a message is embedded; nothing, if it cannot be read or has no words."""
    try:
        text = searchable_text(read_message(row))
    except FormatError:
        return ""
    if not text.strip():
        return ""
    return _cut(f"{row.speaker}: {text}" if row.speaker else text)


def _cut(text: str) -> str:
    return text[:TEXT_CHARACTERS_MAX]


def embed_page(
    store: OwnerStore, embedder: CheckedEmbedder, *, sweep: Sweep, is_stopped: IsStopped
) -> Sweep | None:
    """Give the next rows their vectors; return how far that came, or None when no row is left.

    Raises:
        TextsLeft: no row is left to look at, and some did not get a vector.
        EmbedderError: the model does not answer rightly to anything.
        StoreError: the vectors could not be stored.
        Stopped: `is_stopped` said so.
    """
    texts = _pending(store, embedder.name, sweep)
    if not texts:
        if sweep.kind != _KINDS[-1]:
            return replace(sweep, kind=_KINDS[-1], before=None)
        if sweep.left:
            raise TextsLeft(f"{sweep.left} without a vector ({sweep.why})")
        return None
    model = embedder.model(is_stopped)
    known = store.vectors.of_texts(embedder.name, list({text.hash for text in texts}))
    new = list({text.hash: text for text in texts if text.text and text.hash not in known}.values())
    left, why = 0, ""
    for start in range(0, len(new), BATCH_TEXTS):
        batch = new[start : start + BATCH_TEXTS]
        for text, packed in zip(batch, _embedded(embedder, batch, is_stopped), strict=True):
            if isinstance(packed, Packed):
                known[text.hash] = packed.vector, packed.tokens
            else:
                left, why = left + 1, packed
    stored = store.vectors.put(model, list(_rows(texts, known)))
    return replace(
        sweep,
        before=texts[-1].seq,
        done=sweep.done + stored,
        left=sweep.left + left,
        why=why or sweep.why,
    )


def _pending(store: OwnerStore, model: str, sweep: Sweep) -> list[Text]:
    if sweep.kind == RowKind.MEMORY:
        memories = store.vectors.pending_memories(model, PAGE_ROWS, sweep.before)
        return [Text(sweep.kind, seq, text) for seq, text in memories]
    messages = store.vectors.pending_messages(model, PAGE_ROWS, sweep.before)
    return [Text(sweep.kind, row.seq, message_text(row)) for row in messages]


def _embedded(
    embedder: CheckedEmbedder, texts: Sequence[Text], is_stopped: IsStopped
) -> list[Packed | str]:
    """Return what is to be stored of each text, or why it cannot be embedded.

    Raises:
        EmbedderFailed: the model answers rightly to nothing.
    """
    try:
        return [*embedder.embed([_cut(text.text) for text in texts], is_stopped)]
    except EmbedderFailed:
        embedder.embed([_PROBE], is_stopped)  # is it the model, or one of these texts?
    return [_embedded_alone(embedder, text, is_stopped) for text in texts]


def _embedded_alone(embedder: CheckedEmbedder, text: Text, is_stopped: IsStopped) -> Packed | str:
    try:
        return embedder.embed([_cut(text.text)], is_stopped)[0]
    except EmbedderFailed as error:
        return error.detail


def _rows(texts: Iterable[Text], known: dict[bytes, tuple[bytes, bytes]]) -> Iterator[NewVector]:
    for text in texts:
        vector, tokens = known.get(text.hash, (b"", b""))
        if vector or not text.text:
            said = text.text if text.kind == RowKind.MEMORY else ""
            yield NewVector(text.kind, text.seq, text.hash, vector, tokens, said)


def embed_pending(store: OwnerStore, embedder: CheckedEmbedder, on_progress: OnProgress) -> int:
    """Give every row its vector; return how many were stored.

    Raises:
        EmbedderError: the model does not answer rightly, to anything or to some of the texts.
            What was stored before stays.
        StoreError: the vectors could not be stored.
    """
    counts = store.vectors.counts()
    total = counts.messages + counts.memories - counts.by_model.get(embedder.name, 0)
    sweep = Sweep()
    while True:
        on_progress(sweep.done, max(total, sweep.done))
        further = embed_page(store, embedder, sweep=sweep, is_stopped=_is_never)
        if further is None:
            return sweep.done
        sweep = further


def drop_unfit(store: OwnerStore, model: str) -> None:
    """Remove the vectors of other models, and of messages that read differently now."""
    store.vectors.remove_other_models(model)
    hashes = store.vectors.hashes(model, RowKind.MESSAGE)
    messages = (Text(RowKind.MESSAGE, m.seq, message_text(m)) for m in store.log.everything())
    unfit = [text.seq for text in messages if hashes.get(text.seq, text.hash) != text.hash]
    store.vectors.remove(RowKind.MESSAGE, unfit)
