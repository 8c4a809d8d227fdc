"""What a request to forget means, row by row: the rows it names, and what was made from them.

Where several things are said, all of them hold. What is said of memories only (a namespace, kinds)
leaves the log alone; what is said of the log only (a session) leaves memories, except those that
were made from its messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from itertools import groupby
from typing import Any, TypedDict

from lifelong.clock import ID_BYTES
from lifelong.errors import AmbiguousId, EmptyText, FormatError, InvalidName, ScopeRequired
from lifelong.file_paths import canonical, is_below
from lifelong.forgetting import Forgettable
from lifelong.formats.stored import decode
from lifelong.memory.entry import (
    clean_kind,
    clean_name,
    clean_namespace,
    clean_origin,
    clean_text,
    clean_time,
    require_known,
)
from lifelong.memory.passages import leaf_texts, searchable_text
from lifelong.memory.terms import fold
from lifelong.ports import OwnerStore
from lifelong.records import Memory, Namespace, SessionInfo
from lifelong.rows import Selection, StoredMessage

MEMORY_PREFIX = "mem_"
MEMORY_ID_LENGTH = len(MEMORY_PREFIX) + 2 * ID_BYTES
TEXT_MAX = 200
"""So many characters of each thing are shown before it goes."""


class ForgetFields(TypedDict, total=False):
    """What is to be forgotten; where several things are said, all of them hold.

    Attributes:
        session: all messages of this session; with an id, that message in it.
        match: all memories, messages, titles, named values and files that hold this text.
        namespace: memories in this namespace and below it.
        channel: of this origin: user, assistant, tool, document or system.
        source: of this origin: memories from this source, and the sessions imported from it.
        kinds: memories of these kinds.
        before: what was recorded before this time: aware, or ISO 8601 text with an offset.
        state: the value of this name.
        file: the file of this path, or all below it.
        everything: all of this owner: the file goes, and its key. It goes with nothing else.
    """

    session: str | None
    match: str | None
    namespace: Iterable[str] | None
    channel: str | None
    source: str | None
    kinds: Iterable[str] | None
    before: datetime | str | None
    state: str | None
    file: str | None
    everything: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What is to be forgotten; at least one field is set. See `ForgetFields`."""

    id: str | None = None
    session: str | None = None
    match: str | None = None
    namespace: Namespace | None = None
    channel: str | None = None
    source: str | None = None
    kinds: tuple[str, ...] | None = None
    before: datetime | None = None
    state: str | None = None
    file: str | None = None

    def words(self) -> str:
        """Return the scope in words that hold no content: ids, times and words of ours alone."""
        named = {
            "id": self.id,
            "session": self.session,
            "channel": self.channel,
            "kinds": ",".join(self.kinds) if self.kinds else None,
            "before": self.before.isoformat() if self.before else None,
        }
        said = [f"{name} {value}" for name, value in named.items() if value is not None]
        silent = ("match", "namespace", "source", "state", "file")
        return ", ".join([*said, *(name for name in silent if getattr(self, name) is not None)])

    @property
    def names_memories(self) -> bool:
        """Whether it can mean memories by themselves."""
        return self.session is None and self.state is None and self.file is None

    @property
    def names_messages(self) -> bool:
        """Whether it can mean messages."""
        of_others = (self.namespace, self.kinds, self.state, self.file)
        return all(field is None for field in of_others)

    @property
    def is_match_alone(self) -> bool:
        """Whether nothing but a text is said, so that all places are looked into."""
        return self == Scope(match=self.match) and self.match is not None


def clean_scope(id: str | None, given: ForgetFields) -> Scope:
    """Return the scope that is asked for.

    Raises:
        InputError: a field is not known, or cannot be what it says.
        ScopeRequired: nothing is named, or things that contradict each other.
    """
    require_known(given, ForgetFields.__annotations__, "forget")
    match, channel = given.get("match"), given.get("channel")
    namespace, kinds = given.get("namespace"), given.get("kinds")
    scope = Scope(
        id=_name(id, "id"),
        session=_name(given.get("session"), "session id"),
        match=None if match is None else clean_text(match, "match"),
        namespace=None if namespace is None else clean_namespace(namespace),
        channel=None if channel is None else clean_origin(channel).channel,
        source=_name(given.get("source"), "source"),
        kinds=None if kinds is None else tuple(dict.fromkeys(map(clean_kind, kinds))),
        before=clean_time(given.get("before"), "before"),
        state=_name(given.get("state"), "state name"),
        file=None if given.get("file") is None else canonical(given["file"]),
    )
    if given.get("everything"):
        if scope != Scope():
            raise ScopeRequired("everything=True goes with no other scope")
        return scope
    if scope == Scope():
        raise ScopeRequired
    _require_one_thing(scope)
    return scope


