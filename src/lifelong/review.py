"""The handle of what waits for a person: held memories, conflicts, origins, confirmations.

None of it is offered to a model as a tool: what is held back is released, and trust is raised, only
by a person, through the command line or a page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from os import PathLike
from typing import Unpack

from lifelong.errors import AmbiguousId, ConfirmationRefused, InvalidValue, NotFound, ScopeRequired
from lifelong.forgetting import Receipt
from lifelong.memory.entry import clean_name, clean_text
from lifelong.memory.forget import Receipts, forget
from lifelong.memory.forget_scope import MEMORY_PREFIX, Scope
from lifelong.memory.remember import Rules, as_write, outcome, remember, screened
from lifelong.ports import Clock, OwnerStore
from lifelong.records import CHANNELS, Memory, Origin
from lifelong.restoring import restore
from lifelong.rows import MemoryFilter, MemoryWrite
from lifelong.transcripts.files import WITH_MEMORIES, Reading, ReadingFields
from lifelong.transcripts.importing import ImportReport, OnProgress
from lifelong.transcripts.own_export import SOURCE as OWN_EXPORT
from lifelong.writing import (
    CONFLICT,
    PROPOSED,
    REVOKED,
    Confirmation,
    Remembered,
    ReviewItem,
    Revoked,
)

CONFIRMATION_MINUTES = 15


class Review:
    """What waits for a person, of one owner."""

    def __init__(
        self, store: OwnerStore, clock: Clock, *, rules: Rules, receipts: Receipts
    ) -> None:
        self._receipts = receipts
        self._store = store
        self._clock = clock
        self._rules = rules

    def items(self) -> list[ReviewItem]:
        """Return what waits: memories that are held back, then conflicts; the oldest first."""
        held = [
            ReviewItem(memory.held_for, memory, None, memory.updated_at)
            for memory in self._store.review.held()
        ]
        conflicts = [
            ReviewItem(CONFLICT, found.newer, found.older, found.at)
            for found in self._store.review.conflicts()
        ]
        return [*sorted(held, key=lambda item: item.at), *conflicts]

    def accept(self, memory_id: str, text: str | None = None) -> Remembered:
        """Keep what extraction proposed, as it stands or in other words.

        It takes its place then: a duplicate is told, and it may replace what it contradicts.

        Raises:
            NotFound: nothing with this id is proposed.
            InvalidValue: it is held back for another reason; see `release`.
        """
        held = self._held(memory_id)
        if held.held_for != PROPOSED:
            raise InvalidValue(f"{memory_id} is {held.held_for}, not proposed: release it")
        return self._let_go(held, text)

    def release(self, memory_id: str, text: str | None = None) -> Remembered:
        """Let a memory that was quarantined, or whose origin was revoked, be seen again.

        Its trust stays what its origin allows; see `confirm`.

        Raises:
            NotFound: no memory with this id is held back.
            InvalidValue: it is a proposal; see `accept`.
        """
        held = self._held(memory_id)
        if held.held_for == PROPOSED:
            raise InvalidValue(f"{memory_id} is proposed: accept it")
        return self._let_go(held, text)

    def reject(self, memory_id: str) -> Receipt:
        """Forget a memory that is held back.

        Raises:
            NotFound: no memory with this id is held back.
        """
        held = self._held(memory_id)
        return forget(self._store, self._receipts, scope=Scope(id=held.id))

    def keep_both(self, one_id: str, other_id: str) -> None:
        """Settle a conflict: both are true.

        Raises:
            NotFound: the two are in no conflict.
        """
        ids = clean_name(one_id, "memory id"), clean_name(other_id, "memory id")
        if not self._store.review.settle(*ids, self._clock.now()):
            raise NotFound(f"conflict of {one_id} and {other_id}")

    def merge(self, memory_ids: Sequence[str], text: str) -> Remembered:
        """Replace live memories by one in words of a person, made from them.

        Kind, namespace, times and the rest are those of the newest of them; the trust is the least
        of theirs.

        Raises:
            NotFound: one of them is not live.
            InvalidValue: fewer than two.
        """
        ids = [clean_name(each, "memory id") for each in dict.fromkeys(memory_ids)]
        if len(ids) < 2:
            raise InvalidValue("two memories at least can be merged")
        which = MemoryFilter(now=self._clock.now())
        memories = [self._live(each, which) for each in ids]
        newest = max(memories, key=lambda memory: memory.recorded_at)
        return remember(
            self._store,
            self._clock,
            text=text,
            fields={
                "kind": newest.kind,
                "namespace": newest.namespace,
                "importance": max(memory.importance for memory in memories),
                "key": newest.key,
                "metadata": newest.metadata,
                "valid_from": newest.valid_from,
                "valid_to": newest.valid_to,
                "expires_at": newest.expires_at,
                "origin": Origin("user", "", tuple(ids)),
                "supersedes": ids,
            },
            rules=self._rules,
        )

    def confirmation(self, memory_id: str) -> Confirmation:
        """Return what lets a person vouch for a memory as it stands: once, for fifteen minutes.

        To be called where a person looks at the memory, never on a model's behalf.

        Raises:
            NotFound: it is neither live nor held back.
        """
        memory_id = clean_name(memory_id, "memory id")
        now = self._clock.now()
        memory = self._store.memories.get(memory_id, MemoryFilter(now=now))
        memory = memory or self._held(memory_id)
        token = self._clock.new_id("cnf")
        expires_at = now + timedelta(minutes=CONFIRMATION_MINUTES)
        self._store.review.add_confirmation(
            _hash(token), memory.id, text_hash=_hash(memory.text), expires_at=expires_at
        )
        return Confirmation(token, memory.id, memory.text, expires_at)

    def confirm(self, token: str) -> Memory:
        """Vouch for a memory: it is trusted from now on as the user's own word.

        Raises:
            ConfirmationRefused: the token was used, is too old, or the memory changed meanwhile.
        """
        hashed = _hash(clean_name(token, "confirmation"))
        memory = self._store.review.confirm(hashed, _hash, self._clock.now())
        if memory is None:
            raise ConfirmationRefused
        return memory

    def revoke(
        self,
        *,
        source: str | None = None,
        channel: str | None = None,
        id: str | None = None,
        dry_run: bool = False,
    ) -> Revoked:
        """Hold back all that came from an origin, and all that was made from it.

        Args:
            source: the name of the origin, as it was given.
            channel: one of `records.CHANNELS`.
            id: of a memory or a message: what was made from it, and the memory itself.
            dry_run: say what would be held back, and change nothing.

        Raises:
            ScopeRequired: nothing says which origin.
            AmbiguousId: messages of several sessions have the id.
            NotFound: nothing has the id.
        """
        if source is None and channel is None and id is None:
            raise ScopeRequired("revoke takes source=, channel= or an id")
        if channel is not None and channel not in CHANNELS:
            raise InvalidValue(f"channel {channel!r} is none of {', '.join(CHANNELS)}")
        now = self._clock.now()
        memories, messages = self._with_id(clean_name(id, "id")) if id is not None else ([], [])
        if source is not None or channel is not None:
            memories += self._store.review.from_origin(channel, source)
        made = self._store.memories.derived_from(memories, messages)
        held = self._store.review.hold([*memories, *made], REVOKED, at=now, is_dry_run=dry_run)
        return Revoked(now, tuple(held), dry_run)

    def restore(
        self,
        path: str | PathLike[str],
        on_progress: OnProgress | None = None,
        *,
        source: str = OWN_EXPORT,
        **fields: Unpack[ReadingFields],
    ) -> ImportReport:
        """Read back what a person vouches for: that nobody else wrote or changed it.

        Its memories are trusted as far as it says, at most as the user's own word, and no more than
        what they were made from; its rules of retention and legal holds hold where none stands.
        `Owner.import_transcripts` does the same and believes nothing.

        Args:
            path: a file, or a folder of such files.
            on_progress: called with bytes read, bytes in all, and the file's name.
            source: whose it is: ``lifelong`` (an export), ``langgraph`` or ``mem0``.
            **fields: what opens it, and whose memories are wanted; see `ReadingFields`.

        Raises:
            InvalidValue: what the source has are no memories.
            InputError: one of its kinds: as for `Owner.import_transcripts`.
        """
        if source not in WITH_MEMORIES:
            raise InvalidValue(f"{source!r} is not one of {', '.join(WITH_MEMORIES)}")
        return restore(
            self._store,
            self._clock,
            reading=Reading.of(source, path, fields),
            rules=self._rules,
            whose=self._receipts.whose(),
            is_vouched=True,
            on_progress=on_progress,
        )

    def _with_id(self, wanted: str) -> tuple[list[str], list[int]]:
        """Return the memory, or the number of the message, that has an id."""
        if wanted.startswith(MEMORY_PREFIX):
            if wanted not in self._store.memories.parent_trust([wanted]):
                raise NotFound(wanted)
            return [wanted], []
        rows = self._store.log.find(wanted, None)
        if len(rows) > 1:
            raise AmbiguousId(f"{len(rows)} messages have the id {wanted!r}")
        if not rows:
            raise NotFound(wanted)
        return [], [rows[0].seq]

    def _held(self, memory_id: str) -> Memory:
        found = self._store.review.held(clean_name(memory_id, "memory id"))
        if not found:
            raise NotFound(memory_id)
        return found[0]

    def _live(self, memory_id: str, which: MemoryFilter) -> Memory:
        found = self._store.memories.get(memory_id, which)
        if found is None:
            raise NotFound(memory_id)
        return found

    def _let_go(self, held: Memory, text: str | None) -> Remembered:
        """Make a held memory live, in other words if some are given."""
        now, screening = self._clock.now(), self._rules.screening
        result: list[Memory] = []

        def change(old: Memory) -> MemoryWrite:
            new = replace(old, held_for="", updated_at=now)
            if text is not None:
                new, _, _ = screened(replace(new, text=clean_text(text)), screening)
            result[:] = [new]
            return as_write(new, screening.version)

        verdict = self._store.review.release(held.id, change, decide=self._rules.decide, at=now)
        return outcome(self._store, self._clock, memory=result[0], verdict=verdict)


def _hash(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
