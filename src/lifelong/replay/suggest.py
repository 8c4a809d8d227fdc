"""Advice: a small grid of policies, and which of them serves the recorded sessions for the least.

It advises on what was replayed and on nothing else: sessions of another kind need a replay of their
own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass

from lifelong.replay.policies import STEPS, NamedPolicy
from lifelong.replay.totals import WayTotals, cheapest, frontier
from lifelong.working.clear import ClearReasoning, ClearToolResults
from lifelong.working.compact import Compact
from lifelong.working.extractive import extractive_summary
from lifelong.working.plan import Policy
from lifelong.working.trim import ShrinkResults, TrimTurns

SURVIVAL_MIN = 0.97
"""So much of what is needed next should still be shown, in history or summary."""

KEEPS = (1, 3, 10)
"""How many of the newest tool results a policy of the grid keeps."""

_STEP_OF = {kind: name for name, kind in STEPS.items()}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Which policy serves the sessions for the least.

    Attributes:
        way: its totals; None when no way served every request.
        is_enough: whether it still shows as much as was asked for; otherwise it is the one that
            shows the most.
        survival_min: what was asked for.
        tried: how many ways were compared.
        frontier: the ways that no cheaper one equals, the cheapest first.
        toml: the policy as a file for ``--policy``; empty for one that no file can say.
    """

    way: WayTotals | None
    is_enough: bool
    survival_min: float
    tried: int
    frontier: tuple[WayTotals, ...]
    toml: str = ""


def grid() -> tuple[NamedPolicy, ...]:
    """Return the policies that are compared: what is kept, and with or without summing up."""
    found = []
    for keep in (None, *KEEPS):
        clear: tuple[Policy, ...] = ()
        if keep is not None:
            clear = (ClearReasoning(), ClearToolResults(keep=keep))
        name = "" if keep is None else f"clear {keep}+"
        steps = (*clear, TrimTurns(), ShrinkResults())
        found.append(NamedPolicy(f"{name}trim", policies=steps))
        compacting = (*steps, Compact())
        found.append(
            NamedPolicy(f"{name}compact", policies=compacting, summariser=extractive_summary)
        )
    return tuple(found)


def suggest(
    totals: Sequence[WayTotals],
    policies: Sequence[NamedPolicy],
    *,
    survival_min: float = SURVIVAL_MIN,
) -> Suggestion:
    """Return the cheapest way that still shows enough, or the one that shows the most.

    Args:
        totals: of the ways that were replayed.
        policies: that were, for the file.
        survival_min: what is enough, as a share.
    """
    best = frontier(totals)
    most = best[-1] if best else _cheapest_served(totals)
    way = cheapest(best, survival_min) or most
    policy = next((each for each in policies if way and each.name == way.policy), None)
    return Suggestion(
        way=way,
        is_enough=way is not None and (way.survival is None or way.survival >= survival_min),
        survival_min=survival_min,
        tried=len(totals),
        frontier=best,
        toml=toml_of(policy) if policy else "",
    )


def _cheapest_served(totals: Sequence[WayTotals]) -> WayTotals | None:
    """Return the cheapest of all that served, for sessions that use nothing from earlier."""
    served = [each for each in totals if each.is_served and each.price is not None]
    return min(served, key=lambda each: each.price or 0.0, default=None)


def toml_of(policy: NamedPolicy) -> str:
    """Return a policy as a TOML file, or nothing when none of ours can say it."""
    is_ours = all(type(each) in _STEP_OF for each in policy.policies)
    if not policy.policies or not is_ours or policy.summariser not in (None, extractive_summary):
        return ""
    try:
        steps = ", ".join(_step(each) for each in policy.policies)
    except TypeError:  # a field that only code can say: another summariser, say
        return ""
    lines = [f"[policy.{_said(policy.name)}]", f"steps = [{steps}]"]
    if policy.summariser is not None:
        lines.append("summarise_before = true")
    return "\n".join(lines) + "\n"


def _step(policy: Policy) -> str:
    name, plain = _STEP_OF[type(policy)], type(policy)()
    if not is_dataclass(policy):
        return _said(name)
    changed = [
        f"{field.name} = {_said(getattr(policy, field.name))}"
        for field in fields(policy)
        if getattr(policy, field.name) != getattr(plain, field.name)
    ]
    return f"{{{name} = {{{', '.join(changed)}}}}}" if changed else _said(name)


def _said(value: object) -> str:
    """Return a value as TOML has it.

    Raises:
        TypeError: TOML has none.
    """
    if value is None:
        raise TypeError("TOML has no word for nothing")
    told = sorted(value) if isinstance(value, AbstractSet) else value
    # As JSON has it, but for pairs of surrogates, and for one character that JSON does not mind.
    return json.dumps(told, ensure_ascii=False).replace("\x7f", "\\u007f")
