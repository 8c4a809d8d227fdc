"""Recall: from a question to what fits into a prompt, from the log and the memories together.

Ranking is pure and lives in `ranking`; this file asks the store, reads the rows that won, and
fits them into a budget of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypedDict

from lifelong.errors import FormatError, InvalidValue
from lifelong.formats.storable import storable
from lifelong.log import read_message
from lifelong.memory.bm25 import bm25
from lifelong.memory.entry import (
    clean_kind,
    clean_limit,
    clean_metadata,
    clean_namespace,
    require_known,
)
from lifelong.memory.features import speaking_role
from lifelong.memory.passages import passage, searchable_text
from lifelong.memory.ranking import (
    CANDIDATES_MAX,
    LOG_WEIGHTS,
    MEMORY_WEIGHTS,
    Scored,
    explain,
    public_score,
    rank_log,
    score_memory,
)
from lifelong.memory.terms import Query, fold, parse_query
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Found, Hit, Memory, Trust
from lifelong.rows import LogMatches, MemoryFilter, StoredMessage, passage_of
from lifelong.working.tokens import estimate_tokens

LOG, MEMORY = "log", "memory"
SOURCES = (LOG, MEMORY)
TOKENS_MAX_DEFAULT = 2_000
_MISFITS_MAX = 20
_PAGE_ROWS_MIN, _PAGE_ROWS_MAX = 8, 16
_LINE_TOKENS = 12
"""The date and the name in front of a hit."""
_SECONDS_PER_DAY = 86_400


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
    """

    sources: Iterable[str]
    min_score: float
    namespace: Iterable[str] | None
    include_below: bool
    kinds: Iterable[str] | None
    metadata: Mapping[str, Any] | None
    trust_min: int
    include_superseded: bool


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
        kinds=None if kinds is None else tuple(clean_kind(kind) for kind in kinds),
        metadata=None if metadata is None else clean_metadata(metadata),
        trust_min=int(fields.get("trust_min", Trust.UNTRUSTED)),
        include_superseded=fields.get("include_superseded", False),
    )


class _Candidate(NamedTuple):
    """A row that recall may return, before it is read."""

    source: str
    scored: Scored
    memory: Memory | None = None


def recall(
    store: OwnerStore,
    clock: Clock,
    *,
    query: str,
    limits: tuple[int | None, int],
    fields: RecallFields,
) -> Found:
    """Return what the question may mean, best first, within a number of hits and tokens.

    Args:
        store: the owner's.
        clock: for ages and expiry.
        query: the user's words; never read as a query language.
        limits: hits at most (None: as many as fit) and tokens at most.
        fields: what narrows it.

    Raises:
        InputError: a limit or a field cannot be one.
    """
    hits_max, tokens_max = clean_limit(limits[0]), clean_limit(limits[1], "tokens_max")
    which = memory_filter(clock, fields)
    sources = _sources(fields)
    if not isinstance(query, str):
        raise InvalidValue(f"the question is {type(query).__name__}, not text")
    asked = parse_query(storable(query)[0])
    if asked.is_empty:
        return Found((), 0, ("the question has no word to look for",))
    if hits_max == 0:
        return Found((), 0, ("the limit is 0",))
    packing = _Packing(hits_max, tokens_max or 0, fields.get("min_score", 0.0))
    memories = _from_memories(store, asked, which) if MEMORY in sources else []
    matches = store.log.match(asked.words, asked.prefixes) if LOG in sources else None
    for messages in _rounds(asked, matches):
        candidates = sorted([*messages, *memories], key=lambda one: -one.scored.value)
        memories = []
        packing.candidates += len(candidates)
        if not _pack(store, asked, candidates, packing):
            break
    return packing.found()


def _sources(fields: RecallFields) -> tuple[str, ...]:
    sources = tuple(fields.get("sources", SOURCES))
    for source in sources:
        if source not in SOURCES:
            raise InvalidValue(f"source {source!r} is none of {', '.join(SOURCES)}")
    if _narrows_to_memories(fields):
        return tuple(source for source in sources if source != LOG)
    return sources


def _rounds(asked: Query, matches: LogMatches | None) -> Iterator[list[_Candidate]]:
    """Yield the messages worth asking for first, then, if more are wanted, all the others."""
    if matches is None:
        yield []
        return
    first = rank_log(asked, matches)
    yield [_Candidate(LOG, one) for one in first]
    if len(first) >= CANDIDATES_MAX:
        seen = {one.seq for one in first}
        everyone = rank_log(asked, matches, depth=None)
        yield [_Candidate(LOG, one) for one in everyone if one.seq not in seen]


