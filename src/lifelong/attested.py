"""Tombstones, rules and files of an export: done as far as the file is believed, and no further.

Whoever wrote a file could write any of them into it. So a rule or a hold is taken over only under
this owner's seal, or where a person vouches for the file; a tombstone that nobody vouches for keeps
out only what other files bring; and a file comes back untrusted. Nothing here removes anything:
what stands, stays, whatever a file says.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from lifelong.errors import AmbiguousId, OwnerForgotten
from lifelong.forgetting import FILES, KIND, SESSION, LegalHold
from lifelong.memory.deciding import Quota
from lifelong.memory.remember import Rules
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Origin, Trust
from lifelong.retention import Retention
from lifelong.rows import StoredFile, Tombstone, Whose
from lifelong.transcripts.events import KeptFile, KeptHead, KeptRule, KeptTombstone, Sealed

MESSAGE, FILE = "message", "file"
_OUTSIDE = "document"


def require_later(whose: Whose, file: Path, head: KeptHead | None) -> None:
    """Refuse what was exported of an owner before all of that owner was forgotten.

    Raises:
        OwnerForgotten: it was, or does not say when.
    """
    if whose.forgotten_at is None:
        return
    if head is None or head.at is None:
        raise OwnerForgotten(f"{file} does not say when it was exported")
    if head.owner_id == whose.owner_id and head.at <= whose.forgotten_at:
        raise OwnerForgotten(f"{file}, of {head.at.isoformat()}")


class Attested:
    """What an export says beside what was said and remembered.

    Args:
        store: the owner's.
        clock: for the handle of retention.
        rules: what is screened, and how much there may be.
        is_vouched: whether a person vouches for what the files say.
    """

    def __init__(self, store: OwnerStore, clock: Clock, *, rules: Rules, is_vouched: bool) -> None:
        self._store = store
        self._rules = rules
        self._retention = Retention(store, clock)
        self._is_vouched = is_vouched
        self._files: list[KeptFile] = []
        self._read_tombstones()

    def was_forgotten(self, of: str, id: str, session_id: str = "") -> bool:
        """Return whether something was forgotten here, or some file says so."""
        return (of, session_id, id) in self._gone

    def note_forgotten(self, events: Sequence[KeptTombstone], now: datetime) -> int:
        """Note what was forgotten where the file comes from; return how much of it is new."""
        tombstones = [
            Tombstone(each.of, each.id, each.session_id, min(each.at, now), not is_believed)
            for each, is_believed in zip(events, self._are_believed(events), strict=True)
        ]
        tombstones = [each for each in tombstones if self._is_news(each)]
        if not tombstones:
            return 0
        noted = self._store.memories.note_forgotten(tombstones)
        self._read_tombstones()
        return noted

    def take_rule(self, event: KeptRule) -> bool:
        """Take over a rule or a hold where none stands; return whether it is new.

        Raises:
            InputError: it cannot be a rule.
        """
        if not all(self._are_believed([event])):
            return False
        rule = event.rule
        if isinstance(rule, LegalHold):
            if any(each.id == rule.id for each in self._retention.holds()):
                return False
            self._store.forgetting.place_hold(rule)
            return True
        if any(
            (each.what, each.name) == (rule.what, rule.name) for each in self._retention.rules()
        ):
            return False
        self._retention.keep(
            rule.saves,
            days=rule.days,
            newest=rule.newest,
            session=rule.name if rule.what == SESSION else None,
            kind=rule.name if rule.what == KIND else None,
            files=rule.what == FILES,
        )
        return True

    def take_file(self, event: KeptFile) -> None:
        """Keep a text of a file until all that it may have been made from is there."""
        self._files.append(event)

    def put_back(self, now: datetime) -> tuple[int, list[tuple[int, str]]]:
        """Store the files that were taken.

        Returns:
            How many got a text, and the lines that were set aside, with the reason.
        """
        events, self._files = self._files, []
        set_aside: list[tuple[int, str]] = []
        kept = [
            each
            for event, is_sealed in zip(events, self._are_sealed(events), strict=True)
            if (each := self._screened(event, now, is_sealed=is_sealed)) is not None
        ]
        files = {}
        sizes = {info.path: info.bytes for info in self._store.files.infos()}
        for event in kept:
            if event.created_at is None or event.read_at is None:
                continue
            refusal = _refusal(event, sizes, self._rules.quota)
            if refusal:
                set_aside.append((event.line, refusal))
                continue
            sizes[event.text.path] = len(event.text.text.encode())
            created_at, read_at = min(event.created_at, now), min(event.read_at, now)
            files[event.text.path] = StoredFile(event.text, created_at, read_at)
        versions = [event.text for event in kept if event.created_at is None]
        limit = self._rules.quota.file_bytes_max
        versions = [each for each in versions if len(each.text.encode()) <= limit]
        return self._store.files.put_back(list(files.values()), versions, at=now), set_aside

    def _is_news(self, tombstone: Tombstone) -> bool:
        name = (tombstone.of, tombstone.session_id, tombstone.id)
        return name not in (self._gone if tombstone.is_told else self._known)

    def _read_tombstones(self) -> None:
        found = self._store.memories.tombstones()
        self._known = frozenset(
            (each.of, each.session_id, each.id) for each in found if not each.is_told
        )
        self._gone = frozenset((each.of, each.session_id, each.id) for each in found)
        self._gone_ids = frozenset(each.id for each in found if each.of != FILE)

    def _screened(self, event: KeptFile, now: datetime, *, is_sealed: bool) -> KeptFile | None:
        """Return a text as it may be kept, with the trust that it is due; None if it may not."""
        text = event.text
        if self.was_forgotten(FILE, text.path) or self._is_of_forgotten(text.origin):
            return None
        trust = text.trust if is_sealed else self._trust(text.origin, text.trust)
        channel = _OUTSIDE if trust == Trust.UNTRUSTED else text.origin.channel
        found = self._rules.screening.text(text.text, channel)
        kept = replace(
            text,
            text=found.text,
            trust=trust,
            is_suspect=text.is_suspect or found.is_suspect,
            written_at=min(text.written_at, now),
        )
        return replace(event, text=kept)

    def _trust(self, origin: Origin, claimed: Trust) -> Trust:
        if not self._is_vouched:
            return Trust.UNTRUSTED
        try:
            found = self._store.memories.parent_trust(origin.parents) if origin.parents else {}
        except AmbiguousId:
            return Trust.UNTRUSTED
        if len(found) < len(set(origin.parents)):
            return Trust.UNTRUSTED  # nobody knows what it was made from
        return Trust(min(claimed, Trust.USER, *found.values()))

    def _is_of_forgotten(self, origin: Origin) -> bool:
        """Return whether a text was made from what was forgotten and does not stand."""
        return not self._gone_ids.isdisjoint(origin.parents)

    def _are_believed(self, events: Sequence[Sealed]) -> list[bool]:
        if self._is_vouched:
            return [True] * len(events)
        return self._are_sealed(events)

    def _are_sealed(self, events: Sequence[Sealed]) -> list[bool]:
        seals = self._store.memories.seals([event.digest for event in events])
        return [
            bool(event.seal) and hmac.compare_digest(seal.encode(), event.seal.encode())
            for event, seal in zip(events, seals or [""] * len(events), strict=True)
        ]


def _refusal(event: KeptFile, sizes: Mapping[str, int], quota: Quota) -> str:
    """Return why one more file is refused; empty when it is not."""
    path, size = event.text.path, len(event.text.text.encode())
    rest = {name: count for name, count in sizes.items() if name != path}
    if size > quota.file_bytes_max:
        return f"file: it has {size} bytes, and the quota is {quota.file_bytes_max}"
    if len(rest) >= quota.files_max or sum(rest.values()) + size > quota.files_bytes_max:
        return "file: the quota of files is full"
    return ""
