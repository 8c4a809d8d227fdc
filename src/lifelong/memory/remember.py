"""Remembering: from what the caller gave to one row with its index, history and origin.

One pipeline: screen, normalise, then in one transaction exact duplicate, near duplicate,
supersession, quota and write. Trust is fixed here, at writing: the least of the channel's and of
every parent's, so that text from a tool cannot become a user's word by being copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from lifelong.errors import InvalidTime, InvalidValue, NotFound
from lifelong.memory.deciding import QUOTA_DEFAULT, Quota, decide
from lifelong.memory.entry import (
    clean_importance,
    clean_kind,
    clean_metadata,
    clean_name,
    clean_namespace,
    clean_origin,
    clean_text,
    clean_time,
    require_known,
)
from lifelong.memory.forget_scope import MEMORY_PREFIX
from lifelong.memory.passages import as_passage, cut
from lifelong.memory.supersede import search_words
from lifelong.memory.terms import text_hash
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Memory, Origin, Trust, trust_of_channel
from lifelong.rows import MemoryFilter, MemoryWrite, Passage, Standing, Verdict
from lifelong.screening.policy import DEFAULT, Screening
from lifelong.screening.redact import is_only_marks
from lifelong.writing import (
    DUPLICATE,
    QUARANTINED,
    REFUSED,
    REVOKED,
    STORED,
    SUPERSEDES,
    SUSPECT,
    Finding,
    Remembered,
)

IMPORTANCE_DEFAULT = 5
CHANGEABLE = ("kind", "importance", "metadata", "valid_from", "valid_to", "expires_at", "origin")

_ONLY_SECRETS = "nothing is left once what is secret is taken out: say it without the secret"
_TELLING_NAME = "a name in the namespace reads like a secret: use another"


class MemoryFields(TypedDict, total=False):
    """What can be said of a memory beside its text.

    Attributes:
        kind: preference, constraint, fact, event, procedure or note (the default).
        namespace: a tuple of segments; () by default.
        importance: 1 to 10; 5 by default.
        key: a name; a newer memory with the same key and namespace supersedes the older one.
        metadata: a JSON object of the caller's own.
        valid_from, valid_to, expires_at: aware times, or ISO 8601 text with an offset.
        origin: an `Origin`, or the name of its channel; ``user`` by default.
        supersedes: ids of memories that this one replaces; of a chain, its end.
    """

    kind: str
    namespace: Iterable[str]
    importance: int
    key: str | None
    metadata: Mapping[str, Any] | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None
    expires_at: datetime | str | None
    origin: Origin | str
    supersedes: Sequence[str]


def memory_passages(memory: Memory) -> tuple[Passage, ...]:
    """Return the index form of a memory's text."""
    return tuple(as_passage(piece) for piece in cut(memory.text))


class SpokenIn(NamedTuple):
    """The message that a memory was said in: an id alone may be that of several messages.

    Attributes:
        seq: its number in the log.
        trust: of the message.
        role: of who said it.
    """

    seq: int
    trust: Trust
    role: str


class Rules(NamedTuple):
    """What holds for all that an owner's memories are to be.

    Attributes:
        screening: what is taken out, and what is held back.
        quota: how much there may be.
    """

    screening: Screening = DEFAULT
    quota: Quota = QUOTA_DEFAULT

    def decide(self, memory: Memory, standing: Standing) -> Verdict:
        """Return what a memory does to what stands; see `memory.deciding`."""
        return decide(memory, standing, self.quota)


RULES_DEFAULT = Rules()


