"""What a policy of the caller's own decided is looked over: its plan must keep what always stays.

The policies of this package are held to it by their tests; another one could drop a pinned message,
cut a step in half or count wrongly, and the request would be refused or too large.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from lifelong.errors import InvalidValue
from lifelong.messages import ToolCallPart, ToolResultPart
from lifelong.working.history import ASKED, STEP, SYSTEM_TEXT, History, Unit
from lifelong.working.plan import Edit, Plan, Policy, apply

_OWN = "lifelong."


def looked_over(policy: Policy, plan: object, history: History) -> Plan:
    """Return a plan whose tokens are counted, if it keeps what must stay.

    Raises:
        InvalidValue: it is no plan, drops what must stay, or splits a step.
    """
    name = getattr(policy, "__name__", type(policy).__name__)
    if not isinstance(plan, Plan):
        raise InvalidValue(f"the policy {name} returned {type(plan).__name__} and no Plan")
    if type(policy).__module__.startswith(_OWN) or not plan.edits:
        return plan
    known = {unit.no: unit for unit in history.units}
    edits = tuple(_counted(edit, history, known, name) for edit in plan.edits)
    left = {unit.no for unit in apply(history, edits).units}
    if _must_stay(history) - left:
        raise InvalidValue(
            f"the policy {name} drops system text, what is pinned or the last question"
        )
    return replace(plan, edits=edits)


def _must_stay(history: History) -> set[int]:
    asked = [unit.no for unit in history.units if unit.kind == ASKED]
    return {
        unit.no
        for unit in history.units
        if unit.kind == SYSTEM_TEXT or unit.no in history.kept or unit.no in asked[-1:]
    }


def _counted(edit: Edit, history: History, known: dict[int, Unit], name: str) -> Edit:
    if any(no not in known for no in edit.units):
        raise InvalidValue(f"the policy {name} edits a unit that is not there")
    made = tuple(
        replace(unit, tokens=sum(map(history.count, unit.messages))) for unit in edit.replacement
    )
    if any(unit.kind == STEP and _is_split(unit) for unit in made):
        raise InvalidValue(f"the policy {name} splits a step: a call and its result go together")
    before = sum(known[no].tokens for no in edit.units)
    after = sum(unit.tokens for unit in made)
    return replace(edit, replacement=made, tokens_before=before, tokens_after=after)


def _is_split(unit: Unit) -> bool:
    parts = [part for message in unit.messages for part in message.parts]
    calls = Counter(part.id for part in parts if isinstance(part, ToolCallPart))
    results = Counter(part.call_id for part in parts if isinstance(part, ToolResultPart))
    return calls.total() != results.total()
