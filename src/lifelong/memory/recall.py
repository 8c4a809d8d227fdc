"""Recall: from a question to what fits into a prompt, from the log and the memories together.

Ranking is pure and lives in `ranking`; this file asks the store, reads the rows that won, and
fits them into a budget of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from lifelong.errors import FormatError, InvalidValue
from lifelong.formats.storable import storable
from lifelong.log import read_message
from lifelong.memory.answer import Packing
from lifelong.memory.candidates import (
    LOG,
    MEMORY,
    SOURCES,
    Asked,
    Candidate,
    LogCandidates,
    from_memories,
)
from lifelong.memory.entry import (
    clean_kind,
    clean_least,
    clean_limit,
    clean_metadata,
    clean_namespace,
    clean_time,
    clean_words,
    require_known,
)
from lifelong.memory.features import message_trust, speaking_role
from lifelong.memory.fence import Fence, fence, nonce_of
from lifelong.memory.finishing import Searched, finished
from lifelong.memory.passages import passage, searchable_text
from lifelong.memory.ranking import Scored, explain, public_score
from lifelong.memory.terms import Query, fold, parse_query
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Found, Hit, Memory, Trust
from lifelong.rows import MemoryFilter, StoredMessage, passage_of
from lifelong.vector_search import VectorSearch
from lifelong.working.tokens import estimate_tokens

TOKENS_MAX_DEFAULT = 2_000
_MISFITS_MAX = 20
_NAMED_FIELDS = ("namespace", "kinds", "as_of", "known_at")
_MEMORY_FIELDS = ("metadata", "trust_min")
_PAGE_ROWS_MIN, _PAGE_ROWS_MAX = 8, 16


class RecallFields(TypedDict, total=False):
    """What may narrow a recall. All of it holds before any limit.

    Attributes:
        sources: ``log``, ``memory``, or both (the default).
        min_score: 0 to 1; hits below it are left out.
        namespace: memories with exactly these segments.
        include_below: also memories in namespaces that begin with these segments.
        kinds: memories of these kinds.
        metadata: memories with these keys and values.
        trust_min: memories of at least this trust.
        include_superseded: also memories that were replaced or are no longer valid.
        as_of: memories that were true then, also those replaced since; aware, or ISO 8601.
        known_at: memories that had been recorded by then, and not yet replaced.
        generative: score memories by recency, importance and relevance in equal parts, as the
            Generative Agents paper does.
    """

    sources: Iterable[str]
    min_score: float
    namespace: Iterable[str] | None
    include_below: bool
    kinds: Iterable[str] | None
    metadata: Mapping[str, Any] | None
    trust_min: int
    include_superseded: bool
    as_of: datetime | str | None
    known_at: datetime | str | None
    generative: bool


def memory_filter(clock: Clock, fields: RecallFields) -> MemoryFilter:
    """Return the filter that `fields` describe.

    Raises:
        InputError: a kind, namespace or other field cannot be one.
    """
    require_known(fields, RecallFields.__annotations__, "the filter")
    namespace, kinds = fields.get("namespace"), fields.get("kinds")
    metadata = fields.get("metadata")
    return MemoryFilter(
        now=clock.now(),
        namespace=None if namespace is None else clean_namespace(namespace),
        include_below=fields.get("include_below", False),
        kinds=None if kinds is None else tuple(map(clean_kind, clean_words(kinds, "kinds"))),
        metadata=None if metadata is None else clean_metadata(metadata),
        trust_min=int(clean_least(fields.get("trust_min", Trust.UNTRUSTED), "trust_min")),
        include_superseded=fields.get("include_superseded", False),
        as_of=clean_time(fields.get("as_of"), "as_of"),
        known_at=clean_time(fields.get("known_at"), "known_at"),
    )


def recall(
    store: OwnerStore,
    clock: Clock,
    *,
    query: str,
    limits: tuple[int | None, int],
    fields: RecallFields,
    vectors: VectorSearch | None = None,
) -> Found:
    """Return what the question may mean, best first, within a number of hits and tokens.

    Args:
        store: the owner's.
        clock: for ages and expiry.
        query: the user's words; never read as a query language.
        limits: hits at most (None: as many as fit) and tokens at most.
        fields: what narrows it.
        vectors: the owner's; None to go by words alone.

    Raises:
        InputError: a limit or a field cannot be one.
    """
    wanted = _wanted(clock, query, limits, fields)
    text = storable(query)[0]
    words = parse_query(text)
    question = vectors.question(text, words.language) if vectors and text.strip() else None
    asked = Asked(words, question)
    if asked.words.is_empty and asked.vectors is None:
        return Found((), 0, ("the question has no word to look for",))
    if wanted.hits_max == 0:
        return Found((), 0, ("the limit is 0",))
    if not wanted.sources:
        return Found((), 0, ("no source is asked that the filter leaves",))
    return _searched(store, vectors, asked, wanted)


class _Wanted(NamedTuple):
    """What a recall is to bring, checked."""

    hits_max: int | None
    tokens_max: int
    min_score: float
    sources: tuple[str, ...]
    which: MemoryFilter
    is_generative: bool
    marks: Fence


def _wanted(
    clock: Clock, query: object, limits: tuple[int | None, int], fields: RecallFields
) -> _Wanted:
    hits_max, tokens_max = clean_limit(limits[0]), clean_limit(limits[1], "tokens_max")
    if tokens_max is None:
        raise InvalidValue("tokens_max None is no number of tokens")
    which = memory_filter(clock, fields)
    sources = _sources(fields)
    if not isinstance(query, str):
        raise InvalidValue(f"the question is {type(query).__name__}, not text")
    return _Wanted(
        hits_max,
        tokens_max,
        clean_least(fields.get("min_score", 0.0), "min_score"),
        sources,
        which,
        fields.get("generative", False),
        fence(nonce_of(clock.new_id("fence"))),
    )


def _searched(
    store: OwnerStore, vectors: VectorSearch | None, asked: Asked, wanted: _Wanted
) -> Found:
    """Return what log and memories hold, packed into the budget."""
    memories, remembered = None, list[Candidate]()
    if MEMORY in wanted.sources:
        memories, remembered = from_memories(
            store, vectors, asked=asked, which=wanted.which, is_generative=wanted.is_generative
        )
    log = LogCandidates(store, vectors, asked) if LOG in wanted.sources else None
    packing = Packing(
        wanted.tokens_max, estimate_tokens, hits_max=wanted.hits_max, marks=wanted.marks
    )
    offer = _Offer(packing, wanted.min_score)
    for messages in log.rounds() if log else iter([[]]):
        candidates = sorted([*messages, *remembered], key=lambda one: -one.scored.value)
        remembered = []
        if not _pack(store, asked.words, candidates, offer):
            break
    searched = Searched(
        asked.words,
        log.matches if log else None,
        memories,
        [one.seq for one in log.first] if log else [],
        by_words=asked.vectors is None,
    )
    found = finished(packing, searched, list(offer.reasons()))
    if log is not None and not log.lacks_vectors:
        return found
    return replace(found, reasons=(*found.reasons, *_vector_reasons(vectors)))


def _vector_reasons(vectors: VectorSearch | None) -> list[str]:
    """Return what there is to say when words had to do without vectors."""
    if vectors is None or not vectors.model:
        return []
    status = vectors.status()
    reasons = []
    if status.problem:
        reasons.append(f"the model is not used: {status.problem}")
    if status.other_models:
        reasons.append(f"{status.other_models} texts have vectors of another model; run reindex")
    missing = status.total - status.embedded
    if missing > 0:
        reasons.append(f"{missing} of {status.total} texts have no vector yet; words found them")
    return reasons


def _sources(fields: RecallFields) -> tuple[str, ...]:
    sources = []
    for source in clean_words(fields.get("sources", SOURCES), "sources"):
        if not isinstance(source, str) or source not in SOURCES:
            raise InvalidValue(f"source {source!r} is none of {', '.join(SOURCES)}")
        sources.append(source)
    if _narrows_to_memories(fields):
        sources = [source for source in sources if source != LOG]
    return tuple(sources)


class _Offer:
    """Offers hits to a packing, best first, as long as more are wanted."""

    def __init__(self, packing: Packing, min_score: float) -> None:
        self._packing = packing
        self._min_score = min_score
        self.unreadable = 0
        self.is_too_low = False
        most = packing.hits_max or _PAGE_ROWS_MAX
        self.page_rows = max(_PAGE_ROWS_MIN, min(most, _PAGE_ROWS_MAX))

    def take(self, hit: Hit) -> bool:
        """Offer a hit; return whether more are wanted."""
        if hit.score < self._min_score:
            self.is_too_low = not self._packing.hits
            return False
        is_taken = self._packing.add(hit)
        return not self._packing.is_full and (is_taken or self._packing.misfits < _MISFITS_MAX)

    def reasons(self) -> Iterator[str]:
        """Yield what is to be said of hits that were not offered."""
        if self.is_too_low:
            yield "nothing reaches the least score"
        if self.unreadable:
            yield f"{self.unreadable} stored messages could not be read; run check"


def _pack(store: OwnerStore, asked: Query, candidates: Sequence[Candidate], offer: _Offer) -> bool:
    """Offer the hits that candidates stand for; return whether more are wanted."""
    step = offer.page_rows
    for start in range(0, len(candidates), step):
        page = list(_read(store, asked, candidates[start : start + step], offer))
        # An exact match is known only when it is read; it comes first.
        page.sort(key=lambda hit: -hit.score)
        if not all(map(offer.take, page)):
            return False
    return True


def _narrows_to_memories(fields: RecallFields) -> bool:
    """What only memories have asks for memories."""
    # No segments are a namespace, and no kinds none of them; the least trust and no pairs of
    # metadata narrow nothing.
    named = any(fields.get(name) is not None for name in _NAMED_FIELDS)
    return named or any(fields.get(name) for name in _MEMORY_FIELDS)


def _read(
    store: OwnerStore, asked: Query, page: Sequence[Candidate], offer: _Offer
) -> Iterator[Hit]:
    """Yield the hits of a page of candidates; what cannot be read is counted."""
    rows = store.log.messages([one.scored.seq for one in page if one.memory is None])
    for one in page:
        if one.memory is not None:
            yield _memory_hit(asked, one, one.memory)
            continue
        row = rows.get(one.scored.seq)
        if row is not None:
            hit = _message_hit(asked, one, row)
            if hit is None:
                offer.unreadable += 1
            elif hit.text.strip():
                yield hit


def _memory_hit(asked: Query, one: Candidate, memory: Memory) -> Hit:
    return _hit(
        asked,
        one.scored,
        one.weights,
        id=memory.id,
        source=MEMORY,
        text=passage(memory.text, passage_of(one.scored.posting)),
        at=memory.recorded_at,
        memory=memory,
        trust=memory.trust,
        order=one.scored.seq,
    )


def _message_hit(asked: Query, one: Candidate, row: StoredMessage) -> Hit | None:
    try:
        message = read_message(row)
    except FormatError:
        return None
    return _hit(
        asked,
        one.scored,
        one.weights,
        id=row.id,
        source=LOG,
        text=passage(searchable_text(message), passage_of(one.scored.posting)),
        at=row.sent_at or row.recorded_at,
        session_id=row.session_id,
        role=speaking_role(message),
        speaker=row.speaker,
        trust=message_trust(message),
        order=row.seq,
    )


def _hit(asked: Query, scored: Scored, weights: Mapping[str, float], **fields: Any) -> Hit:
    is_exact = fold(fields["text"]).split() == asked.text.split()
    score = 1.0 if is_exact else public_score(scored.value)
    # Its price is known when it is packed.
    return Hit(score=score, parts=explain(scored, weights), tokens=0, **fields)