def _name(given: str | None, what: str) -> str | None:
    return None if given is None else clean_name(given, what)


def _require_one_thing(scope: Scope) -> None:
    named = {field.name for field in fields(scope) if getattr(scope, field.name) is not None}
    for one in ("id", "state", "file"):
        if one in named and named - {one} - ({"session"} if one == "id" else set()):
            raise ScopeRequired(f"{one} goes with nothing else but the session of a message's id")
    if scope.kinds == ():
        raise ScopeRequired("no kind is named")
    if "session" in named and named & {"namespace", "kinds", "source"}:
        raise ScopeRequired("a session has messages, and no namespace, kind or source")


def select(store: OwnerStore, scope: Scope) -> Selection:
    """Return what a scope means.

    Raises:
        AmbiguousId: messages of several sessions have the id, and no session is named.
        EmptyText: the text to match is blank.
    """
    if scope.id is not None:
        return _by_id(store, scope.id, scope.session)
    if scope.state is not None:
        return Selection(states=_known(store.states.names(), [scope.state]))
    if scope.file is not None:
        return Selection(files=_below(store, scope.file))
    if scope.match is not None:
        return _matching(store, scope, _plain(scope.match))
    memories = [memory.id for memory in _memories(store, scope)]
    return selection_of(store, memories, list(_rows(store, scope)))


def _matching(store: OwnerStore, scope: Scope, needle: str) -> Selection:
    """Return what of a scope holds a text; where nothing else is said, wherever it stands."""
    if not needle:
        raise EmptyText("match")
    memories = [
        memory.id
        for memory in _memories(store, scope)
        if any(_holds(text, needle) for text in _texts_of(store, memory))
    ]
    rows = [row for row in _rows(store, scope) if _holds(_all_of(row), needle)]
    selection = selection_of(store, memories, rows)
    if not scope.is_match_alone:
        return selection
    labelled = [s.id for s in store.log.sessions() if _holds(_label(s), needle)]
    return replace(
        selection,
        labels=tuple(dict.fromkeys([*selection.labels, *labelled])),
        states=tuple(name for name in store.states.names() if _state_holds(store, name, needle)),
        files=tuple(dict.fromkeys([*selection.files, *_files_with(store, needle)])),
    )


def _below(store: OwnerStore, path: str) -> tuple[str, ...]:
    """Return the paths that have or had a text, of a file or of all that lie below a directory."""
    there = dict.fromkeys(found for found, _ in store.files.texts())
    return tuple(found for found in there if found == path or is_below(found, path))


def _known(names: Iterable[str], wanted: Iterable[str]) -> tuple[str, ...]:
    there = set(names)
    return tuple(name for name in wanted if name in there)


def _memories(store: OwnerStore, scope: Scope) -> Iterator[Memory]:
    """Yield the memories that a scope names, whatever they say; what is hidden goes too."""
    if scope.names_memories:
        yield from (m for m in store.memories.select(None) if _is_meant(m, scope))


def _is_meant(memory: Memory, scope: Scope) -> bool:
    below = scope.namespace
    return (
        (below is None or memory.namespace[: len(below)] == below)
        and scope.channel in (None, memory.origin.channel)
        and scope.source in (None, memory.origin.source)
        and (scope.kinds is None or memory.kind in scope.kinds)
        and (scope.before is None or memory.recorded_at < scope.before)
    )


def _rows(store: OwnerStore, scope: Scope) -> Iterator[StoredMessage]:
    """Yield the messages that a scope names, whatever they say."""
    if not scope.names_messages:
        return
    sources = {session.id: session.source for session in store.log.sessions()}
    of_one = None if scope.session is None else store.log.read(scope.session)
    for row in store.log.everything() if of_one is None else of_one:
        if (
            scope.channel in (None, row.role)
            and scope.source in (None, sources.get(row.session_id))
            and (scope.before is None or row.recorded_at < scope.before)
        ):
            yield row


