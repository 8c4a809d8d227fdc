"""What a session shows the model beside its own history: what is known, recalled, and in force."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lifelong.memory.answer import answer_text
from lifelong.memory.fence import Fence
from lifelong.memory.known import TOKENS_MAX_DEFAULT as KNOWN_TOKENS_MAX
from lifelong.memory.known import known, standing_rules
from lifelong.memory.recall import TOKENS_MAX_DEFAULT as RECALL_TOKENS_MAX
from lifelong.memory.recall import recall
from lifelong.messages import Message
from lifelong.ports import Clock, OwnerStore
from lifelong.records import Found
from lifelong.request import FitFields, Target, checked_policies, default_policies
from lifelong.vector_search import VectorSearch
from lifelong.working.assemble import Extras
from lifelong.working.compact import Compact, Segment
from lifelong.working.history import ASKED, History
from lifelong.working.plan import Policy
from lifelong.working.summary import Summariser

_BLOCK_TOKENS = 60
"""What the heading of a block costs, about."""


class RequestFields(FitFields, total=False):
    """What can be said of a session's request, beside what `FitFields` has.

    Attributes:
        known: show what is known of the user.
        recall: show what memory holds for the user's last message (True), or for this question.
        rules: say the standing constraints again near the end.
        summariser: compact the session in the background when it is due, with this summariser.
    """

    known: bool
    recall: bool | str
    rules: bool
    summariser: Summariser | None


class Asking:
    """Reads what a request shows beside the history.

    Attributes:
        found: what was recalled; None when nothing was asked for.
    """

    def __init__(
        self,
        store: OwnerStore,
        clock: Clock,
        *,
        session_id: str,
        fields: RequestFields,
        vectors: VectorSearch,
        marks_of: Callable[[str | None], Fence],
    ) -> None:
        self._marks_of = marks_of
        self._store = store
        self._vectors = vectors
        self._clock = clock
        self._session_id = session_id
        self._fields = fields
        self._extras = Extras()
        self.found: Found | None = None

    @property
    def recall_tokens(self) -> int:
        """How much of the budget is kept free for what is recalled."""
        return RECALL_TOKENS_MAX + _BLOCK_TOKENS if self._fields.get("recall") else 0

    def standing(self) -> Extras:
        """Return what does not depend on the history."""
        extras = Extras(system=self._fields.get("system") or "")
        if self._fields.get("known"):
            found = known(self._store.memories, self._clock, tokens_max=KNOWN_TOKENS_MAX)
            extras = replace(extras, known=found.text)
        if self._fields.get("rules"):
            rules = standing_rules(self._store.memories, self._clock)
            extras = replace(extras, rules=rules.text)
        self._extras = extras
        return extras

    def recalled(self, history: History) -> Extras:
        """Return all of it; what the history shows already is not recalled."""
        wanted = self._fields.get("recall")
        if not wanted:
            return self._extras
        asked = _last_asked(history)
        query = wanted if isinstance(wanted, str) else asked.text if asked else ""
        limits = (None, RECALL_TOKENS_MAX)
        found = recall(
            self._store,
            self._clock,
            query=query,
            limits=limits,
            fields={},
            vectors=self._vectors,
        )
        visible = {message.id for unit in history.units for message in unit.messages}
        unseen = [
            hit for hit in found.hits if hit.session_id != self._session_id or hit.id not in visible
        ]
        doubts = found.doubts if len(unseen) == len(found.hits) else ()
        self.found = found
        marks = self._marks_of(asked.id if asked else None)
        return replace(
            self._extras,
            recalled=answer_text(unseen, found.pairs, notes=doubts, marks=marks),
        )


def _last_asked(history: History) -> Message | None:
    for unit in reversed(history.units):
        if unit.kind == ASKED:
            return unit.messages[-1]
    return None


def policies_of(
    target: Target, fields: RequestFields, segments: tuple[Segment, ...]
) -> tuple[Policy, ...]:
    """Return the policies of a request, with the session's summaries where they are used.

    Raises:
        InvalidValue: the policies are no list of them.
    """
    given = fields.get("policies")
    if given is not None:
        return tuple(
            replace(policy, segments=segments)
            if isinstance(policy, Compact) and not policy.segments
            else policy
            for policy in checked_policies(given)
        )
    policies = default_policies(target)
    if not segments:
        return policies
    return (*policies, Compact(segments))
