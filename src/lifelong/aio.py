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
from lifelong import files as filing
from lifelong import owner as handles
from lifelong import retention as retentions
from lifelong import review as reviews
from lifelong import session as sessions
from lifelong.compaction import Compacted
from lifelong.memory.deciding import QUOTA_DEFAULT, Quota
from lifelong.ports import Clock, Embedder
from lifelong.screening.policy import DEFAULT, Screening
from lifelong.tools import Tools
from lifelong.tools import toolset as _toolset

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


class AsyncReview:
    """A `Review` whose verbs are awaited."""

    def __init__(self, inner: reviews.Review) -> None:
        self.sync = inner

    items = _threaded(reviews.Review.items)
    accept = _threaded(reviews.Review.accept)
    release = _threaded(reviews.Review.release)
    reject = _threaded(reviews.Review.reject)
    keep_both = _threaded(reviews.Review.keep_both)
    merge = _threaded(reviews.Review.merge)
    confirmation = _threaded(reviews.Review.confirmation)
    confirm = _threaded(reviews.Review.confirm)
    revoke = _threaded(reviews.Review.revoke)
    restore = _threaded(reviews.Review.restore)


class AsyncFiles:
    """A `Files` whose verbs are awaited."""

    def __init__(self, inner: filing.Files) -> None:
        self.sync = inner

    view = _threaded(filing.Files.view)
    create = _threaded(filing.Files.create)
    str_replace = _threaded(filing.Files.str_replace)
    insert = _threaded(filing.Files.insert)
    delete = _threaded(filing.Files.delete)
    rename = _threaded(filing.Files.rename)
    read = _threaded(filing.Files.read)
    write = _threaded(filing.Files.write)
    versions = _threaded(filing.Files.versions)
    restore = _threaded(filing.Files.restore)
    mirror = _threaded(filing.Files.mirror)
    list = _threaded(filing.Files.list)


class AsyncRetention:
    """A `Retention` whose verbs are awaited."""

    def __init__(self, inner: retentions.Retention) -> None:
        self.sync = inner

    rules = _threaded(retentions.Retention.rules)
    keep = _threaded(retentions.Retention.keep)
    drop = _threaded(retentions.Retention.drop)
    hold = _threaded(retentions.Retention.hold)
    holds = _threaded(retentions.Retention.holds)
    release = _threaded(retentions.Retention.release)


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

    export_to = _threaded(handles.Owner.export_to)
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
    verify = _threaded(handles.Owner.verify)
    reindex = _threaded(handles.Owner.reindex)
    rescan = _threaded(handles.Owner.rescan)
    fade = _threaded(handles.Owner.fade)
    receipts = _threaded(handles.Owner.receipts)
    sweep = _threaded(handles.Owner.sweep)
    extract = _threaded(handles.Owner.extract)
    supersede = _threaded(handles.Owner.supersede)
    latest = _threaded(handles.Owner.latest)

    @property
    def retention(self) -> AsyncRetention:
        """What is saved, for how long, and what may not be forgotten for now."""
        return AsyncRetention(self.sync.retention)

    @property
    def review(self) -> AsyncReview:
        """What waits for a person: held memories, conflicts, origins, confirmations."""
        return AsyncReview(self.sync.review)

    @property
    def files(self) -> AsyncFiles:
        """File memory: what stands below ``/memories``."""
        return AsyncFiles(self.sync.files)


class AsyncTools:
    """The agent's `Tools`, awaited."""

    def __init__(self, inner: Tools) -> None:
        self.sync = inner
        self.names = inner.names

    def specs(self, format: str = "chat") -> list[dict[str, Any]]:
        """Return the definitions of the tools in the shape of a format."""
        return self.sync.specs(format)

    call = _threaded(Tools.call)
    remember = _threaded(Tools.remember)
    recall = _threaded(Tools.recall)
    search_history = _threaded(Tools.search_history)
    forget = _threaded(Tools.forget)
    get_state = _threaded(Tools.get_state)
    set_state = _threaded(Tools.set_state)


def toolset(owner: AsyncOwner, session: AsyncSession | None = None, **options: Any) -> AsyncTools:
    """Return the agent's tools, as `lifelong.toolset` does."""
    return AsyncTools(_toolset(owner.sync, session.sync if session else None, **options))


class AsyncEngine:
    """An `Engine` whose verbs are awaited. Use it with ``async with``, or close it."""

    def __init__(self, inner: engines.Engine) -> None:
        self.sync = inner

    def owner(self, owner_id: str) -> AsyncOwner:
        """Return the handle of one owner: the only way to that owner's data."""
        return AsyncOwner(self.sync.owner(owner_id))

    owners = _threaded(engines.Engine.owners)
    describe = _threaded(engines.Engine.describe)
    rotate_key = _threaded(engines.Engine.rotate_key)
    rotate_owner_keys = _threaded(engines.Engine.rotate_owner_keys)
    export_keys = _threaded(engines.Engine.export_keys)
    backup = _threaded(engines.Engine.backup)
    verify_backup = _threaded(engines.Engine.verify_backup)
    restore = _threaded(engines.Engine.restore)
    remove_leftovers = _threaded(engines.Engine.remove_leftovers)
    scan = _threaded(engines.Engine.scan)
    sweep = _threaded(engines.Engine.sweep)
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
    screening: Screening = DEFAULT,
    quota: Quota = QUOTA_DEFAULT,
) -> AsyncEngine:
    """Open a store, as `lifelong.open` does, without holding up the event loop."""
    opened = await asyncio.to_thread(
        engines.open,
        where,
        key=key,
        encryption=encryption,
        embedder=embedder,
        clock=clock,
        screening=screening,
        quota=quota,
    )
    return AsyncEngine(opened)
