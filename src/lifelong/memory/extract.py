"""Extraction: messages go in, proposals come out, and what failed is named.

A long session is read in batches. One that fails takes nothing from the others: its messages are
named, so that they are read again. Nothing is stored here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lifelong.errors import ExtractionError, ExtractorFailed, InvalidValue
from lifelong.memory.extraction import Extractor, extraction_task
from lifelong.memory.passages import cut
from lifelong.memory.phrases import RULES_NAME, propose
from lifelong.memory.phrases.own_words import own_words, spoken_text
from lifelong.memory.proposals import Checked, Rejected, checked
from lifelong.messages import ASSISTANT, USER, Message
from lifelong.working.summary import shortened
from lifelong.working.tokens import estimate_tokens
from lifelong.writing import Proposal

BATCH_TOKENS = 6_000
BATCH_TOKENS_MIN = 200
FAILURES_MAX = 3
"""After so many failures in a row the server is taken to be away, and the rest is left."""

_CONTEXT_CHARACTERS = 600
_LINE_ENDS = re.compile(r"\s*\n\s*")

Progress = Callable[[int, int], None]
"""Is told how many batches are done, of how many."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How messages are read.

    Attributes:
        batch_tokens: about how many tokens of messages one request holds; at least 200.
        takes_assistant: whether what the assistant says may be remembered too; its channel is
            ``assistant``, as the message says that a proposal names.
    """

    batch_tokens: int = BATCH_TOKENS
    takes_assistant: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Messages that were not read, by their numbers in the log, and why."""

    seqs: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a session yields.

    Attributes:
        proposals: in the order of the messages.
        rejected: what the model proposed and cannot stand.
        failures: the batches that failed.
        read: numbers of the messages that need not be read again.
    """

    proposals: tuple[Proposal, ...]
    rejected: tuple[Rejected, ...] = ()
    failures: tuple[Failure, ...] = ()
    read: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a model sees of a message, or of a part of it."""

    seq: int
    message: Message
    text: str
    is_source: bool
    tokens: int


def extractor_name(extractor: Extractor | None) -> str:
    """Return the name under which messages count as read; that of the rules if it is None."""
    return RULES_NAME if extractor is None else str(extractor.name)


def extract(
    messages: Sequence[tuple[int, Message]],
    extractor: Extractor | None,
    *,
    now: datetime,
    reading: Reading | None = None,
    progress: Progress | None = None,
) -> Extraction:
    """Return what messages of one session yield.

    Args:
        messages: each with its number in the log, in order.
        extractor: asks a model; None for the rules alone.
        now: when messages without a time of their own were said; aware.
        reading: how messages are read.
        progress: is told after each batch.

    Raises:
        InvalidValue: `batch_tokens` is too small.
    """
    reading = reading or Reading()
    if reading.batch_tokens < BATCH_TOKENS_MIN:
        raise InvalidValue(f"batch_tokens is {reading.batch_tokens}, below {BATCH_TOKENS_MIN}")
    every = tuple(seq for seq, _ in messages)
    if extractor is None:
        proposals = propose([message for _, message in messages], now=now)
        return Extraction(proposals, read=every)
    found = _read_all(_batches(messages, reading), extractor, now, reading, progress)
    unread = {seq for failure in found.failures for seq in failure.seqs}
    return replace(found, read=tuple(seq for seq in every if seq not in unread))


def _read_all(
    batches: Sequence[Sequence[_Shown]],
    extractor: Extractor,
    now: datetime,
    reading: Reading,
    progress: Progress | None,
) -> Extraction:
    proposals: list[Proposal] = []
    rejected: list[Rejected] = []
    failures: list[Failure] = []
    failed_in_a_row = 0
    for done, batch in enumerate(batches, 1):
        try:
            if failed_in_a_row >= FAILURES_MAX:
                raise ExtractorFailed(f"not tried after {FAILURES_MAX} failures")
            found = _read(batch, extractor, now, reading)
        except ExtractionError as error:
            failed_in_a_row += isinstance(error, ExtractorFailed)
            failures.append(Failure(_sources(batch), f"{type(error).__name__}: {error.detail}"))
        else:
            failed_in_a_row = 0
            proposals += found.proposals
            rejected += found.rejected
        if progress:
            progress(done, len(batches))
    return Extraction(_each_once(proposals), tuple(rejected), tuple(failures))


def _read(
    batch: Sequence[_Shown], extractor: Extractor, now: datetime, reading: Reading
) -> Checked:
    task = extraction_task(
        [(shown.message, shown.text) for shown in batch], takes_assistant=reading.takes_assistant
    )
    return checked(
        extractor(task),
        task.messages,
        made_by=extractor_name(extractor),
        now=now,
        takes_assistant=reading.takes_assistant,
    )


def _sources(batch: Sequence[_Shown]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(shown.seq for shown in batch if shown.is_source))


def _each_once(proposals: Sequence[Proposal]) -> tuple[Proposal, ...]:
    found: dict[str, Proposal] = {}
    for proposal in proposals:
        found.setdefault(proposal.text.casefold(), proposal)
    return tuple(found.values())


def _batches(messages: Sequence[tuple[int, Message]], reading: Reading) -> list[list[_Shown]]:
    """Return what goes together: consecutive messages; those without a source are left out."""
    batches: list[list[_Shown]] = [[]]
    size = 0
    for seq, message in messages:
        for shown in _shown(seq, message, reading):
            if batches[-1] and size + shown.tokens > reading.batch_tokens:
                batches.append([])
                size = 0
            batches[-1].append(shown)
            size += shown.tokens
    return [batch for batch in batches if any(shown.is_source for shown in batch)]


def _shown(seq: int, message: Message, reading: Reading) -> Iterator[_Shown]:
    """Yield what of a message is sent: the user's own words, and the assistant's as context."""
    if message.role == USER or (message.role == ASSISTANT and reading.takes_assistant):
        for text in _parts(spoken_text(message), reading.batch_tokens):
            yield _Shown(seq, message, text, is_source=True, tokens=estimate_tokens(text))
    elif message.role == ASSISTANT:
        text = shortened(_closed_up(own_words(message.text)), _CONTEXT_CHARACTERS)
        if text:
            yield _Shown(seq, message, text, is_source=False, tokens=estimate_tokens(text))


def _parts(text: str, tokens_max: int) -> Iterator[str]:
    """Yield a text whole, or cut at ends of sentences where it is over `tokens_max`."""
    text = _closed_up(text)
    if estimate_tokens(text) <= tokens_max:
        if text:
            yield text
        return
    part = ""
    for piece in _pieces(text, tokens_max):
        if part and estimate_tokens(part + piece) > tokens_max:
            yield part.strip()
            part = ""
        part += piece
    if part.strip():
        yield part.strip()


def _pieces(text: str, tokens_max: int) -> Iterator[str]:
    """Yield passages; what has no end of a sentence for too long is cut anywhere."""
    for piece in cut(text):
        if estimate_tokens(piece) <= tokens_max:
            yield piece
        else:
            step = max(tokens_max // 3, 1)
            yield from (piece[at : at + step] for at in range(0, len(piece), step))


def _closed_up(text: str) -> str:
    return _LINE_ENDS.sub("\n", text).strip()
