"""The policies that clear, for many requests of one session: what was cleared stays at hand.

Live, a plan is made anew now and then; here the same steps would be cleared anew for each of
hundreds of plans. What is cleared, and how, is decided by the policies themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from lifelong.working.clear import ClearReasoning, ClearToolResults
from lifelong.working.history import CountMessage, Unit
from lifelong.working.plan import Edit, Policy

_Known = dict[int, tuple[Unit, Edit | None]]
"""By the unit itself, which is held, so that no other gets its number."""


@dataclass(frozen=True)
class _Results(ClearToolResults):
    known: _Known = field(default_factory=dict, compare=False, repr=False)

    def _edit(self, unit: Unit, count: CountMessage) -> Edit | None:
        if id(unit) not in self.known:
            self.known[id(unit)] = unit, super()._edit(unit, count)
        return self.known[id(unit)][1]


@dataclass(frozen=True)
class _Reasoning(ClearReasoning):
    known: _Known = field(default_factory=dict, compare=False, repr=False)

    def _edit(self, unit: Unit, count: CountMessage) -> Edit | None:
        if id(unit) not in self.known:
            self.known[id(unit)] = unit, super()._edit(unit, count)
        return self.known[id(unit)][1]


_Made = type[_Results] | type[_Reasoning]


class Remembering:
    """The policies of one session, those of ours that clear with a memory of it."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Policy, Policy]] = {}

    def of(self, policies: Sequence[Policy]) -> tuple[Policy, ...]:
        """Return the policies; their plans are the same, and the caller's own are left alone."""
        return tuple(self._of(policy) for policy in policies)

    def _of(self, policy: Policy) -> Policy:
        # A class derived from one of ours may clear otherwise.
        if type(policy) is ClearToolResults:
            return self._kept(policy, _Results)
        return self._kept(policy, _Reasoning) if type(policy) is ClearReasoning else policy

    def _kept(self, policy: ClearToolResults | ClearReasoning, made: _Made) -> Policy:
        if id(policy) not in self._made:
            given = {each.name: getattr(policy, each.name) for each in fields(policy)}
            self._made[id(policy)] = policy, made(**given)
        return self._made[id(policy)][1]
