"""The handle of a session: one conversation of one owner.

It appends to the log and reads from it, and makes the requests that are sent to a model. What it
holds in memory is what it has read; it decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any, Unpack

from lifelong import log
from lifelong.asking import Asking, RequestFields, policies_of
from lifelong.background import Background
from lifelong.compaction import Compacted, compact, next_due, require_summariser
from lifelong.formats import Rendered, render
from lifelong.formats.storable import storable
from lifelong.memory.entry import (
    clean_limit,
    clean_metadata,
    clean_text,
    clean_time,
    require_known,
)
from lifelong.memory.fence import PLAIN_FENCE, Fence, fence, nonce_of
from lifelong.memory.forget import take_back
from lifelong.messages import SYSTEM, Message
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Appended, Found, LogSlice
from lifelong.request import (
    Request,
    Target,
    plan_request,
    require_budget,
    target_of,
)
from lifelong.rows import SessionFields
from lifelong.screening.policy import DEFAULT, Screening
from lifelong.vector_search import VectorSearch
from lifelong.window import Look, Window, newest_whole_steps
from lifelong.working.assemble import correction
from lifelong.working.budget import Budget
from lifelong.working.compact import LEAST_SHARE
from lifelong.working.cost import Prices
from lifelong.working.extractive import extractive_summary
from lifelong.working.pipeline import Settled
from lifelong.working.summary import Summariser

SETTLED_MAX = 8
"""So many ways of asking at once keep what was decided last."""


class Session:
    """One conversation of one owner.

    Args:
        store: of the owner.
        clock: for times and ids.
        session_id: the caller's, or a new unguessable one.
        vectors: the owner's.
        screening: what is taken out of all that is appended.
        on_recall: told what a request recalled.

    Attributes:
        id: of the session.
    """

    def __init__(
        self,
        store: OwnerStore,
        clock: Clock,
        *,
        session_id: str,
        vectors: VectorSearch,
        screening: Screening = DEFAULT,
        on_recall: Callable[[Found], None] | None = None,
    ) -> None:
        self.id = session_id
        self._vectors = vectors
        self._screening = screening
        self._on_recall = on_recall
        self._marks: tuple[str | None, Fence] = (None, PLAIN_FENCE)
        self._store = store
        self._clock = clock
        self._window = Window(store.log, session_id)
        self._settled: dict[Target, Settled | None] = {}
        self._last_try: tuple[Summariser, int] | None = None
        self._background: Background[Compacted] = Background()

    def append(
        self,
        items: Any,
        format: str = "chat",
        *,
        ids: Sequence[str] | None = None,
        sent_at: datetime | str | None = None,
    ) -> Appended:
        """Append a provider's items, or `Message` values, at the end: all or none.

        An item that has an id (its own, or one of `ids`) is stored once, however often it comes.

        Args:
            items: what the provider's client takes or gives: a list of items.
            format: one of `lifelong.FORMATS`.
            ids: one for each item.
            sent_at: when they were said; now, if nothing else is known.

        Raises:
            InputError: the items, an id or a time cannot be one; nothing was stored.
            MessageConflict: an id is there with another content; nothing was stored.
            StoreError: the store could not keep it; nothing was stored.
        """
        cleaned = log.parse_items(items, format)
        at = clean_time(sent_at, "sent_at") or self._clock.now()
        appended = log.append(
            self._store.log,
            self._clock,
            session_id=self.id,
            cleaned=cleaned,
            said=log.SaidBy(ids, at),
            screening=self._screening,
        )
        self._vectors.wake()
        return appended

    def describe(
        self, *, title: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> None:
        """Set the session's title or metadata; None leaves it as it is."""
        title = None if title is None else str(storable(title)[0])
        kept = None if metadata is None else clean_metadata(metadata)
        log.append(
            self._store.log,
            self._clock,
            session_id=self.id,
            cleaned=log.Cleaned(()),
            fields=SessionFields(title, None, kept),
            screening=self._screening,
        )

    def messages(self, limit: int | None = None, *, whole_steps: bool = False) -> LogSlice:
        """Return the messages in the order they were appended.

        Args:
            limit: the newest so many that can be read; None for all, 0 for none.
            whole_steps: rather fewer than a call without its result, or a result without its call.

        Raises:
            InvalidValue: the limit is negative.
        """
        limit = clean_limit(limit)
        if limit is None:
            return log.read_all(self._store.log.read(self.id))
        read = newest_whole_steps if whole_steps else log.read_newest
        return read(self._store.log, self.id, limit)

    def render(self, format: str = "chat", limit: int | None = None) -> Rendered:
        """Return the messages in a provider's format, as they came if they came in it.

        Raises:
            UnknownFormat: there is no such format.
            InvalidValue: the limit is negative.
        """
        return render(self.messages(limit).messages, format)

    def pop(self) -> Message | None:
        """Take back the newest message that can be read, and return it; None if there is none.

        It may be appended again under its id. Of two who pop at once, each gets another message.
        """
        while True:
            rows, _ = log.newest_rows(self._store.log, self.id, 1)
            if not rows:
                return None
            if take_back(self._store, self._clock, rows[0]):
                return log.read_message(rows[0])

    def request(
        self, budget: Budget, format: str = "chat", **fields: Unpack[RequestFields]
    ) -> Request:
        """Return what to send to the model now: a request that fits, and that is never refused.

        The log is not changed. While the session grows, the head of the request stays the same for
        as long as the budget allows, so that a provider's cache keeps it.

        Args:
            budget: what the request may cost.
            format: one of `lifelong.FORMATS`, whatever the messages came in.
            **fields: what else can be said; see `RequestFields`.

        Raises:
            BudgetTooSmall: what has to stay does not fit.
            InputError: a field cannot be used, or there is nothing to send.
        """
        require_known(fields, RequestFields.__annotations__, "request")
        require_budget(budget)
        require_summariser(fields.get("summariser"))
        target = target_of(format, fields)
        look = self._window.look(
            target.format, target.count, takes_late_system=target.takes_late_system
        )
        asking = Asking(
            self._store,
            self._clock,
            session_id=self.id,
            fields=fields,
            vectors=self._vectors,
            marks_of=self._marks_of,
        )
        policies = policies_of(target, fields, look.segments)
        asked: RequestFields = {**fields, "policies": policies}
        planned = plan_request(
            look.history,
            budget,
            target=target,
            fields=asked,
            extras=asking.standing(),
            reserve_tokens=asking.recall_tokens,
            settled=self._settled.get(target),
        )
        self._settled = {**self._settled, target: planned.fitted.settled}
        if len(self._settled) > SETTLED_MAX:
            self._settled.pop(next(iter(self._settled)))
        summariser = fields.get("summariser")
        if summariser is not None:
            self._compact_beside(look, planned.compaction_budget, target, summariser)
        extras = asking.recalled(planned.fitted.history)
        if self._on_recall and asking.found:
            self._on_recall(asking.found)
        return planned.request(extras)

    def _compact_beside(
        self, look: Look, budget: Budget, target: Target, summariser: Summariser
    ) -> None:
        """Begin a compaction if one is due; one that failed not again until more has come."""
        found = next_due(look, budget)
        last = self._background.last
        if last is not None and last.done() and last.exception() is not None:
            by, tokens = self._last_try or (summariser, 0)
            grown = look.history.tokens - tokens
            if by is summariser and grown < budget.available_tokens * LEAST_SHARE:
                return
        if found.units or last is None:
            self._last_try = summariser, look.history.tokens
            self._background.run(lambda: self._compacted(budget, target, summariser, None))

    def compact(
        self,
        budget: Budget,
        summariser: Summariser | None = None,
        *,
        format: str = "chat",
        prices: Prices | None = None,
    ) -> Compacted:
        """Sum up the oldest part of the session if it is due; `request` then shows the summary.

        The log is not changed, and what is summed up is never summed up again. Whatever happens on
        the way, the session is as it was or has the new summary.

        Args:
            budget: of the requests of this session.
            summariser: makes a summary of a `SummaryTask`; None for one without a model.
            format: that the requests have.
            prices: compact only if it pays, unless the session would not fit otherwise.

        Raises:
            SummaryUnusable: what the summariser gave is no summary; nothing changed.
            SummariserFailed: it could not give any; nothing changed. What a function of your own
                raises comes through as it is.
        """
        require_budget(budget)
        require_summariser(summariser)
        target = target_of(format, {})
        return self._compacted(budget, target, summariser or extractive_summary, prices)

    @property
    def compaction(self) -> Future[Compacted] | None:
        """The compaction that `request(summariser=…)` last began in the background, or None.

        Its `result()` waits for it, and raises what it raised.
        """
        return self._background.last

    def correct(self, wrong: str, *, truth: str) -> Appended:
        """Say in the session that a statement in it was wrong; the statement stays.

        The correction is appended as a message of the system, and stays in every request.

        Raises:
            InputError: a text is empty, or too large.
        """
        text = correction(clean_text(wrong, "wrong"), clean_text(truth, "truth"))
        return self.append([Message.of(SYSTEM, text)])

    def _marks_of(self, asked_id: str | None) -> Fence:
        """Return marks that are fresh for each message that is answered.

        Within one loop of tools they stay, so that the provider's cache keeps what is recalled.
        """
        if self._marks[0] is None or self._marks[0] != asked_id:
            self._marks = asked_id, fence(nonce_of(self._clock.new_id("fence")))
        return self._marks[1]

    def _compacted(
        self, budget: Budget, target: Target, summariser: Summariser, prices: Prices | None
    ) -> Compacted:
        return compact(
            self._store.log,
            self._clock,
            window=self._window,
            target=target,
            budget=budget,
            summariser=summariser,
            prices=prices,
        )
