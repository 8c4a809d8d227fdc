"""Ways: a policy at a window, and what it would have sent at each moment of a session.

A pipeline runs the code that runs live: `plan_request`, with what was settled before carried on,
and summaries made when they are due. Beside it stand what programs do without us: sending all that
was said, and sending the last items. What a policy of the caller's own raises is met here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from lifelong.asking import RequestFields, policies_of
from lifelong.errors import BudgetTooSmall, InvalidValue
from lifelong.messages import DEVELOPER, SYSTEM, Message
from lifelong.replay.figures import CLEARED, DROPPED, FAILED, KEPT, NOT_FIT, SENT, SUMMARISED
from lifelong.replay.foreign import Met, words_of
from lifelong.replay.moments import Moment
from lifelong.replay.policies import NONE, PIPELINE, SLICE, NamedPolicy
from lifelong.replay.remembering import Remembering
from lifelong.replay.summing import Summed, Summing, counted_inside
from lifelong.request import Planned, Request, Target, plan_request
from lifelong.working.assemble import Extras
from lifelong.working.budget import MARGIN, RESERVE_TOKENS, Budget
from lifelong.working.pipeline import Settled
from lifelong.working.plan import Edit


@dataclass(frozen=True, slots=True)
class Answer:
    """What would be sent at one moment.

    Attributes:
        outcome: ``sent``, ``not_fit`` or ``failed``; whether a provider takes it is asked later.
        messages: of the request, in order; none when nothing is sent.
        tokens: of the request, as estimated.
        request: as a pipeline made it; None for messages that are sent as they are.
        blocks: those of the messages that no one said: a summary with its appendix.
        problem: why nothing is sent, in words.
        edits: that this request has and the one before had not.
        edited_tokens: how many more tokens the edits take away than before.
        summed: what was summed up since the request before.
    """

    outcome: str
    messages: tuple[Message, ...] = ()
    tokens: int = 0
    request: Request | None = None
    blocks: tuple[Message, ...] = ()
    problem: str = ""
    edits: int = 0
    edited_tokens: int = 0
    summed: Summed = field(default_factory=Summed)


class Run(Protocol):
    """A way on its way through one session."""

    def answer(self, moment: Moment) -> Answer:
        """Return what would be sent; moments come in their order."""
        ...

    def states(self, moment: Moment) -> list[str]:
        """Return what became of each message that had been said, in the answer just given."""
        ...


@dataclass(frozen=True)
class Way:
    """A policy at a window.

    Attributes:
        policy: under its name.
        budget: of its requests, with the window of the model.
    """

    policy: NamedPolicy
    budget: Budget

    @property
    def name(self) -> str:
        """The name of the policy."""
        return self.policy.name

    @property
    def window_tokens(self) -> int:
        """The window of the model."""
        return self.budget.window_tokens

    def begin(self, target: Target) -> Run:
        """Return a run through a session, whose requests go to this target."""
        if self.policy.kind == PIPELINE:
            return _PipelineRun(self.policy, self.budget, target)
        room = self.budget.window_tokens - self.budget.reserve_tokens
        return _UncutRun(target, room, self.policy.slice_items or None)


def ways_of(
    policies: Sequence[NamedPolicy],
    windows: Sequence[int],
    *,
    reserve_tokens: int = RESERVE_TOKENS,
    margin: float = MARGIN,
) -> list[Way]:
    """Return the ways: the policies in order, and the windows in order within each.

    Args:
        policies: by name.
        windows: of the model, in tokens.
        reserve_tokens: as of a `Budget`.
        margin: as of a `Budget`.

    Raises:
        InvalidValue: a window leaves no room beside what is reserved, or a policy is of no kind.
    """
    ways: list[Way] = []
    for policy in policies:
        if policy.kind not in (PIPELINE, NONE, SLICE):
            raise InvalidValue(f"{policy.name} is of the kind {policy.kind!r}")
        if policy.kind == SLICE and policy.slice_items < 1:
            raise InvalidValue(f"{policy.name} sends {policy.slice_items} items")
        ways += [Way(policy, Budget(window, reserve_tokens, margin)) for window in windows]
    return ways


class _UncutRun:
    """What was said, sent as it was: all of it, or the last items.

    The last items go with the system text at the head. Nothing is repaired, and it does not fit
    when it is larger than the window less what is reserved for the answer, without a margin: what
    a provider would refuse.
    """

    def __init__(self, target: Target, room_tokens: int, items_max: int | None) -> None:
        self._target = target
        self._room = room_tokens
        self._items_max = items_max
        self._sums = [0]
        self._head = 0
        self._is_at_head = True
        self._from = 0
        self._is_sent = False

    def answer(self, moment: Moment) -> Answer:
        self._read_up_to(moment)
        start = self._head
        if self._items_max is not None:
            start = max(start, moment.position - self._items_max)
        tokens = self._sums[self._head] + self._sums[moment.position] - self._sums[start]
        self._is_sent = tokens <= self._room
        if not self._is_sent:
            told = f"{tokens - self._room} tokens too many for {self._room}"
            return Answer(NOT_FIT, problem=told)
        before, self._from = max(self._from, self._head), start
        return Answer(
            SENT,
            (*moment.items[: self._head], *moment.items[start : moment.position]),
            tokens,
            edits=int(start > before),
            edited_tokens=self._sums[start] - self._sums[before],
        )

    def states(self, moment: Moment) -> list[str]:
        if not self._is_sent:
            return [DROPPED] * moment.position
        dropped = [DROPPED] * (self._from - self._head)
        return [*[KEPT] * self._head, *dropped, *[KEPT] * (moment.position - self._from)]

    def _read_up_to(self, moment: Moment) -> None:
        for place in range(len(self._sums) - 1, moment.position):
            message = moment.items[place]
            self._is_at_head = self._is_at_head and message.role in (SYSTEM, DEVELOPER)
            self._head += self._is_at_head
            self._sums.append(self._sums[-1] + self._target.count(message))


class _PipelineRun:
    """Policies of ours or of the caller's, as they run live."""

    def __init__(self, policy: NamedPolicy, budget: Budget, target: Target) -> None:
        self._target = target
        self._budget = budget
        self._summing = Summing(policy.summariser)
        given = counted_inside(policy.policies, self._summing)
        self._given: RequestFields = {"policies": given} if given else {}
        self._remembering = Remembering()
        self._settled: Settled | None = None
        self._edits: dict[tuple[str, tuple[int, ...], int], int] = {}
        self._planned: Planned | None = None

    def answer(self, moment: Moment) -> Answer:
        self._planned = None
        # A summary that fails beside a request does not keep the next from being made.
        beside, asked = Met(), Met()
        with beside:
            self._summing.catch_up()
        answer = Answer(FAILED)
        with asked:
            answer = self._asked(moment)
        if asked.error is not None:
            answer = Answer(FAILED, problem=words_of(asked.error))
        summed = self._summing.taken()
        if beside.error is not None:
            problem = f"a summary was not made: {words_of(beside.error)}"
            summed = replace(summed, problems=(*summed.problems, problem))
        return replace(answer, summed=summed)

    def _asked(self, moment: Moment) -> Answer:
        policies = policies_of(self._target, self._given, self._summing.segments)
        try:
            planned = plan_request(
                moment.history,
                self._budget,
                target=self._target,
                fields={"policies": self._remembering.of(policies)},
                extras=Extras(),
                settled=self._settled,
            )
        except BudgetTooSmall as error:
            return Answer(NOT_FIT, problem=words_of(error))
        self._planned = planned
        self._settled = planned.fitted.settled
        self._summing.look(moment.history, planned.compaction_budget)
        request = planned.request(Extras())
        edits, edited = self._changed(planned.fitted.plan.edits)
        blocks = tuple(
            message
            for unit in planned.fitted.history.units
            if unit.no < 0
            for message in unit.messages
        )
        return Answer(
            SENT,
            request.messages,
            request.tokens,
            request=request,
            blocks=blocks,
            edits=edits,
            edited_tokens=edited,
        )

    def _changed(self, edits: Sequence[Edit]) -> tuple[int, int]:
        """Return how many edits are new, and how many more tokens all of them take away."""
        now = {
            (one.action, one.units, one.tokens_after): one.tokens_before - one.tokens_after
            for one in edits
        }
        before, self._edits = self._edits, now
        new = now.keys() - before.keys()
        more = sum(now[key] for key in new) - sum(
            saved for key, saved in before.items() if key not in now
        )
        return len(new), max(more, 0)

    def states(self, moment: Moment) -> list[str]:
        if self._planned is None:
            return [DROPPED] * moment.position
        units = self._planned.fitted.history.units
        is_summed = any(unit.no < 0 for unit in units)
        states = [SUMMARISED if is_summed else DROPPED] * moment.position
        for unit in units:
            shown = {id(message) for message in unit.messages} if unit.whole is not None else None
            for place in unit.positions if unit.messages else ():
                is_whole = shown is None or id(moment.items[place]) in shown
                states[place] = KEPT if is_whole else CLEARED
        return states
