"""The same verbs, awaitable: each runs in a thread, so an event loop is never held up.

There is one implementation. SQLite and ranking are synchronous by nature; a test compares names
and signatures, so the two faces cannot drift.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from lifelong import engine as engines
from lifelong import owner as handles
from lifelong import session as sessions
from lifelong.compaction import Compacted
from lifelong.ports import Clock, Embedder

P = ParamSpec("P")
R = TypeVar("R")


def _threaded(
    method: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[Any, P], Coroutine[Any, Any, R]]:
    async def call(shell: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, shell.sync, *args, **kwargs)

    update_wrapper(call, method)
    return call


class AsyncSession:
    """A `Session` whose verbs are awaited."""

    def __init__(self, inner: sessions.Session) -> None:
        self.sync = inner
        self.id = inner.id

    append = _threaded(sessions.Session.append)
    describe = _threaded(sessions.Session.describe)
    messages = _threaded(sessions.Session.messages)
    render = _threaded(sessions.Session.render)
    pop = _threaded(sessions.Session.pop)
    request = _threaded(sessions.Session.request)
    compact = _threaded(sessions.Session.compact)
    correct = _threaded(sessions.Session.correct)

    @property
    def compaction(self) -> asyncio.Future[Compacted] | None:
        """The compaction that `request(summariser=…)` last began, to be awaited; or None."""
        begun = self.sync.compaction
        return None if begun is None else asyncio.wrap_future(begun)


class AsyncOwner:
    """An `Owner` whose verbs are awaited."""

    def __init__(self, inner: handles.Owner) -> None:
        self.sync = inner
        self.id = inner.id

    def session(self, session_id: str | None = None) -> AsyncSession:
        """Return the session with this id; without one, a new session."""
        return AsyncSession(self.sync.session(session_id))

    async def export(self) -> list[str]:
        """Return everything of this owner as lines of JSON."""
        return await asyncio.to_thread(lambda: list(self.sync.export()))

    sessions = _threaded(handles.Owner.sessions)
    import_transcripts = _threaded(handles.Owner.import_transcripts)
    remember = _threaded(handles.Owner.remember)
    update = _threaded(handles.Owner.update)
    memory = _threaded(handles.Owner.memory)
    memories = _threaded(handles.Owner.memories)
    namespaces = _threaded(handles.Owner.namespaces)
    history = _threaded(handles.Owner.history)
    recall = _threaded(handles.Owner.recall)
    known = _threaded(handles.Owner.known)
    forget = _threaded(handles.Owner.forget)
    get = _threaded(handles.Owner.get)
    set = _threaded(handles.Owner.set)
    states = _threaded(handles.Owner.states)
    stats = _threaded(handles.Owner.stats)
    check = _threaded(handles.Owner.check)
    reindex = _threaded(handles.Owner.reindex)


class AsyncEngine:
    """An `Engine` whose verbs are awaited. Use it with ``async with``, or close it."""

    def __init__(self, inner: engines.Engine) -> None:
        self.sync = inner

    def owner(self, owner_id: str) -> AsyncOwner:
        """Return the handle of one owner: the only way to that owner's data."""
        return AsyncOwner(self.sync.owner(owner_id))

    owners = _threaded(engines.Engine.owners)
    describe = _threaded(engines.Engine.describe)
    close = _threaded(engines.Engine.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def open(  # noqa: A001 - the same name as in the synchronous face
    where: str | os.PathLike[str],
    *,
    key: str | bytes | None = None,
    encryption: str | None = None,
    embedder: Embedder | str | None = None,
    clock: Clock | None = None,
) -> AsyncEngine:
    """Open a store, as `lifelong.open` does, without holding up the event loop."""
    opened = await asyncio.to_thread(
        engines.open, where, key=key, encryption=encryption, embedder=embedder, clock=clock
    )
    return AsyncEngine(opened)