def remember(
    store: OwnerStore,
    clock: Clock,
    *,
    text: str,
    fields: MemoryFields,
    rules: Rules,
    held_for: str = "",
    spoken_in: Mapping[str, SpokenIn] | None = None,
) -> Remembered:
    """Store one memory, unless it is known already.

    Args:
        store: the owner's.
        clock: for its time and id.
        text: the statement.
        fields: what else is said of it.
        rules: what is screened, and how much there may be.
        held_for: why it is to wait for a person in any case; empty when it need not.
        spoken_in: messages by their ids, where the caller knows which are meant by its parents.

    Raises:
        InputError: one of its kinds, before anything is written.
        NotFound: a parent, or a memory that is to be superseded, is not there.
    """
    require_known(fields, MemoryFields.__annotations__, "remember")
    now = clock.now()
    given, findings, is_suspect = screened(_memory(clock, text, fields), rules.screening)
    memory = replace(
        given,
        trust=_trust(store, given.origin, spoken_in or {}),
        held_for=held_for or (SUSPECT if is_suspect else _held_with(store, given.origin)),
    )
    _require_order(memory)
    if memory.expires_at is not None and memory.expires_at <= now:
        raise InvalidTime("expires_at lies in the past, so no read would show it")
    supersedes = [clean_name(each, "memory id") for each in fields.get("supersedes", ())]
    refusal = _refusal(memory, rules.screening)
    if refusal:
        return Remembered(outcome=REFUSED, memory=memory, findings=findings, mend=refusal)
    write = replace(
        as_write(memory, rules.screening.version),
        parent_seqs={name: said.seq for name, said in (spoken_in or {}).items()},
    )
    verdict = store.memories.write(write, rules.decide, supersedes)
    return outcome(store, clock, memory=memory, verdict=verdict, findings=findings)


def _memory(clock: Clock, text: str, fields: MemoryFields) -> Memory:
    """Return the memory that was given, checked, and without its trust."""
    now, key = clock.now(), fields.get("key")
    return Memory(
        id=clock.new_id("mem"),
        text=clean_text(text),
        kind=clean_kind(fields.get("kind", "note")),
        namespace=clean_namespace(fields.get("namespace", ())),
        importance=clean_importance(fields.get("importance", IMPORTANCE_DEFAULT)),
        origin=clean_origin(fields.get("origin", "user")),
        trust=Trust.UNTRUSTED,
        key=None if key is None else clean_name(key, "key"),
        metadata=clean_metadata(fields.get("metadata")),
        recorded_at=now,
        updated_at=now,
        valid_from=clean_time(fields.get("valid_from"), "valid_from"),
        valid_to=clean_time(fields.get("valid_to"), "valid_to"),
        expires_at=clean_time(fields.get("expires_at"), "expires_at"),
    )


def screened(memory: Memory, screening: Screening) -> tuple[Memory, tuple[Finding, ...], bool]:
    """Return a memory as it may be kept, what was found, and whether it reads like an instruction.

    Every text of it is screened, not only what it says.
    """
    said = screening.text(memory.text, memory.origin.channel)
    findings = list(said.findings)

    def clean(text: str) -> str:
        found = screening.text(text)
        findings.extend(found.findings)
        return found.text

    metadata, found = screening.value(dict(memory.metadata))
    findings += found
    source = clean(memory.origin.source)
    kept = replace(
        memory,
        text=said.text,
        metadata=metadata,
        key=None if memory.key is None else clean(memory.key),
        origin=replace(memory.origin, source=source),
    )
    return kept, tuple(findings), said.is_suspect


def as_write(memory: Memory, screened_with: str) -> MemoryWrite:
    """Return what the store needs of a memory."""
    return MemoryWrite(
        memory,
        text_hash(memory.text),
        memory_passages(memory),
        tuple(search_words(memory.text)),
        screened_with,
    )


def outcome(
    store: OwnerStore,
    clock: Clock,
    *,
    memory: Memory,
    verdict: Verdict,
    findings: Sequence[Finding] = (),
) -> Remembered:
    """Return what became of a memory, as the store has it now."""
    if verdict.refusal:
        return Remembered(
            outcome=REFUSED, memory=memory, findings=tuple(findings), mend=verdict.refusal
        )
    stands = _standing(store, clock, verdict.duplicate_of or memory.id)
    name = SUPERSEDES if verdict.supersedes else STORED
    if verdict.duplicate_of is not None:
        name = DUPLICATE
    elif memory.held_for:
        name = QUARANTINED
    return Remembered(
        outcome=name,
        memory=stands or memory,
        duplicate_of=verdict.duplicate_of,
        supersedes=verdict.supersedes,
        conflicts=verdict.conflicts,
        findings=tuple(findings),
    )


