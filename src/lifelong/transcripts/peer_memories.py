"""Memories of other tools, as ours: whatever store they lie in, they become the same thing.

Ids are made from the tool's own, so that reading a store again adds nothing, and what was forgotten
here stays so, whatever the tool says of it by now. Nothing is believed here; see `restoring`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from lifelong.clock import ID_BYTES
from lifelong.errors import InvalidValue
from lifelong.memory.entry import clean_kind, clean_metadata, clean_namespace, clean_text
from lifelong.memory.remember import IMPORTANCE_DEFAULT
from lifelong.records import Memory, Origin, trust_of_channel
from lifelong.transcripts.events import KeptMemory
from lifelong.transcripts.fields import usable_name
from lifelong.writing import MemoryVersion

NODES_MAX = 100_000
"""Values that one memory may hold: more is no memory, and a small file may claim any number."""

_NO_TIME = datetime.max.replace(tzinfo=UTC)
"""What is recorded in the future is recorded now: so a memory without a time is as of today."""


@dataclass(frozen=True, slots=True)
class PeerMemory:
    """A memory as another tool keeps it.

    Attributes:
        source: the name of the tool.
        names: what tells it from all others of the tool.
        text: what it says.
        channel: whose words it is, as the tool says.
        kind: one of `lifelong.KINDS`.
        namespace: where the tool keeps it.
        metadata: what else it says of it.
        recorded_at, updated_at, expires_at: None where it does not say.
        versions: what it said from when on, oldest first; empty where that is not known.
    """

    source: str
    names: Sequence[str]
    text: object
    channel: str = "user"
    kind: str = "note"
    namespace: Sequence[str] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    recorded_at: datetime | None = None
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    versions: Sequence[tuple[datetime, str]] = ()

    def kept(self, position: int) -> KeptMemory:
        """Return it as a memory of ours.

        Args:
            position: in the file, from 1; no two memories of a file share one.

        Raises:
            InputError: it cannot be one.
        """
        memory_id = _id_of(self.source, self.names)
        recorded_at = self.recorded_at or self.updated_at or _NO_TIME
        memory = Memory(
            id=memory_id,
            text=clean_text(self.text),
            kind=clean_kind(self.kind),
            namespace=clean_namespace(self.namespace),
            importance=IMPORTANCE_DEFAULT,
            origin=Origin(self.channel, self.source),
            trust=trust_of_channel(self.channel),
            key=None,
            metadata=clean_metadata(self.metadata),
            recorded_at=recorded_at,
            updated_at=max(self.updated_at or recorded_at, recorded_at),
            expires_at=self.expires_at,
        )
        return KeptMemory(position, memory, tuple(self._history(memory_id)), {}, "", "")

    def _history(self, memory_id: str) -> Iterator[MemoryVersion]:
        change = "stored"
        for at, text in self.versions:
            yield MemoryVersion(memory_id, at, change, clean_text(text), {})
            change = "updated"


def plain(value: Any) -> Any:
    """Return a value of another tool as JSON has it; what JSON has no word for becomes text.

    Raises:
        InvalidValue: it is larger than any memory; such as a small one that holds itself.
    """
    try:
        return _plain(value, [NODES_MAX])
    except RecursionError as error:
        raise InvalidValue("it is nested too deep, or holds itself") from error


def _plain(value: Any, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise InvalidValue(f"it holds more than {NODES_MAX} values")
    if isinstance(value, Mapping):
        return {str(key): _plain(each, left) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(each, left) for each in value]
    if value is None or isinstance(value, str | bool | int | float):
        return value
    return value.isoformat() if isinstance(value, datetime) else str(value)


def text_of(value: Any, names: Iterable[str]) -> tuple[str, Any]:
    """Return what a value says, and the rest of it.

    Args:
        value: JSON. Text says itself; of an object it is the first text that has one of the
            names, or else each of its values with its name.
        names: of what may hold the text.
    """
    if isinstance(value, str):
        return value, None
    if isinstance(value, Mapping):
        for name in names:
            found = value.get(name)
            if isinstance(found, str) and found.strip():
                return found, {key: each for key, each in value.items() if key != name}
            if isinstance(found, Mapping) and found:
                text, rest = text_of(found, names)
                return text, {**value, name: rest}
    return "\n".join(_said(value)), None


def _said(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _said(each, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for each in value:
            yield from _said(each, name)
    elif value is not None:
        said = value if isinstance(value, str) else json.dumps(value)
        if said.strip():
            yield f"{name}: {said}" if name else said


def named(value: object) -> str:
    """Return the id that a tool gave, as text.

    Raises:
        InvalidValue: it cannot be one.
    """
    name = usable_name(value)
    if name is None:
        raise InvalidValue("its id cannot be one")
    return name


def _id_of(source: str, names: Sequence[str]) -> str:
    text = json.dumps([source, *names])
    return f"mem_{hashlib.blake2b(text.encode(), digest_size=ID_BYTES).hexdigest()}"