def _pack(
    store: OwnerStore, asked: Query, candidates: Sequence[_Candidate], packing: _Packing
) -> bool:
    """Pack the hits that candidates stand for; return whether more are wanted."""
    step = packing.page_rows
    for start in range(0, len(candidates), step):
        page = list(_read(store, asked, candidates[start : start + step], packing))
        # An exact match is known only when it is read; it comes first.
        page.sort(key=lambda hit: -hit.score)
        for hit in page:
            if not packing.add(hit):
                return False
    return True


def _narrows_to_memories(fields: RecallFields) -> bool:
    """Messages have no namespace, kind, trust or metadata: a filter on one asks for memories."""
    return any(fields.get(name) for name in ("namespace", "kinds", "metadata", "trust_min"))


def _from_memories(store: OwnerStore, asked: Query, which: MemoryFilter) -> list[_Candidate]:
    matches = store.memories.match(asked.words, asked.prefixes, which)
    weights = bm25(matches.terms, passages=matches.passages, passage_words=matches.passage_words)
    found = []
    for seq, memory in matches.memories.items():
        age_days = (which.now - memory.recorded_at).total_seconds() / _SECONDS_PER_DAY
        scored = score_memory(
            seq,
            weights.best.get(seq, 0.0),
            posting=weights.posting.get(seq, 0),
            importance=memory.importance,
            age_days=age_days,
        )
        found.append(_Candidate(MEMORY, scored, memory))
    return found


def _read(
    store: OwnerStore, asked: Query, page: Sequence[_Candidate], packing: _Packing
) -> Iterator[Hit]:
    """Yield the hits of a page of candidates; what cannot be read is counted."""
    rows = store.log.messages([one.scored.seq for one in page if one.memory is None])
    for one in page:
        if one.memory is not None:
            yield _memory_hit(asked, one.scored, one.memory)
            continue
        row = rows.get(one.scored.seq)
        if row is not None:
            hit = _message_hit(asked, one.scored, row)
            if hit is None:
                packing.unreadable += 1
            elif hit.text.strip():
                yield hit


def _memory_hit(asked: Query, scored: Scored, memory: Memory) -> Hit:
    return _hit(
        asked,
        scored,
        MEMORY_WEIGHTS,
        id=memory.id,
        source=MEMORY,
        text=passage(memory.text, passage_of(scored.posting)),
        at=memory.recorded_at,
        memory=memory,
    )


def _message_hit(asked: Query, scored: Scored, row: StoredMessage) -> Hit | None:
    try:
        message = read_message(row)
    except FormatError:
        return None
    return _hit(
        asked,
        scored,
        LOG_WEIGHTS,
        id=row.id,
        source=LOG,
        text=passage(searchable_text(message), passage_of(scored.posting)),
        at=row.sent_at or row.recorded_at,
        session_id=row.session_id,
        role=speaking_role(message),
        speaker=row.speaker,
    )


def _hit(asked: Query, scored: Scored, weights: Mapping[str, float], **fields: Any) -> Hit:
    is_exact = fold(fields["text"]).split() == asked.text.split()
    score = 1.0 if is_exact else public_score(scored.value)
    tokens = estimate_tokens(fields["text"]) + _LINE_TOKENS
    return Hit(score=score, parts=explain(scored, weights), tokens=tokens, **fields)


class _Packing:
    """Takes hits, best first, until the limit of hits or tokens is reached."""

    def __init__(self, hits_max: int | None, tokens_max: int, min_score: float) -> None:
        self._hits_max = hits_max
        self._tokens_max = tokens_max
        self._min_score = min_score
        self._hits: list[Hit] = []
        self._tokens = 0
        self._misfits = 0
        self.page_rows = max(_PAGE_ROWS_MIN, min(hits_max or _PAGE_ROWS_MAX, _PAGE_ROWS_MAX))
        self.unreadable = 0
        self.candidates = 0

    def add(self, hit: Hit) -> bool:
        """Take a hit if it fits; return whether more may be added."""
        if hit.score < self._min_score:
            return False
        if self._tokens + hit.tokens > self._tokens_max:
            self._misfits += 1
            return self._misfits < _MISFITS_MAX
        self._hits.append(hit)
        self._tokens += hit.tokens
        return self._hits_max is None or len(self._hits) < self._hits_max

    def found(self) -> Found:
        """Return what was taken, with the reasons for what was not."""
        reasons = []
        if not self.candidates:
            reasons.append("no word of the question was ever said or remembered")
        elif not self._hits and self._misfits:
            reasons.append(f"nothing fits into {self._tokens_max} tokens")
        elif not self._hits:
            reasons.append("nothing reaches the least score")
        elif self._misfits:
            reasons.append(f"some hits did not fit into {self._tokens_max} tokens")
        if self.unreadable:
            reasons.append(f"{self.unreadable} stored messages could not be read; run check")
        best_first = sorted(self._hits, key=lambda hit: -hit.score)
        return Found(tuple(best_first), self._tokens, tuple(reasons))