def _standing(store: OwnerStore, clock: Clock, memory_id: str) -> Memory | None:
    which = MemoryFilter(now=clock.now(), include_superseded=True)
    found = store.memories.get(memory_id, which)
    if found is not None:
        return found
    held = store.review.held(memory_id)
    return held[0] if held else None


def update(
    store: OwnerStore,
    clock: Clock,
    *,
    memory_id: str,
    text: str | None,
    fields: MemoryFields,
    rules: Rules,
) -> Memory:
    """Change a live memory; what is not named stays as it is.

    Metadata is merged key by key. Namespace, key, origin and the time of recording never change;
    an `origin` that is named says whose words the change is, and lowers the trust to theirs.

    Raises:
        InputError: one of its kinds, before anything is written.
        NotFound: it is not there, or not live.
        MemoryConflict: another live memory in its namespace has the text.
    """
    require_known(fields, CHANGEABLE, "update")
    now = clock.now()
    changed: dict[str, Any] = {"updated_at": now}
    if text is not None:
        changed["text"] = clean_text(text)
    if "kind" in fields:
        changed["kind"] = clean_kind(fields["kind"])
    if "importance" in fields:
        changed["importance"] = clean_importance(fields["importance"])
    metadata = clean_metadata(fields.get("metadata"))
    for name in ("valid_from", "valid_to", "expires_at"):
        if name in fields:
            changed[name] = clean_time(fields.get(name), name)
    by = clean_origin(fields.get("origin", "user"))
    trust = _trust(store, by, {})
    result: list[Memory] = []

    def change(old: Memory) -> MemoryWrite:
        new = replace(
            old,
            **changed,
            metadata={**old.metadata, **metadata},
            trust=min(old.trust, trust),
            confirmed_at=old.confirmed_at if text in (None, old.text) else None,
        )
        _require_order(new)
        kept, _, is_suspect = screened(replace(new, origin=by), rules.screening)
        if is_suspect:
            raise InvalidValue("the new text reads like an instruction: remember it instead")
        new = replace(kept, origin=old.origin)
        result[:] = [new]
        return as_write(new, rules.screening.version)

    store.memories.update(clean_name(memory_id, "memory id"), MemoryFilter(now=now), change)
    return result[0]


def _trust(store: OwnerStore, origin: Origin, spoken_in: Mapping[str, SpokenIn]) -> Trust:
    trust = trust_of_channel(origin.channel)
    trusts = {parent: said.trust for parent, said in spoken_in.items() if parent in origin.parents}
    others = [parent for parent in origin.parents if parent not in trusts]
    parents = {**trusts, **(store.memories.parent_trust(others) if others else {})}
    for parent in origin.parents:
        if parent not in parents:
            raise NotFound(f"parent {parent}")
    return Trust(min(trust, *parents.values())) if parents else trust


def _held_with(store: OwnerStore, origin: Origin) -> str:
    """Return `REVOKED` for what is made from something that is held back; empty for the rest."""
    parents = (parent for parent in origin.parents if parent.startswith(MEMORY_PREFIX))
    return REVOKED if any(store.review.held(parent) for parent in parents) else ""


def _refusal(memory: Memory, screening: Screening) -> str:
    """Return why what was found keeps a memory from being stored; empty when it does not."""
    if is_only_marks(memory.text):
        return _ONLY_SECRETS
    if any(screening.find(segment) for segment in memory.namespace):
        return _TELLING_NAME
    return ""


def _require_order(memory: Memory) -> None:
    if memory.valid_from and memory.valid_to and memory.valid_to < memory.valid_from:
        raise InvalidTime("valid_to lies before valid_from")