def _by_id(store: OwnerStore, wanted: str, session: str | None) -> Selection:
    if session is None and wanted.startswith(MEMORY_PREFIX):
        if len(wanted) != MEMORY_ID_LENGTH:
            raise InvalidName(f"{wanted!r} is no whole memory id")
        return selection_of(store, [*store.memories.parent_trust([wanted])], [])
    rows = store.log.find(wanted, session)
    if len(rows) > 1:
        raise AmbiguousId(f"{len(rows)} messages have the id {wanted!r}")
    return selection_of(store, [], rows)


def _texts_of(store: OwnerStore, memory: Memory) -> Iterator[str]:
    """Yield all that a read can show of a memory: what it is, what it was, what is noted of it."""
    yield memory.text
    yield "\n".join([*memory.namespace, memory.key or "", memory.origin.source])
    yield _as_text(memory.metadata)
    for version in store.memories.history(memory.id):
        yield version.text
        yield _as_text(version.metadata)


def _all_of(row: StoredMessage) -> str:
    """Return every text of a message, searched or not: whoever reads or exports it sees it."""
    try:
        message = decode(row.format, row.payload)
    except FormatError:
        return row.payload
    raw = message.raw if message.raw is not None else json.loads(row.payload)
    said = [row.speaker or "", searchable_text(message), *leaf_texts(raw)]
    return "\n".join([*said, json.dumps(raw, ensure_ascii=False, default=dict)])


def _label(session: SessionInfo) -> str:
    return "\n".join([session.title, session.source, _as_text(session.metadata)])


def _files_with(store: OwnerStore, needle: str) -> Iterator[str]:
    for path, text in store.files.texts():
        if _holds(path, needle) or _holds(text, needle):
            yield path


def _state_holds(store: OwnerStore, name: str, needle: str) -> bool:
    text = store.states.get(name) or ""
    try:
        leaves = [text, *leaf_texts(json.loads(text))]
    except (ValueError, RecursionError):
        leaves = [text]
    return any(_holds(leaf, needle) for leaf in (name, *leaves))


def _as_text(value: Mapping[str, Any]) -> str:
    return "\n".join([*value, *leaf_texts(value)])


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


def _holds(text: str, needle: str) -> bool:
    return needle in _plain(text)


def selection_of(
    store: OwnerStore, memories: Sequence[str], rows: Sequence[StoredMessage]
) -> Selection:
    """Return what goes together: the rows, what was made from them, labels that repeat them."""
    if not memories and not rows:
        return Selection()
    seqs = [row.seq for row in rows]
    whole = tuple(dict.fromkeys([*memories, *store.memories.derived_from(memories, seqs)]))
    return Selection(
        memories=whole,
        messages=tuple(seqs),
        files=tuple(store.files.made_from(whole, seqs)),
        labels=tuple(_repeating_labels(store, rows)) if rows else (),
    )


def _repeating_labels(store: OwnerStore, rows: Sequence[StoredMessage]) -> Iterator[str]:
    titles = {s.id: _plain(s.title).rstrip("…. ") for s in store.log.sessions()}
    for session_id, of_session in groupby(rows, key=lambda row: row.session_id):
        title = titles.get(session_id)
        if title and any(_holds(_all_of(row), title) for row in of_session):
            yield session_id


def preview(store: OwnerStore, selection: Selection) -> tuple[Forgettable, ...]:
    """Return what a selection would remove, with the beginning of what each thing says."""
    wanted = set(selection.memories)
    memories = [m for m in store.memories.select(None) if m.id in wanted] if wanted else []
    rows = store.log.messages(selection.messages) if selection.messages else {}
    files = dict.fromkeys(selection.files, "")
    for path, text in store.files.texts():
        if not files.get(path, text):
            files[path] = text
    return (
        *(Forgettable("memory", m.id, m.text[:TEXT_MAX]) for m in memories),
        *(
            Forgettable("message", row.id, _said(row)[:TEXT_MAX], row.session_id)
            for _, row in sorted(rows.items())
        ),
        *(
            Forgettable("state", n, (store.states.get(n) or "")[:TEXT_MAX])
            for n in selection.states
        ),
        *(Forgettable("file", path, files[path][:TEXT_MAX]) for path in selection.files),
    )


def _said(row: StoredMessage) -> str:
    try:
        return searchable_text(decode(row.format, row.payload))
    except FormatError:
        return row.payload
